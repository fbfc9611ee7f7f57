//! S1–S12: where a slicing may move.

mod s01;
mod s02;
mod s03;
mod s04;
mod s05;
mod s06;
mod s07;
mod s08;
mod s09;
mod s10;
mod s11;
mod s12;
mod shape;
mod windows;

use super::Rule;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[
    &s01::S01,
    &s02::S02,
    &s03::S03,
    &s04::S04,
    &s05::S05,
    &s06::S06,
    &s07::S07,
    &s08::S08,
    &s09::S09,
    &s10::S10,
    &s11::S11,
    &s12::S12,
];

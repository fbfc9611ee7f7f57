//! D1–D17: where a randomisation may move.

mod d01;
mod d02;
mod d03;
mod d04;
mod d05;
mod d06;
mod d07;
mod d08;
mod d09;
mod d10;
mod d11;
mod d12;
mod d13;
mod d14;
mod d15;
mod d16;
mod d17;
mod shape;

use super::Rule;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[
    &d01::D01,
    &d02::D02,
    &d03::D03,
    &d04::D04,
    &d05::D05,
    &d06::D06,
    &d07::D07,
    &d08::D08,
    &d09::D09,
    &d10::D10,
    &d11::D11,
    &d12::D12,
    &d13::D13,
    &d14::D14,
    &d15::D15,
    &d16::D16,
    &d17::D17,
];

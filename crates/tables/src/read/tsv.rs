//! Delimited text whose delimiter is a tab.

use super::delimited::{self, DelimitedRows};
use super::Format;
use super::formats::Kind;

pub(super) const FORMAT: Kind = Kind {
    format: Format::Tsv,
    names: &["tsv"],
    endings: &["tab"],
    is_it: |_| false,
    open: |raw, sample, options| DelimitedRows::open(raw, sample, Format::Tsv, options),
    ..delimited::FORMAT
};

//! Protocol C: a helper that cannot count. `primary` is a party with data, `reader` the first of them, which reads counters; `helper` searches
//! over a `table` whose counters it adds up (`tally`) and cannot read.

pub(in crate::protocols) mod helper;
pub(in crate::protocols) mod primary;
mod reader;
mod table;
mod tally;

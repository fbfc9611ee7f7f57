//! Protocol C: a helper that cannot count. `primary` is a party with data. All of them read a `share` of the counters of a question: an `assistant` tells sums to the
//! `reader`, the first party, which answers, and makes the release of what has `arrived`. The `helper` searches over a `table` whose counters it adds up (`tally`) and cannot read.

mod arrived;
mod assistant;
pub(in crate::protocols) mod helper;
pub(in crate::protocols) mod primary;
mod reader;
mod share;
mod table;
mod tally;

//! Encrypted tables: made from a party's rows, carried round, put together, and turned into what the search reads.

mod counted;
mod groups;
mod integrate;
mod layers;
mod opening;
mod seal;

pub(crate) use counted::{Counts, counted_rows};
pub(crate) use groups::equal_rows;
pub(crate) use integrate::{concatenate, join, sort_by_identifier};
pub(crate) use opening::{finish, in_label_order, open_with, remove_layer};
pub(crate) use seal::{Sealer, distinct_labels, seal_column};

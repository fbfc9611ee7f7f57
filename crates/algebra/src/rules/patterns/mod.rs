//! What rules look for at the root of a plan: a file per operation of the algebra, each with its matcher and how it is made anew.

pub(super) mod columns;
pub(super) mod generalize;
pub(super) mod join;
pub(super) mod projection;
pub(super) mod randomize;
pub(super) mod selection;
pub(super) mod set;
pub(super) mod slice;
pub(super) mod union;

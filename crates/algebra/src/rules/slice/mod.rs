//! S1–S12: where a slicing may move.

mod windows;

super::rules! {
    s01_one_group::OneGroup,
    s02_twice::Twice,
    s03_slice_after_slice::SliceAfterSlice,
    s04_below_projection::BelowProjection,
    s05_above_projection::AboveProjection,
    s06_cannot_be_seen::CannotBeSeen,
    s07_not_past_selection::NotPastSelection,
    s08_unions::Unions,
    s09_key_joins::KeyJoins,
    s10_intersection::Intersection,
    s11_difference::Difference,
    s12_below_grouping::BelowGrouping,
}

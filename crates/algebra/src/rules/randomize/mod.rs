//! D1–D17: where a randomisation may move.

super::rules! {
    d01_no_columns::NoColumns,
    d02_never_happens::NeverHappens,
    d03_foreign_columns::ForeignColumns,
    d04_twice_is_not_once::TwiceIsNotOnce,
    d05_different_columns::DifferentColumns,
    d06_twice_as_one::TwiceAsOne,
    d07_noise_after_noise::NoiseAfterNoise,
    d08_below_projection::BelowProjection,
    d09_above_projection::AboveProjection,
    d10_projected_away::ProjectedAway,
    d11_past_selection::PastSelection,
    d12_unions::Unions,
    d13_key_joins::KeyJoins,
    d14_intersection::Intersection,
    d15_difference::Difference,
    d16_below_grouping::BelowGrouping,
    d17_counts_become_estimates::CountsBecomeEstimates,
}

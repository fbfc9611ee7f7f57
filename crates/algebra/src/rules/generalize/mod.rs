//! G1–G19: where a generalization may move.
//!
//! What all rules rest on: α^G is a function of the bag of its input. The level of every column of X depends on the values of X
//! and, for models that speak of them, on the sensitive columns; every measure of loss is computed from X alone (levels, class
//! sizes, entropies), never from other columns or from row numbers; and an input that keeps the promise leaves unchanged, because
//! no levels cost least under every measure. A search that is stopped by the clock is no function, so rules that claim equal bags
//! refuse it. Ties between equally good levels are broken in the order of the columns, so a rule never changes the order of X.

mod conditions;

super::rules! {
    g01_nothing_promised::NothingPromised,
    g02_no_columns::NoColumns,
    g03_foreign_columns::ForeignColumns,
    g04_twice::Twice,
    g05_fewer_columns_again::FewerColumnsAgain,
    g06_stronger_again::StrongerAgain,
    g07_stronger_again_on_several::StrongerAgainOnSeveral,
    g08_weaker_again::WeakerAgain,
    g09_below_projection::BelowProjection,
    g10_above_projection::AboveProjection,
    g11_projected_away::ProjectedAway,
    g12_early_projection::EarlyProjection,
    g13_partly_projected_away::PartlyProjectedAway,
    g14_above_selection::AboveSelection,
    g15_part_by_part::PartByPart,
    g16_below_join::BelowJoin,
    g17_below_key_join::BelowKeyJoin,
    g18_intersection::Intersection,
    g19_difference::Difference,
}

/// Where the rules come from, and what was put right.
macro_rules! source {
    () => {
        "thesis on anonymisation operators in relational algebra, 2020"
    };
    ($corrected:literal) => {
        concat!("thesis on anonymisation operators in relational algebra, 2020, corrected: ", $corrected)
    };
}
use source;

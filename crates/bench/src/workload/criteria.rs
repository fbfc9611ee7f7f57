//! The combinations of criteria in the evaluation of Kohlmayer, "Datenschutz und biomedizinische Forschung", TU München 2015.

use super::{Columns, FIVE_PERCENT, NOTHING_AND_FIVE_PERCENT, Recipe};
use paravent_core::quality::Metric;

/// The eleven combinations; a letter stands for a criterion.
const COMBINATIONS: [&str; 11] = ["k", "l", "t", "d", "kl", "kt", "kd", "ld", "td", "kld", "ktd"];

/// The parameters of ℓ-diversity and δ-presence differ between chapters of the source and the published benchmark programs:
/// both are run.
#[derive(Debug, Clone, Copy)]
enum Variant {
    /// Recursive (3, 4)-diversity and (0.05, 0.15)-presence.
    Strict,
    /// Recursive (4, 3)-diversity and (0, 0.2)-presence.
    Published,
}

fn promises(letters: &str, variant: Variant) -> String {
    let model = |letter: char| match (letter, variant) {
        ('l', Variant::Strict) => "lrecursive=3/4",
        ('l', Variant::Published) => "lrecursive=4/3",
        ('t', _) => "thier=0.2",
        ('d', Variant::Strict) => "dpresence=0.05/0.15",
        ('d', Variant::Published) => "dpresence=0/0.2",
        _ => "k=5",
    };
    letters.chars().map(model).collect::<Vec<_>>().join(",")
}

/// Every combination, without suppression and with 5 %.
pub(super) fn combinations() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for letters in COMBINATIONS {
        for variant in [Variant::Strict, Variant::Published] {
            let recipe = Recipe {
                promises: promises(letters, variant),
                suppression: NOTHING_AND_FIVE_PERCENT,
                metric: Metric::NonUniformEntropy,
                columns: Columns::AllButSensitive,
            };
            if !recipes.contains(&recipe) {
                recipes.push(recipe);
            }
        }
    }
    recipes
}

/// Each of the six cases of monotonicity: the metric NUEM is monotone, the precision is not when rows are suppressed.
pub(super) fn six_cases() -> Vec<Recipe> {
    const FULLY: [&str; 1] = ["k"];
    const PARTLY: [&str; 6] = ["l", "kd", "kt", "ld", "ktd", "kld"];
    const NOT: [&str; 3] = ["t", "d", "td"];
    let metrics = [Metric::NonUniformEntropy, Metric::Precision];
    let mut recipes = Vec::new();
    for combinations in [FULLY.as_slice(), &PARTLY, &NOT] {
        for metric in metrics {
            recipes.extend(combinations.iter().map(|letters| Recipe {
                promises: promises(letters, Variant::Published),
                suppression: FIVE_PERCENT,
                metric,
                columns: Columns::AllButSensitive,
            }));
        }
    }
    recipes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_differ_only_where_there_is_a_choice() {
        // 11 combinations, 8 of them with diversity or presence.
        assert_eq!(combinations().len(), 11 + 8);
        assert_eq!(six_cases().len(), 2 * (1 + 6 + 3));
    }
}

//! What a slicing kept, as text.

use crate::layout::Columns;
use paravent_pipeline::slice::{Change, DependencyFigures, PairFigures, SliceUtility};

/// A line for every two columns, those of one group first; then what could undo the separation.
pub fn table(utility: &SliceUtility) -> String {
    let mut columns = Columns::default();
    let header = ["columns", "", "Cramér's V", "bits in common", "correlation", "regression: slope, R²"];
    let numeric = utility.pairs.iter().any(|pair| pair.numeric.is_some());
    columns.row(header.into_iter().take(if numeric { 6 } else { 4 }));
    let (kept, blurred): (Vec<&PairFigures>, Vec<_>) = utility.pairs.iter().partition(|pair| pair.kept);
    kept.into_iter().chain(blurred).for_each(|pair| columns.row(line(pair)));
    let mut text = columns.render();
    for told in &utility.dependencies {
        text.push_str(&dependency(told));
    }
    if !utility.invariants_hold || utility.suspicions > 0 {
        text.push_str("  The result does not look like a slicing of the table: please report this.\n");
    }
    text
}

fn line(pair: &PairFigures) -> [String; 6] {
    let regression = |figures: Option<[f64; 3]>| match figures {
        Some([_, slope, r2]) => format!("{}, {}", figure(Some(slope)), figure(Some(r2))),
        None => "–".to_owned(),
    };
    let numeric = pair.numeric.as_ref();
    [
        format!("{}, {}", pair.columns.0, pair.columns.1),
        if pair.kept { "kept" } else { "blurred" }.to_owned(),
        change(&pair.cramers_v, figure),
        change(&pair.mutual_information, |bits| figure(Some(bits))),
        numeric.map_or_else(String::new, |numeric| change(&numeric.correlation, figure)),
        numeric.map_or_else(String::new, |numeric| change(&numeric.regression, regression)),
    ]
}

/// One figure where nothing changed, else both.
fn change<T: Copy>(change: &Change<T>, shown: impl Fn(T) -> String) -> String {
    let (before, after) = (shown(change.before), shown(change.after));
    if before == after { before } else { format!("{before} → {after}") }
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

fn dependency(told: &DependencyFigures) -> String {
    let (share, without) = (100.0 * told.share, 100.0 * told.without);
    let DependencyFigures { determinant, dependent, .. } = told;
    format!(
        "  {determinant} tells {dependent} for {share:.1} % of the rows ({without:.1} % without it): whoever knows how can put their groups together again; keep them in one.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_group_come_first_and_figures_that_stay_are_shown_once() {
        let pair = |columns: (&str, &str), kept: bool, after: f64| PairFigures {
            columns: (columns.0.to_owned(), columns.1.to_owned()),
            kept,
            cramers_v: Change { before: Some(0.5), after: Some(after) },
            mutual_information: Change { before: 0.25, after: 0.25 },
            numeric: None,
        };
        let told = DependencyFigures {
            determinant: "zip".to_owned(),
            dependent: "town".to_owned(),
            share: 1.0,
            without: 0.125,
        };
        let utility = SliceUtility {
            pairs: vec![pair(("a", "b"), false, 0.125), pair(("a", "c"), true, 0.5)],
            dependencies: vec![told],
            invariants_hold: true,
            suspicions: 0,
        };
        let text = table(&utility);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  columns           Cramér's V       bits in common");
        assert_eq!(lines[1], "  a, c     kept     0.5000           0.2500");
        assert_eq!(lines[2], "  a, b     blurred  0.5000 → 0.1250  0.2500");
        assert!(
            lines[3].starts_with("  zip tells town for 100.0 % of the rows (12.5 % without it)"),
            "{text}"
        );
    }
}

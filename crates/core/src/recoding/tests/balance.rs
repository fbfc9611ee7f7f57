//! The balance of generalization and suppression.

use super::*;
use crate::quality::Balance;

/// The metrics that take a balance.
pub(super) const BALANCED: [Metric; 4] =
    [Metric::Loss, Metric::GeometricLoss, Metric::Precision, Metric::WorstLoss];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(1000)))]

    #[test]
    fn suppression_that_costs_less_is_used_within_the_limit_where_it_lowers_the_loss(
        fixture in tiny_table(), wishes in wishes(), metric in prop::sample::select(BALANCED.to_vec()), limit in 0u64..4, quarters in 0u8..=4,
    ) {
        let balance = Balance::of_gs_factor(f64::from(quarters) / 4.0).unwrap();
        let even = task(&fixture, &without_population(wishes), metric, limit);
        let effort = Effort { moves: Some(30), ..Effort::default() };
        if even.recode(&effort).unwrap().is_none() {
            return Ok(());
        }
        let task = even.balanced(balance);
        let found = task.recode(&effort).unwrap().unwrap();
        prop_assert!(found.solution.holds && found.solution.suppressed_rows <= limit);
        prop_assert!(judge(&task, &released(&task, &found)).is_ok());
        prop_assert!(found.lower_bound <= found.loss + 1e-7, "bound {} loss {}", found.lower_bound, found.loss);
        // Nothing that is left out makes it worse than where the search began.
        let space = space::Space::new(&task, &all_levels(&task)).unwrap();
        let began = run::measured(&space, &run::first_classes(&space, &effort).unwrap().unwrap());
        prop_assert!(found.loss <= began + 1e-7, "{} {} {began}", metric.name(), found.loss);
        // The published figures stay as they are defined.
        let published = found.solution.losses.iter().find(|(of, _)| *of == task.metric()).unwrap().1;
        let published = task.metric().as_defined(published);
        if balance == Balance::EVEN {
            prop_assert!(close(published, found.loss));
        } else if balance.suppression() == 1.0 && metric != Metric::GeometricLoss {
            let (n, s) = (fixture.table.row_count() as f64, found.solution.suppressed_rows as f64);
            prop_assert!(found.loss <= published + 1e-7 && found.loss + 1e-7 >= balance.generalization() * (published - s / n));
        }
    }
}

#[test]
fn what_costs_more_than_suppressing_stays_where_the_worst_column_would_be_worse() {
    // Values of the first column have the top in common only; of six values two each share a label that leaves a fifth of the domain open.
    let ladders =
        vec![ladder(&["a *", "b *", "c *"]), ladder(&["0 x *", "1 x *", "2 y *", "3 y *", "4 z *", "5 z *"])];
    // The first two rows make a class of the shares (1, 0.2), the others one of (0, 1).
    let rows: Vec<_> = [[0, 0], [1, 1], [2, 2], [2, 4]].map(|codes| (codes.to_vec(), 0, true)).into();
    let fixture = Fixture::new(ladders, &rows, 1);
    let balance = Balance::of_gs_factor(0.25).unwrap();
    let task = task(&fixture, &[Wish::K(2)], Metric::WorstLoss, 2).balanced(balance);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    // Suppressed, the first two would charge the second column 0.5 instead of 0.2: 0.75 in the mean of all rows.
    assert!(close(found.loss, 0.6), "{}", found.loss);
    assert_eq!(found.solution.suppressed_rows, 0);
}

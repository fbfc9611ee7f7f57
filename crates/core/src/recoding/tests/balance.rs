//! The balance of generalization and suppression.

use super::*;
use crate::quality::Balance;

proptest! {
    #[test]
    fn suppression_that_costs_less_lowers_the_loss_within_the_limit(
        fixture in tiny_table(), wishes in wishes(), metric in 0usize..3, limit in 0u64..4, quarters in 0u8..=4,
    ) {
        let balance = Balance::of_gs_factor(f64::from(quarters) / 4.0).unwrap();
        let even = task(&fixture, &without_population(wishes), METRICS[metric], limit);
        let effort = Effort { moves: Some(30), ..Effort::default() };
        let Some(before) = even.recode(&effort).unwrap() else { return Ok(()) };
        let task = even.balanced(balance);
        let found = task.recode(&effort).unwrap().unwrap();
        prop_assert!(found.solution.holds && found.solution.suppressed_rows <= limit);
        prop_assert!(judge(&task, &released(&task, &found)).is_ok());
        prop_assert!(found.lower_bound <= found.loss + 1e-7, "bound {} loss {}", found.lower_bound, found.loss);
        // Every row is charged at most what it was before.
        let cheaper = found.loss <= before.loss + 1e-7;
        prop_assert!(cheaper, "{} {}", found.loss, before.loss);
        // The published figures stay as they are defined.
        let published = found.solution.losses.iter().find(|(of, _)| *of == task.metric()).unwrap().1;
        let published = task.metric().as_defined(published);
        if balance == Balance::EVEN {
            prop_assert!(close(published, found.loss));
        } else if balance.suppression() == 1.0 && METRICS[metric] != Metric::GeometricLoss {
            let (n, s) = (fixture.table.row_count() as f64, found.solution.suppressed_rows as f64);
            prop_assert!(found.loss <= published + 1e-7 && found.loss + 1e-7 >= balance.generalization() * (published - s / n));
        }
    }
}

//! What others do, by the same judge: their releases hold, and lose more than the bound.

use super::*;
use crate::quality::Balance;

proptest! {
    #[test]
    fn what_others_do_holds_and_loses_more_than_the_bound(fixture in small_table(), k in 1u64..4, l in 1u64..3) {
        let task = task(&fixture, &[Wish::K(k), Wish::Distinct(l)], Metric::Loss, 0);
        let Some(found) = task.recode(&Effort::default()).unwrap() else { return Ok(()) };
        for baseline in Baseline::ALL {
            let Some(other) = task.recode_by(baseline).unwrap() else { continue };
            prop_assert!(other.holds, "{}", baseline.name());
            let loss = other.losses.iter().find(|(metric, _)| *metric == Metric::Loss).unwrap().1;
            prop_assert!(found.lower_bound <= loss + 1e-7, "{}: {} {loss}", baseline.name(), found.lower_bound);
            if let Some(boxes) = other.boxes.as_deref() {
                prop_assert!(covers(&task, boxes));
                let rows = rows_of(&fixture.table).into_iter();
                let shown = rows.map(|tuple| (tuple, boxes.of(tuple).map(|shown| shown.levels.to_vec()))).collect();
                prop_assert!(judge(&task, &shown).is_ok_and(|value| close(value, loss)));
            }
        }
    }
}

/// The tuples of a fixture as a task, in rows or in people.
fn counted(
    fixture: &Fixture,
    owners: Option<&[(u32, u32)]>,
    k: u64,
    l: u64,
    limit: SuppressionLimit,
) -> Task {
    let columns = fixture.names.iter().zip(&fixture.ladders);
    let columns = columns.map(|(name, ladder)| QuasiIdentifier::new(name, ladder.clone()));
    let columns = QuasiIdentifiers::new(columns).unwrap();
    let criteria = [Wish::K(k), Wish::Distinct(l)].map(|wish| wish.criterion(&fixture.table)).into();
    let table = Arc::new(fixture.table.clone());
    let Some(owners) = owners else {
        return Task::new(table, columns, criteria, Metric::Loss, limit).unwrap();
    };
    let tuples: Vec<u32> = rows_of(&fixture.table).into_iter().map(|tuple| tuple as u32).collect();
    let (persons, values): (Vec<u32>, Vec<u32>) = owners[..tuples.len()].iter().copied().unzip();
    let people = People::new(&fixture.table, &persons, &tuples, &[values], &[4]).unwrap();
    Task::of_people(table, Arc::new(people), columns, criteria, Metric::Loss, limit).unwrap()
}

proptest! {
    #[test]
    fn iterated_recoding_that_keeps_all_rows_never_loses_less(
        fixture in small_table(),
        owners in prop::option::of(prop::collection::vec((0u32..9, 0u32..4), 24)),
        k in 1u64..4,
        l in 1u64..3,
    ) {
        let task = |limit| counted(&fixture, owners.as_deref(), k, l, limit);
        let (kept, suppressing) = (task(SuppressionLimit::NONE), task(SuppressionLimit::Count(24)));
        let found = kept.recode(&Effort { moves: Some(0), ..Effort::default() }).unwrap();
        for factor in [0.0, 0.05, 0.1, 0.25, 0.5] {
            let balance = Balance::of_gs_factor(factor).unwrap();
            let made = suppressing.recode_iteratively(balance, &crate::solve::Effort::default()).unwrap();
            let Some(made) = made.filter(|made| made.suppressed_rows == 0) else { continue };
            let loss = made.losses.iter().find(|(metric, _)| *metric == Metric::Loss).unwrap().1;
            prop_assert!(found.as_ref().is_some_and(|found| found.loss <= loss + 1e-7), "{factor}: {loss}");
        }
    }
}

#[test]
fn iterated_recoding_counts_people_where_the_task_does() {
    // One person has both rows of either half: two rows make a class on level 1, two people only on level 2.
    let ladders = vec![ladder(&["a x *", "b x *", "c y *", "d y *"])];
    let rows: Vec<_> = (0..4).map(|code| (vec![code], 0, true)).collect();
    let fixture = Fixture::new(ladders, &rows, 1);
    let people = People::new(&fixture.table, &[0, 0, 1, 1], &[0, 1, 2, 3], &[], &[]).unwrap();
    let columns = QuasiIdentifiers::new([QuasiIdentifier::new("q0", fixture.ladders[0].clone())]).unwrap();
    let (table, limit) = (Arc::new(fixture.table.clone()), SuppressionLimit::Count(1));
    let criteria = vec![Wish::K(2).criterion(&fixture.table)];
    let task = Task::of_people(table, Arc::new(people), columns, criteria, Metric::Loss, limit).unwrap();
    let made = task.recode_iteratively(Balance::EVEN, &crate::solve::Effort::default()).unwrap().unwrap();
    assert_eq!((made.suppressed_rows, made.classes), (0, 1));
}

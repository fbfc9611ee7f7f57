//! Two releases, brought to common labels.

use super::project::{codes_of, generalization};
use crate::evidence::{Generalization, ReleaseTable};
use paravent_core::hierarchy::Hierarchy;
use paravent_evidence::attack::Released;
use paravent_evidence::attack::releases::{Finer, Pair, SharedColumn};
use paravent_evidence::microdata::Column;

/// What two releases share; columns whose labels cannot be compared are left out.
pub(super) fn pair<'a>(
    before: (&ReleaseTable, &'a Released),
    now: (&ReleaseTable, &'a Released),
) -> Pair<'a> {
    let mut columns = Vec::new();
    let mut others = Vec::new();
    for (left, old) in before.1.table.columns().iter().enumerate() {
        let Some(right) = now.1.table.place(old.name()) else { continue };
        let new = &now.1.table.columns()[right];
        match (generalization(before.0, left), generalization(now.0, right)) {
            (Some(then), Some(today)) => columns.extend(shared(left, right, (old, then), (new, today))),
            (None, None) => others.push((left, right)),
            // A column that changed its role is generalized on one side only: nothing to compare.
            _ => {}
        }
    }
    Pair { left: before.1, right: now.1, columns, others }
}

fn shared(
    left: usize,
    right: usize,
    old: (&Column, &Generalization),
    new: (&Column, &Generalization),
) -> Option<SharedColumn> {
    let same = old.1.hierarchy == new.1.hierarchy;
    let finer = if same && old.1.level < new.1.level { Finer::Left } else { Finer::Right };
    if !same && (old.1.level, new.1.level) != (0, 0) {
        return None;
    }
    let (fine, coarse) = match finer {
        Finer::Left => (old, new),
        Finer::Right => (new, old),
    };
    let code_of = codes_of(coarse.0);
    let mut lift = Vec::new();
    for code in 0..fine.0.labels().len() as u32 {
        let label = match fine.1.level == coarse.1.level {
            true => fine.0.cell(code).map(str::to_owned),
            false => lifted(fine.0.cell(code), fine.1, coarse.1)?,
        };
        lift.push(code_of.get(&label.as_deref()).copied());
    }
    Some(SharedColumn { left, right, finer, lift })
}

/// The coarser label over a finer one; `None` if it cannot be told. Found through a value that has the finer label, which is
/// checked: a wrong guess finds nothing rather than something wrong.
fn lifted(label: Option<&str>, fine: &Generalization, coarse: &Generalization) -> Option<Option<String>> {
    let listed = fine.listed_values().unwrap_or_default();
    let listed = listed.into_iter().map(|value| value.map(str::to_owned));
    let candidates = guesses(label, &fine.hierarchy).into_iter().chain(listed);
    for value in candidates {
        if fine.label_of(value.as_deref()).is_ok_and(|found| found.as_deref() == label) {
            return coarse.label_of(value.as_deref()).ok();
        }
    }
    None
}

/// Values that may be behind a label, by what labels look like.
fn guesses(label: Option<&str>, hierarchy: &Hierarchy) -> Vec<Option<String>> {
    let Some(label) = label else { return vec![None] };
    let mut guesses = vec![Some(label.to_owned())];
    match hierarchy {
        Hierarchy::Intervals(intervals) => {
            let number: String = label
                .trim_start_matches('[')
                .char_indices()
                .take_while(|&(at, c)| c.is_ascii_digit() || c == '.' || (at == 0 && c == '-'))
                .map(|(_, c)| c)
                .collect();
            guesses.push(Some(number));
            // Outliers: a number well below or above the bounds.
            let spec = intervals.spec();
            guesses.extend(
                [spec.min.to_f64() - 1.0, spec.max.to_f64() + 1.0]
                    .map(|outside| Some(format!("{outside:.0}"))),
            );
        }
        Hierarchy::Dates(_) => {
            let year: String = label.chars().take(4).collect();
            let month = match label.get(4..) {
                Some("-Q2") => "04",
                Some("-Q3" | "-H2") => "07",
                Some("-Q4") => "10",
                _ => "01",
            };
            guesses.extend([Some(format!("{label}-01")), Some(format!("{year}-{month}-01"))]);
            // ISO weeks: some day of the year has that label.
            if label.contains("-W") {
                let days = (1..=12).flat_map(|month| (1..=28).map(move |day| (month, day)));
                guesses.extend(days.map(|(month, day)| Some(format!("{year}-{month:02}-{day:02}"))));
            }
        }
        _ => {}
    }
    guesses
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_core::hierarchy::{DatePart, Dates};
    use paravent_core::values::ValueType;

    #[test]
    fn labels_of_dates_are_lifted_through_a_day_that_has_them() {
        let hierarchy =
            Hierarchy::Dates(Dates::new(vec![DatePart::Month, DatePart::Quarter, DatePart::Year]).unwrap());
        let at = |level| Generalization { hierarchy: hierarchy.clone(), level, value_type: ValueType::Date };
        assert_eq!(lifted(Some("2024-05"), &at(1), &at(2)), Some(Some("2024-Q2".to_owned())));
        assert_eq!(lifted(Some("2024-Q4"), &at(2), &at(3)), Some(Some("2024".to_owned())));
        assert_eq!(lifted(Some("nonsense"), &at(2), &at(3)), None);
        assert_eq!(lifted(None, &at(1), &at(2)), Some(None));
    }
}

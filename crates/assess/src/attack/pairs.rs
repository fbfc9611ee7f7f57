//! Two releases, brought to common labels.

use super::labels;
use super::project::{codes_of, generalization};
use crate::{Generalization, ReleaseTable};
use paravent_core::hierarchy::Hierarchy;
use paravent_evidence::attack::Released;
use paravent_evidence::attack::releases::{CrossingColumn, Finer, Pair, SharedColumn};
use paravent_evidence::microdata::Column;
use std::collections::{BTreeSet, HashMap};

/// What two releases share.
pub(super) fn pair<'a>(
    before: (&ReleaseTable, &'a Released),
    now: (&ReleaseTable, &'a Released),
) -> Pair<'a> {
    let (mut columns, mut crossings, mut incomparable, mut others) = (vec![], vec![], vec![], vec![]);
    for (left, old) in before.1.table.columns().iter().enumerate() {
        let Some(right) = now.1.table.place(old.name()) else { continue };
        let new = &now.1.table.columns()[right];
        let is_quasi = (before.1.quasi_identifiers.contains(&left), now.1.quasi_identifiers.contains(&right));
        match (generalization(before.0, left), generalization(now.0, right)) {
            (Some(then), Some(today)) => match shared(left, right, (old, then), (new, today)) {
                Some(shared) => columns.push(shared),
                None => match crossing(left, right, (old, then), (new, today)) {
                    Some(crossing) => crossings.push(crossing),
                    None => incomparable.push(old.name().to_owned()),
                },
            },
            (None, None) if is_quasi == (false, false) => others.push((left, right)),
            // Tables, and releases without their private folder: nobody says how labels were made.
            (None, _) | (_, None)
                if is_quasi == (true, true) && is_readable((before.0, left), (now.0, right)) =>
            {
                match as_they_read(left, right, old, new) {
                    Ok(shared) => columns.push(shared),
                    Err(crossing) => crossings.push(crossing),
                }
            }
            // A column that changed its role is generalized on one side only: nothing to compare.
            _ if is_quasi.0 && is_quasi.1 => incomparable.push(old.name().to_owned()),
            _ => {}
        }
    }
    Pair { left: before.1, right: now.1, columns, crossing: crossings, incomparable, others }
}

/// Whether labels of two columns may be compared as they read. Two releases that show a column on different levels have names for groups
/// that nothing but the hierarchy explains: a label that fits none of the other's says nothing.
fn is_readable(one: (&ReleaseTable, usize), two: (&ReleaseTable, usize)) -> bool {
    let level = |(release, place): (&ReleaseTable, usize)| {
        let position = release.table.quasi_identifiers.iter().position(|&known| known == place)?;
        release.levels.get(position).copied()
    };
    let (Some(a), Some(b)) = (level(one), level(two)) else { return true };
    if a == b && !one.0.facts.is_local && !two.0.facts.is_local {
        return true;
    }
    let columns = [one, two].map(|(release, place)| &release.table.data.columns()[place]);
    let labels = |column: &'_ Column| {
        (0..column.labels().len() as u32)
            .filter_map(|code| column.cell(code).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let (old, new) = (labels(columns[0]), labels(columns[1]));
    if old.len() * new.len() > MOST_MASKS {
        return false;
    }
    let fits_some = |label: &String, others: &[String]| {
        others.iter().any(|other| other == label || labels::fit(label, other))
    };
    old.iter().all(|label| fits_some(label, &new)) && new.iter().all(|label| fits_some(label, &old))
}

/// Columns of tables that do not say how they were generalized. Equal labels mean the same; where labels differ, they fit as they
/// [read](labels::fit).
fn as_they_read(
    left: usize,
    right: usize,
    old: &Column,
    new: &Column,
) -> Result<SharedColumn, CrossingColumn> {
    let (before, after) = (0..old.labels().len() as u32, 0..new.labels().len() as u32);
    let fit = |a: u32, b: u32| match (old.cell(a), new.cell(b)) {
        (Some(a), Some(b)) => a == b || labels::fit(a, b),
        (a, b) => a == b,
    };
    if old.labels().len() * new.labels().len() <= MOST_MASKS {
        let fits: Vec<Vec<u32>> =
            before.clone().map(|a| after.clone().filter(|&b| fit(a, b)).collect()).collect();
        let is_equal = |(a, fits): (u32, &Vec<u32>)| fits.iter().all(|&b| old.cell(a) == new.cell(b));
        if !before.zip(&fits).all(is_equal) {
            // Where every label of one side lies in one of the other's, it is the finer one.
            let mut of_new: Vec<Vec<u32>> = vec![Vec::new(); new.labels().len()];
            for (a, fits) in (0u32..).zip(&fits) {
                fits.iter().for_each(|&b| of_new[b as usize].push(a));
            }
            let only = |fits: &Vec<Vec<u32>>| fits.iter().all(|fits| fits.len() <= 1);
            let lift = |fits: &[Vec<u32>]| fits.iter().map(|fits| fits.first().copied()).collect();
            return match (only(&of_new), only(&fits)) {
                (true, _) => Ok(SharedColumn { left, right, finer: Finer::Right, lift: lift(&of_new) }),
                (_, true) => Ok(SharedColumn { left, right, finer: Finer::Left, lift: lift(&fits) }),
                _ => Err(CrossingColumn { left, right, fits }),
            };
        }
    }
    let code_of = codes_of(old);
    let lift = after.map(|code| code_of.get(&new.cell(code)).copied());
    Ok(SharedColumn { left, right, finer: Finer::Right, lift: lift.collect() })
}

/// Two columns of different hierarchies: labels fit that have a raw value in common. `None` where no raw value is known behind the
/// labels of a side.
///
/// Of two intervals that overlap, the lower end of one lies in both, and so does the first day of one of two spans of dates: these,
/// the values that hierarchies list, and masks laid over each other are tried. A label behind which no value is found may fit any.
fn crossing(
    left: usize,
    right: usize,
    old: (&Column, &Generalization),
    new: (&Column, &Generalization),
) -> Option<CrossingColumn> {
    let (lefts, rights) = (codes_of(old.0), codes_of(new.0));
    let (mut of_left, mut of_right) = (vec![false; lefts.len()], vec![false; rights.len()]);
    let mut fits: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); lefts.len()];
    // With a box for every class a value may be behind labels of several levels.
    let labels = |side: &Generalization, value: Option<&str>, codes: &HashMap<Option<&str>, u32>| {
        let labels = side.labels_of(value).into_iter();
        labels.filter_map(|label| codes.get(&label.as_deref()).copied()).collect::<Vec<u32>>()
    };
    for value in witnesses(old, new) {
        let ours = labels(old.1, value.as_deref(), &lefts);
        let theirs = labels(new.1, value.as_deref(), &rights);
        ours.iter().for_each(|&code| of_left[code as usize] = true);
        theirs.iter().for_each(|&code| of_right[code as usize] = true);
        ours.iter().for_each(|&code| fits[code as usize].extend(&theirs));
    }
    if !of_left.contains(&true) || !of_right.contains(&true) {
        return None;
    }
    for (known, fits) in of_left.iter().zip(&mut fits) {
        let any = (0..rights.len() as u32).filter(|&code| !known || !of_right[code as usize]);
        fits.extend(any);
    }
    let fits = fits.into_iter().map(|fits| fits.into_iter().collect()).collect();
    Some(CrossingColumn { left, right, fits })
}

/// Largest number of pairs of labels whose masks are compared.
const MOST_MASKS: usize = 250_000;

/// Raw values that may be behind the labels of two columns.
fn witnesses(old: (&Column, &Generalization), new: (&Column, &Generalization)) -> BTreeSet<Option<String>> {
    let mut values = BTreeSet::new();
    for (column, generalization) in [old, new] {
        for code in 0..column.labels().len() as u32 {
            values.extend(guesses(column.cell(code), &generalization.hierarchy));
        }
        let listed = generalization.listed_values().unwrap_or_default();
        values.extend(listed.into_iter().map(|value| value.map(str::to_owned)));
    }
    if let (Hierarchy::Redaction(one), Hierarchy::Redaction(two)) = (&old.1.hierarchy, &new.1.hierarchy)
        && old.0.labels().len() * new.0.labels().len() <= MOST_MASKS
    {
        for a in old.0.labels() {
            values.extend(
                new.0.labels().iter().filter_map(|b| laid_over(a, one.mask(), b, two.mask())).map(Some),
            );
        }
    }
    values
}

/// `021**` over `***38` is `02138`; `None` where two characters contradict.
fn laid_over(a: &str, mask: char, b: &str, other: char) -> Option<String> {
    if a.chars().count() != b.chars().count() {
        return None;
    }
    let merged = a.chars().zip(b.chars()).map(|(x, y)| match (x == mask, y == other) {
        (true, true) => Some('0'),
        (true, false) => Some(y),
        (false, true) => Some(x),
        (false, false) => (x == y).then_some(x),
    });
    merged.collect()
}

fn shared(
    left: usize,
    right: usize,
    old: (&Column, &Generalization),
    new: (&Column, &Generalization),
) -> Option<SharedColumn> {
    // Labels of several levels do not follow from each other one by one.
    if old.1.is_local || new.1.is_local {
        return None;
    }
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
    use paravent_core::hierarchy::{DatePart, Dates, Grid, Intervals, IntervalsSpec, Outliers, Rounding};
    use paravent_core::values::ValueType;

    #[test]
    fn labels_of_dates_are_lifted_through_a_day_that_has_them() {
        let hierarchy =
            Hierarchy::Dates(Dates::new(vec![DatePart::Month, DatePart::Quarter, DatePart::Year]).unwrap());
        let at = |level| Generalization {
            hierarchy: hierarchy.clone(),
            level,
            is_local: false,
            value_type: ValueType::Date,
        };
        assert_eq!(lifted(Some("2024-05"), &at(1), &at(2)), Some(Some("2024-Q2".to_owned())));
        assert_eq!(lifted(Some("2024-Q4"), &at(2), &at(3)), Some(Some("2024".to_owned())));
        assert_eq!(lifted(Some("nonsense"), &at(2), &at(3)), None);
        assert_eq!(lifted(None, &at(1), &at(2)), Some(None));
    }

    fn fitting(old: (&[&str], Generalization), new: (&[&str], Generalization)) -> Vec<(String, String)> {
        let column = |labels: &[&str]| Column::of("c", labels.to_vec());
        let (one, two) = (column(old.0), column(new.0));
        let crossing = crossing(0, 0, (&one, &old.1), (&two, &new.1)).unwrap();
        let label = |column: &Column, code: u32| column.labels()[code as usize].clone();
        let fits = crossing.fits.iter().enumerate();
        let pairs = fits.flat_map(|(a, fits)| {
            let (one, two) = (&one, &two);
            fits.iter().map(move |&b| (label(one, a as u32), label(two, b)))
        });
        pairs.collect()
    }

    #[test]
    fn intervals_of_two_hierarchies_fit_where_they_overlap() {
        let intervals = |width: &str| {
            let spec = IntervalsSpec {
                widths: vec![width.parse().unwrap()],
                min: "0".parse().unwrap(),
                max: "100".parse().unwrap(),
                outliers: Outliers::Label,
                rounding: Rounding::None,
                grid: Grid::Integer,
            };
            let hierarchy = Hierarchy::Intervals(Intervals::new(spec).unwrap());
            Generalization { hierarchy, level: 1, is_local: false, value_type: ValueType::Integer }
        };
        let (tens, fifteens) = (intervals("10"), intervals("15"));
        let label = |side: &Generalization, value: &str| side.label_of(Some(value)).unwrap().unwrap();
        let old: Vec<String> = ["0", "10", "20"].iter().map(|value| label(&tens, value)).collect();
        let new: Vec<String> = ["0", "15"].iter().map(|value| label(&fifteens, value)).collect();
        let texts = [&old, &new].map(|labels| labels.iter().map(String::as_str).collect::<Vec<&str>>());
        let mut found = fitting((&texts[0], tens), (&texts[1], fifteens));
        found.sort();
        let mut expected = vec![
            (old[0].clone(), new[0].clone()),
            (old[1].clone(), new[0].clone()),
            (old[1].clone(), new[1].clone()),
            (old[2].clone(), new[1].clone()),
        ];
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn masks_from_both_sides_are_laid_over_each_other() {
        use paravent_core::hierarchy::{Redaction, Side};
        let masked = |side, level| Generalization {
            hierarchy: Hierarchy::Redaction(Redaction::new('*', side, 5, None).unwrap()),
            level,
            is_local: false,
            value_type: ValueType::String,
        };
        let found =
            fitting((&["021**", "021*8"], masked(Side::Right, 2)), (&["***38"], masked(Side::Left, 3)));
        assert_eq!(found[0], ("021**".to_owned(), "***38".to_owned()));
        assert_eq!(laid_over("021**", '*', "***38", '*').as_deref(), Some("02138"));
        assert_eq!(laid_over("021*9", '*', "***38", '*'), None);
    }
}

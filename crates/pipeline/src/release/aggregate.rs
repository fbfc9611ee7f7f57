//! Microaggregation: what every class shows of the numbers of a column.
//!
//! Domingo-Ferrer & Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", TKDE 14(1), 2002;
//! here the classes are those of the other quasi-identifiers.

use paravent_core::release::Solution;
use paravent_core::values::Decimal;
use paravent_job::Aggregate;
use paravent_prepare::study::{Study, StudyError};
use std::collections::{BTreeMap, HashMap};

/// Digits of a mean behind those of its numbers.
const MORE_DIGITS: u8 = 2;

/// What the classes show.
pub(super) struct Aggregated {
    /// By tuple of the frequency table: the code of what its class shows.
    pub(super) codes: Vec<u32>,
    /// Each text once.
    pub(super) labels: Vec<Option<String>>,
    /// How much of the sum of squares is lost inside classes, 0 to 1; `None` where all numbers are the same.
    pub(super) lost: Option<f64>,
}

/// Aggregates the numbers of a quasi-identifier over the released rows of every class.
pub(super) fn aggregated(
    study: &Study,
    solution: &Solution,
    position: usize,
    aggregate: Aggregate,
) -> Result<Aggregated, StudyError> {
    if study.counted.held().is_none() {
        let problem =
            study.job.problem("search.memory", "aggregates hold all different combinations in memory");
        return Err(problem.advise("Raise memory, or leave aggregate out").into());
    }
    let numbers: Vec<Option<Decimal>> = (study.counted.columns[position].dictionary.cells().into_iter())
        .map(|cell| cell.and_then(|cell| cell.parse().ok()))
        .collect();
    let quasi = study.counted.quasi_identifiers;
    let mut class_of: Vec<u32> = vec![0; study.table.tuple_count()];
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut classes: Vec<BTreeMap<Decimal, u64>> = Vec::new();
    study.each_released(solution, |tuple, kept| {
        if kept == 0 {
            return;
        }
        let key = match &solution.boxes {
            Some(boxes) => vec![boxes.box_of[tuple.frequency].unwrap_or(u32::MAX)],
            None => {
                let levels = study.task.ladders().iter().zip(solution.node.levels());
                let codes = levels.zip(&tuple.codes[..quasi]);
                codes.map(|((ladder, &level), &code)| ladder.rung(level).group_of[code as usize]).collect()
            }
        };
        let next = known.len() as u32;
        let class = *known.entry(key).or_insert(next);
        if class == next {
            classes.push(BTreeMap::new());
        }
        class_of[tuple.frequency] = class;
        if let Some(number) = numbers[tuple.codes[position] as usize] {
            *classes[class as usize].entry(number).or_insert(0) += kept;
        }
    })?;
    let too_long = || {
        let name = &study.counted.columns[position].name;
        StudyError::from(
            study.job.problem("attributes", format!("column {name}: numbers too long to be aggregated")),
        )
    };
    let mut texts: BTreeMap<Option<String>, u32> = BTreeMap::new();
    let mut code_of_class = Vec::with_capacity(classes.len());
    for class in &classes {
        let text = shown(class, aggregate).ok_or_else(too_long)?;
        let next = texts.len() as u32;
        code_of_class.push(*texts.entry(text).or_insert(next));
    }
    let mut labels = vec![None; texts.len()];
    texts.into_iter().for_each(|(text, code)| labels[code as usize] = text);
    let codes = class_of.into_iter().map(|class| code_of_class.get(class as usize).copied().unwrap_or(0));
    Ok(Aggregated { codes: codes.collect(), labels, lost: lost(&classes) })
}

/// What a class with these numbers shows; the inner `None` where none of its rows has a number, the outer one where a sum is too long.
fn shown(class: &BTreeMap<Decimal, u64>, aggregate: Aggregate) -> Option<Option<String>> {
    let rows: u64 = class.values().sum();
    let (Some((least, _)), Some((most, _))) = (class.first_key_value(), class.last_key_value()) else {
        return Some(None);
    };
    Some(Some(match aggregate {
        Aggregate::Interval => format!("[{least}, {most}]"),
        Aggregate::Median => {
            let mut before = 0;
            let middle = class.iter().find(|(_, count)| {
                before += **count;
                before >= rows.div_ceil(2)
            });
            middle.map_or(*least, |(number, _)| *number).to_string()
        }
        Aggregate::Mean => {
            let mut sum = Decimal::ZERO;
            let mut digits = 0;
            for (number, &count) in class {
                sum = sum.checked_add(number.checked_mul(Decimal::from(i64::try_from(count).ok()?))?)?;
                digits = digits.max(number.scale());
            }
            sum.divided_by(rows, digits.checked_add(MORE_DIGITS)?)?.to_string()
        }
    }))
}

/// The share of the sum of squared deviations that lies inside classes: what the literature calls SSE / SST.
fn lost(classes: &[BTreeMap<Decimal, u64>]) -> Option<f64> {
    let sums = |class: &BTreeMap<Decimal, u64>| {
        let all = class.iter().map(|(number, &rows)| (number.to_f64(), rows as f64));
        all.fold((0.0, 0.0, 0.0), |(n, sum, squares), (x, rows)| {
            (n + rows, sum + rows * x, squares + rows * x * x)
        })
    };
    let inside =
        |(n, sum, squares): (f64, f64, f64)| if n > 0.0 { (squares - sum * sum / n).max(0.0) } else { 0.0 };
    let (mut all, mut within) = ((0.0, 0.0, 0.0), 0.0);
    for class in classes.iter().map(sums) {
        all = (all.0 + class.0, all.1 + class.1, all.2 + class.2);
        within += inside(class);
    }
    let total = inside(all);
    (total > 0.0).then(|| (within / total).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(numbers: &[&str]) -> BTreeMap<Decimal, u64> {
        let mut class = BTreeMap::new();
        numbers.iter().for_each(|number| *class.entry(number.parse().unwrap()).or_insert(0) += 1);
        class
    }

    #[test]
    fn a_class_shows_its_mean_median_or_interval() {
        let ages = class(&["20", "21", "21", "40"]);
        let shown = |class: &BTreeMap<Decimal, u64>, aggregate| super::shown(class, aggregate).unwrap();
        assert_eq!(shown(&ages, Aggregate::Mean).as_deref(), Some("25.5"));
        assert_eq!(shown(&ages, Aggregate::Median).as_deref(), Some("21"));
        assert_eq!(shown(&ages, Aggregate::Interval).as_deref(), Some("[20, 40]"));
        let thirds = class(&["1", "1", "2"]);
        assert_eq!(shown(&thirds, Aggregate::Mean).as_deref(), Some("1.33"));
        assert_eq!(shown(&class(&["-0.5", "-0.6"]), Aggregate::Mean).as_deref(), Some("-0.55"));
        assert_eq!(shown(&class(&[]), Aggregate::Mean), None);
    }

    #[test]
    fn what_is_lost_is_the_spread_inside_classes() {
        assert_eq!(lost(&[class(&["1", "1"]), class(&["5", "5"])]), Some(0.0));
        assert_eq!(lost(&[class(&["1", "5"]), class(&["1", "5"])]), Some(1.0));
        assert_eq!(lost(&[class(&["3"])]), None);
    }
}

//! ℓ-diversity in all its variants: a file per criterion on the counts of a class, and the wiring here.
//!
//! Machanavajjhala et al., "ℓ-Diversity: Privacy beyond k-anonymity", TKDD 1(1), 2007.

mod distinct;
mod entropy;
mod negative_disclosure;
mod positive_disclosure;
mod recursive;

use distinct::Distinct;
use entropy::Entropy;
use negative_disclosure::NegativeDisclosure;
use positive_disclosure::PositiveDisclosure;
use recursive::Recursive;

use super::{ClassCriterion, Finding, absent};
use crate::VerifyError;
use crate::checks::Release;
use crate::classes::{Classes, Group};
use crate::data::Column;
use crate::json::Node;
use crate::people::Counted;
use crate::types::Type;
use crate::values::Values;

/// The attribute (or attributes) a promise is about, and what came out.
pub(super) fn judge(
    release: &Release<'_>,
    model: &str,
    required: &Node<'_>,
) -> Result<(String, Finding), VerifyError> {
    if model == "multi-attribute-l-diversity" {
        return judge_multi_attribute(release, required);
    }
    let name = required.get("attribute")?.str()?;
    // Parameters are read before the column is looked for: a promise without them is no promise.
    let found = released(release, name);
    let codes = |key: &str| -> Result<Vec<Vec<u32>>, VerifyError> {
        let mut values = required.get(key)?.cells()?;
        values.sort_unstable();
        values.dedup();
        Ok(found.map_or(vec![], |(column, kind)| codes_of(column, kind, &values)))
    };
    let l = required.get("l")?;
    let mut criterion: Box<dyn ClassCriterion> = match model {
        "distinct-l-diversity" => Box::new(Distinct::new(l.u64()?)),
        "entropy-l-diversity" => Box::new(Entropy::new(l.decimal()?)),
        "recursive-l-diversity" => Box::new(Recursive::new(required.get("c")?.decimal()?, l.u64()?)),
        _ => {
            let allowed = codes("allowed")?.concat();
            let positive = PositiveDisclosure::new(required.get("c")?.decimal()?, l.u64()?, allowed);
            if model == "pd-recursive-l-diversity" {
                Box::new(positive)
            } else {
                Box::new(NegativeDisclosure::new(
                    positive,
                    required.get("c2")?.decimal()?,
                    &codes("protected")?,
                ))
            }
        }
    };
    let empty_counts = empty_cells_count(required)?;
    let Some((column, _)) = found else { return Ok((name.to_owned(), absent(name))) };
    let value = |code: u32| empty_counts || column.text(code).is_some();
    release.each_group_of(column, &value, |group| match empty_counts {
        true => criterion.take(group),
        false => {
            let values: Vec<(u32, u64)> =
                group.counts.iter().copied().filter(|&(code, _)| column.text(code).is_some()).collect();
            // Protected values are a share of all rows; everything else is counted among the rows with a value.
            let size = match model {
                "npd-recursive-l-diversity" => group.size,
                _ => values.iter().map(|value| value.1).sum(),
            };
            let represented = group.represented.min(values.len() as u64);
            criterion.take(&Group { first_row: group.first_row, size, counts: &values, represented });
        }
    });
    Ok((name.to_owned(), criterion.finding()))
}

/// Whether an empty cell counts as a value. A promise that does not say it was made where there was none, or before it could be said.
fn empty_cells_count(required: &Node<'_>) -> Result<bool, VerifyError> {
    if required.value.get("missing").is_none() {
        return Ok(true);
    }
    let missing = required.get("missing")?;
    match missing.str()? {
        "value" => Ok(true),
        "no value" => Ok(false),
        _ => Err(missing.bad("must be \"no value\" or \"value\"")),
    }
}

/// For each sensitive attribute the table is ℓ-diverse when the *others* are added to the quasi-identifier.
fn judge_multi_attribute(
    release: &Release<'_>,
    required: &Node<'_>,
) -> Result<(String, Finding), VerifyError> {
    let names = required.get("attributes")?.strings()?;
    let (l, base) = (required.get("l")?, required.get("base")?);
    let mut criterion: Box<dyn ClassCriterion> = match base.str()? {
        "distinct" => Box::new(Distinct::new(l.u64()?)),
        "entropy" => Box::new(Entropy::new(l.decimal()?)),
        "recursive" => Box::new(Recursive::new(required.get("c")?.decimal()?, l.u64()?)),
        _ => return Err(base.bad("must be distinct, entropy or recursive")),
    };
    let subject = names.join(", ");
    let mut columns = Vec::new();
    for name in &names {
        match released(release, name) {
            Some((column, _)) => columns.push(column),
            None => return Ok((subject, absent(name))),
        }
    }
    match release.counted {
        Some(counted) => people_given_the_others(counted, &columns, criterion.as_mut()),
        None => take_each_given_the_others(release.classes, &columns, criterion.as_mut()),
    }
    Ok((subject, criterion.finding()))
}

fn take_each_given_the_others(classes: &Classes, columns: &[&Column], criterion: &mut dyn ClassCriterion) {
    for (index, column) in columns.iter().enumerate() {
        let mut refined: Option<Classes> = None;
        for (other, with) in columns.iter().enumerate() {
            if other != index {
                refined = Some(refined.as_ref().unwrap_or(classes).refined_by(with));
            }
        }
        refined.as_ref().unwrap_or(classes).each_group(column, |group| criterion.take(group));
    }
}

/// The same where people are counted.
fn people_given_the_others(counted: &Counted, columns: &[&Column], criterion: &mut dyn ClassCriterion) {
    for (index, column) in columns.iter().enumerate() {
        let others: Vec<&Column> =
            (0..columns.len()).filter(|&other| other != index).map(|other| columns[other]).collect();
        counted.refined_by(&others).each_group(column, &|_| true, |group| criterion.take(group));
    }
}

/// The codes of each listed value: none if no row shows it, several if it is spelled in several ways.
fn codes_of(column: &Column, kind: Type, values: &[Option<Box<str>>]) -> Vec<Vec<u32>> {
    let listed = Values::new(kind, values.iter().map(|value| value.as_deref()));
    let mut codes = vec![vec![]; values.len()];
    for code in 0..column.codes_in_use() as u32 {
        if let Some(position) = listed.find(column.text(code)) {
            codes[position as usize].push(code);
        }
    }
    codes
}

fn released<'r>(release: &'r Release<'_>, name: &str) -> Option<(&'r Column, Type)> {
    Some((release.data.column(name)?, release.manifest.attribute(name)?.kind))
}

#[cfg(test)]
mod testing {
    use super::*;
    use crate::criteria::Measure;
    use crate::decimal::Decimal;

    pub(super) fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    /// Feeds one class; codes are 1, 2, 3, …
    pub(super) fn take(criterion: &mut dyn ClassCriterion, counts: &[u64]) {
        let counts: Vec<(u32, u64)> = (1..).zip(counts.iter().copied()).collect();
        let size = counts.iter().map(|&(_, count)| count).sum();
        criterion.take(&Group { first_row: 0, size, counts: &counts, represented: counts.len() as u64 });
    }

    /// Whether a single class with these counts passes.
    pub(super) fn holds(mut criterion: impl ClassCriterion, counts: &[u64]) -> bool {
        take(&mut criterion, counts);
        criterion.finding().problems.is_empty()
    }

    pub(super) fn achieved(criterion: &dyn ClassCriterion, key: &str) -> f64 {
        match criterion.finding().achieved.iter().find(|(name, _)| *name == key) {
            Some((_, Measure::Real(value))) => *value,
            other => panic!("no real {key}: {:?}", other.map(|(_, measure)| measure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_values_are_found_in_every_spelling() {
        let dose = Column::of("dose", &[Some("1.0"), None, Some("1"), Some("2")]);
        let values = [Some("2.00".into()), None, Some("7".into())];
        assert_eq!(codes_of(&dose, Type::Decimal, &values), [vec![3], vec![0], vec![]]);
        assert_eq!(codes_of(&dose, Type::Decimal, &[Some("1.00".into())]), [vec![1, 2]]);
    }

    #[test]
    fn excluding_one_value_must_not_disclose_another_attribute() {
        // {(s1,v1),(s1,v2),(s2,v3),(s3,v3)}: each attribute alone has 3 values, yet "not s1" discloses v3.
        let s = Column::of("s", &[Some("s1"), Some("s1"), Some("s2"), Some("s3")]);
        let v = Column::of("v", &[Some("v1"), Some("v2"), Some("v3"), Some("v3")]);
        let block = Classes::by(&[], &[1; 4]);
        for column in [&s, &v] {
            let mut alone = Distinct::new(3);
            take_each_given_the_others(&block, &[column], &mut alone);
            assert!(alone.finding().problems.is_empty());
        }
        let mut together = Distinct::new(2);
        take_each_given_the_others(&block, &[&s, &v], &mut together);
        assert!(!together.finding().problems.is_empty());
    }
}

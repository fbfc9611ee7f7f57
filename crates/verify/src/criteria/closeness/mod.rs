//! t-closeness: no class may be far from the table as a whole.
//!
//! Holds when `D[P, Q] ≤ t` for every class, P being the distribution of the class and Q that of the whole original
//! table, suppressed rows included. A file per distance. Li, Li & Venkatasubramanian, "t-Closeness: Privacy beyond
//! k-anonymity and ℓ-diversity", ICDE 2007.

mod equal;
mod hierarchical;
mod kullback_leibler;
mod ordered;
pub(super) mod reference;

use std::cmp::Ordering;

use equal::equal;
use hierarchical::Tree;
use ordered::Ordered;
use reference::Reference;

use super::{Failures, Finding, Measure, absent};
use crate::checks::Release;
use crate::classes::Group;
use crate::decimal::Decimal;
use crate::fraction::Fraction;
use crate::json::Node;
use crate::{Check, VerifyError};

/// The two answers to one promise.
pub(super) struct Judged {
    pub(super) attribute: String,
    /// Whether the evidence is sound.
    pub(super) reference: Check,
    /// Whether the distances are small.
    pub(super) finding: Finding,
}

/// A class over the positions of the reference: each position at most once, in ascending order.
struct Distribution<'a> {
    counts: &'a [(usize, u64)],
    /// Sum of the counts.
    rows: u64,
}

pub(super) fn judge(
    release: &Release<'_>,
    promise: &Node<'_>,
    required: &Node<'_>,
) -> Result<Judged, VerifyError> {
    let attribute = required.get("attribute")?.str()?.to_owned();
    let t = required.get("t")?.decimal()?;
    let distance = required.get("distance")?;
    let kind = release.manifest.attribute(&attribute).map(|attribute| attribute.kind);
    let reference = Reference::parse(&promise.get("reference")?)?;
    let mut distance = match distance.str()? {
        "equal" | "variation" => Distance::Equal,
        "ordered" => Distance::Ordered(Ordered::new(&reference.counts)),
        "hierarchical" => Distance::Hierarchical(Tree::parse(&promise.get("tree")?, &reference.counts)?),
        "kullback-leibler" => Distance::KullbackLeibler,
        _ => return Err(distance.bad("is no distance of this format")),
    };
    let (Some(column), Some(kind)) = (release.data.column(&attribute), kind) else {
        let finding = absent(&attribute);
        let reference = Check::new("reference", Some(&attribute), &finding.problems, "");
        return Ok(Judged { attribute, reference, finding });
    };
    let located = reference.locate(column, kind);
    let mut problems = match release.manifest.people {
        None => reference.problems(column, &located, release.manifest.input_rows),
        // Rows do not tell how many people showed a value; that the sums fit is taken on trust.
        Some(_) => reference.problems_of_people(&located),
    };
    if let Distance::Hierarchical(tree) = &mut distance {
        problems.extend(tree.problems.take());
    }
    let entries = reference.counts.len();
    let fine = format!(
        "{entries} values, as often as the released rows need and {} rows in all",
        release.manifest.input_rows
    );
    let check = Check::new("reference", Some(&attribute), &problems, fine);
    let mut closeness = Closeness::new(t, distance);
    // A value outside the reference has no distance to anything.
    if reference.is_usable() && located.iter().all(Option::is_some) {
        let mut counts = Vec::new();
        release.each_group(column, |group| {
            located_counts(group, &located, &mut counts);
            closeness.take(&Distribution { counts: &counts, rows: group.size }, &reference, group.first_row);
        });
    } else {
        closeness.unusable = true;
    }
    Ok(Judged { attribute, reference: check, finding: closeness.finding() })
}

/// The counts of a class by position in the reference.
pub(super) fn located_counts(group: &Group<'_>, located: &[Option<usize>], counts: &mut Vec<(usize, u64)>) {
    counts.clear();
    counts.extend(group.counts.iter().filter_map(|&(code, count)| Some((located[code as usize]?, count))));
    counts.sort_unstable();
    counts.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}

enum Distance {
    Equal,
    Ordered(Ordered),
    Hierarchical(Tree),
    KullbackLeibler,
}

struct Closeness {
    t: Decimal,
    /// The nearest double.
    t_real: f64,
    distance: Distance,
    exact: Option<Fraction>,
    real: Option<f64>,
    failures: Failures,
    undecided: Failures,
    unusable: bool,
}

impl Closeness {
    fn new(t: Decimal, distance: Distance) -> Closeness {
        let (failures, undecided) = (Failures::default(), Failures::default());
        let t_real = t.to_f64();
        Closeness { t, t_real, distance, exact: None, real: None, failures, undecided, unusable: false }
    }

    fn take(&mut self, class: &Distribution<'_>, reference: &Reference, first_row: usize) {
        let exact = match &mut self.distance {
            Distance::Equal => equal(class, reference),
            Distance::Ordered(ordered) => ordered.distance(class, reference),
            Distance::Hierarchical(tree) => tree.distance(class, reference),
            Distance::KullbackLeibler => return self.take_divergence(class, reference, first_row),
        };
        self.exact = Some(self.exact.map_or(exact, |greatest| greatest.max(exact)));
        if exact.cmp_decimal(&self.t) == Ordering::Greater {
            self.failures.add(first_row);
        }
    }

    fn take_divergence(&mut self, class: &Distribution<'_>, reference: &Reference, first_row: usize) {
        let (divergence, error) = kullback_leibler::divergence(class, reference);
        self.real = Some(self.real.map_or(divergence, |greatest| greatest.max(divergence)));
        let t = self.t_real;
        // A threshold is off by half a unit in the last place when it becomes a double; an exact zero is exact.
        let margin = if error == 0.0 { 0.0 } else { error + t.abs() * f64::EPSILON };
        if divergence > t + margin {
            self.failures.add(first_row);
        } else if divergence > t - margin && margin > 0.0 {
            self.undecided.add(first_row);
        }
    }

    fn finding(&self) -> Finding {
        let far = self.failures.problem(&format!("farther than {} from the whole table", self.t));
        let unclear = self.undecided.problem("too close to the threshold to be decided");
        let unusable = self.unusable.then(|| "there is no usable reference to compare with".to_owned());
        let greatest = self.exact.map(Fraction::to_f64).or(self.real);
        Finding {
            problems: far.into_iter().chain(unclear).chain(unusable).collect(),
            fine: format!("no class is farther than {} from the whole table", self.t),
            achieved: vec![("t", greatest.map_or(Measure::Nothing, Measure::real))],
        }
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    pub(super) fn reference(counts: &[u64]) -> Reference {
        Reference::of_counts(counts)
    }

    /// The sparse form of a dense vector of counts.
    pub(super) fn sparse(counts: &[u64]) -> Vec<(usize, u64)> {
        counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
    }

    pub(super) fn distribution(counts: &[(usize, u64)]) -> Distribution<'_> {
        Distribution { counts, rows: counts.iter().map(|&(_, count)| count).sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{distribution, reference, sparse};
    use super::*;

    fn holds(t: &str, distance: Distance, class: &[u64], table: &[u64]) -> bool {
        let mut closeness = Closeness::new(Decimal::parse(t).unwrap(), distance);
        closeness.take(&distribution(&sparse(class)), &reference(table), 0);
        closeness.finding().problems.is_empty()
    }

    #[test]
    fn a_class_exactly_at_t_is_close() {
        // Doubles make 0.30000000000000004 of it.
        assert!(holds("0.3", Distance::Equal, &[1, 1], &[3, 12]));
        assert!(holds("0.2", Distance::Equal, &[0, 10], &[3, 12]));
        assert!(!holds("0.3", Distance::Equal, &[2, 1], &[3, 12]), "7/15");
        assert!(!holds("0.3", Distance::Equal, &[3, 2], &[3, 12]), "2/5");
    }

    #[test]
    fn divergence_zero_holds_for_t_zero() {
        assert!(holds("0", Distance::KullbackLeibler, &[1, 4], &[3, 12]));
        assert!(!holds("0", Distance::KullbackLeibler, &[2, 3], &[3, 12]));
        assert!(holds("0.2", Distance::KullbackLeibler, &[1, 1, 1], &[5, 1, 3]));
        assert!(!holds("0.19", Distance::KullbackLeibler, &[1, 1, 1], &[5, 1, 3]));
    }

    #[test]
    fn a_divergence_at_the_threshold_is_a_violation() {
        let (value, _) =
            kullback_leibler::divergence(&distribution(&sparse(&[1, 1, 1])), &reference(&[5, 1, 3]));
        assert!(!holds(&value.to_string(), Distance::KullbackLeibler, &[1, 1, 1], &[5, 1, 3]));
    }

    #[test]
    fn the_same_value_in_two_spellings_is_counted_together() {
        let group = Group { first_row: 0, size: 6, counts: &[(3, 1), (1, 2), (2, 3)], represented: 3 };
        let mut counts = Vec::new();
        located_counts(&group, &[None, Some(4), Some(0), Some(4)], &mut counts);
        assert_eq!(counts, [(0, 3), (4, 3)]);
    }
}

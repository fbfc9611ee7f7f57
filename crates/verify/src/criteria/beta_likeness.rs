//! β-likeness: no value may be much more frequent in a class than in the table as a whole.
//!
//! Holds when `(q − p)/p ≤ β` for every value of every class, q being its share of the class and p that of the whole original table,
//! suppressed rows included; in the enhanced form also `(q − p)/p ≤ −ln p`. Cao & Karras, "Publishing microdata with a robust privacy
//! guarantee", PVLDB 5(11), 2012.

use std::cmp::Ordering;

use super::closeness::located_counts;
use super::closeness::reference::Reference;
use super::{Failures, Finding, Measure, absent};
use crate::checks::Release;
use crate::decimal::Decimal;
use crate::fraction::Fraction;
use crate::json::Node;
use crate::{Check, VerifyError};

/// The column, whether the evidence is sound, and whether the gains are small.
pub(super) fn judge(
    release: &Release<'_>,
    promise: &Node<'_>,
    required: &Node<'_>,
) -> Result<(String, Check, Finding), VerifyError> {
    let attribute = required.get("attribute")?.str()?.to_owned();
    let beta = required.get("beta")?.decimal()?;
    let form = required.get("form")?;
    let enhanced = match form.str()? {
        "enhanced" => true,
        "basic" => false,
        _ => return Err(form.bad("is no form of this format")),
    };
    let kind = release.manifest.attribute(&attribute).map(|attribute| attribute.kind);
    let reference = Reference::parse(&promise.get("reference")?)?;
    let (Some(column), Some(kind)) = (release.data.column(&attribute), kind) else {
        let finding = absent(&attribute);
        let check = Check::new("reference", Some(&attribute), &finding.problems, "");
        return Ok((attribute, check, finding));
    };
    let located = reference.locate(column, kind);
    let problems = match release.manifest.people {
        None => reference.problems(column, &located, release.manifest.input_rows),
        // Rows do not tell how many people showed a value; that the sums fit is taken on trust.
        Some(_) => reference.problems_of_people(&located),
    };
    let fine = format!(
        "{} values, as often as the released rows need and {} rows in all",
        reference.counts.len(),
        release.manifest.input_rows
    );
    let check = Check::new("reference", Some(&attribute), &problems, fine);
    let mut likeness = Likeness::new(beta, enhanced);
    // A value outside the reference has no share of the table.
    if reference.is_usable() && located.iter().all(Option::is_some) {
        let mut counts = Vec::new();
        release.each_group(column, |group| {
            located_counts(group, &located, &mut counts);
            likeness.take(&counts, group.size, &reference.counts, reference.rows, group.first_row);
        });
    } else {
        likeness.unusable = true;
    }
    Ok((attribute, check, likeness.finding()))
}

struct Likeness {
    beta: Decimal,
    enhanced: bool,
    greatest: Option<Fraction>,
    failures: Failures,
    undecided: Failures,
    unusable: bool,
}

impl Likeness {
    fn new(beta: Decimal, enhanced: bool) -> Likeness {
        let (failures, undecided) = (Failures::default(), Failures::default());
        Likeness { beta, enhanced, greatest: None, failures, undecided, unusable: false }
    }

    /// Looks at a class: `counts` by place in the table's list, whose counts sum up to `all`.
    fn take(&mut self, counts: &[(usize, u64)], size: u64, table: &[u64], all: u128, first_row: usize) {
        let (mut fails, mut unclear) = (false, false);
        self.greatest = Some(self.greatest.unwrap_or(Fraction::new(0, 1)));
        for &(at, count) in counts {
            // q / p = (count / size) / (table / all)
            let (here, expected) = (u128::from(count) * all, u128::from(table[at]) * u128::from(size));
            if here <= expected {
                continue;
            }
            let gain = Fraction::new(here - expected, expected);
            self.greatest = self.greatest.map(|greatest| greatest.max(gain));
            fails |= gain.is_infinite() || gain.cmp_decimal(&self.beta) == Ordering::Greater;
            if self.enhanced && !gain.is_infinite() {
                let (gain, most) = (gain.to_f64(), -(table[at] as f64 / all as f64).ln());
                let margin = 8.0 * f64::EPSILON * (1.0 + gain + most);
                fails |= gain > most + margin;
                unclear |= (gain - most).abs() <= margin;
            }
        }
        if fails {
            self.failures.add(first_row);
        } else if unclear {
            self.undecided.add(first_row);
        }
    }

    fn finding(&self) -> Finding {
        let limit = if self.enhanced { " or than the logarithm allows" } else { "" };
        let far = self.failures.problem(&format!("with a value that gains more than {}{limit}", self.beta));
        let unclear = self.undecided.problem("too close to the threshold to be decided");
        let unusable = self.unusable.then(|| "there is no usable reference to compare with".to_owned());
        let greatest = self.greatest.filter(|_| !self.unusable).map(Fraction::to_f64);
        Finding {
            problems: far.into_iter().chain(unclear).chain(unusable).collect(),
            fine: format!("no value gains more than {} in a class", self.beta),
            achieved: vec![("beta", greatest.map_or(Measure::Nothing, Measure::real))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(beta: &str, enhanced: bool, class: &[u64], table: &[u64]) -> bool {
        let counts: Vec<(usize, u64)> =
            class.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect();
        let mut likeness = Likeness::new(Decimal::parse(beta).unwrap(), enhanced);
        let all = table.iter().map(|&count| u128::from(count)).sum();
        likeness.take(&counts, class.iter().sum(), table, all, 0);
        !likeness.finding().problems.is_empty()
    }

    #[test]
    fn a_gain_of_exactly_beta_passes() {
        assert!(!fails("1", false, &[6, 4], &[3, 7]) && fails("0.9999", false, &[6, 4], &[3, 7]));
        // 0.33 / 0.3 − 1 is 0.1, which doubles take for more.
        assert!(!fails("0.1", false, &[33, 67], &[3, 7]) && fails("0.1", false, &[34, 66], &[3, 7]));
        assert!(fails("9", false, &[1, 7], &[0, 7]));
    }

    #[test]
    fn the_enhanced_form_ends_at_the_logarithm() {
        assert!(!fails("1", true, &[8465, 1535], &[5, 5]) && fails("1", true, &[8466, 1534], &[5, 5]));
        assert!(!fails("1", false, &[1, 0], &[5, 5]) && !fails("1", true, &[3], &[5]));
    }
}

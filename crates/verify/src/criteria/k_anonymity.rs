//! Every class has at least k rows, or people where people are counted.
//!
//! Holds when `|E| ≥ k` for every class `E`. Samarati & Sweeney, "Protecting privacy when disclosing information:
//! k-anonymity and its enforcement through generalization and suppression", 1998.

use super::{Failures, Finding, Measure};
use crate::VerifyError;
use crate::checks::Release;
use crate::json::Node;

pub(super) fn judge(release: &Release<'_>, required: &Node<'_>) -> Result<Finding, VerifyError> {
    let of = if release.counted.is_some() { "people" } else { "rows" };
    Ok(finding(release.sizes(), release.first_rows(), of, required.get("k")?.u64()?))
}

fn finding(sizes: &[u64], first_rows: &[usize], of: &str, k: u64) -> Finding {
    let mut failures = Failures::default();
    for (&size, &row) in sizes.iter().zip(first_rows) {
        if size < k {
            failures.add(row);
        }
    }
    let smallest = sizes.iter().min();
    Finding {
        problems: failures.problem(&format!("smaller than {k} {of}")).into_iter().collect(),
        fine: format!("the smallest class has {} {of}, {k} required", smallest.unwrap_or(&0)),
        achieved: vec![("k", smallest.map_or(Measure::Nothing, |&size| Measure::Count(size)))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;
    use crate::data::Column;

    #[test]
    fn the_smallest_class_decides() {
        let age = Column::of("age", &[Some("a"), Some("a"), Some("a"), Some("b"), Some("b")]);
        let classes = Classes::by(&[&age], &[1; 5]);
        let finding = |k| finding(&classes.sizes, &classes.first_rows, "rows", k);
        assert!(finding(1).problems.is_empty() && finding(2).problems.is_empty());
        let three = finding(3);
        assert_eq!(three.problems, ["1 class smaller than 3 rows, first the class of row 4"]);
        assert_eq!(three.achieved, [("k", Measure::Count(2))]);
    }
}

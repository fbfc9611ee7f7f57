//! S3: slicing after slicing, as one.

use crate::operator::{Slice, Slicing};
use crate::rules::outcome::{SOURCE, equivalent, partially, refused, wrong_way};
use crate::rules::patterns::slice::{Groups, different_buckets, different_demands, groups, named, nested, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing after slicing, as one.
#[derive(Debug)]
pub(super) struct SliceAfterSlice;

static CARD: Card = Card {
    id: "S3",
    statement: "α^S_V1(α^S_V2(r)) ⇒ α^S_V(r), V = {A ∩ B ≠ ∅ : A ∈ V1, B ∈ V2}",
    direction: Direction::LeftToRight,
    kind: Kind::EquivalentOrPartially,
    safe: Safe::Yes,
    condition: "equivalent only with the same buckets and an overlap graph without cycles (the groups of V1 and V2, an \
        edge where two share a column); else partially. With the same buckets it is safe, because more \
        association is removed; with different ones the mixing of the inner buckets is lost, and the result must \
        be checked. Groups may not overlap",
    source: SOURCE,
    example: "inner {A}, {BC}, outer {AB}, {C}: {A}, {B}, {C}, 16 results on both sides. Counter-example with a cycle: \
        inner {AC}, {BD}, outer {AB}, {CD}, a bucket of two rows: four results nested, eight direct",
};

impl Rule for SliceAfterSlice {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::RightToLeft {
            return match slice(plan) {
                Some(_) => wrong_way(&CARD, "the inner groups would be lost, and with them what was mixed"),
                None => Ok(Attempt::NoMatch),
            };
        }
        let Some((outer, inner)) = nested(plan) else { return Ok(Attempt::NoMatch) };
        if let Some(why) =
            overlapping(outer).or_else(|| overlapping(inner)).or_else(|| different_demands(outer, inner))
        {
            return refused(why);
        }
        let (first, second) = (groups(outer)?, groups(inner)?);
        let groups = named(&refined(&first, &second), inner.input().schema());
        let plan = Slice::plan(inner.input().clone(), Slicing { groups, ..outer.what().clone() })?;
        if let Some(why) = different_buckets(outer, inner)? {
            return partially(plan, Safe::AfterCheck, format!("every group keeps its values; {why}"));
        }
        match acyclic(&first, &second) {
            true => equivalent(plan, "the buckets are the same and the groups overlap without a cycle"),
            false => partially(
                plan,
                Safe::Yes,
                "the groups overlap in a cycle, which ties their permutations together; the result removes more association",
            ),
        }
    }
}

/// The cells that both partitions make together.
fn refined(first: &Groups, second: &Groups) -> Groups {
    let cells = first.iter().flat_map(|a| second.iter().map(|b| a.intersection(b).copied().collect()));
    cells.filter(|cell: &std::collections::BTreeSet<usize>| !cell.is_empty()).collect()
}

/// Whether the bipartite graph of the groups, with an edge per non-empty cell, is a forest: then the permutations of all cells are
/// independent of each other. Union-find: an edge inside one tree closes a cycle.
fn acyclic(first: &Groups, second: &Groups) -> bool {
    let mut parent: Vec<usize> = (0..first.len() + second.len()).collect();
    let root = |parent: &[usize], mut node: usize| {
        while parent[node] != node {
            node = parent[node];
        }
        node
    };
    for (left, a) in first.iter().enumerate() {
        for (right, b) in second.iter().enumerate() {
            if a.is_disjoint(b) {
                continue;
            }
            let (one, other) = (root(&parent, left), root(&parent, first.len() + right));
            if one == other {
                return false;
            }
            parent[one] = other;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(text: &str) -> Groups {
        text.split(' ')
            .map(|group| group.bytes().map(|column| usize::from(column - b'A')).collect())
            .collect()
    }

    #[test]
    fn the_thesis_example_is_refined_without_a_cycle() {
        let (first, second) = (partition("AB CDE FG"), partition("ABC DE FG"));
        assert_eq!(refined(&first, &second), partition("AB C DE FG"));
        assert!(acyclic(&first, &second));
    }

    #[test]
    fn two_pairs_crosswise_are_a_cycle() {
        assert!(!acyclic(&partition("AB CD"), &partition("AC BD")));
        assert!(!acyclic(&partition("ABC DE"), &partition("AD BE C")));
        assert!(acyclic(&partition("AB C"), &partition("A BC")));
    }

    /// The slow twin: a graph is a forest when it has as many edges as nodes less components.
    #[test]
    fn the_forest_test_agrees_with_counting_edges() {
        let partitions =
            ["ABCD", "ABC D", "AB CD", "AC BD", "AD BC", "A B CD", "A BCD", "A B C D", "AC B D", "BC A D"];
        for (one, other) in partitions.iter().flat_map(|one| partitions.map(|other| (one, other))) {
            let (first, second) = (partition(one), partition(other));
            let edges = refined(&first, &second).len();
            let mut components: Vec<std::collections::BTreeSet<usize>> = first.iter().cloned().collect();
            for group in &second {
                let (touched, mut rest): (Vec<_>, Vec<_>) =
                    components.into_iter().partition(|c| !c.is_disjoint(group));
                rest.push(touched.into_iter().flatten().chain(group.iter().copied()).collect());
                components = rest;
            }
            let forest = edges == first.len() + second.len() - components.len();
            assert_eq!(acyclic(&first, &second), forest, "{one} over {other}");
        }
    }
}

//! Where relations live, and which raw rows a plan lets leave from there.
//!
//! Rows are raw as long as no operator of ours has seen them. A node works where its inputs live; where they live in different places, it works
//! at the one that asks, and raw rows have to travel there. So do raw rows that are the result.

use super::Facts;
use super::estimate::estimated_rows;
use super::place::Place;
use crate::operator::Operator;
use datafusion::logical_expr::LogicalPlan;
use serde::Serialize;
use std::collections::BTreeSet;

/// Where a node works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Site<'a> {
    /// It reads no relation.
    Anywhere,
    /// With whoever asks.
    Asker,
    /// In this place.
    At(&'a str),
}

/// What comes out of a node.
#[derive(Debug, Clone, Copy)]
struct Lives<'a> {
    site: Site<'a>,
    is_raw: bool,
}

/// Raw rows that leave the place where they live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leaving {
    /// The node whose rows they are.
    pub place: Place,
    /// Where they live.
    pub site: String,
    /// The relations that they come from.
    pub relations: Vec<String>,
}

/// Raw rows that leave their places when a plan is carried out, from the root of the plan down.
pub fn leaving(plan: &LogicalPlan, facts: &dyn Facts) -> Vec<Leaving> {
    let mut found = Vec::new();
    let root = below(plan, &Place::root(), facts, &mut |place, node, site| {
        found.push(Leaving { place: place.clone(), site: site.to_owned(), relations: relations(node) });
    });
    if let Lives { site: Site::At(site), is_raw: true } = root {
        found.push(Leaving { place: Place::root(), site: site.to_owned(), relations: relations(plan) });
    }
    found.sort_by(|one, other| one.place.cmp(&other.place));
    found
}

/// Rows × columns of the raw rows that leave their places.
pub(super) fn raw_cells(plan: &LogicalPlan, facts: &dyn Facts) -> u64 {
    let (root, cells) = inside(plan, facts);
    match root {
        Lives { site: Site::At(_), is_raw: true } => cells.saturating_add(cells_of(plan, facts)),
        _ => cells,
    }
}

/// Why a rewrite would let raw rows leave that stay where they are without it.
pub(super) fn objection(before: &LogicalPlan, after: &LogicalPlan, facts: &dyn Facts) -> Option<String> {
    let ((old, were), (new, are)) = (inside(before, facts), inside(after, facts));
    let comes_out = |lives: Lives<'_>| lives.is_raw && matches!(lives.site, Site::At(_));
    (are > were || (comes_out(new) && !comes_out(old)))
        .then(|| "raw rows would leave the place where they live".to_owned())
}

/// What comes out of a node, and the raw cells that leave their places below it.
fn inside<'a>(plan: &LogicalPlan, facts: &'a dyn Facts) -> (Lives<'a>, u64) {
    let mut cells = 0u64;
    let lives = below(plan, &Place::root(), facts, &mut |_, node, _| {
        cells = cells.saturating_add(cells_of(node, facts));
    });
    (lives, cells)
}

/// Calls `leaves` with every node below this one whose raw rows leave their place.
fn below<'a>(
    plan: &LogicalPlan,
    place: &Place,
    facts: &'a dyn Facts,
    leaves: &mut dyn FnMut(&Place, &LogicalPlan, &'a str),
) -> Lives<'a> {
    if let LogicalPlan::TableScan(scan) = plan {
        let site = facts.site(&scan.table_name).map_or(Site::Asker, Site::At);
        return Lives { site, is_raw: true };
    }
    let inputs: Vec<_> = plan
        .inputs()
        .into_iter()
        .enumerate()
        .map(|(position, input)| {
            let place = place.input(position);
            let lives = below(input, &place, facts, leaves);
            (input, place, lives)
        })
        .collect();
    let mut sites = inputs.iter().map(|(.., lives)| lives.site).filter(|site| *site != Site::Anywhere);
    let first = sites.next().unwrap_or(Site::Anywhere);
    let site = if sites.all(|site| site == first) { first } else { Site::Asker };
    for (input, place, lives) in &inputs {
        if let Lives { site: Site::At(own), is_raw: true } = lives
            && lives.site != site
        {
            leaves(place, input, own);
        }
    }
    let is_raw = Operator::of(plan).is_none() && inputs.iter().any(|(.., lives)| lives.is_raw);
    Lives { site, is_raw }
}

fn cells_of(plan: &LogicalPlan, facts: &dyn Facts) -> u64 {
    estimated_rows(plan, facts).saturating_mul(plan.schema().fields().len() as u64)
}

/// Names of the relations below a node.
fn relations(plan: &LogicalPlan) -> Vec<String> {
    fn collect(plan: &LogicalPlan, names: &mut BTreeSet<String>) {
        match plan {
            LogicalPlan::TableScan(scan) => {
                names.insert(scan.table_name.table().to_owned());
            }
            other => other.inputs().into_iter().for_each(|input| collect(input, names)),
        }
    }
    let mut names = BTreeSet::new();
    collect(plan, &mut names);
    names.into_iter().collect()
}

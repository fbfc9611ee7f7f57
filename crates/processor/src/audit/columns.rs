//! Every column of every scan is there for a reason, and every join of the physical plan is on a link.

use super::Verdict;
use super::relation::Scan;
use datafusion::common::{JoinType, NullEquality};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::expressions::Column;
use datafusion::physical_plan::joins::HashJoinExec;
use paravent_policy::{Aggregate, Extent, Rule, Table, Whose};
use std::collections::BTreeSet;

/// What becomes of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// Figures with noise.
    Noisy,
    /// Exact figures, which are held against earlier ones row by row.
    Exact,
    /// Rows.
    Rows,
}

/// Nodes of a physical plan that pass rows on, choose among them, or drop columns.
const HARMLESS: [&str; 4] = ["FilterExec", "ProjectionExec", "CoalesceBatchesExec", "CooperativeExec"];
/// Nodes around a join that bring rows of one key together.
const AROUND_JOINS: [&str; 2] = ["RepartitionExec", "CoalescePartitionsExec"];

/// The columns that the plan reads before the engine leaves some out.
pub(super) fn of_scans(scans: &[Scan<'_>], sight: Sight) -> Verdict {
    scans.iter().try_for_each(|scan| scan.columns.iter().try_for_each(|name| column(name, scan, sight)))
}

/// The plan that is run.
pub(super) fn of_physical(plan: &dyn ExecutionPlan, scans: &[Scan<'_>], sight: Sight) -> Verdict {
    let mut left: Vec<&Scan<'_>> = scans.iter().collect();
    physical(plan, scans, &mut left, sight)
}

fn physical(
    plan: &dyn ExecutionPlan,
    scans: &[Scan<'_>],
    left: &mut Vec<&Scan<'_>>,
    sight: Sight,
) -> Verdict {
    let children = plan.children();
    if children.is_empty() {
        return match plan.name() {
            // A condition that nobody fulfils: nothing is read.
            "EmptyExec" => Ok(()),
            "DataSourceExec" => one_of(plan, left, sight),
            _ => Err("rows from an unknown place"),
        };
    }
    let is_join = scans.len() > 1;
    match plan.downcast_ref::<HashJoinExec>() {
        Some(join) if is_join => on_links(join, scans)?,
        None if HARMLESS.contains(&plan.name()) => {}
        None if is_join && AROUND_JOINS.contains(&plan.name()) => {}
        _ => return Err("an unknown node in the physical plan"),
    }
    children.into_iter().try_for_each(|child| physical(child.as_ref(), scans, left, sight))
}

/// A scan of one of the tables that were not met yet.
fn one_of(plan: &dyn ExecutionPlan, left: &mut Vec<&Scan<'_>>, sight: Sight) -> Verdict {
    let mut why = Err("a table that is read twice");
    for place in 0..left.len() {
        let scan = left[place];
        let schema = plan.schema();
        let fields = || schema.fields().iter().map(|field| field.name());
        why = fields().try_for_each(|field| {
            let own = scan.own(field).ok_or("a column of another table")?;
            column(&own, scan, sight)
        });
        if why.is_ok() && fields().all(|field| scan.fields.contains(field)) {
            left.remove(place);
            return Ok(());
        }
        why = why.and(Err("a scan that reads more than the plan"));
    }
    why
}

/// The keys of a join, by their names in two of the tables.
fn on_links(join: &HashJoinExec, scans: &[Scan<'_>]) -> Verdict {
    let plain = *join.join_type() == JoinType::Inner
        && join.filter().is_none()
        && join.null_equality() == NullEquality::NullEqualsNothing;
    if !plain || join.on().is_empty() {
        return Err("a join of another kind");
    }
    let mut covered = BTreeSet::new();
    for (one, other) in join.on() {
        let (Some(one), Some(other)) = (one.downcast_ref::<Column>(), other.downcast_ref::<Column>()) else {
            return Err("a join on something else than columns");
        };
        let meet = scans.iter().find_map(|left| {
            scans.iter().find_map(|right| {
                let same = link(left.table, one.name()).zip(link(right.table, other.name()));
                let same = same.filter(|(one, other)| left.table.name != right.table.name && one == other);
                same.map(|(one, _)| one)
            })
        });
        covered.insert(meet.ok_or("a join on columns that are no link")?);
    }
    let whole = |scan: &Scan<'_>| person(scan.table).is_subset(&covered);
    match scans.iter().all(whole) {
        true => Ok(()),
        false => Err("a join on part of the person"),
    }
}

/// All columns of the person, as the table that has them calls them.
fn person(table: &Table) -> BTreeSet<(&str, &str)> {
    match &table.whose {
        Whose::Links(links) => links.values().map(|(table, own)| (table.as_str(), own.as_str())).collect(),
        Whose::Person(columns) => {
            columns.iter().map(|column| (table.name.as_str(), column.as_str())).collect()
        }
        Whose::Nobody => BTreeSet::new(),
    }
}

/// The table and the column of the person that a column stands for.
fn link<'t>(table: &'t Table, column: &'t str) -> Option<(&'t str, &'t str)> {
    match &table.whose {
        Whose::Links(links) => links.get(column).map(|(table, column)| (table.as_str(), column.as_str())),
        Whose::Person(_) => is_person(column, table).then_some((table.name.as_str(), column)),
        Whose::Nobody => None,
    }
}

fn column(name: &str, scan: &Scan<'_>, sight: Sight) -> Verdict {
    let Scan { table, rules, .. } = scan;
    if name == "place:" && sight == Sight::Exact {
        return Ok(());
    }
    let kind = name.split_once(':').filter(|(kind, _)| ["group", "filter", "show", "measure"].contains(kind));
    let Some((kind, rest)) = kind else { return raw(name, scan) };
    let (level, of) = match kind {
        "measure" => (None, rest),
        _ => {
            let (level, of) = rest.split_once(':').ok_or("a column of no known use")?;
            (Some(on_unit(kind, level, of, rules)?), of)
        }
    };
    let own: Vec<&&Rule> =
        rules.iter().filter(|rule| rule.columns.iter().any(|column| column == of)).collect();
    if own.iter().any(|rule| rule.claim.deny) {
        return Err("a column that is denied");
    }
    if is_person(of, table) {
        return Err("the person among the labels");
    }
    let Some(level) = level else {
        let has_unit = rules.iter().any(|rule| rule.rows.times.contains_key(of));
        return if has_unit { Err("figures of times whose unit a rule says") } else { Ok(()) };
    };
    let mut granted = false;
    for rule in own {
        let extent = match kind {
            "group" => rule.claim.group,
            "show" => rule.claim.show,
            _ => rule.claim.filter,
        };
        match extent {
            Some(Extent::Denied) => return Err("a use that is denied"),
            Some(Extent::From(least)) if level < least => return Err("labels below the level of a rule"),
            Some(Extent::From(_)) => granted = true,
            None => {}
        }
    }
    if !granted {
        return Err("a use that no rule grants");
    }
    if sight == Sight::Rows {
        return Ok(());
    }
    let mut figures = rules
        .iter()
        .filter(|rule| rule.columns.iter().any(|column| column == of))
        .filter_map(|rule| rule.claim.aggregate.as_ref())
        .peekable();
    if figures.peek().is_none() || figures.any(|figures| !figures.contains(&Aggregate::Count)) {
        return Err("rows counted by a column whose rules do not allow it");
    }
    Ok(())
}

/// The level of labels; 0 for times, which are no finer than any rule says.
fn on_unit(kind: &str, written: &str, of: &str, rules: &[&Rule]) -> Result<u8, &'static str> {
    let units = ["day", "month", "quarter", "year"];
    let place = |unit: &str| units.iter().position(|known| *known == unit);
    let asked = rules.iter().filter_map(|rule| rule.rows.times.get(of));
    let finest = asked.map(|grain| place(&grain.to_string())).max();
    match (place(written), finest) {
        (Some(own), Some(Some(finest))) if kind != "show" && own >= finest => Ok(0),
        (None, None) => written.parse::<u8>().map_err(|_| "a level that is no number"),
        _ => Err("times that are finer than a rule allows"),
    }
}

/// A column as it is: the person, or what a condition of the policy names.
fn raw(name: &str, scan: &Scan<'_>) -> Verdict {
    match is_person(name, scan.table) || scan.raw.contains(name) {
        true => Ok(()),
        false => Err("a column as it is, without a reason"),
    }
}

fn is_person(column: &str, table: &Table) -> bool {
    match &table.whose {
        Whose::Nobody => false,
        Whose::Person(columns) => columns.iter().any(|own| own == column),
        Whose::Links(links) => links.contains_key(column),
    }
}

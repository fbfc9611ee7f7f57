//! A second look at the finished plan, before anything is paid or read.
//!
//! Nothing of the code that made the plan is used here, and nothing that combines rules: every rule that concerns the recipient is held
//! against the plan by itself. A plan passes if each of them lets it pass, and each use is granted by at least one.
//!
//! What it looks at: the guard at the root with its ε, δ, contribution and bounds, or the threshold of exact figures and the recipient's trust; that
//! below the guard stand selections over one scan and nothing else; that every condition of the policy is among the selections; the columns of
//! every scan of the physical plan.
//! What it cannot see is which rows of single people were left out of the table in memory.

use datafusion::common::DFSchema;
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use paravent_algebra::operator::{Bounded, Measure, Operator, PrivateAggregate};
use paravent_job::{DecimalText, Model};
use paravent_policy::{Aggregate, Domain, Extent, Means, Policy, Rule, Table, Trust, Whose};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who asks about which table.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The recipient.
    pub role: &'a str,
    /// What for.
    pub purpose: &'a str,
    /// The table.
    pub table: &'a str,
}

/// What the auditor found.
type Verdict = Result<(), &'static str>;

/// Nodes of a physical plan that pass rows on, choose among them, or drop columns.
const HARMLESS: [&str; 4] = ["FilterExec", "ProjectionExec", "CoalesceBatchesExec", "CooperativeExec"];

/// What is worked out of exact figures, and what they keep.
#[derive(Clone, Debug)]
pub struct ExactFigures {
    /// The figures; counts have no column.
    pub figures: Vec<(Aggregate, Option<String>)>,
    /// Fewest people.
    pub people: u32,
    /// Largest share of one person.
    pub dominance: Option<DecimalText>,
    /// Most rows of a person.
    pub contribution: u32,
}

/// Holds the plan of noisy figures against the rules.
///
/// # Errors
/// What is wrong with it. Nothing may be run then.
pub fn audit(
    case: Case<'_>,
    plan: &LogicalPlan,
    physical: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Verdict {
    let (table, rules) = concerning(case)?;
    let Some(Operator::Private(guard)) = Operator::of(plan) else { return Err("no guard at the root") };
    the_guard(guard, table, &rules)?;
    let raw = selections(guard.input(), case, &rules, state)?;
    scans(physical.as_ref(), &Look { table, rules: &rules, raw: &raw, is_exact: false, shows_rows: false })
}

/// Holds the rows that exact figures are taken of, and their threshold, against the rules.
///
/// # Errors
/// What is wrong with them. Nothing may be run then.
pub fn audit_exact(
    case: Case<'_>,
    exact: &ExactFigures,
    relation: &LogicalPlan,
    physical: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Verdict {
    let (table, rules) = concerning(case)?;
    let trusted =
        case.policy.recipients.iter().any(|one| one.role == case.role && one.trust != Trust::Untrusted);
    if !trusted {
        return Err("exact figures for somebody who is not trusted");
    }
    if exact.contribution > table.contribution {
        return Err("more rows of a person than the policy lets count");
    }
    let demands: Vec<_> =
        case.policy.demands.iter().filter(|(of, _)| of == case.table).map(|(_, demand)| demand).collect();
    let mut least = demands.iter().filter_map(|demand| demand.min_people).peekable();
    if least.peek().is_none() || least.any(|least| exact.people < least) {
        return Err("exact figures about fewer people than demanded");
    }
    let larger = |most: &DecimalText| exact.dominance.as_ref().is_none_or(|share| share > most);
    if demands.iter().filter_map(|demand| demand.dominance.as_ref()).any(larger) {
        return Err("a larger share of one person than demanded");
    }
    let used: Vec<String> = relation.schema().fields().iter().map(|field| field.name().clone()).collect();
    if rules.iter().filter(|rule| concerns(rule, &used)).any(|rule| rule.claim.noise.is_some()) {
        return Err("exact figures where a rule asks for noise");
    }
    for (figure, column) in &exact.figures {
        match column {
            Some(column) => allowed(*figure, column, &rules)?,
            None => counted(&used, &rules)?,
        }
    }
    let raw = selections(relation, case, &rules, state)?;
    scans(physical.as_ref(), &Look { table, rules: &rules, raw: &raw, is_exact: true, shows_rows: false })
}

/// What rows keep.
#[derive(Clone, Debug)]
pub struct ShownRows {
    /// Fewest people of a class.
    pub k: u32,
    /// The models.
    pub models: Vec<Model>,
    /// Columns that stay together, if rows are sliced.
    pub together: Vec<Vec<String>>,
}

/// Holds the rows that are shown, and what they keep, against the rules.
///
/// # Errors
/// What is wrong with them. Nothing may be run then.
pub fn audit_rows(
    case: Case<'_>,
    rows: &ShownRows,
    relation: &LogicalPlan,
    physical: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Verdict {
    let (table, rules) = concerning(case)?;
    let used: Vec<String> = relation.schema().fields().iter().map(|field| field.name().clone()).collect();
    if rules.iter().filter(|rule| concerns(rule, &used)).any(|rule| rule.claim.noise.is_some()) {
        return Err("rows where a rule asks for noise");
    }
    let shown = |column: &str| {
        used.iter().any(|name| {
            name.strip_prefix("show:")
                .and_then(|rest| rest.split_once(':'))
                .is_some_and(|(_, own)| own == column)
        })
    };
    let mut demanded = false;
    for (_, demand) in case.policy.demands.iter().filter(|(of, _)| of == case.table) {
        if demand.min_people.is_some_and(|least| rows.k < least) {
            return Err("rows of fewer people than demanded");
        }
        for model in &demand.models {
            demanded = true;
            let kept = match model {
                Model::KAnonymity(demanded) => rows.k >= demanded.k,
                other => rows.models.contains(other) || !other.attributes().into_iter().all(shown),
            };
            if !kept {
                return Err("rows without a model that is demanded");
            }
        }
    }
    if !demanded {
        return Err("rows of which nothing is demanded");
    }
    slices(case, rows)?;
    let raw = selections(relation, case, &rules, state)?;
    scans(physical.as_ref(), &Look { table, rules: &rules, raw: &raw, is_exact: false, shows_rows: true })
}

/// Rows are sliced only for an analysis of the recipient, where every demand has that among its means and asks for nothing that it cannot keep.
fn slices(case: Case<'_>, rows: &ShownRows) -> Verdict {
    let for_somebody_else = |columns: &Vec<String>| {
        !case.policy.analyses.iter().any(|analysis| {
            analysis.whom.role.as_deref().is_none_or(|role| role == case.role)
                && analysis.whom.purpose.as_deref().is_none_or(|purpose| purpose == case.purpose)
                && analysis.regression.contains(columns)
        })
    };
    if rows.together.iter().any(for_somebody_else) {
        return Err("columns kept together that no analysis of the recipient needs");
    }
    let mut own = case.policy.demands.iter().filter(|(of, _)| of == case.table).map(|(_, demand)| demand);
    let cannot = own.any(|demand| {
        demand.operators.as_ref().is_some_and(|means| !means.contains(&Means::Slice))
            || !demand
                .models
                .iter()
                .all(|model| matches!(model, Model::KAnonymity(_) | Model::DistinctLDiversity(_)))
    });
    match !rows.together.is_empty() && cannot {
        true => Err("slices where a demand does not allow them"),
        false => Ok(()),
    }
}

/// The table, and the rules that concern it and the recipient.
fn concerning(case: Case<'_>) -> Result<(&Table, Vec<&Rule>), &'static str> {
    let Some(table) = case.policy.tables.iter().find(|table| table.name == case.table) else {
        return Err("an unknown table");
    };
    let rules: Vec<&Rule> = case
        .policy
        .rules
        .iter()
        .filter(|rule| rule.table == case.table)
        .filter(|rule| rule.whom.role.as_deref().is_none_or(|role| role == case.role))
        .filter(|rule| rule.whom.purpose.as_deref().is_none_or(|purpose| purpose == case.purpose))
        .collect();
    if rules.iter().any(|rule| rule.columns.is_empty() && rule.claim.deny) {
        return Err("a table that is denied");
    }
    Ok((table, rules))
}

/// Whether a rule is about rows, or about a column that was read.
fn concerns(rule: &Rule, used: &[String]) -> bool {
    let names = |own: &String| {
        used.iter().any(|name| {
            name.split_once(':').is_some_and(|(_, rest)| rest == own || rest.ends_with(&format!(":{own}")))
        })
    };
    rule.columns.is_empty() || rule.columns.iter().any(names)
}

/// Rows that are counted as a whole need a rule about rows.
fn counted(used: &[String], rules: &[&Rule]) -> Verdict {
    if used.iter().any(|name| name.starts_with("group:") || name.starts_with("filter:")) {
        return Ok(());
    }
    let about_rows = rules.iter().filter(|rule| rule.columns.is_empty());
    let mut named = about_rows.filter_map(|rule| rule.claim.aggregate.as_ref()).peekable();
    match named.peek().is_some() && named.all(|figures| figures.contains(&Aggregate::Count)) {
        true => Ok(()),
        false => Err("rows counted as a whole, which no rule allows"),
    }
}

fn allowed(figure: Aggregate, column: &str, rules: &[&Rule]) -> Verdict {
    let own = rules.iter().filter(|rule| rule.columns.iter().any(|own| own == column));
    let mut named = own.filter_map(|rule| rule.claim.aggregate.as_ref()).peekable();
    match named.peek().is_some() && named.all(|figures| figures.contains(&figure)) {
        true => Ok(()),
        false => Err("a figure that a rule does not allow"),
    }
}

/// ε, δ, contribution and bounds.
fn the_guard(guard: &PrivateAggregate, table: &Table, rules: &[&Rule]) -> Verdict {
    let what = guard.what();
    if what.contribution > table.contribution {
        return Err("more rows of a person than the policy lets count");
    }
    let epsilon = DecimalText::new(&what.epsilon).map_err(|_| "an ε that is no number")?;
    let delta = match &what.delta {
        Some(delta) => DecimalText::new(delta).map_err(|_| "a δ that is no number")?,
        None => DecimalText::from(0),
    };
    // Below the guard only rows are chosen, so its input has every column that was read.
    let used: Vec<String> =
        guard.input().schema().fields().iter().map(|field| field.name().clone()).collect();
    let uses = |rule: &&&Rule| concerns(rule, &used);
    let mut noises = rules.iter().filter(uses).filter_map(|rule| rule.claim.noise.as_ref()).peekable();
    if noises.peek().is_none() {
        return Err("noise that no rule speaks of");
    }
    if noises.any(|noise| epsilon > noise.epsilon || delta > noise.delta) {
        return Err("less noise than a rule asks for");
    }
    for measure in &what.measures {
        let (figure, of) = match measure {
            Measure::Count => {
                counted(&used, rules)?;
                continue;
            }
            Measure::Sum(of) => (Aggregate::Sum, of),
            Measure::Mean(of) => (Aggregate::Avg, of),
        };
        let column =
            of.column.name.strip_prefix("measure:").ok_or("a figure of something else than a measure")?;
        allowed(figure, column, rules)?;
        bounds(of, table.domain.get(column))?;
    }
    Ok(())
}

fn bounds(of: &Bounded, domain: Option<&Domain>) -> Verdict {
    let Some(Domain::Range { min, max, .. }) = domain else { return Err("a figure without declared bounds") };
    let scale = 10_i128.pow(u32::from(of.decimals.min(12)));
    let one = DecimalText::from(1).scaled();
    // bound / scale = declared / 10^12, without a division.
    let same = |bound: i64, declared: &DecimalText| i128::from(bound) * one == declared.scaled() * scale;
    match same(of.lower, min) && same(of.upper, max) {
        true => Ok(()),
        false => Err("other bounds than the declared ones"),
    }
}

/// Below the guard: selections over one scan, the policy's among them. Gives back the columns that the policy's conditions read.
fn selections(
    relation: &LogicalPlan,
    case: Case<'_>,
    rules: &[&Rule],
    state: &SessionState,
) -> Result<BTreeSet<String>, &'static str> {
    let mut predicates: Vec<Expr> = Vec::new();
    let mut node = relation;
    let scan = loop {
        match node {
            LogicalPlan::Filter(filter) => {
                predicates.push(unnormalize_col(filter.predicate.clone()));
                predicates
                    .extend(split_conjunction(&filter.predicate).into_iter().cloned().map(unnormalize_col));
                node = &filter.input;
            }
            LogicalPlan::TableScan(scan) => break scan,
            _ => return Err("something else than selections below the guard"),
        }
    };
    if scan.table_name.table() != case.table || scan.fetch.is_some() {
        return Err("another table, or part of it");
    }
    let schema =
        DFSchema::try_from(scan.source.schema().as_ref().clone()).map_err(|_| "a table without a schema")?;
    let mut raw = BTreeSet::new();
    for text in rules.iter().flat_map(|rule| &rule.rows.conditions) {
        let wanted = state
            .create_logical_expr(text, &schema)
            .map_err(|_| "a condition of the policy whose columns are not there")?;
        raw.extend(wanted.column_refs().into_iter().map(|column| column.name.clone()));
        if !predicates.contains(&unnormalize_col(wanted)) {
            return Err("a condition of the policy is missing");
        }
    }
    Ok(raw)
}

/// What columns of scans are held against.
struct Look<'a> {
    table: &'a Table,
    rules: &'a [&'a Rule],
    /// Columns that the policy's conditions read.
    raw: &'a BTreeSet<String>,
    is_exact: bool,
    shows_rows: bool,
}

/// Every column of every scan is there for a reason.
fn scans(plan: &dyn ExecutionPlan, look: &Look<'_>) -> Verdict {
    let children = plan.children();
    if children.is_empty() {
        return match plan.name() {
            // A condition that nobody fulfils: nothing is read.
            "EmptyExec" => Ok(()),
            "DataSourceExec" => {
                plan.schema().fields().iter().try_for_each(|field| column(field.name(), look))
            }
            _ => Err("rows from an unknown place"),
        };
    }
    if !HARMLESS.contains(&plan.name()) {
        return Err("an unknown node in the physical plan");
    }
    children.into_iter().try_for_each(|child| scans(child.as_ref(), look))
}

fn column(name: &str, look: &Look<'_>) -> Verdict {
    let Look { table, rules, .. } = *look;
    if name == "place:" && look.is_exact {
        return Ok(());
    }
    let kind = name.split_once(':').filter(|(kind, _)| ["group", "filter", "show", "measure"].contains(kind));
    let Some((kind, rest)) = kind else { return raw(name, look) };
    let (level, of) = match kind {
        "measure" => (None, rest),
        _ => {
            let (level, of) = rest.split_once(':').ok_or("a column of no known use")?;
            (Some(level.parse::<u8>().map_err(|_| "a level that is no number")?), of)
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
    let Some(level) = level else { return Ok(()) };
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
    if look.shows_rows {
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

/// A column as it is: the person, or what a condition of the policy names.
fn raw(name: &str, look: &Look<'_>) -> Verdict {
    match is_person(name, look.table) || look.raw.contains(name) {
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

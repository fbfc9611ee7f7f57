//! A second look at the finished plan, before anything is paid or read.
//!
//! Nothing of the code that made the plan is used here, and nothing that combines rules: every rule that concerns the recipient is held
//! against the plan by itself. A plan passes if each of them lets it pass, and each use is granted by at least one.
//!
//! What it looks at: the guard at the root with its ε, δ, contribution and bounds, or the threshold of exact figures and the recipient's trust; that
//! below the guard stand selections over one scan and nothing else, or joins of such relations on the links that the policy declares; that every
//! condition of the policy is among the selections of its table; the columns of every scan of both plans, and the keys of every join.
//! What it cannot see is which rows of single people were left out of the table in memory.

mod columns;
mod relation;

use crate::kept::Form;
use columns::Sight;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use paravent_algebra::operator::{Bounded, Measure, Operator, PrivateAggregate};
use paravent_job::{DecimalText, Model};
use paravent_policy::{Aggregate, Domain, Means, Noise, Policy, Rule, Table, Trust};
use relation::Scan;
use std::sync::Arc;

/// Who asks about which tables.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The recipient.
    pub role: &'a str,
    /// What for.
    pub purpose: &'a str,
    /// The tables.
    pub tables: &'a [&'a str],
    /// How much of an answer leaves: of a part, means leave as sums and numbers of values.
    pub form: Form,
}

/// What the auditor found.
type Verdict = Result<(), &'static str>;

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
    let Some(Operator::Private(guard)) = Operator::of(plan) else { return Err("no guard at the root") };
    let scans = relation::scans(guard.input(), case, state)?;
    the_guard(guard, &scans, case.form)?;
    looked_at(physical, &scans, Sight::Noisy)
}

/// Every column that is read, before and after the engine has planned.
fn looked_at(physical: &Arc<dyn ExecutionPlan>, scans: &[Scan<'_>], sight: Sight) -> Verdict {
    columns::of_scans(scans, sight)?;
    columns::of_physical(physical.as_ref(), scans, sight)
}

/// The one table of rows and of exact figures.
fn alone<'s, 'a>(scans: &'s [Scan<'a>]) -> Result<&'s Scan<'a>, &'static str> {
    match scans {
        [scan] => Ok(scan),
        _ => Err("a join where none is allowed"),
    }
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
    let scans = relation::scans(relation, case, state)?;
    let Scan { table, rules, columns: used, .. } = alone(&scans)?;
    let trusted =
        case.policy.recipients.iter().any(|one| one.role == case.role && one.trust != Trust::Untrusted);
    if !trusted {
        return Err("exact figures for somebody who is not trusted");
    }
    if exact.contribution > table.contribution {
        return Err("more rows of a person than the policy lets count");
    }
    let demands: Vec<_> =
        case.policy.demands.iter().filter(|(of, _)| *of == table.name).map(|(_, demand)| demand).collect();
    let mut least = demands.iter().filter_map(|demand| demand.min_people).peekable();
    if least.peek().is_none() || least.any(|least| exact.people < least) {
        return Err("exact figures about fewer people than demanded");
    }
    let larger = |most: &DecimalText| exact.dominance.as_ref().is_none_or(|share| share > most);
    if demands.iter().filter_map(|demand| demand.dominance.as_ref()).any(larger) {
        return Err("a larger share of one person than demanded");
    }
    if rules.iter().filter(|rule| concerns(rule, used)).any(|rule| rule.claim.noise.is_some()) {
        return Err("exact figures where a rule asks for noise");
    }
    for (figure, column) in &exact.figures {
        match column {
            Some(column) => {
                allowed(*figure, column, rules)?;
                halves(*figure, case.form).map_or(Ok(()), |half| allowed(half, column, rules))?;
            }
            None => counted(used, rules)?,
        }
    }
    looked_at(physical, &scans, Sight::Exact)
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
    let scans = relation::scans(relation, case, state)?;
    let Scan { table, rules, columns: used, .. } = alone(&scans)?;
    if rules.iter().filter(|rule| concerns(rule, used)).any(|rule| rule.claim.noise.is_some()) {
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
    for (_, demand) in case.policy.demands.iter().filter(|(of, _)| *of == table.name) {
        if demand.min_people.is_some_and(|least| rows.k < least) {
            return Err("rows of fewer people than demanded");
        }
        for model in &demand.models {
            demanded = true;
            if model.attributes().into_iter().any(|column| is_chosen_by(used, column)) {
                return Err("rows chosen by a column that a demand protects");
            }
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
    slices(case, table, rows)?;
    looked_at(physical, &scans, Sight::Rows)
}

/// Whether a condition of the question is about a column.
fn is_chosen_by(used: &[String], column: &str) -> bool {
    let of = |name: &String| name.strip_prefix("filter:")?.split_once(':').map(|(_, own)| own == column);
    used.iter().any(|name| of(name) == Some(true))
}

/// Rows are sliced only for an analysis of the recipient, where every demand has that among its means and asks for nothing that it cannot keep.
fn slices(case: Case<'_>, table: &Table, rows: &ShownRows) -> Verdict {
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
    let mut own = case.policy.demands.iter().filter(|(of, _)| *of == table.name).map(|(_, demand)| demand);
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

/// What leaves beside a figure: of a part, the sum behind a mean.
fn halves(figure: Aggregate, form: Form) -> Option<Aggregate> {
    (figure == Aggregate::Avg && form == Form::Part).then_some(Aggregate::Sum)
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
fn the_guard(guard: &PrivateAggregate, scans: &[Scan<'_>], form: Form) -> Verdict {
    let what = guard.what();
    // Each row of a person in one table may stand beside each of the same person in another.
    let most = scans.iter().try_fold(1_u32, |most, scan| most.checked_mul(scan.table.contribution));
    if most.is_none_or(|most| what.contribution > most) {
        return Err("more rows of a person than the policy lets count");
    }
    let epsilon = DecimalText::new(&what.epsilon).map_err(|_| "an ε that is no number")?;
    let delta = match &what.delta {
        Some(delta) => DecimalText::new(delta).map_err(|_| "a δ that is no number")?,
        None => DecimalText::from(0),
    };
    let of_scan = |scan: &Scan<'_>| -> Vec<Noise> {
        let uses = |rule: &&&Rule| concerns(rule, &scan.columns);
        scan.rules.iter().filter(uses).filter_map(|rule| rule.claim.noise.clone()).collect()
    };
    let noises: Vec<Noise> = scans.iter().flat_map(of_scan).collect();
    if noises.is_empty() {
        return Err("noise that no rule speaks of");
    }
    if noises.iter().any(|noise| epsilon > noise.epsilon || delta > noise.delta) {
        return Err("less noise than a rule asks for");
    }
    for measure in &what.measures {
        let (figure, of) = match measure {
            Measure::Count => {
                scans.iter().try_for_each(|scan| counted(&scan.columns, &scan.rules))?;
                continue;
            }
            Measure::Sum(of) => (Aggregate::Sum, of),
            Measure::Mean(of) | Measure::Parts(of) => (Aggregate::Avg, of),
        };
        let own = scans.iter().find_map(|scan| {
            let is_own = of.column.relation.as_ref().is_some_and(|table| table.table() == scan.table.name);
            is_own.then(|| Some((scan, scan.own(&of.column.name)?)))?
        });
        let (scan, name) = own.ok_or("a figure of another table")?;
        let column = name.strip_prefix("measure:").ok_or("a figure of something else than a measure")?;
        allowed(figure, column, &scan.rules)?;
        halves(figure, form).map_or(Ok(()), |half| allowed(half, column, &scan.rules))?;
        bounds(of, scan.table.domain.get(column))?;
    }
    // Rows of a table that nothing is asked of multiply those of the others, so they are counted, too.
    let is_idle = |scan: &&Scan<'_>| !scan.columns.iter().any(|name| name.starts_with("measure:"));
    match scans.len() {
        1 => Ok(()),
        _ => scans.iter().filter(is_idle).try_for_each(|scan| counted(&scan.columns, &scan.rules)),
    }
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

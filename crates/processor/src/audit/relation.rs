//! Below the guard: selections over scans, and joins of those on the links of the policy.

use super::{Case, Verdict};
use datafusion::common::{DFSchema, JoinType, NullEquality};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, Join, LogicalPlan, TableScan};
use paravent_policy::{Policy, Rule, Table, Whose};
use std::collections::BTreeSet;

/// A table that is read.
pub(super) struct Scan<'a> {
    pub(super) table: &'a Table,
    /// The rules that concern it and the recipient.
    pub(super) rules: Vec<&'a Rule>,
    /// Its columns as they are called in a question about this table alone.
    pub(super) columns: Vec<String>,
    /// Its columns as the plan calls them.
    pub(super) fields: BTreeSet<String>,
    /// Columns that the policy's conditions read.
    pub(super) raw: BTreeSet<String>,
    is_joined: bool,
}

impl Scan<'_> {
    /// A column of the plan as it is called in a question about this table alone; none of another table. In a join, labels and measures name their table.
    pub(super) fn own(&self, field: &str) -> Option<String> {
        own(field, &self.table.name, self.is_joined)
    }
}

fn own(field: &str, table: &str, is_joined: bool) -> Option<String> {
    let known = ["group:", "filter:", "show:", "measure:"];
    if !is_joined || !known.iter().any(|kind| field.starts_with(kind)) {
        return Some(field.to_owned());
    }
    let (kind, rest) = field.split_once(':')?;
    let (kind, rest) = match (kind, rest.split_once(':')) {
        ("measure", _) => (kind.to_owned(), rest),
        (_, Some((level, rest))) => (format!("{kind}:{level}"), rest),
        _ => return None,
    };
    let column = rest.strip_prefix(table)?.strip_prefix('.')?;
    Some(format!("{kind}:{column}"))
}

/// Every scan of a relation. The tables are those of the case, each once; the policy's conditions are among the selections of their table.
pub(super) fn scans<'a>(
    relation: &LogicalPlan,
    case: Case<'a>,
    state: &SessionState,
) -> Result<Vec<Scan<'a>>, &'static str> {
    let mut found = Vec::new();
    walk(relation, Vec::new(), case, state, &mut found)?;
    let tables: BTreeSet<&str> = found.iter().map(|scan| scan.table.name.as_str()).collect();
    if tables.len() < found.len() {
        return Err("a table that is joined with itself");
    }
    match tables == case.tables.iter().copied().collect() {
        true => Ok(found),
        false => Err("other tables than asked about"),
    }
}

fn walk<'a>(
    node: &LogicalPlan,
    mut predicates: Vec<Expr>,
    case: Case<'a>,
    state: &SessionState,
    found: &mut Vec<Scan<'a>>,
) -> Verdict {
    match node {
        LogicalPlan::Filter(filter) => {
            predicates.push(unnormalize_col(filter.predicate.clone()));
            predicates.extend(split_conjunction(&filter.predicate).into_iter().cloned().map(unnormalize_col));
            walk(&filter.input, predicates, case, state, found)
        }
        LogicalPlan::Join(join) if case.tables.len() > 1 => {
            on_links(join, case.policy)?;
            // What is asked of joined rows may speak of any table, so it is no selection of one.
            walk(&join.left, Vec::new(), case, state, found)?;
            walk(&join.right, Vec::new(), case, state, found)
        }
        LogicalPlan::TableScan(scan) => {
            found.push(looked_at(scan, &predicates, case, state)?);
            Ok(())
        }
        _ => Err("something else than selections below the guard"),
    }
}

fn looked_at<'a>(
    scan: &TableScan,
    predicates: &[Expr],
    case: Case<'a>,
    state: &SessionState,
) -> Result<Scan<'a>, &'static str> {
    let name = scan.table_name.table();
    if !case.tables.contains(&name) || scan.fetch.is_some() {
        return Err("another table, or part of it");
    }
    let (table, rules) = concerning(case, name)?;
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
    let is_joined = case.tables.len() > 1;
    let fields: BTreeSet<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let columns: Option<Vec<String>> = fields.iter().map(|field| own(field, name, is_joined)).collect();
    let columns = columns.ok_or("a column of another table")?;
    Ok(Scan { table, rules, columns, fields, raw, is_joined })
}

/// A table, and the rules that concern it and the recipient.
fn concerning<'a>(case: Case<'a>, name: &str) -> Result<(&'a Table, Vec<&'a Rule>), &'static str> {
    let Some(table) = case.policy.tables.iter().find(|table| table.name == name) else {
        return Err("an unknown table");
    };
    let rules: Vec<&Rule> = case
        .policy
        .rules
        .iter()
        .filter(|rule| rule.table == name)
        .filter(|rule| rule.whom.role.as_deref().is_none_or(|role| role == case.role))
        .filter(|rule| rule.whom.purpose.as_deref().is_none_or(|purpose| purpose == case.purpose))
        .collect();
    if rules.iter().any(|rule| rule.columns.is_empty() && rule.claim.deny) {
        return Err("a table that is denied");
    }
    Ok((table, rules))
}

/// Two rows are joined only if both are of one person: the keys are the declared links, all of them, and nothing else decides.
fn on_links(join: &Join, policy: &Policy) -> Verdict {
    let plain = join.join_type == JoinType::Inner
        && join.filter.is_none()
        && join.null_equality == NullEquality::NullEqualsNothing;
    if !plain {
        return Err("a join of another kind");
    }
    let mut covered = BTreeSet::new();
    let mut person = None;
    for (left, right) in &join.on {
        let end = |expr: &Expr| match expr {
            Expr::Column(column) => {
                let table = column.relation.as_ref()?.table().to_owned();
                Some((of_person(policy, &table, &column.name)?, table))
            }
            _ => None,
        };
        let (Some((one, left)), Some((other, right))) = (end(left), end(right)) else {
            return Err("a join on a column that is no link");
        };
        if one != other || left == right {
            return Err("a join of different people");
        }
        person = Some(one.0.clone());
        covered.insert(one.1);
    }
    let whole = policy.tables.iter().find(|table| Some(&table.name) == person.as_ref());
    match whole.map(|table| &table.whose) {
        Some(Whose::Person(columns)) if columns.iter().all(|column| covered.contains(column)) => Ok(()),
        _ => Err("a join on part of the person"),
    }
}

/// The table and the column of the person that a column stands for.
pub(super) fn of_person(policy: &Policy, table: &str, column: &str) -> Option<(String, String)> {
    let table = policy.tables.iter().find(|known| known.name == table)?;
    match &table.whose {
        Whose::Nobody => None,
        Whose::Person(columns) => {
            columns.iter().any(|own| own == column).then(|| (table.name.clone(), column.to_owned()))
        }
        Whose::Links(links) => links.get(column).cloned(),
    }
}

//! Stage 1 and 2: a statement, read as a question about groups of one table.
//!
//! The forms that are known are few, and every part of the syntax tree is named, so whatever is new is refused: one table, conditions that are
//! joined by AND and compare a column with constants, groups by columns, and figures of groups. No function is called, nothing is computed.

use crate::refusal::Refusal;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments,
    GroupByExpr, Ident, ObjectName, Query, Select, SelectItem, SetExpr, Statement as Sql, TableFactor,
    TableWithJoins, Value,
};
use paravent_algebra::sql::Request;
use paravent_policy::Aggregate;
use std::collections::{BTreeMap, BTreeSet};

/// A question: conditions, groups and figures of one table. Equal questions are written in many ways.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The table.
    pub table: String,
    /// By column: the constants of which it must be one.
    pub conditions: BTreeMap<String, BTreeSet<String>>,
    /// The columns of the groups.
    pub groups: BTreeSet<String>,
    /// The figures.
    pub figures: BTreeSet<Figure>,
    /// The answer's columns, in the order of the statement.
    pub shown: Vec<(String, Shown)>,
    /// Rows were asked for, and their histogram is answered.
    pub is_histogram: bool,
}

/// Constants of conditions may be cells, so they are not shown.
impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("table", &self.table)
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}

/// A figure of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Number of rows.
    Count,
    /// Sum of a column.
    Sum(String),
    /// Mean of a column.
    Avg(String),
}

impl Figure {
    /// The column it is taken of.
    pub fn column(&self) -> Option<&str> {
        match self {
            Figure::Count => None,
            Figure::Sum(column) | Figure::Avg(column) => Some(column),
        }
    }

    /// Its kind.
    pub fn aggregate(&self) -> Aggregate {
        match self {
            Figure::Count => Aggregate::Count,
            Figure::Sum(_) => Aggregate::Sum,
            Figure::Avg(_) => Aggregate::Avg,
        }
    }

    /// What the engine's column is called.
    pub fn name(&self) -> String {
        match self {
            Figure::Count => "count".to_owned(),
            Figure::Sum(column) => format!("sum_{column}"),
            Figure::Avg(column) => format!("mean_{column}"),
        }
    }
}

/// A column of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A column of the groups.
    Group(String),
    /// A figure.
    Figure(Figure),
}

const FORM: &str = "Ask e.g. SELECT sex, count(*) FROM patients WHERE zip = '81***' GROUP BY sex";

fn unknown(what: &str) -> Refusal {
    Refusal::new(format!("{what}: no policy can judge this, so it is refused"), FORM)
}

impl Question {
    /// Reads a statement.
    ///
    /// # Errors
    /// Whatever is not one of the forms that are known, by its name.
    pub fn read(sql: &str) -> Result<Question, Refusal> {
        let request = Request::parse(sql)
            .map_err(|_| Refusal::new("this is no SQL statement that is understood", FORM))?;
        let statement = match request {
            Request::Rows(Statement::Statement(statement)) => statement,
            Request::Rows(_) => return Err(unknown("a statement of this kind")),
            Request::Explain(_) => {
                return Err(Refusal::new("EXPLAIN is not answered", "Use `paravent policy explain`"));
            }
            Request::Set { .. } => return Err(Refusal::new("settings cannot be changed here", FORM)),
        };
        match *statement {
            Sql::Query(query) => of_query(*query),
            _ => Err(Refusal::new(
                "the catalog is not shown",
                "Use `paravent policy explain` to see tables and columns",
            )),
        }
    }

    /// All columns that it uses.
    pub fn columns(&self) -> BTreeSet<&str> {
        let figures = self.figures.iter().filter_map(Figure::column);
        self.conditions.keys().chain(&self.groups).map(String::as_str).chain(figures).collect()
    }
}

fn of_query(query: Query) -> Result<Question, Refusal> {
    let Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    if with.is_some() {
        return Err(unknown("WITH"));
    }
    if order_by.is_some() {
        return Err(Refusal::new("ORDER BY is refused", "Sort the answer where you are"));
    }
    if limit_clause.is_some() || fetch.is_some() {
        return Err(Refusal::new("LIMIT, OFFSET and FETCH are refused", "Ask for the whole answer"));
    }
    if !locks.is_empty()
        || for_clause.is_some()
        || settings.is_some()
        || format_clause.is_some()
        || !pipe_operators.is_empty()
    {
        return Err(unknown("a clause of this kind"));
    }
    match *body {
        SetExpr::Select(select) => of_select(*select),
        SetExpr::SetOperation { .. } => Err(unknown("UNION, EXCEPT and INTERSECT")),
        SetExpr::Values(_) => Err(unknown("VALUES")),
        _ => Err(unknown("a query of this kind")),
    }
}

fn of_select(select: Select) -> Result<Question, Refusal> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into,
        from,
        lateral_views,
        prewhere,
        selection,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    if distinct.is_some() {
        let advice = "Which values occur can tell of one person; ask for counts: SELECT diagnosis, count(*) … GROUP BY diagnosis";
        return Err(Refusal::new("DISTINCT is refused", advice));
    }
    if having.is_some() {
        return Err(Refusal::new("HAVING is refused", "Choose groups from the answer, where you are"));
    }
    if top.is_some() {
        return Err(Refusal::new("TOP is refused", "Ask for the whole answer"));
    }
    let other = !optimizer_hints.is_empty()
        || select_modifiers.is_some()
        || exclude.is_some()
        || into.is_some()
        || !lateral_views.is_empty()
        || prewhere.is_some()
        || !connect_by.is_empty()
        || !cluster_by.is_empty()
        || !distribute_by.is_empty()
        || !sort_by.is_empty()
        || !named_window.is_empty()
        || qualify.is_some()
        || value_table_mode.is_some();
    if other {
        return Err(unknown("a clause of this kind"));
    }
    let names = one_table(&from)?;
    let mut conditions = BTreeMap::new();
    if let Some(selection) = &selection {
        condition(selection, &names, &mut conditions)?;
    }
    let shown = projection.iter().map(|item| item_of(item, &names)).collect::<Result<Vec<_>, _>>()?;
    let grouped = groups(&group_by, &shown, &names)?;
    let asked: BTreeSet<Figure> = shown
        .iter()
        .filter_map(|(_, shown)| match shown {
            Shown::Figure(figure) => Some(figure.clone()),
            Shown::Group(_) => None,
        })
        .collect();
    let columns: BTreeSet<String> = shown
        .iter()
        .filter_map(|(_, shown)| match shown {
            Shown::Group(column) => Some(column.clone()),
            Shown::Figure(_) => None,
        })
        .collect();
    let is_histogram = asked.is_empty();
    // Rows are not answered; how many there are of each kind is.
    let (groups, figures, shown) = match is_histogram {
        true => {
            let groups = columns.into_iter().chain(grouped).collect();
            let count = ("count".to_owned(), Shown::Figure(Figure::Count));
            (groups, BTreeSet::from([Figure::Count]), shown.into_iter().chain([count]).collect())
        }
        false => {
            if let Some(column) = columns.iter().find(|column| !grouped.contains(*column)) {
                let advice = format!("Write GROUP BY {column}, or leave it out");
                return Err(Refusal::new(
                    format!("the column {column} is beside figures and not among the groups"),
                    advice,
                ));
            }
            (grouped, asked, shown)
        }
    };
    Ok(Question { table: names.table, conditions, groups, figures, shown, is_histogram })
}

/// The table, and what its columns may be qualified with.
struct Names {
    table: String,
    alias: String,
}

fn one_table(from: &[TableWithJoins]) -> Result<Names, Refusal> {
    let [TableWithJoins { relation, joins }] = from else {
        return Err(match from.is_empty() {
            true => unknown("a statement without a table"),
            false => unknown("a join"),
        });
    };
    if !joins.is_empty() {
        return Err(unknown("a join"));
    }
    let TableFactor::Table {
        name,
        alias,
        args,
        with_hints,
        version,
        with_ordinality,
        partitions,
        json_path,
        sample,
        index_hints,
    } = relation
    else {
        return Err(unknown("anything but a table in FROM"));
    };
    if args.is_some() {
        return Err(unknown("a function in FROM"));
    }
    let plain = with_hints.is_empty()
        && version.is_none()
        && !with_ordinality
        && partitions.is_empty()
        && json_path.is_none()
        && sample.is_none()
        && index_hints.is_empty();
    if !plain {
        return Err(unknown("a table with options"));
    }
    let ObjectName(parts) = name;
    let [part] = parts.as_slice() else {
        return Err(Refusal::new(
            "the catalog is not shown",
            "Use `paravent policy explain` to see tables and columns",
        ));
    };
    let Some(ident) = part.as_ident() else { return Err(unknown("a table of this kind")) };
    let table = folded(ident);
    let alias = match alias {
        Some(alias) if !alias.columns.is_empty() || alias.at.is_some() => {
            return Err(unknown("an alias of columns"));
        }
        Some(alias) => folded(&alias.name),
        None => table.clone(),
    };
    Ok(Names { table, alias })
}

/// As SQL reads a name: in lower case unless it is quoted.
fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    }
}

fn column(expr: &Expr, names: &Names) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(folded(ident)),
        Expr::CompoundIdentifier(idents) => match idents.as_slice() {
            [table, column] if folded(table) == names.alias => Some(folded(column)),
            _ => None,
        },
        Expr::Nested(inner) => column(inner, names),
        _ => None,
    }
}

fn constant(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            Value::Number(text, false) => Some(text.clone()),
            Value::Boolean(truth) => Some(truth.to_string()),
            _ => None,
        },
        Expr::Nested(inner) => constant(inner),
        _ => None,
    }
}

/// `a = 'x' AND b IN ('y', 'z')`
fn condition(
    expr: &Expr,
    names: &Names,
    found: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<(), Refusal> {
    let mut one_of = |column: String, constants: BTreeSet<String>| {
        let kept = match found.get(&column) {
            Some(earlier) => earlier.intersection(&constants).cloned().collect(),
            None => constants,
        };
        found.insert(column, kept);
    };
    match expr {
        Expr::Nested(inner) => condition(inner, names, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            condition(left, names, found)?;
            condition(right, names, found)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            let sides = match (column(left, names), constant(right)) {
                (Some(column), Some(constant)) => Some((column, constant)),
                _ => column(right, names).zip(constant(left)),
            };
            let Some((column, constant)) = sides else { return Err(other_condition()) };
            one_of(column, BTreeSet::from([constant]));
            Ok(())
        }
        Expr::InList { expr, list, negated: false } => {
            let constants: Option<BTreeSet<String>> = list.iter().map(constant).collect();
            let Some((column, constants)) = column(expr, names).zip(constants) else {
                return Err(other_condition());
            };
            one_of(column, constants);
            Ok(())
        }
        _ => Err(other_condition()),
    }
}

fn other_condition() -> Refusal {
    Refusal::new(
        "a condition of this kind is refused",
        "Conditions compare a column with labels, and AND joins them: zip = '81***' AND age IN ('20-29', '30-39')",
    )
}

fn item_of(item: &SelectItem, names: &Names) -> Result<(String, Shown), Refusal> {
    let (expr, alias) = match item {
        SelectItem::UnnamedExpr(expr) => (expr, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(folded(alias))),
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
            return Err(Refusal::new(
                "* is refused",
                "Name the columns; `paravent policy explain` lists them",
            ));
        }
        SelectItem::ExprWithAliases { .. } => return Err(unknown("several aliases of one column")),
    };
    let shown = match column(expr, names) {
        Some(column) => Shown::Group(column),
        None => Shown::Figure(figure(expr, names)?),
    };
    let name = alias.unwrap_or_else(|| match &shown {
        Shown::Group(column) => column.clone(),
        Shown::Figure(figure) => figure.name(),
    });
    Ok((name, shown))
}

fn figure(expr: &Expr, names: &Names) -> Result<Figure, Refusal> {
    let refused = || {
        Refusal::new(
            "an expression of this kind is refused",
            "Answers have columns of groups, and count(*), sum(column) and avg(column)",
        )
    };
    let Expr::Function(Function {
        name,
        uses_odbc_syntax,
        parameters,
        args,
        filter,
        null_treatment,
        over,
        within_group,
    }) = expr
    else {
        return Err(refused());
    };
    let plain = !uses_odbc_syntax
        && matches!(parameters, FunctionArguments::None)
        && filter.is_none()
        && null_treatment.is_none()
        && within_group.is_empty();
    if over.is_some() {
        return Err(unknown("a window"));
    }
    if !plain {
        return Err(refused());
    }
    let ObjectName(parts) = name;
    let function = match parts.as_slice() {
        [part] => part.as_ident().map(|ident| ident.value.to_lowercase()),
        _ => None,
    };
    let FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses }) = args
    else {
        return Err(refused());
    };
    let ([FunctionArg::Unnamed(argument)], true) = (args.as_slice(), clauses.is_empty()) else {
        return Err(refused());
    };
    match (function.as_deref(), argument) {
        (Some("count"), FunctionArgExpr::Wildcard) => Ok(Figure::Count),
        (Some("count"), FunctionArgExpr::Expr(Expr::Value(value)))
            if matches!(&value.value, Value::Number(..)) =>
        {
            Ok(Figure::Count)
        }
        (Some("sum"), FunctionArgExpr::Expr(of)) => column(of, names).map(Figure::Sum).ok_or_else(refused),
        (Some("avg"), FunctionArgExpr::Expr(of)) => column(of, names).map(Figure::Avg).ok_or_else(refused),
        _ => Err(refused()),
    }
}

fn groups(
    group_by: &GroupByExpr,
    shown: &[(String, Shown)],
    names: &Names,
) -> Result<BTreeSet<String>, Refusal> {
    let GroupByExpr::Expressions(expressions, modifiers) = group_by else {
        return Err(unknown("GROUP BY ALL"));
    };
    if !modifiers.is_empty() {
        return Err(unknown("ROLLUP, CUBE and GROUPING SETS"));
    }
    let mut groups = BTreeSet::new();
    for expr in expressions {
        let place = constant(expr).and_then(|place| place.parse::<usize>().ok()).filter(|&place| place > 0);
        let column = match (column(expr, names), place.and_then(|place| shown.get(place - 1))) {
            (Some(column), _) => column,
            (None, Some((_, Shown::Group(column)))) => column.clone(),
            _ => {
                return Err(Refusal::new(
                    "a group of this kind is refused",
                    "Groups are made by columns: GROUP BY age, sex",
                ));
            }
        };
        groups.insert(column);
    }
    Ok(groups)
}

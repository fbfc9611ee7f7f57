//! The walk over a plan, node by node.

use super::people::bare;
use super::unit::tells_people_apart;
use super::{Mixed, People, Property, Unit};
use crate::operator::Operator;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{
    Expr, Filter, LogicalPlan, Projection, SubqueryAlias, TableScan, Union, try_cast, utils::conjunction,
};
use std::sync::Arc;

/// A walk under way.
pub(super) struct Tracker<'a> {
    pub(super) unit: &'a Unit,
    /// Hidden columns are numbered, so that no two have one name.
    named: usize,
}

impl<'a> Tracker<'a> {
    pub(super) fn new(unit: &'a Unit) -> Tracker<'a> {
        Tracker { unit, named: 0 }
    }

    /// The property of a relation. Every kind of node is named, so that a new one is not let through.
    pub(super) fn relation(&mut self, plan: &LogicalPlan) -> Result<Property, Mixed> {
        row_local(plan)?;
        if plan.schema().fields().iter().any(|field| field.name().starts_with("__paravent_")) {
            return Err(Mixed::new(
                "a column called __paravent_…",
                "such names are kept for whose rows they are",
            ));
        }
        match plan {
            LogicalPlan::TableScan(scan) => self.table(scan),
            LogicalPlan::SubqueryAlias(alias) => match self.relation(&alias.input)? {
                Property::People(people) => renamed(*people, alias).map(Property::from),
                about_nobody => Ok(about_nobody),
            },
            LogicalPlan::Projection(projection) => match self.relation(&projection.input)? {
                Property::People(people) => projected(*people, projection).map(Property::from),
                about_nobody => Ok(about_nobody),
            },
            LogicalPlan::Filter(filter) => self.filtered(filter),
            // The order of rows means nothing to a figure; without a limit it can be left out.
            LogicalPlan::Sort(sort) if sort.fetch.is_none() => self.relation(&sort.input),
            LogicalPlan::Join(join) => self.join(join).map(Property::from),
            LogicalPlan::Union(union) => self.union(union).map(Property::from),
            LogicalPlan::Aggregate(aggregate) => self.grouped(aggregate).map(Property::from),
            LogicalPlan::Window(window) => self.windowed(window).map(Property::from),
            LogicalPlan::Values(_) => Ok(Property::Public("VALUES")),
            LogicalPlan::EmptyRelation(_) => Ok(Property::Public("a SELECT without FROM")),
            LogicalPlan::Extension(_) => operator(plan),
            LogicalPlan::Sort(_) | LogicalPlan::Limit(_) => Err(Mixed::new(
                "LIMIT",
                "which rows are left depends on everybody's; choose rows by a condition on the row itself",
            )),
            LogicalPlan::Distinct(_) => Err(Mixed::new(
                "DISTINCT, or a UNION without ALL",
                "whether a row is left depends on everybody who has the same; GROUP BY the person instead",
            )),
            LogicalPlan::RecursiveQuery(_) => {
                Err(Mixed::new("WITH RECURSIVE", "how often a row comes back is not bounded"))
            }
            LogicalPlan::Unnest(_) => {
                Err(Mixed::new("unnest", "how many rows one person becomes depends on a cell"))
            }
            LogicalPlan::Subquery(_) => {
                Err(Mixed::new("LATERAL", "its rows depend on the rows of the query around it"))
            }
            LogicalPlan::Repartition(_)
            | LogicalPlan::Statement(_)
            | LogicalPlan::Explain(_)
            | LogicalPlan::Analyze(_)
            | LogicalPlan::Dml(_)
            | LogicalPlan::Ddl(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::DescribeTable(_) => {
                Err(Mixed::new("a statement that is no query", "it has no rows of people"))
            }
        }
    }

    /// The people of an input, where nothing else makes sense.
    pub(super) fn of_people(&mut self, plan: &LogicalPlan, above: &str) -> Result<People, Mixed> {
        match self.relation(plan)? {
            Property::People(people) => Ok(*people),
            Property::Public(what) => Err(Mixed::new(
                format!("{above} with {what}"),
                "generated rows belong to nobody and would multiply everybody's; write the values as conditions (IN, CASE)",
            )),
            Property::Released => Err(Mixed::new(
                format!("{above} with an answer of private"),
                "its rows belong to nobody and would multiply everybody's; ask for it first, and write the number down",
            )),
        }
    }

    fn table(&mut self, scan: &TableScan) -> Result<Property, Mixed> {
        let name = scan.table_name.table();
        if name.ends_with("()") {
            return Ok(Property::Public("generated rows (a function in FROM)"));
        }
        if scan.table_name.schema() == Some("information_schema") {
            return Ok(Property::Public("a table of the catalog"));
        }
        if scan.fetch.is_some() || !scan.filters.is_empty() || scan.source.get_logical_plan().is_some() {
            return Err(Mixed::new(format!("the table {name}"), "its scan was changed before"));
        }
        let plan = LogicalPlan::TableScan(scan.clone());
        let Unit::Columns(key) = self.unit else {
            return Ok(Property::from(People {
                plan,
                hidden: Vec::new(),
                visible: Vec::new(),
                most: Some(1),
            }));
        };
        let own = plan.schema().columns();
        let person = key.of_table(name);
        if person.len() != key.columns().len() {
            return Err(Mixed::new(format!("the table {name}"), "its links do not lead to a whole person"));
        }
        let (mut visible, mut texts, mut known, mut hidden) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for column in person {
            let Some(found) = own.iter().find(|own| own.name == *column) else {
                return Err(Mixed::new(
                    format!("the table {name}"),
                    format!(
                        "it has no column {column}, which the job calls the person, so nobody knows whose rows they are"
                    ),
                ));
            };
            let data_type = plan.schema().qualified_field_from_column(found)?.1.data_type().clone();
            if !tells_people_apart(&data_type) {
                return Err(Mixed::new(
                    format!("the table {name}"),
                    format!(
                        "its column {column} has a type ({data_type}) that cannot tell people apart; declare it as text"
                    ),
                ));
            }
            let number = self.named;
            self.named += 1;
            let text = format!("__paravent_person_{number}");
            hidden.push(Column::new_unqualified(text.clone()));
            texts.push(try_cast(Expr::Column(found.clone()), DataType::Utf8).alias(text));
            known.push(Expr::Column(found.clone()).is_not_null());
            visible.push(vec![found.clone()]);
        }
        // Rows without a person are nobody's in particular, so no bound would hold for them.
        let known = conjunction(known).ok_or_else(|| Mixed::new("a person", "the job names no column"))?;
        let plan = LogicalPlan::Filter(Filter::try_new(known, Arc::new(plan))?);
        let all = own.into_iter().map(Expr::Column).chain(texts).collect();
        let plan = LogicalPlan::Projection(Projection::try_new(all, Arc::new(plan))?);
        Ok(Property::from(People { plan, hidden, visible, most: None }))
    }

    fn filtered(&mut self, filter: &Filter) -> Result<Property, Mixed> {
        // FROM a, b WHERE a.id = b.id is a join, with its condition in another place.
        if let LogicalPlan::Join(join) = filter.input.as_ref()
            && let Some(join) = super::join::with_condition(join, &filter.predicate)?
        {
            return self.relation(&LogicalPlan::Join(join));
        }
        match self.relation(&filter.input)? {
            Property::People(people) => {
                let plan =
                    LogicalPlan::Filter(Filter::try_new(filter.predicate.clone(), Arc::new(people.plan))?);
                Ok(Property::from(People { plan, ..*people }))
            }
            about_nobody => Ok(about_nobody),
        }
    }

    fn union(&mut self, union: &Union) -> Result<People, Mixed> {
        let mut parts = Vec::new();
        for input in &union.inputs {
            parts.push((self.of_people(input, "UNION ALL")?, input.schema().columns()));
        }
        let names: Vec<String> = self.unit.columns().iter().map(|_| self.fresh()).collect();
        let mut inputs = Vec::new();
        for (people, columns) in &parts {
            let hidden = people.hidden.iter().zip(&names);
            let hidden = hidden.map(|(column, name)| Expr::Column(column.clone()).alias(name));
            let all = columns.iter().cloned().map(Expr::Column).chain(hidden).collect();
            inputs.push(Arc::new(LogicalPlan::Projection(Projection::try_new(
                all,
                Arc::new(people.plan.clone()),
            )?)));
        }
        let united = LogicalPlan::Union(Union::try_new(inputs)?);
        // The union has names of its own; give back those that the plan above knows.
        let own = united.schema().columns();
        let shown = union.schema.iter().zip(&own).map(|((qualifier, field), column)| {
            Expr::Column(column.clone()).alias_qualified(qualifier.cloned(), field.name())
        });
        let hidden: Vec<Column> = names.into_iter().map(Column::new_unqualified).collect();
        let all = shown.chain(hidden.iter().cloned().map(Expr::Column)).collect();
        let plan = LogicalPlan::Projection(Projection::try_new(all, Arc::new(united))?);
        let everywhere = |key: usize, place: usize| {
            parts.iter().all(|(people, columns)| people.visible[key].contains(&columns[place]))
        };
        let shown = union.schema.columns();
        let visible = (0..hidden.len()).map(|key| {
            let columns = shown.iter().enumerate().filter(|(place, _)| everywhere(key, *place));
            columns.map(|(_, column)| column.clone()).collect()
        });
        let visible = visible.collect();
        let most = parts.iter().try_fold(0u64, |sum, (people, _)| sum.checked_add(people.most?));
        Ok(People { plan, hidden, visible, most })
    }

    /// A name that no hidden column has.
    pub(super) fn fresh(&mut self) -> String {
        self.named += 1;
        format!("__paravent_person_{}", self.named - 1)
    }
}

fn renamed(people: People, alias: &SubqueryAlias) -> Result<People, Mixed> {
    let plan =
        LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(Arc::new(people.plan), alias.alias.clone())?);
    let requalified = |column: &Column| Column::new(Some(alias.alias.clone()), column.name.clone());
    let hidden = people.hidden.iter().map(requalified).collect();
    let visible = people.visible.iter().map(|columns| columns.iter().map(requalified).collect()).collect();
    Ok(People { plan, hidden, visible, most: people.most })
}

fn projected(people: People, projection: &Projection) -> Result<People, Mixed> {
    let all =
        projection.expr.iter().cloned().chain(people.hidden.iter().cloned().map(Expr::Column)).collect();
    let outputs = projection.schema.columns();
    let equal = |columns: &Vec<Column>| {
        let pairs = projection.expr.iter().zip(&outputs);
        let equal =
            pairs.filter(|(expr, _)| matches!(bare(expr), Expr::Column(column) if columns.contains(column)));
        equal.map(|(_, output)| output.clone()).collect()
    };
    let visible = people.visible.iter().map(equal).collect();
    let plan = LogicalPlan::Projection(Projection::try_new(all, Arc::new(people.plan))?);
    Ok(People { plan, visible, ..people })
}

fn operator(plan: &LogicalPlan) -> Result<Property, Mixed> {
    match Operator::of(plan) {
        Some(Operator::Private(_)) => Ok(Property::Released),
        Some(Operator::Generalize(_)) => Err(Mixed::new(
            "generalize",
            "its labels are chosen by looking at everybody; ask private about the table itself",
        )),
        Some(Operator::Slice(_)) => Err(Mixed::new(
            "slice",
            "its rows are glued together of several people's; ask private about the table itself",
        )),
        Some(Operator::Randomize(_)) => Err(Mixed::new(
            "randomize",
            "it fails where a value is not in the domain of its noise, and that is told; ask private about the table itself",
        )),
        None => Err(Mixed::new("an operator of this kind", "nobody knows whose rows it gives out")),
    }
}

/// Expressions that look at more than one row, in nodes where they have no business.
fn row_local(plan: &LogicalPlan) -> Result<(), Mixed> {
    let groups = matches!(plan, LogicalPlan::Aggregate(_) | LogicalPlan::Window(_));
    let mut found: Result<(), Mixed> = Ok(());
    let mut note = |what: &str| {
        let why = "its value depends on the rows of other people";
        if found.is_ok() {
            found = Err(Mixed::new(what, why));
        }
    };
    plan.apply_expressions(|expr| {
        expr.apply(|expr| {
            match expr {
                Expr::ScalarSubquery(_) => note("a subquery as a value"),
                Expr::Exists(_) => note("EXISTS"),
                Expr::InSubquery(_) => note("IN (SELECT …)"),
                Expr::SetComparison(_) => note("ANY or ALL (SELECT …)"),
                Expr::OuterReferenceColumn(..) => note("a column of the query around it"),
                Expr::GroupingSet(_) => note("GROUPING SETS, ROLLUP or CUBE"),
                Expr::AggregateFunction(_) | Expr::WindowFunction(_) if !groups => {
                    note("an aggregate at this place")
                }
                Expr::Placeholder(_) | Expr::ScalarVariable(..) | Expr::Unnest(_) => {
                    note("an expression of this kind")
                }
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    found
}

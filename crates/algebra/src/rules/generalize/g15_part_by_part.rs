//! G15: part by part.

use super::conditions::{
    Condition, TCloseness, enough_rows, has_protected, kept_by_the_result, kept_by_unions, protected,
    require, without_suppression,
};
use super::source;
use crate::rules::outcome::{partially, refused};
use crate::operator::{Generalization, Promise};
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::projection::distinct;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::arrow::datatypes::Field;
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::{LogicalPlan, Union};
use std::sync::Arc;

/// G15: `α^G[X, a](r1 ∪ r2) ≈ α^G[X, a](r1) ∪ α^G[X, a](r2)` when |r1|, |r2| ≥ a, for UNION ALL of any number of parts.
///
/// Each part has classes of at least a rows, and equal labels of several parts only make larger classes. Levels may differ between
/// the parts (Jan next to Q1), and each side can be the finer one. When classes are united, k-anonymity and distinct, entropy and
/// recursive diversity survive. t-closeness does not, since every part was compared with its own distribution; δ-presence and k-map
/// neither, since the population has no one level. Those are refused in both ways, except t-closeness from right to left, where the
/// operator looks at the whole table. With suppression the sides leave out different rows.
///
/// Schema: X and the sensitive columns are found by position, and must have the same names (a name decides the hierarchy) and types
/// in all parts. Neither side costs less: the rule is for parts that live apart.
#[derive(Debug)]
pub(super) struct PartByPart;

static CARD: Card = Card {
    id: "G15",
    statement: "α^G[X, a](r1 ∪ r2) ≈ α^G[X, a](r1) ∪ α^G[X, a](r2)",
    direction: Direction::Both,
    kind: Kind::PartiallyEquivalent,
    safe: Safe::Yes,
    condition: "|r1|, |r2| ≥ a; UNION ALL; k-anonymity and distinct, entropy or recursive diversity only; no suppression.",
    source: source!(
        "t-closeness does not survive, diversity does; \"fine and fine never become coarse\" holds for one column only"
    ),
    example: "k = 2: {01.01., 05.01.} and {14.02., 20.03.} have months and a quarter, their union has the quarter only; {01.01., 14.02.} \
        and {05.01., 20.02.} have quarters, their union has months. With one column, fine parts have a fine union; with two, a part that \
        lifts only the first and a part that lifts only the second may have a union that needs both lifted.",
};

impl Rule for PartByPart {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => split(plan, facts),
            Way::RightToLeft => merge(plan, facts),
        }
    }
}

fn split(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let Some((what, below)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
    if matches!(distinct(below), Some(LogicalPlan::Union(_))) {
        return refused(
            "the union removes duplicates, also those that only generalizing makes; the rule holds for UNION ALL",
        );
    }
    let LogicalPlan::Union(union) = below else { return Ok(Attempt::NoMatch) };
    let parts: Vec<&LogicalPlan> = union.inputs.iter().map(AsRef::as_ref).collect();
    let checked = sound(&what.promise, TCloseness::SeveralTables)
        .and_then(|()| alike(what, &union.schema, &parts))
        .and_then(|()| large_enough(&what.promise, &parts, facts));
    if let Err(because) = checked {
        return refused(because);
    }
    let mut inputs = Vec::new();
    for part in parts {
        let quasi = at_positions(&what.quasi, &union.schema, part.schema());
        inputs.push(Arc::new(generalize(part.clone(), &quasi, &what.promise)?));
    }
    let union = Union { inputs, schema: Arc::clone(plan.schema()) };
    partially(
        LogicalPlan::Union(union),
        Safe::Yes,
        "every part keeps the promise, and equal labels only make larger classes; parts may have different levels",
    )
}

fn merge(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let LogicalPlan::Union(union) = plan else { return Ok(Attempt::NoMatch) };
    let parts: Option<Vec<(&Generalization, &LogicalPlan)>> =
        union.inputs.iter().map(|input| generalized(input)).collect();
    let Some(parts) = parts else { return Ok(Attempt::NoMatch) };
    let Some((first, relation)) = parts.first().copied() else { return Ok(Attempt::NoMatch) };
    let quasi = at_positions(&first.quasi, relation.schema(), &union.schema);
    let same = parts.iter().all(|(what, part)| {
        what.promise == first.promise && at_positions(&what.quasi, part.schema(), &union.schema) == quasi
    });
    if !same {
        return refused("the parts are generalized in different columns or under different promises");
    }
    let what = Generalization { quasi, promise: first.promise.clone() };
    let relations: Vec<&LogicalPlan> = parts.iter().map(|&(_, part)| part).collect();
    let schema = raw_schema(&union.schema, &relations)?;
    let checked = sound(&what.promise, TCloseness::OneTable)
        .and_then(|()| alike(&what, &schema, &relations))
        .and_then(|()| large_enough(&what.promise, &relations, facts));
    if let Err(because) = checked {
        return refused(because);
    }
    let inputs = relations.into_iter().cloned().map(Arc::new).collect();
    let whole = LogicalPlan::Union(Union { inputs, schema: Arc::new(schema) });
    partially(
        generalize(whole, &what.quasi, &what.promise)?,
        Safe::Yes,
        "one level per column for all parts, chosen for all rows together",
    )
}

fn sound(promise: &Promise, t_closeness: TCloseness) -> Condition {
    without_suppression(promise)?;
    kept_by_the_result(promise)?;
    kept_by_unions(promise, t_closeness)
}

/// All parts have the union's columns: the same types, and for X and the sensitive columns the same names.
fn alike(what: &Generalization, schema: &DFSchema, parts: &[&LogicalPlan]) -> Condition {
    let sensitive = protected(&what.promise, schema);
    for part in parts {
        require(part.schema().fields().len() == schema.fields().len(), || {
            "the parts have different numbers of columns".to_owned()
        })?;
        has_protected(&what.promise, part.schema())?;
        let own = part.schema().fields().iter();
        for ((column, field), own) in schema.columns().iter().zip(schema.fields()).zip(own) {
            require(own.data_type() == field.data_type(), || {
                format!("column {:?} has different types in the parts", column.name)
            })?;
            let matters = what.quasi.contains(column) || sensitive.contains(column);
            require(!matters || own.name() == &column.name, || {
                format!("column {:?} has another name in one part, and names decide hierarchies", column.name)
            })?;
        }
    }
    Ok(())
}

fn large_enough(promise: &Promise, parts: &[&LogicalPlan], facts: &dyn Facts) -> Condition {
    parts
        .iter()
        .enumerate()
        .try_for_each(|(position, part)| enough_rows(facts, part, promise, &format!("part {}", position + 1)))
}

/// The columns of another schema at the same positions.
fn at_positions(columns: &[Column], from: &DFSchema, to: &DFSchema) -> Vec<Column> {
    let pairs = from.columns().into_iter().zip(to.columns());
    pairs.filter(|(old, _)| columns.contains(old)).map(|(_, new)| new).collect()
}

/// The columns of a union of the relations, named as in the union of their generalizations.
fn raw_schema(names: &DFSchema, relations: &[&LogicalPlan]) -> Result<DFSchema> {
    let fields = names.iter().enumerate().map(|(position, (qualifier, field))| {
        let own: Vec<&Arc<Field>> =
            relations.iter().filter_map(|relation| relation.schema().fields().get(position)).collect();
        let data_type = own.first().map_or(field.data_type(), |own| own.data_type()).clone();
        let nullable = own.iter().any(|own| own.is_nullable());
        (qualifier.cloned(), Arc::new(Field::new(field.name(), data_type, nullable)))
    });
    DFSchema::new_with_metadata(fields.collect(), names.metadata().clone())
}

//! Conditions that several rules share. Each is either met, or says in words why not.

use crate::operator::Promise;
use crate::rules::Facts;
use crate::rules::notation::names;
use crate::rules::patterns::columns::in_order;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::LogicalPlan;
use paravent_job::Population;
use paravent_job::models::{Kept, Unions};

/// Met, or why not.
pub(super) type Condition = Result<(), String>;

/// Met where it holds.
pub(super) fn require(holds: bool, because: impl FnOnce() -> String) -> Condition {
    if holds { Ok(()) } else { Err(because()) }
}

/// α^G is a function of its input: no clock stops its search, and no column splits its rows into a table and a population.
pub(super) fn is_a_function(promise: &Promise) -> Condition {
    require(promise.search.time_limit().is_none(), || {
        "a search with a time limit may find other levels the next time; write seconds = 0".to_owned()
    })?;
    without_subset(promise)
}

/// No column splits the rows into a table and a population.
///
/// With a subset, α^G releases some of its rows and only counts the others, and a second operator would no longer see them.
pub(super) fn without_subset(promise: &Promise) -> Condition {
    let subset = promise.models.iter().any(|model| matches!(model.population(), Some(Population::Subset(_))));
    require(!subset, || {
        "the promise speaks of a subset of the rows, which moving the operator would change".to_owned()
    })
}

/// All rows show the same level of a column.
pub(super) fn one_level_per_column(promise: &Promise) -> Condition {
    require(!promise.is_local(), || {
        format!(
            "the rule compares levels, and recoding = {} gives every class labels of its own; write recoding = global",
            promise.search.recoding.name()
        )
    })
}

/// No row is left out.
pub(super) fn without_suppression(promise: &Promise) -> Condition {
    require(!promise.may_suppress(), || {
        "rows may be left out, and the two sides would leave out different ones; write suppression = 0"
            .to_owned()
    })
}

/// k-anonymity is all that is promised.
pub(super) fn k_anonymity_only(promise: &Promise) -> Condition {
    require(promise.is_k_anonymity_only(), || {
        format!("the rule is known to hold for k-anonymity only, and this promises {promise}")
    })
}

/// What α^G gives out keeps the same promise when it is looked at as a table of its own.
///
/// Not so for models that count in a population (it is not lifted with the table), and not so for t-closeness once rows were left out: the
/// distribution of the table is then another one.
pub(super) fn kept_by_the_result(promise: &Promise) -> Condition {
    for model in &promise.models {
        let why = match model.card().result {
            Kept::Always => continue,
            Kept::WithoutSuppression(_) if !promise.may_suppress() => continue,
            Kept::WithoutSuppression(why) | Kept::No(why) => why,
        };
        return Err(format!("{} {why}", model.name().name()));
    }
    Ok(())
}

/// Classes that keep the promise keep it when they are united.
///
/// k-anonymity and distinct diversity, because a union has at least as many rows and values; entropy diversity, because entropy is
/// concave; recursive diversity, because the rare values of the parts add up. t-closeness does so only for classes of one table,
/// all compared with the same distribution.
pub(super) fn kept_by_unions(promise: &Promise, t_closeness: TCloseness) -> Condition {
    for model in &promise.models {
        match model.card().unions {
            Unions::Survives => {}
            Unions::OfOneTable if t_closeness == TCloseness::OneTable => {}
            Unions::OfOneTable | Unions::Unknown => {
                return Err(format!(
                    "{} is not known to survive when classes are united",
                    model.name().name()
                ));
            }
        }
    }
    Ok(())
}

/// Whether the classes in question were compared with the same distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TCloseness {
    /// All with that of one table.
    OneTable,
    /// Each part with its own.
    SeveralTables,
}

/// |r| ≥ a, exactly known.
pub(super) fn enough_rows(
    facts: &dyn Facts,
    relation: &LogicalPlan,
    promise: &Promise,
    which: &str,
) -> Condition {
    let k = promise.k();
    match facts.rows(relation) {
        Some(rows) if rows >= u64::from(k) => Ok(()),
        Some(_) => Err(format!("{which} has fewer than k = {k} rows")),
        None => Err(format!("the number of rows is not known: {which} must have at least k = {k}")),
    }
}

/// Every column that the models speak of is exactly one of the schema's.
pub(super) fn has_protected(promise: &Promise, schema: &DFSchema) -> Condition {
    for name in promise.sensitive() {
        let known = schema.fields().iter().filter(|field| field.name() == name).count();
        require(known == 1, || match known {
            0 => format!("column {name:?} is protected by the promise and must stay beside the operator"),
            _ => format!("there are several columns {name:?}, and the promise speaks of one"),
        })?;
    }
    Ok(())
}

/// The columns of the schema that the models speak of.
pub(super) fn protected(promise: &Promise, schema: &DFSchema) -> Vec<Column> {
    let sensitive = promise.sensitive();
    schema.columns().into_iter().filter(|column| sensitive.contains(&column.name.as_str())).collect()
}

/// X stands in the same order on both sides.
pub(super) fn same_order(quasi: &[Column], left: &DFSchema, right: &DFSchema) -> Condition {
    require(in_order(quasi, left) == in_order(quasi, right), || {
        format!(
            "the projection changes the order of [{}], which decides between equally good levels",
            names(quasi)
        )
    })
}

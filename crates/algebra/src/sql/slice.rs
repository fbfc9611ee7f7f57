//! `slice(relation, groups => ((…), (…)), bucket => 50, …)`

use super::call::{Argument, Call};
use super::columns::Columns;
use super::function::{Known, RelationFunction};
use super::generalize::quasi_of_job;
use super::slice_demands::{demands, with_role, without_identifying};
use super::value::Value;
use crate::operator::{Buckets, Generalization, Overlap, Promise, Slice, Slicing};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_job::Role;

const fn argument(name: &'static str, example: &'static str, about: &'static str) -> Argument {
    Argument { name, example, about }
}

/// α^S in FROM.
pub(super) const FUNCTION: RelationFunction = RelationFunction {
    name: "slice",
    about: "column groups, each permuted by itself inside hidden buckets of rows",
    arguments: &[
        argument("groups", "groups => ((age, workclass), (race, sex))", "which columns stay together"),
        argument("bucket", "bucket => 50", "rows of a bucket, at least"),
        argument("buckets", "buckets => 200", "how many buckets"),
        argument("by", "by => ward", "a bucket for every value of a column"),
        argument("within", "within => 5", "the classes of a 5-anonymous generalization as buckets"),
        argument("quasi", "quasi => (age, sex)", "with within: the quasi-identifiers of the classes"),
        argument("minimum", "minimum => 2", "fewest rows of a bucket"),
        argument("l", "l => 3", "fewest different values of every sensitive column in a bucket"),
        argument("sensitive", "sensitive => diagnosis", "the sensitive columns; by default those of the job"),
        argument("merge", "merge => true", "take neighbouring buckets together until each has enough"),
        argument(
            "overlap",
            "overlap => 2",
            "a column may be in several groups; every shared value so often in a bucket",
        ),
        argument(
            "identifying",
            "identifying => ((age, sex, zip))",
            "sets of columns that no group may hold completely",
        ),
        argument("allow_identifying", "allow_identifying => true", "let a group hold them all the same"),
    ],
    plan,
};

fn plan(call: &Call, input: LogicalPlan, known: &Known<'_>) -> Result<LogicalPlan> {
    let groups = groups(call, input.schema())?;
    let buckets = buckets(call, input.schema(), known)?;
    let input = without_identifying(call, input, &groups, known)?;
    let allowed = call.truth("allow_identifying")?;
    let declared = identifying(call, &input, known)?;
    if !allowed {
        refuse_identifying(call, &groups, &buckets, &declared)?;
    }
    refuse_unmixed(call, &groups, &buckets)?;
    let overlap = call.count("overlap", 2)?.map_or(Overlap::Forbidden, |least| Overlap::Allowed { least });
    let least_rows = call.whole("minimum", 2)?.unwrap_or(2);
    let demands = demands(call, &input, &buckets, known)?;
    Slice::plan(input, Slicing { groups, buckets, least_rows, overlap, draw: known.draw(), demands })
}

fn groups(call: &Call, schema: &DFSchema) -> Result<Vec<Vec<Column>>> {
    let Some(value) = call.get("groups") else {
        return Err(
            call.wrong("which columns stay together? Write e.g. groups => ((age, workclass), (race, sex))")
        );
    };
    let place = call.place("groups");
    let columns = Columns { schema, place: &place };
    value.items().into_iter().map(|group| columns.list(group)).collect()
}

fn buckets(call: &Call, schema: &DFSchema, known: &Known<'_>) -> Result<Buckets> {
    let kind = call.exclusive(&["bucket", "buckets", "by", "within"])?;
    call.only_with(&["quasi"], "within", kind == Some("within"))?;
    let place = call.place("by");
    let counted = |number: Option<u64>| number.unwrap_or_default();
    match kind {
        Some("bucket") => Ok(Buckets::Size(counted(call.whole("bucket", 2)?))),
        Some("buckets") => Ok(Buckets::Count(counted(call.whole("buckets", 1)?))),
        Some("by") => {
            let columns = Columns { schema, place: &place };
            let value = call.get("by").map(|value| columns.one(value));
            value.transpose()?.map(Buckets::By).ok_or_else(|| call.wrong("by: a column's name is missing"))
        }
        Some(_) => {
            let k = call.count("within", 2)?.unwrap_or(2);
            let mut quasi = match call.columns("quasi", schema)? {
                Some(columns) => columns,
                None => quasi_of_job(call, schema, known)?,
            };
            quasi.sort_by_key(|column| schema.index_of_column(column).unwrap_or(usize::MAX));
            Ok(Buckets::Classes(Generalization { quasi, promise: Promise::k_anonymity(k) }))
        }
        None => Err(call.wrong(
            "where are rows mixed? Write bucket => 50, buckets => 200, by => a column, or within => 5 with quasi => (…)",
        )),
    }
}

/// Sets of columns that point at a person: those given, or the quasi-identifiers of the job.
fn identifying(call: &Call, input: &LogicalPlan, known: &Known<'_>) -> Result<Vec<Vec<Column>>> {
    let schema = input.schema();
    if let Some(value) = call.get("identifying") {
        let place = call.place("identifying");
        let columns = Columns { schema, place: &place };
        let one_set = !value.items().iter().any(|item| matches!(item, Value::List(_)));
        return match one_set {
            true => Ok(vec![columns.list(value)?]),
            false => value.items().into_iter().map(|set| columns.list(set)).collect(),
        };
    }
    let quasi = with_role(input, known, Role::QuasiIdentifier)?;
    let declared = known.catalog.with_role(Role::QuasiIdentifier).len();
    // A single column that is left of a larger quasi-identifier must be in some group, and alone it points at nobody.
    Ok(match quasi.len() > 1 || (quasi.len() == 1 && declared == 1) {
        true => vec![quasi],
        false => Vec::new(),
    })
}

/// Every bucket gives away the column it is made by, so that each group knows it as well.
fn known_to_all(buckets: &Buckets) -> Option<&Column> {
    match buckets {
        Buckets::By(column) => Some(column),
        Buckets::Count(_) | Buckets::Size(_) | Buckets::Classes(_) => None,
    }
}

/// Groups that differ in nothing but the column the buckets are made by.
fn refuse_unmixed(call: &Call, groups: &[Vec<Column>], buckets: &Buckets) -> Result<()> {
    let Some(by) = known_to_all(buckets) else { return Ok(()) };
    match groups.iter().filter(|group| group.iter().any(|column| column != by)).count() {
        0 | 1 => Err(call.wrong(format!(
            "by: every bucket gives {:?} away, and without it there are no two groups to be mixed: every row would leave as it came; \
             make buckets by another column",
            by.name
        ))),
        _ => Ok(()),
    }
}

fn refuse_identifying(
    call: &Call,
    groups: &[Vec<Column>],
    buckets: &Buckets,
    sets: &[Vec<Column>],
) -> Result<()> {
    let by = known_to_all(buckets);
    for (position, group) in groups.iter().enumerate() {
        let shows = |column: &Column| group.contains(column) || by == Some(column);
        if let Some(set) = sets.iter().find(|set| !set.is_empty() && set.iter().all(shows)) {
            let names: Vec<&str> = set.iter().map(|column| column.name.as_str()).collect();
            let with = match by {
                Some(by) if !group.contains(by) => {
                    format!(" with {}, by which the buckets are made,", by.name)
                }
                _ => String::new(),
            };
            return Err(call.wrong(format!(
                "group {}{with} holds all of {}, which together point at a person; spread them over several groups, leave one out of \
                 the query, or write allow_identifying => true",
                position + 1,
                names.join(", ")
            )));
        }
    }
    Ok(())
}

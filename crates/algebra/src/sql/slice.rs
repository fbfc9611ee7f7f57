//! `slice(relation, groups => ((…), (…)), bucket => 50, …)`

use super::call::{Argument, Call};
use super::columns::Columns;
use super::function::{Known, RelationFunction};
use super::generalize::quasi_of_job;
use super::value::Value;
use crate::operator::{Buckets, Generalization, Overlap, Promise, Slice, Slicing};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_pipeline::job::Role;

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
    let allowed = call.truth("allow_identifying")?;
    let declared = identifying(call, input.schema(), known)?;
    if !allowed {
        refuse_identifying(call, &groups, &declared)?;
    }
    let overlap = call.count("overlap", 2)?.map_or(Overlap::Forbidden, |least| Overlap::Allowed { least });
    let least_rows = call.whole("minimum", 2)?.unwrap_or(2);
    let buckets = buckets(call, input.schema(), known)?;
    Slice::plan(input, Slicing { groups, buckets, least_rows, overlap, draw: known.draw() })
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

/// Sets of columns that point at a person: those given, or the quasi-identifiers and identifying columns of the job.
fn identifying(call: &Call, schema: &DFSchema, known: &Known<'_>) -> Result<Vec<Vec<Column>>> {
    if let Some(value) = call.get("identifying") {
        let place = call.place("identifying");
        let columns = Columns { schema, place: &place };
        let one_set = !value.items().iter().any(|item| matches!(item, Value::List(_)));
        return match one_set {
            true => Ok(vec![columns.list(value)?]),
            false => value.items().into_iter().map(|set| columns.list(set)).collect(),
        };
    }
    let present = |role: Role| {
        let names = known.catalog.with_role(role);
        let columns = schema.columns();
        let there: Vec<Column> =
            columns.into_iter().filter(|column| names.contains(&column.name.as_str())).collect();
        (there, names.len())
    };
    let (names, _) = present(Role::Identifying);
    let mut sets: Vec<Vec<Column>> = names.into_iter().map(|column| vec![column]).collect();
    let (quasi, declared) = present(Role::QuasiIdentifier);
    // A single column that is left of a larger quasi-identifier must be in some group, and alone it points at nobody.
    if quasi.len() > 1 || (quasi.len() == 1 && declared == 1) {
        sets.push(quasi);
    }
    Ok(sets)
}

fn refuse_identifying(call: &Call, groups: &[Vec<Column>], sets: &[Vec<Column>]) -> Result<()> {
    for (position, group) in groups.iter().enumerate() {
        if let Some(set) =
            sets.iter().find(|set| !set.is_empty() && set.iter().all(|column| group.contains(column)))
        {
            let names: Vec<&str> = set.iter().map(|column| column.name.as_str()).collect();
            return Err(call.wrong(format!(
                "group {} holds all of {}, which together point at a person; spread them over several groups, leave one out of \
                 the query, or write allow_identifying => true",
                position + 1,
                names.join(", ")
            )));
        }
    }
    Ok(())
}

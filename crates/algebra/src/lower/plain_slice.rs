//! α^S as a plain plan: the form that another engine can run.
//!
//! ```sql
//! WITH g_j AS (SELECT bucket, ROW_NUMBER() OVER (PARTITION BY bucket ORDER BY paravent_shuffle(j, rank)) AS ord, <columns of group j> FROM ranked)
//! SELECT <columns> FROM g_1 JOIN g_2 USING (bucket, ord) JOIN …
//! ```
//!
//! `ranked` is the relation with a column that numbers its rows; it is read once per group, so it must be a stored table. The shuffle is a function of key, group and
//! rank, so there is one draw however often it is evaluated. Embedded runs use the kernel of the slicing crate, which is much faster; both mean the same.

use super::{Key, LowerError};
use crate::operator::{Buckets, Overlap, Slice};
use datafusion::arrow::array::{FixedSizeBinaryArray, UInt64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DataFusionError, JoinType, Result};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, lit, when,
};
use paravent_slicing::{Operator, Secret, sort_key};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A stored relation whose rows are numbered.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// The relation: the columns of the slicing's input, and the rank.
    pub relation: LogicalPlan,
    /// The column with the numbers 1, 2, 3, … as unsigned integers.
    pub rank: Column,
    /// How many rows there are.
    pub rows: u64,
}

/// The slicing of a ranked relation as a plain plan. The rows come out in no particular order: sort them before they are released.
pub fn plain_slice(node: &Slice, ranked: &Ranked, key: &Key) -> Result<LogicalPlan, LowerError> {
    let what = node.what();
    if what.overlap != Overlap::Forbidden {
        return Err(
            DataFusionError::Plan("slice: groups that share columns have no plain form".to_owned()).into()
        );
    }
    let bucket = bucket(&what.buckets, ranked, what.least_rows)?;
    let mut joined: Option<LogicalPlanBuilder> = None;
    for (number, group) in (0u32..).zip(&what.groups) {
        let shuffle = Shuffle {
            secret: Arc::clone(&key.slicing),
            operator: Operator(what.draw.number()),
            group: number,
            signature: Signature::exact(vec![DataType::UInt64], Volatility::Immutable),
        };
        let order = ScalarUDF::new_from_impl(shuffle).call(vec![Expr::Column(ranked.rank.clone())]);
        let position = row_number()
            .partition_by(vec![Expr::Column(Column::new_unqualified(BUCKET))])
            .order_by(vec![order.sort(true, false)])
            .build()?
            .alias("ord");
        let columns = group.iter().cloned().map(Expr::Column);
        let with_bucket =
            columns.clone().chain([Expr::Column(ranked.rank.clone()), bucket.clone().alias(BUCKET)]);
        let numbered = LogicalPlanBuilder::from(ranked.relation.clone())
            .project(with_bucket.collect::<Vec<_>>())?
            .window(vec![position])?;
        // Columns are numbered inside a group, so that qualifiers do not get in the way.
        let name = group_name(number);
        let keys = [BUCKET, "ord"].map(|key| Expr::Column(Column::new_unqualified(key)));
        let shown = keys
            .into_iter()
            .chain(columns.enumerate().map(|(place, column)| column.alias(format!("c{place}"))));
        let part = numbered.project(shown.collect::<Vec<_>>())?.alias(name.as_str())?;
        joined = Some(match joined {
            None => part,
            Some(before) => {
                let on = |name: &str| vec![Column::new(Some(name), BUCKET), Column::new(Some(name), "ord")];
                before.join(part.build()?, JoinType::Inner, (on(&group_name(0)), on(&name)), None)?
            }
        });
    }
    let plan = joined.ok_or_else(|| DataFusionError::Plan("slice: there is no group".to_owned()))?;
    let shown = node.input().schema().iter().map(|(qualifier, field)| {
        let column = Column::new(qualifier.cloned(), field.name());
        let place =
            what.groups.iter().enumerate().find_map(|(number, group)| {
                Some((number, group.iter().position(|member| *member == column)?))
            });
        let (group, place) = place.unwrap_or_default();
        let own = Column::new(Some(group_name(group as u32)), format!("c{place}"));
        Expr::Column(own).alias_qualified(qualifier.cloned(), field.name())
    });
    Ok(plan.project(shown.collect::<Vec<_>>())?.build()?)
}

const BUCKET: &str = "__paravent_bucket";

fn group_name(number: u32) -> String {
    format!("__paravent_group_{number}")
}

/// The bucket of a row, from its rank: sizes differ by at most one, the larger ones first.
fn bucket(buckets: &Buckets, ranked: &Ranked, least: u64) -> Result<Expr, LowerError> {
    let count = match buckets {
        Buckets::By(column) => return Ok(Expr::Column(column.clone())),
        Buckets::Classes(_) => {
            let problem = "slice: classes of a generalization are columns first; slice by them";
            return Err(DataFusionError::Plan(problem.to_owned()).into());
        }
        Buckets::Count(count) => *count,
        Buckets::Size(rows) => ranked.rows / rows.max(&least),
    };
    if count == 0 || ranked.rows / count < least {
        let problem =
            format!("slice: {} rows are too few for {count} buckets of at least {least}", ranked.rows);
        return Err(DataFusionError::Plan(problem).into());
    }
    let (size, larger) = (ranked.rows / count, ranked.rows % count);
    let place = Expr::Column(ranked.rank.clone()) - lit(1u64);
    let border = larger * (size + 1);
    let among_larger = place.clone() / lit(size + 1);
    let among_smaller = lit(larger) + (place.clone() - lit(border)) / lit(size);
    Ok(when(place.lt(lit(border)), among_larger).otherwise(among_smaller)?)
}

/// `paravent_shuffle(rank)`: a random number per group and row, the same whenever it is asked for.
#[derive(Debug)]
struct Shuffle {
    secret: Arc<Secret>,
    operator: Operator,
    group: u32,
    signature: Signature,
}

impl PartialEq for Shuffle {
    fn eq(&self, other: &Shuffle) -> bool {
        (self.operator, self.group) == (other.operator, other.group)
    }
}

impl Eq for Shuffle {}

impl Hash for Shuffle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.operator, self.group).hash(state);
    }
}

impl ScalarUDFImpl for Shuffle {
    fn name(&self) -> &str {
        "paravent_shuffle"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::FixedSizeBinary(16))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let ranks = arrays.first().and_then(|array| array.as_any().downcast_ref::<UInt64Array>());
        let ranks =
            ranks.ok_or_else(|| DataFusionError::Internal("paravent_shuffle takes a rank".to_owned()))?;
        let keys = ranks.values().iter().map(|&rank| sort_key(&self.secret, self.operator, self.group, rank));
        let keys = FixedSizeBinaryArray::try_from_iter(keys)?;
        Ok(ColumnarValue::Array(Arc::new(keys)))
    }
}

//! `a || b`, which is an operator of the engine and no function: texts are put together only where they fit.

use super::Exceeded;
use super::collect::bytes;
use super::function::LARGEST;
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::kernels::concat_elements::concat_elements_dyn;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Puts the function in place of the operator, where both sides are texts of one type.
#[derive(Debug)]
pub(super) struct BoundedConcat {
    function: Arc<ScalarUDF>,
}

impl Default for BoundedConcat {
    fn default() -> BoundedConcat {
        let signature = Signature::any(2, Volatility::Immutable);
        BoundedConcat { function: Arc::new(ScalarUDF::new_from_impl(Concat { signature })) }
    }
}

impl AnalyzerRule for BoundedConcat {
    fn name(&self) -> &str {
        "bounded_concat"
    }

    /// Runs after types were made to agree.
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let replaced = plan.transform_up_with_subqueries(|node| {
            let schema = Arc::new(joint_schema(&node)?);
            let name = datafusion::logical_expr::expr_rewriter::NamePreserver::new(&node);
            node.map_expressions(|expr| {
                let saved = name.save(&expr);
                let replaced = expr.transform_up(|expr| self.replaced(expr, &schema))?;
                Ok(replaced.update_data(|expr| saved.restore(expr)))
            })
        })?;
        Ok(replaced.data)
    }
}

/// The columns that expressions of a node may read.
fn joint_schema(node: &LogicalPlan) -> Result<DFSchema> {
    let mut schema = DFSchema::empty();
    for input in node.inputs() {
        schema.merge(input.schema());
    }
    if let LogicalPlan::TableScan(scan) = node {
        schema.merge(&scan.projected_schema);
    }
    Ok(schema)
}

impl BoundedConcat {
    fn replaced(&self, expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
        let Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) = expr else {
            return Ok(Transformed::no(expr));
        };
        match (left.get_type(schema), right.get_type(schema)) {
            (Ok(one), Ok(other)) if one == other && is_text(&one) => {
                Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(
                    Arc::clone(&self.function),
                    vec![*left, *right],
                ))))
            }
            _ => {
                Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right })))
            }
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Whether a function stands for `||`.
pub(crate) fn is_concat(function: &ScalarUDF) -> bool {
    (function.inner().as_ref() as &dyn std::any::Any).is::<Concat>()
}

/// Two texts, one after the other; missing where one of them is.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Concat {
    signature: Signature,
}

impl ScalarUDFImpl for Concat {
    fn name(&self) -> &str {
        "paravent_concat"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Utf8))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let size = args.args.iter().try_fold(0u64, |sum, value| -> Result<u64> {
            Ok(sum.saturating_add(match value {
                ColumnarValue::Array(array) => bytes(array) as u64,
                ColumnarValue::Scalar(scalar) => {
                    (bytes(&scalar.to_array()?) as u64).saturating_mul(rows as u64)
                }
            }))
        })?;
        if size > LARGEST {
            return Err(Exceeded::Value.into());
        }
        let arrays: Vec<ArrayRef> =
            args.args.iter().map(|value| value.to_array(rows)).collect::<Result<_>>()?;
        let [left, right] = arrays.as_slice() else {
            return Err(DataFusionError::Internal("|| takes two texts".to_owned()));
        };
        let both = concat_elements_dyn(left, right)?;
        Ok(match constant {
            true => ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&both, 0)?),
            false => ColumnarValue::Array(both),
        })
    }
}

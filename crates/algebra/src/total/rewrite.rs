//! Every expression of a node, made total or refused.

use super::step::Step;
use super::{functions, refused};
use crate::bounded::is_concat;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, ScalarFunction, WindowFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, Operator, Subquery, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition,
};

/// Longer patterns of LIKE are refused, because a pattern can be too large to be tried at all.
const LONGEST_PATTERN: usize = 1_000;
/// Positions and lengths beyond this do not occur.
const LARGEST_CONSTANT: i64 = 1_000_000;

/// The node with total expressions; columns keep their names and types.
pub(super) fn node(plan: LogicalPlan, operator: &str) -> Result<Transformed<LogicalPlan>> {
    match &plan {
        LogicalPlan::Unnest(_) => {
            return Err(refused(operator, "unnest", "how many rows it makes depends on a cell"));
        }
        LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::DescribeTable(_)
        | LogicalPlan::Repartition(_) => {
            return Err(refused(operator, plan.display(), "it is no relation"));
        }
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Values(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::RecursiveQuery(_) => {}
    }
    // What can be missing below can be missing here.
    let plan = plan.recompute_schema()?;
    let schema = merge_schema(&plan.inputs());
    let names = NamePreserver::new(&plan);
    let rewritten = plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let total = expr.transform_up(|expr| expression(expr, &schema, operator))?;
        Ok(total.update_data(|expr| name.restore(expr)))
    })?;
    match rewritten.transformed {
        true => Ok(Transformed::yes(rewritten.data.recompute_schema()?)),
        false => Ok(rewritten),
    }
}

/// One expression whose arguments are total. Every kind is named here, so that a new one is not let through.
fn expression(expr: Expr, schema: &DFSchema, operator: &str) -> Result<Transformed<Expr>> {
    let kept = |expr: Expr| Ok(Transformed::no(expr));
    match expr {
        Expr::Column(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Literal(..)
        | Expr::Alias(_)
        | Expr::Not(_)
        | Expr::Negative(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::InList(_)
        | Expr::Case(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::GroupingSet(_) => kept(expr),
        Expr::BinaryExpr(binary) => {
            let types = (binary.left.get_type(schema)?, binary.right.get_type(schema)?);
            match kind(binary.op) {
                Kind::Total => kept(Expr::BinaryExpr(binary)),
                // Floating-point numbers have infinities and NaN instead of errors.
                Kind::Partial if types.0.is_floating() && types.1.is_floating() => {
                    kept(Expr::BinaryExpr(binary))
                }
                Kind::Partial => Ok(Transformed::yes(Step::binary(*binary.left, binary.op, *binary.right))),
                Kind::Refused => Err(refused(
                    operator,
                    format!("the operator {}", binary.op),
                    "it is not on the list of operators that cannot fail",
                )),
            }
        }
        Expr::Like(like) => match constant(&like.pattern).map(ToString::to_string) {
            Some(pattern) if pattern.len() <= LONGEST_PATTERN => kept(Expr::Like(like)),
            _ => Err(refused(
                operator,
                "LIKE with a pattern of this kind",
                "write the pattern as a text of at most 1000 characters",
            )),
        },
        Expr::Cast(cast) => conversion(*cast.expr, cast.field.data_type().clone(), schema),
        Expr::TryCast(cast) => conversion(*cast.expr, cast.field.data_type().clone(), schema),
        Expr::ScalarFunction(call) => function(call, operator),
        Expr::AggregateFunction(aggregate) => {
            aggregation(&aggregate, schema, operator)?;
            kept(Expr::AggregateFunction(aggregate))
        }
        Expr::WindowFunction(window) => {
            windowed(&window, schema, operator)?;
            kept(Expr::WindowFunction(window))
        }
        Expr::ScalarSubquery(subquery) => single(subquery, operator).map(Transformed::no),
        Expr::SimilarTo(_) => {
            Err(refused(operator, "SIMILAR TO", "patterns of one's own can take any time; use LIKE"))
        }
        other => Err(refused(
            operator,
            other.schema_name(),
            "it is not on the list of expressions that cannot fail",
        )),
    }
}

/// What an operator between two values can do.
enum Kind {
    Total,
    Partial,
    Refused,
}

fn kind(op: Operator) -> Kind {
    match op {
        Operator::Eq
        | Operator::NotEq
        | Operator::Lt
        | Operator::LtEq
        | Operator::Gt
        | Operator::GtEq
        | Operator::And
        | Operator::Or
        | Operator::IsDistinctFrom
        | Operator::IsNotDistinctFrom
        | Operator::BitwiseAnd
        | Operator::BitwiseOr
        | Operator::BitwiseXor => Kind::Total,
        Operator::Plus
        | Operator::Minus
        | Operator::Multiply
        | Operator::Divide
        | Operator::Modulo
        | Operator::StringConcat => Kind::Partial,
        _ => Kind::Refused,
    }
}

fn conversion(value: Expr, to: DataType, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let from = value.get_type(schema)?;
    Ok(match from == to || always_converts(&from, &to) {
        true => Transformed::no(Expr::Cast(datafusion::logical_expr::Cast::new(Box::new(value), to))),
        false => Transformed::yes(Step::cast(value, to)),
    })
}

/// Conversions that have an answer for every value.
fn always_converts(from: &DataType, to: &DataType) -> bool {
    use DataType::{
        Boolean, Float32, Float64, Int8, Int16, Int32, Int64, LargeUtf8, Null, UInt8, UInt16, UInt32, UInt64,
        Utf8, Utf8View,
    };
    let whole = matches!(from, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64);
    match to {
        Utf8 | Utf8View | LargeUtf8 => {
            whole || matches!(from, Boolean | Float32 | Float64 | Utf8 | Utf8View | LargeUtf8 | Null)
        }
        Float64 => whole || matches!(from, Float32 | Null),
        Int64 => matches!(from, Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32 | Null),
        _ => matches!(from, Null),
    }
}

fn function(mut call: ScalarFunction, operator: &str) -> Result<Transformed<Expr>> {
    if Step::is(&call.func) {
        return Ok(Transformed::no(Expr::ScalarFunction(call)));
    }
    // `||` as the analysis leaves it: it stops where texts are too long together, and here each of them is NULL.
    if is_concat(&call.func)
        && let (Some(right), Some(left), true) = (call.args.pop(), call.args.pop(), call.args.is_empty())
    {
        return Ok(Transformed::yes(Step::binary(left, Operator::StringConcat, right)));
    }
    let name = call.func.name().to_owned();
    let Some(known) = functions::scalar(&name) else {
        return Err(refused(
            operator,
            format!("{name}()"),
            "it is not on the list of functions that cannot fail",
        ));
    };
    let bounded = |value: &Expr| match constant(value) {
        Some(number) if number.data_type().is_integer() => number
            .cast_to(&DataType::Int64)
            .is_ok_and(|number| matches!(number, ScalarValue::Int64(Some(n)) if n.abs() <= LARGEST_CONSTANT)),
        Some(_) => true,
        None => false,
    };
    if known.constants.iter().filter_map(|place| call.args.get(*place)).any(|value| !bounded(value)) {
        return Err(refused(
            operator,
            format!("{name}() with computed positions"),
            "write its further arguments as texts and numbers of at most 1000000",
        ));
    }
    Ok(match known.fails {
        true => Transformed::yes(Step::function(call)),
        false => Transformed::no(Expr::ScalarFunction(call)),
    })
}

/// The value of an expression that is written down; a conversion around it changes nothing.
fn constant(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value),
        Expr::Cast(cast) => constant(&cast.expr),
        Expr::TryCast(cast) => constant(&cast.expr),
        Expr::Negative(inner) => constant(inner),
        Expr::ScalarFunction(call) if Step::is(&call.func) && call.args.len() == 1 => constant(&call.args[0]),
        _ => None,
    }
}

fn aggregation(aggregate: &AggregateFunction, schema: &DFSchema, operator: &str) -> Result<()> {
    let name = aggregate.func.name();
    if !functions::is_aggregate(name) {
        return Err(refused(operator, format!("{name}()"), "it is not on the list of aggregates"));
    }
    if !aggregate.params.order_by.is_empty() || aggregate.params.null_treatment.is_some() {
        return Err(refused(
            operator,
            format!("{name}() with an order of its own"),
            "the answer would depend on it",
        ));
    }
    decimal_mean(name, &aggregate.params.args, schema, operator)
}

/// The mean of decimals can be too large for its type.
fn decimal_mean(name: &str, args: &[Expr], schema: &DFSchema, operator: &str) -> Result<()> {
    for value in args {
        if name == "avg" && value.get_type(schema)?.is_decimal() {
            return Err(refused(
                operator,
                "avg() of a decimal",
                "it can be too large for its type; CAST the column to DOUBLE",
            ));
        }
    }
    Ok(())
}

fn windowed(window: &WindowFunction, schema: &DFSchema, operator: &str) -> Result<()> {
    let params = &window.params;
    let name = match &window.fun {
        WindowFunctionDefinition::AggregateUDF(function) => {
            decimal_mean(function.name(), &params.args, schema, operator)?;
            functions::is_aggregate(function.name()).then_some(()).ok_or(function.name())
        }
        WindowFunctionDefinition::WindowUDF(function) => {
            functions::is_window(function.name()).then_some(()).ok_or(function.name())
        }
    };
    if let Err(name) = name {
        return Err(refused(operator, format!("{name}() OVER"), "it is not on the list of window functions"));
    }
    if matches!(window.fun, WindowFunctionDefinition::WindowUDF(_))
        && params.args.iter().skip(1).any(|value| constant(value).is_none())
    {
        return Err(refused(operator, "a computed offset of a window function", "write it as a number"));
    }
    let frame = &params.window_frame;
    let far = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::CurrentRow => false,
        WindowFrameBound::Preceding(by) | WindowFrameBound::Following(by) => !by.is_null(),
    };
    match frame.units != WindowFrameUnits::Rows && (far(&frame.start_bound) || far(&frame.end_bound)) {
        true => Err(refused(
            operator,
            "RANGE or GROUPS with a distance",
            "the distance can be too large for its type; use ROWS",
        )),
        false => Ok(()),
    }
}

/// A subquery as a value has one row at most, whatever the data.
fn single(subquery: Subquery, operator: &str) -> Result<Expr> {
    match subquery.subquery.max_rows() {
        Some(0 | 1) => Ok(Expr::ScalarSubquery(subquery)),
        _ => Err(refused(
            operator,
            "a subquery as a value that can have several rows",
            "take an aggregate in it, or LIMIT 1",
        )),
    }
}

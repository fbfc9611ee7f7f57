//! One step of a computation, with NULL where it fails.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, LargeStringArray, RecordBatch, StringArray, StringViewArray, new_null_array,
};
use datafusion::arrow::compute::{CastOptions, cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::format::DEFAULT_CAST_OPTIONS;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility, expr::ScalarFunction,
};
use datafusion::logical_expr_common::type_coercion::binary::BinaryTypeCoercer;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use std::sync::Arc;

/// Texts that a step makes longer than this are NULL: a chain of doublings must not eat the memory for one person's sake.
const LONGEST: usize = 1 << 16;

/// A step that gives NULL for the rows where the engine's own gives an error.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    name: String,
    what: What,
    signature: Signature,
}

/// What is computed.
#[derive(Debug, PartialEq, Eq, Hash)]
enum What {
    /// `+ - * / %` and `||`.
    Binary(Operator),
    /// A conversion.
    Cast(DataType),
    /// A function of the engine.
    Function(Arc<ScalarUDF>),
}

impl Step {
    /// `left op right`.
    pub(super) fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
        let word = match op {
            Operator::Plus => "plus",
            Operator::Minus => "minus",
            Operator::Multiply => "times",
            Operator::Divide => "divided_by",
            Operator::Modulo => "modulo",
            _ => "joined_with",
        };
        Step::call(word.to_owned(), What::Binary(op), vec![left, right])
    }

    /// `TRY_CAST(value AS to)`.
    pub(super) fn cast(value: Expr, to: DataType) -> Expr {
        Step::call("try_cast".to_owned(), What::Cast(to), vec![value])
    }

    /// The function, tried.
    pub(super) fn function(call: ScalarFunction) -> Expr {
        Step::call(format!("try_{}", call.func.name()), What::Function(call.func), call.args)
    }

    fn call(name: String, what: What, args: Vec<Expr>) -> Expr {
        // The types were settled before: nothing is to be converted any more.
        let signature = Signature::variadic_any(Volatility::Immutable);
        let step = Step { name, what, signature };
        Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(step)), args))
    }

    /// Whether a function is one of these.
    pub(super) fn is(function: &ScalarUDF) -> bool {
        (function.inner().as_ref() as &dyn std::any::Any).is::<Step>()
    }

    fn compute(&self, args: ScalarFunctionArgs) -> Result<ArrayRef> {
        let rows = args.number_rows;
        let arrays = || {
            args.args.iter().map(|value| value.clone().into_array(rows)).collect::<Result<Vec<ArrayRef>>>()
        };
        match &self.what {
            What::Binary(Operator::StringConcat) => {
                let [left, right] = arrays()?.try_into().map_err(|_| arguments())?;
                joined(&left, &right, args.return_field.data_type())
            }
            What::Binary(op) => {
                let columns = arrays()?;
                let field = |(place, array): (usize, &ArrayRef)| {
                    Field::new(format!("c{place}"), array.data_type().clone(), true)
                };
                let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<Field>>());
                let batch = RecordBatch::try_new(Arc::new(schema), columns)?;
                let side = |place: usize| {
                    Arc::new(Column::new(&format!("c{place}"), place)) as Arc<dyn PhysicalExpr>
                };
                let checked = BinaryExpr::new(side(0), *op, side(1)).with_fail_on_overflow(true);
                checked.evaluate(&batch)?.into_array(rows)
            }
            What::Cast(to) => {
                let [value] = args.args.as_slice() else { return Err(arguments()) };
                // Most failures are NULL already; what fails all the same is tried row by row.
                let options = CastOptions { safe: true, ..DEFAULT_CAST_OPTIONS };
                value.cast_to(to, Some(&options))?.into_array(rows)
            }
            What::Function(function) => function.invoke_with_args(args)?.into_array(rows),
        }
    }

    /// Row by row: NULL where it fails.
    fn one_by_one(&self, args: &ScalarFunctionArgs) -> Result<ArrayRef> {
        let missing = || new_null_array(args.return_field.data_type(), 1);
        let mut rows = Vec::with_capacity(args.number_rows);
        for row in 0..args.number_rows {
            let cell = |value: &ColumnarValue| match value {
                ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(row, 1)),
                scalar => scalar.clone(),
            };
            let one = ScalarFunctionArgs {
                args: args.args.iter().map(cell).collect(),
                number_rows: 1,
                ..args.clone()
            };
            rows.push(self.compute(one).unwrap_or_else(|_| missing()));
        }
        match rows.is_empty() {
            true => Ok(new_null_array(args.return_field.data_type(), 0)),
            false => Ok(concat(&rows.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())?),
        }
    }
}

impl ScalarUDFImpl for Step {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Err(arguments())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let data_type = match (&self.what, args.arg_fields) {
            (What::Binary(op), [left, right]) => {
                BinaryTypeCoercer::new(left.data_type(), op, right.data_type()).get_result_type()?
            }
            (What::Cast(to), [_]) => to.clone(),
            (What::Function(function), _) => function.return_field_from_args(args)?.data_type().clone(),
            _ => return Err(arguments()),
        };
        Ok(Arc::new(Field::new(&self.name, data_type, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = match self.compute(args.clone()) {
            Ok(array) => array,
            Err(_) => self.one_by_one(&args)?,
        };
        Ok(ColumnarValue::Array(without_long_texts(array)))
    }
}

fn arguments() -> DataFusionError {
    DataFusionError::Internal("a total step has other arguments".to_owned())
}

/// `left || right`, and NULL where that is too long: the engine's own stops where all texts of a batch together are.
fn joined(left: &ArrayRef, right: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let (left, right) = (cast(left, &DataType::Utf8)?, cast(right, &DataType::Utf8)?);
    let pairs = left.as_string::<i32>().iter().zip(right.as_string::<i32>());
    let text = |(left, right): (Option<&str>, Option<&str>)| {
        let (left, right) = (left?, right?);
        (left.len() + right.len() <= LONGEST).then(|| format!("{left}{right}"))
    };
    Ok(cast(&pairs.map(text).collect::<StringArray>(), to)?)
}

/// Rebuilt without the long ones: a text that is only marked as missing would still be there for the next step.
fn without_long_texts(array: ArrayRef) -> ArrayRef {
    let short = |text: &&str| text.len() <= LONGEST;
    match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            Arc::new(texts.iter().map(|text| text.filter(short)).collect::<StringArray>())
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            Arc::new(texts.iter().map(|text| text.filter(short)).collect::<LargeStringArray>())
        }
        DataType::Utf8View => {
            let texts = array.as_string_view();
            Arc::new(texts.iter().map(|text| text.filter(short)).collect::<StringViewArray>())
        }
        _ => array,
    }
}

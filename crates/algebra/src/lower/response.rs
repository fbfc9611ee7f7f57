//! The function of α^D: what a cell is shown as, given its row's number.

use datafusion::arrow::array::{Array, ArrayRef, StringArray, UInt64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use paravent_noise::draw::{Plan, STAND_IN, Secret, Stream, Words};
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// `paravent_response(cell, row_number)`. The draw is a function of key, stream and row number alone, so it does not matter how often, in which
/// batches or on which threads an engine evaluates it: the function is as good as a table. Hence `Immutable`, not `Volatile`.
pub(super) struct ResponseFunction {
    stream: Stream,
    secret: Arc<Secret>,
    plan: Arc<Plan>,
    domain: Arc<Domain>,
    column: String,
    signature: Signature,
}

/// The values of a noise distribution, by code.
#[derive(Debug)]
pub(super) struct Domain {
    pub(super) values: Vec<Option<String>>,
    codes: HashMap<Option<String>, u32>,
}

impl Domain {
    pub(super) fn new(values: Vec<Option<String>>) -> Domain {
        let codes = values.iter().cloned().zip(0u32..).collect();
        Domain { values, codes }
    }

    pub(super) fn code(&self, cell: Option<&str>) -> Option<u32> {
        // A lookup by text without owning it: cells are many, values are few.
        match cell {
            None => self.codes.get(&None).copied(),
            Some(text) => self.codes.get(&Some(text.to_owned())).copied(),
        }
    }
}

/// What one evaluation needs.
pub(super) struct Parts {
    pub(super) stream: Stream,
    pub(super) secret: Arc<Secret>,
    pub(super) plan: Arc<Plan>,
    pub(super) domain: Arc<Domain>,
    pub(super) column: String,
}

impl ResponseFunction {
    /// The function.
    pub(super) fn new(parts: Parts) -> ResponseFunction {
        let Parts { stream, secret, plan, domain, column } = parts;
        let signature = Signature::exact(vec![DataType::Utf8, DataType::UInt64], Volatility::Immutable);
        ResponseFunction { stream, secret, plan, domain, column, signature }
    }
}

impl fmt::Debug for ResponseFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFunction")
            .field("stream", &self.stream)
            .field("column", &self.column)
            .finish_non_exhaustive()
    }
}

/// A stream is one attribute of one operator: there is no second function with it.
impl PartialEq for ResponseFunction {
    fn eq(&self, other: &ResponseFunction) -> bool {
        self.stream == other.stream
    }
}

impl Eq for ResponseFunction {}

impl Hash for ResponseFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.stream.hash(state);
    }
}

impl ScalarUDFImpl for ResponseFunction {
    fn name(&self) -> &str {
        "paravent_response"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn schema_name(&self, _: &[datafusion::logical_expr::Expr]) -> Result<String> {
        Ok(format!("paravent_response_{}_{}", self.stream.operator, self.stream.attribute))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let other =
            || DataFusionError::Internal("paravent_response takes a text and a row number".to_owned());
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [cells, rows] = arrays.as_slice() else { return Err(other()) };
        let cells = cells.as_any().downcast_ref::<StringArray>().ok_or_else(other)?;
        let rows = rows.as_any().downcast_ref::<UInt64Array>().ok_or_else(other)?;
        let mut words = Words::new(&self.secret, self.stream);
        let values = u64::try_from(self.domain.values.len()).unwrap_or(u64::MAX).max(1);
        let mut shown: Vec<Option<&str>> = Vec::with_capacity(cells.len());
        for (row, &number) in rows.values().iter().enumerate() {
            let cell = cells.is_valid(row).then(|| cells.value(row));
            // An error would tell that the cell is none of the values, for the price of the noise. A value of equal chance takes its place; that tells
            // no more than the noise does, because it is a mixture of what other cells are shown as.
            let code = self
                .domain
                .code(cell)
                .unwrap_or_else(|| u32::try_from(words.below(number, STAND_IN, values)).unwrap_or_default());
            let drawn = self.plan.draw(&mut words, number, code).map_err(|_| other())?;
            shown.push(self.domain.values[drawn as usize].as_deref());
        }
        Ok(ColumnarValue::Array(Arc::new(StringArray::from(shown)) as ArrayRef))
    }
}

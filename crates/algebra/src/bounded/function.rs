//! A function of the engine that is called only where its result cannot become too large.

use super::Exceeded;
use super::growth::Growth;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Most bytes that one call may give, for all rows of a batch together.
pub(super) const LARGEST: u64 = 128 << 20;

/// The function under its own name, with a look at its arguments before it is called.
#[derive(Debug)]
pub(super) struct BoundedFunction {
    inner: Arc<ScalarUDF>,
    growth: Growth,
}

impl BoundedFunction {
    pub(super) fn of(inner: &Arc<ScalarUDF>, growth: Growth) -> ScalarUDF {
        ScalarUDF::new_from_impl(BoundedFunction { inner: Arc::clone(inner), growth })
    }
}

impl PartialEq for BoundedFunction {
    fn eq(&self, other: &BoundedFunction) -> bool {
        self.inner == other.inner
    }
}

impl Eq for BoundedFunction {}

impl Hash for BoundedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl ScalarUDFImpl for BoundedFunction {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.inner().schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    /// The engine's own simplification may put its own function in place of this one, so there is none.
    fn simplify(&self, args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        Ok(ExprSimplifyResult::Original(args))
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match self.growth.bound(&args)? <= LARGEST {
            true => self.inner.invoke_with_args(args),
            false => Err(Exceeded::Value.into()),
        }
    }
}

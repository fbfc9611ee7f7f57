//! `generate_series` and `range` in FROM: not more rows than anybody can use.

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::execution::SessionState;
use datafusion::logical_expr::Expr;
use std::sync::Arc;

/// Most rows of a series.
const MOST: u128 = 10_000_000;

#[derive(Debug)]
struct BoundedSeries {
    name: &'static str,
    inner: Arc<dyn TableFunctionImpl>,
}

/// The functions of a state that make rows out of numbers, with a look at the numbers first.
pub(super) fn functions(state: &SessionState) -> Vec<(&'static str, Arc<dyn TableFunctionImpl>)> {
    let found = ["generate_series", "range"].into_iter().filter_map(|name| {
        let inner = Arc::clone(state.table_functions().get(name)?.function());
        Some((name, Arc::new(BoundedSeries { name, inner }) as Arc<dyn TableFunctionImpl>))
    });
    found.collect()
}

impl TableFunctionImpl for BoundedSeries {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if rows(args.exprs()) > MOST {
            return Err(DataFusionError::Plan(format!("{}: more than {MOST} rows", self.name)));
        }
        self.inner.call_with_args(args)
    }
}

/// How many numbers there are; dates and times are bounded by the time of the statement alone.
fn rows(arguments: &[Expr]) -> u128 {
    let number = |place: usize| match arguments.get(place) {
        Some(Expr::Literal(ScalarValue::Int64(Some(number)), _)) => Some(*number),
        _ => None,
    };
    let (from, to) = match arguments.len() {
        1 => (0, number(0)),
        _ => (number(0).unwrap_or(0), number(1)),
    };
    let Some(to) = to else { return 0 };
    let step = number(2).unwrap_or(1);
    let away = (step > 0 && to < from) || (step < 0 && to > from);
    if away { 0 } else { u128::from(from.abs_diff(to)) / u128::from(step.unsigned_abs().max(1)) }
}

//! Parameters of a prepared statement, as literals of the syntax tree.

use super::FORM;
use crate::refusal::Refusal;
use datafusion::sql::sqlparser::ast::{Expr, Query, Value, visit_expressions_mut};
use std::ops::ControlFlow;

/// Puts every parameter in the place of its `$n`. A statement without parameters keeps its places, which are refused where they stand.
pub(super) fn bind(query: &mut Query, parameters: &[Option<String>]) -> Result<(), Refusal> {
    if parameters.is_empty() {
        return Ok(());
    }
    let bound = visit_expressions_mut(query, |expr| {
        let Expr::Value(value) = expr else { return ControlFlow::Continue(()) };
        let Value::Placeholder(name) = &value.value else { return ControlFlow::Continue(()) };
        let number = name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
        let parameter = number.and_then(|number| parameters.get(number.checked_sub(1)?));
        value.value = match parameter {
            Some(Some(text)) => Value::SingleQuotedString(text.clone()),
            Some(None) => Value::Null,
            None => return ControlFlow::Break(()),
        };
        ControlFlow::Continue(())
    });
    match bound {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Refusal::new("the statement has a parameter without a value", FORM)),
    }
}

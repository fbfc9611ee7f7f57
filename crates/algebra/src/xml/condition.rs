//! Conditions: SQL expressions over the attributes of a relation. Names are written as they are, in quotation marks where they are not plain words.

use super::XmlError;
use datafusion::common::Column;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::Expr;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::unparser::expr_to_sql;

/// The longest condition, in bytes: expressions nest as deep as they are long.
const MOST_BYTES: usize = 2000;

/// Reads conditions.
pub(super) struct Conditions(SessionContext);

impl Conditions {
    pub(super) fn new() -> Conditions {
        let mut config = SessionConfig::new();
        config.options_mut().sql_parser.enable_ident_normalization = false;
        Conditions(SessionContext::new_with_config(config))
    }

    /// The expression that a text means, or what is wrong with it.
    pub(super) fn parse(&self, text: &str, schema: &DFSchema) -> Result<Expr, String> {
        if text.is_empty() {
            return Err("the condition is empty; write a SQL expression such as day <> '01.01.'".to_owned());
        }
        if text.len() > MOST_BYTES {
            return Err(format!("the condition has {} bytes; at most {MOST_BYTES} are read", text.len()));
        }
        match self.0.parse_sql_expr(text, schema) {
            Ok(Expr::Alias(_)) => Err("the condition has a name; write the expression alone".to_owned()),
            Ok(expr) => Ok(expr),
            Err(error) => {
                Err(format!("the condition cannot be read: {}", first_line(&error.strip_backtrace())))
            }
        }
    }
}

/// The text that means an expression; names are bare where that is enough.
pub(super) fn text(expr: &Expr, schema: &DFSchema) -> Result<String, XmlError> {
    let unwritable = |error: datafusion::common::DataFusionError| {
        XmlError::unwritable(format!("a condition: {}", first_line(&error.strip_backtrace())))
    };
    let bare = expr.clone().transform(|expr| {
        Ok(match expr {
            Expr::Column(column) => {
                let once = schema.columns_with_unqualified_name(&column.name).len() == 1;
                let column = if once { Column::from_name(column.name) } else { column };
                Transformed::yes(Expr::Column(column))
            }
            other => Transformed::no(other),
        })
    });
    let text = expr_to_sql(&bare.map_err(unwritable)?.data).map_err(unwritable)?.to_string();
    // What cannot be read again is no document.
    match Conditions::new().parse(&text, schema) {
        Ok(_) => Ok(text),
        Err(problem) => Err(XmlError::unwritable(problem)),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

//! Conditions: SQL expressions over the attributes of a relation. Names are written as they are, in quotation marks where they are not plain words.

use super::XmlError;
use datafusion::common::Column;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::Expr;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use datafusion::sql::unparser::Unparser;
use std::sync::LazyLock;

/// The longest condition, in bytes.
const MOST_BYTES: usize = 4000;
/// The most names, operators and brackets of a condition: a chain of operators nests as deep as it is long. Values and commas do not count.
const MOST_WORDS: usize = 128;
/// In bytes; only what is used takes memory.
const DEEP_STACK: usize = 32 << 20;

/// Reads conditions.
pub(super) struct Conditions(SessionContext);

impl Conditions {
    /// One for all documents: it knows the functions of SQL, and no table.
    pub(super) fn shared() -> &'static Conditions {
        static SHARED: LazyLock<Conditions> = LazyLock::new(|| {
            let mut config = SessionConfig::new();
            config.options_mut().sql_parser.enable_ident_normalization = false;
            Conditions(SessionContext::new_with_config(config))
        });
        &SHARED
    }

    /// The expression that a text means, or what is wrong with it.
    pub(super) fn parse(&self, text: &str, schema: &DFSchema) -> Result<Expr, String> {
        if text.is_empty() {
            return Err("the condition is empty; write a SQL expression such as day <> '01.01.'".to_owned());
        }
        if text.len() > MOST_BYTES {
            return Err(format!("the condition has {} bytes; at most {MOST_BYTES} are read", text.len()));
        }
        let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize();
        let tokens = tokens.map_err(|error| format!("the condition cannot be read: {error}"))?;
        let nesting = |token: &&Token| {
            !matches!(
                token,
                Token::Whitespace(_)
                    | Token::Comma
                    | Token::Number(..)
                    | Token::SingleQuotedString(_)
                    | Token::Period
            )
        };
        let words = tokens.iter().filter(nesting).count();
        if words > MOST_WORDS {
            return Err(format!(
                "the condition has {words} names, operators and brackets; at most {MOST_WORDS} are read: \
                 write IN (…), or one selection in another"
            ));
        }
        match on_deep_stack(|| self.0.parse_sql_expr(text, schema))? {
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
    let bare = bare.map_err(unwritable)?.data;
    let mut problem = String::new();
    // With few brackets where that reads back as the same expression, else with all of them.
    for few_brackets in [true, false] {
        let sql = on_deep_stack(|| {
            let writer = Unparser::default().with_pretty(few_brackets);
            writer.expr_to_sql(&bare).map(|sql| sql.to_string())
        });
        let text = sql.map_err(XmlError::unwritable)?.map_err(unwritable)?;
        match Conditions::shared().parse(&text, schema) {
            Ok(read) if read == *expr || !few_brackets => return Ok(text),
            Ok(_) => {}
            Err(why) => problem = why,
        }
    }
    Err(XmlError::unwritable(problem))
}

/// Runs on a stack that is deep enough for [`MOST_WORDS`]: the parser and the writer of SQL take up to 100 KB per level.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let problem = || "the condition cannot be read".to_owned();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work);
        thread.map_err(|_| problem())?.join().map_err(|_| problem())
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

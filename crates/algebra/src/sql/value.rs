//! What may stand behind `=>`.

use super::wording::problem;
use datafusion::common::Result;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, UnaryOperator,
    Value as Literal,
};

/// The value of an argument: names, literals, and lists and calls of them. Nothing is computed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `age`, `p.age`, `"Age"`
    Name(Vec<Ident>),
    /// `5`, `-1`, `0.25`, `4/1461`, as written
    Number(String),
    /// `'uniform'`
    Text(String),
    /// `true`
    Truth(bool),
    /// `NULL`
    Missing,
    /// `(age, sex)`
    List(Vec<Value>),
    /// `steps((-1, 0.5), (1, 0.5), tails => cyclic)`
    Call {
        /// In lower case.
        name: String,
        /// Those without a name.
        values: Vec<Value>,
        /// Those with a name, in lower case.
        named: Vec<(String, Value)>,
    },
}

/// No argument has lists nested deeper than this.
const DEEPEST: usize = 8;

impl Value {
    /// Reads the expression behind `argument =>`.
    pub(super) fn read(argument: &str, expr: &Expr) -> Result<Value> {
        Value::read_at(argument, expr, DEEPEST)
    }

    fn read_at(argument: &str, expr: &Expr, depth: usize) -> Result<Value> {
        let Some(below) = depth.checked_sub(1) else {
            return Err(problem(format!("{argument}: too many parentheses inside each other")));
        };
        let list = |items: &[Expr]| -> Result<Value> {
            Ok(Value::List(
                items.iter().map(|item| Value::read_at(argument, item, below)).collect::<Result<_>>()?,
            ))
        };
        match expr {
            Expr::Identifier(name) => Ok(Value::Name(vec![name.clone()])),
            Expr::CompoundIdentifier(names) => Ok(Value::Name(names.clone())),
            Expr::Value(literal) => match &literal.value {
                Literal::Number(text, _) => Ok(Value::Number(text.clone())),
                Literal::SingleQuotedString(text) => Ok(Value::Text(text.clone())),
                Literal::Boolean(truth) => Ok(Value::Truth(*truth)),
                Literal::Null => Ok(Value::Missing),
                _ => Err(unreadable(argument, expr)),
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                match Value::read_at(argument, inner, below)? {
                    Value::Number(text) => Ok(Value::Number(format!("-{text}"))),
                    _ => Err(unreadable(argument, expr)),
                }
            }
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
                match (Value::read_at(argument, left, below)?, Value::read_at(argument, right, below)?) {
                    (Value::Number(left), Value::Number(right)) => {
                        Ok(Value::Number(format!("{left}/{right}")))
                    }
                    _ => Err(unreadable(argument, expr)),
                }
            }
            Expr::Nested(inner) => list(std::slice::from_ref(&**inner)),
            Expr::Tuple(items) => list(items),
            Expr::Array(array) => list(&array.elem),
            Expr::Function(function) => Value::call(argument, function, below),
            _ => Err(unreadable(argument, expr)),
        }
    }

    fn call(argument: &str, function: &Function, depth: usize) -> Result<Value> {
        let name = function.name.to_string().to_lowercase();
        let (mut values, mut named) = (Vec::new(), Vec::new());
        if let FunctionArguments::List(list) = &function.args {
            for arg in &list.args {
                match arg {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                        values.push(Value::read_at(argument, expr, depth)?);
                    }
                    FunctionArg::Named { name, arg: FunctionArgExpr::Expr(expr), .. } => {
                        named.push((name.value.to_lowercase(), Value::read_at(argument, expr, depth)?));
                    }
                    _ => {
                        return Err(problem(format!(
                            "{argument}: {name}(…) takes names, numbers, texts and lists"
                        )));
                    }
                }
            }
        }
        Ok(Value::Call { name, values, named })
    }

    /// A list as it is; anything else as a list of one.
    pub(super) fn items(&self) -> Vec<&Value> {
        match self {
            Value::List(items) => items.iter().collect(),
            one => vec![one],
        }
    }

    /// What it looks like, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Name(_) => "a name",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Truth(_) => "true or false",
            Value::Missing => "NULL",
            Value::List(_) => "a list",
            Value::Call { .. } => "a call",
        }
    }

    /// A word, quoted as text or not.
    pub(super) fn word(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text.to_lowercase()),
            Value::Name(names) => match names.as_slice() {
                [one] => Some(one.value.to_lowercase()),
                _ => None,
            },
            _ => None,
        }
    }
}

fn unreadable(argument: &str, expr: &Expr) -> datafusion::common::DataFusionError {
    let mut shown = expr.to_string();
    if let Some((cut, _)) = shown.char_indices().nth(60) {
        shown.truncate(cut);
        shown.push('…');
    }
    problem(format!("{argument}: {shown} is not a name, a number, a text, or a list of them"))
}

//! A call of a relation function in FROM, taken apart.

use super::columns::Columns;
use super::value::Value;
use super::wording::{listed, problem, unknown};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::sql::sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, Query};
use std::collections::BTreeMap;

/// An argument that a function knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// How it is written, e.g. `k => 5`.
    pub example: &'static str,
    /// What it says, in a few words.
    pub about: &'static str,
}

/// The relation and the arguments of one call.
#[derive(Debug)]
pub(super) struct Call {
    function: &'static str,
    /// The relation, as a query.
    pub(super) relation: Box<Query>,
    named: BTreeMap<String, Value>,
}

impl Call {
    /// Takes the arguments apart. Bare table names have become queries before.
    pub(super) fn read(function: &'static str, known: &[Argument], args: Vec<FunctionArg>) -> Result<Call> {
        let mut relation = None;
        let mut named = BTreeMap::new();
        for (position, arg) in args.into_iter().enumerate() {
            match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Subquery(query))) if position == 0 => {
                    relation = Some(query)
                }
                FunctionArg::Unnamed(_) => {
                    let first = known.first().map_or("", |argument| argument.example);
                    let problem_text = match position {
                        0 => format!(
                            "{function}: the first argument is a table's name or a query in parentheses"
                        ),
                        _ => {
                            format!("{function}: only the relation comes without a name; write e.g. {first}")
                        }
                    };
                    return Err(problem(problem_text));
                }
                FunctionArg::Named { name, arg: FunctionArgExpr::Expr(expr), .. }
                | FunctionArg::ExprNamed {
                    name: Expr::Identifier(name),
                    arg: FunctionArgExpr::Expr(expr),
                    ..
                } => {
                    let name = name.value.to_lowercase();
                    if !known.iter().any(|argument| argument.name == name) {
                        let names = known.iter().map(|argument| argument.name);
                        return Err(problem(format!(
                            "{function}: {}",
                            unknown("argument", "arguments", &name, names)
                        )));
                    }
                    let value = Value::read(&format!("{function}: {name}"), &expr)?;
                    if named.insert(name.clone(), value).is_some() {
                        return Err(problem(format!("{function}: argument {name} is given twice")));
                    }
                }
                other => {
                    return Err(problem(format!("{function}: {other} is no argument; write name => value")));
                }
            }
        }
        let Some(relation) = relation else {
            return Err(problem(format!(
                "{function}: the first argument is a table's name or a query in parentheses"
            )));
        };
        Ok(Call { function, relation, named })
    }

    /// `generalize: quasi`
    pub(super) fn place(&self, argument: &str) -> String {
        format!("{}: {argument}", self.function)
    }

    /// The value, if given.
    pub(super) fn get(&self, argument: &str) -> Option<&Value> {
        self.named.get(argument)
    }

    /// Whether it was given.
    pub(super) fn has(&self, argument: &str) -> bool {
        self.named.contains_key(argument)
    }

    /// A mistake that concerns the whole call.
    pub(super) fn wrong(&self, message: impl std::fmt::Display) -> datafusion::common::DataFusionError {
        problem(format!("{}: {message}", self.function))
    }

    /// Refuses arguments that mean nothing without another.
    pub(super) fn only_with(&self, arguments: &[&str], other: &str, given: bool) -> Result<()> {
        match arguments.iter().find(|argument| self.has(argument)) {
            Some(argument) if !given => Err(self.wrong(format!("{argument} means nothing without {other}"))),
            _ => Ok(()),
        }
    }

    /// At most one of several arguments.
    pub(super) fn exclusive(&self, arguments: &[&'static str]) -> Result<Option<&'static str>> {
        let given: Vec<&'static str> =
            arguments.iter().copied().filter(|argument| self.has(argument)).collect();
        match given.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            several => Err(self.wrong(format!("{} exclude each other; give one of them", listed(several)))),
        }
    }

    /// A list of columns, if given.
    pub(super) fn columns(&self, argument: &str, schema: &DFSchema) -> Result<Option<Vec<Column>>> {
        let place = self.place(argument);
        self.get(argument).map(|value| Columns { schema, place: &place }.list(value)).transpose()
    }

    /// A whole number of at least `least`, if given.
    pub(super) fn whole(&self, argument: &str, least: u64) -> Result<Option<u64>> {
        let Some(value) = self.get(argument) else { return Ok(None) };
        let expected = format!("write a whole number of {least} or more");
        match value {
            Value::Number(text) => match text.parse::<u64>() {
                Ok(number) if number >= least => Ok(Some(number)),
                _ => Err(problem(format!("{}: {text} is not possible; {expected}", self.place(argument)))),
            },
            other => Err(problem(format!(
                "{}: {} where a number is expected; {expected}",
                self.place(argument),
                other.kind()
            ))),
        }
    }

    /// The same for what is counted in 32 bits.
    pub(super) fn count(&self, argument: &str, least: u32) -> Result<Option<u32>> {
        let Some(number) = self.whole(argument, u64::from(least))? else { return Ok(None) };
        let too_large = || problem(format!("{}: {number} is too large", self.place(argument)));
        u32::try_from(number).map(Some).map_err(|_| too_large())
    }

    /// true or false; false unless given.
    pub(super) fn truth(&self, argument: &str) -> Result<bool> {
        match self.get(argument) {
            None => Ok(false),
            Some(Value::Truth(truth)) => Ok(*truth),
            Some(other) => Err(problem(format!(
                "{}: {} where true or false is expected",
                self.place(argument),
                other.kind()
            ))),
        }
    }

    /// A decimal number, if given.
    pub(super) fn number(&self, argument: &str) -> Result<Option<&str>> {
        match self.get(argument) {
            None => Ok(None),
            Some(Value::Number(text)) => Ok(Some(text)),
            Some(other) => {
                Err(problem(format!("{}: {} where a number is expected", self.place(argument), other.kind())))
            }
        }
    }
}

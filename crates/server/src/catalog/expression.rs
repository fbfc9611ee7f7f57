//! Expressions over the lists.

use super::function::LONGEST;
use super::kind::{self, of_name, written};
use super::pattern::like_pattern;
use super::select::{Interpreter, Scope, folded};
use super::value::Value;
use crate::fault::Fault;
use sqlparser::ast::{
    AccessExpr, BinaryOperator, CaseWhen, Expr, FunctionArg, FunctionArgExpr, Ident, Subscript,
    UnaryOperator, Value as Literal,
};
use std::cmp::Ordering;

impl Interpreter<'_> {
    /// The value of an expression. What is long, or a list, is as much work as many steps: so a statement makes no more than it may look at.
    pub(super) fn eval(&self, expr: &Expr, scope: &Scope<'_>) -> Result<Value, Fault> {
        self.step()?;
        let value = self.value_of(expr, scope)?;
        self.steps(value.size())?;
        Ok(value)
    }

    fn value_of(&self, expr: &Expr, scope: &Scope<'_>) -> Result<Value, Fault> {
        Ok(match expr {
            Expr::Identifier(ident) => match ident.quote_style {
                None if scope_lacks(scope, &folded(ident)) => self.word(&folded(ident), scope)?,
                _ => self.column(None, ident, scope)?,
            },
            Expr::CompoundIdentifier(idents) => match idents.as_slice() {
                [.., table, own] => self.column(Some(&folded(table)), own, scope)?,
                _ => return Err(unknown()),
            },
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.eval(inner, scope)?,
            Expr::Value(value) => self.literal(&value.value)?,
            Expr::TypedString(typed) => {
                typed.value.value.clone().into_string().map_or(Value::Null, Value::Text)
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right, scope)?,
            Expr::UnaryOp { op, expr } => {
                let value = self.eval(expr, scope)?;
                match op {
                    UnaryOperator::Not => Value::of_truth(value.truth().map(|truth| !truth)),
                    UnaryOperator::Minus => {
                        value.number().and_then(i64::checked_neg).map_or(Value::Null, Value::Int)
                    }
                    UnaryOperator::Plus => value,
                    _ => return Err(unknown()),
                }
            }
            Expr::IsNull(inner) => Value::Bool(self.eval(inner, scope)? == Value::Null),
            Expr::IsNotNull(inner) => Value::Bool(self.eval(inner, scope)? != Value::Null),
            Expr::IsTrue(inner) => Value::Bool(self.eval(inner, scope)?.truth() == Some(true)),
            Expr::IsNotTrue(inner) => Value::Bool(self.eval(inner, scope)?.truth() != Some(true)),
            Expr::IsFalse(inner) => Value::Bool(self.eval(inner, scope)?.truth() == Some(false)),
            Expr::IsNotFalse(inner) => Value::Bool(self.eval(inner, scope)?.truth() != Some(false)),
            Expr::IsDistinctFrom(one, other) => Value::Bool(!self.is_same(one, other, scope)?),
            Expr::IsNotDistinctFrom(one, other) => Value::Bool(self.is_same(one, other, scope)?),
            Expr::InList { expr, list, negated } => {
                let value = self.eval(expr, scope)?;
                let list = list.iter().map(|one| self.eval(one, scope)).collect::<Result<Vec<_>, _>>()?;
                negate(among(&value, &list), *negated)
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let value = self.eval(expr, scope)?;
                let list = self
                    .query(subquery, Some(scope))?
                    .rows
                    .into_iter()
                    .filter_map(|row| row.into_iter().next());
                negate(among(&value, &list.collect::<Vec<_>>()), *negated)
            }
            Expr::AnyOp { left, compare_op, right, .. } => {
                self.compared(left, compare_op, right, Quantifier::Any, scope)?
            }
            Expr::AllOp { left, compare_op, right } => {
                self.compared(left, compare_op, right, Quantifier::All, scope)?
            }
            Expr::Between { expr, negated, low, high } => {
                let (value, low, high) =
                    (self.eval(expr, scope)?, self.eval(low, scope)?, self.eval(high, scope)?);
                let within = value.compare(&low).zip(value.compare(&high));
                negate(within.map(|(low, high)| low != Ordering::Less && high != Ordering::Greater), *negated)
            }
            Expr::Like { negated, expr, pattern, .. } => self.like(expr, pattern, *negated, false, scope)?,
            Expr::ILike { negated, expr, pattern, .. } => self.like(expr, pattern, *negated, true, scope)?,
            Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), scope)?
            }
            Expr::Cast { expr, data_type, .. } => {
                let value = self.eval(expr, scope)?;
                self.cast(value, &written(data_type))?
            }
            Expr::Exists { subquery, negated } => {
                Value::Bool(self.query(subquery, Some(scope))?.rows.is_empty() == *negated)
            }
            Expr::Subquery(subquery) => {
                let first = self.query(subquery, Some(scope))?.rows.into_iter().next();
                first.and_then(|row| row.into_iter().next()).unwrap_or(Value::Null)
            }
            Expr::Array(array) => Value::List(
                array.elem.iter().map(|one| self.eval(one, scope)).collect::<Result<Vec<_>, _>>()?,
            ),
            Expr::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain, scope)?,
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let text = self.eval(expr, scope)?.text();
                let number = |expr: &Option<Box<Expr>>| -> Result<Option<i64>, Fault> {
                    expr.as_ref().map_or(Ok(None), |expr| Ok(self.eval(expr, scope)?.number()))
                };
                let (from, length) = (number(substring_from)?.unwrap_or(1), number(substring_for)?);
                let skip = usize::try_from(from - 1).unwrap_or(0);
                let take = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
                text.map_or(Value::Null, |text| Value::Text(text.chars().skip(skip).take(take).collect()))
            }
            Expr::Function(function) => self.function(function, scope)?,
            Expr::Tuple(values) => {
                Value::List(values.iter().map(|one| self.eval(one, scope)).collect::<Result<Vec<_>, _>>()?)
            }
            _ => return Err(unknown()),
        })
    }

    fn case(
        &self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
        scope: &Scope<'_>,
    ) -> Result<Value, Fault> {
        let operand = operand.map(|operand| self.eval(operand, scope)).transpose()?;
        for when in conditions {
            let condition = self.eval(&when.condition, scope)?;
            let holds = match &operand {
                Some(operand) => operand.compare(&condition) == Some(Ordering::Equal),
                None => condition.truth() == Some(true),
            };
            if holds {
                return self.eval(&when.result, scope);
            }
        }
        otherwise.map_or(Ok(Value::Null), |otherwise| self.eval(otherwise, scope))
    }

    fn literal(&self, literal: &Literal) -> Result<Value, Fault> {
        Ok(match literal {
            Literal::Number(text, _) => text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Int),
            Literal::Boolean(truth) => Value::Bool(*truth),
            Literal::Null => Value::Null,
            Literal::Placeholder(name) => {
                let number = name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
                let parameter = number.and_then(|number| self.parameters.get(number.checked_sub(1)?));
                let parameter = parameter.ok_or_else(|| Fault::new("08P01", "a parameter has no value"))?;
                parameter.clone().map_or(Value::Null, Value::Text)
            }
            other => Value::Text(other.clone().into_string().ok_or_else(unknown)?),
        })
    }

    fn is_same(&self, one: &Expr, other: &Expr, scope: &Scope<'_>) -> Result<bool, Fault> {
        let (one, other) = (self.eval(one, scope)?, self.eval(other, scope)?);
        Ok(one == other || one.compare(&other) == Some(Ordering::Equal))
    }

    fn column(&self, table: Option<&str>, own: &Ident, scope: &Scope<'_>) -> Result<Value, Fault> {
        let name = folded(own);
        let mut here = Some(scope);
        while let Some(level) = here {
            for (place, source) in level.sources.iter().enumerate() {
                if table.is_some_and(|table| source.alias != table) {
                    continue;
                }
                if let Some(column) = source.columns.iter().position(|(known, _)| *known == name) {
                    let row = level.row.get(place).and_then(Option::as_ref);
                    return Ok(row.and_then(|row| row.get(column)).cloned().unwrap_or(Value::Null));
                }
            }
            here = level.outer;
        }
        // PostgreSQL's own lists have columns that are not kept here.
        let mut here = Some(scope);
        while let Some(level) = here {
            let named = |alias: &str| table.is_none_or(|table| alias == table);
            if level.sources.iter().any(|source| source.is_open && named(&source.alias)) {
                // The number of the list that a row is of.
                return Ok(if name == "tableoid" { Value::Int(0) } else { Value::Null });
            }
            here = level.outer;
        }
        Err(Fault::new("42703", "there is no such column in the catalog"))
    }

    fn binary(
        &self,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Value, Fault> {
        let one = self.eval(left, scope)?;
        match op {
            BinaryOperator::And if one.truth() == Some(false) => return Ok(Value::Bool(false)),
            BinaryOperator::Or if one.truth() == Some(true) => return Ok(Value::Bool(true)),
            _ => {}
        }
        let other = self.eval(right, scope)?;
        self.apply(&one, op, &other)
    }

    /// `left op ANY (list)` and `left op ALL (list)`.
    fn compared(
        &self,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        quantifier: Quantifier,
        scope: &Scope<'_>,
    ) -> Result<Value, Fault> {
        let value = self.eval(left, scope)?;
        let list = match right {
            Expr::Subquery(query) => self
                .query(query, Some(scope))?
                .rows
                .into_iter()
                .filter_map(|row| row.into_iter().next())
                .collect(),
            other => match self.eval(other, scope)? {
                Value::List(values) => values,
                Value::Text(text) => elements(&text),
                _ => return Ok(Value::Null),
            },
        };
        // The truth that decides at once, wherever it is found.
        let decisive = quantifier == Quantifier::Any;
        let mut is_unknown = false;
        for one in list {
            match self.apply(&value, op, &one)?.truth() {
                Some(truth) if truth == decisive => return Ok(Value::Bool(decisive)),
                Some(_) => {}
                None => is_unknown = true,
            }
        }
        Ok(if is_unknown { Value::Null } else { Value::Bool(!decisive) })
    }

    fn like(
        &self,
        expr: &Expr,
        pattern: &Expr,
        negated: bool,
        folds: bool,
        scope: &Scope<'_>,
    ) -> Result<Value, Fault> {
        let (text, pattern) = (self.eval(expr, scope)?.text(), self.eval(pattern, scope)?.text());
        let Some((text, pattern)) = text.zip(pattern) else { return Ok(Value::Null) };
        Ok(Value::Bool(self.is_match(&like_pattern(&pattern), &text, folds)? != negated))
    }

    fn access(&self, root: &Expr, chain: &[AccessExpr], scope: &Scope<'_>) -> Result<Value, Fault> {
        let mut value = self.eval(root, scope)?;
        for access in chain {
            let AccessExpr::Subscript(Subscript::Index { index }) = access else { return Err(unknown()) };
            let place = self.eval(index, scope)?.number();
            value = match (value, place) {
                (Value::List(values), Some(place)) => usize::try_from(place - 1)
                    .ok()
                    .and_then(|place| values.get(place).cloned())
                    .unwrap_or(Value::Null),
                _ => Value::Null,
            };
        }
        Ok(value)
    }

    fn cast(&self, value: Value, to: &str) -> Result<Value, Fault> {
        if value == Value::Null {
            return Ok(Value::Null);
        }
        let wrong = || Fault::new("22P02", "this is no value of the type");
        Ok(match to {
            "regclass" => match value.number() {
                Some(number) => {
                    let name = self.catalog.name_of("pg_catalog.pg_class", "relname", number);
                    Value::Named(number, name.unwrap_or_else(|| number.to_string()))
                }
                None => {
                    let text = value.text().unwrap_or_default().replace('"', "");
                    let name = text.strip_prefix("public.").unwrap_or(&text);
                    let missing = || Fault::new("42P01", "there is no such table");
                    // The catalog's own lists have a number, and nothing more.
                    let number = self.catalog.class(name).or_else(|| text.contains("pg_").then_some(0));
                    Value::Named(number.ok_or_else(missing)?, name.to_owned())
                }
            },
            "regtype" => match value.number() {
                Some(number) => Value::Named(number, kind::name(number).to_owned()),
                None => {
                    let number = value.text().and_then(|text| of_name(&text));
                    let number = number.ok_or_else(|| Fault::new("42704", "there is no such type"))?;
                    Value::Named(i64::from(number), kind::name(i64::from(number)).to_owned())
                }
            },
            "regproc" | "regnamespace" | "regrole" => value,
            "bool" | "boolean" => Value::of_truth(value.truth()),
            "int2" | "smallint" | "int4" | "int" | "integer" | "int8" | "bigint" | "oid" => {
                Value::Int(value.number().ok_or_else(wrong)?)
            }
            to if to.ends_with("[]") => match value {
                Value::Text(text) => Value::List(elements(&text)),
                other => other,
            },
            _ => match value {
                Value::List(_) => value,
                other => other.text().map_or(Value::Null, Value::Text),
            },
        })
    }

    pub(super) fn arguments(&self, args: &[FunctionArg], scope: &Scope<'_>) -> Result<Vec<Value>, Fault> {
        let argument = |arg: &FunctionArg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.eval(expr, scope),
            FunctionArg::Unnamed(_) => Ok(Value::Null),
            _ => Err(unknown()),
        };
        args.iter().map(argument).collect()
    }

    /// What two values have to do with each other.
    fn apply(&self, one: &Value, op: &BinaryOperator, other: &Value) -> Result<Value, Fault> {
        use BinaryOperator as Op;
        let compared = |holds: fn(Ordering) -> bool| Value::of_truth(one.compare(other).map(holds));
        let numbers = |figure: fn(i64, i64) -> Option<i64>| {
            let figure = one.number().zip(other.number()).and_then(|(one, other)| figure(one, other));
            figure.map_or(Value::Null, Value::Int)
        };
        let matched = |folds: bool, negated: bool| -> Result<Value, Fault> {
            match one.text().zip(other.text()) {
                Some((text, pattern)) => Ok(Value::Bool(self.is_match(&pattern, &text, folds)? != negated)),
                None => Ok(Value::Null),
            }
        };
        Ok(match op {
            Op::And => Value::of_truth(match (one.truth(), other.truth()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            Op::Or => Value::of_truth(match (one.truth(), other.truth()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            Op::Eq => compared(Ordering::is_eq),
            Op::NotEq => compared(Ordering::is_ne),
            Op::Lt => compared(Ordering::is_lt),
            Op::LtEq => compared(Ordering::is_le),
            Op::Gt => compared(Ordering::is_gt),
            Op::GtEq => compared(Ordering::is_ge),
            Op::Plus => numbers(i64::checked_add),
            Op::Minus => numbers(i64::checked_sub),
            Op::Multiply => numbers(i64::checked_mul),
            Op::Divide => numbers(i64::checked_div),
            Op::Modulo => numbers(i64::checked_rem),
            Op::BitwiseAnd => numbers(|one, other| Some(one & other)),
            Op::StringConcat => match one.text().zip(other.text()) {
                Some((one, other)) if one.len() + other.len() < LONGEST => Value::Text(one + &other),
                _ => Value::Null,
            },
            Op::PGRegexMatch => matched(false, false)?,
            Op::PGRegexNotMatch => matched(false, true)?,
            Op::PGRegexIMatch => matched(true, false)?,
            Op::PGRegexNotIMatch => matched(true, true)?,
            Op::PGCustomBinaryOperator(parts) => match parts.last().map(String::as_str) {
                Some("~") => matched(false, false)?,
                Some("!~") => matched(false, true)?,
                Some("~*") => matched(true, false)?,
                Some("=") => compared(Ordering::is_eq),
                Some("<>") => compared(Ordering::is_ne),
                _ => return Err(unknown()),
            },
            _ => return Err(unknown()),
        })
    }
}

/// How many of a list have to fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantifier {
    Any,
    All,
}

fn scope_lacks(scope: &Scope<'_>, name: &str) -> bool {
    let mut here = Some(scope);
    while let Some(level) = here {
        if level
            .sources
            .iter()
            .any(|source| source.is_open || source.columns.iter().any(|(known, _)| known == name))
        {
            return matches!(
                name,
                "current_user"
                    | "session_user"
                    | "user"
                    | "current_catalog"
                    | "current_schema"
                    | "current_role"
            );
        }
        here = level.outer;
    }
    true
}

/// `{a,b}`
fn elements(text: &str) -> Vec<Value> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
    inner
        .split(',')
        .filter(|one| !one.is_empty())
        .map(|one| Value::Text(one.trim_matches('"').to_owned()))
        .collect()
}

fn among(value: &Value, list: &[Value]) -> Option<bool> {
    if *value == Value::Null {
        return None;
    }
    match list.iter().any(|one| value.compare(one) == Some(Ordering::Equal)) {
        true => Some(true),
        false => (!list.contains(&Value::Null)).then_some(false),
    }
}

fn negate(truth: Option<bool>, negated: bool) -> Value {
    Value::of_truth(truth.map(|truth| truth != negated))
}

pub(super) fn unknown() -> Fault {
    Fault::new("0A000", "an expression of this kind is not known to the catalog")
}

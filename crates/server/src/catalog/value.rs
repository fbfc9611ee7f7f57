//! Values of the catalog.

use std::cmp::Ordering;

/// Bytes of a text that are as much work as looking at one value.
const UNIT: u64 = 32;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Value>),
    /// A number that is shown by a name, as `regclass`.
    Named(i64, String),
}

impl Value {
    /// As PostgreSQL writes it; none is NULL.
    pub(super) fn text(&self) -> Option<String> {
        Some(match self {
            Value::Null => return None,
            Value::Bool(truth) => if *truth { "t" } else { "f" }.to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Text(text) | Value::Named(_, text) => text.clone(),
            Value::List(values) => {
                let cell = |value: &Value| value.text().unwrap_or_else(|| "NULL".to_owned());
                format!("{{{}}}", values.iter().map(cell).collect::<Vec<_>>().join(","))
            }
        })
    }

    /// How much there is of it: a short value is nothing.
    pub(super) fn size(&self) -> u64 {
        match self {
            Value::Null | Value::Bool(_) | Value::Int(_) => 0,
            Value::Text(text) | Value::Named(_, text) => text.len() as u64 / UNIT,
            Value::List(values) => values.iter().map(|value| 1 + value.size()).sum(),
        }
    }

    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Value::Int(number) | Value::Named(number, _) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            Value::Bool(truth) => Some(i64::from(*truth)),
            Value::Null | Value::List(_) => None,
        }
    }

    /// Three truth values: none is unknown.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            Value::Text(text) => match text.as_str() {
                "t" | "true" | "on" | "1" => Some(true),
                "f" | "false" | "off" | "0" => Some(false),
                _ => None,
            },
            Value::Int(number) => Some(*number != 0),
            _ => None,
        }
    }

    pub(super) fn of_truth(truth: Option<bool>) -> Value {
        truth.map_or(Value::Null, Value::Bool)
    }

    /// How two values compare; none where one is NULL, or they have nothing in common.
    pub(super) fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Null, _) | (_, Value::Null) => None,
            (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
            (Value::Bool(_), _) | (_, Value::Bool(_)) => Some(self.truth()?.cmp(&other.truth()?)),
            (Value::List(one), Value::List(other)) => {
                let first = one
                    .iter()
                    .zip(other)
                    .map(|(one, other)| one.compare(other))
                    .find(|it| *it != Some(Ordering::Equal));
                first.unwrap_or(Some(one.len().cmp(&other.len())))
            }
            _ => match (self.number(), other.number()) {
                (Some(one), Some(other)) => Some(one.cmp(&other)),
                _ => Some(self.text()?.cmp(&other.text()?)),
            },
        }
    }

    /// For sorting: NULL is last.
    pub(super) fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => Ordering::Greater,
            (_, Value::Null) => Ordering::Less,
            _ => self.compare(other).unwrap_or(Ordering::Equal),
        }
    }
}

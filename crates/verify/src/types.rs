//! What an attribute is: its role and the type of its values.

use std::borrow::Cow;

use crate::VerifyError;
use crate::calendar;
use crate::decimal::Decimal;
use crate::json::Node;

/// How an attribute is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Identifying,
    QuasiIdentifier,
    Sensitive,
    Insensitive,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Identifying => "identifying",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
        }
    }

    pub(crate) fn parse(node: &Node<'_>) -> Result<Role, VerifyError> {
        match node.str()? {
            "identifying" => Ok(Role::Identifying),
            "quasi-identifier" => Ok(Role::QuasiIdentifier),
            "sensitive" => Ok(Role::Sensitive),
            "insensitive" => Ok(Role::Insensitive),
            _ => Err(node.bad("is no role of this format")),
        }
    }
}

/// The type of the values of an attribute before any generalization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Integer,
    Decimal,
    Date,
    DateTime,
    Boolean,
}

impl Type {
    pub(crate) fn parse(node: &Node<'_>) -> Result<Type, VerifyError> {
        match node.str()? {
            "string" => Ok(Type::String),
            "integer" => Ok(Type::Integer),
            "decimal" => Ok(Type::Decimal),
            "date" => Ok(Type::Date),
            "datetime" => Ok(Type::DateTime),
            "boolean" => Ok(Type::Boolean),
            _ => Err(node.bad("is no type of this format")),
        }
    }

    /// Whether the text is a value of this type.
    pub(crate) fn fits(self, text: &str) -> bool {
        // Plain numbers are common, and there may be a million of them.
        let is_plain =
            |text: &str| (1..=100).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Type::String => true,
            Type::Integer | Type::Decimal if is_plain(text) => true,
            _ => self.canonical(text).is_some(),
        }
    }

    /// One spelling for all spellings of a value, so that `34.0` from a typed column meets `34` in the manifest.
    /// `None` if the text is no value of this type.
    pub(crate) fn canonical(self, text: &str) -> Option<Cow<'_, str>> {
        match self {
            Type::String => Some(Cow::Borrowed(text)),
            Type::Integer => {
                let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
                let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                let number = if whole { Decimal::parse(text) } else { None };
                number.map(|number| Cow::Owned(number.to_string()))
            }
            Type::Decimal => Decimal::parse(text).map(|number| Cow::Owned(number.to_string())),
            Type::Date => calendar::canonical_date(text).map(Cow::Owned),
            Type::DateTime => calendar::canonical_datetime(text).map(Cow::Owned),
            Type::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "yes" | "ja" | "1" => Some(Cow::Borrowed("true")),
                "false" | "f" | "no" | "nein" | "0" => Some(Cow::Borrowed("false")),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_own_type_only() {
        assert!(Type::Integer.fits("-34") && !Type::Integer.fits("34.0") && !Type::Integer.fits("20-24"));
        assert!(Type::Decimal.fits("34.50") && !Type::Decimal.fits("NaN"));
        assert!(
            Type::Date.fits("2024-03-09") && Type::Date.fits("09.03.2024") && !Type::Date.fits("2024-03")
        );
        assert!(Type::DateTime.fits("2024-03-09T14:05:07") && !Type::DateTime.fits("2024-03-09T14"));
        assert!(Type::Boolean.fits("true") && !Type::Boolean.fits("*"));
        assert!(Type::String.fits("anything"));
    }

    #[test]
    fn spellings_of_a_number_come_together() {
        assert_eq!(Type::Decimal.canonical("34.50"), Type::Decimal.canonical("34.5"));
        assert_eq!(Type::Integer.canonical("+07"), Type::Integer.canonical("7"));
    }
}

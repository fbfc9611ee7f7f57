//! Names of rules as arguments: any text, and shells offer the ones there are.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use paravent_algebra::rules::{catalogue, rewriter_names};
use std::ffi::OsStr;

/// Takes any text: what is wrong with a name is better said where the nearest one is known.
#[derive(Debug, Clone)]
pub struct RuleNames;

impl TypedValueParser for RuleNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let ids = catalogue().into_iter().map(|rule| rule.card().id);
        Some(Box::new(ids.chain(rewriter_names()).map(PossibleValue::new)))
    }
}

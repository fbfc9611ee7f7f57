//! The value, then `*`: what a quasi-identifier without a hierarchy gets.

use super::kind::Kind;
use super::{TOP, Unplaced};
use std::borrow::Cow;

pub(super) struct Whole;

impl Kind for Whole {
    fn in_words(&self) -> &'static str {
        "the value or nothing"
    }

    fn max_level(&self) -> u8 {
        1
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Ok(if level == 0 { value.map(Cow::Borrowed) } else { Some(Cow::Borrowed(TOP)) })
    }
}

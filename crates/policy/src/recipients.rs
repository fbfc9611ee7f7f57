//! `[[recipients]]`: who asks, what for, and how far they are trusted.

use crate::choice::words;
use paravent_job::keys::{self, Key, Takes, key, needed};
use paravent_job::walk::{Item, Walk};
use paravent_job::{BudgetLimit, DecimalText};

pub(crate) const KEYS: &[Key] = &[
    needed("role", Takes::Text, "Name of the recipient, as in `ask --as`"),
    needed("purposes", Takes::List(&Takes::Text), "What answers may be used for"),
    key("trust", Takes::Choice(keys::words::<Trust>), "How far; untrusted unless written"),
    key(
        "group",
        Takes::Text,
        "Recipients of a group are taken to share what they have; the role alone unless written",
    ),
    key("budget", Takes::Table(BUDGET), "What all noisy answers to the group may cost together"),
    key("answers", Takes::Table(ANSWERS), "How often"),
];

const BUDGET: &[Key] = &[
    needed("epsilon", Takes::Decimal, "Above 0"),
    key("delta", Takes::Decimal, "At least 0 and below 1"),
    key("renew", Takes::Text, "\"never\", or a number of days, as in \"90 days\""),
];

const ANSWERS: &[Key] = &[needed("per_day", Takes::Whole(1, u32::MAX as u64), "Most answers of a day")];

/// How far a recipient is trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Gets noise in every figure.
    #[default]
    Untrusted,
    /// May get exact figures, which are held against each other.
    Trusted,
    /// The owner of the data.
    Owner,
}
words!(Trust { Untrusted: "untrusted", Trusted: "trusted", Owner: "owner" });

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// Name.
    pub role: String,
    /// What answers may be used for; not empty.
    pub purposes: Vec<String>,
    /// How far it is trusted.
    pub trust: Trust,
    /// Whom it is taken to collude with: recipients of one group have one account.
    pub group: String,
    /// What all noisy answers to the group may cost. None: no noisy answer at all.
    pub budget: Option<Budget>,
    /// Most answers of a day.
    pub answers_per_day: Option<u32>,
}

/// What all noisy answers may cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// ε and δ.
    pub limit: BudgetLimit,
    /// After so many days there is a new one; none: never.
    pub renew_days: Option<u32>,
}

impl Recipient {
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Recipient> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let role = section.require(walk, "role", "\"research\"").and_then(|item| item.name(walk));
        let purposes = section
            .require(walk, "purposes", "[\"statistics\"]")
            .and_then(|item| crate::tables::names(walk, &item));
        let trust = match section.get(walk, "trust", "\"untrusted\"") {
            Some(item) => item.choice(walk, "a degree of trust"),
            None => Some(Trust::default()),
        };
        let group = match section.get(walk, "group", "\"university\"") {
            Some(item) => item.name(walk).map(|group| Some(group.to_owned())),
            None => Some(None),
        };
        let budget = match section.get(walk, "budget", "{ epsilon = \"2\", delta = \"1e-6\" }") {
            Some(item) => budget(walk, &item).map(Some),
            None => Some(None),
        };
        let answers_per_day = match section.get(walk, "answers", "{ per_day = 500 }") {
            Some(item) => item.section(walk).and_then(|section| {
                section.allow_keys(walk, ANSWERS);
                section.require(walk, "per_day", "500")?.u32(walk, 1).map(Some)
            }),
            None => Some(None),
        };
        let role = role?.to_owned();
        Some(Recipient {
            group: group?.unwrap_or_else(|| role.clone()),
            role,
            purposes: purposes?,
            trust: trust?,
            budget: budget?,
            answers_per_day: answers_per_day?,
        })
    }
}

fn budget(walk: &mut Walk, item: &Item<'_>) -> Option<Budget> {
    let section = &item.section(walk)?;
    section.allow_keys(walk, BUDGET);
    let epsilon = section.require(walk, "epsilon", "\"2\"").and_then(|item| above_zero(walk, &item));
    let delta = delta_of(walk, section.get(walk, "delta", "\"1e-6\""));
    let renew = match section.get(walk, "renew", "\"never\"") {
        None => Some(None),
        Some(item) => match item.string(walk)? {
            "never" => Some(None),
            text => {
                let days = text.strip_suffix(" days").or_else(|| text.strip_suffix(" day"));
                let days = days.and_then(|days| days.parse::<u32>().ok()).filter(|&days| days > 0);
                if days.is_none() {
                    let advice = "Write renew = \"never\" or, say, renew = \"90 days\"";
                    walk.report(item.line, &item.key, "is no time after which a budget is new", advice);
                    return None;
                }
                Some(days)
            }
        },
    };
    let limit = BudgetLimit { epsilon: epsilon?, delta: delta? };
    Some(Budget { limit, renew_days: renew? })
}

/// ε
pub(crate) fn above_zero(walk: &mut Walk, item: &Item<'_>) -> Option<DecimalText> {
    item.decimal_in(walk, "above 0", |epsilon| epsilon.scaled() > 0)
}

/// δ, 0 unless written.
pub(crate) fn delta_of(walk: &mut Walk, item: Option<Item<'_>>) -> Option<DecimalText> {
    match item {
        Some(item) => item.decimal_in(walk, "at least 0 and below 1", |delta| {
            0 <= delta.scaled() && *delta < DecimalText::from(1)
        }),
        None => Some(DecimalText::from(0)),
    }
}

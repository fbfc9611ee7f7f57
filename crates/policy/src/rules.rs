//! `[[rules]]`: what columns may be used for, and which rows there are.

use crate::access::{Aggregate, Claim, Extent, Noise};
use crate::choice::words;
use crate::recipients::{above_zero, delta_of};
use crate::tables::names;
use paravent_job::keys::{self, Key, Takes, key, needed};
use paravent_job::walk::{Item, Section, Walk};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const KEYS: &[Key] = &[
    needed("id", Takes::Text, "Name of the rule, as refusals and annotations call it"),
    key("for", Takes::Table(FOR), "Whom it concerns; all recipients unless written"),
    needed("table", Takes::Text, "The table"),
    key("columns", Takes::List(&Takes::Text), "The columns; without them the rule is about rows"),
    key("show", EXTENT, "Cells in answers: false, true, or the lowest level"),
    key("filter", EXTENT, "Conditions: false, true, or the lowest level"),
    key("group", EXTENT, "Groups: false, true, or the lowest level"),
    key("aggregate", Takes::List(&Takes::Choice(keys::words::<Aggregate>)), "Figures of groups"),
    key("noise", Takes::Table(NOISE), "The most that one answer may tell"),
    key("deny", Takes::Truth, "Beats every other rule"),
    key("where", Takes::Text, "Condition of the rows that exist for the recipient"),
    key("times", Takes::Table(TIMES), "How fine times are"),
    key("why", Takes::Text, "Ground of the rule; goes into refusals and annotations"),
];

pub(crate) const EXTENT: Takes = Takes::Either(&[Takes::Truth, Takes::Whole(0, 255)]);

pub(crate) const FOR: &[Key] =
    &[key("role", Takes::Text, "A recipient"), key("purpose", Takes::Text, "A purpose")];

const NOISE: &[Key] = &[
    needed("epsilon", Takes::Decimal, "ε of one answer at most; above 0"),
    key("delta", Takes::Decimal, "δ of one answer at most; without it groups must be declared in advance"),
];

const TIMES: &[Key] = &[
    needed("column", Takes::Text, "The column"),
    needed("grain", Takes::Choice(keys::words::<Grain>), "The finest unit"),
];

/// Whom a rule concerns. What is not written is left open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct For {
    /// A recipient.
    pub role: Option<String>,
    /// A purpose.
    pub purpose: Option<String>,
}

impl For {
    /// Whether a question of that kind is meant.
    pub fn covers(&self, role: &str, purpose: &str) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        fits(&self.role, role) && fits(&self.purpose, purpose)
    }

    pub(crate) fn read(walk: &mut Walk, item: Option<Item<'_>>) -> Option<For> {
        let Some(item) = item else { return Some(For::default()) };
        let section = &item.section(walk)?;
        section.allow_keys(walk, FOR);
        let mut text = |key: &'static str, example: &str| match section.get(walk, key, example) {
            Some(item) => item.name(walk).map(|name| Some(name.to_owned())),
            None => Some(None),
        };
        let (role, purpose) = (text("role", "\"research\""), text("purpose", "\"statistics\""));
        Some(For { role: role?, purpose: purpose? })
    }
}

/// The finest unit of times, from fine to coarse. Each divides the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grain {
    /// Days.
    Day,
    /// Months.
    Month,
    /// Quarters.
    Quarter,
    /// Years.
    Year,
}
words!(Grain { Day: "day", Month: "month", Quarter: "quarter", Year: "year" });

/// Which rows exist for a recipient, and how fine their times are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// All of them must hold.
    pub conditions: BTreeSet<String>,
    /// By column.
    pub times: BTreeMap<String, Grain>,
}

impl Rows {
    /// Rows that both have, with the coarser times.
    #[must_use]
    pub fn meet(&self, other: &Rows) -> Rows {
        let mut times = self.times.clone();
        for (column, &grain) in &other.times {
            let kept = times.entry(column.clone()).or_insert(grain);
            *kept = grain.max(*kept);
        }
        Rows { conditions: self.conditions.union(&other.conditions).cloned().collect(), times }
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub id: String,
    /// Whom it concerns.
    pub whom: For,
    /// The table.
    pub table: String,
    /// The columns; none: the rule is about the rows of the table.
    pub columns: Vec<String>,
    /// What they may be used for. Of a rule about rows: whether and how rows may be counted.
    pub claim: Claim,
    /// Which rows there are; only of a rule about rows.
    pub rows: Rows,
    /// Ground of the rule.
    pub why: Option<String>,
}

impl Rule {
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Rule> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let id = section.require(walk, "id", "\"age\"").and_then(|item| item.name(walk));
        let whom = For::read(walk, section.get(walk, "for", "{ role = \"research\" }"));
        let table = section.require(walk, "table", "\"patients\"").and_then(|item| item.name(walk));
        let columns = match section.get(walk, "columns", "[\"age\"]") {
            Some(item) => names(walk, &item),
            None => Some(Vec::new()),
        };
        let claim = claim(walk, section);
        let rows = rows(walk, section);
        let why = match section.get(walk, "why", "\"DPIA 2026-04, section 3\"") {
            Some(item) => item.string(walk).map(|why| Some(why.to_owned())),
            None => Some(None),
        };
        let rule = Rule {
            id: id?.to_owned(),
            whom: whom?,
            table: table?.to_owned(),
            columns: columns?,
            claim: claim?,
            rows: rows?,
            why: why?,
        };
        fits_together(walk, section, &rule)?;
        Some(rule)
    }

    /// Whether the rule speaks of rows, not of columns.
    pub fn is_about_rows(&self) -> bool {
        self.columns.is_empty()
    }
}

/// What a rule says about columns, from a section that may hold other keys as well.
pub(crate) fn claim(walk: &mut Walk, section: &Section<'_>) -> Option<Claim> {
    let (show, filter, group) =
        (extent(walk, section, "show"), extent(walk, section, "filter"), extent(walk, section, "group"));
    let aggregate = match section.get(walk, "aggregate", "[\"count\", \"avg\"]") {
        Some(item) => {
            let list = item
                .list(walk, 0, |walk, entry| entry.choice::<Aggregate>(walk, "a figure that is answered"));
            list.map(|list| Some(list.into_iter().collect()))
        }
        None => Some(None),
    };
    let noise = match section.get(walk, "noise", "{ epsilon = \"0.1\" }") {
        Some(item) => item.section(walk).and_then(|section| noise(walk, &section)).map(Some),
        None => Some(None),
    };
    let deny = match section.get(walk, "deny", "true") {
        Some(item) => match item.truth(walk)? {
            true => Some(true),
            false => {
                let advice =
                    "Leave it out: what no rule allows is denied anyway, and no rule can undo a deny";
                walk.report(item.line, &item.key, "says nothing", advice);
                None
            }
        },
        None => Some(false),
    };
    Some(Claim {
        deny: deny?,
        show: show?,
        filter: filter?,
        group: group?,
        aggregate: aggregate?,
        noise: noise?,
    })
}

fn noise(walk: &mut Walk, section: &Section<'_>) -> Option<Noise> {
    section.allow_keys(walk, NOISE);
    let epsilon = section.require(walk, "epsilon", "\"0.1\"").and_then(|item| above_zero(walk, &item));
    let delta = delta_of(walk, section.get(walk, "delta", "\"1e-8\""));
    Some(Noise { epsilon: epsilon?, delta: delta? })
}

fn extent(walk: &mut Walk, section: &Section<'_>, key: &'static str) -> Option<Option<Extent>> {
    let Some(item) = section.get(walk, key, "1") else { return Some(None) };
    if item.is_truth() {
        return item.truth(walk).map(|truth| Some(if truth { Extent::From(0) } else { Extent::Denied }));
    }
    item.u8(walk, 0).map(|level| Some(Extent::From(level)))
}

fn rows(walk: &mut Walk, section: &Section<'_>) -> Option<Rows> {
    let condition = match section.get(walk, "where", "\"ward <> 'psychiatry'\"") {
        Some(item) => item.name(walk).map(|text| Some(text.to_owned())),
        None => Some(None),
    };
    let times = match section.get(walk, "times", "{ column = \"admitted\", grain = \"month\" }") {
        Some(item) => item.section(walk).and_then(|section| {
            section.allow_keys(walk, TIMES);
            let column = section.require(walk, "column", "\"admitted\"").and_then(|item| item.name(walk));
            let grain = section
                .require(walk, "grain", "\"month\"")
                .and_then(|item| item.choice::<Grain>(walk, "a unit of time"));
            Some(Some((column?.to_owned(), grain?)))
        }),
        None => Some(None),
    };
    Some(Rows { conditions: condition?.into_iter().collect(), times: times?.into_iter().collect() })
}

/// Keys that are about columns need columns, and the other way round.
fn fits_together(walk: &mut Walk, section: &Section<'_>, rule: &Rule) -> Option<()> {
    let mut fits = Some(());
    let mut refuse = |walk: &mut Walk, key: &'static str, message: &str, advice: &str| {
        if let Some(item) = section.get(walk, key, "") {
            walk.report(item.line, &item.key, message, advice);
            fits = None;
        }
    };
    if rule.is_about_rows() {
        for key in ["show", "filter", "group"] {
            refuse(walk, key, "is about columns, and the rule names none", "Write columns = [\"age\"]");
        }
        let other = [Aggregate::Sum, Aggregate::Avg];
        if rule.claim.aggregate.iter().flatten().any(|aggregate| other.contains(aggregate)) {
            let advice = "Rows can only be counted: aggregate = [\"count\"]; for sums name the columns";
            refuse(walk, "aggregate", "is about columns, and the rule names none", advice);
        }
    } else {
        for key in ["where", "times"] {
            refuse(
                walk,
                key,
                "is about rows, and the rule names columns",
                "Write a rule of its own, without columns",
            );
        }
    }
    if rule.claim == Claim::default() && rule.rows == Rows::default() {
        let advice = "Say what is allowed, as in group = 1 and aggregate = [\"count\"], or write deny = true";
        walk.report(section.line, &section.path, "the rule says nothing", advice);
        return None;
    }
    fits
}

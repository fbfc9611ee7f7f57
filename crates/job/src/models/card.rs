//! What is known about a model, whatever its parameters; `docs/models.md` is made from it.

use super::ModelName;
use super::told::Telling;
use std::fmt::Write;

/// A model in general.
#[derive(Debug)]
pub struct Card {
    /// Its name in the job file.
    pub name: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// What every released class keeps.
    pub statement: &'static str,
    /// What it is good for, and what it leaves open.
    pub meaning: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its keys beside `model`.
    pub keys: &'static [Key],
    /// Whether a class that keeps it still does when more people join it. Then the largest set of people in whose rows every class keeps
    /// it is unique.
    pub more_people_never_hurt: bool,
    /// Whether it counts different values of one column, so that an empty cell is no value.
    pub asks_for_values: bool,
    /// Whether classes that keep it keep it when they are united.
    pub unions: Unions,
    /// Whether a release keeps it when it is looked at as a table of its own.
    pub result: Kept,
    /// Whether it can be judged on tokens that stand for values.
    pub tokens: Tokens,
    /// How it is worded, measured and weighed in reports.
    pub telling: &'static dyn Telling,
}

/// A key of a model.
#[derive(Debug)]
pub struct Key {
    /// How it is written.
    pub name: &'static str,
    /// What it says, with its range.
    pub says: &'static str,
    /// A value that would be right.
    pub example: &'static str,
}

/// Whether classes that keep a promise keep it when they are united.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unions {
    /// Always.
    Survives,
    /// Classes of one table, all compared with the same distribution.
    OfOneTable,
    /// It is not known to.
    Unknown,
}

/// Whether a release keeps a promise when it is looked at as a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Yes.
    Always,
    /// Only if no row was left out, and why.
    WithoutSuppression(&'static str),
    /// No, and why.
    No(&'static str),
}

/// Whether a promise can be judged on tokens that stand for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// It asks only which tokens are equal.
    Suffice,
    /// It names values, computes with them, or no protocol carries it.
    DoNot,
}

/// The page `docs/models.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Privacy models\n\n\
         This page is made from the cards in `crates/job/src/models`; a test holds the two together.\n\
         Rewrite it with `PARAVENT_BLESS=1 cargo test -p paravent-job the_page_is_made`.\n",
    );
    for name in ModelName::ALL {
        let card = name.card();
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n{}\n\n| key | says | e.g. |\n|---|---|---|\n",
            card.name, card.statement, card.meaning
        );
        for key in card.keys {
            let _ = writeln!(page, "| `{}` | {} | `{}` |", key.name, key.says, key.example);
        }
        let people = if card.more_people_never_hurt { "yes" } else { "not always" };
        let unions = match card.unions {
            Unions::Survives => "yes",
            Unions::OfOneTable => "for classes of one table",
            Unions::Unknown => "not known",
        };
        let result = match card.result {
            Kept::Always => "yes".to_owned(),
            Kept::WithoutSuppression(why) => format!("if no row was left out: else it {why}"),
            Kept::No(why) => format!("no: it {why}"),
        };
        let tokens = match card.tokens {
            Tokens::Suffice => "yes",
            Tokens::DoNot => "no",
        };
        let _ = write!(
            page,
            "\n- Still kept when more people join a class: {people}.\n- Survives when classes are united: {unions}.\n\
             - Kept by the release as a table of its own: {result}.\n- Can be judged on tokens: {tokens}.\n\n\
             Source: {}\n",
            card.source
        );
    }
    page
}

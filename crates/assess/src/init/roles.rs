//! What each column can give away, and why that is thought.

use super::combinations::{Combination, DenseColumn, Found, Limits, search};
use super::meaning::{Codes, codes_of};
use super::profile::{Column, Profile};
use super::unchanged::{coarsened, names_people};
use super::words::{counted, listed, number, percent};
use super::{Distinct, InitOptions, Preset};
use paravent_evidence::columns::{Hint, hint};
use paravent_job::{DataType, Role};

/// The role of a column.
#[derive(Debug)]
pub(super) struct Assigned {
    pub(super) role: Role,
    pub(super) reason: String,
    /// Whether its name says what it is; if not, it is the first to be given up.
    pub(super) by_name: bool,
    /// Whether it names nobody and is left out all the same.
    pub(super) left_out: bool,
}

/// Share of rows with their own value from which on a column is almost unique.
const ALMOST_UNIQUE: f64 = 0.9;
/// With fewer rows nothing can be said about uniqueness.
pub(super) const ENOUGH_ROWS: u64 = 20;
/// Most values of a harmless column.
const FEW: u64 = 20;
/// Fewest digits of a number that is a key and not a measure.
const KEY_DIGITS: usize = 6;
/// Fewest numbers that can be told to be handed out one after the other.
const ENOUGH_KEYS: usize = 100;

/// Assigns a role to every column, and says which combinations of columns single rows out.
pub(super) fn assign(profile: &Profile, options: &InitOptions) -> (Vec<Assigned>, Found) {
    let looks_for = |preset| -> Vec<Look> {
        profile.columns.iter().map(|column| look(column, profile.rows, preset)).collect()
    };
    let mut looks = looks_for(options.preset);
    // Where nothing else could be generalized, measured values are.
    if !looks.iter().any(|look| look.role == Role::QuasiIdentifier) {
        looks = looks_for(Preset::Research);
    }
    let candidates: Vec<DenseColumn> = (looks.iter().zip(&profile.columns).enumerate())
        .filter(|(_, (look, column))| look.role == Role::QuasiIdentifier && column.values().is_some())
        .map(|(i, (_, column))| DenseColumn::of(&profile.sample, i, &column.missing_codes()))
        .collect();
    let limits =
        Limits { share: options.unique_share, size: options.combination_size, effort: options.effort };
    let found = search(&candidates, &limits);
    let assigned = (looks.into_iter().zip(&profile.columns).enumerate())
        .map(|(i, (look, column))| look.finish(i, column, profile, &found))
        .collect::<Vec<_>>();
    (coarsened(profile, rescued(assigned), options.preset), found)
}

/// What a column looks like on its own.
struct Look {
    role: Role,
    why: String,
    by_name: bool,
    /// A quasi-identifier only because nothing says otherwise.
    unsure: bool,
    left_out: bool,
}

impl Look {
    fn named(role: Role, why: String) -> Self {
        Self { role, why, by_name: true, unsure: false, left_out: false }
    }

    fn seen(role: Role, why: &str) -> Self {
        Self { role, why: why.to_owned(), by_name: false, unsure: false, left_out: false }
    }

    fn finish(self, i: usize, column: &Column, profile: &Profile, found: &Found) -> Assigned {
        let strongest = strongest(i, found);
        // A combination that singles rows out is reason enough.
        let why = Some(self.why).filter(|_| strongest.is_none() || !self.unsure);
        let together = strongest.map(|combination| singled_out(i, combination, profile));
        let parts = [why, Some(facts(column, profile.rows)), together];
        let reason = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        Assigned { role: self.role, reason, by_name: self.by_name, left_out: self.left_out }
    }
}

fn look(column: &Column, rows: u64, preset: Preset) -> Look {
    let hint = hint(&column.name);
    let says = |what: &str| format!("by its name {what}");
    let is_date = matches!(column.data_type, DataType::Date | DataType::DateTime);
    let almost_unique = almost_unique(column, rows);
    match hint {
        Hint::Identifying(what) => return Look::named(Role::Identifying, says(what)),
        Hint::FreeText if column.data_type == DataType::String => {
            return Look::named(Role::Identifying, says("free text, which may name people"));
        }
        Hint::Number if column.distinct.at_least() * 2 >= rows - column.missing => {
            return Look::named(Role::Identifying, says("a number that may stand for a person"));
        }
        // An income may have as many digits as a key: only numbers that follow each other name people under such a name.
        Hint::Sensitive(what)
            if almost_unique
                && (column.data_type == DataType::String
                    || Numbers::of(column).is_some_and(|n| n.follow_each_other())) =>
        {
            let why = format!("{}, but almost every row has its own value", says(what));
            return Look::named(Role::Identifying, why);
        }
        Hint::Sensitive(what) if !is_date => return Look::named(Role::Sensitive, says(what)),
        Hint::None | Hint::Number | Hint::Harmless if names_people(column, rows) => {
            return Look::seen(Role::Identifying, "its cells look like names of people");
        }
        _ => {}
    }
    let codes = codes_of(column);
    if hint == Hint::None && matches!(codes, Some(Codes::Icd10 | Codes::Icd10Cm | Codes::Atc)) {
        return Look::seen(Role::Sensitive, "its cells look like codes of diagnoses or drugs");
    }
    if column.contents() <= 1 {
        let why = if column.missing == rows { "no values at all" } else { "the same in every row" };
        return Look::seen(Role::Insensitive, why);
    }
    if matches!(column.distinct, Distinct::MoreThan(_)) && !is_date {
        return Look::seen(
            Role::Identifying,
            "too many different values to be generalized, so it is left out",
        );
    }
    match hint {
        // `Entlassart` is about a discharge, and no date.
        Hint::QuasiIdentifying("a date others may know") if column.data_type == DataType::String => {
            Look::named(Role::QuasiIdentifier, says("about an event others may know"))
        }
        Hint::QuasiIdentifying(what) | Hint::Sensitive(what) => {
            Look::named(Role::QuasiIdentifier, says(what))
        }
        Hint::Harmless if column.contents() <= FEW => {
            Look::named(Role::Insensitive, says("nothing about people"))
        }
        _ if almost_unique
            && (column.data_type == DataType::String
                || Numbers::of(column).is_some_and(|n| n.are_keys())) =>
        {
            Look::seen(Role::Identifying, "almost every row has its own value")
        }
        Hint::None | Hint::Number if is_measured(column) && preset != Preset::Research => {
            let what = match uniqueness(column, rows) >= ALMOST_UNIQUE {
                true => "a measured value: nearly everybody has another one",
                false => "it looks like a measured value, of which the others would lose detail",
            };
            let keep = "so it is left out; to keep it, uncomment it in the job, or run init --for research";
            Look { left_out: true, ..Look::seen(Role::Identifying, &format!("{what}, {keep}")) }
        }
        _ => Look {
            unsure: true,
            ..Look::seen(
                Role::QuasiIdentifier,
                "nothing says that it is harmless, so it counts as known to others",
            )
        },
    }
}

/// Numbers that are results of measuring: with fractions, or of many values.
pub(super) fn is_measured(column: &Column) -> bool {
    match column.data_type {
        DataType::Decimal => column.distinct.at_least() > FEW,
        DataType::Integer => {
            column.distinct.at_least() > 2 * FEW && super::meaning::codes_of(column).is_none()
        }
        _ => false,
    }
}

/// Different values per value; 0 for tables too small to tell.
fn uniqueness(column: &Column, rows: u64) -> f64 {
    let present = rows - column.missing;
    if present < ENOUGH_ROWS { 0.0 } else { column.distinct.at_least() as f64 / present as f64 }
}

/// Does almost every row have its own value?
pub(super) fn almost_unique(column: &Column, rows: u64) -> bool {
    uniqueness(column, rows) >= ALMOST_UNIQUE
}

/// The different cells of a column of whole numbers.
struct Numbers {
    count: usize,
    smallest: i128,
    largest: i128,
    /// Digits of all of them, if they have the same number.
    length: Option<usize>,
}

impl Numbers {
    fn of(column: &Column) -> Option<Numbers> {
        let values = column.values().filter(|_| column.data_type == DataType::Integer)?;
        let numbers = values.filter_map(|(value, _)| Some((value.parse::<i128>().ok()?, value.len())));
        numbers.fold(None, |found: Option<Numbers>, (number, length)| {
            let first = Numbers { count: 0, smallest: number, largest: number, length: Some(length) };
            let known = found.unwrap_or(first);
            Some(Numbers {
                count: known.count + 1,
                smallest: known.smallest.min(number),
                largest: known.largest.max(number),
                length: known.length.filter(|known| *known == length),
            })
        })
    }

    /// Handed out one after the other.
    fn follow_each_other(&self) -> bool {
        self.count >= ENOUGH_KEYS && self.largest.saturating_sub(self.smallest) / 2 < self.count as i128
    }

    /// Handed out: one after the other, or all with the same, large number of digits.
    fn are_keys(&self) -> bool {
        self.follow_each_other() || self.length.is_some_and(|length| length >= KEY_DIGITS)
    }
}

/// The smallest combination with the column, of those the one that singles out most.
fn strongest(column: usize, found: &Found) -> Option<&Combination> {
    let with = found.combinations.iter().filter(|combination| combination.columns.contains(&column));
    with.min_by(|a, b| a.columns.len().cmp(&b.columns.len()).then(b.unique.total_cmp(&a.unique)))
}

fn facts(column: &Column, rows: u64) -> String {
    let values = match column.distinct {
        Distinct::Exactly(count) => counted(count, "value", "different values"),
        more => format!("{more} different values"),
    };
    let missing = match column.missing {
        0 => String::new(),
        missing => format!(", {} missing", number(missing)),
    };
    format!("{values} in {}{missing}", counted(rows, "row", "rows"))
}

fn singled_out(column: usize, combination: &Combination, profile: &Profile) -> String {
    let others = combination.columns.iter().filter(|other| **other != column);
    let others: Vec<&str> = others.map(|other| profile.columns[*other].name.as_str()).collect();
    let rows = match profile.sample.len() as u64 {
        sampled if sampled < profile.rows => format!("of {} sampled rows", number(sampled)),
        _ => "of the rows".to_owned(),
    };
    let share = percent(combination.unique);
    match others.is_empty() {
        true => format!("its value alone is unique in {share} {rows}"),
        false => format!("together with {} it is unique in {share} {rows}", listed(others)),
    }
}

/// A job needs something to generalize. A constant column does, and so does a sensitive one.
fn rescued(mut assigned: Vec<Assigned>) -> Vec<Assigned> {
    if assigned.iter().any(|column| column.role == Role::QuasiIdentifier) {
        return assigned;
    }
    let with = |role| assigned.iter().position(|column: &Assigned| column.role == role);
    if let Some(i) = with(Role::Insensitive).or_else(|| with(Role::Sensitive)) {
        assigned[i].role = Role::QuasiIdentifier;
        assigned[i].reason.push_str("; but no other column can be generalized");
    }
    assigned
}

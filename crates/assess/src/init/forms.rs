//! The forms that the cells of one column have: signs of numbers, orders of day, month and year.

use paravent_core::values::{NumberSpelling, Pattern, Spelling, ValueType};
use paravent_evidence::columns::{Hint, hint};

/// Days in the orders and with the signs that people use. Those that can be mistaken for one another stand in the order of preference.
const DAYS: [&str; 22] = [
    "dd.MM.yyyy",
    "d.M.yyyy",
    "MM/dd/yyyy",
    "M/d/yyyy",
    "dd/MM/yyyy",
    "d/M/yyyy",
    "dd-MM-yyyy",
    "MM-dd-yyyy",
    "yyyy/MM/dd",
    "yyyy.MM.dd",
    "yyyy-MM-dd",
    "dd-MMM-yyyy",
    "dd MMM yyyy",
    "d MMM yyyy",
    "ddMMMyyyy",
    "MMM d, yyyy",
    "yyyyMMdd",
    "dd.MM.yy",
    "MM/dd/yy",
    "M/d/yy",
    "dd/MM/yy",
    "dd-MMM-yy",
];

/// Times behind a day.
const TIMES: [&str; 7] = ["", " HH:mm", " HH:mm:ss", " H:mm", " h:mm a", " hh:mm a", " hh:mm:ss a"];

/// Decimal sign and grouping sign.
const SIGNS: [(char, Option<char>); 11] = [
    (',', None),
    (',', Some('.')),
    ('.', Some(',')),
    (',', Some(' ')),
    (',', Some('\u{a0}')),
    (',', Some('\u{202f}')),
    (',', Some('\'')),
    (',', Some('\u{2019}')),
    ('.', Some('\'')),
    ('.', Some('\u{2019}')),
    ('.', Some(' ')),
];

/// A form is rejected if this number of cells do not have it, however many do.
const MOST_ODD: u64 = 1000;
/// One cell in this number may be written otherwise.
const ODD_ONE_IN: u64 = 20;

/// What the other columns and the file say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Some column has decimal commas beyond doubt.
    pub(super) comma: bool,
    /// Some column has decimal points beyond doubt.
    pub(super) point: bool,
    /// Some column has a day before its month beyond doubt.
    pub(super) day_first: bool,
    /// The byte between two cells.
    pub(super) delimiter: Option<u8>,
    /// Numbers are values, as in a workbook: only those in cells of text have signs that somebody chose.
    pub(super) typed: bool,
}

/// How a column is written.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) spelling: Option<Spelling>,
    pub(super) notes: Vec<String>,
    /// Whether its numbers can be read in two ways, and nothing says which.
    pub(super) two_ways: bool,
    /// The form that nearly all cells have, with the number of all cells and of those that are written otherwise.
    pub(super) mostly: Option<(Form, u64, u64)>,
}

/// A form that a few cells of a column may lack.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Dates(Pattern),
    /// Whole numbers as the engine writes them, in a column that is a quantity by its name.
    Numbers,
}

impl Form {
    /// What a cell is in this form, as the engine writes it.
    pub(super) fn read(&self, cell: &str) -> Option<String> {
        match self {
            Form::Dates(pattern) => pattern.read(cell),
            Form::Numbers => is_whole(cell).then(|| cell.to_owned()),
        }
    }

    pub(super) fn guesses_the_century(&self) -> bool {
        matches!(self, Form::Dates(pattern) if pattern.guesses_the_century())
    }

    /// `12 of 13 cells are …`
    pub(super) fn name(&self) -> &str {
        match self {
            Form::Dates(pattern) => pattern.as_str(),
            Form::Numbers => "whole numbers",
        }
    }
}

/// The forms that the cells of a column have so far.
pub(super) struct Forms {
    /// With the number of cells that are written otherwise.
    patterns: Vec<(Pattern, u64)>,
    signs: Vec<(char, Option<char>)>,
    seen: u64,
    /// Cells with the digits and signs of a date.
    dated: u64,
    /// Whether every cell is a day or a moment as the engine writes it, also with an offset from universal time.
    moments: bool,
    /// Whether every cell is a number beside a sign of a currency.
    amounts: bool,
    /// Whether every cell is a number as the engine writes it.
    plain: bool,
    /// Cells that are no whole numbers, as the engine writes them.
    not_whole: u64,
    /// Whether a cell has a zero in front, so that the cells are codes.
    codes: bool,
    /// Whether every cell is a number in some signs, be they different ones.
    numeric: bool,
    /// Whether every comma has three digits behind it and one to three before the first, as in `8,123`.
    comma_thousands: bool,
    /// The same for points.
    point_thousands: bool,
    comma_seen: bool,
    point_seen: bool,
    /// Whether a cell has a decimal sign of its own, or a grouping sign.
    sign_seen: bool,
    last: String,
    last_was_odd: bool,
}

impl Forms {
    pub(super) fn new() -> Forms {
        let patterns = DAYS
            .iter()
            .flat_map(|day| TIMES.iter().filter_map(move |time| Pattern::new(&format!("{day}{time}")).ok()));
        Forms {
            patterns: patterns.map(|pattern| (pattern, 0)).collect(),
            signs: SIGNS.to_vec(),
            seen: 0,
            dated: 0,
            moments: true,
            amounts: true,
            plain: true,
            not_whole: 0,
            codes: false,
            numeric: true,
            comma_thousands: true,
            point_thousands: true,
            comma_seen: false,
            point_seen: false,
            sign_seen: false,
            last: String::new(),
            last_was_odd: true,
        }
    }

    pub(super) fn see(&mut self, cell: &str) {
        self.seen += 1;
        self.dated += u64::from(is_dated(cell));
        self.moments = self.moments && (ValueType::DateTime.accepts(cell) || ValueType::Date.accepts(cell));
        self.amounts = self.amounts && is_amount(cell);
        self.not_whole += u64::from(!is_whole(cell));
        self.codes |= is_code(cell);
        if self.patterns.is_empty() && self.signs.is_empty() && !self.plain && !self.numeric {
            return;
        }
        // Cells repeat, and what was seen needs no second look, unless it counts.
        if !self.last_was_odd && self.last == cell {
            return;
        }
        self.last.clear();
        self.last.push_str(cell);
        self.last_was_odd = false;
        let starts_like_a_date = cell.starts_with(|c: char| c.is_ascii_alphanumeric()) && cell.len() <= 24;
        for (pattern, odd) in &mut self.patterns {
            if !starts_like_a_date || pattern.read(cell).is_none() {
                *odd += 1;
                self.last_was_odd = true;
            }
        }
        self.patterns.retain(|(_, odd)| *odd <= MOST_ODD);
        let reads = |&(decimal, grouping): &(char, Option<char>)| {
            let spelling = NumberSpelling::new(decimal, grouping).ok().map(Spelling::Number);
            spelling.is_some_and(|spelling| spelling.read(cell).is_some()) && !is_code(cell)
        };
        let is_plain = ValueType::Decimal.accepts(cell) && !is_code(cell);
        self.numeric = self.numeric && (is_plain || SIGNS.iter().any(reads));
        self.signs.retain(reads);
        self.plain = self.plain && is_plain;
        self.comma_thousands = self.comma_thousands && in_thousands(cell, ',');
        self.point_thousands = self.point_thousands && in_thousands(cell, '.');
        self.comma_seen |= cell.contains(',');
        self.point_seen |= cell.contains('.');
        self.sign_seen |= cell.contains([',', '.', '\'', ' ', '\u{a0}', '\u{202f}', '\u{2019}']);
    }

    /// Whether nearly all cells are whole numbers, and the others are slips or words.
    fn nearly_whole(&self) -> bool {
        self.not_whole > 0 && !self.numeric && !self.codes && self.not_whole * ODD_ONE_IN <= self.seen
    }

    /// The signs, where numbers need some.
    fn number(&self) -> Option<(char, Option<char>)> {
        (self.seen > 0 && !self.plain && self.sign_seen).then(|| self.signs.first().copied())?
    }

    /// Whether a comma may be either sign: `8,123`.
    fn comma_in_doubt(&self) -> bool {
        self.comma_thousands && self.comma_seen && !self.plain && self.signs.contains(&(',', None))
    }

    /// Whether a point may be either sign: `8.123`.
    fn point_in_doubt(&self) -> bool {
        self.point_thousands && self.point_seen && self.plain
    }

    /// Whether every cell is a number as the engine writes it, which a number of a workbook is.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    pub(super) fn has_decimal_commas(&self) -> bool {
        let signs = self.number().filter(|_| !self.comma_in_doubt());
        signs.is_some_and(|(decimal, grouping)| decimal == ',' && (self.comma_seen || grouping == Some('.')))
    }

    pub(super) fn has_decimal_points(&self) -> bool {
        let grouped = self.number().is_some_and(|(decimal, _)| decimal == '.') && !self.comma_in_doubt();
        self.seen > 0 && self.point_seen && ((self.plain && !self.point_thousands) || grouped)
    }

    /// Whether a slash stands behind a day, which only the British write.
    pub(super) fn is_day_first(&self) -> bool {
        self.dates().first().is_some_and(|pattern| is_british(pattern))
    }

    /// The forms of dates that most cells have: those with the fewest other cells, in the order of preference.
    fn dates(&self) -> Vec<&Pattern> {
        // Eight digits may be a number of anything.
        let eight_digits = || {
            self.patterns.iter().any(|(pattern, odd)| *odd == 0 && pattern.as_str().starts_with("yyyyMMdd"))
        };
        if self.seen == 0 || (self.plain && !eight_digits()) {
            return Vec::new();
        }
        let few = self.patterns.iter().filter(|(_, odd)| odd * ODD_ONE_IN <= self.seen);
        let fewest = few.clone().map(|(_, odd)| *odd).min();
        few.filter(|(_, odd)| Some(*odd) == fewest).map(|(pattern, _)| pattern).collect()
    }

    pub(super) fn settle(&self, name: &str, around: &Around) -> Settled {
        if self.seen == 0 || (around.typed && self.plain) {
            return Settled::default();
        }
        let dates = self.dates();
        match dates.first() {
            Some(first) => self.moments(first, &dates, around),
            None => self.numbers(name, around),
        }
    }

    fn moments(&self, first: &Pattern, all: &[&Pattern], around: &Around) -> Settled {
        let british = all.iter().copied().find(|pattern| is_british(pattern)).filter(|_| around.day_first);
        let pattern = british.unwrap_or(first);
        let two_ways = all.iter().any(|other| order(other) != order(pattern));
        let mut notes = Vec::new();
        if two_ways && !around.day_first {
            notes.push(format!(
                "no day is above 12, so the dates could be read in two ways; taken as {}. If that is wrong, change format",
                pattern.as_str()
            ));
        }
        let odd = self.patterns.iter().find(|(known, _)| known == pattern).map_or(0, |(_, odd)| *odd);
        // ISO 8601 is what the engine writes anyway.
        let is_iso = pattern.as_str() == "yyyy-MM-dd";
        Settled {
            spelling: (!is_iso).then(|| Spelling::Moment(pattern.clone())),
            notes,
            two_ways: false,
            mostly: Some((Form::Dates(pattern.clone()), self.seen, odd)),
        }
    }

    fn numbers(&self, name: &str, around: &Around) -> Settled {
        let signs = |decimal, grouping, why: &str| Settled {
            spelling: NumberSpelling::new(decimal, grouping).ok().map(Spelling::Number),
            notes: Vec::from_iter((!why.is_empty()).then(|| why.to_owned())),
            ..Settled::default()
        };
        let money = is_money(name);
        if self.comma_in_doubt() {
            return match (around.comma, around.point, around.delimiter) {
                (true, false, _) => {
                    signs(',', None, "other columns have decimal commas, so its commas are taken for them")
                }
                (false, true, _) => signs(
                    '.',
                    Some(','),
                    "other columns have decimal points, so its commas are taken to group thousands",
                ),
                (false, false, Some(b',')) => signs(
                    '.',
                    Some(','),
                    "commas stand between the cells, so those inside are taken to group thousands; if they are decimal \
                     commas, write decimal = \",\" and no grouping",
                ),
                (false, false, _) if money => signs(
                    '.',
                    Some(','),
                    "by its name it is about money, so its commas are taken to group thousands",
                ),
                _ => in_two_ways(','),
            };
        }
        if self.point_in_doubt() {
            let no_commas_between = around.delimiter != Some(b',');
            return match (around.comma, around.point) {
                (true, false) => signs(
                    ',',
                    Some('.'),
                    "other columns have decimal commas, so its points are taken to group thousands",
                ),
                (false, true) if !money => Settled::default(),
                (false, false) if money && no_commas_between => signs(
                    ',',
                    Some('.'),
                    "by its name it is about money, so its points are taken to group thousands",
                ),
                (false, false) if !money && !no_commas_between => Settled::default(),
                _ => in_two_ways('.'),
            };
        }
        if let Some((decimal, grouping)) = self.number() {
            return signs(decimal, grouping, "");
        }
        let mut settled = Settled::default();
        if self.amounts {
            settled.notes.push(
                "its cells are amounts with the sign of a currency, so they are taken for text; take the sign out of the cells to \
                 have them as numbers"
                    .to_owned(),
            );
        } else if self.numeric && !self.plain && self.sign_seen {
            settled.notes.push(
                "its numbers have different decimal or grouping signs, so they are taken for text; write them alike to have them \
                 as numbers"
                    .to_owned(),
            );
        } else if is_quantity(name) && self.nearly_whole() {
            settled.mostly = Some((Form::Numbers, self.seen, self.not_whole));
        } else if self.dated * 2 > self.seen && !self.plain && !self.moments {
            settled.notes.push(
                "most of its cells look like dates, but they are not all written in one form, so they are taken for text; write \
                 them alike to have them as dates"
                    .to_owned(),
            );
        }
        settled
    }
}

/// Whether a column is about money by its name: amounts are written with groups more often than with three digits behind the sign.
fn is_money(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "kosten", "cost", "betrag", "amount", "preis", "price", "umsatz", "euro", "usd", "charge",
        "umsaetze", "budget",
    ];
    let name_is = name.to_lowercase();
    matches!(hint(name), Hint::Sensitive("a matter of money"))
        || WORDS.iter().any(|word| name_is.contains(word))
}

/// Whether a column is a quantity by its name: an age or what is measured of a person. Codes may be numbers but for a few.
fn is_quantity(name: &str) -> bool {
    const QUANTITIES: [&str; 2] = ["a date of birth or an age", "a trait others can see"];
    matches!(hint(name), Hint::QuasiIdentifying(what) if QUANTITIES.contains(&what))
}

/// Nothing says what the sign is: a guess would be wrong by a factor of 1,000.
fn in_two_ways(sign: char) -> Settled {
    let other = if sign == ',' { '.' } else { ',' };
    let note = format!(
        "its cells can be read in two ways, since three digits stand behind every {sign:?}: as thousands (decimal = \"{other}\", \
         grouping = \"{sign}\") or as fractions (decimal = \"{sign}\"). Nothing in the table says which, so it is taken for text; \
         give it type = \"decimal\" and these keys in the job"
    );
    Settled { notes: vec![note], two_ways: true, ..Settled::default() }
}

fn is_british(pattern: &Pattern) -> bool {
    pattern.as_str().starts_with('d') && pattern.as_str().contains('/')
}

/// The order of day, month and year.
fn order(pattern: &Pattern) -> String {
    let mut letters: Vec<char> = pattern.as_str().chars().filter(|c| matches!(c, 'd' | 'M' | 'y')).collect();
    letters.dedup();
    letters.into_iter().collect()
}

fn is_whole(cell: &str) -> bool {
    ValueType::Integer.accepts(cell) && !is_code(cell)
}

/// Digits with a zero in front, which a number would lose.
fn is_code(cell: &str) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

/// `8.123`: one to three digits, then signs with three each; or no sign and at most three digits.
fn in_thousands(cell: &str, sign: char) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let mut groups = digits.split(sign);
    let first = groups.next().unwrap_or_default();
    let all_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && (first == digits || !first.starts_with('0'))
        && all_digits(first)
        && groups.all(|group| group.len() == 3 && all_digits(group))
}

/// `$8,123.40`, `27,50 €`, `CHF 120`.
fn is_amount(cell: &str) -> bool {
    const CURRENCIES: [&str; 8] = ["€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF"];
    let number =
        CURRENCIES.iter().find_map(|sign| cell.strip_prefix(sign).or_else(|| cell.strip_suffix(sign)));
    let of_number = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-.,'\u{2019}\u{202f}".contains(c);
    number
        .is_some_and(|number| number.contains(|c: char| c.is_ascii_digit()) && number.chars().all(of_number))
}

/// The same sign twice between four digits or more; `5-820.04` is a code.
fn is_dated(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let mut signs = cell.bytes().filter(|byte| matches!(byte, b'.' | b'/' | b'-'));
    let twice = signs.next().is_some_and(|sign| signs.next() == Some(sign)) && signs.next().is_none();
    (4..=14).contains(&digits) && twice && cell.len() <= 24
}

//! How the cells of each column are written: decimal and grouping signs, forms of dates, blanks.
//!
//! A first pass over the table, before types and values are looked at. A form is proposed only where every cell has it; what can be
//! read in two ways is decided by the other columns, and told.

use paravent_core::values::{NumberSpelling, Pattern, Spelling, ValueType};
use paravent_job::DataType;
use paravent_tables::read::{Batch, Blanks, Format, Input};
use paravent_tables::watch::{Phase, Watch};

use super::InitError;
use super::missing_words::is_word;
use super::words::listed;

/// What the first pass found.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// By column; `None` where cells are written as the engine writes them, or as text.
    pub(super) columns: Vec<Option<Spelling>>,
    pub(super) blanks: Blanks,
    pub(super) notes: Vec<String>,
    names: Vec<String>,
}

impl Spellings {
    /// The table, read as it is written.
    pub(super) fn applied_to(&self, input: &Input) -> Input {
        let spelled = self.names.iter().zip(&self.columns);
        let spelled = spelled.filter_map(|(name, spelling)| Some((name.clone(), spelling.clone()?)));
        input.read_as(|options| {
            options.spellings.extend(spelled);
            // Words for missing values are not known yet.
            options.labels = true;
            options.blanks = self.blanks;
        })
    }

    /// The spelling of a column, where it turned out to have the type that goes with it.
    pub(super) fn of(&self, column: usize, data_type: DataType) -> Option<Spelling> {
        let spelling = self.columns.get(column)?.clone()?;
        let fits = match &spelling {
            Spelling::Number(_) => matches!(data_type, DataType::Integer | DataType::Decimal),
            Spelling::Moment(pattern) if pattern.has_time() => data_type == DataType::DateTime,
            Spelling::Moment(_) => data_type == DataType::Date,
        };
        fits.then_some(spelling)
    }

    /// As the job file says it.
    pub(super) fn job_blanks(&self) -> paravent_job::Blanks {
        match self.blanks {
            Blanks::Keep => paravent_job::Blanks::Keep,
            Blanks::Trim => paravent_job::Blanks::Trim,
        }
    }
}

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
const SIGNS: [(char, Option<char>); 6] = [
    (',', None),
    (',', Some('.')),
    ('.', Some(',')),
    (',', Some(' ')),
    (',', Some('\u{a0}')),
    ('.', Some('\'')),
];

/// Reads the table once.
pub(super) fn find(input: &Input, watch: &dyn Watch) -> Result<Spellings, InitError> {
    watch.begin(Phase::Reading);
    let mut source = input.open()?;
    let format = source.dialect().format;
    if !matches!(format, Format::Csv | Format::Tsv | Format::Json) || !input.options().spellings.is_empty() {
        return Ok(Spellings { columns: vec![None; source.columns().len()], ..Spellings::default() });
    }
    let names = source.columns().to_vec();
    let mut columns: Vec<Forms> = names.iter().map(|_| Forms::new()).collect();
    let mut blank = names.iter().any(|name| name.trim() != name);
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        super::error::go_on(watch, source.rows_read())?;
        for (forms, cells) in columns.iter_mut().zip(&batch.columns) {
            for cell in cells.iter().flatten() {
                let trimmed = cell.trim_ascii();
                blank |= trimmed.len() != cell.len();
                if !trimmed.is_empty() && !is_word(trimmed) {
                    forms.see(trimmed);
                }
            }
        }
        // A row of nothing but empty cells is left over from a spreadsheet.
        blank |= (0..batch.rows).any(|row| {
            batch.columns.iter().all(|cells| cells.get(row).is_none_or(|cell| cell.trim_ascii().is_empty()))
        });
    }
    let trimmed = |name: &String| if blank { name.trim().to_owned() } else { name.clone() };
    let comma = columns
        .iter()
        .any(|forms| forms.number() == Some((',', None)) || forms.number() == Some((',', Some('.'))));
    let day_first = columns.iter().any(Forms::is_day_first);
    let mut found = Spellings {
        blanks: if blank { Blanks::Trim } else { Blanks::Keep },
        names: names.iter().map(trimmed).collect(),
        ..Spellings::default()
    };
    for (name, forms) in names.iter().zip(&columns) {
        let (spelling, note) = forms.settle(comma, day_first);
        found.notes.extend(note.map(|note| format!("{}: {note}", listed([name.as_str()]))));
        found.columns.push(spelling);
    }
    Ok(found)
}

/// The forms that all cells of a column have so far.
struct Forms {
    patterns: Vec<Pattern>,
    /// Whether the pattern was ever tried: the list is long, and most columns drop it at the first cell.
    signs: Vec<(char, Option<char>)>,
    any: bool,
    /// Whether every cell is a number as the engine writes it.
    plain: bool,
    /// Whether every cell is a number in some signs, be they different ones.
    numeric: bool,
    /// Whether every plain number has exactly three digits behind its point, and one to three before it.
    thousands: bool,
    /// Whether a cell has a decimal sign of its own, or a grouping sign.
    decimal_seen: bool,
    last: String,
}

impl Forms {
    fn new() -> Forms {
        let patterns = DAYS
            .iter()
            .flat_map(|day| TIMES.iter().filter_map(move |time| Pattern::new(&format!("{day}{time}")).ok()));
        Forms {
            patterns: patterns.collect(),
            signs: SIGNS.to_vec(),
            any: false,
            plain: true,
            numeric: true,
            thousands: true,
            decimal_seen: false,
            last: String::new(),
        }
    }

    fn see(&mut self, cell: &str) {
        if self.patterns.is_empty() && self.signs.is_empty() && !self.plain && !self.numeric {
            return;
        }
        // Cells repeat, and what was seen needs no second look.
        if self.any && self.last == cell {
            return;
        }
        self.last.clear();
        self.last.push_str(cell);
        self.any = true;
        let starts_like_a_date = cell.starts_with(|c: char| c.is_ascii_alphanumeric()) && cell.len() <= 24;
        match starts_like_a_date {
            true => self.patterns.retain(|pattern| pattern.read(cell).is_some()),
            false => self.patterns.clear(),
        }
        let reads = |&(decimal, grouping): &(char, Option<char>)| {
            let spelling = NumberSpelling::new(decimal, grouping).ok().map(Spelling::Number);
            spelling.is_some_and(|spelling| spelling.read(cell).is_some()) && !is_code(cell)
        };
        let is_plain = ValueType::Decimal.accepts(cell) && !is_code(cell);
        self.numeric = self.numeric && (is_plain || SIGNS.iter().any(reads));
        self.signs.retain(reads);
        self.plain = self.plain && is_plain;
        self.thousands = self.thousands && in_thousands(cell);
        self.decimal_seen |= cell.contains([',', '.', '\'', ' ', '\u{a0}']);
    }

    /// The signs, where numbers need some.
    fn number(&self) -> Option<(char, Option<char>)> {
        (self.any && !self.plain && self.decimal_seen).then(|| self.signs.first().copied())?
    }

    /// Whether a slash stands behind a day, which only the British write.
    fn is_day_first(&self) -> bool {
        self.any
            && self
                .first_pattern()
                .is_some_and(|pattern| pattern.as_str().starts_with(['d']) && pattern.as_str().contains('/'))
    }

    fn first_pattern(&self) -> Option<&Pattern> {
        self.patterns.first().filter(|_| self.any && !self.plain_years())
    }

    /// Eight digits may be a number of anything.
    fn plain_years(&self) -> bool {
        self.plain && !self.patterns.iter().any(|pattern| pattern.as_str().starts_with("yyyyMMdd"))
    }

    fn settle(&self, comma: bool, day_first: bool) -> (Option<Spelling>, Option<String>) {
        if !self.any {
            return (None, None);
        }
        if let Some(pattern) = self.first_pattern() {
            let is_other =
                |pattern: &&Pattern| pattern.as_str().starts_with('d') && pattern.as_str().contains('/');
            let british = self.patterns.iter().find(is_other).filter(|_| day_first);
            let pattern = british.unwrap_or(pattern);
            let two_ways = self.patterns.iter().any(|other| order(other) != order(pattern));
            let note = match (two_ways && !day_first, pattern.guesses_the_century()) {
                (true, _) => Some(format!(
                    "no day is above 12, so the dates could be read in two ways; taken as {}. If that is wrong, change format",
                    pattern.as_str()
                )),
                (_, true) => Some("years have two digits; 30 to 99 are taken for 1930 to 1999".to_owned()),
                _ => None,
            };
            // ISO 8601 is what the engine writes anyway.
            let is_iso = pattern.as_str() == "yyyy-MM-dd";
            return ((!is_iso).then(|| Spelling::Moment(pattern.clone())), note);
        }
        if self.plain && comma && self.thousands && self.decimal_seen {
            let spelling = NumberSpelling::new(',', Some('.')).ok().map(Spelling::Number);
            let note =
                "other columns have decimal commas, so its points are taken to group thousands".to_owned();
            return (spelling, Some(note));
        }
        let signs = self.number().and_then(|(decimal, grouping)| NumberSpelling::new(decimal, grouping).ok());
        let mixed = self.numeric && !self.plain && signs.is_none() && self.decimal_seen;
        let note = mixed.then(|| {
            "its numbers have different decimal or grouping signs, so they are taken for text; write them alike to have them \
             as numbers"
                .to_owned()
        });
        (signs.map(Spelling::Number), note)
    }
}

/// The order of day, month and year.
fn order(pattern: &Pattern) -> String {
    let mut letters: Vec<char> = pattern.as_str().chars().filter(|c| matches!(c, 'd' | 'M' | 'y')).collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// Digits with a zero in front, which a number would lose.
fn is_code(cell: &str) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

/// `8.123`: one to three digits, then points with three each; or no point and at most three digits.
fn in_thousands(cell: &str) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let mut groups = digits.split('.');
    let first = groups.next().unwrap_or_default();
    let all_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && all_digits(first)
        && groups.all(|group| group.len() == 3 && all_digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_tables::read::ReadOptions;
    use paravent_tables::watch::Unwatched;

    fn found(text: &str) -> Spellings {
        let input = Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("table.csv"));
        find(&input, &Unwatched).unwrap()
    }

    fn shown(spellings: &Spellings) -> Vec<String> {
        let show = |spelling: &Option<Spelling>| match spelling {
            None => "-".to_owned(),
            Some(Spelling::Moment(pattern)) => pattern.as_str().to_owned(),
            Some(Spelling::Number(number)) => {
                format!("{}{}", number.decimal(), number.grouping().unwrap_or('_'))
            }
        };
        spellings.columns.iter().map(show).collect()
    }

    #[test]
    fn german_cells_are_recognised() {
        let text = "bmi;kosten;born;seen;plz;n\n27,5;8.123,4;09.03.1984;31.12.2023 14:05;01067;1.234\n30,0;17,0;10.11.1990;01.02.2024 09:00;81667;12\nNA;NA;;;;\n";
        let found = found(text);
        assert_eq!(shown(&found), [",_", ",.", "dd.MM.yyyy", "dd.MM.yyyy HH:mm", "-", ",."]);
        assert!(
            found.notes.iter().any(|note| note.contains("`n`") && note.contains("group thousands")),
            "{:?}",
            found.notes
        );
        assert_eq!(found.blanks, Blanks::Keep);
    }

    #[test]
    fn american_cells_are_recognised() {
        let found = found("d|a|t\n12/31/2023|1,234.5|1/9/2024 2:05 PM\n01/02/2024|17|11/30/2023 12:00 AM\n");
        assert_eq!(shown(&found), ["MM/dd/yyyy", ".,", "M/d/yyyy h:mm a"]);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_told() {
        let one = found("d\n01/02/2024\n03/04/2024\n");
        assert_eq!(shown(&one), ["MM/dd/yyyy"]);
        assert!(one.notes[0].contains("two ways"), "{:?}", one.notes);
        let two = found("d;e\n01/02/2024;31/01/2024\n03/04/2024;01/01/2024\n");
        assert_eq!(shown(&two), ["dd/MM/yyyy", "dd/MM/yyyy"]);
        assert!(two.notes.is_empty(), "{:?}", two.notes);
    }

    #[test]
    fn what_the_engine_writes_itself_is_no_spelling() {
        assert_eq!(
            shown(&found("a;b;c;d\n2024-03-09;1.5;x;20240309\n2024-03-10;2;y;20240310\n")),
            ["-", "-", "-", "yyyyMMdd"]
        );
        assert_eq!(shown(&found("id\n12345678\n87654321\n")), ["-"]);
    }

    #[test]
    fn numbers_in_different_signs_are_told() {
        let found = found("weight;age\n72,5;3\n72.5;4\n1.234,5;5\n");
        assert_eq!(shown(&found), ["-", "-"]);
        assert!(
            found.notes[0].starts_with("`weight`: its numbers have different decimal"),
            "{:?}",
            found.notes
        );
        assert_eq!(found.notes.len(), 1);
    }

    #[test]
    fn blanks_around_cells_and_rows_of_nothing_are_seen() {
        assert_eq!(found("a;b\n x;1\n").blanks, Blanks::Trim);
        assert_eq!(found("a;b\nx;1\n;\n").blanks, Blanks::Trim);
        assert_eq!(found("a;b\nx;1\n").blanks, Blanks::Keep);
    }
}

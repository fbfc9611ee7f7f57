//! How the cells of each column are written: decimal and grouping signs, forms of dates, blanks.
//!
//! A first pass over the table, before types and values are looked at. A form of numbers is proposed only where every cell has it, a form of
//! dates where nearly every cell has it: the others are told, and proposed as texts for a missing value. What can be read in two ways is
//! decided by the rest of the table, and told; where nothing decides it, it stays text.

use paravent_core::values::Spelling;
use paravent_job::DataType;
use paravent_tables::read::{Batch, Blanks, Cells, Input};
use paravent_tables::watch::{Phase, Watch};

use super::InitError;
use super::forms::{Around, Forms, Settled};
use super::missing_words::is_word;
use super::odd_cells;
use super::words::listed;

/// What the first pass found.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// By column; `None` where cells are written as the engine writes them, or as text.
    pub(super) columns: Vec<Option<Spelling>>,
    pub(super) blanks: Blanks,
    pub(super) notes: Vec<String>,
    /// Texts that stand in place of a date and count as missing.
    pub(super) odd: Vec<String>,
    names: Vec<String>,
    /// By column: whether its numbers can be read in two ways, so that they stay text.
    two_ways: Vec<bool>,
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
            if !self.odd.is_empty() {
                let known = options.null.get_or_insert_with(|| vec![String::new()]);
                known.extend(self.odd.iter().cloned());
            }
        })
    }

    /// Whether a column stays text although its cells read like numbers.
    pub(super) fn is_text(&self, column: usize) -> bool {
        self.two_ways.get(column).copied().unwrap_or(false)
    }

    /// The spelling of a column, where it turned out to have the type that goes with it.
    pub(super) fn of(&self, column: usize, data_type: DataType) -> Option<Spelling> {
        let spelling = self.columns.get(column)?.clone()?;
        let fits = match &spelling {
            Spelling::Number(_) => matches!(data_type, DataType::Integer | DataType::Decimal),
            Spelling::Moment(pattern) if pattern.has_time() => data_type == DataType::DateTime,
            Spelling::Moment(_) => data_type == DataType::Date,
            Spelling::Truth(_) => data_type == DataType::Boolean,
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

/// Reads the table once; where some cells of a date are written otherwise, twice more. `today`: nobody is born later.
pub(super) fn find(input: &Input, today: &str, watch: &dyn Watch) -> Result<Spellings, InitError> {
    watch.begin(Phase::Reading);
    let mut source = input.open()?;
    let format = source.dialect().format;
    let may_be_text = matches!(format.cells(), Cells::Text | Cells::Sheet | Cells::Document);
    if !may_be_text || !input.options().spellings.is_empty() {
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
    let typed = format.cells() == Cells::Sheet;
    let written = || columns.iter().filter(|forms| !typed || !forms.is_plain());
    let around = Around {
        comma: written().any(Forms::has_decimal_commas),
        point: written().any(Forms::has_decimal_points),
        day_first: written().any(Forms::is_day_first),
        delimiter: source.dialect().delimiter,
        typed,
    };
    let mut found = Spellings {
        blanks: if blank { Blanks::Trim } else { Blanks::Keep },
        names: names.iter().map(trimmed).collect(),
        ..Spellings::default()
    };
    let mut settled: Vec<Settled> =
        names.iter().zip(&columns).map(|(name, forms)| forms.settle(name, &around)).collect();
    found.odd = odd_cells::find(input, &found.names, &mut settled, today, watch)?;
    for (name, settled) in names.iter().zip(settled) {
        let told = settled.notes.iter().map(|note| format!("{}: {note}", listed([name.as_str()])));
        found.notes.extend(told);
        found.two_ways.push(settled.two_ways);
        found.columns.push(settled.spelling);
    }
    Ok(found)
}

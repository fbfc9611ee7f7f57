//! Tables that stay where they live: a database or a cluster counts the rows and applies the recoding, and hands out nothing else.
//!
//! [`Engine`] is all that is asked of it, in a handful of statements: the names of the columns, counts of equal rows, small mappings that
//! are put beside the table, a recoded table, and a new name for it. Whoever links an engine [installs](install) how it is opened;
//! without one, an address is refused.
//!
//! An engine's own words never leave it, because they may quote a cell. [`EngineError`] says what went wrong in ours.

mod address;
mod error;
mod name;
mod people;

pub use address::{Address, AddressError, Scheme, decoded};
pub use error::EngineError;
pub use name::TableName;
pub use people::{PeopleRequest, PeopleThere, PersonTokens};

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use std::fmt;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroizing;

/// Where rows stay. Hands out counts, takes mappings, and makes the recoded table.
///
/// All that is asked between [`open`] and the end is about one state of the table, whatever others write meanwhile.
pub trait Engine: Send + Sync + fmt::Debug {
    /// Names and types of a table's columns, in its order.
    fn columns(&self, table: &TableName) -> Result<Vec<EngineColumn>, EngineError>;

    /// Asks for rows or for counts of equal rows. Several answers may be open at a time.
    fn ask(&self, question: &Question) -> Result<Box<dyn Answer>, EngineError>;

    /// How often the values of columns repeat, all of them together; no value is handed out.
    fn repeats(
        &self,
        table: &TableName,
        columns: &[String],
        empty: EmptyCells,
    ) -> Result<Repeats, EngineError>;

    /// Puts a mapping beside the tables, for this session only.
    fn upload(&self, mapping: &Mapping) -> Result<(), EngineError>;

    /// Makes a table of recoded rows that is not visible to others yet, and returns its number of rows.
    fn create(&self, staged: &TableName, recoding: &Recoding) -> Result<u64, EngineError>;

    /// Lets a staged table appear under its name. Without this nothing of the session remains.
    fn publish(&self, staged: &TableName, target: &TableName, occupied: Occupied) -> Result<(), EngineError>;

    /// Whether a table has the mark that every table gets that is made here. Others are never replaced.
    fn is_ours(&self, table: &TableName) -> Result<bool, EngineError>;

    /// Refuses to let a table appear under a name that another one has: any, or one that was not made here.
    fn refuse_occupied(&self, target: &TableName, occupied: Occupied) -> Result<(), EngineError> {
        let table = target.to_string();
        match occupied {
            _ if !self.has(target)? => Ok(()),
            Occupied::Refuse => Err(EngineError::Occupied { table }),
            Occupied::Replace if self.is_ours(target)? => Ok(()),
            Occupied::Replace => Err(EngineError::Foreign { table }),
        }
    }

    /// Removes a table that was published: what describes it could not be written.
    fn withdraw(&self, target: &TableName) -> Result<(), EngineError>;

    /// Whether there is a table of this name.
    fn has(&self, table: &TableName) -> Result<bool, EngineError> {
        match self.columns(table) {
            Ok(_) => Ok(true),
            Err(EngineError::NoTable { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Whether it draws cells and slices rows by itself.
    fn draws(&self) -> bool {
        false
    }

    /// Makes a table of cells that are drawn there, which nobody else sees yet, and tells how many rows it has.
    fn draw(&self, _staged: &TableName, _drawing: &Drawing) -> Result<u64, EngineError> {
        Err(EngineError::Unable { what: "draw noise" })
    }

    /// Makes the rows of a drawing, and gives for each, in their order, the numbers that stand for its cells: by column, an expression about a row
    /// `r` of them. No cell comes here.
    fn numbered(&self, _rows: &str, _codes: &[(String, String)]) -> Result<Vec<Vec<u32>>, EngineError> {
        Err(EngineError::Unable { what: "number rows" })
    }

    /// Makes a table, for this session only, that has a token of the person in every row and none of the columns that name people.
    fn people(&self, _request: &PeopleRequest<'_>) -> Result<PeopleThere, EngineError> {
        Err(EngineError::Unable { what: "tell people apart" })
    }

    /// Makes a table of texts there at once, for measurements. [`withdraw`](Engine::withdraw) removes it.
    fn fill(
        &self,
        table: &TableName,
        columns: &[String],
        rows: &mut dyn Iterator<Item = Vec<Option<String>>>,
    ) -> Result<(), EngineError>;

    /// Bytes that crossed the wire so far.
    fn traffic(&self) -> Traffic;
}

/// The comment of tables that are made here.
pub const MARK: &str = "made by paravent";

/// Rows on their way from an engine, batch by batch.
pub trait Answer: Send {
    /// The next rows; `None` after the last. With [`Grouping::Counted`] the last column has the number of rows, as `Int64`.
    fn next(&mut self) -> Result<Option<RecordBatch>, EngineError>;
}

/// A column of a table that lives elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineColumn {
    /// Its name.
    pub name: String,
    /// Its type as cells arrive; the engine's name of a type that cannot be carried.
    pub kind: Result<DataType, String>,
}

/// What an engine is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Of which rows.
    pub from: Relation,
    /// Names of the columns; of a recoding, those of its own.
    pub columns: Vec<String>,
    /// Each row by itself, or equal rows together.
    pub grouping: Grouping,
}

/// Rows that a question is about.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table as it is.
    Table(TableName),
    /// Rows as they would be released.
    Recoded(Recoding),
}

impl Relation {
    /// The table behind it.
    pub fn table(&self) -> &TableName {
        match self {
            Relation::Table(table) => table,
            Relation::Recoded(recoding) => &recoding.table,
        }
    }
}

/// How rows are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Each by itself.
    Each,
    /// Equal ones together, with their number.
    Counted,
}

/// How often the values of a column repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Rows with a value.
    pub rows: u64,
    /// Different values.
    pub values: u64,
    /// Rows of the value that has most.
    pub most: u64,
    /// Values that only one row has.
    pub once: u64,
}

/// What missing cells are where values are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyCells {
    /// Values like any other.
    AreValues,
    /// Not counted.
    AreLeftOut,
}

/// Whether a table of the same name may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupied {
    /// It stays, and that is an error.
    Refuse,
    /// It goes, if it was made here.
    Replace,
}

/// Bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// From the engine to here.
    pub received: u64,
    /// From here to the engine.
    pub sent: u64,
}

/// A small table that is put beside the large one: what becomes of the values of a column, or which combinations of codes are left out.
#[derive(Clone)]
pub enum Mapping {
    /// Value → code and label. The missing value is one of them.
    Values {
        /// Its name.
        name: String,
        /// The table and column whose type the values have.
        of: (TableName, String),
        /// Value as text, code, label.
        lines: Vec<MappedValue>,
    },
    /// Combinations of codes, with labels where each has its own.
    Codes {
        /// Its name.
        name: String,
        /// Codes per line.
        width: usize,
        /// The codes, line by line.
        codes: Vec<u32>,
        /// As many labels as codes, or none.
        labels: Vec<Option<String>>,
    },
}

/// A line of a mapping of values.
#[derive(Clone, PartialEq, Eq)]
pub struct MappedValue {
    /// The value as the engine handed it out.
    pub value: Option<String>,
    /// Its code.
    pub code: u32,
    /// What is released instead.
    pub label: Option<String>,
}

/// Cells stay out of logs.
impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mapping::Values { name, lines, .. } => write!(f, "Mapping({name}, {} values)", lines.len()),
            Mapping::Codes { name, width, codes, .. } => {
                write!(f, "Mapping({name}, {} combinations)", codes.len() / (*width).max(1))
            }
        }
    }
}

/// Cells stay out of logs.
impl fmt::Debug for MappedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MappedValue({})", self.code)
    }
}

/// A table as it would be released: columns joined with the mappings, and suppressed rows left out.
#[derive(Clone, Debug)]
pub struct Recoding {
    /// The table.
    pub table: TableName,
    /// What is released, in order.
    pub columns: Vec<RecodedColumn>,
    /// By quasi-identifier: its column and the mapping of its values.
    pub mapped: Vec<(String, String)>,
    /// Which combinations of the quasi-identifiers' codes stay.
    pub fates: Fates,
    /// Columns that say which rows are to be released, and the mappings that give those the code 1. A row must have it from all of them.
    pub subset: Vec<(String, String)>,
}

/// Draws by a key, as statements of the engine.
///
/// The key is put into a temporary table `paravent_key (secret)` of one row, and is part of no statement.
pub struct Drawing {
    /// 32 bytes. Who has them can take the noise off.
    pub key: Zeroizing<[u8; 32]>,
    /// Makes the temporary table `paravent_rows`: the rows, numbered. Empty where [`Engine::numbered`] has made it.
    pub rows: String,
    /// By column: a condition on these rows that none may fulfil.
    pub checks: Vec<(String, String)>,
    /// The rows with their draws.
    pub draws: String,
}

/// The key stays out of logs.
impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawing(..)")
    }
}

/// A column of a recoded table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecodedColumn {
    /// A quasi-identifier, by its place among the mapped ones: the label.
    Label {
        /// Its name.
        name: String,
        /// Its place.
        mapped: usize,
    },
    /// As it is.
    AsItIs {
        /// Its name.
        name: String,
    },
}

impl RecodedColumn {
    /// The column's name.
    pub fn name(&self) -> &str {
        match self {
            RecodedColumn::Label { name, .. } | RecodedColumn::AsItIs { name } => name,
        }
    }
}

/// Which rows of a recoded table stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fates {
    /// All.
    AllStay,
    /// All but the combinations in this mapping.
    AllBut(String),
    /// The combinations in this mapping, with the labels that it has for them.
    Listed(String),
}

/// How engines are opened in this program.
type Opener = fn(&Address) -> Result<Arc<dyn Engine>, EngineError>;

static OPENER: OnceLock<Opener> = OnceLock::new();

/// Says how addresses are opened. Called once, when the program starts; later calls change nothing.
pub fn install(opener: Opener) {
    OPENER.get_or_init(|| opener);
}

/// Whether a stop was requested, for engines that wait for an answer.
static STOP: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets how to find out whether a stop was requested. Called once; later calls change nothing.
pub fn stop_when(asked: fn() -> bool) {
    STOP.get_or_init(|| asked);
}

/// Whether a stop was requested.
pub fn is_stopped() -> bool {
    STOP.get().is_some_and(|asked| asked())
}

/// Opens an engine.
///
/// # Errors
/// If this program has none for the address, or it does not answer.
pub fn open(address: &Address) -> Result<Arc<dyn Engine>, EngineError> {
    match OPENER.get() {
        Some(opener) => opener(address),
        None => Err(EngineError::NotBuilt { feature: address.scheme.feature() }),
    }
}

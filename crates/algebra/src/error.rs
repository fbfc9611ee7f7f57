//! Why a statement has no answer.
//!
//! A mistake in the statement is told in its own words, which may quote the statement. What goes wrong while it runs may have a cell in its message, so
//! only the kind of failure is told.

use crate::bounded::Exceeded;
use crate::ledger::BookError;
use crate::lower::LowerError;
use crate::xml::XmlError;
use datafusion::arrow::error::ArrowError;
use datafusion::common::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use paravent_job::{Problem, Problems};
use paravent_prepare::study::StudyError;
use paravent_tables::read::ReadError;

/// Why a statement has no answer. No message holds a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlgebraError {
    /// The statement, one of its names or a setting is wrong.
    #[error("{0}")]
    Statement(String),
    /// A document is no plan.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// A table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A job file or a hierarchy is wrong.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// No result keeps the promise.
    #[error("{0}")]
    Infeasible(String),
    /// A rewritten plan was run, and its result does not keep what it must.
    #[error("{0}")]
    NotKept(String),
    /// The statement was fine, but running it failed: the kind of failure.
    #[error("{0}")]
    Failed(String),
    /// A limit of time or size was reached.
    #[error("{0}")]
    Exceeded(String),
    /// The ledger of noisy answers cannot be used, or refuses.
    #[error("{0}")]
    Ledger(#[source] Box<BookError>),
    /// A bug.
    #[error("internal error; please report this")]
    Internal,
}

impl AlgebraError {
    /// A mistake of the statement.
    pub fn statement(message: impl Into<String>) -> AlgebraError {
        AlgebraError::Statement(message.into())
    }

    /// What the engine says while it reads and plans a statement: it has seen no row yet.
    pub fn planning(error: &DataFusionError) -> AlgebraError {
        match exceeded(error) {
            Some(exceeded) => AlgebraError::Exceeded(exceeded.to_string()),
            None => AlgebraError::Statement(planning(error)),
        }
    }

    /// What the engine says while it runs: it may quote a cell, so only the kind is told.
    pub fn running(error: &DataFusionError) -> AlgebraError {
        match exceeded(error) {
            Some(exceeded) => AlgebraError::Exceeded(exceeded.to_string()),
            None => AlgebraError::Failed(running(error).to_owned()),
        }
    }

    /// The time is up.
    pub(crate) fn out_of_time() -> AlgebraError {
        AlgebraError::Exceeded(Exceeded::Time.to_string())
    }

    /// The engine panicked. Its words may hold a cell, so they are not told.
    pub(crate) fn panicked() -> AlgebraError {
        AlgebraError::Failed(
            "the SQL engine broke down over this statement; write it in another way, and please report it"
                .to_owned(),
        )
    }
}

/// The limit behind an error, however deep it is wrapped.
fn exceeded(error: &DataFusionError) -> Option<Exceeded> {
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => Some(Exceeded::Memory),
        DataFusionError::External(cause) => cause.downcast_ref::<Exceeded>().copied(),
        DataFusionError::ArrowError(error, _) => match &**error {
            ArrowError::MemoryError(_) | ArrowError::OffsetOverflowError(_) => Some(Exceeded::Memory),
            ArrowError::ExternalError(cause) => match cause.downcast_ref::<Exceeded>() {
                Some(exceeded) => Some(*exceeded),
                None => cause.downcast_ref::<DataFusionError>().and_then(exceeded),
            },
            _ => None,
        },
        DataFusionError::Collection(errors) => errors.iter().find_map(exceeded),
        _ => None,
    }
}

fn planning(error: &DataFusionError) -> String {
    let told = engine_words(error);
    let types = ["coerc", "Utf8", "type", "support"].iter().any(|word| told.contains(word));
    if !told.contains("bug in DataFusion") {
        return told;
    }
    // The engine asks for a report where the types of a statement do not go together.
    // Of a list of signatures that do not fit, the name of the function is enough.
    let own = ["This issue was likely", "This was likely", " failed to match any signature"]
        .iter()
        .fold(told.as_str(), |told, end| told.split(end).next().unwrap_or_default());
    let own = own.trim().trim_start_matches("Internal error: ").trim_end_matches('.');
    match (own.is_empty() || own.contains("DataFusion"), types) {
        (true, true) => TYPES.to_owned(),
        (false, true) => format!("{own}: {TYPES}"),
        (_, false) => "the statement cannot be planned".to_owned(),
    }
}

const TYPES: &str = "a function or an operator does not go with the type of its columns; labels of generalize are text, so compute \
    with the raw columns inside the parentheses, or CAST what is a number";

/// What the engine says, in its own words.
fn engine_words(error: &DataFusionError) -> String {
    match error {
        DataFusionError::Plan(message)
        | DataFusionError::NotImplemented(message)
        | DataFusionError::Configuration(message) => message.clone(),
        DataFusionError::SQL(error, _) => match &**error {
            ParserError::RecursionLimitExceeded => "the statement is nested too deeply".to_owned(),
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => message.clone(),
        },
        DataFusionError::SchemaError(error, _) => error.to_string(),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => engine_words(inner),
        DataFusionError::Shared(inner) => engine_words(inner),
        DataFusionError::Collection(errors) => errors.first().map(engine_words).unwrap_or_default(),
        other => running(other).to_owned(),
    }
}

fn running(error: &DataFusionError) -> &'static str {
    match error {
        DataFusionError::ArrowError(error, _) => of_arrow(error),
        DataFusionError::ResourcesExhausted(_) => "the query needs more memory than it may have",
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => running(inner),
        DataFusionError::Shared(inner) => running(inner),
        DataFusionError::Collection(errors) => errors.first().map_or(COMPUTED, running),
        DataFusionError::External(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => running(inner),
            None => inner.downcast_ref::<ArrowError>().map_or(COMPUTED, of_arrow),
        },
        DataFusionError::IoError(_) => "input or output failed while the query ran",
        DataFusionError::NotImplemented(_) => {
            "an expression of the query is not supported for the types it is applied to"
        }
        DataFusionError::Plan(_) | DataFusionError::SchemaError(..) => {
            "the query does not go with the types of its columns"
        }
        _ => COMPUTED,
    }
}

const COMPUTED: &str =
    "an expression could not be computed for some row (which one is not told: it would show a cell)";

fn of_arrow(error: &ArrowError) -> &'static str {
    match error {
        ArrowError::DivideByZero => {
            "a division by zero in some row; leave those rows out, or use NULLIF(divisor, 0)"
        }
        ArrowError::CastError(_) => {
            "a CAST met a value that cannot be converted; TRY_CAST gives NULL instead"
        }
        ArrowError::ParseError(_) => {
            "a text could not be read as a number, a date or a pattern; TRY_CAST gives NULL instead"
        }
        ArrowError::ArithmeticOverflow(_) => {
            "a number became too large for its type; CAST the operands to a larger one"
        }
        ArrowError::MemoryError(_) | ArrowError::OffsetOverflowError(_) => {
            "the query needs more memory than it may have"
        }
        ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => running(inner),
            None => COMPUTED,
        },
        _ => COMPUTED,
    }
}

/// Problems of a table say how many values they are about. Of a relation that somebody selected, that is a figure of the data.
fn without_counts(problems: &Problems) -> Problems {
    let mut told = Problems::default();
    for problem in problems.iter() {
        let message = problem.message.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        told.push(Problem { message: message.to_owned(), ..problem.clone() });
    }
    told
}

impl From<LowerError> for AlgebraError {
    fn from(error: LowerError) -> AlgebraError {
        match error {
            LowerError::Engine(error) => AlgebraError::running(&error),
            LowerError::Study(StudyError::Problems(problems)) => {
                AlgebraError::Problems(without_counts(&problems))
            }
            LowerError::Study(other) => AlgebraError::Failed(other.to_string()),
            LowerError::Ledger(error) => AlgebraError::Ledger(error),
            LowerError::NoSolution { .. }
            | LowerError::OutOfTime
            | LowerError::TooFewRows { .. }
            | LowerError::FewerThanK { .. } => AlgebraError::Infeasible(error.to_string()),
            LowerError::NoRandomness | LowerError::Figures => AlgebraError::Failed(error.to_string()),
            other => AlgebraError::Statement(other.to_string()),
        }
    }
}

//! What can be wrong with a document, and with a plan that should become one.

use super::document::Position;

/// One problem, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmlError {
    /// The document cannot be read.
    #[error("line {line}, column {column}: {problem}")]
    Unreadable {
        /// Line, from 1.
        line: usize,
        /// Character in the line, from 1.
        column: usize,
        /// What is wrong, and what to write instead.
        problem: String,
    },
    /// The document is longer than any plan.
    #[error("the document has {bytes} bytes; at most {most} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The plan has something that documents have no element for.
    #[error("the plan cannot be written as XML: {problem}")]
    Unwritable {
        /// What it is.
        problem: String,
    },
}

impl XmlError {
    pub(super) fn at(position: Position, problem: impl Into<String>) -> XmlError {
        XmlError::Unreadable { line: position.line, column: position.column, problem: problem.into() }
    }

    pub(super) fn unwritable(problem: impl Into<String>) -> XmlError {
        XmlError::Unwritable { problem: problem.into() }
    }
}

//! What can go wrong elsewhere, in our words.

/// Why an engine did not do what it was asked. An engine's own text may quote a cell, so none of it is here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum EngineError {
    #[error("tables at such an address are not in this build; build it with --features {feature}")]
    NotBuilt { feature: &'static str },
    #[error("{0}")]
    Address(super::AddressError),
    #[error("nobody answers there ({0})")]
    Unreachable(String),
    #[error("{0}")]
    Credentials(&'static str),
    #[error("{0}")]
    Tls(String),
    #[error("the server refuses the connection ({code}): {meaning}")]
    Refused { code: String, meaning: &'static str },
    #[error("there is no table {table} that this role sees")]
    NoTable { table: String },
    #[error("the table has no column {column} any more")]
    NoColumn { column: String },
    #[error(
        "column {column} has the type {kind}, which cannot be carried; make a view that casts it to text, or leave it out of the job"
    )]
    Type { column: String, kind: String },
    #[error("column {column} says whose row it is, and {why}")]
    Key { column: String, why: &'static str },
    #[error("the system gives no random bytes")]
    NoRandomness,
    #[error("column {column} has a number that is not finite")]
    NotFinite { column: String },
    #[error("this role may not {what}; ask the owner to grant it")]
    Privilege { what: &'static str },
    #[error("this engine cannot {what} by itself")]
    Unable { what: &'static str },
    #[error("column {column} has cells outside the values of its noise; nothing was written")]
    Outside { column: String },
    #[error("a table called {table} is there already; use --force to replace it")]
    Occupied { table: String },
    #[error(
        "the table {table} was not made by paravent, so it is not replaced; choose another name, or drop it yourself"
    )]
    Foreign { table: String },
    #[error("stopped on request; nothing was written")]
    Stopped,
    #[error("the connection was lost; nothing was written")]
    Lost,
    #[error(
        "how it ended is not known, no answer came at the last moment: look whether the table {table} is there"
    )]
    OutcomeUnknown { table: String },
    #[error(
        "how it ended is not known, no answer came at the last moment: look whether the table {table} is there; the one before may be called {former} now"
    )]
    ReplacementUnknown { table: String, former: String },
    #[error(
        "the table {table} could not be replaced and did not get its name back: it is called {former} now, rename it"
    )]
    NotRestored { table: String, former: String },
    #[error("a lock was not granted in time; nothing was written")]
    Locked,
    #[error("the statement took longer than the server allows; nothing was written")]
    TooSlow,
    #[error("the server has no room left on its disk; nothing was written")]
    Full,
    #[error("somebody changed the table in a way that cannot go together with this run; nothing was written")]
    Conflict,
    #[error("files of the table came, went or changed during the run; nothing was written")]
    FilesChanged,
    #[error("the connection was lost while a table was made; look whether {table} is there, and drop it")]
    LeftBehind { table: String },
    #[error("the table has more rows or fewer than were counted; nothing was written")]
    Changed,
    #[error("the server ended the run ({code}); nothing was written")]
    Ended { code: String },
    #[error("the server gave up ({code}) {place}; nothing was written")]
    Failed { code: String, place: &'static str },
    #[error("the server's answer cannot be understood {0}")]
    Garbled(&'static str),
}

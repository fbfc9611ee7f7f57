//! What is asked for.

use paravent_slicing::Limits;

/// How rows are put into buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Buckets {
    /// So many windows of the rows in their order.
    Count(u32),
    /// Windows of at least this number of rows.
    Size(u32),
    /// One bucket per value of a column.
    By(String),
    /// The equivalence classes of a generalization; the values themselves stay.
    Within {
        /// The k of its k-anonymity.
        k: u32,
        /// The quasi-identifiers; those of the job by default.
        quasi: Option<Vec<String>>,
    },
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The column groups by name. Columns in no group are left out.
    pub groups: Vec<Vec<String>>,
    /// The buckets.
    pub buckets: Buckets,
    /// Whether windows are cut from the rows in random order instead of the table's.
    pub shuffle: bool,
    /// Fewest rows of a bucket (people, where the job has a person); at least 2.
    pub minimum: u32,
    /// Whether neighbouring buckets are taken together until each has enough.
    pub merge: bool,
    /// Columns may be in several groups, if every shared value occurs so often in a bucket.
    pub overlap: Option<u32>,
    /// The sensitive columns; those of the job by default.
    pub sensitive: Option<Vec<String>>,
    /// Sets of columns that no group may hold completely, beside the quasi-identifiers of the job.
    pub identifying: Vec<Vec<String>>,
    /// Lets a group hold them all the same.
    pub allow_identifying: bool,
    /// What it may give away, and the ℓ of every bucket.
    pub limits: Limits,
    /// Draws as a database does, by SHA-256.
    pub keyed: bool,
    /// Cells are numbers that stand for them: what they look like is for the job to say.
    pub unseen: bool,
    /// Draws from a seed, which whoever knows it can undo.
    pub seed: Option<u64>,
}

impl Request {
    /// With the standard limits.
    pub fn new(groups: Vec<Vec<String>>, buckets: Buckets) -> Request {
        Request {
            groups,
            buckets,
            shuffle: false,
            minimum: 2,
            merge: false,
            overlap: None,
            sensitive: None,
            identifying: Vec::new(),
            allow_identifying: false,
            limits: Limits::STANDARD,
            keyed: false,
            unseen: false,
            seed: None,
        }
    }
}

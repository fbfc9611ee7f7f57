//! The population that some models count in.

use std::path::PathBuf;

/// Among whom the people of the table could be. All models of a job share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Population {
    /// `population = "population.csv"`: a table of its own, path as written.
    Table(PathBuf),
    /// `subset = "in_study"`: a column of the input; rows with 1 or true in it are the table to release.
    Subset(String),
}

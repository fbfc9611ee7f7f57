//! The known attacks, run against a table.

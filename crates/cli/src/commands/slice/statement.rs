//! `paravent slice --sql`

use super::args::{Slicing, names};
use crate::answer::Answer;
use crate::failure::Failure;
use paravent_slicing::statement::{Dialect, StatedBuckets, Statement};
use paravent_slicing::{ColumnGroups, Overlap};
use serde_json::json;

/// The databases that the text can be printed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Database {
    /// PostgreSQL 13 or later
    Postgres,
    /// MySQL 8 or later
    Mysql,
}

/// Prints the statements.
pub(super) fn run(args: &Slicing) -> Result<Answer, Failure> {
    let groups = args.groups()?;
    let usage = |message: String| Failure::Usage { message };
    let mut all: Vec<&String> = groups.iter().flatten().collect();
    all.dedup();
    let columns: Vec<&String> = all
        .iter()
        .enumerate()
        .filter(|(at, name)| !all[..*at].contains(name))
        .map(|(_, name)| *name)
        .collect();
    ColumnGroups::new(&columns, &groups, Overlap::Forbidden).map_err(|error| usage(error.to_string()))?;
    let buckets = match (args.bucket, args.buckets, &args.by) {
        (Some(rows), ..) if rows >= 2 => StatedBuckets::Size(rows),
        (None, Some(number), _) if number >= 1 => StatedBuckets::Count(number),
        (None, None, Some(column)) => StatedBuckets::By(column.trim().to_owned()),
        (None, None, None) => {
            return Err(usage("where are rows mixed? --bucket ROWS, --buckets N or --by COLUMN".to_owned()));
        }
        _ => {
            return Err(usage("a bucket of one row is released as it is; ask for 2 rows or more".to_owned()));
        }
    };
    if let StatedBuckets::By(column) = &buckets
        && groups.iter().filter(|group| group.iter().any(|own| own != column)).count() < 2
    {
        let message = format!(
            "every bucket gives {column} away, and without it there are no two groups to be mixed; make buckets by another column"
        );
        return Err(usage(message));
    }
    let dialect = match args.sql {
        Some(Database::Mysql) => Dialect::MySql,
        Some(Database::Postgres) | None => Dialect::Postgres,
    };
    let table = args.table()?.display().to_string().split('.').map(str::to_owned).collect();
    let row_key = args.row_key.as_deref().map(names).unwrap_or_default();
    let text = Statement { dialect, table, groups, buckets, row_key }.text();
    let json = json!({ "sql": text });
    Ok(Answer::of_text(text, json))
}

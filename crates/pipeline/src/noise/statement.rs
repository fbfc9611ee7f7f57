//! The same draws as SQL for a database that makes them itself.

use super::NoiseError;
use super::mechanism::{Drawn, Mechanism, OutsidePolicy};
use super::noisy::OPERATOR;
use super::prepare::Prepared;
use crate::slice::CodedTable;
use paravent_noise::statement as sql;

/// A table in a database, of which nothing but names is known here.
#[derive(Debug, Clone, Default)]
pub struct Unknown {
    /// The columns of the result, in order; the noisy ones must be among them.
    pub columns: Vec<String>,
}

impl Unknown {
    /// A table without rows, so that noise can be understood without looking at data.
    pub fn table(&self, noisy: &[String]) -> CodedTable {
        let mut columns = self.columns.clone();
        columns.extend(noisy.iter().filter(|name| !self.columns.contains(name)).cloned());
        CodedTable::without_rows(&columns)
    }
}

/// The text for PostgreSQL: the same cells for the same key and numbers of rows.
///
/// # Errors
/// If the values are not named: the statement is written before anything is read.
pub fn statement(
    table: &str,
    row_key: &[String],
    prepared: &Prepared,
    columns: &[String],
) -> Result<String, NoiseError> {
    prepared.may_be_released()?;
    let table: Vec<String> = table.split('.').map(str::to_owned).collect();
    Ok(of(&table, row_key, prepared, columns).text())
}

pub(super) fn of(
    table: &[String],
    row_key: &[String],
    prepared: &Prepared,
    columns: &[String],
) -> sql::Statement {
    sql::Statement {
        table: table.to_vec(),
        columns: columns.to_vec(),
        noisy: prepared.mechanisms.iter().map(noisy).collect(),
        row_key: row_key.to_vec(),
        operator: OPERATOR,
    }
}

fn noisy(mechanism: &Mechanism) -> sql::NoisyColumn {
    let drawn = match &mechanism.drawn {
        Drawn::Response(_, plan) => sql::Drawn::Response(plan.clone()),
        Drawn::Cases { by, known, plans, .. } => {
            let cases = known.iter().cloned().zip(plans.iter().cloned()).collect();
            sql::Drawn::Cases(by.clone(), cases, plans.get(known.len()).cloned())
        }
        Drawn::Added(added) => {
            let (min, _, step) = added.grid.described();
            sql::Drawn::Added(min, step, added.noise.clone())
        }
    };
    sql::NoisyColumn {
        name: mechanism.column.clone(),
        values: mechanism.values.clone(),
        drawn,
        outside: match mechanism.outside {
            OutsidePolicy::Refused => sql::Outside::Refused,
            OutsidePolicy::Clamped => sql::Outside::Clamped,
            OutsidePolicy::Other(code) => sql::Outside::Other(code),
        },
        stand_in: mechanism.stand_in,
    }
}

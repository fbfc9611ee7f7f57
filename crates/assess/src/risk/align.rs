//! A population in the codes of a table.

use super::super::Generalization;
use crate::attack::label_around;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_evidence::risk::DistinctRows;
use std::collections::HashMap;

/// How the values of a population are written in a table.
#[derive(Clone, Copy)]
pub(super) enum Written<'a> {
    /// As they are.
    AsTheyAre,
    /// Generalized by column.
    Generalized(&'a [Generalization]),
    /// As labels of which nobody says how they were made: the only one that a value lies in.
    AsLabelsRead,
}

/// The people of a population by the codes of these columns of a table. Where a column was generalized, so are the people's
/// values; values that the table does not show share a code of their own.
pub(super) fn aligned(
    table: &Microdata,
    columns: &[usize],
    population: &Microdata,
    written: Written<'_>,
) -> (DistinctRows, DistinctRows) {
    let columns: Vec<&Column> = columns.iter().map(|&place| &table.columns()[place]).collect();
    let mut people: Vec<Vec<u32>> = Vec::new();
    for (position, (column, others)) in columns.iter().zip(population.columns()).enumerate() {
        let known: HashMap<Option<&str>, u32> =
            (0..column.labels().len() as u32).map(|code| (column.cell(code), code)).collect();
        let unknown = column.labels().len() as u32;
        let code_of = |code: u32| {
            let cell = others.cell(code);
            match written {
                Written::AsTheyAre => known.get(&cell).copied(),
                Written::Generalized(list) => {
                    list[position].label_of(cell).ok().and_then(|label| known.get(&label.as_deref()).copied())
                }
                Written::AsLabelsRead => label_around(cell, column, &known),
            }
        };
        let new: Vec<u32> =
            (0..others.labels().len() as u32).map(|code| code_of(code).unwrap_or(unknown)).collect();
        people.push(others.codes().iter().map(|&code| new[code as usize]).collect());
    }
    let distinct = |codes: Vec<&[u32]>, rows: usize| {
        let with_sizes =
            codes.into_iter().zip(&columns).map(|(codes, column)| (codes, column.labels().len() + 1));
        DistinctRows::weighted(&with_sizes.collect::<Vec<_>>(), &vec![1; rows])
    };
    let in_table = distinct(columns.iter().map(|column| column.codes()).collect(), table.rows());
    (in_table, distinct(people.iter().map(Vec::as_slice).collect(), population.rows()))
}

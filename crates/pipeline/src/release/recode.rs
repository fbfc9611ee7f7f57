//! Applies a solution: rows become codes of released cells.

use super::elsewhere::released as released_elsewhere;
use super::origins::{LiftedTuples, Origins, lift};
use super::released_table::{PeopleOfRows, ReleasedTable};
use super::sequence::RowCounter;
use paravent_core::release::{Fate, Solution};
use paravent_job::RowOrder;
use paravent_prepare::study::{Study, StudyError, budget_of};
use paravent_tables::encode::{CodedColumn, Origin, try_scan};
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::{ColumnKind, ReleasedColumn};

/// Applies a solution. Reads the table again where it has columns that were not counted, or where its order matters.
pub fn recode(study: &Study, solution: &Solution, watch: &dyn Watch) -> Result<ReleasedTable, StudyError> {
    watch.begin(Phase::Recoding);
    let mut origins = Origins::of(study, solution)?;
    let read_again = std::mem::take(&mut origins.read_again);
    let order = study.job.output.order;
    let people = study.people.as_ref();
    // Rows that are alike are written next to each other: then whose they are is put in order afterwards, and no row is told from another by it.
    let by_tuple = people.is_some() && read_again.is_empty() && order == RowOrder::Canonical;
    let width = origins.columns.len() + usize::from(people.is_some() && !by_tuple);
    let mut kept_tuples = None;
    let mut rows = RowCounter::new(width, order, budget_of(&study.job))?;
    let mut others: Vec<CodedColumn> = Vec::new();
    let elsewhere = study.input.engine().filter(|_| !read_again.is_empty());
    let mut pass = Pass { study, solution, origins: &origins, released: vec![0; width], rows: &mut rows };
    if let Some(table) = elsewhere {
        others =
            released_elsewhere(study, solution, table, |codes, count| pass.rows.add(codes, count), watch)?;
    } else if read_again.is_empty() && order != RowOrder::Input {
        match people {
            None => pass.tuples()?,
            Some(_) if by_tuple => kept_tuples = pass.tuples_of_people()?,
            Some(_) => pass.rows_of_people()?,
        }
    } else {
        others = pass.table(read_again, watch)?;
    }
    let made = origins.made(&others);
    let cells = origins.cells(study, &made, &others, elsewhere.is_some());
    let names = study.columns.released().map(|(_, column)| column.name.clone());
    let counted_off = rows.finish()?;
    let kinds = origins.kinds.iter().copied();
    let (mut columns, mut new_codes) = used_cells(counted_off.used(&cells)?, &cells, names.zip(kinds));
    if let Some(counted) = people.filter(|_| !by_tuple) {
        // The person is the last thing that tells rows apart, and is never a cell.
        let all = match elsewhere {
            // What arrives is the code of a token, not the number of a person.
            Some(_) => others.last().map_or(0, |tokens| tokens.dictionary.len() as u32),
            None => counted.person_of_row.iter().max().map_or(0, |&last| last + 1),
        };
        new_codes.push((0..all).collect());
        let cells = vec![None; all as usize];
        columns.push(ReleasedColumn { name: String::new(), kind: ColumnKind::Text, cells });
    }
    let rows = counted_off.in_order(&new_codes, &columns, study.job.output.seed)?;
    let people = match (people, kept_tuples) {
        (None, _) => PeopleOfRows::Nowhere,
        (Some(_), Some((lifted, kept))) => PeopleOfRows::InOrder(lifted.persons_in_order(&kept, &new_codes)),
        (Some(_), None) => {
            columns.pop();
            PeopleOfRows::LastCode
        }
    };
    let lost = origins.lost(columns.iter().map(|column| &column.name));
    Ok(ReleasedTable { columns, rows, people, lost, stars: None })
}

/// The released codes of tuples, and tuple and person of every row that stays.
type KeptRows = (LiftedTuples, Vec<(u32, u32)>);

/// One way over the rows; those that stay are counted off.
struct Pass<'a> {
    study: &'a Study,
    solution: &'a Solution,
    origins: &'a Origins<'a>,
    /// The codes of one released row.
    released: Vec<u32>,
    rows: &'a mut RowCounter,
}

impl Pass<'_> {
    /// Counted tuples, where rows are nobody's.
    fn tuples(&mut self) -> Result<(), StudyError> {
        let (quasi, mut failed) = (self.study.counted.quasi_identifiers, None);
        self.study.counted.each_in_table(|tuple| {
            if failed.is_none()
                && self.solution.fates.of(tuple.frequency, &tuple.codes[..quasi]) == Fate::Kept
            {
                let shown = self.solution.boxes.as_ref().and_then(|boxes| boxes.of(tuple.frequency));
                let place = (tuple.frequency, shown);
                lift(&self.origins.columns, place, tuple.codes, tuple.codes.len(), &mut self.released);
                failed = self.rows.add(&self.released, tuple.count).err();
            }
        })?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Counted tuples of people; whose rows they are is put in order afterwards.
    fn tuples_of_people(&mut self) -> Result<Option<KeptRows>, StudyError> {
        let Some(people) = &self.study.people else { return Ok(None) };
        let lifted = LiftedTuples::new(self.study, self.solution, &self.origins.columns);
        let all = people.tuple_of_row.iter().zip(&people.person_of_row);
        let kept = all
            .filter(|&(&tuple, &person)| lifted.of(tuple).is_some() && is_kept(self.solution, Some(person)));
        let kept: Vec<(u32, u32)> = kept.map(|(&tuple, &person)| (tuple, person)).collect();
        let mut counts = vec![0u64; lifted.kept.len()];
        kept.iter().for_each(|&(tuple, _)| counts[tuple as usize] += 1);
        for (tuple, &count) in (0u32..).zip(&counts).filter(|(_, count)| **count > 0) {
            self.rows.add(lifted.of(tuple).unwrap_or_default(), count)?;
        }
        Ok(Some((lifted, kept)))
    }

    /// Row by row, with the person behind the cells.
    fn rows_of_people(&mut self) -> Result<(), StudyError> {
        let Some(people) = &self.study.people else { return Ok(()) };
        let lifted = LiftedTuples::new(self.study, self.solution, &self.origins.columns);
        for (&tuple, &person) in people.tuple_of_row.iter().zip(&people.person_of_row) {
            if let Some(codes) = lifted.of(tuple).filter(|_| is_kept(self.solution, Some(person))) {
                self.released[..codes.len()].copy_from_slice(codes);
                self.released[codes.len()] = person;
                self.rows.add(&self.released, 1)?;
            }
        }
        Ok(())
    }

    /// The table once more, for columns that were not counted or for its order. Returns those columns.
    fn table(
        &mut self,
        read_again: Vec<(usize, CodedColumn)>,
        watch: &dyn Watch,
    ) -> Result<Vec<CodedColumn>, StudyError> {
        let study = self.study;
        let (counted, people) = (&study.counted, study.people.as_ref());
        let width = counted.columns.len();
        let known: Vec<usize> = counted.columns.iter().map(|column| column.dictionary.len()).collect();
        let (wanted, mut columns) = second_pass(study, read_again);
        let subset = study.columns.subset.is_some().then_some(width);
        let first_other = width + usize::from(subset.is_some());
        let mut source = study.input.open()?;
        source.select(&wanted)?;
        let mut key = vec![0u32; width + 1];
        let mut row = 0;
        let on_row = |codes: &[u32]| {
            let person = people.map(|people| people.person_of_row.get(row).copied().unwrap_or_default());
            row += 1;
            // With a subset, a row is in the table exactly if its tuple was counted there.
            let in_table = subset.is_none_or(|at| study.says_in_table(codes[at]));
            // A file that has changed may show anything; it is refused in the end.
            if !in_table || codes.iter().zip(&known).any(|(&code, &known)| code as usize >= known) {
                return Ok(());
            }
            let frequency = match counted.held() {
                None => Some(0),
                Some(held) => {
                    key[..width].copy_from_slice(&codes[..width]);
                    key[width] = Origin::Table as u32;
                    held.tuples.find(&key).map(|number| held.frequency_tuple[number as usize] as usize)
                }
            };
            let fate =
                frequency.map(|tuple| self.solution.fates.of(tuple, &codes[..counted.quasi_identifiers]));
            if fate == Some(Fate::Kept) && is_kept(self.solution, person) {
                let boxes = self.solution.boxes.as_ref().zip(frequency);
                let shown = boxes.and_then(|(boxes, tuple)| boxes.of(tuple));
                let place = (frequency.unwrap_or(0), shown);
                lift(&self.origins.columns, place, codes, first_other, &mut self.released);
                if let (Some(person), Some(last)) = (person, self.released.last_mut()) {
                    *last = person;
                }
                self.rows.add(&self.released, 1)?;
            }
            Ok(())
        };
        let progress = |rows| {
            watch.advance(rows, Some(study.table.row_count()));
            !watch.stop()
        };
        try_scan(source, study.input_path.clone(), &mut columns, on_row, progress)?;
        study.input.unchanged_since(&study.fingerprint)?;
        Ok(columns.split_off(first_other))
    }
}

/// Whether the rows of a person stay.
fn is_kept(solution: &Solution, person: Option<u32>) -> bool {
    match (solution.fates.by_person(), person) {
        (Some(fates), Some(person)) => fates.get(person as usize) == Some(&Fate::Kept),
        (Some(_), None) => false,
        (None, _) => true,
    }
}

/// Input positions and columns of the second pass: counted ones, the subset flag, the others.
fn second_pass(study: &Study, read_again: Vec<(usize, CodedColumn)>) -> (Vec<usize>, Vec<CodedColumn>) {
    let position =
        |column: &CodedColumn| study.columns.columns.iter().position(|known| known.name == column.name);
    let mut wanted: Vec<usize> = study.counted.columns.iter().filter_map(position).collect();
    let mut columns = study.counted.columns.clone();
    if let Some(subset) = study.columns.subset {
        wanted.push(subset);
        columns.push(study.subset_column());
    }
    for (index, column) in read_again {
        wanted.push(index);
        columns.push(column);
    }
    (wanted, columns)
}

/// The cells in use, in the order of their text, and the new code of each old one.
fn used_cells(
    used: Vec<Vec<bool>>,
    cells: &[Vec<Option<&str>>],
    columns: impl Iterator<Item = (String, ColumnKind)>,
) -> (Vec<ReleasedColumn>, Vec<Vec<u32>>) {
    let released = columns.zip(cells).zip(used).map(|(((name, kind), cells), used)| {
        let mut codes: Vec<u32> = (0..cells.len() as u32).filter(|&code| used[code as usize]).collect();
        codes.sort_unstable_by_key(|&code| cells[code as usize]);
        let mut new_code = vec![u32::MAX; cells.len()];
        for (new, &old) in codes.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        let cells = codes.iter().map(|&code| cells[code as usize].map(str::to_owned)).collect();
        (ReleasedColumn { name, kind, cells }, new_code)
    });
    released.unzip()
}

//! A table file, read into codes and labels.

use super::{ColumnRole, LoadError, Roles};
use paravent_core::values::ValueType;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_job::{InputSource, Job, Population, Role};
use paravent_prepare::hierarchies::type_of;
use paravent_prepare::study::{null_texts, read_options, says_yes};
use paravent_tables::encode::{CodedColumn, ScanError, scan};
use paravent_tables::read::{Input, ReadOptions, Source};
use paravent_tables::watch::{Phase, Watch};
use std::collections::HashMap;
use std::path::Path;

/// A table in memory, one code per cell, and what its columns are.
///
/// Codes follow the sorted cells, the missing value first, so that they do not depend on the order of the rows.
#[derive(Debug, Clone)]
pub struct RoledTable {
    /// The columns that have a role, quasi-identifiers first.
    pub data: Microdata,
    /// Places of the quasi-identifiers among the columns.
    pub quasi_identifiers: Vec<usize>,
    /// Places of the sensitive columns.
    pub sensitive: Vec<usize>,
    /// Places of the other columns.
    pub insensitive: Vec<usize>,
    /// By column: the declared type, else the narrowest that all cells have.
    pub types: Vec<ValueType>,
    /// By column: the declared order of its values.
    pub orders: Vec<Option<Vec<String>>>,
    /// The quasi-identifiers of all people, where a column of the table itself tells who of them is to be released.
    pub population: Option<Microdata>,
}

/// Where a table is, and how it is stored.
#[derive(Debug, Clone)]
pub enum TableSource<'a> {
    /// A file (or `-`); everything about it is found out.
    File(&'a Path),
    /// A file stored as a job says, whichever table the job itself names.
    AsInJob(&'a Path, &'a Job),
}

impl TableSource<'_> {
    /// The table itself; it can be read several times.
    pub(crate) fn input(&self) -> Result<Input, LoadError> {
        Ok(Input::new(self.options()?)?)
    }

    fn options(&self) -> Result<ReadOptions, LoadError> {
        match self {
            TableSource::File(path) => Ok(ReadOptions::new(*path)),
            TableSource::AsInJob(path, job) => {
                let mut job = Job::clone(job);
                job.input.source = match path.as_os_str() == "-" {
                    true => InputSource::Stdin,
                    false => {
                        InputSource::File(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
                    }
                };
                let mut options = read_options(&job)?;
                // Messages show the path as it was given.
                options.path = path.to_path_buf();
                Ok(options)
            }
        }
    }
}

/// Reads the columns that have a role. A column that the table lacks is an error that names it.
pub fn load_table(
    source: &TableSource<'_>,
    roles: &Roles,
    watch: &dyn Watch,
) -> Result<RoledTable, LoadError> {
    load_input(&source.input()?, roles, watch)
}

/// The same for a table that is read again for something else.
pub(crate) fn load_input(input: &Input, roles: &Roles, watch: &dyn Watch) -> Result<RoledTable, LoadError> {
    read_input(input, roles, watch, |cell| cell)
}

/// Reads the population table that a job names for δ-presence or k-map: its quasi-identifiers only.
pub fn load_population(job: &Job, watch: &dyn Watch) -> Result<Option<RoledTable>, LoadError> {
    let Some(Population::Table(path)) = job.privacy.population() else { return Ok(None) };
    let path = job.resolve(path);
    let mut options = ReadOptions::new(&path);
    options.null = null_texts(job, None, &path);
    let mut roles = Roles::of_job(job);
    roles.columns.retain(|column| column.role == Role::QuasiIdentifier);
    read(options, &roles, watch, |cell| cell).map(Some)
}

/// Reads a table; `meaning` gives the text that a cell stands for and must keep different cells different.
pub(super) fn read(
    options: ReadOptions,
    roles: &Roles,
    watch: &dyn Watch,
    meaning: impl Fn(&str) -> &str,
) -> Result<RoledTable, LoadError> {
    read_input(&Input::new(options)?, roles, watch, meaning)
}

fn read_input(
    input: &Input,
    roles: &Roles,
    watch: &dyn Watch,
    meaning: impl Fn(&str) -> &str,
) -> Result<RoledTable, LoadError> {
    let path = input.options().path.clone();
    let mut source = input.open()?;
    let mut wanted = Vec::new();
    let mut coded = Vec::new();
    let subset = roles.subset.as_ref().map(|name| ColumnRole::new(name, Role::Insensitive));
    for column in roles.columns.iter().chain(&subset) {
        let header = source.columns();
        let Some(place) = header.iter().position(|name| *name == column.name) else {
            return Err(LoadError::unknown_column(&path, &column.name, header));
        };
        wanted.push(place);
        coded.push(CodedColumn::new(&column.name, column.value_type.unwrap_or(ValueType::String)));
    }
    let whose = person_columns(&source, &path, roles, &mut wanted, &mut coded)?;
    source.select(&wanted)?;
    watch.begin(Phase::Reading);
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); coded.len()];
    let on_row = |row: &[u32]| codes.iter_mut().zip(row).for_each(|(column, &code)| column.push(code));
    let progress = |rows| {
        watch.advance(rows, None);
        !watch.stop()
    };
    let rows = scan(source, path.clone(), &mut coded, on_row, progress)?;
    if rows == 0 {
        return Err(ScanError::NoRows { path }.into());
    }
    let mut people = match whose.is_empty() {
        true => None,
        false => Some(numbers_of_people(&path, &whose, &coded, &codes)?),
    };
    let kept = roles.columns.len() + usize::from(subset.is_some());
    coded.truncate(kept);
    codes.truncate(kept);
    let flags = subset.and_then(|_| Some((coded.pop()?, codes.pop()?)));
    let everybody = flags.is_some().then(|| {
        let quasi = coded.iter().zip(&codes).zip(&roles.columns);
        let quasi = quasi.filter(|(_, role)| role.role == Role::QuasiIdentifier);
        Microdata::new(quasi.map(|((coded, codes), _)| column(coded, codes.clone(), &meaning)).collect())
    });
    if let Some((flag, flags)) = flags {
        let chosen: Vec<bool> = flag.dictionary.cells().into_iter().map(says_yes).collect();
        for column in codes.iter_mut().chain(&mut people) {
            let mut flag = flags.iter();
            column.retain(|_| flag.next().is_some_and(|&flag| chosen[flag as usize]));
        }
        if !flags.iter().any(|&flag| chosen[flag as usize]) {
            return Err(ScanError::NoRows { path }.into());
        }
    }
    let types = coded
        .iter()
        .zip(&roles.columns)
        .map(|(coded, role)| role.value_type.unwrap_or_else(|| type_of(&coded.dictionary.cells())));
    let places = |wanted: Role| {
        let places = roles.columns.iter().enumerate().filter(move |(_, column)| column.role == wanted);
        places.map(|(place, _)| place).collect()
    };
    Ok(RoledTable {
        quasi_identifiers: places(Role::QuasiIdentifier),
        sensitive: places(Role::Sensitive),
        insensitive: places(Role::Insensitive),
        types: types.collect(),
        orders: roles.columns.iter().map(|column| column.order.clone()).collect(),
        population: everybody,
        data: Microdata::new(
            coded.iter().zip(codes).map(|(coded, codes)| column(coded, codes, &meaning)).collect(),
        )
        .with_people(people),
    })
}

/// Adds the columns that say whose row it is to those that are read, and gives their places there.
fn person_columns(
    source: &Source,
    path: &Path,
    roles: &Roles,
    wanted: &mut Vec<usize>,
    coded: &mut Vec<CodedColumn>,
) -> Result<Vec<usize>, LoadError> {
    let mut places = Vec::new();
    for column in &roles.person {
        let header = source.columns();
        let Some(place) = header.iter().position(|name| *name == column.name) else {
            return Err(LoadError::unknown_column(path, &column.name, header));
        };
        places.push(match wanted.iter().position(|known| *known == place) {
            Some(read) => read,
            None => {
                wanted.push(place);
                coded.push(CodedColumn::new(&column.name, column.value_type.unwrap_or(ValueType::String)));
                wanted.len() - 1
            }
        });
    }
    Ok(places)
}

/// A number per row that stands for its person: equal where all columns of the key are.
fn numbers_of_people(
    path: &Path,
    key: &[usize],
    coded: &[CodedColumn],
    codes: &[Vec<u32>],
) -> Result<Vec<u32>, LoadError> {
    let mut people = vec![0u32; codes.first().map_or(0, Vec::len)];
    for &place in key {
        let missing = coded[place].dictionary.code(None);
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for (row, (person, &code)) in people.iter_mut().zip(&codes[place]).enumerate() {
            if Some(code) == missing {
                let (path, column) = (path.to_owned(), coded[place].name.clone());
                return Err(LoadError::Nobody { path, column, row: row as u64 + 1 });
            }
            let next = numbers.len() as u32;
            *person = *numbers.entry((*person, code)).or_insert(next);
        }
    }
    Ok(people)
}

/// The column with codes in the order of its cells; cells that no row shows any more are gone.
fn column(coded: &CodedColumn, mut codes: Vec<u32>, meaning: &impl Fn(&str) -> &str) -> Column {
    let cells: Vec<Option<&str>> =
        coded.dictionary.cells().into_iter().map(|cell| cell.map(meaning)).collect();
    let mut used = vec![false; cells.len()];
    codes.iter().for_each(|&code| used[code as usize] = true);
    let mut order: Vec<u32> = (0..cells.len() as u32).filter(|&code| used[code as usize]).collect();
    order.sort_unstable_by_key(|&code| cells[code as usize]);
    let mut new_code = vec![0; cells.len()];
    for (new, &old) in order.iter().enumerate() {
        new_code[old as usize] = new as u32;
    }
    codes.iter_mut().for_each(|code| *code = new_code[*code as usize]);
    let missing = order.first().is_some_and(|&code| cells[code as usize].is_none()).then_some(0);
    let labels = order.iter().map(|&code| cells[code as usize].unwrap_or_default().to_owned()).collect();
    Column::new(&coded.name, labels, codes).with_missing(missing)
}

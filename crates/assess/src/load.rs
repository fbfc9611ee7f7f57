//! A table file, read into codes and labels.

use super::{ColumnRole, LoadError, Roles};
use paravent_core::values::ValueType;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_job::{InputSource, Job, Population, Role};
use paravent_prepare::hierarchies::type_of;
use paravent_prepare::study::{null_texts, read_options, says_yes};
use paravent_tables::encode::{CodedColumn, CodedLines, ScanError, scan_grouped};
use paravent_tables::engine::{EngineError, PersonTokens};
use paravent_tables::read::{Input, PeopleTable, ReadError, ReadOptions, Source};
use paravent_tables::watch::{Phase, Watch};
use std::collections::HashMap;
use std::iter::repeat_n;
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
    /// A file of which it is known how it is stored.
    Known(Box<ReadOptions>),
    /// A table that is in memory, or was opened already.
    Held(Box<Input>),
}

impl TableSource<'_> {
    /// The table itself; it can be read several times.
    pub(crate) fn input(&self) -> Result<Input, LoadError> {
        match self {
            TableSource::Held(input) => Ok((**input).clone()),
            _ => Ok(Input::new(self.options()?)?),
        }
    }

    fn options(&self) -> Result<ReadOptions, LoadError> {
        match self {
            TableSource::File(path) => Ok(ReadOptions::new(*path)),
            TableSource::Known(options) => Ok((**options).clone()),
            TableSource::Held(input) => Ok(input.options().clone()),
            TableSource::AsInJob(path, job) => {
                let mut job = Job::clone(job);
                job.input.source = InputSource::given(path);
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
    read_input(input, roles, 0, watch, |cell| cell)
}

/// Reads the population table that a job names for δ-presence or k-map: its quasi-identifiers only.
pub fn load_population(job: &Job, watch: &dyn Watch) -> Result<Option<RoledTable>, LoadError> {
    let Some(Population::Table(path)) = job.privacy.population() else { return Ok(None) };
    let path = job.resolve(path);
    let mut options = ReadOptions::new(&path);
    options.null = null_texts(job, None, &path);
    let mut roles = Roles::of_job(job);
    roles.columns.retain(|column| column.role == Role::QuasiIdentifier);
    read_input(&Input::new(options)?, &roles, 0, watch, |cell| cell).map(Some)
}

/// Reads a table; `meaning` gives the text that a cell stands for and must keep different cells different.
pub(super) fn read_input(
    input: &Input,
    roles: &Roles,
    stars: usize,
    watch: &dyn Watch,
    meaning: impl Fn(&str) -> &str,
) -> Result<RoledTable, LoadError> {
    let path = input.options().shown_path();
    let (mut source, person, by_token) = opened(input, roles)?;
    let mut wanted = Vec::new();
    let mut coded = Vec::new();
    let subset = roles.subset.as_ref().map(|name| ColumnRole::new(name, Role::Insensitive));
    for column in roles.columns.iter().chain(&subset) {
        let header = source.columns();
        let Some(place) = header.iter().position(|name| *name == column.name) else {
            return Err(LoadError::unknown_column(&path, &column.name, header));
        };
        wanted.push(place);
        // A star is no number. Released cells have one spelling anyway.
        let spelled = column.value_type.filter(|_| stars == 0).unwrap_or(ValueType::String);
        let read = CodedColumn::new(&column.name, spelled);
        coded.push(CodedColumn { treatment: column.treatment.clone(), ..read });
    }
    let whose = person_columns(&source, &path, &person, &mut wanted, &mut coded)?;
    // Whose row it is can only be told row by row, or by a token.
    match whose.is_empty() || by_token {
        true => source.select_grouped(&wanted)?,
        false => source.select(&wanted)?,
    }
    watch.begin(Phase::Reading);
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); coded.len()];
    let on_lines = |lines: CodedLines<'_>| {
        for (column, new) in codes.iter_mut().zip(lines.codes) {
            match lines.counts {
                None => column.extend_from_slice(&new[..lines.len]),
                Some(counts) => {
                    new.iter()
                        .zip(counts)
                        .for_each(|(&code, &count)| column.extend(repeat_n(code, count as usize)));
                }
            }
        }
        Ok(())
    };
    let progress = |rows| {
        watch.advance(rows, None);
        !watch.stop()
    };
    let rows =
        scan_grouped(source, path.clone(), &mut coded, on_lines, progress)?.saturating_sub(stars as u64);
    codes.iter_mut().for_each(|codes| codes.truncate(rows as usize));
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

/// The table, the columns that say whose row it is, and whether these are tokens: then equal rows come together.
fn opened(input: &Input, roles: &Roles) -> Result<(Source, Vec<ColumnRole>, bool), LoadError> {
    match people_elsewhere(input, roles)? {
        None => Ok((input.open()?, roles.person.clone(), false)),
        Some(people) => {
            let token = ColumnRole::new(&people.token, Role::Identifying);
            Ok((people.table.source(input.options()), vec![token], true))
        }
    }
}

/// The table with tokens of the people behind its rows, where it lives elsewhere: identifiers stay there.
fn people_elsewhere(input: &Input, roles: &Roles) -> Result<Option<PeopleTable>, LoadError> {
    let Some(table) = input.engine().filter(|_| !roles.person.is_empty()) else { return Ok(None) };
    let path = input.options().shown_path();
    let names: Vec<String> =
        roles.columns.iter().map(|column| column.name.clone()).chain(roles.subset.clone()).collect();
    let header: Vec<String> = table.columns().iter().map(|column| column.name.clone()).collect();
    if let Some(unknown) = names.iter().find(|name| !header.contains(name)) {
        return Err(LoadError::unknown_column(&path, unknown, &header));
    }
    let of = |column: &ColumnRole| (column.name.clone(), column.value_type.unwrap_or(ValueType::String));
    let key: Vec<(String, ValueType)> = roles.person.iter().map(of).collect();
    let tokens = PersonTokens::drawn();
    let no_randomness = || ReadError::Engine { path, error: EngineError::NoRandomness };
    let tokens = tokens.ok_or_else(no_randomness)?;
    Ok(Some(table.with_people(&key, &names, &tokens, input.options())?))
}

/// Adds the columns that say whose row it is to those that are read, and gives their places there.
fn person_columns(
    source: &Source,
    path: &Path,
    person: &[ColumnRole],
    wanted: &mut Vec<usize>,
    coded: &mut Vec<CodedColumn>,
) -> Result<Vec<usize>, LoadError> {
    let mut places = Vec::new();
    for column in person {
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
        // Blanks around a key do not make another person.
        let cells = coded[place].dictionary.cells();
        let mut first: HashMap<&str, u32> = HashMap::new();
        let same: Vec<Option<u32>> = (0u32..)
            .zip(&cells)
            .map(|(code, cell)| {
                let cell = cell.map(str::trim).filter(|cell| !cell.is_empty())?;
                Some(*first.entry(cell).or_insert(code))
            })
            .collect();
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for (row, (person, &code)) in people.iter_mut().zip(&codes[place]).enumerate() {
            let Some(code) = same[code as usize] else {
                let (path, column) = (path.to_owned(), coded[place].name.clone());
                return Err(LoadError::Nobody { path, column, row: row as u64 + 1 });
            };
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

//! A job's counted table, row by row, to be dealt to parties.

use crate::JointError;
use crate::agreement::{MARK_ROWS, NO_POPULATION_FILE};
use crate::part;
use paravent_core::hierarchy::Hierarchy;
use paravent_core::values::ValueType;
use paravent_federation::{JointColumn, JointTable, PartyColumn, PartyId, PartyTable, Plan, Role, Shares};
use paravent_job::{Distance, Model, Population, Problem, Problems};
use paravent_prepare::hierarchies;
use paravent_prepare::study::{Study, StudyError};
use paravent_tables::encode::{CodedColumn, scan};
use paravent_tables::watch::Watch;
use std::collections::BTreeMap;

/// Who gets which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deal {
    /// Rows in turn, so that the parts are alike.
    InTurn,
    /// Blocks of rows as they stand in the table.
    Blocks,
    /// A party for every value of a column.
    Sites(String),
}

/// The quasi-identifiers and the constrained sensitive columns of a study; where a subset of the rows is to be released, its column,
/// too.
pub(super) fn table(
    study: &Study,
    (deal, hands): (&Deal, usize),
    watch: &dyn Watch,
) -> Result<JointTable, JointError> {
    let counted = &study.counted;
    let models = &study.job.privacy.models;
    let population = models.iter().find_map(Model::population);
    if let Some(Population::Table(_)) = population {
        return Err(study.job.problem("privacy.models", NO_POPULATION_FILE).advise(MARK_ROWS).into());
    }
    let Some(held) = counted.held() else {
        return Err(study.job.problem("search.memory", "parties need the whole table in memory").into());
    };
    let mut sizes = None;
    let mut rows: Vec<u32> = Vec::new();
    match deal {
        Deal::InTurn => {
            for number in 0..held.tuples.len() as u32 {
                rows.extend((0..held.tuples.count(number)).map(|_| number));
            }
            let hands = hands.max(1);
            rows = (0..hands).flat_map(|hand| rows.iter().copied().skip(hand).step_by(hands)).collect();
        }
        Deal::Blocks | Deal::Sites(_) if population.is_some() => {
            let message = "rows of a population are dealt in turn only";
            return Err(study.job.problem("privacy.models", message).into());
        }
        Deal::Blocks => rows = in_input_order(study, None, watch)?.into_iter().map(|(_, row)| row).collect(),
        Deal::Sites(column) => {
            let mut by_site: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (site, row) in in_input_order(study, Some(column), watch)? {
                by_site.entry(site).or_default().push(row);
            }
            sizes = Some(by_site.values().map(Vec::len).collect());
            rows = by_site.into_values().flatten().collect();
        }
    }
    let codes = |column: usize| rows.iter().map(|&row| held.tuples.code(row, column)).collect::<Vec<u32>>();
    let mut columns = Vec::new();
    for (position, column) in counted.columns.iter().enumerate() {
        let (role, data, hierarchy) = match study.task.ladders().get(position) {
            Some(ladder) => {
                let hierarchy = &study.hierarchies[position];
                let role = Role::QuasiIdentifier {
                    height: ladder.max_level(),
                    lowest: study.task.lattice().lowest()[position],
                    highest: study.task.lattice().highest()[position],
                    weight: study.task.columns().weights()[position],
                    shares: Shares::of(hierarchy),
                };
                let data = PartyColumn::with_hierarchy(hierarchy, ladder.clone(), codes(position));
                (role, data, Some(hierarchy.clone()))
            }
            None => sensitive(study, position, codes(position))?,
        };
        columns.push(JointColumn { name: column.name.clone(), role, data, hierarchy });
    }
    if let Some(Population::Subset(name)) = population {
        let released = |&row: &u32| u32::from(held.is_in_table(row));
        let cells = vec![Some("0".to_owned()), Some("1".to_owned())];
        let data = PartyColumn::plain(cells, rows.iter().map(released).collect());
        columns.push(JointColumn { name: name.clone(), role: Role::Membership, data, hierarchy: None });
    }
    Ok(JointTable { columns, rows: rows.len(), sizes })
}

/// How many parties a column makes.
pub(super) fn sites(study: &Study, column: &str, watch: &dyn Watch) -> Result<usize, JointError> {
    let mut sites: Vec<u32> =
        in_input_order(study, Some(column), watch)?.into_iter().map(|(site, _)| site).collect();
    sites.sort_unstable();
    sites.dedup();
    match sites.len() {
        found @ 2..=64 => Ok(found),
        found => {
            let message =
                format!("--sites: the column has {found} different values; 2 to 64 parties take part");
            Err(Problem::new(study.job.source.file(), message).into())
        }
    }
}

/// Every row of the table as it stands there: the site it belongs to, and the number of its tuple.
fn in_input_order(
    study: &Study,
    site: Option<&str>,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>, JointError> {
    let path = study.job.source.file();
    let failed = |error: StudyError| JointError::of_job(path, error);
    let Some(held) = study.counted.held() else { return Ok(Vec::new()) };
    let position = |name: &str| study.columns.columns.iter().position(|column| column.name == name);
    let mut coded: Vec<CodedColumn> = study.counted.columns.clone();
    let mut positions: Vec<usize> = coded.iter().filter_map(|column| position(&column.name)).collect();
    let width = coded.len();
    // A column that is counted is read once.
    let mut at = site.and_then(|name| coded.iter().position(|column| column.name == name));
    if let (Some(name), None) = (site, at) {
        let unknown = || Problem::new(path, format!("--sites: the table has no column {name:?}"));
        positions.push(position(name).ok_or_else(unknown)?);
        coded.push(CodedColumn::new(name, ValueType::String));
        at = Some(width);
    }
    let known: BTreeMap<Vec<u32>, u32> = (0..held.tuples.len() as u32)
        .map(|row| ((0..width).map(|column| held.tuples.code(row, column)).collect(), row))
        .collect();
    let mut source = study.input.open().map_err(|error| failed(error.into()))?;
    source.select(&positions).map_err(|error| failed(error.into()))?;
    let mut rows = Vec::new();
    let mut strangers = 0u64;
    let on_row = |codes: &[u32]| match known.get(&codes[..width]) {
        Some(&row) => rows.push((at.map_or(0, |at| codes[at]), row)),
        None => strangers += 1,
    };
    scan(source, study.input_path.clone(), &mut coded, on_row, |_| !watch.stop())
        .map_err(|error| failed(error.into()))?;
    study.input.unchanged_since(&study.fingerprint).map_err(|error| failed(error.into()))?;
    match strangers {
        0 => Ok(rows),
        _ => Err(Problem::new(path, "the table changed while it was read").into()),
    }
}

type Sensitive = (Role, PartyColumn, Option<Hierarchy>);

/// A sensitive column; with its hierarchy where a distance needs it.
fn sensitive(study: &Study, position: usize, codes: Vec<u32>) -> Result<Sensitive, Problem> {
    let column = &study.counted.columns[position];
    let cells = column.dictionary.cells();
    let needs_tree = study.job.privacy.models.iter().any(|model| {
        matches!(model, Model::TCloseness { attribute, distance: Distance::Hierarchical, .. } if *attribute == column.name)
    });
    let index = study.job.attribute(&column.name).map(|(index, _)| index);
    if let (true, Some(index)) = (needs_tree, index) {
        let problem = |message: String| study.job.problem(&format!("attributes[{index}].hierarchy"), message);
        let hierarchy = hierarchies::build(&study.job, index, &cells, column.value_type);
        let hierarchy = hierarchy.map_err(|problems| problem(problems.to_string()))?;
        let ladder = hierarchy.ladder(&cells).map_err(|error| problem(error.to_string()))?;
        let role = Role::Sensitive { height: ladder.max_level() };
        return Ok((role, PartyColumn::with_ladder(ladder, codes), Some(hierarchy)));
    }
    let cells = cells.into_iter().map(|cell| cell.map(str::to_owned)).collect();
    Ok((Role::Sensitive { height: 0 }, PartyColumn::plain(cells, codes), None))
}

/// Whether every party would come to the same hierarchies from the rows it has, as `paravent party join` asks of it.
pub(super) fn hierarchies_agree(study: &Study, plan: &Plan, parts: &[PartyTable]) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for (position, column) in study.counted.columns.iter().enumerate().take(study.task.ladders().len()) {
        let Some((index, attribute)) = study.job.attribute(&column.name) else { continue };
        let whole = hierarchies::build(&study.job, index, &column.dictionary.cells(), column.value_type)?;
        let digest = part::hierarchy_digest(&whole);
        for (number, part) in (0u16..).zip(parts) {
            let own = plan.columns_of(PartyId(number)).into_iter().zip(&part.columns);
            let own = own.filter(|(at, _)| usize::from(*at) == position).map(|(_, column)| column);
            for cells in own.map(|column| &column.cells).filter(|cells| !cells.is_empty()) {
                let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
                let declared = attribute.data_type.is_some();
                let kind = if declared { column.value_type } else { hierarchies::type_of(&cells) };
                let same = hierarchies::build(&study.job, index, &cells, kind)
                    .is_ok_and(|hierarchy| part::hierarchy_digest(&hierarchy) == digest);
                if !same {
                    let message =
                        format!("party {} has another hierarchy, since its rows decide it", number + 1);
                    let key = format!("attributes[{index}].hierarchy");
                    problems.push(study.job.problem(&key, message).advise(part::SAME_HIERARCHY));
                }
            }
        }
    }
    problems.into_result(())
}

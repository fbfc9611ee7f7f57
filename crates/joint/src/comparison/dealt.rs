//! A job's counted table, row by row, to be dealt to parties.

use crate::agreement::{MARK_ROWS, NO_POPULATION_FILE};
use crate::part;
use paravent_core::hierarchy::Hierarchy;
use paravent_federation::{JointColumn, JointTable, PartyColumn, PartyId, PartyTable, Plan, Role, Shares};
use paravent_job::{Distance, Model, Population, Problem, Problems};
use paravent_prepare::hierarchies;
use paravent_prepare::study::Study;

/// The quasi-identifiers and the constrained sensitive columns of a study; where a subset of the rows is to be released, its column,
/// too. Rows are dealt in turn to `hands`, so that blocks of rows are alike.
pub(super) fn table(study: &Study, hands: usize) -> Result<JointTable, Problem> {
    let counted = &study.counted;
    let models = &study.job.privacy.models;
    let population = models.iter().find_map(Model::population);
    if let Some(Population::Table(_)) = population {
        return Err(study.job.problem("privacy.models", NO_POPULATION_FILE).advise(MARK_ROWS));
    }
    let Some(held) = counted.held() else {
        return Err(study.job.problem("search.memory", "parties need the whole table in memory"));
    };
    let mut rows: Vec<u32> = Vec::new();
    for number in 0..held.tuples.len() as u32 {
        rows.extend((0..held.tuples.count(number)).map(|_| number));
    }
    let hands = hands.max(1);
    let rows: Vec<u32> = (0..hands).flat_map(|hand| rows.iter().copied().skip(hand).step_by(hands)).collect();
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
    Ok(JointTable { columns, rows: rows.len() })
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

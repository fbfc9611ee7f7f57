//! A party's own part: its job and its table, as the agreement sees them.

mod table;

use crate::JointError;
use crate::agreement::{Agreement, ColumnEntry, Holders, Levels, PartyEntry, Tree, needs_tree};
use paravent_core::hierarchy::Hierarchy;
use paravent_federation::{Shares, Split};
use paravent_job::{DataType, Job, Model, Problems, Role};
use paravent_pipeline::release::refuse_naming_in;
use paravent_pipeline::run::RunError;
use paravent_prepare::hierarchies::to_json;
use paravent_prepare::study::{InputColumn, Study, Treatment, refuse_treatments};
use paravent_tables::watch::Watch;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

pub use table::table;

/// What to do where the rows of a party decide its hierarchy.
pub const SAME_HIERARCHY: &str = "All parties need the same hierarchy: build it once (paravent hierarchy build) and hand out the file; paravent party union puts the values of all together for it";

/// Reads and counts the party's table. The promises are those of the agreement; a part of a table may be too small for them, so only their
/// columns count here.
pub fn study(path: &Path, agreed: &[Model], watch: &dyn Watch) -> Result<Study, JointError> {
    let mut job = Job::load(path).map_err(|problems| JointError::of_job(path, problems))?;
    if !job.privacy.person.is_empty() {
        let message = "parties count rows: whose rows belong to one person is not matched between them";
        let problem = job.problem("privacy.person", message);
        return Err(JointError::Problems(
            problem.advise("Bring one row per person, and leave it out").into(),
        ));
    }
    refuse_treatments(&job, "a joint run").map_err(|problems| JointError::of_job(path, problems))?;
    refuse_hierarchies_of_rows(&job).map_err(|problems| JointError::of_job(path, problems))?;
    let is_sensitive =
        |name: &&str| job.attribute(name).is_some_and(|(_, column)| column.role == Role::Sensitive);
    let trees = needs_tree(agreed).filter(is_sensitive);
    let counted = trees.map(|name| {
        Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
            attribute: name.to_owned(),
            l: 1,
        })
    });
    job.privacy.models = std::iter::once(Model::KAnonymity(paravent_job::models::KAnonymity { k: 1 }))
        .chain(counted)
        .collect();
    // Every row is sent, so all are held.
    job.search.memory = None;
    let failed = |error| JointError::of_job(path, RunError::Study(error));
    let study = Study::prepare(job, None, false, watch).map_err(failed)?;
    refuse_naming_in(&study, watch).map_err(failed)?;
    Ok(study)
}

/// No party has the rows of the others, and labels that depend on them would be other ones at each.
pub(crate) fn refuse_hierarchies_of_rows(job: &Job) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for (index, attribute) in job.attributes.iter().enumerate() {
        let Some(hierarchy) = &attribute.hierarchy else { continue };
        if hierarchy.is_counted() || hierarchy.is_made_from_data(attribute.order.is_some()) {
            let message = "is made from the rows of one table, and no party has those of the others";
            let problem = job.problem(&format!("attributes[{index}].hierarchy"), message);
            problems.push(problem.advise(SAME_HIERARCHY));
        }
    }
    problems.into_result(())
}

/// Puts this party's columns into the agreement: horizontally they are everybody's. Vertically the columns keep the order of the parties,
/// whoever joins first.
pub fn bring(agreement: &mut Agreement, study: &Study, me: &str) -> Result<(), Problems> {
    let own = columns(agreement, study, me)?;
    if agreement.split == Split::Horizontal {
        agreement.columns = own;
        return Ok(());
    }
    let others = std::mem::take(&mut agreement.columns).into_iter().filter_map(|column| {
        let holders: Vec<String> = column.holders().filter(|name| *name != me).cloned().collect();
        (!holders.is_empty()).then(|| column.held_by(holders))
    });
    agreement.columns = others.collect();
    for column in own {
        let known = agreement.columns.iter_mut().find(|known| known.name == column.name);
        match known.filter(|_| agreement.holders == Holders::Several) {
            // Whether it is the same column is for `fits` to say.
            Some(known) => *known = shared(known, [me.to_owned()], &agreement.parties),
            None => agreement.columns.push(column),
        }
    }
    in_order_of_parties(agreement);
    let marks = agreement.marks().is_some_and(|column| has_column(study, column));
    match &agreement.marked_by {
        None if marks => agreement.marked_by = Some(me.to_owned()),
        Some(party) if party == me && !marks => agreement.marked_by = None,
        _ => {}
    }
    Ok(())
}

/// A column that further parties hold.
pub(crate) fn shared(
    column: &ColumnEntry,
    more: impl IntoIterator<Item = String>,
    parties: &[PartyEntry],
) -> ColumnEntry {
    let mut holders: Vec<String> = column.holders().cloned().chain(more).collect();
    holders.sort_by_key(|name| parties.iter().position(|party| party.name == *name));
    holders.dedup();
    column.clone().held_by(holders)
}

/// Vertical: the columns of the first party first.
pub(crate) fn in_order_of_parties(agreement: &mut Agreement) {
    let Agreement { columns, parties, .. } = agreement;
    columns.sort_by_key(|column| parties.iter().position(|party| Some(&party.name) == column.owner.as_ref()));
}

/// The columns the release gets from this party.
pub fn columns(agreement: &Agreement, study: &Study, me: &str) -> Result<Vec<ColumnEntry>, Problems> {
    let owner = (agreement.split == Split::Vertical).then_some(me);
    let mut entries = Vec::new();
    for (_, column) in study.columns.released() {
        if agreement.marks() == Some(&column.name) {
            continue;
        }
        let levels = match column.treatment {
            Treatment::QuasiIdentifier(position) => Some(Levels {
                height: study.task.ladders()[position].max_level(),
                lowest: study.task.lattice().lowest()[position],
                highest: study.task.lattice().highest()[position],
                weight: study.task.columns().weights()[position],
                hierarchy: hierarchy_digest(&study.hierarchies[position]),
                shares: Shares::of(&study.hierarchies[position]),
            }),
            _ => None,
        };
        let mut trees = needs_tree(&agreement.terms.privacy.models);
        let tree =
            match study.counted_position(&column.name).filter(|_| trees.any(|name| name == column.name)) {
                Some(_) => {
                    let (hierarchy, ladder) = study.sensitive_hierarchy(&column.name)?;
                    Some(Tree { height: ladder.max_level(), hierarchy: hierarchy_digest(&hierarchy) })
                }
                None => None,
            };
        let role = match column.treatment {
            Treatment::QuasiIdentifier(_) => Role::QuasiIdentifier,
            Treatment::Sensitive => Role::Sensitive,
            _ => Role::Insensitive,
        };
        entries.push(ColumnEntry {
            name: column.name.clone(),
            role,
            data_type: data_type(study, column),
            owner: owner.map(str::to_owned),
            sharers: Vec::new(),
            levels,
            tree,
        });
    }
    Ok(entries)
}

/// What a column that is released as it is looks like at one party need not be so at another: what is not declared is text.
fn data_type(study: &Study, column: &InputColumn) -> DataType {
    if !matches!(column.treatment, Treatment::QuasiIdentifier(_)) {
        let declared = column.attribute.and_then(|index| study.job.attributes[index].data_type);
        return declared.unwrap_or(DataType::String);
    }
    let name = study.type_name(column);
    DataType::ALL.iter().copied().find(|kind| kind.name() == name).unwrap_or(DataType::String)
}

/// Of what labels and shares depend on. Lines of a table count in any order: what they say does not depend on it.
pub fn hierarchy_digest(hierarchy: &Hierarchy) -> String {
    let mut text = in_canonical_order(to_json(hierarchy)).to_string();
    text.push_str(&alphabets(hierarchy));
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn in_canonical_order(mut hierarchy: Value) -> Value {
    if let Some(rows) = hierarchy.get_mut("rows").and_then(Value::as_array_mut) {
        rows.sort_by_cached_key(Value::to_string);
    }
    if let Some(parts) = hierarchy.get_mut("parts").and_then(Value::as_array_mut) {
        parts.iter_mut().for_each(|part| *part = in_canonical_order(part.take()));
    }
    hierarchy
}

/// How many texts a mask may stand for: it changes shares, not labels.
fn alphabets(hierarchy: &Hierarchy) -> String {
    match hierarchy {
        Hierarchy::Redaction(redaction) => {
            redaction.alphabet().map_or(String::new(), |size| format!(" {size}"))
        }
        Hierarchy::Chain(chain) => chain.parts().iter().map(alphabets).collect(),
        _ => String::new(),
    }
}

fn has_column(study: &Study, name: &str) -> bool {
    study.columns.columns.iter().any(|column| column.name == name)
}

/// Whether the party's own columns are those of the agreement; all differences together.
pub fn fits(agreement: &Agreement, study: &Study, me: &str) -> Result<(), Problems> {
    let own = columns(agreement, study, me)?;
    let mut problems = Problems::new();
    let job = study.job.source.file();
    for (index, agreed) in agreement.columns.iter().enumerate() {
        if agreement.split == Split::Vertical && !agreed.is_held_by(me) {
            continue;
        }
        let at = |key: &str, message: String| {
            agreement.source.problem(&format!("columns[{index}].{key}"), message)
        };
        let Some(mine) = own.iter().find(|column| column.name == agreed.name) else {
            problems.push(at("name", format!("{} releases no column {:?}", job.display(), agreed.name)));
            continue;
        };
        if mine.role != agreed.role {
            problems.push(at(
                "role",
                format!("is {} here and {} in {}", agreed.role.name(), mine.role.name(), job.display()),
            ));
        }
        if mine.data_type != agreed.data_type {
            let problem = at(
                "type",
                format!(
                    "is {} here and {} in {}",
                    agreed.data_type.name(),
                    mine.data_type.name(),
                    job.display()
                ),
            );
            problems.push(
                problem.advise("Declare the type in every job, so that it does not depend on the rows"),
            );
        }
        if let (Some(mine), Some(agreed)) = (&mine.levels, &agreed.levels)
            && mine != agreed
        {
            let (key, message) = match mine.hierarchy != agreed.hierarchy {
                true => ("hierarchy", format!("the hierarchy of {} is another one", job.display())),
                false => ("height", format!("levels or weight differ from {}", job.display())),
            };
            problems.push(at(key, message).advise(SAME_HIERARCHY));
        }
        if mine.tree != agreed.tree && mine.role == agreed.role {
            let message = format!("the hierarchy of {} is another one", job.display());
            let advice =
                "The hierarchical distance needs the same hierarchy at all parties: hand out the file";
            problems.push(at("hierarchy", message).advise(advice));
        }
    }
    if let Some(column) = agreement.marks().filter(|_| agreement.is_marked_by(me))
        && !has_column(study, column)
    {
        let message =
            format!("the table of {} has no column {column:?} to mark the rows to release", job.display());
        problems.push(agreement.source.problem("privacy.models", message));
    }
    let agreed = |column: &&ColumnEntry| agreement.columns.iter().any(|known| known.name == column.name);
    for column in own.iter().filter(|column| !agreed(column)) {
        let message = format!("{} releases column {:?}, which nobody agreed on", job.display(), column.name);
        problems.push(
            agreement
                .source
                .problem("columns", message)
                .advise("Declare it as identifying to leave it out, or add it"),
        );
    }
    if let Some(identifier) = &agreement.identifier
        && !study
            .columns
            .columns
            .iter()
            .any(|column| column.name == *identifier && column.treatment == Treatment::Identifying)
    {
        let message = format!("{} has no identifying column {identifier:?}", job.display());
        problems.push(
            agreement
                .source
                .problem("identifier", message)
                .advise("Declare it with role = \"identifying\": it is matched, encrypted, and not released"),
        );
    }
    problems.into_result(())
}

/// Position among the counted columns: of a quasi-identifier, or of a sensitive column with a hierarchy.
fn counted(study: &Study, name: &str) -> Option<usize> {
    quasi_identifier(study, name).or_else(|| study.counted_position(name))
}

/// Position among the quasi-identifiers.
pub fn quasi_identifier(study: &Study, name: &str) -> Option<usize> {
    study.columns.columns.iter().find(|column| column.name == name).and_then(|column| {
        match column.treatment {
            Treatment::QuasiIdentifier(position) => Some(position),
            _ => None,
        }
    })
}

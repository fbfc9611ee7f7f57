//! The hierarchy of a column over the values of the table.

use super::labels::FEWEST_ROWS;
use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{HierarchyLevel, HierarchyView, TreeNode};
use paravent_core::hierarchy::Ladder;
use paravent_prepare::hierarchies::{FileOptions, HierarchyLines};
use std::fs;
use std::io;
use std::path::Path;

/// Labels below one label that are shown.
const MOST_CHILDREN: usize = 60;
/// Labels of a tree.
const MOST_LABELS: usize = 3000;
/// The project's folder of hierarchy files.
const FOLDER: &str = "hierarchies";

/// Levels and tree of a quasi-identifier. `values`: also labels that few rows have.
pub(super) fn view(project: &Project, column: &str, values: bool, run: &Run) -> Result<HierarchyView, Fault> {
    let (study, _) = project.study(run)?;
    let quasi = study.counted.quasi_identifiers;
    let Some(position) = study.counted.columns[..quasi].iter().position(|one| one.name == column) else {
        return Err(Fault::request("only quasi-identifiers are generalized")
            .advise("Give the column this role first"));
    };
    let (ladder, rows) = (&study.task.ladders()[position], study.counted.rows_by_code(position));
    let levels: Vec<Vec<u64>> = ladder
        .rungs()
        .iter()
        .map(|rung| {
            let mut sums = vec![0; rung.labels.len()];
            rung.group_of.iter().zip(rows).for_each(|(&group, rows)| sums[group as usize] += rows);
            sums
        })
        .collect();
    let class = study.job.privacy.models.iter().filter_map(|model| {
        let parameters = paravent_prepare::study::required(model, paravent_prepare::study::Exactness::Number);
        parameters.get("k").and_then(serde_json::Value::as_u64)
    });
    let class = class.max().unwrap_or(2);
    let facts = (0..).zip(&levels).map(|(level, sums)| {
        let sums = sums.iter().copied().filter(|&sum| sum > 0);
        HierarchyLevel {
            level,
            groups: sums.clone().count() as u64,
            fewest_rows: sums.clone().min().unwrap_or(0),
            most_rows: sums.clone().max().unwrap_or(0),
            small_groups: sums.filter(|&sum| sum < class).count() as u64,
        }
    });
    let fewest = if values { 1 } else { FEWEST_ROWS };
    let mut forest = Forest {
        ladder,
        levels: &levels,
        children: children(ladder),
        fewest,
        left: MOST_LABELS,
        hidden: false,
    };
    let top = ladder.max_level();
    let roots: Vec<u32> = (0..levels[top as usize].len() as u32).collect();
    let (tree, more) = forest.grow(top, &roots);
    let hidden = forest.hidden || more > 0;
    Ok(HierarchyView { column: column.to_owned(), levels: facts.collect(), tree, hidden })
}

/// By level and group: the groups of the level below that belong to it.
fn children(ladder: &Ladder) -> Vec<Vec<Vec<u32>>> {
    let mut all = vec![Vec::new()];
    for level in 1..=ladder.max_level() {
        let mut below = vec![Vec::new(); ladder.cardinality(level)];
        for (group, &parent) in ladder.step(level - 1, level).iter().enumerate() {
            below[parent as usize].push(group as u32);
        }
        all.push(below);
    }
    all
}

struct Forest<'a> {
    ladder: &'a Ladder,
    levels: &'a [Vec<u64>],
    children: Vec<Vec<Vec<u32>>>,
    fewest: u64,
    left: usize,
    hidden: bool,
}

impl Forest<'_> {
    /// The labels of these groups, and how many are not shown.
    fn grow(&mut self, level: u8, groups: &[u32]) -> (Vec<TreeNode>, u64) {
        let (mut nodes, mut more) = (Vec::new(), 0);
        for &group in groups {
            let rows = self.levels[level as usize][group as usize];
            if rows == 0 {
                continue;
            }
            if rows < self.fewest {
                self.hidden = true;
                more += 1;
                continue;
            }
            if nodes.len() == MOST_CHILDREN || self.left == 0 {
                more += 1;
                continue;
            }
            self.left -= 1;
            let below =
                if level == 0 { Vec::new() } else { self.children[level as usize][group as usize].clone() };
            let (children, hidden) = if level == 0 { (Vec::new(), 0) } else { self.grow(level - 1, &below) };
            let label = self.ladder.rung(level).labels[group as usize].clone();
            nodes.push(TreeNode { label, level, rows, children, more: hidden });
        }
        (nodes, more)
    }
}

/// Puts a hierarchy file that was dropped into the project. Gives its path as a job writes it. Nothing is overwritten but the same content.
///
/// # Errors
/// If it is no hierarchy, its name is none, or another file is in the way.
pub fn import(project: &Project, name: &str, content: &[u8]) -> Result<String, Fault> {
    let plain = name.chars().all(|one| one.is_alphanumeric() || matches!(one, '.' | '-' | '_' | ' '));
    if !plain || name.starts_with('.') || !name.ends_with(".csv") || name.len() > 100 {
        return Err(
            Fault::request("this is no name of a hierarchy file").advise("Drop a file that ends in .csv")
        );
    }
    HierarchyLines::parse(
        content,
        Path::new(name),
        &FileOptions { delimiter: None, null: vec![String::new()] },
    )?;
    let fault = |error: io::Error| Fault::input_output(format!("the hierarchy cannot be kept: {error}"));
    let folder = project.folder().join(FOLDER);
    fs::create_dir_all(&folder).map_err(fault)?;
    let path = folder.join(name);
    match fs::read(&path) {
        Ok(there) if there == content => {}
        Ok(_) => {
            return Err(Fault::conflict("another file of this name is in the project")
                .advise("Rename the file, and drop it again"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(fault)?;
            io::Write::write_all(&mut file, content).map_err(fault)?;
            file.persist_noclobber(&path).map_err(|error| fault(error.error))?;
        }
        Err(error) => return Err(fault(error)),
    }
    Ok(format!("{FOLDER}/{name}"))
}

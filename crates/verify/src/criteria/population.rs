//! The evidence for δ-presence and k-map: how large each class is in the population.

use foldhash::HashMap;

use crate::checks::Release;
use crate::json::Node;
use crate::types::Type;
use crate::values::Values;
use crate::{Check, VerifyError};

/// The list of the manifest, matched with the released classes.
pub(super) struct Population {
    /// Rows of the population in each released class, or people; `None` if the list does not have the class.
    pub(super) of_class: Vec<Option<u64>>,
    /// Listed classes without a released row, those not counted whose rows were suppressed.
    pub(super) empty: u64,
    /// Whether the evidence is sound.
    pub(super) check: Check,
}

impl Population {
    pub(super) fn parse(release: &Release<'_>, node: &Node<'_>) -> Result<Population, VerifyError> {
        let (manifest, classes) = (release.manifest, release.classes);
        let mut problems = Vec::new();
        let mut dictionaries = Vec::new();
        for attribute in manifest.quasi_identifiers() {
            // Labels above level 0 are texts, whatever the type of the values was.
            let kind = if attribute.levels.is_some_and(|levels| levels.highest > 0) {
                Type::String
            } else {
                attribute.kind
            };
            match release.data.column(&attribute.name) {
                Some(column) => dictionaries.push((column, Values::of_column(column, kind))),
                None => problems.push(format!("column {} is not in the file", attribute.name)),
            }
        }
        let tuple = |at: u32| -> Box<[u32]> {
            dictionaries.iter().map(|(column, _)| column.codes.at(at as usize)).collect()
        };
        let ids: HashMap<Box<[u32]>, usize> =
            classes.first.iter().enumerate().map(|(class, &at)| (tuple(at), class)).collect();
        let of = if manifest.people.is_some() { "people" } else { "rows" };
        let mut of_class = vec![None; classes.sizes.len()];
        let (mut empty, mut suppressed, mut rows) = (0, 0u64, 0u128);
        for (index, item) in node.items()?.enumerate() {
            let labels = item.get("class")?;
            let cells = labels.cells()?;
            if cells.len() != manifest.quasi_identifiers().count() {
                return Err(labels.bad("must have one label per quasi-identifier"));
            }
            let count = item.get("count")?.rows()?;
            rows += u128::from(count);
            if count == 0 {
                problems.push(format!("population[{index}]: a class that does not occur"));
            }
            let lost = item.optional("suppressed").map(|lost| lost.rows()).transpose()?.unwrap_or(0);
            suppressed = suppressed.saturating_add(lost);
            let codes: Option<Box<[u32]>> = cells
                .iter()
                .zip(&dictionaries)
                .map(|(cell, (_, values))| values.find(cell.as_deref()))
                .collect();
            match codes.and_then(|codes| ids.get(&codes)) {
                Some(&class) if of_class[class].replace(count).is_some() => {
                    problems.push(format!("population[{index}]: a class that was listed before"));
                }
                Some(_) => {}
                None if lost == 0 => empty += 1,
                None => {}
            }
        }
        for (class, (&size, &row)) in release.sizes().iter().zip(release.first_rows()).enumerate() {
            match of_class[class] {
                None => problems.push(format!("the class of row {} is not in the population", row + 1)),
                Some(count) if count < size => {
                    problems.push(format!(
                        "the class of row {} has {size} {of}, the population {count}",
                        row + 1
                    ));
                }
                Some(_) => {}
            }
        }
        if suppressed > manifest.suppression.rows {
            problems.push(format!(
                "{suppressed} suppressed rows in the population, {} in all",
                manifest.suppression.rows
            ));
        }
        if let Some(all) = manifest.population_rows.filter(|&all| rows > u128::from(all)) {
            problems.push(format!("the classes have {rows} rows, the population {all}"));
        }
        let fine = format!(
            "every released class is in the population, which has {empty} listed classes beside them"
        );
        let check = Check::new("population", None, &problems, fine);
        Ok(Population { of_class, empty, check })
    }
}

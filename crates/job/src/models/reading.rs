//! Reads the models of a job.

use super::population::Population;
use super::{Model, ModelName};
use crate::attribute::Role;
use crate::attribute_walk::Declarations;
use crate::decimal::DecimalText;
use crate::suggest::shortened;
use crate::walk::{Item, Section, Walk};

/// What the models refer to.
pub(crate) struct Reading<'d> {
    pub(super) declared: &'d Declarations,
    /// The first population named, and the model that named it.
    population: Option<(Population, String)>,
}

impl<'d> Reading<'d> {
    pub(crate) fn new(declared: &'d Declarations) -> Reading<'d> {
        Reading { declared, population: None }
    }

    /// One entry of `models`.
    pub(crate) fn model(&mut self, walk: &mut Walk, item: &Item<'_>) -> Option<Model> {
        let section = &item.section(walk)?;
        let Some(named) = section.require(walk, "model", "\"k-anonymity\"") else {
            // Which keys go with it is not known; one that goes with none was probably meant to be the name.
            let all = ModelName::ALL.iter().flat_map(|name| name.card().keys.iter().map(|key| key.name));
            let mut keys = vec!["model"];
            all.for_each(|key| keys.extend((!keys.contains(&key)).then_some(key)));
            section.allow(walk, &keys);
            return None;
        };
        let name: ModelName = named.choice(walk, "a model")?;
        let keys: Vec<&'static str> =
            std::iter::once("model").chain(name.card().keys.iter().map(|key| key.name)).collect();
        section.allow(walk, &keys);
        // Every parameter is read before the first `?`, so that all of them are looked at.
        name.read(self, walk, section)
    }

    /// A sensitive attribute.
    pub(super) fn attribute(&self, walk: &mut Walk, section: &Section<'_>) -> Option<String> {
        let item = section.require(walk, "attribute", "\"diagnosis\"")?;
        self.declared.sensitive(walk, &item)
    }

    /// The population, which all models of a job share.
    pub(super) fn population(&mut self, walk: &mut Walk, section: &Section<'_>) -> Option<Population> {
        section.exclusive(walk, "population", "subset");
        let table = section.get(walk, "population", "\"population.csv\"");
        let (item, population) = match (table, section.get(walk, "subset", "\"in_study\"")) {
            (Some(item), _) => {
                let path = item.path(walk)?;
                (item, Population::Table(path))
            }
            (None, Some(item)) => {
                let column = item.name(walk)?;
                if let Some(role @ (Role::QuasiIdentifier | Role::Sensitive)) = self.declared.role(column) {
                    let message = format!(
                        "{} has the role {role}, but the subset column is dropped",
                        shortened(column)
                    );
                    let advice = "Name a column that only says who is in the table";
                    walk.report(item.line, &item.key, message, advice);
                }
                let column = column.to_owned();
                (item, Population::Subset(column))
            }
            (None, None) => {
                section.require(walk, "population", "\"population.csv\" or subset = \"in_study\"");
                return None;
            }
        };
        match &self.population {
            Some((first, model)) if *first != population => {
                let message = format!("differs from that of {model}");
                walk.report(
                    item.line,
                    &item.key,
                    message,
                    "A job has one population: name the same in each model",
                );
            }
            Some(_) => {}
            None => self.population = Some((population.clone(), section.path.clone())),
        }
        Some(population)
    }
}

/// `k` and `l` where they count something.
pub(super) fn count(walk: &mut Walk, section: &Section<'_>, key: &'static str, example: &str) -> Option<u32> {
    section.require(walk, key, example)?.u32(walk, 1)
}

/// `l` of the entropy variants.
pub(super) fn effective_l(walk: &mut Walk, section: &Section<'_>) -> Option<DecimalText> {
    section.require(walk, "l", "2.5")?.decimal_in(walk, "at least 1", |l| *l >= DecimalText::from(1))
}

/// `c` of the recursive variants.
pub(super) fn factor(walk: &mut Walk, section: &Section<'_>) -> Option<DecimalText> {
    section.require(walk, "c", "3.0")?.decimal_in(walk, "above 0", |c| c.scaled() > 0)
}

/// Values that may be disclosed.
pub(super) fn allowed(walk: &mut Walk, section: &Section<'_>) -> Option<Vec<String>> {
    section.require(walk, "allowed", "[\"healthy\"]")?.cells(walk, 0)
}

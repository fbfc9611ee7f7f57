//! Stages 3 and 4: a question against the rules, adapted where it can be, or refused by name.
//!
//! Nothing here has seen a row. Every adaptation is recorded, weakest first: rows become a histogram, columns become labels of the lowest level
//! that is allowed, selections of the policy are added, figures get noise.

mod exact;
pub(crate) mod joins;
mod kin;
mod noise;
mod people;
mod rows;
mod units;

use crate::coarse::Coarse;
use crate::question::{Figure, Question, own_name};
use crate::refusal::Refusal;
use paravent_job::{DecimalText, Job, Metric, Model};
use paravent_policy::{
    Access, Aggregate, Asker, Demand, Effective, EffectiveRows, Extent, Grain, Noise, Policy, Rule, Table,
    Whose,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A table that a question is about.
pub struct Part<'p> {
    /// The table.
    pub table: &'p Table,
    /// Its job.
    pub job: &'p Job,
    /// Conditions of the policy, with the rules they are of.
    pub selections: Vec<(String, String)>,
    /// People whose own claims the question goes against.
    pub left_out: BTreeSet<String>,
    /// By column of the question: the finest unit of its times.
    pub times: BTreeMap<String, Grain>,
    /// The table whose rows these are, by its first name in the policy.
    pub known_as: String,
    /// The tables about the same people, by such names; this one is among them.
    pub kin: BTreeSet<String>,
}

/// A question as it will be answered.
pub struct Adapted<'p> {
    /// The tables, by their names; several are joined on the person.
    pub parts: Vec<Part<'p>>,
    /// Most rows of one person that count.
    pub contribution: u32,
    /// What every answer about the tables keeps.
    pub demand: Demand,
    /// Who asks.
    pub asker: Asker<'p>,
    /// What was asked.
    pub question: Question,
    /// By column of the groups: the level of its labels.
    pub groups: BTreeMap<String, u8>,
    /// By column of the conditions: the level of its labels.
    pub conditions: BTreeMap<String, u8>,
    /// The groups, where they are declared in advance.
    pub keys: Option<Vec<Vec<String>>>,
    /// By column of a sum or mean: its bounds.
    pub bounds: BTreeMap<String, Bounds>,
    /// How it is answered.
    pub way: Way,
    /// What was changed.
    pub adaptations: Vec<Value>,
    /// The rules that took part.
    pub rules: BTreeSet<String>,
}

/// People and constants stay out of logs.
impl std::fmt::Debug for Adapted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adapted")
            .field("question", &self.question)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// With noise: what the answer may tell at most.
    Noisy(Noise),
    /// As they are, for recipients that are trusted.
    Exact(Threshold),
    /// By rows on labels.
    Rows(RowDemand),
}

/// What rows keep.
#[derive(Clone, Debug, PartialEq)]
pub struct RowDemand {
    /// Fewest people who show the same quasi-identifiers.
    pub k: u32,
    /// All models, k-anonymity first.
    pub models: Vec<Model>,
    /// Share of people who may be left out.
    pub suppression_limit: DecimalText,
    /// What counts as loss; none: as the job says.
    pub metric: Option<Metric>,
    /// Columns of declared analyses that are shown: each of these lists stays together, if rows are sliced.
    pub together: Vec<Vec<String>>,
    /// Whether coarser labels are a means, too.
    pub generalizes: bool,
}

/// What every exact figure keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Fewest people of a group, of what a condition leaves out, and of every combination with earlier answers.
    pub people: u32,
    /// Largest share of a sum that one person may have.
    pub dominance: Option<DecimalText>,
}

/// Bounds of a column in units of its last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest value that counts.
    pub lower: i64,
    /// Largest value that counts.
    pub upper: i64,
    /// Digits after the point.
    pub decimals: u8,
}

impl Bounds {
    /// The middle, rounded down: what distances are measured from.
    pub fn middle(self) -> i64 {
        ((i128::from(self.lower) + i128::from(self.upper)) >> 1) as i64
    }
}

/// Holds a question against the policy.
///
/// # Errors
/// A refusal, with the rules that are its reason.
pub fn adapt<'p>(
    policy: &'p Policy,
    asker: Asker<'p>,
    question: Question,
    jobs: &'p BTreeMap<String, Job>,
) -> Result<Adapted<'p>, Refusal> {
    let mut parts = Vec::new();
    let mut about_rows = Vec::new();
    for name in &question.tables {
        let (part, rows) = part(policy, &asker, name, jobs)?;
        parts.push(part);
        about_rows.push(rows);
    }
    if question.is_join() {
        joins::along_links(&question, &parts, policy)?;
    }
    let demands = parts.iter().map(|part| policy.demand(&part.table.name));
    let mut adapted = Adapted {
        contribution: joins::contribution(&parts)?,
        demand: demands.fold(Demand::default(), |all, demand| all.meet(&demand)),
        parts,
        asker,
        groups: BTreeMap::new(),
        conditions: BTreeMap::new(),
        keys: None,
        bounds: BTreeMap::new(),
        way: Way::Noisy(Noise { epsilon: DecimalText::from(0), delta: DecimalText::from(0) }),
        adaptations: Vec::new(),
        rules: BTreeSet::new(),
        question,
    };
    let effective: BTreeMap<String, Effective<'_>> = adapted
        .question
        .columns()
        .into_iter()
        .map(|column| {
            let (part, own) = adapted.of(column);
            (column.to_owned(), policy.column(&asker, &part.table.name, own))
        })
        .collect();
    adapted.way = match adapted.rows_way(policy, &effective, &about_rows)? {
        Some(rows) => rows,
        None => {
            adapted.uses(&effective)?;
            adapted.counted(&effective, &about_rows)?;
            adapted.chosen_way(policy, &effective, &about_rows)?
        }
    };
    adapted.on_units_of_time(&effective, &about_rows)?;
    if adapted.is_join() {
        let tables = &adapted.question.tables;
        adapted.adaptations.push(json!({ "kind": "join", "tables": tables, "on": "the person" }));
    }
    for (part, about_rows) in adapted.parts.iter_mut().zip(&about_rows) {
        for rule in &about_rows.rules {
            for condition in &rule.rows.conditions {
                part.selections.push((rule.id.clone(), condition.clone()));
                adapted.adaptations.push(json!({ "kind": "selection", "rule": rule.id }));
            }
        }
    }
    adapted.claims_of_people(policy)?;
    let of_rows = about_rows.iter().flat_map(|rows| rows.rules.iter());
    let used = effective.values().flat_map(|one| one.rules.iter()).chain(of_rows);
    adapted.rules = used.map(|rule| rule.id.clone()).collect();
    if policy.consent.is_some() {
        adapted.rules.insert("consent".to_owned());
        adapted.adaptations.push(json!({ "kind": "selection", "rule": "consent" }));
    }
    Ok(adapted)
}

fn ids(rules: &[&Rule]) -> Vec<String> {
    rules.iter().map(|rule| rule.id.clone()).collect()
}

/// One of the tables, and what the policy says about its rows.
fn part<'p>(
    policy: &'p Policy,
    asker: &Asker<'_>,
    name: &str,
    jobs: &'p BTreeMap<String, Job>,
) -> Result<(Part<'p>, EffectiveRows<'p>), Refusal> {
    let Some(table) = policy.table(name) else {
        let names: Vec<&str> = policy.tables.iter().map(|table| table.name.as_str()).collect();
        return Err(Refusal::new(
            "the policy has no table of that name",
            format!("Tables: {}", names.join(", ")),
        ));
    };
    let job = supported(policy, table, jobs)?;
    let about_rows = policy.rows(asker, name);
    if about_rows.denied {
        return Err(Refusal::new(
            format!("nothing of the table {name} may be used"),
            "Ask the owner of the data",
        )
        .by(ids(&about_rows.rules)));
    }
    let part = Part {
        table,
        job,
        selections: Vec::new(),
        left_out: BTreeSet::new(),
        times: BTreeMap::new(),
        known_as: kin::known_as(policy, &table.name, jobs).to_owned(),
        kin: kin::kin(policy, table, jobs),
    };
    Ok((part, about_rows))
}

/// What this version answers; the rest is refused by its name.
fn supported<'p>(
    policy: &Policy,
    table: &Table,
    jobs: &'p BTreeMap<String, Job>,
) -> Result<&'p Job, Refusal> {
    let not_yet = |what: &str, advice: &str| Err(Refusal::new(format!("{what} is not answered yet"), advice));
    let key = match &table.whose {
        Whose::Person(columns) => columns.len(),
        Whose::Links(links) => links.len(),
        Whose::Nobody => 0,
    };
    if policy.consent.is_some() && key > 1 {
        return not_yet("consent of people with a composite key", "Give the table one column for the person");
    }
    if matches!(table.whose, Whose::Nobody) {
        return not_yet("a table about nobody", "Publish it as a file");
    }
    match jobs.get(&table.name) {
        Some(job) => Ok(job),
        None => not_yet("a table that no job describes", "The owner writes job = \"…\" in the policy"),
    }
}

impl<'p> Adapted<'p> {
    /// The table; of several the first by name.
    pub fn first(&self) -> &Part<'p> {
        &self.parts[0]
    }

    /// Whether several tables are joined.
    pub fn is_join(&self) -> bool {
        self.parts.len() > 1
    }

    /// The table of a column of the question, and what the column is called there.
    pub fn of<'c>(&self, column: &'c str) -> (&Part<'p>, &'c str) {
        let table = column.split_once('.').map(|(table, _)| table);
        let named = |part: &&Part<'_>| table == Some(part.table.name.as_str());
        let part = self.parts.iter().find(|part| self.is_join() && named(part));
        (part.unwrap_or_else(|| self.first()), own_name(column, self.is_join()))
    }

    /// How coarse the labels of a column are: on the unit of time that the policy says, else on a level.
    pub fn coarse(&self, column: &str, level: u8) -> Coarse {
        let (part, own) = self.of(column);
        part.times.get(own).map_or(Coarse::Level(level), |grain| Coarse::Grain(*grain))
    }

    /// What a column of a table is called in the question.
    pub fn spelled(&self, part: &Part<'_>, own: &str) -> String {
        match self.is_join() {
            true => format!("{}.{own}", part.table.name),
            false => own.to_owned(),
        }
    }

    /// Groups and conditions, on the lowest level that is allowed.
    fn uses(&mut self, effective: &BTreeMap<String, Effective<'_>>) -> Result<(), Refusal> {
        let known = |column: &String, use_name: &str, extent: fn(&Access) -> Extent| {
            let one = &effective[column];
            match extent(&one.access) {
                Extent::From(level) => Ok(level),
                Extent::Denied => Err(denied(column, use_name, one)),
            }
        };
        for column in &self.question.groups {
            let level = known(column, "groups by", |access| access.group)?;
            self.groups.insert(column.clone(), level);
        }
        for column in self.question.conditions.keys() {
            let level = known(column, "conditions on", |access| access.filter)?;
            self.conditions.insert(column.clone(), level);
        }
        if self.question.is_histogram {
            self.adaptations.push(json!({ "kind": "histogram" }));
        }
        for (column, level) in self.groups.iter().chain(&self.conditions).filter(|(_, level)| **level > 0) {
            let rules: Vec<&str> = effective[column].rules.iter().map(|rule| rule.id.as_str()).collect();
            let note = json!({ "kind": "level", "column": column, "to": level, "rules": rules });
            if !self.adaptations.contains(&note) {
                self.adaptations.push(note);
            }
        }
        Ok(())
    }

    /// Every column that takes part must let its rows be counted; where none of a table does, the table must.
    fn counted(
        &self,
        effective: &BTreeMap<String, Effective<'_>>,
        about_rows: &[EffectiveRows<'_>],
    ) -> Result<(), Refusal> {
        for figure in &self.question.figures {
            if let Some(column) = figure.column() {
                let one = &effective[column];
                if !one.access.aggregate.contains(&figure.aggregate()) {
                    return Err(denied(column, &format!("{} of", figure.aggregate()), one));
                }
            }
        }
        let used: BTreeSet<&String> =
            self.question.groups.iter().chain(self.question.conditions.keys()).collect();
        for column in &used {
            let one = &effective[*column];
            if !one.access.aggregate.contains(&Aggregate::Count) {
                return Err(denied(column, "counts by", one));
            }
        }
        let counts = self.question.figures.contains(&Figure::Count);
        for (part, about_rows) in self.parts.iter().zip(about_rows) {
            let is_of = |column: &str| self.of(column).0.table.name == part.table.name;
            let measured = self.question.figures.iter().filter_map(Figure::column).any(is_of);
            // A table of a join that nothing is asked of is counted all the same: its rows multiply those of the others.
            let is_counted = counts || self.is_join() && !measured;
            let takes_part = used.iter().any(|column| is_of(column));
            if is_counted && !takes_part && !about_rows.access.aggregate.contains(&Aggregate::Count) {
                let message = match self.is_join() {
                    true => format!("no rule lets the rows of the table {} be counted", part.table.name),
                    false => "no rule lets the rows of the table be counted".to_owned(),
                };
                let advice = "The owner allows it by a rule without columns: aggregate = [\"count\"]";
                return Err(Refusal::new(message, advice).by(ids(&about_rows.rules)));
            }
        }
        Ok(())
    }
}

fn denied(column: &str, use_name: &str, effective: &Effective<'_>) -> Refusal {
    let rules: Vec<String> = effective.rules.iter().map(|rule| rule.id.clone()).collect();
    let message = match rules.is_empty() {
        true => format!("{use_name} {column}: no rule allows it"),
        false => format!("{use_name} {column}: not allowed by {}", rules.join(", ")),
    };
    let why: Vec<&str> = effective.rules.iter().filter_map(|rule| rule.why.as_deref()).collect();
    let advice = match why.is_empty() {
        true => "`paravent policy explain` says what is".to_owned(),
        false => format!("{}. `paravent policy explain` says what is", why.join("; ")),
    };
    Refusal::new(message, advice).by(rules)
}

//! Stages 3 and 4: a question against the rules, adapted where it can be, or refused by name.
//!
//! Nothing here has seen a row. Every adaptation is recorded, weakest first: rows become a histogram, columns become labels of the lowest level
//! that is allowed, selections of the policy are added, figures get noise.

use crate::question::{Figure, Question};
use crate::refusal::Refusal;
use paravent_job::{DecimalText, Job};
use paravent_policy::{
    Access, Aggregate, Asker, Claim, Conflict, Domain, Effective, Extent, Noise, Policy, Table, Whose,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Beyond so many declared groups nobody reads the answer.
const MOST_KEYS: usize = 10_000;

/// A question as it will be answered.
pub struct Adapted<'p> {
    /// The table.
    pub table: &'p Table,
    /// Its job.
    pub job: &'p Job,
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
    /// What the answer may tell at most.
    pub noise: Noise,
    /// Conditions of the policy, with the rules they are of.
    pub selections: Vec<(String, String)>,
    /// People whose own claims the question goes against.
    pub left_out: BTreeSet<String>,
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
    let Some(table) = policy.table(&question.table) else {
        let names: Vec<&str> = policy.tables.iter().map(|table| table.name.as_str()).collect();
        return Err(Refusal::new(
            "the policy has no table of that name",
            format!("Tables: {}", names.join(", ")),
        ));
    };
    let job = supported(policy, &asker, table, jobs)?;
    let about_rows = policy.rows(&asker, &table.name);
    let ids = |rules: &[&paravent_policy::Rule]| rules.iter().map(|rule| rule.id.clone()).collect::<Vec<_>>();
    if about_rows.denied {
        return Err(Refusal::new(
            format!("nothing of the table {} may be used", table.name),
            "Ask the owner of the data",
        )
        .by(ids(&about_rows.rules)));
    }
    let mut adapted = Adapted {
        table,
        job,
        asker,
        groups: BTreeMap::new(),
        conditions: BTreeMap::new(),
        keys: None,
        bounds: BTreeMap::new(),
        noise: Noise { epsilon: DecimalText::from(0), delta: DecimalText::from(0) },
        selections: Vec::new(),
        left_out: BTreeSet::new(),
        adaptations: Vec::new(),
        rules: BTreeSet::new(),
        question,
    };
    let effective: BTreeMap<String, Effective<'_>> = adapted
        .question
        .columns()
        .into_iter()
        .map(|column| (column.to_owned(), policy.column(&asker, &table.name, column)))
        .collect();
    if let Some(column) = about_rows.rows.times.keys().find(|column| effective.contains_key(*column)) {
        let message =
            format!("times of {column} have a coarsest unit in the policy, and that is not answered yet");
        return Err(Refusal::new(message, "Leave the column out").by(ids(&about_rows.rules)));
    }
    adapted.uses(&effective)?;
    adapted.counted(&effective, &about_rows.access, &ids(&about_rows.rules))?;
    adapted.noise = noise(&effective, &about_rows.access)?;
    adapted.figures(policy)?;
    adapted.groups_in_advance(policy)?;
    for rule in &about_rows.rules {
        for condition in &rule.rows.conditions {
            adapted.selections.push((rule.id.clone(), condition.clone()));
            adapted.adaptations.push(json!({ "kind": "selection", "rule": rule.id }));
        }
    }
    adapted.claims_of_people(policy)?;
    let used = effective.values().flat_map(|one| one.rules.iter()).chain(&about_rows.rules);
    adapted.rules = used.map(|rule| rule.id.clone()).collect();
    Ok(adapted)
}

/// What this version answers; the rest is refused by its name.
fn supported<'p>(
    policy: &Policy,
    asker: &Asker<'_>,
    table: &Table,
    jobs: &'p BTreeMap<String, Job>,
) -> Result<&'p Job, Refusal> {
    let not_yet = |what: &str, advice: &str| Err(Refusal::new(format!("{what} is not answered yet"), advice));
    if policy.consent.is_some() {
        return not_yet(
            "a policy with [consent]",
            "Consent is not applied by this version, so nothing is told",
        );
    }
    if matches!(table.whose, Whose::Nobody) {
        return not_yet("a table about nobody", "Publish it as a file");
    }
    if asker.recipient.budget.is_none() {
        return Err(Refusal::new(
            "the recipient has no budget, so nothing noisy is answered",
            "The owner writes budget = { epsilon = \"1\" }",
        ));
    }
    match jobs.get(&table.name) {
        Some(job) => Ok(job),
        None => not_yet("a table that no job describes", "The owner writes job = \"…\" in the policy"),
    }
}

impl Adapted<'_> {
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

    /// Every column that takes part must let its rows be counted; where none does, the table must.
    fn counted(
        &self,
        effective: &BTreeMap<String, Effective<'_>>,
        rows: &Access,
        rules: &[String],
    ) -> Result<(), Refusal> {
        for figure in &self.question.figures {
            if let Some(column) = figure.column() {
                let one = &effective[column];
                if !one.access.aggregate.contains(&figure.aggregate()) {
                    return Err(denied(column, &format!("{} of", figure.aggregate()), one));
                }
            }
        }
        if self.question.groups.is_empty() && self.question.conditions.is_empty() {
            if self.question.figures.contains(&Figure::Count) && !rows.aggregate.contains(&Aggregate::Count) {
                let advice = "The owner allows it by a rule without columns: aggregate = [\"count\"]";
                return Err(
                    Refusal::new("no rule lets the rows of the table be counted", advice).by(rules.to_vec())
                );
            }
            return Ok(());
        }
        for column in self.question.groups.iter().chain(self.question.conditions.keys()) {
            let one = &effective[column];
            if !one.access.aggregate.contains(&Aggregate::Count) {
                return Err(denied(column, "counts by", one));
            }
        }
        Ok(())
    }

    /// Bounds of sums and means are the owner's word, never the asker's.
    fn figures(&mut self, policy: &Policy) -> Result<(), Refusal> {
        for figure in &self.question.figures {
            self.adaptations.push(json!({
                "kind": "noisy-aggregate",
                "function": figure.aggregate().to_string(),
                "column": figure.column(),
                "epsilon": self.noise.epsilon.as_str(),
            }));
            let Some(column) = figure.column() else { continue };
            let Some(Domain::Range { min, max, step }) = self.table.domain.get(column) else {
                let advice = format!(
                    "The owner writes them into the policy: [tables.domain] {column} = {{ min = 0, max = 20000 }}"
                );
                return Err(Refusal::new(format!("nobody has declared bounds of {column}"), advice));
            };
            let Some(bounds) = units(min, max, step.as_ref()) else {
                return Err(Refusal::new(
                    format!("the bounds of {column} have too many digits"),
                    "The owner declares a larger step",
                ));
            };
            self.bounds.insert(column.to_owned(), bounds);
        }
        if let (Some(people), true) =
            (policy.demand(&self.table.name).min_people, self.question.figures.contains(&Figure::Count))
        {
            self.adaptations.push(json!({ "kind": "withheld", "below": people, "by": "noisy count" }));
        }
        Ok(())
    }

    /// Groups that nobody declared are found by a noisy threshold, which needs a δ.
    fn groups_in_advance(&mut self, policy: &Policy) -> Result<(), Refusal> {
        if self.groups.is_empty() {
            // There is one group, whatever the rows are.
            self.noise.delta = DecimalText::from(0);
            return Ok(());
        }
        let mut keys: Vec<Vec<String>> = vec![Vec::new()];
        for (column, level) in &self.groups {
            let values = match (level, self.table.domain.get(column)) {
                (0, Some(Domain::Values(values))) => Some(values.clone()),
                (0, Some(Domain::ValuesFile(path))) => {
                    let text = std::fs::read_to_string(policy.source.resolve(path));
                    let text = text.map_err(|_| {
                        Refusal::new(
                            format!("the declared values of {column} cannot be read"),
                            "Ask the owner of the data",
                        )
                    })?;
                    let values: BTreeSet<String> = text
                        .lines()
                        .map(str::trim)
                        .filter(|line| !line.is_empty())
                        .map(str::to_owned)
                        .collect();
                    Some(values.into_iter().collect())
                }
                _ => None,
            };
            let Some(values) = values else {
                return match self.noise.delta.scaled() > 0 {
                    true => Ok(()),
                    false => Err(Refusal::new(
                        format!(
                            "the groups of {column} are not declared in advance, and that a group exists can tell of one person"
                        ),
                        "The owner declares its values ([tables.domain]), or allows a δ: noise = { epsilon = \"0.1\", delta = \"1e-8\" }",
                    )),
                };
            };
            if keys.len().saturating_mul(values.len()) > MOST_KEYS {
                return Err(Refusal::new("the groups are too many", "Ask for fewer columns at once"));
            }
            keys = keys
                .iter()
                .flat_map(|key| {
                    values.iter().map(move |value| key.iter().cloned().chain([value.clone()]).collect())
                })
                .collect();
        }
        self.keys = Some(keys);
        // Declared groups are answered all, so nothing has to be found.
        self.noise.delta = DecimalText::from(0);
        Ok(())
    }

    /// Rows of people whose own claims are stricter than what the question uses. Decided by the policy, not by cells.
    fn claims_of_people(&mut self, policy: &Policy) -> Result<(), Refusal> {
        for subject in policy.subjects.iter().filter(|subject| subject.conflict == Conflict::LeaveOut) {
            let against = subject
                .claims
                .iter()
                .any(|(columns, claim)| columns.iter().any(|column| self.goes_against(column, claim)));
            if !against {
                continue;
            }
            let person = match &self.table.whose {
                Whose::Person(columns) => columns.len(),
                Whose::Links(links) => links.len(),
                Whose::Nobody => 0,
            };
            if person != 1 {
                return Err(Refusal::new(
                    "claims of people with a composite key are not answered yet",
                    "Leave out the columns they are about",
                ));
            }
            self.left_out.insert(subject.person.clone());
        }
        if !self.left_out.is_empty() {
            self.adaptations.push(json!({ "kind": "left-out", "rule": "subjects" }));
        }
        Ok(())
    }

    fn goes_against(&self, column: &str, claim: &Claim) -> bool {
        let below = |level: Option<&u8>, wanted: Option<Extent>| match (level, wanted) {
            (Some(level), Some(Extent::From(least))) => *level < least,
            (Some(_), Some(Extent::Denied)) => true,
            _ => false,
        };
        let used = self.question.columns().contains(column);
        // Groups are shown, so a claim on what is shown holds for them as well.
        (used && claim.deny)
            || below(self.groups.get(column), claim.group)
            || below(self.groups.get(column), claim.show)
            || below(self.conditions.get(column), claim.filter)
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

/// The least of all that take part. Exact figures are not answered yet, also not to the trusted.
fn noise(effective: &BTreeMap<String, Effective<'_>>, rows: &Access) -> Result<Noise, Refusal> {
    let all =
        effective.values().map(|one| &one.access).chain([rows]).filter_map(|access| access.noise.as_ref());
    all.cloned().reduce(|one, other| one.meet(&other)).ok_or_else(|| {
        Refusal::new(
            "no rule says how much noise an answer has, and exact figures are not answered yet",
            "The owner writes a rule without columns: noise = { epsilon = \"0.1\", delta = \"1e-8\" }",
        )
    })
}

fn units(min: &DecimalText, max: &DecimalText, step: Option<&DecimalText>) -> Option<Bounds> {
    let digits =
        |number: &DecimalText| number.as_str().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let decimals = digits(min).max(digits(max)).max(step.map_or(0, digits));
    let unit =
        10_i128.checked_pow(u32::try_from(DecimalText::FRACTION_DIGITS.checked_sub(decimals)?).ok()?)?;
    let whole = |number: &DecimalText| i64::try_from(number.scaled() / unit).ok();
    Some(Bounds { lower: whole(min)?, upper: whole(max)?, decimals: u8::try_from(decimals).ok()? })
}

//! Treatments of cells beside generalization: what the job says, brought to where cells are read and written.

use super::StudyError;
use super::levels::value_type;
use paravent_core::exact::Fraction;
use paravent_core::values::{Decimal, ValueType};
use paravent_job::{
    self as job, Attribute, DecimalText, Job, Population, Problem, Problems, SampleSource, Treatments,
};
use paravent_tables::encode::{CodedColumn, NumberTreatment};
use paravent_tables::keyed::{Key, KeyError};
use paravent_tables::read::{Input, Sample};
use serde_json::{Map, Value, json};

/// How pseudonyms are made, as manifests say it.
const PSEUDONYMS: &str = "hmac-sha256";

/// A column of the job's type whose numbers are treated as the job says.
pub fn coded_column(job: &Job, name: &str) -> CodedColumn {
    let attribute = job.attribute(name).map(|(_, attribute)| attribute);
    let declared = attribute.and_then(|attribute| attribute.data_type);
    let column = CodedColumn::new(name, declared.map_or(ValueType::String, value_type));
    CodedColumn { treatment: attribute.and_then(number_treatment), ..column }
}

fn number_treatment(attribute: &Attribute) -> Option<NumberTreatment> {
    let treatments = &attribute.treatments;
    let number =
        |text: &Option<DecimalText>| text.as_ref().and_then(|text| text.as_str().parse::<Decimal>().ok());
    treatments.changes_numbers().then(|| NumberTreatment {
        round: number(&treatments.round),
        bottom: number(&treatments.bottom),
        top: number(&treatments.top),
    })
}

/// The key of a column's pseudonyms.
pub fn pseudonym_key(job: &Job, name: &str) -> Result<Option<Key>, StudyError> {
    let Some((index, attribute)) = job.attribute(name) else { return Ok(None) };
    let Some(pseudonym) = &attribute.treatments.pseudonym else { return Ok(None) };
    let key = Key::from_file(&job.resolve(&pseudonym.key));
    Ok(Some(key.map_err(|error| key_problem(job, &format!("attributes[{index}].pseudonym"), &error))?))
}

fn key_problem(job: &Job, key: &str, error: &KeyError) -> Problem {
    let advice = match error {
        KeyError::TooShort { .. } => {
            "Write 32 random bytes or more into the file, and keep it where the table is kept"
        }
        _ => "Name the file with the secret; 32 random bytes or more, kept where the table is kept",
    };
    job.problem(key, error.to_string()).advise(advice)
}

/// The table, of which only the job's sample is read.
pub fn sampled(job: &Job, input: Input) -> Result<Input, Problems> {
    let Some(sample) = &job.input.sample else { return Ok(input) };
    let share = Fraction::parse(sample.share.as_str())
        .map_err(|error| job.problem("input.sample.share", error.to_string()))?;
    let key = match &sample.source {
        SampleSource::Seed(seed) => Key::from_seed(*seed),
        SampleSource::Key(path) => {
            Key::from_file(&job.resolve(path)).map_err(|error| key_problem(job, "input.sample", &error))?
        }
    };
    Ok(input.sampled(Sample::new(key, share, job.privacy.person.clone())))
}

/// The treatments of a column as manifest and transformation tell them; `None` where there are none.
pub fn treatment_json(treatments: &Treatments) -> Option<Value> {
    let mut told = Map::new();
    let numbers = [("round", &treatments.round), ("bottom", &treatments.bottom), ("top", &treatments.top)];
    for (key, number) in numbers {
        told.extend(number.as_ref().map(|number| (key.to_owned(), json!(number.as_str()))));
    }
    told.extend(treatments.aggregate.map(|aggregate| ("aggregate".to_owned(), json!(aggregate.name()))));
    told.extend(treatments.pseudonym.as_ref().map(|_| ("pseudonyms".to_owned(), json!(PSEUDONYMS))));
    (!told.is_empty()).then_some(Value::Object(told))
}

/// Treatments that do not go with something else in the job, told before anything is read.
pub(super) fn refuse(job: &Job, problems: &mut Problems) {
    let mut refused = |key: &str, message: String, advice: &str| {
        problems.push(job.problem(key, message).advise(advice.to_owned()));
    };
    if job.input.sample.is_some() && matches!(job.privacy.population(), Some(Population::Subset(_))) {
        refused(
            "input.sample",
            "the subset says already which rows are released, and the others are the population".to_owned(),
            "Leave one of the two out",
        );
    }
    for (index, attribute) in job.attributes.iter().enumerate() {
        let Some(aggregate) = attribute.treatments.aggregate else { continue };
        let key = format!("attributes[{index}].aggregate");
        if attribute.hierarchy.is_some() || attribute.min_level.is_some() || attribute.max_level.is_some() {
            refused(
                &key,
                "classes are made of the other quasi-identifiers, so the column needs no levels".to_owned(),
                "Leave out hierarchy, min_level and max_level, or aggregate",
            );
        }
        if let Some(model) = job.privacy.models.iter().find(|model| model.population().is_some()) {
            let message =
                format!("the {aggregate} of a class is not known of the population of {}", model.name());
            refused(&key, message, "Generalize the column, or leave the model out");
        }
    }
    let mut quasi = job.with_role(job::Role::QuasiIdentifier).peekable();
    if quasi.peek().is_some() && quasi.all(|attribute| attribute.treatments.aggregate.is_some()) {
        let message = "all quasi-identifiers are aggregated, so all rows would be one class".to_owned();
        refused("attributes", message, "Generalize one of them");
    }
}

/// Refuses a job whose table is sampled or treated, where `what` would release it without that.
pub fn refuse_treatments(job: &Job, what: &str) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let advice = "Treat the table first with `paravent anonymize`, or leave it out";
    if job.input.sample.is_some() {
        let message = format!("{what} reads the whole table");
        problems.push(job.problem("input.sample", message).advise(advice));
    }
    for (index, attribute) in job.attributes.iter().enumerate() {
        if let Some(Value::Object(told)) = treatment_json(&attribute.treatments) {
            for key in told.keys() {
                let key = if key == "pseudonyms" { "pseudonym" } else { key };
                let message = format!("{what} does not treat cells");
                problems.push(job.problem(&format!("attributes[{index}].{key}"), message).advise(advice));
            }
        }
    }
    if job.search.gs_factor.is_some() {
        let message = format!("{what} counts generalized and suppressed cells alike");
        problems.push(job.problem("search.gs_factor", message).advise("Leave it out"));
    }
    problems.into_result(())
}

/// What readers must know about the treatments of a job.
pub(super) fn warnings(job: &Job, people_are_counted: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for attribute in &job.attributes {
        if attribute.treatments.pseudonym.is_some() {
            let rows = match people_are_counted {
                true => "rows of one person can be told to be of one person",
                false => "rows with the same pseudonym are of one person",
            };
            warnings.push(format!(
                "column {} is released as pseudonyms: {rows}, releases with the same key can be joined, and whoever has the key can \
                 undo them. Pseudonymous data are personal data",
                attribute.name
            ));
        }
    }
    if let Some(sample) = &job.input.sample {
        if matches!(sample.source, SampleSource::Seed(_)) {
            warnings.push(
                "the sample is drawn by a seed: whoever knows it can tell who was drawn; `key` names a secret instead".to_owned(),
            );
        }
        let counts_population = job.privacy.models.iter().any(|model| model.population().is_some());
        if !counts_population {
            warnings.push(format!(
                "a sample of {} of the table is released: class sizes are promised within the sample; nobody promises how many \
                 others of the population are alike (see k-map), or that presence in it stays unknown (see delta-presence)",
                sample.share.as_str()
            ));
        }
    }
    warnings
}

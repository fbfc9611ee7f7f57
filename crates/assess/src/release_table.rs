//! A finished release, read back with what it says of itself.

use super::load::read_input;
use super::{ColumnRole, LoadError, RoledTable, Roles, TableSource};
use paravent_core::hierarchy::{Hierarchy, Unplaced};
use paravent_core::values::ValueType;
use paravent_job::{Job, Role};
use paravent_prepare::transform::Transform;
use paravent_tables::encode::NumberTreatment;
use paravent_tables::read::{Input, ReadOptions};
use paravent_tables::watch::Watch;
use paravent_tables::write::{HeldFiles, find_private};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A release in memory.
#[derive(Debug, Clone)]
pub struct ReleaseTable {
    /// The released rows and the roles of their columns.
    pub table: RoledTable,
    /// By quasi-identifier, in the order of [`RoledTable::quasi_identifiers`]: how raw values became labels. Empty where only the private
    /// folder says it, and it is not there.
    pub generalizations: Vec<Generalization>,
    /// By quasi-identifier, in the same order: the highest level that is shown, as the manifest says it.
    pub levels: Vec<u8>,
    /// What the manifest says.
    pub facts: ReleaseFacts,
    /// By name: hierarchies of columns that are released as they are. They say which sensitive values mean nearly the same.
    pub groups: Vec<(String, Hierarchy)>,
    /// By column: what became of its numbers before anything else.
    pub treatments: BTreeMap<String, NumberTreatment>,
    /// How its original is stored and its cells are written, as the private folder says it.
    pub reading: Option<Value>,
}

impl ReleaseTable {
    /// What cannot be measured here, because only the private folder says it.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_release = self.facts.input_rows > 0;
        if is_release && !self.facts.has_transformation {
            warnings.push(
                "the private folder is not here, which says how values became labels: labels are taken as they read (intervals, masks, \
                 dates, equal texts); what needs the hierarchies is not measured (downcoding, minimality, values that the job's hierarchy \
                 calls similar)"
                    .to_owned(),
            );
        }
        if self.facts.people && self.table.data.people().is_none() {
            warnings.push(
                "the release promises something to people, and only its private folder says whose rows they are: rows are counted here"
                    .to_owned(),
            );
        }
        warnings
    }

    /// The table it was made from: stored as the job says, or else as the private folder does.
    pub fn original<'a>(&self, path: &'a Path, job: Option<&'a Job>) -> TableSource<'a> {
        let known = || ReadOptions::of_original(path, self.reading.as_ref()?);
        match job {
            Some(job) => TableSource::AsInJob(path, job),
            None => known().map_or(TableSource::File(path), |options| TableSource::Known(Box::new(options))),
        }
    }
}

/// What the manifest of a release says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReleaseFacts {
    /// Rows of the table it was made from.
    pub input_rows: u64,
    /// Rows of the population, where one was known.
    pub population_rows: Option<u64>,
    /// Rows that were suppressed.
    pub suppressed_rows: u64,
    /// Order of the rows: `canonical`, `shuffled` or `input`.
    pub order: String,
    /// What is promised.
    pub promises: Vec<Promise>,
    /// Columns that were left out.
    pub dropped: Vec<String>,
    /// Whether its promises count people. Whose rows they are is known where the private folder is there.
    pub people: bool,
    /// Whether every class has labels of its own, on whichever levels.
    pub is_local: bool,
    /// Whether it says how raw values became labels: the private folder does.
    pub has_transformation: bool,
}

impl ReleaseFacts {
    /// The largest k of a promised k-anonymity.
    pub fn k(&self) -> Option<u64> {
        let k = |promise: &Promise| (promise.model == "k-anonymity").then(|| promise.required["k"].as_u64());
        self.promises.iter().filter_map(k).flatten().max()
    }
}

/// One promise of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// Name of the model, as in job files.
    pub model: String,
    /// Its parameters.
    pub required: Value,
    /// What was achieved.
    pub achieved: Value,
}

/// How the raw values of one quasi-identifier became labels.
#[derive(Debug, Clone)]
pub struct Generalization {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// The level that was released; 0: the values as they came in. With a box for every class: the highest.
    pub level: u8,
    /// Whether labels of lower levels are shown, too.
    pub is_local: bool,
    /// The type of the raw values, which settles their spelling.
    pub value_type: ValueType,
}

impl Generalization {
    /// The label under which a raw value would have been released. A value that the hierarchy does not know has none.
    pub fn label_of(&self, value: Option<&str>) -> Result<Option<String>, Unplaced> {
        self.label_on(self.level, value)
    }

    /// The label of a raw value on a level.
    pub fn label_on(&self, level: u8, value: Option<&str>) -> Result<Option<String>, Unplaced> {
        let spelled = value.map(|value| self.value_type.canonical(value));
        let label = self.hierarchy.label(spelled.as_deref(), level)?;
        Ok(label.map(std::borrow::Cow::into_owned))
    }

    /// The labels under which a raw value may have been released: one, or one on each level.
    pub fn labels_of(&self, value: Option<&str>) -> Vec<Option<String>> {
        let lowest = if self.is_local { 0 } else { self.level };
        (lowest..=self.level).filter_map(|level| self.label_on(level, value).ok()).collect()
    }

    /// The raw values that the hierarchy lists by itself; `None` where it accepts any (intervals, masks, dates).
    pub fn listed_values(&self) -> Option<Vec<Option<&str>>> {
        match &self.hierarchy {
            Hierarchy::Table(table) => Some(table.lines().iter().map(|line| line.value()).collect()),
            _ => None,
        }
    }

    /// Which of these raw values are behind each label. Values without a place are behind none.
    pub fn values_behind<'v>(
        &self,
        values: impl IntoIterator<Item = Option<&'v str>>,
    ) -> BTreeMap<Option<String>, Vec<Option<&'v str>>> {
        let mut behind: BTreeMap<Option<String>, Vec<Option<&str>>> = BTreeMap::new();
        for value in values {
            if let Ok(label) = self.label_of(value) {
                behind.entry(label).or_default().push(value);
            }
        }
        behind
    }
}

/// Releases that were not made by generalization, and how their rows are looked at instead.
fn another_kind(dir: &Path, manifest: &Value) -> Option<LoadError> {
    let kind = manifest["kind"].as_str()?;
    let names = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    let data = dir.join(manifest["output"]["file"].as_str().unwrap_or("data.csv"));
    let data = data.display();
    let verify = format!("`paravent verify {}` checks what it promises", dir.display());
    let (what, advice) = match kind {
        "noise" => {
            let list = manifest["noise"].as_array().into_iter().flatten();
            let noisy: Vec<&str> = list.filter_map(|noise| noise["column"].as_str()).collect();
            let exact: Vec<String> = names(&manifest["columns"])
                .into_iter()
                .filter(|name| !noisy.contains(&name.as_str()))
                .collect();
            let exact = if exact.is_empty() { "…".to_owned() } else { exact.join(",") };
            let look = format!(
                "whom its exact columns single out, `paravent risk {data} --quasi-identifiers {exact}`"
            );
            ("a noisy release", format!("{verify}; {look}"))
        }
        "sql" => {
            let promises = manifest["privacy"].as_array().into_iter().flatten();
            let quasi: Vec<String> =
                promises.flat_map(|promise| names(&promise["quasi_identifiers"])).collect();
            let quasi = if quasi.is_empty() { "…".to_owned() } else { quasi.join(",") };
            (
                "a released answer of a query",
                format!(
                    "{verify}; its rows are attacked as a table: `paravent attack {data} --quasi-identifiers {quasi} --sensitive …`"
                ),
            )
        }
        "slice" => (
            "a sliced release",
            format!(
                "{verify}; `paravent attack {} --against TABLE` reads secrets off its rows",
                dir.display()
            ),
        ),
        _ => return None,
    };
    Some(LoadError::AnotherKind { path: dir.to_owned(), what, advice })
}

/// Reads the release in a directory: its data file, `manifest.json` and `transform.json`, which is in the private folder beside it.
pub fn load_release(dir: &Path, watch: &dyn Watch) -> Result<ReleaseTable, LoadError> {
    load(dir, None, watch)
}

/// The same for a release in memory; `name` is for messages.
pub fn load_held_release(
    name: &Path,
    files: &HeldFiles,
    watch: &dyn Watch,
) -> Result<ReleaseTable, LoadError> {
    load(name, Some(files), watch)
}

fn load(dir: &Path, held: Option<&HeldFiles>, watch: &dyn Watch) -> Result<ReleaseTable, LoadError> {
    let path = dir.join("manifest.json");
    let not_a_release = || LoadError::NotARelease { path: dir.to_owned() };
    let bytes = match held {
        Some(files) => files.documents.get("manifest.json").cloned().ok_or_else(not_a_release)?,
        None => match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(not_a_release()),
            Err(error) => return Err(LoadError::Garbled { path, what: error.to_string() }),
        },
    };
    let garbled = |what: &str| LoadError::Garbled { path: path.clone(), what: what.to_owned() };
    let manifest: Value = serde_json::from_slice(&bytes).map_err(|error| garbled(&error.to_string()))?;
    if !matches!(manifest["format"].as_u64(), Some(1 | 2)) {
        return Err(garbled("not a manifest of format 1 or 2"));
    }
    if let Some(other) = another_kind(dir, &manifest) {
        return Err(other);
    }
    let facts = facts(&manifest).map_err(|what| garbled(&what))?;
    let roles = roles(&manifest).map_err(|what| garbled(&what))?;
    let output = Output::of(dir, &manifest).map_err(|what| garbled(&what))?;
    let private = |name: &str| held.and_then(|files| files.private.get(name)).map(Vec::as_slice);
    let transform = match held {
        Some(_) => private("transform.json")
            .map(|bytes| Transform::parse(bytes, Path::new("transform.json")))
            .transpose()?,
        None => Transform::load_if_there(dir)?,
    };
    let mut generalizations = Vec::new();
    let quasi = || roles.columns.iter().filter(|column| column.role == Role::QuasiIdentifier);
    for (transform, column) in transform.iter().flat_map(|transform| quasi().map(move |it| (transform, it))) {
        let Some((hierarchy, level)) = transform.generalization(&column.name) else {
            let what = format!("the quasi-identifier {:?} is not in the transformation", column.name);
            return Err(garbled(&what));
        };
        let value_type = column.value_type.unwrap_or(ValueType::String);
        let is_local = transform.boxes.is_some();
        generalizations.push(Generalization { hierarchy: hierarchy.clone(), level, is_local, value_type });
    }
    let levels: Vec<u8> = match &transform {
        Some(_) => generalizations.iter().map(|generalization| generalization.level).collect(),
        None => quasi().map(|column| told_level(&manifest, &column.name)).collect(),
    };
    // Above level 0 a column holds labels, whatever its values were.
    let mut as_released = roles;
    let mut level = levels.iter().copied();
    let mut treatments = BTreeMap::new();
    for column in &mut as_released.columns {
        // What was released is treated already.
        treatments.extend(column.treatment.take().map(|treatment| (column.name.clone(), treatment)));
        if column.role == Role::QuasiIdentifier && level.next().is_some_and(|level| level > 0) {
            column.value_type = Some(ValueType::String);
        }
    }
    let spreadsheet_safe = output.spreadsheet_safe;
    let stars = if manifest["suppression"]["shown"] == "star" { facts.suppressed_rows as usize } else { 0 };
    let input = match held {
        Some(files) => Input::from_unnamed(files.data.clone(), output.options),
        None => Input::new(output.options)?,
    };
    let table = read_input(&input, &as_released, stars, watch, |cell| match spreadsheet_safe {
        true => without_guard(cell),
        false => cell,
    })?;
    // Before the private folder said it, the manifest told how cells are written back.
    let spellings = || Some(json!({ "spellings": manifest["output"].get("spellings")? }));
    let mut table = table;
    let mut facts = facts;
    facts.has_transformation = transform.is_some();
    facts.is_local = match &transform {
        Some(transform) => transform.boxes.is_some(),
        None => manifest["solution"]["recoding"] == "local",
    };
    let (columns, input) = transform.map(|found| (found.columns, found.input)).unwrap_or_default();
    let reading = input.or_else(spellings);
    facts.people = manifest.get("people").is_some_and(Value::is_object);
    if facts.people {
        let rows = table.data.rows();
        let people = match (held, find_private(dir)) {
            (Some(_), _) => private("people.txt")
                .map(|text| tokens(Path::new("people.txt"), &String::from_utf8_lossy(text), rows))
                .transpose()?,
            (None, Some(folder)) if facts.has_transformation => {
                Some(read_tokens(&folder.join("people.txt"), rows)?)
            }
            (None, _) => None,
        };
        table.data = table.data.with_people(people);
    }
    let groups = columns.into_iter().filter_map(|column| Some((column.name, column.groups?))).collect();
    Ok(ReleaseTable { table, generalizations, levels, facts, groups, treatments, reading })
}

/// The highest level of a quasi-identifier that is shown.
fn told_level(manifest: &Value, name: &str) -> u8 {
    let mut attributes = manifest["attributes"].as_array().into_iter().flatten();
    let level = attributes.find(|attribute| attribute["name"] == name).map(|attribute| {
        let level = attribute.get("level").unwrap_or(&attribute["levels"][1]);
        level.as_u64().and_then(|level| u8::try_from(level).ok())
    });
    // A column of which nothing is said may hold labels.
    level.flatten().unwrap_or(u8::MAX)
}

/// Whose row each row is, from the tokens of the private folder.
fn read_tokens(path: &Path, rows: usize) -> Result<Vec<u32>, LoadError> {
    let unread =
        |error: std::io::Error| LoadError::Garbled { path: path.to_owned(), what: error.to_string() };
    tokens(path, &std::fs::read_to_string(path).map_err(unread)?, rows)
}

fn tokens(path: &Path, text: &str, rows: usize) -> Result<Vec<u32>, LoadError> {
    let garbled = |what: String| LoadError::Garbled { path: path.to_owned(), what };
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut people = Vec::with_capacity(rows);
    for token in text.lines() {
        let next = numbers.len() as u32;
        people.push(*numbers.entry(token).or_insert(next));
    }
    match people.len() == rows {
        true => Ok(people),
        false => Err(garbled(format!("{} tokens, but the release has {rows} rows", people.len()))),
    }
}

/// The data file and how it is stored.
struct Output {
    options: ReadOptions,
    spreadsheet_safe: bool,
}

impl Output {
    fn of(dir: &Path, manifest: &Value) -> Result<Output, String> {
        let output = &manifest["output"];
        let options = ReadOptions::of_release(dir, output)?;
        Ok(Output { options, spreadsheet_safe: output["spreadsheet_safe"].as_bool().unwrap_or(false) })
    }
}

/// The cell without the quote that keeps spreadsheets from taking it for a formula.
fn without_guard(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) => rest,
        _ => cell,
    }
}

fn roles(manifest: &Value) -> Result<Roles, String> {
    let attributes = manifest["attributes"].as_array().ok_or("attributes: missing")?;
    let mut columns = Vec::new();
    for (index, attribute) in attributes.iter().enumerate() {
        let text =
            |key: &str| attribute[key].as_str().ok_or_else(|| format!("attributes[{index}].{key}: missing"));
        let role = match text("role")? {
            "identifying" if attribute["treatment"].get("pseudonyms").is_some() => Role::Identifying,
            "quasi-identifier" => Role::QuasiIdentifier,
            "sensitive" => Role::Sensitive,
            "insensitive" => Role::Insensitive,
            _ => return Err(format!("attributes[{index}].role: unknown")),
        };
        let value_type = match text("type")? {
            "string" => ValueType::String,
            "integer" => ValueType::Integer,
            "decimal" => ValueType::Decimal,
            "date" => ValueType::Date,
            "datetime" => ValueType::DateTime,
            "boolean" => ValueType::Boolean,
            _ => return Err(format!("attributes[{index}].type: unknown")),
        };
        let name = text("name")?;
        // Nobody can look a person up by a pseudonym without the key, or by a figure of a whole class.
        let treatment = &attribute["treatment"];
        if treatment.get("pseudonyms").is_some() || treatment.get("aggregate").is_some() {
            continue;
        }
        if columns.iter().any(|known: &ColumnRole| known.name == name) {
            return Err(format!("attributes[{index}].name: occurs twice"));
        }
        let treatment = number_treatment(treatment);
        columns.push(ColumnRole { value_type: Some(value_type), treatment, ..ColumnRole::new(name, role) });
    }
    columns.sort_by_key(|column| match column.role {
        Role::QuasiIdentifier => 0,
        Role::Sensitive => 1,
        Role::Identifying | Role::Insensitive => 2,
    });
    Ok(Roles { columns, ..Roles::default() })
}

/// Rounding and coding, as the manifest has them.
fn number_treatment(treatment: &Value) -> Option<NumberTreatment> {
    let number = |key: &str| treatment[key].as_str().and_then(|number| number.parse().ok());
    let (round, bottom, top) = (number("round"), number("bottom"), number("top"));
    let treatment = NumberTreatment { round, bottom, top };
    (treatment != NumberTreatment::default()).then_some(treatment)
}

fn facts(manifest: &Value) -> Result<ReleaseFacts, String> {
    let number = |value: &Value, key: &str| value.as_u64().ok_or_else(|| format!("{key}: missing"));
    let privacy = manifest["privacy"].as_array().ok_or("privacy: missing")?;
    let promises = privacy.iter().enumerate().map(|(index, promise)| {
        let model = promise["model"].as_str().ok_or_else(|| format!("privacy[{index}].model: missing"))?;
        let (required, achieved) = (promise["required"].clone(), promise["achieved"].clone());
        Ok(Promise { model: model.to_owned(), required, achieved })
    });
    let dropped = manifest["dropped"].as_array().ok_or("dropped: missing")?;
    Ok(ReleaseFacts {
        input_rows: number(&manifest["input"]["rows"], "input.rows")?,
        population_rows: manifest["input"]["population_rows"].as_u64(),
        suppressed_rows: number(&manifest["suppression"]["rows"], "suppression.rows")?,
        order: manifest["output"]["order"].as_str().unwrap_or("canonical").to_owned(),
        promises: promises.collect::<Result<_, String>>()?,
        dropped: dropped.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        people: false,
        is_local: false,
        has_transformation: false,
    })
}

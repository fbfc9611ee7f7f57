//! A release that several parties made together: written, described and verified like any other.
//!
//! The party where it arrives has released labels and its own part, and no more: what the verifier asks for beyond the rows comes from there.

mod arrived;
mod evidence;
mod worth;

use crate::agreement::Agreement;
use evidence::{achieved, evidence};
use paravent_core::exact::Fraction;
use paravent_core::task::SuppressionLimit;
use paravent_job::{DecimalText, Model, Role};
use paravent_pipeline::files::{pretty, put, put_private};
use paravent_pipeline::register::{Announced, Entry};
use paravent_pipeline::release::{
    Contents, Leaving, ReportDigests, SigningKey, file_name, key_for, output_format, refuse_naming,
    singled_out_by,
};
use paravent_pipeline::run::RunError;
use paravent_prepare::study::{Exactness, Study, required};
use paravent_report::{
    FederationFacts, JointDocument, JointFacts, JointOutput, JointSearch, JointSolution, Levels,
    PromiseFacts, RegisterFacts, UNREGISTERED_WARNING, UnchangedFacts, VerdictFacts, render_joint,
    singled_out,
};
use paravent_tables::digest::file_digest;
use paravent_tables::digest::sha256;
use paravent_tables::watch::Unwatched;
use paravent_tables::write::{
    ColumnKind, OutputFormat, ReleasedColumn, Replace, Staging, WriteError, Written, write_table,
};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use arrived::joint_release;

pub use evidence::{JointCount, JointPopulation, JointReference};

/// A released column.
#[derive(Clone)]
pub struct JointColumn {
    /// Its name.
    pub name: String,
    /// What it is; never identifying.
    pub role: Role,
    /// Name of its type.
    pub data_type: &'static str,
    /// Level and highest level of a quasi-identifier.
    pub level: Option<(u8, u8)>,
    /// Its hierarchy as `transform.json` writes it, where this party knows it.
    pub hierarchy: Option<Value>,
    /// Code → label.
    pub labels: Vec<Option<String>>,
    /// Row → code.
    pub cells: Vec<u32>,
    /// Where t-closeness is promised of it.
    pub reference: Option<JointReference>,
}

/// Labels stay out of logs.
impl std::fmt::Debug for JointColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JointColumn({}, {} labels)", self.name, self.labels.len())
    }
}

/// A release as it arrives.
#[derive(Debug, Clone)]
pub struct JointRelease {
    /// Digest of the agreement.
    pub agreement: String,
    /// The columns.
    pub columns: Vec<JointColumn>,
    /// Rows released.
    pub rows: usize,
    /// Rows left out, of all parties together.
    pub suppressed_rows: u64,
    /// What is promised.
    pub models: Vec<Model>,
    /// Share of rows that might have been left out.
    pub suppression_limit: DecimalText,
    /// Name of the metric.
    pub metric: &'static str,
    /// The loss.
    pub loss: f64,
    /// Whether it is proven to be the least.
    pub optimal: bool,
    /// How it was searched.
    pub search: JointSearch,
    /// Where δ-presence or k-map is promised.
    pub population: Option<JointPopulation>,
}

/// A release on disk that is verified, but not in its place.
#[derive(Debug)]
pub struct StagedRelease {
    staging: Staging,
    target: PathBuf,
    document: JointDocument,
    /// Name, digest and rows of the data file.
    data: (String, String, u64),
}

/// Writes and verifies beside the target. Nothing is in its place yet.
pub fn stage(study: &Study, release: &JointRelease, target: &Path) -> Result<StagedRelease, RunError> {
    let unchanged = judged(study, release)?;
    let columns: Vec<(ReleasedColumn, Vec<u32>)> = release.columns.iter().map(sorted).collect();
    let mut rows: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in 0..release.rows {
        let codes =
            columns.iter().zip(&release.columns).map(|((_, new), column)| new[column.cells[row] as usize]);
        *rows.entry(codes.collect()).or_insert(0) += 1;
    }
    let columns: Vec<ReleasedColumn> = columns.into_iter().map(|(column, _)| column).collect();
    let format = output_format(study, &columns);
    let staging = Staging::beside(target)?;
    let data = file_name(&format);
    let written = write_table(
        staging.path().join(&data),
        staging.create(&data)?,
        &format,
        &columns,
        rows.iter().map(|(codes, count)| (codes.as_slice(), *count)),
    )?;
    let classes = classes(release);
    let mut contents = contents(study, release, (&written, &format), &classes);
    let key = key_for(None, study.job.source.folder())?;
    // The figures are those that the verifier finds: it is asked once for them, and once whether all is well.
    let nothing = ReportDigests { html: String::new(), json: String::new() };
    describe(study, release, &staging, &contents.to_json(&nothing), None)?;
    let found = verify(staging.path())?;
    let mut checks = found.checks.iter();
    for (promise, model) in contents.privacy.iter_mut().zip(&release.models) {
        let figures = checks.find(|check| promise["model"] == check.name.as_str());
        promise["achieved"] =
            figures.map_or(Value::Null, |check| achieved(release, model, check.achieved.clone()));
    }
    let promises = promises(release, &contents.privacy);
    let output = JointOutput {
        path: target.join(&data).display().to_string(),
        rows: written.rows,
        sha256: written.sha256.clone(),
        verified: true,
    };
    let document = described(release, &classes, promises, unchanged, output);
    let outside = document.external();
    let (page, json) = (render_joint(&outside, study.job.output.lang), pretty(&outside));
    put(&staging, "report.html", page.as_bytes())?;
    put(&staging, "report.json", &json)?;
    let reports = ReportDigests { html: sha256(page.as_bytes()), json: sha256(&json) };
    describe(study, release, &staging, &contents.to_json(&reports), key.as_ref())?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(RunError::Refuted(Box::new(verification)));
    }
    let data = (data, written.sha256, written.rows);
    Ok(StagedRelease { staging, target: target.to_owned(), document, data })
}

/// What `report.json` says before the parties' work is added.
fn described(
    release: &JointRelease,
    classes: &BTreeMap<Vec<u32>, u64>,
    privacy: Vec<PromiseFacts>,
    unchanged: Option<UnchangedFacts>,
    output: JointOutput,
) -> JointDocument {
    let levels = |of: fn((u8, u8)) -> u8| {
        let columns = release.columns.iter();
        Levels(columns.filter_map(|column| Some((column.name.clone(), of(column.level?)))).collect())
    };
    let singled_out = unchanged.iter().filter(|unchanged| unchanged.too_many()).map(singled_out);
    let loose = privacy.iter().filter_map(PromiseFacts::looseness);
    JointDocument {
        paravent: env!("CARGO_PKG_VERSION"),
        agreement_sha256: Some(release.agreement.clone()),
        solution: JointSolution {
            transformation: levels(|(level, _)| level),
            highest: Some(levels(|(_, highest)| highest)),
            metric: release.metric,
            loss: Some(release.loss),
            optimal: release.optimal,
            search: Some(release.search.clone()),
            suppressed_rows: release.suppressed_rows,
            classes: classes.len() as u64,
            smallest_class: classes.values().min().copied(),
        },
        warnings: Some(singled_out.chain(loose).collect()),
        verdict: VerdictFacts::of_joint(&JointFacts {
            promises: &privacy,
            register: None,
            is_unregistered: false,
            unchanged: unchanged.as_ref(),
        }),
        privacy,
        unchanged,
        output,
        federation: None,
        register: None,
    }
}

/// Writes the manifest, its signature and the transformation, over those that are there.
fn describe(
    study: &Study,
    release: &JointRelease,
    staging: &Staging,
    manifest: &Value,
    key: Option<&SigningKey>,
) -> Result<(), WriteError> {
    for path in [staging.path().join("manifest.json"), staging.private().join("transform.json")] {
        if path.exists() {
            std::fs::remove_file(&path).map_err(|source| WriteError::Io { path, source })?;
        }
    }
    let manifest = pretty(manifest);
    put(staging, "manifest.json", &manifest)?;
    if let Some(key) = key {
        put(staging, "manifest.sig", key.sign(&manifest).as_bytes())?;
    }
    put_private(staging, "transform.json", &pretty(&transform(study, release, &sha256(&manifest))))
}

/// A release in its place.
pub struct Published {
    /// Where.
    pub path: PathBuf,
    /// Its report.
    pub document: Value,
    /// What the register of this party's job says of it.
    pub register: Option<RegisterFacts>,
}

impl StagedRelease {
    /// Adds the report and a line in the register of the party's job, and puts everything in its place. The line is about the rows and people of this
    /// party: nobody sees the others'.
    pub fn publish(
        mut self,
        study: &Study,
        (agreement, federation): (&Agreement, FederationFacts),
        replace: Replace,
    ) -> Result<Published, RunError> {
        self.document.federation = Some(federation);
        let (data, sha256, rows) = &self.data;
        let entry = match study.job.register() {
            Some(register) => {
                let input = study.input.digest()?;
                let job = file_digest(study.job.source.file()).unwrap_or_default();
                let made = Announced { input: &input, job: &job, data: (data, sha256) };
                let places = (register.as_path(), self.target.as_path());
                let entry = Entry::prepare::<RunError>(study, places, &self.staging, &made, &Unwatched)?;
                Some(entry.promising(&agreement.terms.privacy.models))
            }
            None => None,
        };
        let register = entry.as_ref().map(Entry::facts);
        let mut document = self.document;
        document.verdict = VerdictFacts::of_joint(&JointFacts {
            promises: &document.privacy,
            register: register.as_ref(),
            is_unregistered: register.is_none(),
            unchanged: document.unchanged.as_ref(),
        });
        let more = match &entry {
            Some(entry) => entry.warnings(),
            None => vec![UNREGISTERED_WARNING.to_owned()],
        };
        document.warnings.get_or_insert_default().extend(more);
        document.register.clone_from(&register);
        let rows = *rows;
        put_private(&self.staging, "federation.toml", agreement.to_toml().as_bytes())?;
        put_private(&self.staging, "report.json", &pretty(&document))?;
        put_private(&self.staging, "report.html", render_joint(&document, study.job.output.lang).as_bytes())?;
        match entry {
            Some(entry) => entry.publish::<RunError>(self.staging, replace, rows)?,
            None => self.staging.publish(replace)?,
        }
        Ok(Published { path: self.target, document: json!(document), register })
    }
}

/// Refuses columns of this party's job that name people, and counts whom all columns single out that leave as they are. Columns that only another
/// party has were [looked at](crate::part::study) there, where the owner's word stands.
fn judged(study: &Study, release: &JointRelease) -> Result<Option<UnchangedFacts>, RunError> {
    let unchanged = release.columns.iter().filter(|column| column.level.is_none());
    let columns: Vec<Leaving<'_>> = unchanged
        .map(|column| Leaving { name: &column.name, cells: &column.labels, codes: &column.cells })
        .collect();
    let own = columns.iter().filter(|column| study.job.attribute(column.name).is_some());
    refuse_naming(&study.job, &own.copied().collect::<Vec<_>>(), None)?;
    Ok(singled_out_by(&columns, None))
}

/// Cells in use in the order of their text, and old code → new code.
fn sorted(column: &JointColumn) -> (ReleasedColumn, Vec<u32>) {
    let mut used = vec![false; column.labels.len()];
    column.cells.iter().for_each(|&code| used[code as usize] = true);
    let mut codes: Vec<u32> = (0..column.labels.len() as u32).filter(|&code| used[code as usize]).collect();
    codes.sort_by_key(|&code| &column.labels[code as usize]);
    let mut new = vec![0u32; column.labels.len()];
    codes.iter().zip(0u32..).for_each(|(&old, code)| new[old as usize] = code);
    let kind = match column.level {
        Some((1.., _)) => ColumnKind::Text,
        _ => match column.data_type {
            "integer" => ColumnKind::Integer,
            "decimal" => ColumnKind::Decimal,
            "date" => ColumnKind::Date,
            "datetime" => ColumnKind::DateTime,
            "boolean" => ColumnKind::Boolean,
            _ => ColumnKind::Text,
        },
    };
    let cells = codes.iter().map(|&code| column.labels[code as usize].clone()).collect();
    (ReleasedColumn { name: column.name.clone(), kind, cells }, new)
}

fn classes(release: &JointRelease) -> BTreeMap<Vec<u32>, u64> {
    let columns: Vec<&JointColumn> = release.columns.iter().filter(|column| column.level.is_some()).collect();
    let mut classes = BTreeMap::new();
    for row in 0..release.rows {
        *classes.entry(columns.iter().map(|column| column.cells[row]).collect()).or_insert(0) += 1;
    }
    classes
}

fn transform(study: &Study, release: &JointRelease, manifest_sha256: &str) -> Value {
    let dropped = study.columns.dropped();
    let dropped = dropped.iter().map(|name| json!({ "name": name, "role": "identifying", "type": "string" }));
    let released = release.columns.iter().map(|column| {
        let mut attribute =
            json!({ "name": column.name, "role": column.role.name(), "type": column.data_type });
        if let Some((level, most)) = column.level {
            attribute["level"] = json!(level);
            attribute["hierarchy"] =
                column.hierarchy.clone().unwrap_or_else(|| as_released(column, level, most));
        }
        attribute
    });
    let attributes: Vec<Value> = released.chain(dropped).collect();
    json!({
        "format": 1,
        "paravent": env!("CARGO_PKG_VERSION"),
        "release": { "manifest_sha256": manifest_sha256 },
        "attributes": attributes,
    })
}

/// The hierarchy of a column that another party holds: up to the level of the release its labels are all that is known.
fn as_released(column: &JointColumn, level: u8, most: u8) -> Value {
    let mut labels: Vec<&Option<String>> = column.labels.iter().collect();
    labels.sort();
    let rows = labels.into_iter().map(|label| {
        let known = (0..=level).map(|_| json!(label));
        known.chain((level..most).map(|_| json!("*"))).collect::<Value>()
    });
    json!({ "kind": "table", "rows": rows.collect::<Value>() })
}

/// What the manifest says; the figures of the promises are those that the verifier finds.
fn contents<'a>(
    study: &'a Study,
    release: &'a JointRelease,
    (written, format): (&'a Written, &'a OutputFormat),
    classes: &BTreeMap<Vec<u32>, u64>,
) -> Contents<'a> {
    let rows = release.rows as u64 + release.suppressed_rows;
    let limit = Fraction::parse(release.suppression_limit.as_str()).unwrap_or(Fraction::ZERO);
    let attributes = release.columns.iter().map(|column| {
        let mut attribute =
            json!({ "name": column.name, "role": column.role.name(), "type": column.data_type });
        if let Some((level, _)) = column.level {
            attribute["level"] = json!(level);
        }
        attribute
    });
    Contents {
        table: None,
        rows,
        population_rows: release.population.as_ref().map(|known| known.rows),
        written,
        format,
        order: "canonical",
        suppression_limit: release.suppression_limit.as_str(),
        limit_rows: SuppressionLimit::Share(limit).of(rows),
        suppressed_rows: release.suppressed_rows,
        starred: false,
        attributes: attributes.collect(),
        dropped: study.columns.dropped(),
        privacy: release.models.iter().map(|model| promise(release, model)).collect(),
        metric: release.metric,
        loss: Some(release.loss),
        optimal: release.optimal,
        classes: classes.len() as u64,
        smallest_class: classes.values().min().copied(),
        people: None,
    }
}

/// The promises without their evidence, and with what they are worth on the rows that arrived.
fn promises(release: &JointRelease, told: &[Value]) -> Vec<PromiseFacts> {
    let promises = release.models.iter().zip(told).zip(worth::loose(release));
    promises
        .map(|((model, told), loose)| PromiseFacts {
            model: model.name().name(),
            required: told["required"].clone(),
            achieved: told["achieved"].clone(),
            holds: told["holds"] == true,
            loose,
        })
        .collect()
}

fn promise(release: &JointRelease, model: &Model) -> Value {
    let mut promise = json!({
        "model": model.name().name(),
        "required": required(model, Exactness::Text),
        "achieved": { "k": 0, "l": 0, "c": 0, "c2": 0, "t": 0, "min": 0, "max": 0 },
        "holds": true,
    });
    if let Some(fields) = promise.as_object_mut() {
        fields.extend(evidence(release, model));
    }
    promise
}

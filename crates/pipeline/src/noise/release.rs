//! A noisy table as a release: written beside its place, verified, registered, and put there in one step.

use super::manifest::{described, manifest, not_promised, promises};
use super::people::People;
use super::prepare::may_be_released;
use super::{NoiseError, NoisyTable};
use crate::files::{pretty, put, put_private};
use crate::register::Register;
use crate::release::{Leaving, file_name, key_of, put_signature, singled_out_by};
use crate::slice::{
    CodedTable, LeavingTable, PlainEntry, SEEDED, add_warnings, output_format, released, write_rows,
};
use paravent_job::Job;
use paravent_report::{UnchangedFacts, VerdictFacts, render_noise, singled_out};
use paravent_tables::digest::sha256;
use paravent_tables::write::{ReleasedColumn, Replace, Staging, Written};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Where a noisy release goes.
#[derive(Debug, Clone)]
pub struct NoiseRelease {
    /// Its directory.
    pub target: PathBuf,
    /// Whether one that is there may be replaced.
    pub replace: Replace,
    /// The register, or the folder it is in; `None` writes no line.
    pub register: Option<PathBuf>,
    /// Name and digest of the job file, where there is one.
    pub job: Option<(String, String)>,
    /// A key to sign with; else the one that lies beside the job, if there is one.
    pub sign: Option<PathBuf>,
}

impl NoiseRelease {
    /// Whether a release may be put there: to be asked before anything is paid for.
    ///
    /// # Errors
    /// If something is there, or the register or the key cannot be used.
    pub fn check(&self, job: Option<&Job>) -> Result<(), NoiseError> {
        key_of(self.sign.as_deref(), job)?;
        Staging::check(&self.target, self.replace)?;
        Ok(Register::admit(self.register.as_deref(), &self.target)?)
    }
}

/// Writes, verifies and registers the release; gives back the full report, which stays.
///
/// # Errors
/// If it cannot be written, verified or registered; nothing has appeared then.
pub fn write_release(
    table: &CodedTable,
    noisy: &NoisyTable,
    job: Option<&Job>,
    to: &NoiseRelease,
) -> Result<Value, NoiseError> {
    to.check(job)?;
    let key = key_of(to.sign.as_deref(), job)?;
    may_be_released(&noisy.mechanisms)?;
    let columns: Vec<ReleasedColumn> = noisy.columns.iter().map(released).collect();
    let format = output_format(&columns, table, job);
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let file = staging.create(&data)?;
    let written = write_rows(&staging.path().join(&data), file, &format, &noisy.columns, &columns)?;
    let mut outside = external(noisy, &data, &written);
    let verdict = judge(&mut outside, noisy, unchanged(table, noisy, job)?.as_ref());
    let page = render_noise(&outside);
    let document = pretty(&outside);
    let reports = [("report.html", sha256(page.as_bytes())), ("report.json", sha256(&document))];
    put(&staging, "report.html", page.as_bytes())?;
    put(&staging, "report.json", &document)?;
    let manifest = pretty(&manifest(noisy, &format, &written, &reports));
    put(&staging, "manifest.json", &manifest)?;
    put_signature(&staging, key.as_ref(), &manifest)?;
    put_private(&staging, "transform.json", &pretty(&stays(noisy, table, to, &sha256(&manifest))))?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(NoiseError::Refuted(verification));
    }
    let columns: Vec<String> = noisy.columns.iter().map(|column| column.name.clone()).collect();
    let required = json!({
        "epsilon": noisy.charge.epsilon,
        "delta": noisy.charge.delta,
        "columns": noisy.mechanisms.iter().map(|mechanism| &mechanism.column).collect::<Vec<_>>(),
    });
    let entry = PlainEntry::prepare(LeavingTable {
        register: to.register.as_deref(),
        target: &to.target,
        table,
        columns: &columns,
        criteria: vec![("noise".to_owned(), required)],
        named: to.job.as_ref(),
        job,
    })?;
    let mut inside = internal(noisy, table, outside);
    inside["output"]["signed_by"] = json!(key.map(|key| key.public()));
    inside["output"]["path"] = json!(to.target.join(&data).display().to_string());
    if let Some(facts) = entry.facts() {
        inside["register"] = json!(facts);
    }
    add_warnings(&mut inside, entry.warnings());
    inside["verdict"] = json!(verdict.doubted(entry.doubts()));
    put_private(&staging, "report.html", render_noise(&inside).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&inside))?;
    entry.publish(staging, to.replace, (&data, &written))?;
    Ok(inside)
}

/// Whom the columns without noise single out; `None` where all have noise.
fn unchanged(
    table: &CodedTable,
    noisy: &NoisyTable,
    job: Option<&Job>,
) -> Result<Option<UnchangedFacts>, NoiseError> {
    let people = People::of(table, job)?;
    let is_noisy = |name: &str| noisy.mechanisms.iter().any(|mechanism| mechanism.column == name);
    let is_released = |name: &str| noisy.columns.iter().any(|column| column.name == name);
    let exact = table.columns.iter().filter(|column| is_released(&column.name) && !is_noisy(&column.name));
    let exact: Vec<Leaving<'_>> = exact.map(|column| column.leaving()).collect();
    Ok(singled_out_by(&exact, people.as_ref().map(|people| people.of_rows.as_slice())))
}

/// The verdict, by the thresholds of any other release.
fn judge(document: &mut Value, noisy: &NoisyTable, unchanged: Option<&UnchangedFacts>) -> VerdictFacts {
    let mut faults = Vec::new();
    if noisy.seed.is_some() {
        faults.push(SEEDED);
    }
    if !noisy.charge.bounded {
        faults.push("no ε bounds what the noise gives away");
    }
    let verdict = VerdictFacts::over(&faults, unchanged);
    document["verdict"] = json!(verdict);
    document["unchanged"] = json!(unchanged);
    let telling = unchanged.filter(|unchanged| unchanged.too_many());
    document["warnings"] = telling.map(singled_out).into_iter().map(Value::from).collect();
    verdict
}

/// What is said to whoever gets the release: from released rows and the noise alone.
fn external(noisy: &NoisyTable, data: &str, written: &Written) -> Value {
    let columns: Vec<Value> = noisy
        .mechanisms
        .iter()
        .zip(&noisy.accounts)
        .map(|(mechanism, account)| {
            let mut column = json!(account);
            let noise = described(mechanism);
            for key in ["outside", "missing", "other", "by", "min", "max", "step"] {
                if !noise[key].is_null() {
                    column[key] = noise[key].clone();
                }
            }
            // As it was charged: a decimal, not a binary fraction.
            column["epsilon"] = noise["epsilon"].clone();
            column["delta"] = noise["delta"].clone();
            column
        })
        .collect();
    let noisy_column = |name: &str| noisy.mechanisms.iter().any(|mechanism| mechanism.column == name);
    let exact: Vec<&String> =
        noisy.columns.iter().map(|column| &column.name).filter(|name| !noisy_column(name)).collect();
    let mut document = json!({
        "paravent": env!("CARGO_PKG_VERSION"),
        "kind": "noise",
        "rows": noisy.rows(),
        "columns": columns,
        "exact": exact,
        "dropped": noisy.dropped,
        "epsilon": noisy.charge.epsilon,
        "delta": noisy.charge.delta,
        "bounded": noisy.charge.bounded,
        "recipient": noisy.charge.recipient,
        "seeded": noisy.seed.is_some(),
        "promised": promises(noisy),
        "not_promised": not_promised(noisy),
        "output": { "file": data, "rows": written.rows, "sha256": written.sha256, "verified": true },
    });
    if let Some(rows) = noisy.charge.rows_per_person {
        document["rows_per_person"] = json!(rows);
    }
    document
}

/// The same with what stays: how many cells changed, what is left of the budget, digests.
fn internal(noisy: &NoisyTable, table: &CodedTable, outside: Value) -> Value {
    let mut inside = outside;
    inside["changed"] = noisy
        .mechanisms
        .iter()
        .zip(&noisy.changed)
        .map(|(mechanism, rows)| json!({ "column": mechanism.column, "rows": rows }))
        .collect();
    inside["unmentioned"] = json!(noisy.unmentioned);
    inside["spent"] = json!(noisy.charge.spent);
    inside["left"] = json!(noisy.charge.left);
    inside["input"] = json!({ "rows": table.rows, "sha256": table.sha256 });
    inside["seed"] = json!(noisy.seed);
    inside
}

/// What stays at home for the verifier: the lines of the ledger, and what was read.
fn stays(noisy: &NoisyTable, table: &CodedTable, to: &NoiseRelease, manifest: &str) -> Value {
    let lines = noisy.charge.receipts.iter().map(|receipt| {
        json!({
            "file": receipt.file.display().to_string(),
            "line": receipt.line,
            "hash": receipt.hash,
            "text": receipt.text,
        })
    });
    json!({
        "format": 1,
        "kind": "noise",
        "paravent": env!("CARGO_PKG_VERSION"),
        "release": { "manifest_sha256": manifest },
        "input": { "rows": table.rows, "sha256": table.sha256 },
        "job": to.job.as_ref().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })),
        "seed": noisy.seed,
        "ledger": lines.collect::<Vec<_>>(),
    })
}

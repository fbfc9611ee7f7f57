//! A noisy table as a release: written beside its place, verified, registered, and put there in one step.

use super::account::{Charge, ColumnAccount};
use super::manifest::{manifest, missing, not_promised, outside, promises};
use super::mechanism::{Drawn, Mechanism, OutsidePolicy};
use super::people::People;
use super::prepare::{Prepared, may_be_released};
use super::{NoiseError, NoisyTable};
use crate::files::{pretty, put, put_private};
use crate::release::{Leaving, file_name, put_signature, singled_out_by};
use crate::slice::{
    CodedTable, Destination, HeldAgainst, LeavingTable, PlainEntry, SEEDED, output_format, released,
    write_rows,
};
use paravent_job::{Job, Lang};
use paravent_ledger::Book;
use paravent_report::{
    ChangedCells, KeptNoise, KeptOutput, NoiseColumn, NoiseDocument, ReadTable, UnchangedFacts, VerdictFacts,
    WrittenFile, render_noise, singled_out,
};
use paravent_tables::digest::sha256;
use paravent_tables::write::{ReleasedColumn, Staging};
use paravent_verify::verify;
use serde_json::{Value, json};

/// Writes, verifies and registers the release; gives back the full report, which stays.
///
/// # Errors
/// If it cannot be written, verified or registered; nothing has appeared then.
pub fn write_release(
    table: &CodedTable,
    noisy: &NoisyTable,
    job: Option<&Job>,
    to: &Destination,
) -> Result<Value, NoiseError> {
    let key = to.check(job)?;
    let lang = job.map_or_else(Lang::default, |job| job.output.lang);
    may_be_released(&noisy.mechanisms)?;
    let columns: Vec<ReleasedColumn> = noisy.columns.iter().map(released).collect();
    let format = output_format(&columns, table, job);
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let file = staging.create(&data)?;
    let written = write_rows(&staging.path().join(&data), file, &format, &noisy.columns, &columns)?;
    let output = WrittenFile {
        file: data.clone(),
        rows: written.rows,
        sha256: written.sha256.clone(),
        verified: true,
        kept: None,
    };
    let names: Vec<String> = noisy.columns.iter().map(|column| column.name.clone()).collect();
    let told = Told {
        mechanisms: &noisy.mechanisms,
        accounts: &noisy.accounts,
        columns: &names,
        rows: noisy.rows(),
        dropped: &noisy.dropped,
        charge: &noisy.charge,
        is_seeded: noisy.seed.is_some(),
    };
    let mut document = told.document(told.unchanged(table, job)?);
    document.output = Some(output.clone());
    let (page, text) = (render_noise(&document, lang), pretty(&document));
    let reports = [("report.html", sha256(page.as_bytes())), ("report.json", sha256(&text))];
    put(&staging, "report.html", page.as_bytes())?;
    put(&staging, "report.json", &text)?;
    let manifest = pretty(&manifest(noisy, &format, &written, &reports));
    put(&staging, "manifest.json", &manifest)?;
    put_signature(&staging, key.as_ref(), &manifest)?;
    put_private(&staging, "transform.json", &pretty(&stays(noisy, table, to, &sha256(&manifest))))?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(NoiseError::Refuted(verification));
    }
    let entry = PlainEntry::prepare(told.leaving(table, job, to))?;
    document.kept = Some(kept(noisy, table));
    let path = to.target.join(&data).display().to_string();
    let signed_by = key.map(|key| key.public());
    document.output = Some(WrittenFile { kept: Some(KeptOutput { path, signed_by }), ..output });
    document.register = entry.facts();
    document.warnings.extend(entry.warnings());
    document.verdict = document.verdict.doubted(entry.doubts());
    put_private(&staging, "report.html", render_noise(&document, lang).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&document))?;
    entry.publish(staging, to.replace, (&data, &written))?;
    Ok(json!(document))
}

/// What a release would say of itself: nothing is drawn, paid or written, and so nothing is estimated.
///
/// # Errors
/// What [`write_release`] and the payment before it would refuse.
pub fn dry_run(
    table: &CodedTable,
    prepared: &Prepared,
    job: Option<&Job>,
    to: &Destination,
    book: &Book,
) -> Result<Value, NoiseError> {
    to.look(job)?;
    prepared.may_be_released()?;
    prepared.may_be_written(table, job)?;
    let charge = prepared.look(book)?;
    let accounts: Vec<ColumnAccount> = prepared.mechanisms.iter().map(ColumnAccount::undrawn).collect();
    let names: Vec<String> = prepared.released.iter().map(|&at| table.columns[at].name.clone()).collect();
    let told = Told {
        mechanisms: &prepared.mechanisms,
        accounts: &accounts,
        columns: &names,
        rows: table.rows,
        dropped: &prepared.dropped,
        charge: &charge,
        is_seeded: prepared.seed.is_some(),
    };
    let mut document = told.document(told.unchanged(table, job)?);
    let held = HeldAgainst::look(&told.leaving(table, job, to))?;
    document.warnings.extend(held.warnings());
    document.verdict = document.verdict.doubted(held.doubts());
    Ok(json!(document))
}

/// Noise as a release tells of it, before it is drawn or afterwards.
struct Told<'a> {
    mechanisms: &'a [Mechanism],
    /// What became of these columns.
    accounts: &'a [ColumnAccount],
    /// The released columns.
    columns: &'a [String],
    rows: usize,
    /// Columns that are left out as identifying.
    dropped: &'a [String],
    charge: &'a Charge,
    is_seeded: bool,
}

impl Told<'_> {
    fn is_noisy(&self, name: &str) -> bool {
        self.mechanisms.iter().any(|mechanism| mechanism.column == name)
    }

    /// Whom the columns without noise single out; `None` where all have noise.
    fn unchanged(&self, table: &CodedTable, job: Option<&Job>) -> Result<Option<UnchangedFacts>, NoiseError> {
        let people = People::of(table, job)?;
        let leaves = |name: &String| self.columns.contains(name) && !self.is_noisy(name);
        let exact = table.columns.iter().filter(|column| leaves(&column.name));
        let exact: Vec<Leaving<'_>> = exact.map(|column| column.leaving()).collect();
        Ok(singled_out_by(&exact, people.as_ref().map(|people| people.of_rows.as_slice())))
    }

    /// The verdict, by the thresholds of any other release.
    fn judged(&self, unchanged: Option<&UnchangedFacts>) -> VerdictFacts {
        let mut faults = Vec::new();
        if self.is_seeded {
            faults.push(SEEDED);
        }
        if !self.charge.bounded {
            faults.push("no ε bounds what the noise gives away");
        }
        VerdictFacts::over(&faults, unchanged)
    }

    /// What is said to whoever gets the release: from released rows and the noise alone.
    fn document(&self, unchanged: Option<UnchangedFacts>) -> NoiseDocument {
        let charge = self.charge;
        let columns = self.mechanisms.iter().zip(self.accounts);
        NoiseDocument {
            paravent: env!("CARGO_PKG_VERSION"),
            kind: "noise",
            rows: self.rows as u64,
            columns: columns.map(|(mechanism, done)| column(mechanism, done)).collect(),
            exact: self.columns.iter().filter(|name| !self.is_noisy(name)).cloned().collect(),
            dropped: self.dropped.to_vec(),
            epsilon: charge.epsilon.clone(),
            delta: charge.delta.clone(),
            bounded: charge.bounded,
            recipient: charge.recipient.clone(),
            seeded: self.is_seeded,
            promised: promises(self.mechanisms, charge),
            not_promised: not_promised(self.mechanisms, charge, self.is_seeded),
            output: None,
            rows_per_person: charge.rows_per_person,
            verdict: self.judged(unchanged.as_ref()),
            warnings: unchanged.iter().filter(|unchanged| unchanged.too_many()).map(singled_out).collect(),
            unchanged,
            kept: None,
            register: None,
        }
    }

    /// What the register hears of it.
    fn leaving<'a>(
        &'a self,
        table: &'a CodedTable,
        job: Option<&'a Job>,
        to: &'a Destination,
    ) -> LeavingTable<'a> {
        let required = json!({
            "epsilon": self.charge.epsilon,
            "delta": self.charge.delta,
            "columns": self.mechanisms.iter().map(|mechanism| &mechanism.column).collect::<Vec<_>>(),
        });
        LeavingTable {
            register: to.register.as_deref(),
            target: &to.target,
            table,
            columns: self.columns,
            criteria: vec![("noise".to_owned(), required)],
            named: to.job.as_ref(),
            job,
        }
    }
}

/// The noise of a column, and what can still be said of it. ε and δ are told as they were charged: decimals, not binary fractions.
fn column(mechanism: &Mechanism, done: &ColumnAccount) -> NoiseColumn {
    let cost = mechanism.cost.as_ref();
    let other = match mechanism.outside {
        OutsidePolicy::Other(code) => mechanism.values.get(code as usize).cloned().flatten(),
        OutsidePolicy::Refused | OutsidePolicy::Clamped => None,
    };
    let (by, grid) = match &mechanism.drawn {
        Drawn::Cases { by, .. } => (Some(by.clone()), None),
        Drawn::Added(added) => (None, Some(added.grid.described())),
        Drawn::Response(..) => (None, None),
    };
    let (min, max, step) = match grid {
        Some((min, max, step)) => (Some(min), Some(max), Some(step)),
        None => (None, None, None),
    };
    NoiseColumn {
        column: done.column.clone(),
        probability: done.probability.clone(),
        law: done.law,
        values: done.values.map(|values| values as u64),
        epsilon: cost.map(|cost| cost.epsilon().to_string()),
        delta: cost.map(|cost| cost.delta().to_string()),
        estimates: done.estimates.clone(),
        mean: done.mean,
        outside: outside(mechanism),
        missing: missing(mechanism),
        other,
        by,
        min,
        max,
        step,
    }
}

/// What stays: how many cells changed, what is left of the budget, digests.
fn kept(noisy: &NoisyTable, table: &CodedTable) -> KeptNoise {
    let changed = noisy.mechanisms.iter().zip(&noisy.changed);
    KeptNoise {
        changed: changed
            .map(|(mechanism, &rows)| ChangedCells { column: mechanism.column.clone(), rows })
            .collect(),
        unmentioned: noisy.unmentioned.clone(),
        spent: noisy.charge.spent.clone(),
        left: noisy.charge.left.clone(),
        input: ReadTable { rows: table.rows as u64, sha256: table.sha256.clone() },
        seed: noisy.seed,
    }
}

/// What stays at home for the verifier: the lines of the ledger, and what was read.
fn stays(noisy: &NoisyTable, table: &CodedTable, to: &Destination, manifest: &str) -> Value {
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

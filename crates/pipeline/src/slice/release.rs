//! A sliced table as a release: written beside its place, verified, registered, and put there in one step.

use super::entry::{HeldAgainst, Leaving, PlainEntry};
use super::manifest::{groups, manifest, not_promised, promises, unique_limit};
use super::{CodedCells, CodedTable, Destination, Request, SliceError, SlicedTable};
use crate::files::{pretty, put, put_private};
use crate::release::{data_format, file_name, put_signature};
use paravent_job::{Job, Lang};
use paravent_report::{
    KeptOutput, SliceDiversity, SliceDocument, SliceGroup, SlicePair, VerdictFacts, WrittenFile,
    render_slice, singled_out,
};
use paravent_slicing::checks::{Knowledge, ReadOff};
use paravent_tables::digest::sha256;
use paravent_tables::write::{
    ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, Staging, TableWriter, WriteError, Written,
};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Writes, verifies and registers the release; gives back what `report.json` says.
pub fn write_release(
    table: &CodedTable,
    sliced: &SlicedTable,
    request: &Request,
    job: Option<&Job>,
    to: &Destination,
) -> Result<Value, SliceError> {
    let key = to.check(job)?;
    let lang = job.map_or_else(Lang::default, |job| job.output.lang);
    let columns: Vec<ReleasedColumn> = sliced.columns.iter().map(released).collect();
    let format = output_format(&columns, table, job);
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let written =
        write_rows(&staging.path().join(&data), staging.create(&data)?, &format, &sliced.columns, &columns)?;
    let mut document = described(sliced, request);
    let mut output = WrittenFile {
        file: data.clone(),
        rows: written.rows,
        sha256: written.sha256.clone(),
        verified: true,
        kept: None,
    };
    document.output = Some(output.clone());
    // What is handed out is written first, so that the manifest, and with it a signature, covers it.
    let (page, text) = (render_slice(&document, lang), pretty(&document));
    put(&staging, "report.html", page.as_bytes())?;
    put(&staging, "report.json", &text)?;
    let mut manifest = manifest(sliced, request, &format, &written);
    manifest["reports"] = listed(&page, &text);
    let manifest = pretty(&manifest);
    put(&staging, "manifest.json", &manifest)?;
    put_signature(&staging, key.as_ref(), &manifest)?;
    // No cell was changed; what a private folder is for is the register, and the rows that were read.
    let transform = json!({
        "format": 1,
        "kind": "slice",
        "paravent": env!("CARGO_PKG_VERSION"),
        "release": { "manifest_sha256": sha256(&manifest) },
        "input": { "rows": table.rows, "sha256": table.sha256 },
        "job": to.job.as_ref().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })),
    });
    put_private(&staging, "transform.json", &pretty(&transform))?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(SliceError::Refuted(verification));
    }
    output.kept = Some(KeptOutput {
        path: to.target.join(&data).display().to_string(),
        signed_by: key.map(|key| key.public()),
    });
    document.output = Some(output);
    let entry = PlainEntry::prepare(leaving(table, sliced, request, job, to))?;
    document.register = entry.facts();
    document.warnings.extend(entry.warnings());
    document.verdict = document.verdict.doubted(entry.doubts());
    put_private(&staging, "report.html", render_slice(&document, lang).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&document))?;
    entry.publish(staging, to.replace, (&data, &written))?;
    Ok(json!(document))
}

/// What a release would say of itself. Nothing is written; the buckets of the release would be drawn anew.
///
/// # Errors
/// What [`write_release`] would refuse.
pub fn dry_run(
    table: &CodedTable,
    sliced: &SlicedTable,
    request: &Request,
    job: Option<&Job>,
    to: &Destination,
) -> Result<Value, SliceError> {
    to.look(job)?;
    let mut document = described(sliced, request);
    let held = HeldAgainst::look(&leaving(table, sliced, request, job, to))?;
    document.warnings.extend(held.warnings());
    document.verdict = document.verdict.doubted(held.doubts());
    Ok(json!(document))
}

/// What the register hears of it.
fn leaving<'a>(
    table: &'a CodedTable,
    sliced: &'a SlicedTable,
    request: &Request,
    job: Option<&'a Job>,
    to: &'a Destination,
) -> Leaving<'a> {
    Leaving {
        register: to.register.as_deref(),
        target: &to.target,
        table,
        columns: sliced.groups.columns(),
        criteria: vec![("slicing".to_owned(), criterion(sliced, request))],
        named: to.job.as_ref(),
        job,
    }
}

/// Why a draw from a seed is no release.
pub(crate) const SEEDED: &str = "it was drawn from a seed, and whoever knows the seed can undo the draw";

/// The reports with their digests, for a manifest.
pub(crate) fn listed(page: &str, document: &[u8]) -> Value {
    json!([
        { "file": "report.html", "sha256": sha256(page.as_bytes()) },
        { "file": "report.json", "sha256": sha256(document) },
    ])
}

/// What the register remembers of a slicing.
fn criterion(sliced: &SlicedTable, request: &Request) -> Value {
    json!({
        "groups": sliced.groups.names(),
        "rows": request.minimum,
        "unique": request.limits.unique.decimal(),
        "l": request.limits.diversity,
    })
}

/// What is said of the slicing: for the report that goes with it, so without figures of the table before.
pub fn release_document(sliced: &SlicedTable, request: &Request) -> Value {
    json!(described(sliced, request))
}

fn described(sliced: &SlicedTable, request: &Request) -> SliceDocument {
    let names = sliced.groups.columns();
    let alone = |group: usize| {
        let found = sliced.findings.unique.iter().find(|found| found.group == group + 1)?;
        Some(100.0 * found.rows as f64 / sliced.rows().max(1) as f64)
    };
    let kept = |first: usize, second: usize| {
        let known = |column: usize| sliced.known.contains(&names[column]);
        sliced.groups.together(first, second).is_some() || known(first) || known(second)
    };
    let faults: Vec<&str> = sliced.seeded.then_some(SEEDED).into_iter().collect();
    let pairs =
        (0..names.len()).flat_map(|first| (first + 1..names.len()).map(move |second| (first, second)));
    let diverse = sliced.findings.diversity.iter().filter(|_| request.limits.diversity > 1);
    SliceDocument {
        paravent: env!("CARGO_PKG_VERSION"),
        kind: "slice",
        rows: sliced.rows() as u64,
        groups: groups(sliced)
            .into_iter()
            .enumerate()
            .map(|(number, columns)| SliceGroup {
                columns,
                unique_percent: alone(number).map(|percent| (percent * 10.0).round() / 10.0),
            })
            .collect(),
        unique_limit: unique_limit(request).decimal(),
        known: sliced.known.clone(),
        dropped: sliced.dropped.clone(),
        smallest_bucket: sliced.smallest as u64,
        diversity: diverse
            .map(|found| SliceDiversity {
                attribute: names[found.column].clone(),
                l: u64::from(request.limits.diversity),
                least: found.least as u64,
            })
            .collect(),
        pairs: pairs
            .map(|(first, second)| SlicePair {
                columns: [names[first].clone(), names[second].clone()],
                kept: kept(first, second),
            })
            .collect(),
        seeded: sliced.seeded,
        promised: promises(sliced, request),
        not_promised: not_promised(sliced),
        unchanged: sliced.unchanged.clone(),
        verdict: VerdictFacts::over(&faults, sliced.unchanged.as_ref()),
        warnings: sliced.unchanged.iter().filter(|facts| facts.too_many()).map(singled_out).collect(),
        output: None,
        register: None,
    }
}

impl SlicedTable {
    /// What somebody who knows the columns of one group reads off for a column of another: group (from 1), column, figures. The worst case of every column.
    pub fn read_off(&self, table: &CodedTable) -> Vec<(usize, String, ReadOff)> {
        let before: Vec<&[u32]> = self.before.iter().map(Vec::as_slice).collect();
        let after = self.gathers.gather(&self.groups, &before);
        let after: Vec<&[u32]> = after.iter().map(Vec::as_slice).collect();
        debug_assert_eq!(table.rows, self.rows());
        attacks(&self.groups, &before, &after)
    }
}

/// The attack from every group on every column that is not in it; for each column the group that gains most.
pub(super) fn attacks(
    groups: &paravent_slicing::ColumnGroups,
    before: &[&[u32]],
    after: &[&[u32]],
) -> Vec<(usize, String, ReadOff)> {
    let released = groups.released_groups();
    let know = |(number, members): (usize, &Vec<usize>)| {
        let old: Vec<&[u32]> = members.iter().map(|&place| before[place]).collect();
        let new: Vec<&[u32]> = released[number].iter().map(|&place| after[place]).collect();
        Knowledge::of(&old, &new)
    };
    let known: Vec<Knowledge> = groups.groups().iter().enumerate().map(know).collect();
    let mut found: Vec<(usize, String, ReadOff)> = Vec::new();
    for (column, name) in groups.columns().iter().enumerate() {
        let others = groups.groups().iter().zip(&known).enumerate();
        let others = others.filter(|(_, (members, _))| !members.contains(&column));
        let tried = others.map(|(number, (_, known))| {
            (number + 1, name.clone(), known.read_off(before[column], after[column]))
        });
        let worst = tried.filter(|(_, _, figures)| figures.people > 0);
        found.extend(worst.max_by(|a, b| a.2.gain().total_cmp(&b.2.gain()).then(b.0.cmp(&a.0))));
    }
    found
}

/// The column with its cells; numbers are a wish that the writer grants where nothing is lost.
pub(crate) fn released(column: &CodedCells) -> ReleasedColumn {
    let all = |test: fn(&str) -> bool| column.cells.iter().flatten().all(|cell| test(cell));
    let kind = if all(|cell| cell.parse::<i64>().is_ok()) {
        ColumnKind::Integer
    } else if all(|cell| cell.parse::<f64>().is_ok()) {
        ColumnKind::Decimal
    } else {
        ColumnKind::Text
    };
    ReleasedColumn { name: column.name.clone(), kind, cells: column.cells.clone() }
}

/// As the job says, else CSV as the table is stored. A missing value gets a text that no released cell has.
pub(crate) fn output_format(
    columns: &[ReleasedColumn],
    table: &CodedTable,
    job: Option<&Job>,
) -> OutputFormat {
    data_format(job, table.dialect.delimiter, columns)
}

pub(crate) fn write_rows(
    path: &Path,
    out: impl Write + Send,
    format: &OutputFormat,
    cells: &[CodedCells],
    columns: &[ReleasedColumn],
) -> Result<Written, WriteError> {
    let mut writer = TableWriter::new(path, out, format, columns)?;
    let mut row = vec![0; columns.len()];
    for number in 0..cells.first().map_or(0, |column| column.codes.len()) {
        row.iter_mut().zip(cells).for_each(|(code, column)| *code = column.codes[number]);
        writer.push(&row, 1)?;
    }
    writer.finish()
}

/// The columns as delimited text, empty where a cell is missing.
pub(crate) fn text_of(cells: &[CodedCells], delimiter: u8) -> Result<Vec<u8>, WriteError> {
    let columns: Vec<ReleasedColumn> = cells.iter().map(released).collect();
    let format = OutputFormat::Csv(CsvStyle { delimiter, ..CsvStyle::default() });
    let mut text = Vec::new();
    write_rows(Path::new("the result"), &mut text, &format, cells, &columns)?;
    Ok(text)
}

impl SlicedTable {
    /// The bare table as delimited text, empty where a cell is missing.
    pub fn text(&self, delimiter: u8) -> Result<Vec<u8>, SliceError> {
        Ok(text_of(&self.columns, delimiter)?)
    }
}

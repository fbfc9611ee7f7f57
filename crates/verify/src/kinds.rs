//! What is asked of every release that is no generalized table: a slicing, noise, the answer of a query.
//!
//! Each promises something else. But all have one file of rows, reports, and a manifest that nothing else confirms.

use serde_json::Value;

use crate::checks::documents::{Shape, is_of_this_version};
use crate::checks::{files, order};
use crate::data::{self, Data};
use crate::folder::Folder;
use crate::json::Node;
use crate::manifest::Output;
use crate::{Check, MANIFEST, NotChecked, Trusted, Verification, VerifyError, canonical};

/// What the manifest says of the data file.
pub(crate) const OF_OUTPUT: (&str, &[&str]) = (
    "output",
    &[
        "file",
        "format",
        "sha256",
        "rows",
        "order",
        "delimiter",
        "null",
        "spreadsheet_safe",
        "encoding",
        "bom",
        "spellings",
    ],
);

/// Reads the rows, and asks everything that has nothing to do with a promise: are these the files that were written, byte by byte, in an order that
/// tells nothing, and is there nothing else?
pub(crate) fn read(
    dir: &Folder<'_>,
    (bytes, document): (&[u8], &Value),
    output: &Output,
    shape: &Shape,
) -> Result<(Data, Verification), VerifyError> {
    let (data, file) = data::read_output(dir, output)?;
    let mut checks = vec![digest(output, &data), rows(output, &data)];
    checks.push(order::of(&output.order, &data.columns));
    checks.push(shape.check(bytes, document));
    checks.push(files::nothing_else(dir, &output.file)?);
    let (reports, unlisted) = files::listed_reports(dir, &Node::root(MANIFEST, document))?;
    checks.extend(reports);
    let mut not_checked: Vec<NotChecked> = unlisted.into_iter().collect();
    match is_of_this_version(document) {
        true => checks.push(canonical::check_untyped(&file, output, &data)),
        false => not_checked.push(NotChecked {
            name: "bytes".to_owned(),
            subject: Some(output.file.clone()),
            why: "only the version of the program that wrote the file knows its bytes".to_owned(),
        }),
    }
    let (rows, trusted) = (data.rows as u64, vec![said(document)]);
    Ok((data, Verification { rows, checks, trusted, not_checked, ..Verification::default() }))
}

fn digest(output: &Output, data: &Data) -> Check {
    let differs = !output.sha256.eq_ignore_ascii_case(&data.sha256);
    let problems: &[String] =
        if differs { &["the file is not the one the manifest was written for".to_owned()] } else { &[] };
    Check::new("digest", Some(&output.file), problems, "SHA-256 as in the manifest")
        .comparing(output.sha256.as_str(), data.sha256.as_str())
}

fn rows(output: &Output, data: &Data) -> Check {
    let (announced, found) = (output.rows, data.rows as u64);
    let problems = match announced == found {
        true => vec![],
        false => vec![format!("{found} rows in the file, {announced} in the manifest")],
    };
    Check::new("rows", None, &problems, format!("{found} rows")).comparing(announced, found)
}

/// Nothing but the manifest tells what was done, so all of it is told with the verdict; the digest of the rows is checked.
fn said(document: &Value) -> Trusted {
    let mut said = document.clone();
    if let Some(output) = said.get_mut("output").and_then(Value::as_object_mut) {
        output.remove("sha256");
    }
    let detail = "what else the manifest says of what was done and promised, word for word (in the document of --json)";
    Trusted { what: "manifest", detail: detail.to_owned(), said }
}

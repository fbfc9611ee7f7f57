//! What the verdict takes on trust, and what it leaves open.
//!
//! A verifier that has the released rows alone cannot know whether a column should have been a quasi-identifier, whether k was meant to be
//! larger, or how many rows there were. It says so, with the very words of the manifest, so that a reader can compare them with what
//! was agreed.

use serde_json::{Map, Value, json};

use crate::canonical;
use crate::checks::Release;
use crate::checks::labels::{can_be_judged, said};
use crate::manifest::{Format, Levels, Manifest};
use crate::types::Role;
use crate::verification::{NotChecked, Trusted};

/// Everything that only the manifest says.
pub(crate) fn trusted(release: &Release<'_>, document: &Value) -> Vec<Trusted> {
    let manifest = release.manifest;
    let mut trusted =
        vec![roles(manifest), required(document), suppression(manifest, document), rows(manifest)];
    match release.transform {
        None => trusted.extend([levels(manifest), dropped(manifest)]),
        Some(_) => {
            let detail = "the hierarchies, as transform.json has them".to_owned();
            trusted.push(Trusted { what: "hierarchies", detail, said: Value::Null });
        }
    }
    trusted.extend(evidence(document, "reference", "how often each value occurs in the whole table"));
    trusted.extend(evidence(document, "population", "how large each class is in the population"));
    trusted.extend(people(document, release.lacks_people()));
    trusted.extend(sample(manifest, document));
    trusted.extend(treatments(manifest, document));
    trusted.push(cost(document));
    trusted.extend(writing(document));
    trusted.push(types(document));
    let detail = "that the rows are those of the table, generalized and not made up".to_owned();
    trusted.push(Trusted { what: "truth", detail, said: Value::Null });
    let detail = "what report.html and report.json say beyond the manifest: their digests are checked, their words are not".to_owned();
    trusted.push(Trusted { what: "reports", detail, said: Value::Null });
    let is_file = !matches!(manifest.output.format, Format::Table);
    if is_file && manifest.is_handed_out() && !canonical::is_asked(manifest) {
        let detail = format!("written by version {} of the program", shown(manifest.version));
        trusted.push(Trusted { what: "version", detail, said: json!(manifest.version) });
    }
    trusted
}

/// Where people are counted: only the tokens say whose rows they are, and only the manifest how many people there were. Without the tokens
/// nobody can check what was achieved for people.
fn people(document: &Value, without_tokens: bool) -> Option<Trusted> {
    let mut said = document.get("people")?.clone();
    let number = |key: &str| said[key].as_u64().unwrap_or_default();
    let detail = format!(
        "whose row each row is, as the tokens of the private folder have it; that there were {} people, of whom {} lose a row and {} may",
        number("read"),
        number("losing"),
        number("limit")
    );
    if let (true, Some(object)) = (without_tokens, said.as_object_mut()) {
        let achieved = |promise: &Value| json!([promise["achieved"], promise["holds"]]);
        let promises = document["privacy"].as_array();
        object.insert("achieved".to_owned(), promises.into_iter().flatten().map(achieved).collect());
        object.insert("smallest_class".to_owned(), document["solution"]["smallest_class"].clone());
    }
    Some(Trusted { what: "people", detail, said })
}

/// Nobody can see in the rows how they were drawn.
fn sample(manifest: &Manifest<'_>, document: &Value) -> Option<Trusted> {
    let sample = manifest.sample.as_ref()?;
    let detail = format!(
        "that each of the {} was drawn with probability {} before anything else",
        sample.of, sample.share
    );
    Some(Trusted { what: "sample", detail, said: document["input"]["sample"].clone() })
}

/// Cells show what a treatment leaves, not that it was done before the promises were checked, or by which key.
fn treatments(manifest: &Manifest<'_>, document: &Value) -> Option<Trusted> {
    let attributes = document["attributes"].as_array().into_iter().flatten();
    let treated = attributes.filter(|attribute| attribute.get("treatment").is_some());
    let said: Vec<Value> = treated
        .map(|attribute| json!({ "name": attribute["name"], "treatment": attribute["treatment"] }))
        .collect();
    let names: Vec<String> = (manifest.attributes.iter())
        .filter(|column| column.treatment != crate::treatment::Treatment::default())
        .map(|column| shown(&column.name))
        .collect();
    let detail = format!("that cells of {} are made from those of the table as stated", names.join(", "));
    (!said.is_empty()).then(|| Trusted { what: "treatments", detail, said: json!(said) })
}

fn roles(manifest: &Manifest<'_>) -> Trusted {
    let named = |role: Role, word: &str| {
        let names: Vec<String> = manifest
            .attributes
            .iter()
            .filter(|column| column.role == role)
            .map(|column| shown(&column.name))
            .collect();
        if names.is_empty() { format!("no {word} column") } else { format!("{word}: {}", names.join(", ")) }
    };
    let detail = [
        named(Role::QuasiIdentifier, "quasi-identifying"),
        named(Role::Sensitive, "sensitive"),
        named(Role::Insensitive, "insensitive"),
    ];
    let said: Map<String, Value> =
        manifest.attributes.iter().map(|column| (column.name.clone(), json!(column.role.name()))).collect();
    Trusted {
        what: "roles",
        detail: format!("the roles of the columns ({})", detail.join("; ")),
        said: Value::Object(said),
    }
}

fn required(document: &Value) -> Trusted {
    let promises = document["privacy"].as_array().into_iter().flatten();
    let said: Vec<Value> = promises
        .map(|promise| json!({ "model": promise["model"], "required": promise["required"] }))
        .collect();
    let words: Vec<String> = said
        .iter()
        .map(|promise| {
            let model = promise["model"].as_str().unwrap_or_default();
            let parameters = promise["required"].as_object().into_iter().flatten();
            let parameters: Vec<String> =
                parameters.map(|(key, value)| format!("{} = {}", shown(key), in_words(value))).collect();
            format!("{} ({})", shown(model), parameters.join(", "))
        })
        .collect();
    Trusted { what: "required", detail: format!("what is promised: {}", words.join("; ")), said: json!(said) }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => shown(text),
        Value::Array(items) => format!("{} values", items.len()),
        other => shown(&other.to_string()),
    }
}

fn suppression(manifest: &Manifest<'_>, document: &Value) -> Trusted {
    let limit = &manifest.suppression.limit;
    let detail = match manifest.people {
        None => format!("that a share of {limit} of the rows might be suppressed"),
        Some(_) => format!("that a share of {limit} of the people might lose a row"),
    };
    Trusted { what: "suppression-limit", detail, said: document["suppression"]["limit"].clone() }
}

fn rows(manifest: &Manifest<'_>) -> Trusted {
    let (read, suppressed) = (manifest.input_rows, manifest.suppression.rows);
    let population =
        manifest.population_rows.map_or_else(String::new, |rows| format!(", {rows} in the population"));
    Trusted {
        what: "rows",
        detail: format!("that {read} rows were read and {suppressed} suppressed{population}"),
        said: json!({ "read": read, "suppressed": suppressed, "population": manifest.population_rows }),
    }
}

fn levels(manifest: &Manifest<'_>) -> Trusted {
    let columns: Vec<(&str, Levels)> = manifest
        .quasi_identifiers()
        .filter_map(|column| column.levels.map(|levels| (column.name.as_str(), levels)))
        .collect();
    let words: Vec<String> =
        columns.iter().map(|(name, levels)| format!("{} {}", shown(name), levels.name())).collect();
    let said: Map<String, Value> =
        columns.iter().map(|&(name, levels)| (name.to_owned(), said(levels))).collect();
    Trusted {
        what: "levels",
        detail: format!("the levels ({})", words.join(", ")),
        said: Value::Object(said),
    }
}

fn dropped(manifest: &Manifest<'_>) -> Trusted {
    let detail = format!("that {} columns were left out, and which", manifest.dropped.len());
    Trusted { what: "dropped", detail, said: json!(manifest.dropped) }
}

fn evidence(document: &Value, key: &'static str, what: &str) -> Option<Trusted> {
    let promises = document["privacy"].as_array().into_iter().flatten();
    let with: Vec<&str> = promises
        .filter(|promise| promise.get(key).is_some())
        .filter_map(|promise| promise["model"].as_str())
        .collect();
    (!with.is_empty()).then(|| Trusted {
        what: key,
        detail: format!(
            "{what}, for {}",
            with.iter().map(|model| shown(model)).collect::<Vec<_>>().join(", ")
        ),
        said: json!(with),
    })
}

fn cost(document: &Value) -> Trusted {
    let solution = &document["solution"];
    let mut said =
        json!({ "metric": solution["metric"], "loss": solution["loss"], "optimal": solution["optimal"] });
    if let Some(factor) = solution.get("gs_factor") {
        said["gs_factor"] = factor.clone();
    }
    let metric = in_words(&solution["metric"]);
    let optimal = in_words(&solution["optimal"]);
    let detail = match &solution["loss"] {
        Value::Null => format!("that it was chosen by {metric}, optimal: {optimal}"),
        loss => format!("what it cost: {} by {metric}, optimal: {optimal}", in_words(loss)),
    };
    Trusted { what: "solution", detail, said }
}

/// The types that values had before they were generalized.
fn types(document: &Value) -> Trusted {
    let columns = document["attributes"].as_array().into_iter().flatten();
    let said: Map<String, Value> = columns
        .filter_map(|column| Some((column["name"].as_str()?.to_owned(), column["type"].clone())))
        .collect();
    let words: Vec<String> =
        said.iter().map(|(name, kind)| format!("{} {}", shown(name), in_words(kind))).collect();
    Trusted { what: "types", detail: format!("the types ({})", words.join(", ")), said: Value::Object(said) }
}

/// How cells are to be read: another text for missing values is another table.
fn writing(document: &Value) -> Option<Trusted> {
    let output = document["output"].as_object()?;
    let keys = ["order", "delimiter", "null", "spreadsheet_safe", "encoding", "bom", "spellings"];
    let said: Map<String, Value> =
        keys.iter().filter_map(|key| Some(((*key).to_owned(), output.get(*key)?.clone()))).collect();
    let missing = output.get("null").map_or_else(String::new, |text| format!(", a missing value as {text}"));
    if output.get("format").is_some_and(|format| format == "table") {
        let detail = "that the table that was counted is the one that is handed out".to_owned();
        return Some(Trusted { what: "writing", detail, said: Value::Object(said) });
    }
    let detail = format!(
        "how it is written: rows in {} order{}",
        in_words(&document["output"]["order"]),
        shown(&missing)
    );
    Some(Trusted { what: "writing", detail, said: Value::Object(said) })
}

/// A word of the manifest as it may be printed: nothing that moves a cursor, and not endless.
fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown: String = text.chars().take(MOST).map(|c| if odd(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

/// What would have needed the private folder, another version of the program, or a key.
pub(crate) fn not_checked(release: &Release<'_>) -> Vec<NotChecked> {
    let manifest = release.manifest;
    let open = |name: &str, subject: Option<&str>, why: &str| NotChecked {
        name: name.to_owned(),
        subject: subject.map(str::to_owned),
        why: why.to_owned(),
    };
    let mut list = Vec::new();
    if release.transform.is_none() {
        let why = "needs transform.json of the private folder, which is not beside the release";
        for column in manifest.attributes.iter().filter(|column| !can_be_judged(release, column)) {
            list.push(open("labels", Some(&column.name), why));
        }
        list.push(open("transform", None, why));
    }
    if release.lacks_people() {
        let why = "counts people, and people.txt of the private folder, which says whose rows they are, is not beside the release";
        for promise in &manifest.promises {
            if let Ok(model) = promise.get("model").and_then(|model| model.str()) {
                list.push(open(model, None, why));
            }
        }
    }
    for column in release.data.columns.iter().filter(|column| column.unseen) {
        list.push(open(
            "types",
            Some(&column.name),
            "no promise is about it, so its cells stay in the database",
        ));
    }
    if !canonical::is_asked(manifest) && !matches!(manifest.output.format, Format::Table) {
        let why = match manifest.is_handed_out() {
            true => "only the version of the program that wrote the file knows its bytes",
            false => "files of format 1 may have bytes that belong to no row",
        };
        list.push(open("bytes", Some(&manifest.output.file), why));
    }
    if !manifest.is_handed_out() {
        list.push(open(
            "digest",
            Some("report.html, report.json"),
            "manifests of format 1 do not vouch for the reports",
        ));
    }
    list
}

//! Compares with reference results: a folder with `data/<set>/<set>.csv`, `data/<set>/hierarchies/*.csv` and
//! `oracle/reference-cases.jsonl`. The data is not part of the project.

use anyhow::Context;
use paravent_bench::promise::{Distance, Promise, Promises};
use paravent_pipeline::job::Algorithm;
use paravent_pipeline::run::{RunError, RunOptions, dry_run};
use paravent_pipeline::watch::Unwatched;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Runs every case by one algorithm and lists where the loss differs by more than 1e-9 or the transformation is not among the
/// optimal ones. Cases in which the algorithm does not guarantee the optimum are passed over.
pub(crate) fn compare(root: &Path, algorithm: Algorithm) -> anyhow::Result<Vec<String>> {
    let cases = root.join("oracle/reference-cases.jsonl");
    let text = fs::read_to_string(&cases).with_context(|| cases.display().to_string())?;
    let mut findings = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line)?;
        let id = case["id"].as_str().unwrap_or("?");
        let outcome = match job(root, &case, algorithm)? {
            None => Outcome::PassedOver("not expressible in a job file".to_owned()),
            Some(job) => run(&case, &job)?,
        };
        match outcome {
            Outcome::Agrees(cost) => println!("{id}: agrees{cost}"),
            Outcome::PassedOver(why) => println!("{id}: {why}, passed over"),
            Outcome::Differs(how) => {
                println!("{id}: {how}");
                findings.push(format!("{id}: {how}"));
            }
        }
    }
    Ok(findings)
}

/// What a case comes to.
enum Outcome {
    /// With what it cost.
    Agrees(String),
    PassedOver(String),
    Differs(String),
}

/// A job file in a folder of its own, and what its loss must be multiplied by to compare.
struct CaseJob {
    folder: tempfile::TempDir,
    factor: f64,
}

fn run(case: &Value, job: &CaseJob) -> anyhow::Result<Outcome> {
    let path = job.folder.path().join("paravent.toml");
    let document = match dry_run(&path, &RunOptions::default(), &Unwatched) {
        Ok(finished) => serde_json::to_value(&finished.document)?,
        Err(RunError::Infeasible { .. }) if case["solution"] == false => {
            return Ok(Outcome::Agrees(": no solution".to_owned()));
        }
        Err(RunError::Problems(problems))
            if problems.0.iter().all(|problem| problem.key.as_deref() == Some("search.algorithm")) =>
        {
            return Ok(Outcome::PassedOver("no guarantee".to_owned()));
        }
        Err(error) => return Ok(Outcome::Differs(format!("{error}"))),
    };
    let (ours, theirs) = (document["solution"]["loss"].as_f64(), case["loss"].as_f64());
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Ok(Outcome::Differs("no loss to compare".to_owned()));
    };
    let ours = ours * job.factor;
    if (ours - theirs).abs() > 1e-9 * theirs.abs() {
        return Ok(Outcome::Differs(format!("loss {ours} instead of {theirs}")));
    }
    let transformation = &document["solution"]["transformation"];
    let names = case["attributes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let levels: Vec<Value> = names.map(|name| transformation[name].clone()).collect();
    let optimal = case["optimal"].as_array().into_iter().flatten();
    let known = optimal.into_iter().any(|node| node.as_array() == Some(&levels));
    if !known || document["search"]["optimal"] != true {
        return Ok(Outcome::Differs(format!(
            "transformation {levels:?} is not among the optimal ones, or not proven so"
        )));
    }
    let search = &document["search"];
    let number = |key: &str| search[key].as_u64().unwrap_or(0);
    Ok(Outcome::Agrees(format!(
        ", case {}: {} checks, {} subset tests, {} roll-ups, {} tagged, {:.3} s, {:.1} MB",
        number("case"),
        number("checks"),
        number("subset_tests"),
        number("rollups"),
        number("tagged"),
        search["seconds"].as_f64().unwrap_or(0.0),
        number("peak_bytes") as f64 / 1e6,
    )))
}

fn job(root: &Path, case: &Value, algorithm: Algorithm) -> anyhow::Result<Option<CaseJob>> {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let (set, sensitive) = (text("dataset"), text("sensitive"));
    let data = root.join("data").join(set);
    let quasi: HashSet<&str> =
        case["attributes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut factor = 1.0;
    let mut models = String::new();
    let Ok(promises) = text("privacy").parse::<Promises>() else { return Ok(None) };
    for promise in &promises.0 {
        writeln!(models, "  {{ {} }},", model(promise, sensitive))?;
        // The reference counts classes as they are, not relative to the size asked for.
        if let (Promise::KAnonymity { k: least } | Promise::DistinctLDiversity { l: least }, "aecs") =
            (promise, text("metric"))
        {
            factor = *least as f64;
        }
    }
    let metric = match text("metric") {
        "height" => "height",
        "precision_mono" => "precision-m",
        "precision" => "precision",
        "loss" => "loss-geometric",
        "loss_mean" => "loss",
        "aecs" => "aecs",
        "dm" => "discernibility",
        "dm_mono" => "discernibility-m",
        "nue_mono" => "nuem",
        "nue" => "nmnuem",
        _ => return Ok(None),
    };
    let folder = tempfile::tempdir()?;
    let table = table(root, case, &data, set, folder.path())?;
    let limit = match case["suppression"].as_f64().unwrap_or(0.0) {
        // "All rows" and "all but one" come to the same where an empty release does not count.
        1.0 => "0.999999999999".to_owned(),
        limit => limit.to_string(),
    };
    let mut job = format!("version = 1\n[input]\npath = {table:?}\ndelimiter = \";\"\n");
    let header = fs::read_to_string(data.join(format!("{set}.csv")))?;
    for name in header.lines().next().unwrap_or_default().split(';') {
        let role = if quasi.contains(name) { "quasi-identifier" } else { "sensitive" };
        let ty = if name == "RAMNTALL" { "integer" } else { "string" };
        let hierarchy = data.join("hierarchies").join(format!("{name}.csv"));
        writeln!(
            job,
            "[[attributes]]\nname = {name:?}\nrole = {role:?}\ntype = {ty:?}\nhierarchy = {{ file = {hierarchy:?} }}"
        )?;
    }
    writeln!(
        job,
        "[privacy]\nsuppression_limit = {limit}\nmodels = [\n{models}]\n[search]\nmetric = {metric:?}\nalgorithm = {:?}",
        algorithm.name()
    )?;
    fs::write(folder.path().join("paravent.toml"), job)?;
    Ok(Some(CaseJob { folder, factor }))
}

/// A promise as the job file writes it.
fn model(promise: &Promise, sensitive: &str) -> String {
    let on = format!("attribute = {sensitive:?}");
    match promise {
        Promise::KAnonymity { k } => format!("model = \"k-anonymity\", k = {k}"),
        Promise::DistinctLDiversity { l } => format!("model = \"distinct-l-diversity\", {on}, l = {l}"),
        Promise::EntropyLDiversity { l } => {
            format!("model = \"entropy-l-diversity\", {on}, l = {}", l.as_str())
        }
        Promise::RecursiveLDiversity { c, l } => {
            format!("model = \"recursive-l-diversity\", {on}, c = {}, l = {l}", c.as_str())
        }
        Promise::TCloseness { t, distance } => {
            let distance = match distance {
                Distance::Equal => "equal",
                Distance::Ordered => "ordered",
                Distance::Hierarchical => "hierarchical",
            };
            format!("model = \"t-closeness\", {on}, t = {}, distance = {distance:?}", t.as_str())
        }
        Promise::DeltaPresence { min, max } => {
            let (min, max) = (min.as_str(), max.as_str());
            format!("model = \"delta-presence\", min = {min}, max = {max}, subset = \"in_subset\"")
        }
    }
}

/// The table of a case; with a subset, a copy that has a column for it.
fn table(root: &Path, case: &Value, data: &Path, set: &str, folder: &Path) -> anyhow::Result<String> {
    let original = data.join(format!("{set}.csv"));
    let Some(subset) = case["subset"].as_str() else { return Ok(original.display().to_string()) };
    let chosen = fs::read_to_string(root.join("oracle").join(subset))?;
    let chosen: HashSet<usize> = chosen.lines().filter_map(|line| line.parse().ok()).collect();
    let text = fs::read_to_string(&original)?;
    let mut copy = String::new();
    for (number, line) in text.lines().enumerate() {
        let flag = match number.checked_sub(1) {
            None => "in_subset",
            Some(row) if chosen.contains(&row) => "1",
            Some(_) => "0",
        };
        writeln!(copy, "{line};{flag}")?;
    }
    let path = folder.join("table.csv");
    fs::write(&path, copy)?;
    Ok(path.display().to_string())
}

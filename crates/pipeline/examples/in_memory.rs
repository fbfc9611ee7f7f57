//! A table in memory is looked at, anonymized, attacked with the eyes of the verifier, and saved: no file is read.
//!
//! `cargo run -p paravent-pipeline --example in_memory`

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use paravent_pipeline::check::check_table;
use paravent_pipeline::init::{InitOptions, propose};
use paravent_pipeline::read::Input;
use paravent_pipeline::run::{Held, RunError, SaveOptions, anonymize_table};
use paravent_pipeline::watch::Unwatched;
use paravent_pipeline::{Table, anonymize};
use std::error::Error;
use std::sync::Arc;

/// A test of the crate runs it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    let table = patients()?;

    // A first job, with reasons.
    let proposal = propose(&Input::from_table(table.clone()), &InitOptions::default())?;
    for column in &proposal.columns {
        println!("{}: {} ({})", column.name, column.role.name(), column.reason);
    }
    let mut job = proposal.job;
    let checked = check_table(&job, table.clone(), false, &Unwatched)?;
    println!("as it is: {} of {} rows are alone", checked.unique_rows, checked.rows);

    // The release, verified before anybody sees it.
    let mut release = anonymize(&job, table.clone())?;
    println!("released: {} rows, {} columns", release.rows(), release.schema().fields().len());
    println!("levels: {}", serde_json::json!(release.document().solution.transformation));
    let verified = release.verification().holds();
    println!("verified: {verified}");

    // The same transformation on rows that come later.
    let again = Held { apply: Some(release.transformation()?), ..Held::default() };
    let later = anonymize_table(&job, table.clone(), &again, &Unwatched)?;
    println!("later: {} rows", later.rows());

    // What cannot be kept comes back as an error; where weaker promises can be, with them as data.
    job.privacy.models = vec![paravent_pipeline::job::models::KAnonymity { k: 500 }.into()];
    match anonymize(&job, table) {
        Err(RunError::Infeasible { relaxations, .. }) => {
            println!("k = 500: {}", relaxations.first().map_or("impossible", |first| &first.advice));
        }
        Err(refused) => println!("k = 500: {refused}"),
        Ok(release) => println!("k = 500: {} rows", release.rows()),
    }

    let folder = std::env::temp_dir().join(format!("paravent-example-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let unregistered =
        SaveOptions { register: paravent_pipeline::run::Registering::Never, ..Default::default() };
    release.save(&folder.join("release"), &unregistered)?;
    let saved = folder.join("release/manifest.json").exists();
    println!("saved: {saved}");
    std::fs::remove_dir_all(folder)?;
    if verified && saved { Ok(()) } else { Err("the release is not what was promised".into()) }
}

/// Two hundred people, as Arrow columns.
fn patients() -> Result<Table, Box<dyn Error>> {
    let rows = 0..200_i64;
    let age: ArrayRef = Arc::new(rows.clone().map(|row| 20 + row * 7 % 60).collect::<Int64Array>());
    let sex: ArrayRef =
        Arc::new(rows.clone().map(|row| Some(["f", "m"][row as usize % 2])).collect::<StringArray>());
    let diagnosis = ["flu", "gout", "asthma"];
    let diagnosis: ArrayRef =
        Arc::new(rows.map(|row| Some(diagnosis[(row * row % 3) as usize])).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("age", age), ("sex", sex), ("diagnosis", diagnosis)])?;
    Ok(Table::new(batch.schema(), vec![batch])?)
}

//! Nothing is drawn in Spark: what asks for it is refused before anything is paid.

use super::program::stderr;
use super::server::server;
use super::wire::write_table;
use super::{run, small};
use std::fs;

#[test]
fn draws_are_refused_before_they_are_paid() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, table) = write_table(folder);
    let job = small::job(&server.url(), &table, "insensitive")
        .replace("[privacy]\n", "[privacy]\nbudget = { epsilon = \"10\", delta = \"1e-6\" }\n");
    fs::write(folder.join("job.toml"), job).unwrap();
    let address = format!("{}#{table}", server.url());
    let before = fs::read_dir(folder).unwrap().count();
    let into = ["--job", "job.toml", "--row-key", "note", "--into", "drawn"];
    let noise = ["noise", &address, "--column", "illness=epsilon(1):uniform('illness-1', 'illness-2')"];
    let refused = run(folder, &[&noise[..], &into].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("leave --into out"), "{}", stderr(&refused));
    let slice = ["slice", &address, "--groups", "age;illness", "--bucket", "10"];
    let refused = run(folder, &[&slice[..], &into].concat());
    assert!(stderr(&refused).contains("leave --into out"), "{}", stderr(&refused));
    assert_eq!(fs::read_dir(folder).unwrap().count(), before, "a ledger was begun");
}

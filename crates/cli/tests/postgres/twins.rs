//! The same job gives the same release, whether the table is a file or stays in the database.

pub use super::cases::Dice;
use super::cases::{ILLNESSES, NOTE, PARQUET, ZIP, adult, job, same_release, table};
use super::server::{Server, server};
use std::fs;
use std::path::Path;

fn load(server: &Server, database: &str, folder: &Path) {
    let zip = ZIP.replace('"', "\"\"");
    server.sql(
        database,
        &format!(
            "DROP TABLE IF EXISTS \"odd.people\"; CREATE TABLE \"odd.people\" (name text, age smallint, sex varchar(10), \"{zip}\" char(8), \
             birth date, score numeric, illness text, drug text, inside boolean, \"{NOTE}\" text);\n\
             \\copy \"odd.people\" FROM '{}' (FORMAT csv, HEADER)\n",
            folder.join("table.csv").display()
        ),
    );
}

#[test]
fn releases_are_the_same_byte_for_byte() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(20);
    let mut released = 0;
    for case in 0..39 {
        let rows = 30 + dice.roll(60);
        fs::write(folder.path().join("table.csv"), table(&mut dice, rows)).unwrap();
        fs::write(folder.path().join("illness.csv"), ILLNESSES).unwrap();
        load(&server, &database, folder.path());
        let there = format!("url = \"{}\"\ntable = '\"odd.people\"'", server.url("trusted", &database));
        let job = job(&mut dice, case);
        released +=
            usize::from(same_release(folder.path(), case, &job, ["path = \"table.csv\"", &there], &[]));
    }
    assert!(released > 20, "only {released} cases have a solution");
}

#[test]
fn a_large_table_has_the_same_releases() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let jobs = adult(folder);
    let csv = fs::read_to_string(folder.join("adult.csv")).unwrap();
    let columns = csv.lines().next().unwrap().split(',').map(|name| format!("\"{name}\" text"));
    server.sql(
        &database,
        &format!(
            "CREATE TABLE adult ({});\n\\copy adult FROM '{}' (FORMAT csv, HEADER)\n",
            columns.collect::<Vec<_>>().join(", "),
            folder.join("adult.csv").display()
        ),
    );
    let there = format!("url = \"{}\"\ntable = \"adult\"", server.url("trusted", &database));
    for job in jobs {
        assert!(same_release(folder, PARQUET, &job, ["path = \"lake/table\"", &there], &[]));
    }
}

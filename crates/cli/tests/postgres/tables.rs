//! A release that is a table in the database.

use super::server::server;
use super::wire::{Proxy, job, write_table};
use super::{done, paravent, run, stderr};
use std::fs;

/// A job with a promise about the sensitive column, too: what no promise is about nobody looks at.
fn guarded(job: &str) -> String {
    let more = "k = 5 }, { model = \"distinct-l-diversity\", attribute = \"illness\", l = 2 }";
    job.replace("k = 5 }", more)
}

/// The same, with a table as its result.
fn into_table(job: &str) -> String {
    guarded(job).replace("path = \"release\"\n", "path = \"release\"\ntable = \"released\"\n")
}

#[test]
fn the_table_has_the_rows_of_the_file_and_the_verifier_counts_it() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    let proxy = Proxy::start(server.port, usize::MAX);
    let url = format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port);
    fs::write(
        folder.join("file.toml"),
        guarded(&job(&url, "insensitive")).replace("\"release\"", "\"file\""),
    )
    .unwrap();
    done(&run(folder, &["anonymize", "file.toml"]));
    proxy.heard.lock().unwrap().clear();
    fs::write(folder.join("job.toml"), into_table(&job(&url, "insensitive"))).unwrap();
    let told = done(&run(folder, &["anonymize", "job.toml", "--json"]));
    assert!(told.contains("table released"), "{told}");
    for row in 0..50 {
        assert!(
            !proxy.has_heard(&format!("note-{row}-end")),
            "a column that no promise is about crossed the wire"
        );
    }
    let made = server.sql(&database, "COPY (SELECT age, illness, note FROM released ORDER BY age COLLATE \"C\", illness COLLATE \"C\", note COLLATE \"C\") TO STDOUT (FORMAT csv, HEADER)");
    assert_eq!(format!("{made}\n"), fs::read_to_string(folder.join("file/data.csv")).unwrap());
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'"), "0");
    assert!(!folder.join("release/data.csv").exists() && folder.join("release/report.html").exists());

    let address = format!("{url}#released");
    done(&run(folder, &["verify", "release", "--table", &address]));
    let blind = run(folder, &["verify", "release"]);
    assert!(blind.status.code() == Some(4) && stderr(&blind).contains("--table"), "{}", stderr(&blind));
    // One cell that somebody changed.
    server.sql(&database, "UPDATE released SET age = '77' WHERE note = 'note-7-end'");
    let changed = run(folder, &["verify", "release", "--table", &address]);
    assert_eq!(changed.status.code(), Some(1), "{}", super::stdout(&changed));

    // A second time: refused, then replaced.
    assert_eq!(run(folder, &["anonymize", "job.toml"]).status.code(), Some(4));
    done(&run(folder, &["anonymize", "job.toml", "--force"]));
    done(&run(folder, &["verify", "release", "--table", &address]));
}

#[test]
fn a_table_that_cannot_be_made_leaves_nothing() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(&database, "GRANT SELECT ON people TO reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    let tables = || {
        server.sql(
            &database,
            "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
        )
    };
    let failed = |job: &str, words: &str| {
        fs::write(folder.join("job.toml"), job).unwrap();
        let output = paravent(folder)
            .env("PGPASSWORD", "reader's secret")
            .args(["anonymize", "job.toml"])
            .output()
            .unwrap();
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains(words) && !said.contains("-end"), "{said}");
        assert!(!folder.join("release").exists() && !folder.join("release.private").exists());
        assert_eq!(tables(), "1");
    };
    let reader = into_table(&job(&server.url("reader", &database), "insensitive"));
    failed(&reader, "may not make tables in this schema (CREATE)");
    server.sql(&database, &format!("REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC"));
    failed(&reader, "TEMPORARY");
    let trusted = into_table(&job(&server.url("trusted", &database), "insensitive"));
    // Nobody has looked at the notes.
    failed(&trusted.replace("release = \"as it is\"\n", ""), "stay in the database");
    failed(
        &trusted.replace("table = \"released\"", "url = \"postgres://other/db\"\ntable = \"released\""),
        "rows do not travel",
    );
    // The server fails in the middle, with a cell in its words.
    server.sql(
        &database,
        "CREATE FUNCTION spoil() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF tg_tag = 'CREATE TABLE AS' AND (SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent_staged%') > 0 THEN
           RAISE EXCEPTION 'note-7-end' USING ERRCODE = '53100'; END IF; END $$;
         CREATE EVENT TRIGGER spoil ON ddl_command_end EXECUTE FUNCTION spoil()",
    );
    failed(&trusted, "no room left on its disk");
}

#[test]
fn force_replaces_only_tables_that_were_made_here() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(
        &database,
        "CREATE TABLE theirs (age int); CREATE TABLE bare (); CREATE VIEW seen AS SELECT 1 AS age",
    );
    let url = server.url("trusted", &database);
    let released = into_table(&job(&url, "insensitive"));
    // The table of people itself, by two of its names, and tables of others.
    for taken in ["people", "public.people", "theirs", "bare", "seen"] {
        fs::write(folder.join("job.toml"), released.replace("\"released\"", &format!("\"{taken}\"")))
            .unwrap();
        let output = run(folder, &["anonymize", "job.toml", "--force"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(&format!("the table {taken} was not made by paravent")), "{said}");
        assert!(!folder.join("release").exists() && !folder.join("release.private").exists());
    }
    let address = format!("{url}#people");
    let noise = ["noise", &address, "--column", "illness=0.5:uniform('illness-1', 'illness-2')"];
    fs::write(folder.join("slice.toml"), released.replace("max_level = 0\n", "release = \"as it is\"\n"))
        .unwrap();
    let slice = ["slice", &address, "--job", "slice.toml", "--groups", "age;note", "--bucket", "10"];
    for draw in [&noise[..], &slice[..]] {
        let into = ["--row-key", "name", "--into", "people", "--force"];
        let output = run(folder, &[draw, &into].concat());
        assert!(stderr(&output).contains("was not made by paravent"), "{}", stderr(&output));
    }
    let all = "SELECT count(*) || ' ' || count(DISTINCT name) FROM people";
    assert_eq!(server.sql(&database, all), "51 51");
    assert_eq!(
        server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname IN ('theirs', 'bare', 'seen')"),
        "3"
    );
    // One that was made here goes, until somebody puts another one in its place.
    fs::write(folder.join("job.toml"), released).unwrap();
    done(&run(folder, &["anonymize", "job.toml"]));
    done(&run(folder, &["anonymize", "job.toml", "--force"]));
    server.sql(&database, "DROP TABLE released; CREATE TABLE released AS SELECT 'mine' AS whose");
    assert_eq!(run(folder, &["anonymize", "job.toml", "--force"]).status.code(), Some(4));
    assert_eq!(server.sql(&database, "SELECT whose FROM released"), "mine");
}

//! What goes wrong gives a clear error, leaves nothing behind and shows no cell.

use super::program::failed;
use super::server::{Server, programs, server};
use super::wire::{Proxy, job, write_table};
use super::{done, paravent, run, stderr};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn tables(server: &Server, database: &str) -> String {
    server.sql(
        database,
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace \
         WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema')",
    )
}

/// Waits until a session of the program is busy with a statement.
pub fn await_busy(server: &Server, database: &str) {
    let begin = Instant::now();
    let asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'paravent' AND state = 'active' AND datname = current_database()";
    while server.sql(database, asked) == "0" {
        assert!(begin.elapsed() < Duration::from_secs(60), "the program does not get to work");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn doors_that_do_not_open() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    let check = |url: &str| {
        fs::write(folder.join("job.toml"), job(url, "insensitive")).unwrap();
        run(folder, &["anonymize", "job.toml"])
    };
    failed(folder, &check("postgres://reader@127.0.0.1:1/x"), 4, "nobody answers");
    failed(folder, &check(&server.url("reader", &database)), 4, "PGPASSWORD");
    failed(folder, &check(&server.url("trusted", "nowhere")), 4, "no such database");
    failed(
        folder,
        &check(&server.url("reader:secret", &database)),
        2,
        "password does not belong into an address",
    );
    failed(
        folder,
        &check(&format!("{}?sslmode=require", server.url("trusted", &database))),
        4,
        "verify-full",
    );
    failed(
        folder,
        &check(&format!("{}?sslmode=verify-full", server.url("trusted", &database))),
        4,
        "does not encrypt",
    );
    fs::write(folder.join("job.toml"), job(&server.url("reader", &database), "insensitive")).unwrap();
    let with = |password: &str| {
        paravent(folder).env("PGPASSWORD", password).args(["anonymize", "job.toml"]).output().unwrap()
    };
    failed(folder, &with("wrong"), 4, "the password is wrong");
    // The right password, and no privilege.
    failed(folder, &with("reader's secret"), 4, "may not read these columns");
    let missing = job(&server.url("trusted", &database), "insensitive")
        .replace("table = \"people\"", "table = \"elsewhere\"");
    fs::write(folder.join("job.toml"), missing).unwrap();
    failed(folder, &run(folder, &["anonymize", "job.toml"]), 4, "there is no table elsewhere");
}

#[test]
fn a_pass_file_and_the_privilege_for_a_few_columns_are_enough() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(&database, "GRANT SELECT (age, illness) ON people TO reader");
    let job = job(&server.url("reader", &database), "identifying").replace("release = \"as it is\"\n", "");
    let job = job.replace("[[attributes]]\nname = \"note\"\nrole = \"identifying\"\n", "");
    fs::write(folder.join("job.toml"), job).unwrap();
    let pass = folder.join(".pgpass");
    fs::write(&pass, format!("127.0.0.1:{}:{database}:reader:reader's secret\n", server.port)).unwrap();
    let allow =
        |mode| fs::set_permissions(&pass, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    allow(0o644);
    failed(folder, &run(folder, &["anonymize", "job.toml"]), 4, "can be read by others");
    allow(0o600);
    done(&run(folder, &["anonymize", "job.toml"]));
    let data = fs::read_to_string(folder.join("release/data.csv")).unwrap();
    assert!(data.starts_with("age,illness\n31,") && data.lines().count() == 51, "{data}");
}

#[test]
fn a_lost_connection_and_a_killed_backend_leave_nothing() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    for cut_after in [0, 400, 700, 1500] {
        let proxy = Proxy::start(server.port, cut_after);
        fs::write(
            folder.join("job.toml"),
            job(&format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port), "insensitive"),
        )
        .unwrap();
        failed(folder, &run(folder, &["anonymize", "job.toml"]), 4, "the connection was lost");
    }
    server.sql(
        &database,
        "ALTER TABLE people RENAME TO quick; CREATE VIEW people AS SELECT quick.* FROM quick, (SELECT pg_sleep(20)) AS slow",
    );
    fs::write(folder.join("job.toml"), job(&server.url("trusted", &database), "insensitive")).unwrap();
    let child = paravent(folder)
        .args(["anonymize", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_busy(&server, &database);
    server.sql(&database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paravent' AND datname = current_database()");
    failed(folder, &child.wait_with_output().unwrap(), 4, "the server ended the run (57P01)");
    assert_eq!(tables(&server, &database), "quick");
}

#[test]
fn an_interrupt_ends_the_statement_too() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(
        &database,
        "ALTER TABLE people RENAME TO quick; CREATE VIEW people AS SELECT quick.* FROM quick, (SELECT pg_sleep(300)) AS slow",
    );
    fs::write(folder.join("job.toml"), job(&server.url("trusted", &database), "insensitive")).unwrap();
    let child = paravent(folder)
        .args(["anonymize", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_busy(&server, &database);
    let asked = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    failed(folder, &child.wait_with_output().unwrap(), 130, "nothing was written");
    let begin = Instant::now();
    let busy = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'paravent' AND datname = current_database()";
    while server.sql(&database, busy) != "0" {
        assert!(begin.elapsed() < Duration::from_secs(60), "the statement goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn locks_time_limits_and_errors_that_quote_cells() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    let url = server.url("trusted", &database);
    let with = |options: &str| {
        fs::write(folder.join("job.toml"), job(&format!("{url}?options={options}"), "insensitive")).unwrap();
        run(folder, &["anonymize", "job.toml"])
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            server.sql(
                &database,
                "BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT",
            )
        });
        let held = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'people'::regclass";
        while server
            .sql("postgres", &format!("SELECT count(*) FROM pg_database WHERE datname = '{database}'"))
            == "1"
            && server.sql(&database, held) == "0"
        {}
        failed(folder, &with("-c%20lock_timeout%3D200ms"), 4, "a lock was not granted in time");
    });
    // A function that fails with a cell in its words.
    server.sql(
        &database,
        "ALTER TABLE people RENAME TO raw;
         CREATE FUNCTION spoil(illness text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cell %', illness USING ERRCODE = '53100', DETAIL = illness; END $$;
         CREATE VIEW people AS SELECT name, age, spoil(illness) AS illness, note FROM raw",
    );
    failed(folder, &with(""), 4, "no room left on its disk");
    server.sql(&database, "CREATE OR REPLACE VIEW people AS SELECT name, age, coalesce(illness, pg_sleep(5)::text) || pg_sleep(1)::text AS illness, note FROM raw");
    failed(folder, &with("-c%20statement_timeout%3D300ms"), 4, "longer than the server allows");
    assert_eq!(tables(&server, &database), "raw");
}

#[test]
fn types_that_cannot_be_carried_are_named_where_they_are_needed() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(&database, "ALTER TABLE people ADD COLUMN place point; ALTER TABLE people ALTER COLUMN illness TYPE text[] USING ARRAY[illness]");
    let url = server.url("trusted", &database);
    fs::write(folder.join("job.toml"), job(&url, "insensitive")).unwrap();
    failed(folder, &run(folder, &["anonymize", "job.toml"]), 4, "column illness has the type _text");
    // Not in the job, so nobody asks for it.
    server.sql(&database, "ALTER TABLE people ALTER COLUMN illness TYPE text USING illness[1]");
    done(&run(folder, &["anonymize", "job.toml"]));
}

#[test]
fn texts_that_a_collation_holds_to_be_equal_stay_different() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let made = server.psql(
        &database,
        "CREATE COLLATION whatever (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         CREATE TABLE people (age text COLLATE whatever, note text COLLATE whatever);
         INSERT INTO people SELECT (ARRAY['ab', 'AB', 'Ab'])[1 + n % 3], (ARRAY['x', 'X'])[1 + n % 2] FROM generate_series(1, 30) n",
    );
    if !made.status.success() {
        // A PostgreSQL without ICU has no such collation.
        return;
    }
    let job = job(&server.url("trusted", &database), "insensitive");
    let job = job.replace("[[attributes]]\nname = \"name\"\nrole = \"identifying\"\n", "");
    let job = job.replace("[[attributes]]\nname = \"illness\"\nrole = \"sensitive\"\n", "");
    fs::write(folder.join("job.toml"), job).unwrap();
    done(&run(folder, &["anonymize", "job.toml"]));
    let data = fs::read_to_string(folder.join("release/data.csv")).unwrap();
    for row in ["ab,x", "ab,X", "AB,x", "AB,X", "Ab,x", "Ab,X"] {
        assert_eq!(data.lines().filter(|line| *line == row).count(), 5, "{data}");
    }
}

#[test]
fn a_server_that_dies_is_a_lost_connection() {
    let Some(programs) = programs() else { return };
    let server = Server::start(programs, &[], &[]);
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(
        &database,
        "ALTER TABLE people RENAME TO quick; CREATE VIEW people AS SELECT quick.* FROM quick, (SELECT pg_sleep(20)) AS slow",
    );
    fs::write(folder.join("job.toml"), job(&server.url("trusted", &database), "insensitive")).unwrap();
    let child = paravent(folder)
        .args(["anonymize", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_busy(&server, &database);
    let killed = std::process::Command::new("kill").args(["-QUIT", &server.pid()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("the server ended the run") || said.contains("the connection was lost"), "{said}");
    failed(folder, &output, 4, "nothing was written");
}

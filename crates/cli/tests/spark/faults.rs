//! What goes wrong gives a clear error, leaves nothing behind and shows no cell.

use super::program::failed;
use super::proxy::Proxy;
use super::server::{Server, program, server, url};
use super::wire::write_table;
use super::{done, paravent, run, small};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A folder with the small table and a job about it.
struct Prepared {
    folder: tempfile::TempDir,
    file: PathBuf,
    table: String,
}

impl Prepared {
    fn new() -> Prepared {
        let folder = tempfile::tempdir().unwrap();
        let (file, table) = write_table(folder.path());
        Prepared { folder, file, table }
    }

    /// With the table in a folder of this name.
    fn below(name: &str) -> Prepared {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(name)).unwrap();
        let (file, table) = write_table(&folder.path().join(name));
        Prepared { folder, file, table }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the job for this address.
    fn job(&self, url: &str) -> &Path {
        fs::write(self.path().join("job.toml"), small::job(url, &self.table, "insensitive")).unwrap();
        self.path()
    }

    fn anonymize(&self, url: &str) -> std::process::Output {
        run(self.job(url), &["anonymize", "job.toml"])
    }
}

#[test]
fn doors_that_do_not_open() {
    let Some(server) = server() else { return };
    let mut here = Prepared::new();
    let folder = here.path().to_owned();
    failed(&folder, &here.anonymize("sc://127.0.0.1:1"), 4, "nobody answers");
    let with = |more: &str| here.anonymize(&format!("{};{more}", server.url()));
    failed(&folder, &with("token=secret"), 2, "a token does not belong into an address");
    failed(&folder, &with("use_ssl=perhaps"), 4, "use_ssl must be");
    failed(&folder, &with("session_id=7"), 4, "leave session_id out");
    failed(&folder, &with("use_ssl=true"), 4, "does not encrypt");
    // Nobody gets a token in clear but this machine.
    let token = |variable: &str, value: &str, url: &str| {
        paravent(here.job(url)).env(variable, value).args(["anonymize", "job.toml"]).output().unwrap()
    };
    let said = token("SPARK_CONNECT_AUTHENTICATE_TOKEN", "secret", "sc://192.0.2.1:1/;use_ssl=false");
    failed(&folder, &said, 4, "over encrypted connections only");
    let file = folder.join("token");
    fs::write(&file, "secret\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let path = file.to_str().unwrap().to_owned();
    failed(&folder, &token("SPARK_CONNECT_TOKEN_FILE", &path, &server.url()), 4, "can be read by others");
    failed(&folder, &token("SPARK_CONNECT_TOKEN_FILE", "/nowhere", &server.url()), 4, "cannot be read");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    done(&token("SPARK_CONNECT_TOKEN_FILE", &path, &server.url()));
    fs::remove_dir_all(folder.join("release")).unwrap();
    fs::remove_dir_all(folder.join("release.private")).unwrap();
    // On the command line as well.
    let said = run(&folder, &["risk", &format!("{};token=secret#t", server.url()), "--job", "job.toml"]);
    failed(&folder, &said, 2, "a token does not belong into an address");
    for missing in ["nowhere", "study.nowhere", "parquet:/nowhere/at.all"] {
        here.table = missing.to_owned();
        failed(&folder, &here.anonymize(&server.url()), 4, &format!("there is no table {missing}"));
    }
}

#[test]
fn what_is_no_spark_is_told() {
    let here = Prepared::new();
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in door.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut &client, b"220 mail.example ready\r\n");
        }
    });
    let said = here.anonymize(&format!("sc://127.0.0.1:{port}"));
    failed(here.path(), &said, 4, "the connection was lost; nothing was written");
}

#[test]
fn a_result_that_cannot_get_its_name_is_refused_before_anything_is_made() {
    let Some(server) = server() else { return };
    let here = Prepared::new();
    let more = "k = 5 }, { model = \"distinct-l-diversity\", attribute = \"illness\", l = 2 }";
    let job = small::job(&server.url(), &here.table, "insensitive").replace("k = 5 }", more);
    let job = job.replace("path = \"release\"\n", "path = \"release\"\ntable = \"released\"\n");
    fs::write(here.path().join("job.toml"), job).unwrap();
    failed(here.path(), &run(here.path(), &["anonymize", "job.toml"]), 4, "cannot give a table its name");
    assert_eq!(server.stored(), Vec::<String>::new());
}

#[test]
fn a_lost_connection_leaves_nothing() {
    let Some(server) = server() else { return };
    let here = Prepared::new();
    for cut_after in [0, 200] {
        let proxy = Proxy::start(server.port, cut_after);
        let output = here.anonymize(&url(proxy.port));
        failed(here.path(), &output, 4, "the connection was lost; nothing was written");
    }
}

#[test]
fn a_server_that_dies_is_a_lost_connection() {
    let Some(program) = program() else { return };
    let here = Prepared::new();
    for killed_after in [2500, 6000] {
        let server = Arc::new(Server::start(&program));
        let mortal = server.clone();
        let mut is_alive = true;
        let proxy = Proxy::watching(server.port, move |_, passed| {
            let was_alive = is_alive;
            is_alive &= passed < killed_after;
            if was_alive && !is_alive {
                mortal.kill();
            }
            is_alive
        });
        failed(here.path(), &here.anonymize(&url(proxy.port)), 4, "the connection was lost");
    }
}

#[test]
fn files_that_change_in_between_end_the_run() {
    let Some(server) = server() else { return };
    changed_in_between(&server, &Prepared::new());
}

/// Files are known by their sizes and times also where an address would write their names otherwise.
#[test]
fn files_in_folders_with_odd_names_are_seen_to_change() {
    let Some(server) = server() else { return };
    for name in ["people of 2024", "a%20b", "ä+b"] {
        changed_in_between(&server, &Prepared::below(name));
    }
}

fn changed_in_between(server: &Server, here: &Prepared) {
    done(&here.anonymize(&server.url()));
    let whole = fs::read(here.path().join("release/data.csv")).unwrap();
    let (mut ended, mut finished) = (0, 0);
    for changed_after in [1000, 4000, 8000, 12_000, 16_000, 32_000, 64_000, 128_000] {
        for name in ["release", "release.private"] {
            let _ = fs::remove_dir_all(here.path().join(name));
        }
        write_table(here.file.parent().unwrap());
        let file = here.file.clone();
        let mut is_changed = false;
        let proxy = Proxy::watching(server.port, move |_, passed| {
            if passed >= changed_after && !std::mem::replace(&mut is_changed, true) {
                // Other people, as many of them in as many classes.
                let csv = file.with_extension("csv");
                fs::write(&csv, small::fifty_people().replace(",42,", ",43,")).unwrap();
                super::lake::to_parquet(&csv, &file, &[("age", arrow::datatypes::DataType::Int32)]);
            }
            true
        });
        let output = here.anonymize(&url(proxy.port));
        if output.status.success() {
            // All of it is about one state: the one before, or the one after.
            let data = fs::read_to_string(here.path().join("release/data.csv")).unwrap();
            let other = String::from_utf8(whole.clone()).unwrap().replace("42,", "43,");
            assert!(data.as_bytes() == whole || data == other, "{changed_after}: {data}");
            finished += 1;
        } else {
            failed(here.path(), &output, 4, "nothing was written");
            ended += 1;
        }
    }
    assert!(ended > 0 && finished > 0, "{ended} runs ended, {finished} did not");
}

#[test]
fn an_interrupt_ends_the_run() {
    let Some(server) = server() else { return };
    let here = Prepared::new();
    let (tell, told) = std::sync::mpsc::channel();
    let proxy = Proxy::watching(server.port, move |_, passed| {
        if passed > 3000 {
            let _ = tell.send(());
            std::thread::sleep(Duration::from_secs(20));
        }
        true
    });
    let child = paravent(here.job(&url(proxy.port)))
        .args(["anonymize", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    told.recv().unwrap();
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    failed(here.path(), &child.wait_with_output().unwrap(), 130, "nothing was written");
}

#[test]
fn types_that_cannot_be_carried_are_named_where_they_are_needed() {
    use arrow::array::{ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray};
    let Some(server) = server() else { return };
    let here = Prepared::new();
    let ages: ArrayRef = Arc::new(Int32Array::from(vec![31; 20]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x"; 20]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"illness-1"; 20]));
    let columns = |illness: ArrayRef| {
        let columns =
            [("name", texts.clone()), ("age", ages.clone()), ("illness", illness), ("note", texts.clone())];
        RecordBatch::try_from_iter(columns.into_iter().chain([("photo", bytes.clone())])).unwrap()
    };
    super::lake::write(&columns(bytes.clone()), &here.file);
    failed(here.path(), &here.anonymize(&server.url()), 4, "column illness has the type binary");
    // Not in the job, so nobody asks for it.
    super::lake::write(&columns(texts.clone()), &here.file);
    done(&here.anonymize(&server.url()));
}

//! Apache Spark itself: a driver, and two executors of which one dies. `.ci/spark` runs these.

use super::cases::{Dice, ILLNESSES, job, same_release, table};
use super::lake::{self, to_folder};
use super::program::failed;
use super::wire::write_table;
use super::{done, paravent, run, small};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TOKEN: &str = "secret of this test";

/// A server of its own, which ends with the test.
struct Spark {
    folder: TempDir,
    driver: Child,
    port: u16,
}

impl Spark {
    fn start() -> Spark {
        let home = std::env::var_os("SPARK_HOME").map(PathBuf::from);
        let home = home.expect("SPARK_HOME names no installation; run .ci/spark");
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let driver = Command::new(home.join("bin/spark-submit"))
            .args(["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"])
            .args(["--master", "local-cluster[2,1,1024]"])
            .args(["--conf", "spark.connect.grpc.binding.address=127.0.0.1"])
            .args(["--conf", &format!("spark.connect.grpc.binding.port={port}")])
            .args(["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=4"])
            .arg("spark-internal")
            .env("SPARK_HOME", &home)
            .env("SPARK_WORKER_DIR", folder.path().join("work"))
            .env("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let spark = Spark { folder, driver, port };
        spark.wait_for("two executors", || spark.executors().len() == 2);
        spark.wait_for("a door", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        spark
    }

    fn wait_for(&self, what: &str, is_there: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_there() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begin.elapsed() < Duration::from_secs(300), "{what} does not come: {log}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn url(&self) -> String {
        super::server::url(self.port)
    }

    /// The numbers of its executors: children of the driver.
    fn executors(&self) -> Vec<u32> {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |number: &u32| {
            let read = |file: &str| fs::read_to_string(format!("/proc/{number}/{file}")).unwrap_or_default();
            let status = read("status");
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
            parent.is_some_and(|parent| parent.trim() == self.driver.id().to_string())
                && read("cmdline").contains("CoarseGrainedExecutorBackend")
        };
        numbers.filter(is_ours).collect()
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        paravent(folder).env("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN).args(arguments).output().unwrap()
    }

    /// What is left in its store.
    fn stored(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("spark-warehouse")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }
}

fn kill(number: u32) {
    assert!(Command::new("kill").args(["-KILL", &number.to_string()]).status().unwrap().success());
}

impl Drop for Spark {
    fn drop(&mut self) {
        let executors = self.executors();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        for number in executors {
            let _ = Command::new("kill").args(["-KILL", &number.to_string()]).status();
        }
    }
}

#[test]
#[ignore = "needs Apache Spark and minutes: .ci/spark"]
fn jobs_on_apache_spark() {
    let spark = Spark::start();
    doors(&spark);
    twins(&spark);
    result_as_table(&spark);
    killed_executor(&spark);
    killed_driver(spark);
}

/// The token is looked at, and a table that is missing is told.
fn doors(spark: &Spark) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, table) = write_table(folder);
    fs::write(folder.join("job.toml"), small::job(&spark.url(), &table, "insensitive")).unwrap();
    failed(folder, &run(folder, &["anonymize", "job.toml"]), 4, "the token is wrong, or there is none");
    let wrong = paravent(folder)
        .env("SPARK_CONNECT_AUTHENTICATE_TOKEN", "another secret")
        .args(["anonymize", "job.toml"])
        .output()
        .unwrap();
    failed(folder, &wrong, 4, "the token is wrong");
    for missing in ["nowhere", "spark_catalog.default.nowhere", "parquet:/nowhere/at.all"] {
        fs::write(folder.join("job.toml"), small::job(&spark.url(), missing, "insensitive")).unwrap();
        failed(
            folder,
            &spark.run(folder, &["anonymize", "job.toml"]),
            4,
            &format!("there is no table {missing}"),
        );
    }
    eprintln!("doors: as they should be");
}

fn twins(spark: &Spark) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let types = lake::types_of_cases();
    let mut dice = Dice(43);
    let mut released = 0;
    for case in 0..13 {
        let rows = 30 + dice.roll(60);
        fs::write(folder.join("table.csv"), table(&mut dice, rows)).unwrap();
        fs::write(folder.join("illness.csv"), ILLNESSES).unwrap();
        let _ = fs::remove_dir_all(folder.join("lake"));
        to_folder(&folder.join("table.csv"), &folder.join("lake"), &types, 3);
        let there =
            format!("url = \"{}\"\ntable = \"parquet:{}\"", spark.url(), folder.join("lake").display());
        let token = [("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN)];
        let job = job(&mut dice, case);
        released += usize::from(same_release(folder, case, &job, ["path = \"table.csv\"", &there], &token));
    }
    assert!(released > 5, "only {released} cases have a solution");
    eprintln!("twins: {released} releases are the same, byte for byte");
}

/// Made, counted there by the verifier, renamed; refused and replaced; nothing beside it.
fn result_as_table(spark: &Spark) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, table) = write_table(folder);
    let more = "k = 5 }, { model = \"distinct-l-diversity\", attribute = \"illness\", l = 2 }";
    let file = small::job(&spark.url(), &table, "insensitive").replace("k = 5 }", more);
    fs::write(folder.join("file.toml"), file.replace("\"release\"", "\"file\"")).unwrap();
    done(&spark.run(folder, &["anonymize", "file.toml"]));
    let job = file.replace("path = \"release\"\n", "path = \"release\"\ntable = \"released\"\n");
    fs::write(folder.join("job.toml"), job).unwrap();
    done(&spark.run(folder, &["anonymize", "job.toml"]));
    assert!(!folder.join("release/data.csv").exists() && folder.join("release/report.html").exists());
    assert_eq!(spark.stored(), ["released"]);
    let address = format!("{}#released", spark.url());
    done(&spark.run(folder, &["verify", "release", "--table", &address]));
    assert_eq!(
        spark.run(folder, &["anonymize", "job.toml"]).status.code(),
        Some(4),
        "the table is there already"
    );
    assert_eq!(spark.stored(), ["released"]);
    done(&spark.run(folder, &["anonymize", "job.toml", "--force"]));
    done(&spark.run(folder, &["verify", "release", "--table", &address]));
    assert_eq!(spark.stored(), ["released"]);
    // The rows are those of the file: the table is an input like any other.
    let again = format!(
        "version = 1\n[input]\nurl = \"{}\"\ntable = \"released\"\n[[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\nmax_level = 0\n\
         [[attributes]]\nname = \"illness\"\nrole = \"sensitive\"\n[[attributes]]\nname = \"note\"\nrole = \"insensitive\"\nrelease = \"as it is\"\n\
         [privacy]\nmodels = [ {{ model = \"k-anonymity\", k = 5 }} ]\n[output]\npath = \"again\"\nregister = false\n",
        spark.url()
    );
    fs::write(folder.join("again.toml"), again).unwrap();
    done(&spark.run(folder, &["anonymize", "again.toml"]));
    let read = |name: &str| fs::read_to_string(folder.join(name).join("data.csv")).unwrap();
    assert_eq!(read("again"), read("file"));
    eprintln!("a result as a table: made, counted, renamed, replaced");
}

/// A large table, and an executor that dies while it is counted.
fn killed_executor(spark: &Spark) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    done(&run(folder, &["bench", "--generate", "adult,rows=3000000", "--write", "large", "--quiet"]));
    let large = folder.join("large");
    let job = fs::read_to_string(large.join("paravent.toml")).unwrap();
    let there = format!("url = \"{}\"\ntable = \"parquet:{}\"", spark.url(), large.join("table").display());
    fs::write(large.join("spark.toml"), job.replacen("path = \"table\"", &there, 1)).unwrap();
    let anonymize = |output: &str, job: &str| {
        let mut command = paravent(&large);
        command.env("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN).stdout(Stdio::null()).stderr(Stdio::piped());
        command.args(["anonymize", job, "--output", output, "--quiet"]).spawn().unwrap()
    };
    let begin = Instant::now();
    let before = spark.executors();
    let mut child = anonymize("there", "spark.toml");
    // Tasks run when an executor's processor time grows; then one of them goes.
    let victim = before[0];
    let time = |number: u32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        stat.split(' ').nth(13).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or_default()
    };
    let idle = time(victim);
    spark.wait_for("a busy executor", || time(victim) > idle + 100);
    kill(victim);
    let killed = begin.elapsed();
    assert!(child.try_wait().unwrap().is_none(), "the run was over before the executor was killed");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = begin.elapsed();
    spark.wait_for("a new executor", || {
        let now = spark.executors();
        now.len() == 2 && !now.contains(&victim)
    });
    assert!(anonymize("here", "paravent.toml").wait().unwrap().success());
    let read = |name: &str| fs::read(large.join(name).join("data.parquet")).unwrap();
    assert!(read("there") == read("here"), "the releases differ");
    eprintln!(
        "an executor was killed after {killed:.1?}; the run took {whole:.1?}, and its release is the embedded one"
    );
}

/// A driver that dies in the middle of a run.
fn killed_driver(mut spark: Spark) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, table) = write_table(folder);
    let port = spark.port;
    let number = spark.driver.id();
    let mut is_alive = true;
    let proxy = super::proxy::Proxy::watching(port, move |_, passed| {
        let was_alive = is_alive;
        is_alive &= passed < 4000;
        if was_alive && !is_alive {
            kill(number);
        }
        is_alive
    });
    let job = small::job(&super::server::url(proxy.port), &table, "insensitive");
    fs::write(folder.join("job.toml"), job).unwrap();
    failed(folder, &spark.run(folder, &["anonymize", "job.toml"]), 4, "the connection was lost");
    let _ = spark.driver.wait();
    eprintln!("a killed driver is a lost connection");
}

//! A PostgreSQL of the tests' own: made with `initdb` as an ordinary user, on this machine only, gone at the end.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Whoever runs the tests as root starts the server as nobody.
const NOBODY: u32 = 65534;

pub struct Server {
    folder: TempDir,
    keeper: Child,
    pub port: u16,
    programs: PathBuf,
    databases: Mutex<u32>,
}

static RUNNING: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// The server that all tests of this run share; `None` where PostgreSQL is not installed and nobody insists.
pub fn server() -> Option<Arc<Server>> {
    let mut running = RUNNING.lock().unwrap_or_else(|error| error.into_inner());
    if let Some(server) = running.upgrade() {
        return Some(server);
    }
    let Some(programs) = programs() else {
        assert!(
            std::env::var_os("PARAVENT_ENGINES").is_none(),
            "PostgreSQL is not installed, and PARAVENT_ENGINES insists"
        );
        eprintln!("skipped: PostgreSQL is not installed");
        return None;
    };
    let server = Arc::new(Server::start(programs, &[], &[]));
    *running = Arc::downgrade(&server);
    Some(server)
}

/// Where `initdb` and `postgres` are.
pub fn programs() -> Option<PathBuf> {
    let has_both = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("postgres").exists();
    let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    packaged.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    packaged.into_iter().rev().chain(std::env::split_paths(&path)).find(has_both)
}

impl Server {
    /// With these settings, and these files beside its data.
    pub fn start(programs: PathBuf, settings: &[(&str, &str)], files: &[(&str, String)]) -> Server {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let is_root =
            fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(folder.path().join("password"), "owner's secret").unwrap();
        if is_root {
            chown(&data, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let ordinary = |program: &Path| {
            let mut command = Command::new(program);
            command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        };
        let made = ordinary(&programs.join("initdb"))
            .args([
                "-U",
                "owner",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "-A",
                "scram-sha-256",
                "--pwfile",
            ])
            .arg(folder.path().join("password"))
            .arg("-D")
            .arg(&data)
            .status()
            .unwrap();
        assert!(made.success(), "initdb");
        let doors = "host all trusted 127.0.0.1/32 trust\nhostssl all all 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n";
        fs::write(data.join("pg_hba.conf"), doors).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut settings_text = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nfsync = off\nlog_statement = 'all'\n\
             logging_collector = off\nmax_connections = 40\nshared_buffers = 32MB\n"
        );
        for (name, value) in settings {
            settings_text += &format!("{name} = '{value}'\n");
        }
        let mut conf = fs::OpenOptions::new().append(true).open(data.join("postgresql.conf")).unwrap();
        conf.write_all(settings_text.as_bytes()).unwrap();
        for (name, text) in files {
            let path = data.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            if is_root {
                chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        // When this process ends, however it does, its end of the pipe closes, and the server goes.
        let script = format!(
            "'{}' -D '{}' >'{}/log' 2>&1 & server=$!; cat >/dev/null; kill -QUIT $server; wait",
            programs.join("postgres").display(),
            data.display(),
            data.display(),
        );
        let keeper = ordinary(Path::new("sh")).args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        let server = Server { folder, keeper, port, programs, databases: Mutex::new(0) };
        server.await_start();
        server.sql(
            "postgres",
            "CREATE ROLE trusted SUPERUSER LOGIN; CREATE ROLE reader LOGIN PASSWORD 'reader''s secret'",
        );
        server
    }

    fn await_start(&self) {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok()
                && self.psql("postgres", "SELECT 1").status.success()
            {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not start: {}", fs::read_to_string(self.log()).unwrap_or_default());
    }

    /// What the server has written down, statements included.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("data/log")
    }

    /// The number of the server's first process.
    pub fn pid(&self) -> String {
        let file = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        file.lines().next().unwrap().to_owned()
    }

    /// A new, empty database.
    pub fn database(&self) -> String {
        let mut number = self.databases.lock().unwrap_or_else(|error| error.into_inner());
        *number += 1;
        let name = format!("registry{number}");
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        name
    }

    /// The address of a database, without a table.
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/{database}", self.port)
    }

    pub fn psql(&self, database: &str, statements: &str) -> Output {
        let mut child = Command::new(self.programs.join("psql"))
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "owner", "-d", database])
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
            .env("PGPASSWORD", "owner's secret")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Runs statements as the owner.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let told = self.psql(database, statements);
        assert!(told.status.success(), "{statements}: {}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8(told.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

//! A ward with its policy, users and a running server.

use crate::ward::{JOB, POLICY, Ward, rows};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub const PASSWORD: &str = "a password of nobody";

/// What a client got.
pub struct Told {
    pub out: String,
    pub err: String,
    pub code: i32,
}

impl From<Output> for Told {
    fn from(output: Output) -> Told {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Told { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap_or(-1) }
    }
}

pub struct Place {
    ward: Ward,
    server: Option<Child>,
    pub port: u16,
}

/// Where a program of PostgreSQL is.
pub fn program(name: &str) -> PathBuf {
    let mut folders: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    folders.sort();
    let packaged = folders.into_iter().rev().map(|folder| folder.join(name)).find(|path| path.exists());
    packaged.unwrap_or_else(|| PathBuf::from(name))
}

/// Whether psql is there; who insists on engines insists on it.
pub fn has_clients() -> bool {
    let there =
        Command::new(program("psql")).arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(
        there || std::env::var_os("PARAVENT_ENGINES").is_none(),
        "psql is not installed, and PARAVENT_ENGINES insists"
    );
    there
}

impl Place {
    /// With the users ada and bob of the two recipients of one group, and a server.
    pub fn new() -> Place {
        let mut place = Place::without_server(POLICY);
        place.serve(&["--grid", "0"]);
        place
    }

    pub fn without_server(policy: &str) -> Place {
        let place = Place { ward: Ward::with(policy, &rows(1_000)), server: None, port: 0 };
        fs::write(place.path("policy.toml"), policy).unwrap();
        fs::write(place.path("patients.toml"), JOB).unwrap();
        for (name, role) in [("ada", "research"), ("bob", "students")] {
            let told = place.command(&["user", "add", "policy.toml", name, "--role", role], PASSWORD);
            assert_eq!(told.code, 0, "{}", told.err);
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.ward.folder.path()
    }

    pub fn paid(&self) -> usize {
        self.ward.paid()
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_paravent"));
        command.current_dir(self.folder()).env("NO_COLOR", "1");
        command
    }

    /// Runs a command of the program.
    pub fn command(&self, arguments: &[&str], input: &str) -> Told {
        let mut child = self
            .program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = writeln!(child.stdin.take().unwrap(), "{input}");
        child.wait_with_output().unwrap().into()
    }

    /// Starts the server and learns its port.
    pub fn serve(&mut self, options: &[&str]) {
        let mut command = self.program();
        command.args(["serve", "policy.toml", "--listen", "127.0.0.1:0"]).args(options);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let port = line
            .split("127.0.0.1:")
            .nth(1)
            .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        self.port = port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        // Somebody has to read on, or the server's log would block.
        std::thread::spawn(move || {
            log.lines().map_while(Result::ok).for_each(|line| eprintln!("server: {line}"))
        });
        self.server = Some(child);
    }

    /// Asks the server to stop, and gives its exit code.
    pub fn stop(&mut self) -> i32 {
        let mut child = self.server.take().unwrap();
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGTERM).unwrap();
        child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Ends the server as a power cut would.
    pub fn kill(&mut self) {
        let mut child = self.server.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// How a user connects.
    pub fn connection(&self, user: &str, more: &str) -> String {
        format!("host=127.0.0.1 port={} user={user} dbname=ward-7 connect_timeout=20 {more}", self.port)
    }

    pub fn psql_as(&self, connection: &str, password: &str, input: &str) -> Told {
        let mut child = Command::new(program("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose", connection])
            .env("PGPASSWORD", password)
            .env("HOME", self.folder())
            .env_remove("PGSERVICE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(input.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }

    /// Runs statements as a user, for statistics.
    pub fn psql(&self, user: &str, input: &str) -> Told {
        let connection = self.connection(user, "options='-c paravent.purpose=statistics'");
        self.psql_as(&connection, PASSWORD, input)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(mut child) = self.server.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

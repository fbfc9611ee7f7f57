//! A Sail of the tests' own: started as an ordinary program, on this machine only, gone at the end.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct Server {
    folder: TempDir,
    keeper: Child,
    pub port: u16,
}

static RUNNING: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// The server that all tests of this run share; `None` where Sail is not installed and nobody insists.
pub fn server() -> Option<Arc<Server>> {
    let mut running = RUNNING.lock().unwrap_or_else(|error| error.into_inner());
    if let Some(server) = running.upgrade() {
        return Some(server);
    }
    let server = Arc::new(Server::start(&program()?));
    *running = Arc::downgrade(&server);
    Some(server)
}

/// Where `sail` is: `PARAVENT_SAIL`, else on the path.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("PARAVENT_SAIL").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("sail")).find(|file| file.exists());
    let found = named.or(on_path);
    if found.is_none() {
        assert!(
            std::env::var_os("PARAVENT_ENGINES").is_none(),
            "Sail is not installed (pip install pysail), and PARAVENT_ENGINES insists"
        );
        eprintln!("skipped: Sail is not installed (pip install pysail)");
    }
    found
}

impl Server {
    pub fn start(program: &Path) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // When this process ends, however it does, its end of the pipe closes, and the server goes.
        let script = format!(
            "'{}' spark server --ip 127.0.0.1 --port {port} >log 2>&1 & server=$!; echo $server >pid; cat >/dev/null; kill -KILL $server; wait",
            program.display(),
        );
        let keeper = Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { folder, keeper, port };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = fs::read_to_string(server.folder.path().join("log")).unwrap_or_default();
            assert!(begin.elapsed() < Duration::from_secs(120), "the server does not start: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    /// Its address.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// Ends it at once, without a word.
    pub fn kill(&self) {
        let number = fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let killed = Command::new("kill").args(["-KILL", number.trim()]).status().unwrap();
        assert!(killed.success());
    }

    /// What it has stored: tables that somebody made.
    pub fn stored(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("spark-warehouse")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The address of a server on this machine.
pub fn url(port: u16) -> String {
    format!("sc://127.0.0.1:{port}/;user_id=tester")
}

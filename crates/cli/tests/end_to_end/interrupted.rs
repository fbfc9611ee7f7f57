//! Killed or stopped at any moment: the old release or the new one, never a mixture.

use crate::support::{JOB, Place, table};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROWS: usize = 40_000;

/// A column of its own value per row is read again, recoded and written: the run takes a while in every phase.
fn large() -> Place {
    let job = JOB.replace(
        "[privacy]",
        "[[attributes]]\nname = \"note\"\nrole = \"insensitive\"\nrelease = \"as it is\"\n\n[privacy]",
    );
    let mut text = String::new();
    for (i, line) in table(ROWS).lines().enumerate() {
        let note = if i == 0 { "note".to_owned() } else { format!("note {i}") };
        text.push_str(&format!("{line},{note}\n"));
    }
    Place::with(&job, text)
}

fn hidden(place: &Place) -> Vec<String> {
    place.names().into_iter().filter(|name| name.starts_with('.')).collect()
}

/// A signal to a child.
fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Whether a child has set a handler for signal number 15, termination.
fn listens(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap_or(0) >> 14 & 1 == 1
}

/// A run that waits for its table, with a hang-up ignored or not, whatever this test inherited; once it listens, it gets the signals, and then
/// the table.
fn waiting_run(place: &Place, hangup: &str, signals: &[&str]) -> Option<i32> {
    let mut command = Command::new("env");
    command.args([
        hangup,
        env!("CARGO_BIN_EXE_paravent"),
        "anonymize",
        "paravent.toml",
        "-q",
        "--input",
        "-",
    ]);
    command.current_dir(place.path("")).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    while !listens(&child) {
        assert!(started.elapsed() < Duration::from_secs(60), "no handler was installed");
        std::thread::sleep(Duration::from_millis(10));
    }
    for signal in signals {
        send(&child, signal);
        std::thread::sleep(Duration::from_millis(100));
    }
    let _ = child.stdin.take().unwrap().write_all(&place.bytes("patients.csv"));
    child.wait().unwrap().code()
}

#[cfg(target_os = "linux")]
#[test]
fn signals_are_heard_whatever_was_inherited() {
    let place = Place::with(JOB, table(300));
    for (hangup, signals, code) in [
        ("--default-signal=HUP", &["-HUP"][..], 130),
        ("--default-signal=HUP", &["-TERM"], 130),
        // As under nohup: a hang-up does nothing, a termination stops cleanly.
        ("--ignore-signal=HUP", &["-TERM"], 130),
        ("--ignore-signal=HUP", &["-HUP", "-INT"], 130),
        ("--ignore-signal=HUP", &["-HUP"], 0),
    ] {
        assert_eq!(waiting_run(&place, hangup, signals), Some(code), "{hangup} {signals:?}");
        assert_eq!(place.path("release").exists(), code == 0);
    }
}

/// Kills after a while; tells whether that was before the end.
fn after(mut child: Child, wait: Duration, signal: &str) -> std::process::ExitStatus {
    std::thread::sleep(wait);
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).output().unwrap();
    child.wait().unwrap()
}

#[test]
fn kill_leaves_the_old_release_or_the_new_one() {
    let place = large();
    let started = Instant::now();
    place.anonymize(&["--quiet"]).expect(0);
    let whole = started.elapsed();
    let mut old = place.json("release/manifest.json")["privacy"][0]["required"]["k"].clone();
    let job = place.read("paravent.toml");
    let mut killed = 0;
    for (moment, k) in (4..=14u32).enumerate() {
        place.write("paravent.toml", job.replace("k = 3", &format!("k = {k}")));
        let child = place.command(&["anonymize", "paravent.toml", "--force", "-q"]).spawn().unwrap();
        let status = after(child, whole.mul_f64((moment as f64 + 0.5) / 11.0), "-KILL");
        killed += u32::from(!status.success());
        place.run(&["verify", "release", "-q"]).expect(0);
        let now = place.json("release/manifest.json")["privacy"][0]["required"]["k"].clone();
        assert!(now == old || now == k, "the old release or the new one");
        for name in hidden(&place) {
            let mode = fs::metadata(place.path(&name)).unwrap().permissions().mode() & 0o777;
            // Nobody else may look into what is unfinished, be it a release or the next register; nor into an old release that is about to go.
            assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
        }
        old = now;
    }
    assert!(killed > 0, "no run was killed before its end");
    place.write("paravent.toml", &job);
    place.anonymize(&["--force", "-q"]).expect(0);
    assert_eq!(hidden(&place), [""; 0], "the next run clears away what killed ones left");
}

#[test]
fn an_interrupt_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let place = large();
        let mut stopped = 0;
        let mut wait = Duration::from_millis(60);
        for _ in 0..6 {
            let child = place.command(&["anonymize", "paravent.toml", "-q"]).spawn().unwrap();
            let status = after(child, wait, signal);
            match status.code() {
                Some(0) => {
                    place.run(&["verify", "release", "-q"]).expect(0);
                    fs::remove_dir_all(place.path("release")).unwrap();
                    fs::remove_dir_all(place.path("release.private")).unwrap();
                    fs::remove_file(place.path("paravent-register.jsonl")).unwrap();
                    wait /= 2;
                    continue;
                }
                // Before there was a handler the signal itself ended the program.
                None => {}
                code => {
                    assert_eq!(code, Some(130));
                    stopped += 1;
                }
            }
            assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
            wait = wait.mul_f64(1.7);
        }
        assert!(stopped > 0, "no run was stopped before its end");
    }
}

#[test]
fn a_stopped_run_says_so() {
    let place = large();
    for wait in [150, 100, 50, 25, 12] {
        let child = place.command(&["anonymize", "paravent.toml", "--json"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.code() == Some(130) {
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(document["error"]["kind"], "stopped");
            return;
        }
        let _ = fs::remove_dir_all(place.path("release"));
        let _ = fs::remove_dir_all(place.path("release.private"));
    }
    panic!("no run was stopped");
}

#[cfg(target_os = "linux")]
#[test]
fn a_simulation_ends_at_once() {
    use std::os::unix::process::ExitStatusExt;

    let place = Place::with(JOB, table(ROWS));
    let mut command = Command::new(env!("CARGO_BIN_EXE_paravent"));
    command.args(["party", "simulate", "paravent.toml", "--protocol", "c", "--metric", "nuem", "-q"]);
    command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    let before = place.names();
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert!(!listens(&child), "a flag that nobody looks at while parties compute");
    send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(place.names(), before, "it writes nothing");
}

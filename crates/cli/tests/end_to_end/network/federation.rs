//! Some parties and a helper, each with a folder of its own; three parties unless a test says otherwise.

use crate::support::{JOB, Outcome, Place, patients};
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicU16, Ordering};

use super::proxy::Proxy;
use super::rows;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    Horizontal,
    Vertical,
    /// The first two hold columns of half of the people each, the third others of everybody.
    Hybrid,
}

const HOLDERS: [&str; 5] = ["ann", "ben", "cat", "gil", "ida"];
/// Seconds; a busy machine must not be taken for a dead one.
const CONNECT: &str = "30";

/// What one place would hold.
pub struct Pooled {
    pub job: String,
    pub table: String,
    /// Of the diagnoses, in a file of its own.
    pub hierarchy: Option<String>,
    /// Other files that everybody has.
    pub files: Vec<(String, String)>,
}

/// Rows of a table that three parties share.
pub const HOLDER_ROWS: usize = 240;
/// A party without data.
pub const IDLE: &str = "dan";

/// The file that the job calls the hierarchy of the diagnoses.
pub const HIERARCHY: &str = "diagnosis.csv";

pub struct Federation {
    pub place: Place,
    protocol: String,
    private_keys: bool,
    names: Vec<&'static str>,
    ports: Vec<(String, u16)>,
}

/// A free port outside the range from which outgoing connections get theirs.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let step = NEXT.fetch_add(1, Ordering::SeqCst);
        let port = 11_000 + ((std::process::id() % 300) as u16 * 67 + step) % 20_000;
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Federation {
    /// Everybody has joined and approved; the release of a single place is in `release`.
    pub fn agreed(protocol: &str, split: Split) -> Federation {
        Federation::agreed_on(protocol, split, &[])
    }

    /// The same with more wishes in the invitation.
    pub fn agreed_on(protocol: &str, split: Split, wishes: &[&str]) -> Federation {
        let job = JOB.replace("[output]", "[search]\nmetric = \"nuem\"\nalgorithm = \"flash\"\n\n[output]");
        let pooled = Pooled { job, table: patients(), hierarchy: None, files: Vec::new() };
        Federation::of(&pooled, protocol, split, wishes)
    }

    /// The same with another job and table.
    pub fn of(pooled: &Pooled, protocol: &str, split: Split, wishes: &[&str]) -> Federation {
        // Two that hold data, with a third that holds none; else three.
        let holders = if wishes.contains(&"--without-data") { 2 } else { 3 };
        let agreed = Federation::between(holders, pooled, protocol, split, wishes);
        agreed.unwrap_or_else(|refusal| panic!("{:?}: {}{}", refusal.code, refusal.out, refusal.err))
    }

    /// The same between so many parties with data, or the first refusal on the way there.
    pub fn between(
        holders: usize,
        pooled: &Pooled,
        protocol: &str,
        split: Split,
        wishes: &[&str],
    ) -> Result<Federation, Outcome> {
        let place = Place::with(&pooled.job, &pooled.table);
        pooled.hierarchy.iter().for_each(|lines| place.write(HIERARCHY, lines));
        write_files(&place, "", pooled);
        let without = wishes.contains(&"--without-data");
        let holders = &HOLDERS[..holders];
        let names: Vec<&'static str> = (without.then_some(IDLE).into_iter())
            .chain(holders.iter().copied())
            .chain((protocol != "a").then_some("hal"))
            .collect();
        place.anonymize(&[]).expect(0);
        let federation = Federation {
            place,
            protocol: protocol.to_owned(),
            private_keys: wishes.contains(&"--private-keys"),
            ports: names.iter().map(|name| ((*name).to_owned(), free_port())).collect(),
            names: names.clone(),
        };
        for &name in &names {
            std::fs::create_dir(federation.path(name)).unwrap();
            federation.place.run(&["party", "keygen", "--name", name, "--output", name]).expect(0);
        }
        for (position, name) in holders.iter().enumerate() {
            federation.hand_out(name, (position, holders.len()), split, pooled);
        }
        let (inviting, split_name) = match split {
            Split::Horizontal => ("ann/paravent.toml", "horizontal"),
            Split::Vertical => ("ben/paravent.toml", "vertical"),
            Split::Hybrid => ("cat/paravent.toml", "hybrid"),
        };
        let mut args =
            vec!["party", "invite", inviting, "--run", "test", "--protocol", protocol, "--split", split_name];
        args.extend(["--me", &inviting[..3]]);
        holders.iter().for_each(|name| args.extend(["--party", name]));
        if protocol != "a" {
            args.extend(["--helper", "hal"]);
        }
        if split != Split::Horizontal {
            args.extend(["--identifier", "name"]);
        }
        args.extend(wishes);
        accepted(federation.place.run(&args))?;
        for &name in &names {
            let (job, certificate) = (format!("{name}/paravent.toml"), format!("{name}/{name}.cert.pem"));
            let address = federation.address(name);
            let mut args = vec!["party", "join", "federation.toml"];
            args.extend(has_data(name).then_some(job.as_str()));
            args.extend(["--me", name, "--address", &address, "--certificate", &certificate]);
            accepted(federation.place.run(&args))?;
        }
        for &name in &names {
            federation.place.write(&format!("{name}/federation.toml"), federation.read("federation.toml"));
            accepted(federation.approves(name))?;
        }
        Ok(federation)
    }

    /// Every third row, or some of the columns in another order of rows.
    fn hand_out(&self, name: &str, (position, holders): (usize, usize), split: Split, pooled: &Pooled) {
        let job = &pooled.job;
        let mut lines: Vec<&str> = pooled.table.lines().collect();
        let header = lines.remove(0);
        let (job, table) = match split {
            Split::Horizontal => {
                let rows: Vec<&str> = lines.into_iter().skip(position).step_by(holders).collect();
                (job.clone(), format!("{header}\n{}\n", rows.join("\n")))
            }
            Split::Vertical | Split::Hybrid => {
                let own = own_columns(header, (position, holders), split);
                if split == Split::Hybrid && position < 2 {
                    lines = lines.into_iter().skip(position).step_by(2).collect();
                }
                let at: Vec<usize> = header
                    .split(',')
                    .enumerate()
                    .filter(|(_, cell)| own.contains(cell))
                    .map(|(at, _)| at)
                    .collect();
                let pick = |line: &str| {
                    let cells: Vec<&str> = line.split(',').collect();
                    at.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",")
                };
                lines.rotate_left(7 * position);
                let rows: Vec<String> = lines.into_iter().map(pick).collect();
                (columns_of(job, &own), format!("{}\n{}\n", pick(header), rows.join("\n")))
            }
        };
        let knows_diagnoses = job.contains(HIERARCHY);
        pooled.hierarchy.iter().filter(|_| knows_diagnoses).for_each(|lines| {
            self.place.write(&format!("{name}/{HIERARCHY}"), lines);
        });
        write_files(&self.place, &format!("{name}/"), pooled);
        self.place.write(&format!("{name}/paravent.toml"), job);
        self.place.write(&format!("{name}/patients.csv"), table);
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.names.clone()
    }

    /// Where the release arrives: with private keys it goes round.
    pub fn receiver(&self) -> &'static str {
        match (self.protocol.as_str(), self.private_keys) {
            ("a", _) => self.names[self.names.len() - 2],
            (_, true) => self.names[self.names.len() - 2],
            (_, false) => "ann",
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        self.place.read(name)
    }

    pub fn port(&self, name: &str) -> u16 {
        self.ports.iter().find(|(known, _)| known == name).unwrap().1
    }

    pub fn address(&self, name: &str) -> String {
        format!("127.0.0.1:{}", self.port(name))
    }

    /// Changes a party's copy of the file.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let file = format!("{name}/federation.toml");
        let text = self.read(&file);
        assert!(text.contains(from), "{from} is not in {text}");
        self.place.write(&file, text.replacen(from, to, 1));
    }

    pub fn approve(&self, name: &str) {
        self.approves(name).expect(0);
    }

    fn approves(&self, name: &str) -> Outcome {
        let (file, job) = (format!("{name}/federation.toml"), format!("{name}/paravent.toml"));
        let mut args = vec!["party", "approve", file.as_str()];
        args.extend(has_data(name).then_some(job.as_str()));
        args.extend(["--me", name]);
        self.place.run(&args)
    }

    /// Runs one party to its end.
    pub fn party(&self, name: &str, more: &[&str]) -> Outcome {
        outcome(self.spawn(name, more))
    }

    /// The same with other keys.
    pub fn with_keys(&self, name: &str, more: &[&str]) -> Outcome {
        outcome(self.spawn_with_keys(name, more))
    }

    pub fn spawn(&self, name: &str, more: &[&str]) -> Child {
        let (key, certificate) = (format!("{name}.key.pem"), format!("{name}.cert.pem"));
        self.spawn_with_keys(
            name,
            &[&["--key", key.as_str(), "--certificate", certificate.as_str()], more].concat(),
        )
    }

    pub fn spawn_with_keys(&self, name: &str, more: &[&str]) -> Child {
        let mut args = vec!["party", "run", "federation.toml"];
        args.extend(has_data(name).then_some("paravent.toml"));
        args.extend(["--me", name]);
        args.extend(more);
        self.place.command(&args).current_dir(self.path(name)).spawn().unwrap()
    }

    /// Another command of a party that is about all of them.
    pub fn spawn_command(&self, name: &str, command: &str, more: &[&str]) -> Child {
        let (key, certificate) = (format!("{name}.key.pem"), format!("{name}.cert.pem"));
        let mut args = vec!["party", command, "federation.toml"];
        args.extend(has_data(name).then_some("paravent.toml"));
        args.extend(["--me", name, "--key", &key, "--certificate", &certificate]);
        args.extend(more);
        self.place.command(&args).current_dir(self.path(name)).spawn().unwrap()
    }

    pub fn outcome(&self, child: Child) -> Outcome {
        outcome(child)
    }

    /// Everybody but the helper counts the people that the parties have in common.
    pub fn match_all(&self) -> Vec<(String, Outcome)> {
        let args = ["--yes", "--connect-timeout", CONNECT];
        let parties = self.names().into_iter().filter(|&name| name != "hal");
        let running = parties.map(|name| (name.to_owned(), self.spawn_command(name, "match", &args)));
        let running: Vec<(String, Child)> = running.collect();
        self.finish(running)
    }

    pub fn run_all(&self, more: &[&str]) -> Vec<(String, Outcome)> {
        let connect: &[&str] =
            if more.contains(&"--connect-timeout") { &[] } else { &["--connect-timeout", CONNECT] };
        let args = [&["--yes"], more, connect].concat();
        let running = self.names().into_iter().map(|name| (name.to_owned(), self.spawn(name, &args)));
        self.finish(running.collect())
    }

    /// Everybody, with proxies in front of some of them.
    pub fn spawn_all(&self, more: &[&str], proxies: &[Proxy]) -> Vec<(String, Child)> {
        let args = [&["--yes", "--connect-timeout", CONNECT], more].concat();
        let start = |name: &str| {
            let proxy = proxies.iter().find(|proxy| proxy.before == name);
            let behind = proxy.map(|proxy| format!("127.0.0.1:{}", proxy.behind));
            let listen: Vec<&str> = behind.iter().flat_map(|behind| ["--listen", behind]).collect();
            (name.to_owned(), self.spawn(name, &[&args[..], &listen].concat()))
        };
        self.names().into_iter().map(start).collect()
    }

    pub fn finish(&self, running: Vec<(String, Child)>) -> Vec<(String, Outcome)> {
        running.into_iter().map(|(name, child)| (name, outcome(child))).collect()
    }

    /// The receiver has the release of a single place; it is taken away again.
    pub fn is_the_central_release(&self) {
        let release = self.path(self.receiver()).join("release");
        let joint = std::fs::read_to_string(release.join("data.csv")).unwrap();
        assert_eq!(rows(&self.read("release/data.csv")), rows(&joint));
        std::fs::remove_dir_all(release).unwrap();
        std::fs::remove_dir_all(self.path(self.receiver()).join("release.private")).unwrap();
        // The others' records of it, too.
        for name in self.names() {
            let records = crate::support::names(&self.path(name)).into_iter();
            for record in records.filter(|file| file.contains(".joint-")) {
                std::fs::remove_dir_all(self.path(name).join(record)).unwrap();
            }
        }
    }

    /// Removes what a killed party was about to put in its place.
    pub fn forget_what_was_staged(&self, name: &str) {
        for file in crate::support::names(&self.path(name)) {
            if file.starts_with(".release.paravent-") {
                std::fs::remove_dir_all(self.path(name).join(file)).unwrap();
            }
        }
    }

    /// All have ended with a failure that is none of ours, and left nothing.
    pub fn nobody_has_a_release(&self, outcomes: Vec<(String, Outcome)>) {
        for (name, outcome) in outcomes {
            // A killed process has no code; who does not know whether there is a release has 5.
            assert!(
                matches!(outcome.code, Some(2 | 4 | 5) | None),
                "{name}: {:?} {}",
                outcome.code,
                outcome.err
            );
            assert!(!outcome.err.contains("panicked"), "{}", outcome.err);
            let left = crate::support::names(&self.path(&name));
            assert!(!left.iter().any(|file| file.contains("release")), "{name} has {left:?}");
        }
    }
}

fn accepted(outcome: Outcome) -> Result<Outcome, Outcome> {
    if outcome.code == Some(0) { Ok(outcome) } else { Err(outcome) }
}

/// The columns of a party where columns are split: quasi-identifiers in turn, all others at the second one.
fn own_columns(header: &str, (position, holders): (usize, usize), split: Split) -> Vec<&str> {
    let others = ["name", "diagnosis", "in_study"];
    let quasi = header.split(',').filter(|name| !others.contains(name)).enumerate();
    // Rows and columns: the first two have all but the sex, each of other people.
    let at = |number: usize, name: &str| match split {
        Split::Hybrid => (name == "sex") == (position == 2),
        _ => number % holders == position,
    };
    let keeps_others = position == if split == Split::Hybrid { 2 } else { 1 };
    let own: Vec<&str> = quasi.filter(|(number, name)| at(*number, name)).map(|(_, name)| name).collect();
    header
        .split(',')
        .filter(|name| *name == "name" || own.contains(name) || (keeps_others && others.contains(name)))
        .collect()
}

fn has_data(name: &str) -> bool {
    HOLDERS.contains(&name)
}

fn write_files(place: &Place, folder: &str, pooled: &Pooled) {
    for (name, text) in &pooled.files {
        let path = place.path(&format!("{folder}{name}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The job with some of its columns; promises about others go with them.
fn columns_of(job: &str, own: &[&str]) -> String {
    let (attributes, rest) = job.split_once("[privacy]").unwrap();
    let mut blocks = attributes.split("[[attributes]]");
    let mut text = blocks.next().unwrap().to_owned();
    for block in blocks.filter(|block| own.iter().any(|name| block.contains(&format!("name = \"{name}\"")))) {
        text.push_str("[[attributes]]");
        text.push_str(block);
    }
    let has_all = own.contains(&"diagnosis");
    let needs_them = |line: &str| line.contains("attribute = ") || line.contains("subset = ");
    let rest: Vec<&str> = rest.lines().filter(|line| has_all || !needs_them(line)).collect();
    let rest = rest.join("\n");
    format!("{text}[privacy]{rest}\n")
}

fn outcome(child: Child) -> Outcome {
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

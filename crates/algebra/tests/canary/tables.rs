//! Random tables whose cells can be recognised wherever they turn up.

use super::dice::Dice;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::session::Session;
use paravent_job::Job;
use paravent_noise::budget::Cost;
use std::fs;
use tempfile::TempDir;

/// Letters that make no word, so that eight of them in a row are a cell.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";

/// Letters of a recognisable cell.
const LENGTH: usize = 12;

/// The tables of one trial.
pub struct Tables {
    /// Where the files are.
    pub folder: TempDir,
    /// The job.
    pub job: String,
    /// Cells of identifying columns: nobody may see them.
    pub identifying: Vec<String>,
    /// Cells of columns that may be shown, one per row: they have their place in the rows of an answer and nowhere else.
    pub shown: Vec<String>,
    /// Values of `note` by row: whose row it is.
    pub notes: Vec<String>,
}

const JOB: &str = r#"
version = 1
[input]
path = "people.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10, 20, 40], min = 0, max = 120 } }
[[attributes]]
name = "town"
role = "quasi-identifier"
hierarchy = { order = [["east", "west"], ["north", "south"]] }
[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { alphabet = 10, from = "right", char = "*" } }
[[attributes]]
name = "illness"
role = "sensitive"
[[attributes]]
name = "note"
role = "insensitive"
[privacy]
suppression_limit = 0.3
models = [{ model = "k-anonymity", k = 3 }]
"#;

impl Tables {
    /// Draws people, their visits and wards. Every second job says who is a person.
    pub fn new(dice: &mut Dice) -> Tables {
        let person = dice.percent(50);
        let people = dice.between(37, 97);
        let towns = ["east", "west", "north", "south"];
        let (mut identifying, mut shown, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut text = "id,name,age,town,zip,illness,note\n".to_owned();
        let mut visits = "id,ward,cost,remark\n".to_owned();
        for _ in 0..people {
            let (id, name, note) = (token(dice), token(dice), token(dice));
            // Some people are alone with their values: they are suppressed, or everything is coarse.
            let rare = dice.percent(15);
            let age = if rare { dice.between(90, 119) } else { 20 + 5 * dice.between(0, 8) };
            let town = dice.of(if rare { &towns[3..] } else { &towns[..2] });
            let zip = if rare { dice.between(70_000, 99_999) } else { 10_000 + 100 * dice.between(0, 5) };
            let illness = dice.of(&["flu", "gout", "cold"]);
            text.push_str(&format!("{id},{name},{age},{town},{zip},{illness},{note}\n"));
            for _ in 0..dice.below(4) {
                let remark = token(dice);
                let (ward, cost) = (dice.of(&["a", "b", "c"]), dice.between(1_000, 9_000));
                visits.push_str(&format!("{id},{ward},{cost},{remark}\n"));
                shown.push(remark);
            }
            identifying.extend([id, name]);
            shown.push(note.clone());
            notes.push(note);
        }
        let key = if person { "person = \"id\"\n" } else { "" };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
        put("people.csv", &text);
        put("visits.csv", &visits);
        put("wards.csv", "ward,beds\na,11\nb,22\nc,33\n");
        Tables { folder, job: format!("{JOB}{key}"), identifying, shown, notes }
    }

    /// A session over them, with a budget that no statement uses up. `job` may differ from the one of the tables where a mistake is planted.
    pub fn session(&self, job: &str) -> Session {
        let job = Job::parse(job, &self.folder.path().join("paravent.toml")).expect("a job");
        let mut session = Session::new(Catalog::of_job(job)).expect("a session");
        session.keep_book(Book::in_memory(Cost::parse("1000000", Some("0.9")).expect("a budget")));
        for name in ["people", "visits", "wards"] {
            let file = self.folder.path().join(format!("{name}.csv"));
            session.register_file(Some(name), &file).expect("a table");
        }
        for (setting, value) in [("seconds", "5"), ("memory", "256MiB"), ("answer", "8MiB")] {
            session.set(setting, value).expect("a setting");
        }
        session
    }
}

fn token(dice: &mut Dice) -> String {
    (0..LENGTH).map(|_| char::from(dice.of(LETTERS))).collect()
}

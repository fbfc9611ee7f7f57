//! What a command gives back.

use serde_json::Value;

/// Facts, in two forms.
#[derive(Debug)]
pub struct Answer {
    /// How it ended.
    pub exit: Exit,
    /// For people; lines end in a line end.
    pub text: String,
    /// For programs.
    pub json: Value,
    /// What must not go unseen, whatever is asked for: on standard error.
    pub alarm: Option<String>,
    /// The text is the very thing that was asked for (a script, a file on standard output): `--quiet` does not hide it.
    pub asked_for: bool,
    /// What the command made is in place, whether or not its words can be printed.
    pub is_in_place: bool,
}

impl Answer {
    /// An answer that says "done".
    pub fn done(text: String, json: Value) -> Answer {
        Answer { exit: Exit::Done, text, json, alarm: None, asked_for: false, is_in_place: false }
    }

    /// An answer about promises.
    pub fn judged(holds: bool, text: String, json: Value) -> Answer {
        let exit = if holds { Exit::Done } else { Exit::NotMet };
        Answer { exit, ..Answer::done(text, json) }
    }

    /// A text that was asked for.
    pub fn of_text(text: String, json: Value) -> Answer {
        Answer { asked_for: true, ..Answer::done(text, json) }
    }

    /// The document of `--json`.
    pub fn document(&self) -> String {
        document(&self.json)
    }
}

/// A JSON document as it is printed.
pub fn document(json: &Value) -> String {
    format!("{json:#}\n")
}

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0
    Done,
    /// 1: a promise is not met.
    NotMet,
    /// 2: usage or configuration.
    Configuration,
    /// 3: no transformation keeps the promises.
    Infeasible,
    /// 4: a file cannot be read or written.
    InputOutput,
    /// 5: how it ended is not known: another party did not say, or the disk failed at the last moment.
    Unknown,
    /// 6: a promise is broken together with earlier releases.
    Together,
    /// 7: refused by a policy.
    Refused,
    /// 101: a bug.
    Internal,
    /// 130: stopped by the user.
    Stopped,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::NotMet => 1,
            Exit::Configuration => 2,
            Exit::Infeasible => 3,
            Exit::InputOutput => 4,
            Exit::Unknown => 5,
            Exit::Together => 6,
            Exit::Refused => 7,
            Exit::Internal => 101,
            Exit::Stopped => 130,
        }
    }
}

//! What the server's codes mean. Its texts stay unread: they may quote a cell.

use fallible_iterator::FallibleIterator;
use paravent_tables::engine::EngineError;
use postgres_protocol::message::backend::ErrorResponseBody;

/// Codes that are shown, of those that PostgreSQL knows. Any other five characters may be a cell, a postcode say: a function can raise what it likes.
const SHOWN: [&str; 57] = [
    "01000", "02000", "08000", "08003", "08006", "08P01", "0A000", "21000", "22000", "22001", "22003",
    "22007", "22008", "22012", "22021", "22023", "22P02", "22P05", "23505", "23514", "25001", "25006",
    "25P02", "25P03", "26000", "28000", "28P01", "34000", "3D000", "3F000", "40001", "40P01", "42501",
    "42601", "42602", "42703", "42704", "42803", "42804", "42883", "42P01", "42P07", "42P22", "53100",
    "53200", "53300", "54000", "54001", "55000", "55006", "55P03", "57014", "57P01", "57P02", "57P03",
    "57P05", "P0001",
];
/// What is shown instead: an internal error.
const OTHER: &str = "XX000";

/// The five characters that say what is wrong, where they are PostgreSQL's own.
pub(super) fn code(body: &ErrorResponseBody) -> String {
    let mut fields = body.fields();
    while let Ok(Some(field)) = fields.next() {
        // C is the SQLSTATE.
        if field.type_() == b'C' {
            return known(field.value_bytes()).to_owned();
        }
    }
    OTHER.to_owned()
}

fn known(code: &[u8]) -> &'static str {
    SHOWN.iter().find(|known| known.as_bytes() == code).unwrap_or(&OTHER)
}

/// What was being done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doing<'a> {
    /// What a role must be allowed to do for it.
    pub(super) needs: &'static str,
    /// For messages: "while rows were counted".
    pub(super) place: &'static str,
    /// The table it is about.
    pub(super) table: &'a str,
}

/// A code in our words.
pub(super) fn meaning(code: String, doing: &Doing<'_>) -> EngineError {
    match code.as_str() {
        "42P01" | "3F000" => EngineError::NoTable { table: doing.table.to_owned() },
        "42501" => EngineError::Privilege { what: doing.needs },
        "25006" => EngineError::Privilege { what: "write here: the database is read-only" },
        "42P07" => EngineError::Occupied { table: doing.table.to_owned() },
        "55P03" => EngineError::Locked,
        "57014" => EngineError::TooSlow,
        "53100" => EngineError::Full,
        "40001" | "40P01" => EngineError::Conflict,
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => EngineError::Ended { code },
        _ => EngineError::Failed { code, place: doing.place },
    }
}

/// Why the server refuses a login.
pub(super) fn refusal(code: String) -> EngineError {
    let meaning = match code.as_str() {
        "28P01" => "the password is wrong",
        "28000" => "the role may not log in from here",
        "3D000" => "there is no such database",
        "53300" => "it has too many connections",
        "57P03" => "it is starting up or shutting down",
        "42501" => "the role may not connect to the database",
        _ => "it does not say more that could be shown",
    };
    EngineError::Refused { code, meaning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_that_is_not_the_servers_own_is_not_repeated() {
        for (code, expected) in
            [("57P01", "57P01"), ("81375", OTHER), ("ANNA1", OTHER), ("", OTHER), ("42P01 ", OTHER)]
        {
            assert_eq!(known(code.as_bytes()), expected);
        }
        // Every code that has a meaning is among them.
        let doing = Doing { needs: "", place: "", table: "t" };
        let is_told =
            |code: &&&str| !matches!(meaning((**code).to_owned(), &doing), EngineError::Failed { .. });
        assert_eq!(SHOWN.iter().filter(is_told).count(), 15);
    }
}

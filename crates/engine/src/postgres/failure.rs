//! What the server's codes mean. Its texts stay unread: they may quote a cell.

use fallible_iterator::FallibleIterator;
use paravent_tables::engine::EngineError;
use postgres_protocol::message::backend::ErrorResponseBody;

/// The five characters that say what is wrong.
pub(super) fn code(body: &ErrorResponseBody) -> String {
    let mut fields = body.fields();
    while let Ok(Some(field)) = fields.next() {
        // C is the SQLSTATE.
        if field.type_() == b'C' {
            let code: String = String::from_utf8_lossy(field.value_bytes()).into_owned();
            if code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return code;
            }
        }
    }
    "XX000".to_owned()
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

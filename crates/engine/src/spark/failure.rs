//! What the server's codes mean. Its texts are never shown: they may quote a cell.

use super::messages::{ErrorInfo, StatusDetails};
use paravent_tables::engine::EngineError;
use prost::Message;
use tonic::{Code, Status};

/// What was being done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doing<'a> {
    /// What somebody must be allowed to do for it.
    pub(super) needs: &'static str,
    /// For messages: "while rows were counted".
    pub(super) place: &'static str,
    /// The table it is about.
    pub(super) table: &'a str,
}

/// A failure in our words.
pub(super) fn meaning(status: &Status, doing: &Doing<'_>) -> EngineError {
    let table = || doing.table.to_owned();
    match status.code() {
        Code::Unauthenticated => {
            return EngineError::Refused {
                code: "unauthenticated".to_owned(),
                meaning: "it wants a token, or another one",
            };
        }
        Code::PermissionDenied => return EngineError::Privilege { what: doing.needs },
        Code::Unavailable => return EngineError::Lost,
        Code::DeadlineExceeded => return EngineError::TooSlow,
        Code::Cancelled | Code::Aborted => return EngineError::Ended { code: told(status) },
        _ => {}
    }
    match condition(status) {
        Condition::NoTable => EngineError::NoTable { table: table() },
        Condition::Occupied => EngineError::Occupied { table: table() },
        Condition::Privilege => EngineError::Privilege { what: doing.needs },
        Condition::Other => EngineError::Failed { code: told(status), place: doing.place },
    }
}

/// What kind of failure it is.
enum Condition {
    NoTable,
    Occupied,
    Privilege,
    Other,
}

fn condition(status: &Status) -> Condition {
    match sql_state(status).as_deref() {
        Some("42P01" | "42704" | "3F000" | "42K03") => return Condition::NoTable,
        Some("42P07") => return Condition::Occupied,
        Some("42501") => return Condition::Privilege,
        _ => {}
    }
    // Some servers send no code. Their words are looked at, and never passed on.
    let text = status.message().to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["table_or_view_not_found", "table or view not found", "path_not_found", "table not found"]) {
        Condition::NoTable
    } else if says(&["already_exists", "already exists"]) {
        Condition::Occupied
    } else {
        Condition::Other
    }
}

/// The code that is shown: an SQLSTATE, else that of gRPC.
fn told(status: &Status) -> String {
    sql_state(status).unwrap_or_else(|| format!("gRPC {}", status.code() as i32))
}

/// The five characters that say what is wrong, where the server sends them.
fn sql_state(status: &Status) -> Option<String> {
    let details = StatusDetails::decode(status.details()).ok()?;
    let infos = details.details.iter().filter(|any| any.type_url.ends_with("google.rpc.ErrorInfo"));
    let mut infos = infos.filter_map(|any| ErrorInfo::decode(any.value.as_slice()).ok());
    let state = infos.find_map(|info| info.metadata.get("sqlState").cloned())?;
    let is_state = state.len() == 5 && state.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_state.then_some(state)
}

#[cfg(test)]
mod tests {
    use super::super::messages::AnyMessage;
    use super::*;

    const DOING: Doing<'_> = Doing { needs: "read", place: "while rows were counted", table: "people" };

    fn with_state(state: &str, message: &str) -> Status {
        let info = ErrorInfo {
            reason: "org.apache.spark.sql.AnalysisException".to_owned(),
            metadata: [("sqlState".to_owned(), state.to_owned())].into(),
        };
        let any =
            AnyMessage { type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(), value: info.encode_to_vec() };
        let details = StatusDetails { details: vec![any] }.encode_to_vec();
        Status::with_details(Code::Internal, message, details.into())
    }

    #[test]
    fn codes_are_told_and_texts_are_not() {
        let shown = |status: Status| meaning(&status, &DOING).to_string();
        assert!(shown(with_state("42P01", "secret")).contains("no table people"));
        assert!(shown(with_state("42P07", "secret")).contains("a table called people is there already"));
        assert!(shown(with_state("22003", "cell 4711")).contains("gave up (22003) while rows were counted"));
        let plain = shown(Status::internal("[AnalysisException] cell 4711"));
        assert!(plain.contains("gRPC 13") && !plain.contains("4711"), "{plain}");
        // A code that is none is not shown either.
        assert!(!shown(with_state("cell 4711", "")).contains("4711"));
        assert!(shown(Status::unauthenticated("token abc")).contains("it wants a token"));
    }
}

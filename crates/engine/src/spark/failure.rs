//! What codes of the server mean. Its texts are looked through for words of a list, and never shown: they may quote a cell.

use super::messages::{Details, ErrorInfo};
use paravent_tables::engine::EngineError;
use prost::Message;
use tonic::{Code, Status};

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Connecting,
    Counting,
    Mapping,
    Creating,
}

impl Doing {
    /// What a user must be allowed to do for it.
    fn needs(self) -> &'static str {
        match self {
            Doing::Connecting => "use this server",
            Doing::Counting => "read these columns (SELECT)",
            Doing::Mapping => "make temporary views",
            Doing::Creating => "make tables in this schema (CREATE TABLE)",
        }
    }

    fn place(self) -> &'static str {
        match self {
            Doing::Connecting => "while the session was opened",
            Doing::Counting => "while rows were counted",
            Doing::Mapping => "while mappings were uploaded",
            Doing::Creating => "while the result was made",
        }
    }
}

/// Names of conditions that have a meaning here, by Spark's own list.
const KNOWN: [(&str, Meaning); 16] = [
    ("TABLE_OR_VIEW_NOT_FOUND", Meaning::NoTable),
    ("PATH_NOT_FOUND", Meaning::NoTable),
    ("SCHEMA_NOT_FOUND", Meaning::NoTable),
    ("CATALOG_NOT_FOUND", Meaning::NoTable),
    ("DELTA_TABLE_NOT_FOUND", Meaning::NoTable),
    ("DELTA_MISSING_DELTA_TABLE", Meaning::NoTable),
    ("UNABLE_TO_INFER_SCHEMA", Meaning::NoTable),
    ("TABLE_OR_VIEW_ALREADY_EXISTS", Meaning::Occupied),
    ("LOCATION_ALREADY_EXISTS", Meaning::Occupied),
    ("INSUFFICIENT_PERMISSIONS", Meaning::Privilege),
    ("PERMISSION_DENIED", Meaning::Privilege),
    ("FAILED_READ_FILE", Meaning::FilesChanged),
    ("FILE_NOT_EXIST", Meaning::FilesChanged),
    ("INVALID_HANDLE", Meaning::Ended),
    ("OPERATION_CANCELED", Meaning::Ended),
    ("SESSION_CHANGED", Meaning::Ended),
];

/// Names of conditions that are shown. Any other name may be a cell: a view can raise conditions that it names itself.
const SHOWN: [&str; 62] = [
    "AMBIGUOUS_REFERENCE",
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "CANNOT_PARSE_TIMESTAMP",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "COLLECTION_SIZE_LIMIT_EXCEEDED",
    "COLUMN_NOT_FOUND",
    "CONNECT",
    "CONVERSION_INVALID_INPUT",
    "DATATYPE_MISMATCH",
    "DATETIME_OVERFLOW",
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
    "DELTA_CONCURRENT_WRITE",
    "DIVIDE_BY_ZERO",
    "EXECUTOR_BROADCAST_JOIN_OOM",
    "FAILED_EXECUTE_UDF",
    "FAILED_RENAME_PATH",
    "FAILED_RENAME_TEMP_FILE",
    "FIELD_NOT_FOUND",
    "FILE_CORRUPT",
    "GROUPING_SIZE_LIMIT_EXCEEDED",
    "HDFS_HTTP_ERROR",
    "HIVE_METASTORE",
    "INCOMPARABLE_PIVOT_COLUMN",
    "INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
    "INTERNAL_ERROR",
    "INVALID_ARRAY_INDEX",
    "INVALID_CURSOR",
    "INVALID_DATETIME_PATTERN",
    "INVALID_IDENTIFIER",
    "INVALID_SQL_SYNTAX",
    "LOAD_DATA_PATH_NOT_EXISTS",
    "MALFORMED_RECORD_IN_PARSING",
    "MERGE_CARDINALITY_VIOLATION",
    "MISSING_AGGREGATION",
    "MISSING_GROUP_BY",
    "NOT_A_PARTITIONED_TABLE",
    "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "OPERATION_ABANDONED",
    "PARSE_SYNTAX_ERROR",
    "PLAN_SIZE_LIMIT",
    "REMOTE_FUNCTION_HTTP_FAILED_ERROR",
    "RENAME_SRC_PATH_NOT_FOUND",
    "RESPONSE_ALREADY_RECEIVED",
    "ROUTINE_NOT_FOUND",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS",
    "SESSION_CLOSED",
    "SESSION_NOT_FOUND",
    "STATE_STORE",
    "TASK_WRITE_FAILED",
    "UNRESOLVED_COLUMN",
    "UNRESOLVED_ROUTINE",
    "UNSUPPORTED_DATATYPE",
    "UNSUPPORTED_FEATURE",
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY",
    "UNSUPPORTED_TYPED_LITERAL",
    "USER_RAISED_EXCEPTION",
    "VALUE_OUT_OF_RANGE",
    "VIEW_NOT_FOUND",
    "WRONG_NUM_ARGS",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    NoTable,
    Occupied,
    Privilege,
    FilesChanged,
    Ended,
}

/// A failed request in our words.
pub(super) fn meaning(status: &Status, doing: Doing, table: &str) -> EngineError {
    let told = Told::of(status);
    let code = told.code(status);
    if is_lost(status) {
        return EngineError::Lost;
    }
    match told.meaning() {
        Some(Meaning::NoTable) => return EngineError::NoTable { table: table.to_owned() },
        Some(Meaning::Occupied) => return EngineError::Occupied { table: table.to_owned() },
        Some(Meaning::Privilege) => return EngineError::Privilege { what: doing.needs() },
        Some(Meaning::FilesChanged) => return EngineError::FilesChanged,
        Some(Meaning::Ended) => return EngineError::Ended { code },
        None => {}
    }
    if status.message().contains("No space left on device") {
        return EngineError::Full;
    }
    match status.code() {
        Code::Unauthenticated => {
            EngineError::Refused { code, meaning: "the token is wrong, or there is none" }
        }
        Code::PermissionDenied if doing == Doing::Connecting => {
            EngineError::Refused { code, meaning: "this user or token may not use it" }
        }
        Code::PermissionDenied => EngineError::Privilege { what: doing.needs() },
        Code::DeadlineExceeded => EngineError::TooSlow,
        Code::Cancelled => EngineError::Ended { code },
        Code::Unimplemented if doing == Doing::Connecting => {
            EngineError::Garbled("(it speaks gRPC, but not Spark Connect)")
        }
        _ => EngineError::Failed { code, place: doing.place() },
    }
}

/// Whether the connection is gone, and asking again may help.
pub(super) fn is_lost(status: &Status) -> bool {
    // A status that has a cause was not sent by the server: a stream broke off.
    std::error::Error::source(status).is_some()
        || status.code() == Code::Unavailable
        || (status.code() == Code::Internal && status.message().contains("INVALID_CURSOR.DISCONNECTED"))
}

/// Whether the server knows nothing of the operation, so that it may be begun again.
pub(super) fn is_unknown_operation(status: &Status) -> bool {
    Told::of(status).is("OPERATION_NOT_FOUND") || status.message().contains("operation not found")
}

/// Whether the server knows no such statement.
pub(super) fn is_unsupported(status: &Status) -> bool {
    matches!(status.code(), Code::Unimplemented) || Told::of(status).reason.contains("UnsupportedOperation")
}

/// What a status says in words that are fixed.
struct Told {
    /// Name of the condition, such as `TABLE_OR_VIEW_NOT_FOUND`.
    class: String,
    /// Five characters of SQLSTATE, where they are told.
    state: String,
    reason: String,
    message: String,
}

impl Told {
    fn of(status: &Status) -> Told {
        let details = Details::decode(status.details()).unwrap_or_default();
        let infos = details.details.iter().filter(|any| any.type_url.ends_with("google.rpc.ErrorInfo"));
        let info =
            infos.filter_map(|any| ErrorInfo::decode(any.value.as_slice()).ok()).next().unwrap_or_default();
        let word = |key: &str, is_fine: &dyn Fn(u8) -> bool| {
            let word = info.metadata.get(key).map(String::as_str).unwrap_or_default();
            if word.len() <= 120 && word.bytes().all(is_fine) { word.to_owned() } else { String::new() }
        };
        let is_name =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.');
        Told {
            class: word("errorClass", &is_name),
            state: word("sqlState", &|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            reason: info.reason.clone(),
            message: status.message().to_owned(),
        }
    }

    /// The condition has this name, or one of its parts has.
    fn is(&self, name: &str) -> bool {
        match self.class.is_empty() {
            false => self.class.split('.').any(|part| part == name),
            // Servers that tell no name write it into their text: [NAME], or NAME.PART
            true => self.message.contains(&format!("[{name}")) || self.message.contains(&format!(".{name}]")),
        }
    }

    fn meaning(&self) -> Option<Meaning> {
        let by_name = KNOWN.iter().find(|(name, _)| self.is(name)).map(|(_, meaning)| *meaning);
        by_name.or(match self.state.as_str() {
            "42P01" | "42704" => Some(Meaning::NoTable),
            "42P07" => Some(Meaning::Occupied),
            "42501" => Some(Meaning::Privilege),
            _ => None,
        })
    }

    /// What is shown: the condition's name if it is one of Spark's, else the name of gRPC's code.
    fn code(&self, status: &Status) -> String {
        let condition = self.class.split('.').next().unwrap_or_default();
        let known = KNOWN.iter().map(|(name, _)| *name).chain(SHOWN).find(|name| *name == condition);
        known.unwrap_or(name_of(status.code())).to_owned()
    }
}

fn name_of(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spark::messages::Any;

    fn status(code: Code, message: &str, metadata: &[(&str, &str)]) -> Status {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let info = ErrorInfo { reason: String::new(), metadata };
        let any = Any {
            type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(),
            value: info.encode_to_vec(),
        };
        let details = Details { details: vec![any] }.encode_to_vec();
        Status::with_details(code, message, details.into())
    }

    #[test]
    fn codes_have_a_meaning_and_texts_stay_out() {
        let cell = "anna-end";
        for (status, expected) in [
            (
                status(Code::Internal, cell, &[("errorClass", "TABLE_OR_VIEW_NOT_FOUND")]),
                "there is no table t",
            ),
            (
                status(Code::InvalidArgument, "x: [TABLE_OR_VIEW_NOT_FOUND] anna-end", &[]),
                "there is no table t",
            ),
            (status(Code::Internal, cell, &[("errorClass", "ANNA"), ("sqlState", "42501")]), "may not read"),
            (
                status(Code::Internal, cell, &[("errorClass", "FAILED_READ_FILE.FILE_NOT_EXIST")]),
                "files of the table",
            ),
            (status(Code::Internal, "No space left on device: anna-end", &[]), "no room"),
            (status(Code::Unauthenticated, cell, &[]), "token"),
            (status(Code::Unavailable, cell, &[]), "lost"),
            // A name that is none is not repeated.
            (status(Code::Internal, cell, &[("errorClass", "cell anna-end")]), "gave up (INTERNAL)"),
            (
                status(Code::Internal, cell, &[("errorClass", "USER_RAISED_EXCEPTION")]),
                "(USER_RAISED_EXCEPTION)",
            ),
            (
                status(Code::Internal, cell, &[("errorClass", "CAST_INVALID_INPUT.ANNA")]),
                "(CAST_INVALID_INPUT)",
            ),
            // A view can raise what it likes, in capital letters as well.
            (status(Code::Internal, cell, &[("errorClass", "ANNA_81375")]), "gave up (INTERNAL)"),
            (
                status(Code::Cancelled, cell, &[("errorClass", "ANNA.DIVIDE_BY_ZERO")]),
                "ended the run (CANCELLED)",
            ),
        ] {
            let said = meaning(&status, Doing::Counting, "t").to_string();
            assert!(said.contains(expected) && !said.contains("end-") && !said.contains("-end"), "{said}");
            assert!(!said.contains("ANNA") && !said.contains("anna"), "{said}");
        }
    }
}

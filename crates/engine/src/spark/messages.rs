//! The messages of Spark Connect that are needed, with the numbers that its definition gives to their fields.
//!
//! Written by hand, so that the build needs no compiler of definitions. Fields that nobody here reads or writes are left out, which the
//! encoding allows. Messages that hold cells show none of them in `Debug`.

use prost::{Message, Oneof};
use std::fmt;

#[derive(Clone, PartialEq, Message)]
pub(super) struct UserContext {
    #[prost(string, tag = "1")]
    pub user_id: String,
    #[prost(string, tag = "2")]
    pub user_name: String,
}

/// A query, or something to be done.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Plan {
    #[prost(oneof = "PlanKind", tags = "1, 2")]
    pub kind: Option<PlanKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum PlanKind {
    #[prost(message, tag = "1")]
    Root(Relation),
    #[prost(message, tag = "2")]
    Command(Command),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Relation {
    #[prost(oneof = "RelationKind", tags = "2, 10, 11")]
    pub kind: Option<RelationKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum RelationKind {
    #[prost(message, tag = "2")]
    Read(Read),
    #[prost(message, tag = "10")]
    Sql(Sql),
    #[prost(message, tag = "11")]
    Local(LocalRelation),
}

/// Files that are read.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Read {
    #[prost(message, optional, tag = "2")]
    pub source: Option<DataSource>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DataSource {
    #[prost(string, optional, tag = "1")]
    pub format: Option<String>,
    #[prost(string, repeated, tag = "4")]
    pub paths: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sql {
    #[prost(string, tag = "1")]
    pub query: String,
}

/// Rows that are sent: a stream of Arrow.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct LocalRelation {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub data: Option<Vec<u8>>,
}

impl fmt::Debug for LocalRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalRelation({} bytes)", self.data.as_ref().map_or(0, Vec::len))
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Command {
    #[prost(oneof = "CommandKind", tags = "3, 5")]
    pub kind: Option<CommandKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum CommandKind {
    #[prost(message, tag = "3")]
    View(CreateView),
    #[prost(message, tag = "5")]
    Sql(SqlCommand),
}

/// A name for a relation, in this session only.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateView {
    #[prost(message, optional, tag = "1")]
    pub input: Option<Relation>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(bool, tag = "4")]
    pub replace: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SqlCommand {
    #[prost(string, tag = "1")]
    pub sql: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExecutePlan {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub plan: Option<Plan>,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub options: Vec<RequestOption>,
    #[prost(string, optional, tag = "6")]
    pub operation_id: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub observed_session_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RequestOption {
    #[prost(message, optional, tag = "1")]
    pub reattach: Option<ReattachOptions>,
}

/// Whether an answer may be asked for again after the connection was lost.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachOptions {
    #[prost(bool, tag = "1")]
    pub reattachable: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Executed {
    #[prost(string, tag = "13")]
    pub response_id: String,
    #[prost(string, tag = "15")]
    pub server_session_id: String,
    #[prost(oneof = "ExecutedKind", tags = "2, 14")]
    pub kind: Option<ExecutedKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum ExecutedKind {
    #[prost(message, tag = "2")]
    Batch(ArrowBatch),
    #[prost(message, tag = "14")]
    Complete(Empty),
}

/// Rows that arrive: a stream of Arrow.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct ArrowBatch {
    #[prost(int64, tag = "1")]
    pub rows: i64,
    #[prost(bytes = "bytes", tag = "2")]
    pub data: bytes::Bytes,
}

impl fmt::Debug for ArrowBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrowBatch({} rows, {} bytes)", self.rows, self.data.len())
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Empty {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachExecute {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub last_response_id: Option<String>,
    #[prost(string, optional, tag = "6")]
    pub observed_session_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseExecute {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
    #[prost(oneof = "Release", tags = "5, 6")]
    pub release: Option<Release>,
}

/// What the server need not keep any longer.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Release {
    #[prost(message, tag = "5")]
    All(Empty),
    #[prost(message, tag = "6")]
    Until(ReleaseUntil),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseUntil {
    #[prost(string, tag = "1")]
    pub response_id: String,
}

/// Ends one operation of the session.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Interrupt {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
    #[prost(int32, tag = "4")]
    pub kind: i32,
    #[prost(string, optional, tag = "6")]
    pub operation_id: Option<String>,
}

/// `InterruptType.INTERRUPT_TYPE_OPERATION_ID`
pub(super) const ONE_OPERATION: i32 = 3;

/// Ends the session.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseSession {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
}

/// Sets what holds for the session.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Config {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub operation: Option<ConfigOperation>,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigOperation {
    #[prost(message, optional, tag = "1")]
    pub set: Option<SetConfig>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SetConfig {
    #[prost(message, repeated, tag = "1")]
    pub pairs: Vec<KeyValue>,
    /// Settings that the server does not allow are passed over.
    #[prost(bool, optional, tag = "2")]
    pub silent: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Configured {
    #[prost(string, tag = "4")]
    pub server_session_id: String,
}

/// Asks about a plan without running it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzePlan {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
    #[prost(oneof = "Analyze", tags = "4, 9")]
    pub analyze: Option<Analyze>,
    #[prost(string, optional, tag = "17")]
    pub observed_session_id: Option<String>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Analyze {
    /// Names and types of its columns.
    #[prost(message, tag = "4")]
    Schema(AnalyzedPlan),
    /// The files that it reads.
    #[prost(message, tag = "9")]
    InputFiles(AnalyzedPlan),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzedPlan {
    #[prost(message, optional, tag = "1")]
    pub plan: Option<Plan>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Analyzed {
    #[prost(oneof = "AnalyzedKind", tags = "2, 7")]
    pub kind: Option<AnalyzedKind>,
    #[prost(string, tag = "15")]
    pub server_session_id: String,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum AnalyzedKind {
    #[prost(message, tag = "2")]
    Schema(super::types::Schema),
    #[prost(message, tag = "7")]
    InputFiles(InputFiles),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct InputFiles {
    #[prost(string, repeated, tag = "1")]
    pub files: Vec<String>,
}

/// `google.rpc.Status`, without its text.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Details {
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

impl fmt::Debug for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Any({} bytes)", self.value.len())
    }
}

/// `google.rpc.ErrorInfo`. Its metadata may quote cells, so it is not shown.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub reason: String,
    #[prost(map = "string, string", tag = "3")]
    pub metadata: std::collections::HashMap<String, String>,
}

impl fmt::Debug for ErrorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorInfo({} entries)", self.metadata.len())
    }
}

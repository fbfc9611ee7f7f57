//! The messages of Spark Connect (`spark/connect/*.proto`) that are needed here, with the fields that are needed. A field that is left out is
//! skipped when it arrives, and an alternative (`oneof`) is an optional field, which is the same on the wire.

use prost::Message;
use std::collections::HashMap;
use std::fmt;

#[derive(Clone, PartialEq, Message)]
pub(super) struct UserContext {
    #[prost(string, tag = "1")]
    pub(super) user_id: String,
    #[prost(string, tag = "2")]
    pub(super) user_name: String,
}

/// Rows that are asked for, or something to do.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Plan {
    #[prost(message, optional, tag = "1")]
    pub(super) root: Option<Relation>,
    #[prost(message, optional, tag = "2")]
    pub(super) command: Option<Command>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Relation {
    #[prost(message, optional, tag = "10")]
    pub(super) sql: Option<Sql>,
    #[prost(message, optional, tag = "11")]
    pub(super) local_relation: Option<LocalRelation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sql {
    #[prost(string, tag = "1")]
    pub(super) query: String,
}

/// Rows that are sent along, as a stream of Arrow.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct LocalRelation {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) data: Option<Vec<u8>>,
}

/// Cells stay out of logs.
impl fmt::Debug for LocalRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalRelation({} bytes)", self.data.as_ref().map_or(0, Vec::len))
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Command {
    #[prost(message, optional, tag = "3")]
    pub(super) create_dataframe_view: Option<CreateDataFrameView>,
    #[prost(message, optional, tag = "5")]
    pub(super) sql_command: Option<SqlCommand>,
}

/// A view that only this session sees.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateDataFrameView {
    #[prost(message, optional, tag = "1")]
    pub(super) input: Option<Relation>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(bool, tag = "3")]
    pub(super) is_global: bool,
    #[prost(bool, tag = "4")]
    pub(super) replace: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SqlCommand {
    /// What servers before 4.0 read.
    #[prost(string, tag = "1")]
    pub(super) sql: String,
    #[prost(message, optional, tag = "6")]
    pub(super) input: Option<Relation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExecutePlanRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub(super) plan: Option<Plan>,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub(super) request_options: Vec<RequestOption>,
    #[prost(string, optional, tag = "6")]
    pub(super) operation_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RequestOption {
    #[prost(message, optional, tag = "1")]
    pub(super) reattach_options: Option<ReattachOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachOptions {
    #[prost(bool, tag = "1")]
    pub(super) reattachable: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExecutePlanResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) arrow_batch: Option<ArrowBatch>,
    #[prost(string, tag = "13")]
    pub(super) response_id: String,
    #[prost(message, optional, tag = "14")]
    pub(super) result_complete: Option<ResultComplete>,
}

/// Rows, as a stream of Arrow.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct ArrowBatch {
    #[prost(int64, tag = "1")]
    pub(super) row_count: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) data: Vec<u8>,
}

/// Cells stay out of logs.
impl fmt::Debug for ArrowBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrowBatch({} rows)", self.row_count)
    }
}

/// There is nothing more to come.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ResultComplete {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachExecuteRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub(super) operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub(super) last_response_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseExecuteRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub(super) operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(message, optional, tag = "5")]
    pub(super) release_all: Option<ReleaseAll>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseAll {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseSessionRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub(super) client_type: Option<String>,
}

/// An answer of which nothing is needed.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Released {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzePlanRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub(super) client_type: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub(super) schema: Option<OfPlan>,
    #[prost(message, optional, tag = "9")]
    pub(super) input_files: Option<OfPlan>,
}

/// What is asked about a plan.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OfPlan {
    #[prost(message, optional, tag = "1")]
    pub(super) plan: Option<Plan>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzePlanResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) schema: Option<SchemaAnswer>,
    #[prost(message, optional, tag = "7")]
    pub(super) input_files: Option<InputFiles>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct InputFiles {
    #[prost(string, repeated, tag = "1")]
    pub(super) files: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SchemaAnswer {
    #[prost(message, optional, tag = "1")]
    pub(super) schema: Option<DataType>,
}

/// Of a type only what Arrow does not tell: how texts are compared.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DataType {
    #[prost(message, optional, tag = "11")]
    pub(super) string: Option<StringType>,
    #[prost(message, optional, tag = "21")]
    pub(super) structure: Option<Structure>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StringType {
    #[prost(string, tag = "2")]
    pub(super) collation: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Structure {
    #[prost(message, repeated, tag = "1")]
    pub(super) fields: Vec<StructureField>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StructureField {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) data_type: Option<DataType>,
}

/// `google.rpc.Status`: what a server says about a failure.
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct StatusDetails {
    #[prost(message, repeated, tag = "3")]
    pub(super) details: Vec<AnyMessage>,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct AnyMessage {
    #[prost(string, tag = "1")]
    pub(super) type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
}

/// `google.rpc.ErrorInfo`
#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub(super) reason: String,
    #[prost(map = "string, string", tag = "3")]
    pub(super) metadata: HashMap<String, String>,
}

//! What goes over the wire. `web/src/lib/wire.ts` is made from these types by a test.

mod job;
mod joint;
mod policy;
mod results;
mod runs;

pub use job::{
    Change, DataView, JobView, MetricView, ModelKey, ModelView, PatchJob, PutJob, SessionView, Step,
};
pub use joint::{
    JointAnswer, JointColumn, JointConcluded, JointLearned, JointParty, JointSent, JointStep, JointView,
};
pub use policy::{
    AnswerView, ColumnRights, CostView, ExactView, ExplainedView, LedgerLine, PolicyRemark, PolicyView,
    PurposeView, RecipientView, SpentView, StateView, TableRights,
};
pub use results::{
    Bar, ColumnView, ColumnsView, CompareView, ContingencyView, FileView, FoundView, HierarchyLevel,
    HierarchyView, LevelView, LossView, NodeView, PointView, PreviewView, PromiseView, ProposalView,
    RegisterLine, RegisterView, ReleaseView, SpaceView, TogetherView, TreeNode, VerificationCheck,
    VerificationView,
};
pub use runs::{
    FaultKind, FaultView, ProblemView, ProgressView, RelaxationView, RunEvent, RunRequest, RunState, RunView,
    Started,
};

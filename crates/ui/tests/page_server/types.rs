//! The types of the page are those of the server.

use crate::wire::*;
use std::path::Path;
use ts_rs::{Config, TS};

fn declarations() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = String::from(
        "// Made from crates/ui/src/wire by `PARAVENT_BLESS=1 cargo test --test page_server types`; do not edit.\n",
    );
    macro_rules! declare {
        ($($name:ident),+ $(,)?) => {
            $(text.push_str(&format!("\nexport {}\n", $name::decl(&config)));)+
        };
    }
    declare!(
        SessionView,
        DataView,
        JobView,
        PutJob,
        PatchJob,
        Change,
        Step,
        ModelView,
        MetricView,
        ModelKey,
        RunRequest,
        Started,
        RunState,
        ProgressView,
        RunView,
        RunEvent,
        FaultKind,
        FaultView,
        ProblemView,
        RelaxationView,
        ProposalView,
        Bar,
        ColumnsView,
        ColumnView,
        PreviewView,
        HierarchyView,
        HierarchyLevel,
        TreeNode,
        LevelView,
        PromiseView,
        LossView,
        NodeView,
        FoundView,
        PointView,
        SpaceView,
        CompareView,
        ContingencyView,
        FileView,
        ReleaseView,
        VerificationView,
        VerificationCheck,
        RegisterView,
        RegisterLine,
        TogetherView,
        PolicyView,
        RecipientView,
        CostView,
        PurposeView,
        TableRights,
        ColumnRights,
        PolicyRemark,
        StateView,
        SpentView,
        LedgerLine,
        ExactView,
        AnswerView,
        ExplainedView,
        JointView,
        JointColumn,
        JointParty,
        JointAnswer,
        JointSent,
        JointLearned,
        JointConcluded,
        JointStep,
    );
    text
}

#[test]
fn the_page_has_the_types_of_the_server() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/lib/wire.ts");
    let made = declarations();
    if std::env::var_os("PARAVENT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == made,
        "web/src/lib/wire.ts is not what the types say; run the test with PARAVENT_BLESS=1"
    );
}

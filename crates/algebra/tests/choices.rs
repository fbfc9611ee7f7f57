//! Rules by name and in turn, selections on their way down, and plans of either source rewritten without running them.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use donors::*;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::rules::{Choice, Consent, Kind, NoFacts, Rewriter, Rewritten, Way, catalogue, tree};
use paravent_algebra::session::{Session, Wish, Written};
use std::fs;

fn choices(names: &[&str]) -> Vec<Choice> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn in_turn(names: &[&str], plan: LogicalPlan) -> Rewritten {
    let rewriter = Rewriter::new(&TOLD).with_consent(Consent::Partial);
    rewriter.in_turn(plan, &choices(names)).unwrap()
}

fn used(rewritten: &Rewritten) -> Vec<&str> {
    rewritten.trace.applied().map(|application| application.rule).collect()
}

#[test]
fn rules_take_their_turn_in_the_order_given_and_may_come_back() {
    let plan = pi(&["day", "group"], alpha(&["day"], 3, alpha(&["day"], 3, donors())));
    assert_eq!(used(&in_turn(&["G10", "G4"], plan.clone())), ["G10", "G10", "G4"]);
    assert_eq!(used(&in_turn(&["G4", "G10"], plan.clone())), ["G4", "G10"]);
    let there = in_turn(&["G4", "G10"], plan.clone()).plan;
    let back = in_turn(&["G4", "G10", "G9"], plan);
    assert_eq!(used(&back), ["G4", "G10", "G9"]);
    assert_ne!(back.plan, there);
}

#[test]
fn a_rule_that_does_not_hold_says_so_whichever_side_it_finds() {
    let (north, south) = (relation("north", &["day"]), relation("south", &["day"]));
    let left = alpha(&["day"], 2, LogicalPlanBuilder::intersect(north.clone(), south.clone(), true).unwrap());
    let parts = (alpha(&["day"], 2, north), alpha(&["day"], 2, south));
    let right = LogicalPlanBuilder::intersect(parts.0, parts.1, true).unwrap();
    for (plan, way) in [(left, Way::LeftToRight), (right, Way::RightToLeft)] {
        let done = in_turn(&["G18"], plan.clone());
        assert_eq!(done.plan, plan);
        let refused: Vec<_> = done.trace.refused().collect();
        assert!(matches!(refused[..], [one] if one.rule == "G18" && one.way == way), "{refused:?}");
    }
}

#[test]
fn the_rules_that_do_not_hold_are_these() {
    let none = catalogue().into_iter().map(|rule| rule.card()).filter(|card| card.kind == Kind::None);
    let ids: Vec<&str> = none.map(|card| card.id).collect();
    assert_eq!(ids, ["G18", "G19", "S7", "S10", "S11", "D4", "D14", "D15", "D17"]);
}

#[test]
fn selections_above_a_join_reach_the_operator_they_are_about() {
    let joined = |left, right| join("id", left, right);
    let people = || relation("people", &["id", "day", "group"]);
    let visits = || relation("visits", &["id", "ward"]);
    let plan = sigma("ward", "x", sigma("group", "B0", joined(alpha(&["day"], 3, people()), visits())));
    let done = Rewriter::new(&NoFacts).with_consent(Consent::Partial).improve(plan.clone()).unwrap();
    assert_eq!(done.plan, plan, "without knowing the rows the selection cannot go first");
    let rewriter = Rewriter::new(&TOLD).with_consent(Consent::Partial);
    let done = rewriter.in_turn(plan, &choices(&["G14"])).unwrap();
    assert_eq!(
        tree(&done.plan),
        "σ[ward <> 'x']\n\
         └─ ⋈[id]\n   \
            ├─ α^G[day; k = 3]\n   \
            │  └─ σ[\"group\" <> 'B0']\n   \
            │     └─ people\n   \
            └─ visits\n"
    );
    // A column of both sides, and a side without an operator, keep the selection where it is.
    let plain = sigma("group", "B0", joined(people(), visits()));
    assert_eq!(rewriter.improve(plain.clone()).unwrap().plan, plain);
}

/// Everybody's colour becomes `c0`, so that the noise has one outcome.
const NOISY: &str = "SELECT a.colour, a.year, b.ward \
    FROM randomize((SELECT id, year, colour FROM people), columns => ((colour, 1, given(('c0', 1), ('c1', 0), ('c2', 0))))) AS a \
    JOIN visits AS b ON a.id = b.id WHERE a.year > 2000 AND b.ward <> 'w1' AND a.year <> b.room";

fn session() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let people: String = (0..40).map(|i| format!("{i},{},c{}\n", 1990 + i % 25, i % 3)).collect();
    let visits: String = (0..60).map(|i| format!("{},w{},{}\n", i * 7 % 45, i % 4, 2000 + i % 9)).collect();
    fs::write(folder.path().join("people.csv"), format!("id,year,colour\n{people}")).unwrap();
    fs::write(folder.path().join("visits.csv"), format!("id,ward,room\n{visits}")).unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    for name in ["people.csv", "visits.csv"] {
        session.register_file(None, &folder.path().join(name)).unwrap();
    }
    (folder, session)
}

#[test]
fn a_query_over_a_join_has_the_same_rows_where_the_selection_went_first() {
    let (_folder, mut session) = session();
    let moved = session.run(NOISY).unwrap();
    assert!(moved.trace.applied().any(|step| step.rule == "D11"), "{}", moved.trace);
    session.set("rules", "none").unwrap();
    let written = session.run(NOISY).unwrap();
    assert_eq!(written.trace.applied().count(), 0);
    assert!(written.rows() > 5);
    assert!(moved.cells().unwrap() == written.cells().unwrap());
}

#[test]
fn explain_shows_where_an_operator_moved_and_why() {
    let (_folder, mut session) = session();
    let explained = session.explain(NOISY).unwrap().to_string();
    let before = explained.find("As written:").unwrap();
    let after = explained.find("After rewriting:").unwrap();
    let log = explained.find("D11, right to left").unwrap();
    assert!(before < after && after < log, "{explained}");
    let filter = explained[after..].find("Filter: people.year").unwrap();
    assert!(explained[after..].find("Randomize: colour 1").unwrap() < filter, "{explained}");
}

#[test]
fn a_document_asks_the_tables_of_the_session() {
    let (_folder, mut session) = session();
    let document = |k: u32, column: &str| {
        Written::Xml(format!(
            "<selection><generalization k=\"{k}\"><baseRelation name=\"People\"><attributes>\
             <attribute type=\"integer\">{column}</attribute><attribute>colour</attribute></attributes></baseRelation>\
             <generalizationAttributes><attribute>{column}</attribute></generalizationAttributes></generalization>\
             <condition>colour &lt;> 'c1'</condition></selection>"
        ))
    };
    session.set("partial", "true").unwrap();
    let wish = || Wish::InTurn(choices(&["G14"]));
    let done = session.rewrite(document(3, "year"), wish()).unwrap();
    assert!(done.changed() && done.cost.is_none());
    assert!(done.after.starts_with("α^G[year; k = 3]\n└─ σ[colour <> 'c1']"), "{}", done.after);
    assert!(done.xml.unwrap().starts_with("<generalization k=\"3\">"));
    let many = session.rewrite(document(30, "year"), wish()).unwrap();
    assert!(!many.changed(), "27 rows are fewer than 30");
    match session.rewrite(document(3, "jahr"), wish()) {
        Err(AlgebraError::Statement(problem)) => assert!(problem.contains("no column \"jahr\""), "{problem}"),
        other => panic!("{other:?}"),
    }
    let mut empty = Session::new(Catalog::empty()).unwrap();
    empty.set("partial", "true").unwrap();
    let unknown = empty.rewrite(document(3, "year"), wish()).unwrap();
    assert!(!unknown.changed() && unknown.cost.is_some());
    assert!(unknown.trace.refused().any(|refusal| refusal.because.contains("not known")));
}

#[test]
fn a_document_may_name_the_metric_of_a_generalization() {
    let mut session = Session::new(Catalog::empty()).unwrap();
    let mut written = |metric: &str| {
        let document = format!(
            "<generalization k=\"3\"{metric}><baseRelation name=\"r\"><attributes><attribute>a</attribute></attributes>\
             </baseRelation><generalizationAttributes><attribute>a</attribute></generalizationAttributes></generalization>"
        );
        session.rewrite(Written::Xml(document), Wish::InTurn(Vec::new())).map(|done| done.xml.unwrap())
    };
    assert!(written(" metric=\"loss\"").unwrap().starts_with("<generalization k=\"3\" metric=\"loss\">\n"));
    // The height is what a document means that names none.
    assert_eq!(written(" metric=\"height\"").unwrap(), written("").unwrap());
    let unknown = written(" metric=\"beauty\"").unwrap_err().to_string();
    assert!(unknown.starts_with("line 1, column 1: an unknown metric; write one of height, "), "{unknown}");
}

//! Wrong joins are planted, and the auditor stops each of their plans.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod planned;
mod ward;

use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col, lit};
use paravent_algebra::operator::{Operator, PrivateAggregate};
use paravent_policy::Policy;
use paravent_processor::audit::{Case, audit};
use paravent_processor::kept::Form;
use planned::{Planned, planned};
use std::fs;
use std::sync::Arc;
use ward::joined::{policy_text, ward};

const TABLES: [&str; 2] = ["patients", "visits"];
const JOIN: &str = "FROM visits v JOIN patients p ON v.patient = p.id";

fn policy(text: &str) -> ward::Ward {
    ward(text, "patient,unit,age,gait,note\n")
}

fn of(text: &str, sql: &str) -> Planned {
    planned(&policy(text).policy, "research", "statistics", sql)
}

fn verdict(planned: &Planned, policy: &Policy, tables: &[&str]) -> Result<(), &'static str> {
    let case = Case { policy, role: "research", purpose: "statistics", tables, form: Form::Whole };
    audit(case, &planned.plan, &planned.physical, &planned.session.context().state())
}

/// What a wrong rewriter believes of a join, and what it is asked.
#[test]
fn plans_of_laxer_policies_are_stopped() {
    let strict = policy_text();
    let swap = |from: &str, to: &str| {
        assert!(strict.contains(from), "{from}");
        strict.replace(from, to)
    };
    let count = format!("SELECT count(*) {JOIN}");
    let by = |column: &str| format!("SELECT {column}, count(*) {JOIN} GROUP BY {column}");
    let of_gait = format!("SELECT p.sex, sum(v.gait) {JOIN} GROUP BY p.sex");
    let rule = |table: &str, rest: &str| {
        format!("{strict}\n[[rules]]\nid = \"lax\"\ntable = \"{table}\"\n{rest}\naggregate = [\"count\"]\n")
    };
    let plants = [
        // the conditions of either table
        (swap("where = \"ward <> 'psychiatry'\"\n", ""), count.clone()),
        (swap("where = \"note <> 'secret'\"\n", ""), count.clone()),
        (swap("note <> 'secret'", "note <> 'else'"), count.clone()),
        // more rows of a person
        (swap("contribution = 3\n", "contribution = 4\n"), count.clone()),
        (swap("contribution = 1\n", "contribution = 2\n"), count.clone()),
        // less noise than either table asks for
        (swap("epsilon = \"0.5\"", "epsilon = \"0.6\""), count.clone()),
        (swap("delta = \"1e-7\"", "delta = \"1e-5\""), by("p.age")),
        // a column of one table under the rules of the other: both have an age
        (swap("columns = [\"age\"]\ngroup = 1", "columns = [\"age\"]\ngroup = true"), by("v.age")),
        (rule("visits", "columns = [\"note\"]\ngroup = true"), by("v.note")),
        (rule("patients", "columns = [\"ward\"]\ngroup = true"), by("p.ward")),
        (
            swap(
                "columns = [\"name\", \"id\"]\ndeny = true",
                "columns = [\"name\"]\ngroup = true\naggregate = [\"count\"]",
            ),
            by("p.name"),
        ),
        (
            swap("columns = [\"age\"]\ngroup = 1", "columns = [\"age\"]\ngroup = 1\nfilter = 1"),
            format!("SELECT count(*) {JOIN} WHERE v.age = '20-39'"),
        ),
        // figures and their bounds
        (swap("max = 200 }", "max = 2000 }"), of_gait.clone()),
        (
            swap(
                "gait = { min = 0, max = 200 }",
                "gait = { min = 0, max = 200 }\nage = { min = 0, max = 100 }",
            )
            .replace(
                "columns = [\"age\"]\ngroup = 1\naggregate = [\"count\"]",
                "columns = [\"age\"]\ngroup = 1\naggregate = [\"count\", \"sum\"]",
            ),
            format!("SELECT p.sex, sum(v.age) {JOIN} GROUP BY p.sex"),
        ),
    ];
    for (number, (lax, sql)) in plants.iter().enumerate() {
        let wrong = of(lax, sql);
        assert!(verdict(&wrong, &policy(&strict).policy, &TABLES).is_err(), "plant {number}: {sql}");
        assert_eq!(
            verdict(&wrong, &policy(lax).policy, &TABLES),
            Ok(()),
            "plant {number} is right under its own: {sql}"
        );
    }
    for sql in [count, by("p.sex"), by("v.unit"), of_gait] {
        assert_eq!(verdict(&of(&strict, &sql), &policy(&strict).policy, &TABLES), Ok(()), "{sql}");
    }
}

/// The two sides of the join below a guard, and a guard over something else.
struct Sides {
    visits: LogicalPlan,
    patients: LogicalPlan,
    right: Planned,
}

impl Sides {
    fn new() -> Sides {
        let right = of(&policy_text(), &format!("SELECT count(*) {JOIN}"));
        let Some(Operator::Private(guard)) = Operator::of(&right.plan) else { panic!("a guard") };
        let LogicalPlan::Join(join) = guard.input() else { panic!("a join") };
        Sides { patients: join.left.as_ref().clone(), visits: join.right.as_ref().clone(), right }
    }

    /// Both plans of a guard over another relation.
    fn over(&self, relation: LogicalPlan) -> Planned {
        let Some(Operator::Private(guard)) = Operator::of(&self.right.plan) else { panic!("a guard") };
        let session = of(&policy_text(), &format!("SELECT count(*) {JOIN}")).session;
        let physical = session.physical(relation.clone()).unwrap();
        Planned { plan: PrivateAggregate::plan(relation, guard.what().clone()).unwrap(), physical, session }
    }
}

fn key(table: &str, column: &str) -> Column {
    Column::new(Some(table.to_owned()), column)
}

/// Joins that no rewriter makes: on other keys, of another kind, with more conditions, of the same table, without a condition of the policy.
#[test]
fn joins_of_another_shape_are_stopped() {
    let sides = Sides::new();
    let house = policy(&policy_text());
    let joined = |kind: JoinType, left: Column, right: Column| {
        LogicalPlanBuilder::from(sides.patients.clone())
            .join(sides.visits.clone(), kind, (vec![left], vec![right]), None)
            .unwrap()
            .build()
            .unwrap()
    };
    let (id, patient) = (key("patients", "id"), key("visits", "patient"));
    let right = sides.over(joined(JoinType::Inner, id.clone(), patient.clone()));
    assert_eq!(verdict(&right, &house.policy, &TABLES), Ok(()));
    let on = LogicalPlanBuilder::from(sides.patients.clone());
    let shapes = [
        joined(JoinType::Inner, key("patients", "ward"), patient.clone()),
        joined(JoinType::Inner, id.clone(), key("visits", "note")),
        joined(JoinType::Inner, key("patients", "ward"), key("visits", "note")),
        joined(JoinType::Left, id.clone(), patient.clone()),
        joined(JoinType::Right, id.clone(), patient.clone()),
        joined(JoinType::Full, id.clone(), patient.clone()),
        joined(JoinType::LeftSemi, id.clone(), patient.clone()),
        joined(JoinType::LeftAnti, id.clone(), patient.clone()),
        on.clone().cross_join(sides.visits.clone()).unwrap().build().unwrap(),
        on.clone()
            .join(
                sides.visits.clone(),
                JoinType::Inner,
                (vec![id.clone()], vec![patient.clone()]),
                Some(col("visits.note").eq(lit("x"))),
            )
            .unwrap()
            .build()
            .unwrap(),
        // A row that is joined with itself, and one of the tables alone.
        on.clone()
            .join(
                LogicalPlanBuilder::from(sides.patients.clone()).alias("other").unwrap().build().unwrap(),
                JoinType::Inner,
                (vec![id.clone()], vec![key("other", "id")]),
                None,
            )
            .unwrap()
            .build()
            .unwrap(),
        sides.visits.clone(),
        sides.patients.clone(),
        LogicalPlanBuilder::from(joined(JoinType::Inner, id.clone(), patient.clone()))
            .limit(0, Some(1))
            .unwrap()
            .build()
            .unwrap(),
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let wrong = sides.over(shape);
        assert!(verdict(&wrong, &house.policy, &TABLES).is_err(), "shape {number}");
    }
    // The condition of a table above the join instead of on its own rows is no selection of that table.
    let bare = |plan: &LogicalPlan| {
        let LogicalPlan::Filter(filter) = plan else { panic!("a condition") };
        (filter.predicate.clone(), filter.input.as_ref().clone())
    };
    let (condition, visits) = bare(&sides.visits);
    let late = on
        .join(visits, JoinType::Inner, (vec![id], vec![patient]), None)
        .unwrap()
        .filter(condition)
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(
        verdict(&sides.over(late), &house.policy, &TABLES),
        Err("a condition of the policy is missing")
    );
}

/// The logical plan is right, and the engine would do something else.
#[test]
fn physical_plans_that_do_something_else_are_stopped() {
    let house = policy(&policy_text());
    let sides = Sides::new();
    let with = |physical: &Planned| Planned {
        plan: sides.right.plan.clone(),
        physical: Arc::clone(&physical.physical),
        session: of(&policy_text(), &format!("SELECT count(*) {JOIN}")).session,
    };
    let on = |left: Column, right: Column| {
        LogicalPlanBuilder::from(sides.patients.clone())
            .join(sides.visits.clone(), JoinType::Inner, (vec![left], vec![right]), None)
            .unwrap()
            .build()
            .unwrap()
    };
    let wrong = sides.over(on(key("patients", "ward"), key("visits", "note")));
    assert_eq!(verdict(&with(&wrong), &house.policy, &TABLES), Err("a join on columns that are no link"));
    let cross = LogicalPlanBuilder::from(sides.patients.clone()).cross_join(sides.visits.clone()).unwrap();
    let wrong = sides.over(cross.build().unwrap());
    assert!(verdict(&with(&wrong), &house.policy, &TABLES).is_err());
    let lax =
        policy_text().replace("where = \"note <> 'secret'\"", "where = \"note <> 'secret' AND gait > 0\"");
    let reads_more = of(&lax, &format!("SELECT count(*) {JOIN}"));
    assert!(verdict(&with(&reads_more), &house.policy, &TABLES).is_err());
    // A plan about both tables is none about one of them.
    assert_eq!(
        verdict(&sides.right, &house.policy, &["visits"]),
        Err("something else than selections below the guard")
    );
    assert!(verdict(&sides.right, &house.policy, &["visits", "meals"]).is_err());
}

/// A person with a key of two columns, and a physical plan that joins on one of them: two people could stand in a row.
#[test]
fn a_physical_join_on_part_of_the_person_is_stopped() {
    let text = policy_text()
        .replace("person = [\"id\"]", "person = [\"id\", \"name\"]")
        .replace(
            "links = { patient = \"patients.id\" }",
            "links = { patient = \"patients.id\", note = \"patients.name\" }",
        )
        .replace("where = \"note <> 'secret'\"\n", "");
    let house = policy(&text);
    for (job, from, to) in [
        ("patients", "person = \"id\"", "person = [\"id\", \"name\"]"),
        ("visits", "person = \"patient\"", "person = [\"patient\", \"note\"]"),
        ("meals", "person = \"patient\"", "person = [\"patient\", \"note\"]"),
    ] {
        let file = house.folder.path().join(format!("{job}.toml"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(file, text.replace(from, to)).unwrap();
    }
    let sql = "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id AND v.note = p.name";
    let planned = || planned(&house.policy, "research", "statistics", sql);
    let right = planned();
    assert_eq!(verdict(&right, &house.policy, &TABLES), Ok(()));
    let Some(Operator::Private(guard)) = Operator::of(&right.plan) else { panic!("a guard") };
    let LogicalPlan::Join(join) = guard.input() else { panic!("a join") };
    for (left, other) in [("id", "patient"), ("name", "note")] {
        let keys = (vec![key("patients", left)], vec![key("visits", other)]);
        let half = LogicalPlanBuilder::from(join.left.as_ref().clone())
            .join(join.right.as_ref().clone(), JoinType::Inner, keys, None)
            .unwrap()
            .build()
            .unwrap();
        let session = planned().session;
        let physical = session.physical(half).unwrap();
        let wrong = Planned { plan: right.plan.clone(), physical, session };
        assert_eq!(verdict(&wrong, &house.policy, &TABLES), Err("a join on part of the person"));
    }
}

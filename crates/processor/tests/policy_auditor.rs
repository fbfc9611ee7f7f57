//! Wrong rewriters are planted, and the auditor stops each of their plans.
//!
//! A rewriter that forgets a rule makes the plan that a laxer policy would give. So the plans of laxer policies are held against the strict one.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod planned;
mod ward;

use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col, lit};
use paravent_algebra::catalog::Catalog;
use paravent_algebra::operator::{Operator, PrivateAggregate};
use paravent_algebra::session::Session;
use paravent_policy::{Policy, check_columns};
use paravent_processor::adapt::{Way, adapt};
use paravent_processor::ask::{catalog, exact_figures};
use paravent_processor::audit::{Case, ExactFigures, ShownRows, audit, audit_exact, audit_rows};
use paravent_processor::kept::Form;
use paravent_processor::plan;
use paravent_processor::question::Question;
use planned::{Planned, planned, relations};
use std::sync::Arc;
use ward::{POLICY, Ward};

fn verdict(planned: &Planned, policy: &Policy, role: &str, purpose: &str) -> Result<(), &'static str> {
    let case = Case { policy, role, purpose, tables: &["patients"], form: Form::Whole };
    audit(case, &planned.plan, &planned.physical, &planned.session.context().state())
}

const COUNT: &str = "SELECT count(*) FROM patients";
const BY_AGE: &str = "SELECT age, count(*) FROM patients GROUP BY age";

/// What the wrong rewriter believes, and what it is asked.
fn plants() -> Vec<(String, &'static str)> {
    let swap = |from: &str, to: &str| {
        assert!(POLICY.contains(from), "{from}");
        POLICY.replace(from, to)
    };
    let age = "columns = [\"age\"]\nfilter = 1\ngroup = 1\naggregate = [\"count\"]";
    let zip = "columns = [\"zip\"]\nfilter = 3\ngroup = 3";
    vec![
        (swap(age, "columns = [\"age\"]\nfilter = 1\ngroup = true\naggregate = [\"count\"]"), BY_AGE),
        (
            swap(age, "columns = [\"age\"]\nfilter = true\ngroup = 1\naggregate = [\"count\"]"),
            "SELECT count(*) FROM patients WHERE age = 34",
        ),
        (
            swap(zip, "columns = [\"zip\"]\nfilter = 3\ngroup = 2"),
            "SELECT zip, count(*) FROM patients GROUP BY zip",
        ),
        (
            swap(zip, "columns = [\"zip\"]\nfilter = 1\ngroup = 3"),
            "SELECT count(*) FROM patients WHERE zip = '1000*'",
        ),
        (
            swap("filter = false\ngroup = true", "filter = true\ngroup = true"),
            "SELECT count(*) FROM patients WHERE diagnosis = 'hiv'",
        ),
        (
            swap(
                "columns = [\"name\", \"id\"]\ndeny = true",
                "columns = [\"name\"]\ngroup = true\naggregate = [\"count\"]",
            ),
            "SELECT name, count(*) FROM patients GROUP BY name",
        ),
        (
            swap(
                "columns = [\"name\", \"id\"]\ndeny = true",
                "columns = [\"name\"]\nfilter = true\naggregate = [\"count\"]",
            ),
            "SELECT count(*) FROM patients WHERE name = 'n17'",
        ),
        (swap("epsilon = \"0.5\"", "epsilon = \"0.6\""), COUNT),
        (swap("delta = \"1e-7\"", "delta = \"1e-5\""), BY_AGE),
        (
            swap("noise = { epsilon = \"0.25\" }\n", ""),
            "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
        ),
        (swap("contribution = 1\n", "contribution = 5\n"), COUNT),
        (swap("where = \"ward <> 'psychiatry'\"\n", ""), COUNT),
        (swap("ward <> 'psychiatry'", "ward <> 'surgery'"), COUNT),
        (swap("ward <> 'psychiatry'", "ward <> 'psychiatry' OR sex = 'f'"), COUNT),
        (swap("max = 20000", "max = 2000000"), "SELECT sum(salary) FROM patients"),
        (swap("min = 0, max = 20000", "min = -1, max = 20000"), "SELECT avg(salary) FROM patients"),
        (
            swap(age, "columns = [\"age\"]\nfilter = 1\ngroup = 1\naggregate = [\"count\", \"sum\"]")
                .replace("[tables.domain]\n", "[tables.domain]\nage = { min = 0, max = 100 }\n"),
            "SELECT sum(age) FROM patients",
        ),
        (
            swap("aggregate = [\"sum\", \"avg\"]", "group = true\naggregate = [\"count\"]"),
            "SELECT salary, count(*) FROM patients GROUP BY salary",
        ),
        (
            format!(
                "{POLICY}\n[[rules]]\nid = \"ward\"\ntable = \"patients\"\ncolumns = [\"ward\"]\ngroup = true\naggregate = [\"count\"]\n"
            ),
            "SELECT ward, count(*) FROM patients GROUP BY ward",
        ),
        (
            format!(
                "{POLICY}\n[[rules]]\nid = \"ward\"\ntable = \"patients\"\ncolumns = [\"ward\"]\nfilter = true\naggregate = [\"count\"]\n"
            ),
            "SELECT count(*) FROM patients WHERE ward = 'medicine'",
        ),
        (
            format!("{POLICY}\n[[rules]]\nid = \"more\"\ntable = \"patients\"\nwhere = \"age > 30\"\n")
                .replace("where = \"ward <> 'psychiatry'\"\n", ""),
            COUNT,
        ),
    ]
}

#[test]
fn the_auditor_stops_wrong_rewriters_and_lets_the_right_one_pass() {
    let strict = Ward::new();
    let plants = plants();
    assert!(plants.len() >= 20);
    for (number, (lax, sql)) in plants.iter().enumerate() {
        let lax = Ward::with(lax, "");
        let wrong = planned(&lax.policy, "research", "statistics", sql);
        assert!(verdict(&wrong, &strict.policy, "research", "statistics").is_err(), "plant {number}: {sql}");
        assert_eq!(
            verdict(&wrong, &lax.policy, "research", "statistics"),
            Ok(()),
            "plant {number} is right under its own policy: {sql}"
        );
    }
    for sql in
        [COUNT, BY_AGE, "SELECT sex, sum(salary), avg(salary) FROM patients WHERE zip = '10***' GROUP BY sex"]
    {
        let right = planned(&strict.policy, "research", "statistics", sql);
        assert_eq!(verdict(&right, &strict.policy, "research", "statistics"), Ok(()), "{sql}");
    }
}

#[test]
fn other_people_and_purposes_and_denied_tables_are_stopped() {
    let ward = Ward::new();
    let by_diagnosis = planned(
        &ward.policy,
        "research",
        "statistics",
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
    );
    assert_eq!(
        verdict(&by_diagnosis, &ward.policy, "research", "gait-study"),
        Err("a use that no rule grants")
    );
    let denied =
        Ward::with(&format!("{POLICY}\n[[rules]]\nid = \"closed\"\ntable = \"patients\"\ndeny = true\n"), "");
    let count = planned(&ward.policy, "research", "statistics", COUNT);
    assert_eq!(verdict(&count, &denied.policy, "research", "statistics"), Err("a table that is denied"));
}

/// Plans that no policy gives: the guard is missing, or something stands below it that the auditor does not know.
#[test]
fn plans_of_another_shape_are_stopped() {
    let ward = Ward::new();
    let right = planned(&ward.policy, "research", "statistics", COUNT);
    let Some(Operator::Private(guard)) = Operator::of(&right.plan) else { panic!("a guard") };
    let below = || LogicalPlanBuilder::from(guard.input().clone());
    let over = |relation: LogicalPlan| PrivateAggregate::plan(relation, guard.what().clone()).unwrap();
    let shapes = [
        guard.input().clone(),
        below().limit(0, Some(1)).unwrap().build().unwrap(),
        over(below().limit(0, Some(1)).unwrap().build().unwrap()),
        over(below().sort(vec![col("id").sort(true, true)]).unwrap().build().unwrap()),
        over(below().distinct().unwrap().build().unwrap()),
        over(below().union(guard.input().clone()).unwrap().build().unwrap()),
        over(below().project(vec![col("id"), lit(1).alias("one")]).unwrap().build().unwrap()),
        LogicalPlanBuilder::from(right.plan.clone()).limit(0, Some(1)).unwrap().build().unwrap(),
    ];
    for (number, plan) in shapes.into_iter().enumerate() {
        let physical = Arc::clone(&right.physical);
        let wrong = Planned { session: Session::new(Catalog::empty()).unwrap(), plan, physical };
        assert!(verdict(&wrong, &ward.policy, "research", "statistics").is_err(), "shape {number}");
    }
}

/// The rows of an exact question under a policy, and what is told of its figures.
fn exact(policy: &Policy, sql: &str) -> (Planned, ExactFigures) {
    let jobs = check_columns(policy).unwrap();
    let asker = policy.asker("research", "statistics").unwrap();
    let adapted = adapt(policy, asker, Question::read(sql).unwrap(), &jobs)
        .unwrap_or_else(|refusal| panic!("{sql}: {}", refusal.message));
    let session = Session::new(catalog(&adapted)).unwrap();
    let relations = relations(&adapted, policy, &session);
    let Way::Exact(threshold) = &adapted.way else { panic!("{sql}: noisy") };
    let plan = plan::existing(&adapted, &relations).unwrap();
    let physical = session.physical(plan.clone()).unwrap();
    (Planned { session, plan, physical }, exact_figures(&adapted, threshold))
}

/// Wrong rewriters of exact figures: laxer about trust, people, shares, noise, rows, figures and columns.
#[test]
fn wrong_rewriters_of_exact_figures_are_stopped() {
    let trusting = POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n")
        .replace("min_people = 10\n", "min_people = 10\ndominance = 0.5\n");
    let swap = |from: &str, to: &str| {
        assert!(trusting.contains(from), "{from}");
        trusting.replace(from, to)
    };
    let sum = "SELECT sum(salary) FROM patients";
    let plants = [
        (swap("min_people = 10\n", "min_people = 9\n"), COUNT),
        (swap("dominance = 0.5\n", "dominance = 0.6\n"), sum),
        (swap("dominance = 0.5\n", ""), sum),
        (swap("contribution = 1\n", "contribution = 2\n"), COUNT),
        (
            swap("aggregate = [\"sum\", \"avg\"]", "aggregate = [\"sum\", \"avg\", \"count\"]\ngroup = true"),
            "SELECT salary, count(*) FROM patients GROUP BY salary",
        ),
        (swap("where = \"ward <> 'psychiatry'\"\n", ""), COUNT),
        (swap("filter = 1\ngroup = 1", "filter = 1\ngroup = true"), BY_AGE),
        (
            swap(
                "columns = [\"name\", \"id\"]\ndeny = true",
                "columns = [\"name\"]\ngroup = true\naggregate = [\"count\"]",
            ),
            "SELECT name, count(*) FROM patients GROUP BY name",
        ),
        (swap("where = \"ward <> 'psychiatry'\"", "where = \"ward <> 'psychiatry' AND name <> 'x'\""), COUNT),
    ];
    let strict = Ward::with(&trusting, "");
    let verdict = |(planned, figures): &(Planned, ExactFigures), policy: &Policy| {
        let case = Case {
            policy,
            role: "research",
            purpose: "statistics",
            tables: &["patients"],
            form: Form::Whole,
        };
        audit_exact(case, figures, &planned.plan, &planned.physical, &planned.session.context().state())
    };
    for (number, (lax, sql)) in plants.iter().enumerate() {
        let lax = Ward::with(lax, "");
        let wrong = exact(&lax.policy, sql);
        assert!(verdict(&wrong, &strict.policy).is_err(), "plant {number}: {sql}");
        assert_eq!(verdict(&wrong, &lax.policy), Ok(()), "plant {number} is right under its own policy");
    }
    // The plan of a trusted recipient, given to one who is not, and where a rule asks for noise.
    let right = exact(&strict.policy, COUNT);
    assert_eq!(verdict(&right, &strict.policy), Ok(()));
    for stricter in [
        swap("trust = \"trusted\"\n", ""),
        swap("where = \"ward", "noise = { epsilon = \"1\" }\nwhere = \"ward"),
        trusting.replacen("aggregate = [\"count\"]", "aggregate = []", 1),
    ] {
        assert!(verdict(&right, &Ward::with(&stricter, "").policy).is_err());
    }
}

/// A column is read as it is only where a condition of the policy names it: that its name stands inside a constant is no reason.
#[test]
fn a_name_inside_a_constant_of_a_condition_is_no_reason_to_read_a_column() {
    let named = POLICY.replace("ward <> 'psychiatry'", "ward <> 'name'");
    let wrong = named.replace("ward <> 'name'", "ward <> 'name' AND name <> 'x'");
    let (named, wrong) = (Ward::with(&named, ""), Ward::with(&wrong, ""));
    let mut reads_more = planned(&wrong.policy, "research", "statistics", COUNT);
    let right = planned(&named.policy, "research", "statistics", COUNT);
    // The logical plan is right, and the physical one reads more.
    reads_more.plan = right.plan;
    assert_eq!(
        verdict(&reads_more, &named.policy, "research", "statistics"),
        Err("a column as it is, without a reason")
    );
}

/// Rows under a policy, without a look of the auditor.
fn shown(policy: &Policy, sql: &str) -> (Planned, ShownRows) {
    let jobs = check_columns(policy).unwrap();
    let asker = policy.asker("research", "statistics").unwrap();
    let adapted = adapt(policy, asker, Question::read(sql).unwrap(), &jobs).unwrap();
    let session = Session::new(catalog(&adapted)).unwrap();
    let relations = relations(&adapted, policy, &session);
    let Way::Rows(demand) = &adapted.way else { panic!("{sql}: no rows") };
    let plan = plan::existing(&adapted, &relations).unwrap();
    let physical = session.physical(plan.clone()).unwrap();
    let rows = ShownRows { k: demand.k, models: demand.models.clone(), together: demand.together.clone() };
    (Planned { session, plan, physical }, rows)
}

fn verdict_on_rows((planned, rows): &(Planned, ShownRows), policy: &Policy) -> Result<(), &'static str> {
    let case =
        Case { policy, role: "research", purpose: "statistics", tables: &["patients"], form: Form::Whole };
    audit_rows(case, rows, &planned.plan, &planned.physical, &planned.session.context().state())
}

/// Wrong rewriters of rows: laxer about people, models, levels, columns and conditions.
#[test]
fn wrong_rewriters_of_rows_are_stopped() {
    let showing = POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("columns = [\"age\"]\n", "columns = [\"age\"]\nshow = 1\n")
        .replace("columns = [\"diagnosis\"]\n", "columns = [\"diagnosis\"]\nshow = true\n")
        .replace(
            "min_people = 10\n",
            "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 12 }, { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 3 }]\n",
        );
    let swap = |from: &str, to: &str| {
        assert!(showing.contains(from), "{from}");
        showing.replace(from, to)
    };
    let sql = "SELECT age, diagnosis FROM patients";
    let verdict = verdict_on_rows;
    let strict = Ward::with(&showing, "");
    let plants = [
        swap("k = 12", "k = 11"),
        swap("l = 3", "l = 2"),
        swap(", { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 3 }", ""),
        swap("show = 1\n", "show = true\n"),
        swap("where = \"ward <> 'psychiatry'\"\n", ""),
    ];
    for (number, lax) in plants.iter().enumerate() {
        let lax = Ward::with(lax, "");
        let wrong = shown(&lax.policy, sql);
        assert!(verdict(&wrong, &strict.policy).is_err(), "plant {number}");
        assert_eq!(verdict(&wrong, &lax.policy), Ok(()), "plant {number} is right under its own policy");
    }
    // Chosen by a column that a model is about, though it is not shown.
    let chosen = shown(&strict.policy, "SELECT age, diagnosis FROM patients WHERE sex = 'f'");
    assert_eq!(verdict(&chosen, &strict.policy), Ok(()));
    let protected =
        swap("l = 3 }", "l = 3 }, { model = \"distinct-l-diversity\", attribute = \"sex\", l = 2 }");
    let found = verdict(&chosen, &Ward::with(&protected, "").policy);
    assert_eq!(found, Err("rows chosen by a column that a demand protects"));
    let right = shown(&strict.policy, sql);
    assert_eq!(verdict(&right, &strict.policy), Ok(()));
    for stricter in [
        swap("min_people = 10\n", "min_people = 20\n"),
        swap("show = 1\n", "show = false\n"),
        swap("show = true\n", "noise = { epsilon = \"1\" }\nshow = true\n"),
        swap("columns = [\"name\", \"id\"]", "columns = [\"name\", \"id\", \"age\"]"),
    ] {
        assert!(verdict(&right, &Ward::with(&stricter, "").policy).is_err());
    }
}

/// Wrong rewriters of sliced rows: for somebody else's analysis, against the means of a demand, with other columns, beside a model that slices do not keep.
#[test]
fn wrong_rewriters_of_slices_are_stopped() {
    let slicing = POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("columns = [\"age\"]\n", "columns = [\"age\"]\nshow = 1\n")
        .replace("columns = [\"diagnosis\"]\n", "columns = [\"diagnosis\"]\nshow = true\n")
        .replace(
            "min_people = 10\n",
            "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 12 }]\n[[analyses]]\nregression = [[\"age\", \"diagnosis\"]]\n",
        );
    let right = shown(&Ward::with(&slicing, "").policy, "SELECT age, diagnosis FROM patients");
    assert_eq!(right.1.together, [["age", "diagnosis"]]);
    assert_eq!(verdict_on_rows(&right, &Ward::with(&slicing, "").policy), Ok(()));
    let stricter = [
        slicing.replace("[[analyses]]\n", "[[analyses]]\nfor = { purpose = \"gait-study\" }\n"),
        slicing.replace("[[analyses]]\n", "[[analyses]]\nfor = { role = \"students\" }\n"),
        slicing.replace("regression = [[\"age\", \"diagnosis\"]]", "regression = [[\"age\", \"sex\"]]"),
        slicing.replace("min_people = 10\n", "min_people = 10\noperators = [\"generalize\", \"noise\"]\n"),
        slicing.replace(
            "k = 12 }]",
            "k = 12 }, { model = \"entropy-l-diversity\", attribute = \"salary\", l = 2 }]",
        ),
    ];
    for (number, strict) in stricter.iter().enumerate() {
        assert!(verdict_on_rows(&right, &Ward::with(strict, "").policy).is_err(), "plant {number}");
    }
}

/// A rewriter that forgets that half of a mean is its sum.
#[test]
fn means_whose_sums_are_denied_are_stopped_before_they_leave_in_halves() {
    let mean = "SELECT avg(salary) FROM patients";
    for (sums, expected) in
        [("[\"sum\", \"avg\"]", Ok(())), ("[\"avg\"]", Err("a figure that a rule does not allow"))]
    {
        let text = POLICY.replace("[\"sum\", \"avg\"]", sums);
        let ward = Ward::with(&text, "");
        let noisy = planned(&ward.policy, "research", "statistics", mean);
        let case = |form| Case {
            policy: &ward.policy,
            role: "research",
            purpose: "statistics",
            tables: &["patients"],
            form,
        };
        let state = noisy.session.context().state();
        assert_eq!(audit(case(Form::Whole), &noisy.plan, &noisy.physical, &state), Ok(()));
        assert_eq!(audit(case(Form::Part), &noisy.plan, &noisy.physical, &state), expected);
        let trusting = text
            .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
            .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n");
        let ward = Ward::with(&trusting, "");
        let (plan, figures) = exact(&ward.policy, mean);
        let state = plan.session.context().state();
        for (form, expected) in [(Form::Whole, Ok(())), (Form::Part, expected)] {
            let case = Case {
                policy: &ward.policy,
                role: "research",
                purpose: "statistics",
                tables: &["patients"],
                form,
            };
            assert_eq!(audit_exact(case, &figures, &plan.plan, &plan.physical, &state), expected);
        }
    }
}

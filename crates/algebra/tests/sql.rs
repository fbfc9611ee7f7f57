//! Relation functions in FROM: what they plan, and what they refuse.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::operator::{Buckets, Distribution, Operator, Overlap, Tails};
use paravent_algebra::sql::{Draws, OperatorPlanner, Request, whole_plan};
use paravent_job::{Job, Model};
use std::sync::Arc;

const JOB: &str = r#"
version = 1
input.path = "patients.csv"
attributes = [
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier" },
  { name = "sex", role = "quasi-identifier", hierarchy = { order = [["f", "m"], ["x"]] } },
  { name = "zip", role = "quasi-identifier" },
  { name = "diagnosis", role = "sensitive" },
]
privacy.suppression_limit = 0.1
privacy.models = [{ model = "k-anonymity", k = 3 }, { model = "distinct-l-diversity", attribute = "diagnosis", l = 2 }]
"#;

fn catalog() -> Catalog {
    Catalog::of_job(Job::parse(JOB, "paravent.toml".as_ref()).unwrap())
}

fn session(catalog: Catalog) -> SessionContext {
    let planner = OperatorPlanner { catalog: Arc::new(catalog), draws: Arc::new(Draws::default()) };
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_relation_planners(vec![Arc::new(planner)])
        .build();
    let context = SessionContext::new_with_state(state);
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        text("name"),
        Field::new("age", DataType::Int64, true),
        text("sex"),
        text("zip"),
        text("Ward"),
        text("diagnosis"),
    ]));
    let table = || Arc::new(MemTable::try_new(Arc::clone(&schema), vec![vec![]]).unwrap());
    context.register_table("patients", table()).unwrap();
    context.register_table("others", table()).unwrap();
    context
}

async fn planned(catalog: Catalog, sql: &str) -> Result<LogicalPlan, String> {
    let (Request::Rows(statement) | Request::Explain(statement)) =
        Request::parse(sql).map_err(|error| error.strip_backtrace())?
    else {
        panic!("a query");
    };
    let plan = session(catalog).state().statement_to_plan(statement).await;
    let plan = plan.map_err(|error| error.strip_backtrace())?;
    whole_plan(&plan).map_err(|error| error.strip_backtrace())?;
    Ok(plan)
}

async fn plan(sql: &str) -> LogicalPlan {
    planned(catalog(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[track_caller]
fn says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}

async fn refused(sql: &str, parts: &[&str]) {
    match planned(catalog(), sql).await {
        Ok(plan) => panic!("{sql} was planned: {}", plan.display_indent()),
        Err(error) => says(&error, parts),
    }
}

/// The operators of a plan from the top, in one line each.
fn operators(plan: &LogicalPlan) -> Vec<String> {
    let shown = plan.display_indent().to_string();
    let ours = ["Generalize", "Slice", "Randomize", "Private"];
    let lines = shown.lines().map(str::trim).filter(|line| ours.iter().any(|name| line.starts_with(name)));
    lines.map(str::to_owned).collect()
}

/// The first operator from the top.
fn top(plan: &LogicalPlan) -> LogicalPlan {
    let mut plan = plan;
    while Operator::of(plan).is_none() {
        plan = plan.inputs()[0];
    }
    plan.clone()
}

#[tokio::test]
async fn a_relation_is_a_query_or_a_table_name_or_another_call() {
    for sql in [
        "SELECT * FROM generalize((SELECT * FROM patients), quasi => (age, sex), k => 5)",
        "SELECT * FROM generalize(patients, quasi => (age, sex), k => 5)",
        "SELECT * FROM GENERALIZE((patients), quasi => (sex, age), k => 5) AS g",
        "EXPLAIN SELECT * FROM generalize(datafusion.public.patients, quasi => (age, sex), k => 5)",
        "WITH p AS (SELECT * FROM patients) SELECT * FROM generalize(p, quasi => (age, sex), k => 5)",
        "WITH p AS (SELECT * FROM generalize(patients, quasi => (age, sex), k => 5)) SELECT * FROM p",
        "SELECT * FROM others JOIN generalize(patients, quasi => (age, sex), k => 5) AS g ON others.id = g.id",
    ] {
        assert_eq!(operators(&plan(sql).await), ["Generalize: [age, sex], k = 5"], "{sql}");
    }
    let nested = "SELECT * FROM randomize(generalize(slice(patients, groups => ((id), (\"Ward\"), (age), (sex, zip), (diagnosis)), \
                  bucket => 3, allow_identifying => true), quasi => (age), k => 2), columns => (diagnosis), p => 0.1)";
    let lines = operators(&plan(nested).await);
    assert_eq!(lines[0], "Randomize: diagnosis 0.1");
    assert_eq!(lines[1], "Generalize: [age], k = 2");
    assert_eq!(lines[2], "Slice: {id} {Ward} {age} {sex, zip} {diagnosis}, buckets of 3");
}

#[tokio::test]
async fn the_alias_qualifies_the_result_and_no_projection_is_left_between() {
    let plan =
        plan("SELECT g.age FROM generalize(patients, quasi => (patients.age), k => 5) g WHERE g.sex = 'f'")
            .await;
    let shown = plan.display_indent().to_string();
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(lines[0], "Projection: g.age");
    assert_eq!(lines[2], "SubqueryAlias: g");
    assert_eq!(lines[3], "Generalize: [age], k = 5");
    assert!(lines[4].starts_with("Projection: patients.id, patients.age, "), "all but the name: {shown}");
    assert!(lines[5].starts_with("TableScan: patients"), "{shown}");
}

#[tokio::test]
async fn the_job_fills_in_what_is_not_said() {
    let plan = plan("SELECT * FROM generalize((SELECT age, zip, diagnosis FROM patients))").await;
    let plan = top(&plan);
    let Some(Operator::Generalize(generalize)) = Operator::of(&plan) else {
        panic!("{}", plan.display_indent())
    };
    let quasi: Vec<&str> = generalize.what().quasi.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(quasi, ["age", "zip"]);
    assert_eq!(generalize.what().promise.models.len(), 2);
    assert_eq!(generalize.what().promise.suppression_limit.as_str(), "0.1");
    let plan = self::plan("SELECT * FROM generalize((SELECT age, zip FROM patients))").await;
    assert_eq!(
        operators(&plan),
        ["Generalize: [age, zip], k = 3, suppression = 0.1"],
        "no diagnosis, no l-diversity"
    );
}

#[tokio::test]
async fn k_l_and_t_become_models() {
    let sql = "SELECT * FROM generalize(patients, quasi => (age), k => 5, l => 3, t => 0.2, distance => 'equal', suppression => 0.05)";
    let plan = top(&plan(sql).await);
    let Some(Operator::Generalize(generalize)) = Operator::of(&plan) else { panic!("no generalize") };
    let promise = &generalize.what().promise;
    assert_eq!(promise.models[0], Model::KAnonymity(paravent_job::models::KAnonymity { k: 5 }));
    assert_eq!(
        promise.models[1],
        Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
            attribute: "diagnosis".into(),
            l: 3
        })
    );
    assert!(
        matches!(&promise.models[2], Model::TCloseness(paravent_job::models::TCloseness { t, .. }) if t.as_str() == "0.2")
    );
    let written = "SELECT * FROM generalize(patients, quasi => (age), models => '[{ model = \"k-anonymity\", k = 4 }, \
                   { model = \"entropy-l-diversity\", attribute = \"zip\", l = 2.5 }]', metric => 'loss', algorithm => flash)";
    let plan = top(&self::plan(written).await);
    let Some(Operator::Generalize(generalize)) = Operator::of(&plan) else { panic!("no generalize") };
    assert_eq!(generalize.what().promise.models.len(), 2);
    assert_eq!(generalize.what().promise.search.metric.name(), "loss");
}

#[tokio::test]
async fn mistakes_in_generalize_name_the_argument_and_what_is_known() {
    let call = |rest: &str| format!("SELECT * FROM generalize(patients{rest})");
    for (rest, parts) in [
        (", quasi => (agee), k => 5", &["generalize: quasi", "\"agee\"", "did you mean age?", "zip"][..]),
        (", qasi => (age), k => 5", &["no argument \"qasi\"", "did you mean quasi?"]),
        (", quasi => (age), k => 'five'", &["generalize: k", "a text where a number is expected"]),
        (", quasi => (age), k => 0", &["generalize: k", "1 or more"]),
        (", quasi => (age), k => 5, k => 6", &["k is given twice"]),
        (", quasi => (age, age), k => 5", &["named twice"]),
        (", quasi => (age), 5", &["only the relation comes without a name"]),
        (", quasi => (age), l => 2, sensitive => age", &["cannot be protected and be a quasi-identifier"]),
        (", quasi => (age), k => 5, sensitive => zip", &["sensitive means nothing without l or t"]),
        (", quasi => (age), k => 5, suppression => 1", &["suppression", "below 1"]),
        (", quasi => (age), k => 5, metric => 'nuen'", &["metric", "did you mean nuem?"]),
        (", quasi => (age), t => 0.2, distance => hierarchical", &["needs a hierarchy of diagnosis"]),
        (", quasi => (age), models => '[{ model = \"k-anonimity\", k = 5 }]'", &["models", "k-anonymity"]),
        (", quasi => (age), k => 2 + 3", &["generalize: k", "2 + 3"]),
        (", quasi => (age), k => 5, recoding => 'lokal'", &["recoding", "did you mean local?"]),
        (", quasi => (age), k => 5, moves => 9", &["moves means nothing without recoding"]),
        (", quasi => (others.age), k => 3", &["no column \"others.age\""]),
    ] {
        refused(&call(rest), parts).await;
    }
    let alone =
        planned(Catalog::empty(), "SELECT * FROM generalize(patients, quasi => (age))").await.unwrap_err();
    says(&alone, &["what is promised?", "k => 5"]);
    let alone = planned(Catalog::empty(), "SELECT * FROM generalize(patients, k => 5)").await.unwrap_err();
    says(&alone, &["no quasi-identifier is known", "quasi => (age, sex)"]);
    refused("SELECT * FROM generalize()", &["the first argument is a table's name"]).await;
    refused("SELECT * FROM generalize('patients', k => 5)", &["the first argument is a table's name"]).await;
    refused("SELECT * FROM generalize(nobody, k => 5)", &["nobody"]).await;
}

#[tokio::test]
async fn names_follow_the_rules_of_sql() {
    let quasi = |quasi: &str| format!("SELECT * FROM generalize(patients, quasi => ({quasi}), k => 5)");
    for written in ["AGE", "\"age\"", "patients.Age", "PATIENTS.age", "'age'"] {
        assert_eq!(operators(&plan(&quasi(written)).await), ["Generalize: [age], k = 5"], "{written}");
    }
    assert_eq!(operators(&plan(&quasi("ward")).await), ["Generalize: [Ward], k = 5"]);
    refused(&quasi("\"WARD\""), &["no column \"WARD\"", "did you mean Ward?"]).await;
    let both = "SELECT * FROM generalize((SELECT * FROM patients p JOIN others o ON p.id = o.id), quasi => (age), k => 5)";
    refused(both, &["\"age\" is the name of several columns"]).await;
    let one = "SELECT * FROM generalize((SELECT * FROM patients p JOIN others o ON p.id = o.id), quasi => (o.age), k => 5)";
    assert_eq!(operators(&plan(one).await), ["Generalize: [age], k = 5"]);
}

#[tokio::test]
async fn slice_takes_buckets_in_four_ways() {
    let from = "SELECT * FROM slice((SELECT age, sex, zip, diagnosis FROM patients), groups => ((age, diagnosis), (sex, zip))";
    let buckets = async |rest: &str| {
        let plan = top(&plan(&format!("{from}, {rest})")).await);
        let Some(Operator::Slice(slice)) = Operator::of(&plan) else { panic!("no slice") };
        (slice.what().buckets.clone(), slice.what().least_rows, slice.what().overlap)
    };
    assert_eq!(buckets("bucket => 50").await, (Buckets::Size(50), 2, Overlap::Forbidden));
    assert_eq!(buckets("buckets => 200, minimum => 5").await, (Buckets::Count(200), 5, Overlap::Forbidden));
    assert!(matches!(buckets("by => sex").await.0, Buckets::By(column) if column.name == "sex"));
    let Buckets::Classes(classes) = buckets("within => 5, quasi => (zip, age)").await.0 else {
        panic!("no classes")
    };
    assert_eq!(classes.promise.k(), 5);
    let quasi: Vec<&str> = classes.quasi.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(quasi, ["age", "zip"]);
    for (rest, parts) in [
        ("bucket => 50, buckets => 3", &["bucket, buckets exclude each other"][..]),
        ("minimum => 3", &["where are rows mixed?"]),
        ("bucket => 50, quasi => (age)", &["quasi means nothing without within"]),
        ("bucket => 1", &["2 or more"]),
        ("bucket => 50, minimum => 1", &["2 or more"]),
    ] {
        refused(&format!("{from}, {rest})"), parts).await;
    }
}

#[tokio::test]
async fn a_group_with_the_whole_quasi_identifier_is_refused() {
    let from = "SELECT * FROM slice((SELECT age, sex, zip, diagnosis FROM patients), bucket => 3, groups =>";
    let whole = format!("{from} ((age, sex, zip), (diagnosis))");
    refused(&format!("{whole})"), &["group 1 holds all of age, sex, zip", "allow_identifying => true"]).await;
    assert_eq!(operators(&plan(&format!("{whole}, allow_identifying => true)")).await).len(), 1);
    let spread = format!("{from} ((age, sex), (zip, diagnosis))");
    assert_eq!(operators(&plan(&format!("{spread})")).await).len(), 1);
    refused(&format!("{spread}, identifying => (zip, diagnosis))"), &["group 2 holds all of zip, diagnosis"])
        .await;
    refused(
        &format!("{spread}, identifying => ((age, zip), (sex, age)))"),
        &["group 1 holds all of sex, age"],
    )
    .await;
    let named = "SELECT * FROM slice((SELECT name, diagnosis FROM patients), bucket => 3, groups => ((name), (diagnosis)))";
    refused(named, &["identifying"]).await;
    let argued = "SELECT * FROM slice(patients, bucket => 3, groups => ((name), (diagnosis)))";
    refused(argued, &["identifying"]).await;
    // Neither under another name nor with somebody's consent; what a star stands for is without it.
    let renamed = "SELECT * FROM slice((SELECT upper(name) AS n, diagnosis FROM patients), bucket => 3, \
                   groups => ((n), (diagnosis)), allow_identifying => true)";
    refused(renamed, &["identifying"]).await;
    let selected = "SELECT * FROM slice((SELECT name, age, diagnosis FROM patients), bucket => 3, groups => ((age), (diagnosis)))";
    refused(selected, &["\"name\" is identifying", "do not select it"]).await;
    let dropped =
        "SELECT * FROM slice(patients, bucket => 3, groups => ((age), (sex, zip, \"Ward\", diagnosis, id)))";
    assert!(!plan(dropped).await.schema().fields().iter().any(|field| field.name() == "name"));
    // A column by which buckets are made is known to every group.
    let by = "SELECT * FROM slice((SELECT age, sex, diagnosis FROM patients), groups => ((age, sex), (diagnosis)), allow_identifying => true, ";
    refused(&format!("{by} by => diagnosis)"), &["every row would leave as it came"]).await;
    let apart = by.replace("(age, sex)", "(age), (sex)");
    refused(&format!("{apart} by => diagnosis, sensitive => diagnosis)"), &["sensitive"]).await;
    refused(&format!("{apart} bucket => 3, l => 1)"), &["slice: l: 1 is not possible"]).await;
    let one =
        "SELECT * FROM slice((SELECT age, diagnosis FROM patients), bucket => 3, groups => (age, diagnosis))";
    assert_eq!(operators(&plan(one).await), ["Slice: {age} {diagnosis}, buckets of 3"]);
    let shared = format!("{from} ((age, sex), (zip, sex, diagnosis))");
    refused(&format!("{shared})"), &["\"sex\" is in several groups"]).await;
    assert_eq!(operators(&plan(&format!("{shared}, overlap => 2)")).await).len(), 1);
}

async fn law(written: &str) -> Distribution {
    let plan =
        top(&plan(&format!("SELECT * FROM randomize(patients, columns => ((sex, 0.2, {written})))")).await);
    let Some(Operator::Randomize(randomize)) = Operator::of(&plan) else { panic!("no randomize") };
    randomize.what().noise[0].1.distribution.clone()
}

#[tokio::test]
async fn randomize_takes_a_probability_and_a_distribution_per_column() {
    let plan = plan(
        "SELECT * FROM randomize(patients, columns => (sex, (zip, 0.3), (diagnosis, 4/1461)), p => 0.2)",
    )
    .await;
    assert_eq!(operators(&plan), ["Randomize: diagnosis 4/1461, sex 0.2, zip 0.3"]);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        law("uniform").await,
        Distribution::Uniform { domain: Some(texts(&["f", "m", "x"])) },
        "from the hierarchy"
    );
    assert_eq!(law("'uniform'").await, law("uniform").await);
    assert_eq!(
        law("uniform('m', 'f', 'm')").await,
        Distribution::Uniform { domain: Some(texts(&["f", "m"])) }
    );
    assert_eq!(law("learnt").await, Distribution::Learnt);
    let Distribution::Given(weights) = law("given(('m', 0.25), ('f', 3/4))").await else { panic!("given") };
    assert_eq!(weights[0].0, "f");
    let Distribution::Steps { domain, steps, tails } =
        law("steps((1, 0.5), (-1, 0.5), tails => cyclic)").await
    else {
        panic!("steps")
    };
    assert_eq!((domain, tails), (texts(&["f", "m", "x"]), Tails::Cyclic));
    assert_eq!(steps.iter().map(|step| step.by).collect::<Vec<_>>(), [-1, 1]);
    let general =
        "SELECT * FROM randomize(patients, columns => (age, zip), p => 0.5, distribution => uniform(1, 2))";
    assert_eq!(operators(&self::plan(general).await), ["Randomize: age 0.5, zip 0.5"]);
}

/// ε instead of a probability: the smallest one that keeps it, as the command takes it.
#[tokio::test]
async fn randomize_takes_an_epsilon_per_column() {
    let over = |columns: &str| format!("SELECT * FROM randomize(patients, columns => ({columns}))");
    let plan = plan(&over("(sex, epsilon(1), uniform('f', 'm')), (zip, 0.3)")).await;
    // 2 / (1 + e), rounded up to a billionth.
    assert_eq!(operators(&plan), ["Randomize: sex 0.537882843, zip 0.3"]);
    let given = self::plan(&over("(sex, epsilon(0.5), given(('f', 0.5), ('m', 0.25), (NULL, 0.25)))")).await;
    assert_eq!(operators(&given), ["Randomize: sex 0.860451675"]);
}

#[tokio::test]
async fn mistakes_in_randomize_name_the_column() {
    let call = |rest: &str| format!("SELECT * FROM randomize(patients, {rest})");
    for (rest, parts) in [
        ("p => 0.2", &["which columns?"][..]),
        ("columns => (sex)", &["how likely is sex redrawn?"]),
        ("columns => (sex), p => 1.5", &["randomize: p", "from 0 to 1"]),
        ("columns => ((sex, epsilon(1), learnt))", &["sex", "needs the values"]),
        ("columns => ((sex, epsilon(1, 0.1), uniform('f', 'm')))", &["sex", "paravent noise"]),
        ("columns => ((sex, epsilon(0), uniform('f', 'm')))", &["sex", "epsilon"]),
        ("columns => ((sex, delta(1), uniform('f', 'm')))", &["sex", "epsilon(…) is expected"]),
        ("columns => ((sex, epsilon(1), steps((1, 1), tails => cyclic)))", &["sex", "steps have the ε"]),
        ("columns => ((sex, 3/2))", &["columns: sex", "from 0 to 1"]),
        ("columns => ((sex, 0.1, uniforn))", &["did you mean uniform?"]),
        ("columns => ((sex, 0.1, given(('f', 0.5), ('m', 0.4))))", &["sum to 1"]),
        ("columns => ((sex, 0.1, given(('f', 0.5), ('f', 0.5))))", &["given twice"]),
        ("columns => ((zip, 0.1, steps((1, 1))))", &["domain => ("]),
        ("columns => ((sex, 0.1, steps((1.5, 1))))", &["whole number of places"]),
        ("columns => ((sex, 0.1, steps((1, 1), tail => cyclic)))", &["did you mean tails?"]),
        ("columns => ((sex, 0.1, uniform, 4))", &["(name, p, distribution)"]),
        ("columns => (sex, sex), p => 0.1", &["named twice"]),
    ] {
        refused(&call(rest), parts).await;
    }
}

#[tokio::test]
async fn what_an_operator_cannot_stand_on_is_refused() {
    let g = |relation: &str| format!("SELECT * FROM generalize({relation}, quasi => (age), k => 5)");
    refused(&g("(SELECT age, random() AS r FROM patients)"), &["generalize", "random()"]).await;
    refused(&g("(SELECT age FROM patients WHERE random() < 0.5)"), &["random()"]).await;
    refused(&g("(SELECT age FROM patients ORDER BY uuid() LIMIT 3)"), &["uuid()"]).await;
    plan(&g("(SELECT age, now() AS n FROM patients)")).await;
    plan(&g("(SELECT age FROM patients WHERE id IN (SELECT id FROM others))")).await;
    plan(&g("(SELECT age FROM patients p WHERE EXISTS (SELECT 1 FROM others o WHERE o.id = p.id))")).await;
    let inner = "(SELECT p.age FROM patients p, LATERAL (SELECT o.zip FROM others o WHERE o.id = p.id) AS z)";
    plan(&g(inner)).await;
    let twice = "SELECT * FROM others o WHERE EXISTS (SELECT * FROM generalize((SELECT age FROM patients p WHERE p.id IN \
                 (SELECT q.id FROM patients q WHERE q.zip = o.zip AND q.sex = p.sex)), quasi => (age), k => 5))";
    refused(twice, &["may not refer to o.zip"]).await;
    let correlated = "SELECT * FROM others o WHERE EXISTS (SELECT * FROM generalize((SELECT * FROM patients p WHERE p.id = o.id), \
                      quasi => (age), k => 5))";
    refused(correlated, &["may not refer to"]).await;
    let lateral = "SELECT * FROM others o, LATERAL (SELECT * FROM generalize((SELECT * FROM patients p WHERE p.id = o.id), \
                   quasi => (age), k => 5)) AS g";
    refused(lateral, &["may not refer to"]).await;
    let inside =
        "SELECT (SELECT count(*) FROM generalize(patients, quasi => (age), k => 5)) AS n FROM others";
    refused(inside, &["put it into FROM or WITH"]).await;
    refused(
        "SELECT * FROM others WHERE id IN (SELECT id FROM generalize(patients, quasi => (age), k => 5))",
        &["put it into FROM or WITH"],
    )
    .await;
    let recursive = "WITH RECURSIVE r AS (SELECT 1 AS age UNION ALL SELECT age + 1 FROM \
                     randomize(r, columns => (age), p => 0.5) WHERE age < 5) SELECT * FROM r";
    refused(recursive, &["recursive"]).await;
    let above = "WITH RECURSIVE r AS (SELECT 1 AS age UNION ALL SELECT age + 1 FROM r WHERE age < 5) \
                 SELECT * FROM randomize(r, columns => (age), p => 0.5)";
    plan(above).await;
}

#[test]
fn only_reading_is_possible() {
    for sql in [
        "INSERT INTO patients VALUES (1)",
        "DELETE FROM patients",
        "UPDATE patients SET age = 1",
        "DROP TABLE patients",
        "CREATE TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "COPY patients TO '/tmp/out.csv'",
        "COPY (SELECT * FROM patients) TO '/tmp/out.csv'",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN COPY patients TO '/tmp/out.csv'",
        "EXPLAIN (ANALYZE TRUE) SELECT 1",
        "SET datafusion.sql_parser.recursion_limit = 100000",
        "SET paravent = 1",
        "RESET datafusion.execution.batch_size",
        "SELECT 1; SELECT 2",
        "",
        ";",
        "nonsense",
    ] {
        assert!(Request::parse(sql).is_err(), "{sql}");
    }
    let Request::Set { name, value } = Request::parse("SET paravent.partial = true").unwrap() else {
        panic!("a setting")
    };
    assert_eq!((name.as_str(), value.as_str()), ("partial", "true"));
    assert!(matches!(Request::parse("SHOW TABLES").unwrap(), Request::Rows(_)));
    assert!(matches!(Request::parse("DESCRIBE patients").unwrap(), Request::Rows(_)));
}

/// On a thread with as much stack as the session gives its own.
fn hostile(sql: String) -> String {
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(planned(catalog(), &sql)).map_or_else(|error| error, |_| "planned".to_owned())
    };
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap()
}

#[test]
fn hostile_statements_are_errors_and_never_end_the_program() {
    let nested = |n: usize, open: &str, core: &str, close: &str| {
        format!("{}{core}{}", open.repeat(n), close.repeat(n))
    };
    let select = |what: String| format!("SELECT {what}");
    for sql in [
        select(nested(1_000, "(", "1", ")")),
        select(nested(1_000, "-", "1", "")),
        select(nested(1_000, "NOT ", "true", "")),
        nested(1_000, "SELECT * FROM (", "SELECT 1", ")"),
        nested(1_000, "SELECT * FROM generalize((", "SELECT * FROM patients", "), quasi => (age), k => 5)"),
        format!("SELECT * FROM {}", nested(1_000, "generalize(", "patients", ", quasi => (age), k => 5)")),
        format!("SELECT * FROM generalize(patients, quasi => {}, k => 5)", nested(50, "(", "age", ")")),
        select("1 + ".repeat(100_000) + "1"),
        "SELECT 1 UNION ALL ".repeat(5_000) + "SELECT 1",
        format!("SELECT * FROM {}", vec!["patients"; 5_000].join(", ")),
        format!("SELECT * FROM patients {}", "JOIN patients USING (id) ".repeat(5_000)),
        nested(2_000, "WITH a AS (", "SELECT 1", ") SELECT * FROM a"),
        format!("SELECT * FROM generalize(patients, k => {})", "9".repeat(1_000)),
        "SELECT '".to_owned(),
        "SELECT * FROM generalize(patients, k =>".to_owned(),
        "SELECT * FROM generalize((SELECT * FROM patients) AS x, k => 5)".to_owned(),
        "SELECT \u{0} FROM \u{202e}".to_owned(),
        " ".repeat(2 << 20),
    ] {
        let start: String = sql.chars().take(60).collect();
        assert_ne!(hostile(sql), "planned", "{start}");
    }
    assert_eq!(hostile(select("1 + ".repeat(1_500) + "1")), "planned");
    assert_eq!(hostile("SELECT 1 UNION ALL ".repeat(300) + "SELECT 1"), "planned");
    let calls = nested(8, "generalize(", "patients", ", quasi => (age), k => 5)");
    assert_eq!(hostile(format!("SELECT * FROM {calls}")), "planned");
}

#[tokio::test]
async fn private_aggregates_have_bounds_and_a_price() {
    let sql = "SELECT * FROM private(patients, by => (sex), keys => ('f', 'm'), count => true, sum => (age, 0, 99), \
               avg => ((age, 17.5, 90)), epsilon => 1.0)";
    let plan = top(&plan(sql).await);
    let Some(Operator::Private(private)) = Operator::of(&plan) else { panic!("no private aggregate") };
    let what = private.what();
    assert_eq!(what.keys, Some(vec![vec!["f".to_owned()], vec!["m".to_owned()]]));
    assert_eq!((what.epsilon.as_str(), what.delta.as_deref(), what.contribution), ("1.0", None, 1));
    let mean = what.measures[2].bounded().unwrap();
    assert_eq!((mean.lower, mean.upper, mean.decimals), (175, 900, 1));
    let call = |rest: &str| format!("SELECT * FROM private(patients, {rest})");
    for (rest, parts) in [
        ("count => true", &["epsilon => 1.0"][..]),
        ("epsilon => 1", &["ask for something"]),
        ("epsilon => 1, sum => age", &["a column with its bounds"]),
        ("epsilon => 1, sum => (age, 'a', 3)", &["a column with its bounds"]),
        ("epsilon => 1, avg => (agee, 0, 9)", &["did you mean age?"]),
        ("epsilon => 1, avg => (age, 9, 0)", &["the wrong way round"]),
        ("epsilon => 1, count => true, by => (sex), delta => 0", &["keys => ("]),
        ("epsilon => 1, count => true, by => (sex, zip), keys => ('f', 'm')", &["a list of 2 values"]),
        ("epsilon => 1, count => 1", &["true or false"]),
        ("epsilon => 1, count => true, person => id", &["declared by the owner", "[privacy] person"]),
    ] {
        refused(&call(rest), parts).await;
    }
    refused("SELECT * FROM generalise(patients, k => 5)", &["generalise", "did you mean generalize?"]).await;
}

//! The same plans through the engine: what the slow twin says comes out is what comes out.

use crate::meaning::{Counted, Row, Tables, bag, decided, hierarchy_files, shown};
use crate::run::{Set, seed_of, set};
use crate::surroundings::over;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{DataFrame, SessionContext};
use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::lower::{Compare, Key, LowerError, World, lower};
use paravent_algebra::operator::Operator;
use paravent_algebra::rules::{Consent, Kind, Rewriter, Switches, catalogue};
use paravent_job::Job;
use paravent_noise::budget::Cost;
use std::sync::{Arc, Mutex};

/// A world with the hierarchies of the tiny relations.
pub struct Engine {
    world: World,
    _folder: tempfile::TempDir,
}

impl Engine {
    pub fn new() -> Engine {
        let folder = tempfile::tempdir().unwrap();
        let mut job = String::from("version = 1\n[input]\npath = \"tiny.csv\"\n");
        for (name, text) in hierarchy_files() {
            std::fs::write(folder.path().join(format!("{name}.csv")), text).unwrap();
            job += &format!(
                "[[attributes]]\nname = \"{name}\"\nrole = \"quasi-identifier\"\nhierarchy = {{ file = \"{name}.csv\" }}\n"
            );
        }
        job += "[privacy]\nmodels = [{ model = \"k-anonymity\", k = 2 }]\n";
        let job = Job::parse(&job, &folder.path().join("paravent.toml")).unwrap();
        let world = World {
            context: SessionContext::new(),
            catalog: Catalog::of_job(job),
            key: Key::from_seed(1),
            ledger: Mutex::new(Book::in_memory(Cost::parse("1000000", None).unwrap()).allowing_unbounded()),
            compare: Compare::No,
        };
        Engine { world, _folder: folder }
    }

    /// The rows of a plan, sorted.
    pub async fn rows(&self, plan: LogicalPlan) -> Result<Vec<Row>, LowerError> {
        let lowered = lower(plan, &self.world).await?;
        let batches = DataFrame::new(self.world.context.state(), lowered.plan).collect().await?;
        let options = FormatOptions::default();
        let mut rows = Vec::new();
        for batch in &batches {
            for at in 0..batch.num_rows() {
                let cell = |column: &Arc<dyn datafusion::arrow::array::Array>| {
                    let text = ArrayFormatter::try_new(column, &options).unwrap().value(at).to_string();
                    column.is_valid(at).then(|| Arc::from(text))
                };
                rows.push(batch.columns().iter().map(cell).collect::<Row>());
            }
        }
        rows.sort();
        Ok(rows)
    }
}

/// How many plans were run, and how many of them were rewritten as well.
#[derive(Debug, Default)]
pub struct Ran {
    pub plans: usize,
    pub rewritten: usize,
    /// Plans that the engine refuses, such as labels next to values without a hierarchy that knows both.
    pub refused: usize,
    pub wrong: Vec<String>,
}

fn with_chance(plan: &LogicalPlan) -> bool {
    let chance = |node: &LogicalPlan| {
        Ok(matches!(Operator::of(node), Some(Operator::Slice(_) | Operator::Randomize(_))))
    };
    plan.exists(chance).unwrap()
}

/// Random plans of generalization, as they are and rewritten, against what they mean.
pub async fn run(plans: usize) -> Ran {
    let engine = Engine::new();
    let rules: Vec<_> = catalogue().into_iter().filter(|rule| rule.card().id.starts_with('G')).collect();
    let mut ran = Ran::default();
    for number in 0..plans {
        let rule = rules[number % rules.len()];
        let seed = seed_of("engine", number as u64);
        let Set { scene, layers, tables } = set(rule.card().id, seed);
        let Some(whole) = scene.node.and_then(|node| over(&layers, node)) else { continue };
        if with_chance(&whole) || bag(&whole, &tables).is_err() {
            continue;
        }
        let Ok(before) = engine.rows(whole.clone()).await else {
            ran.refused += 1;
            continue;
        };
        ran.plans += 1;
        let mut wrong = |why: String, plan: &LogicalPlan| {
            ran.wrong.push(format!("{} seed {seed}: {why}\n{}", rule.card().id, plan.display_indent()));
        };
        if let Some(why) = other_rows(&whole, &before, &tables) {
            wrong(why, &whole);
        }
        let facts = Counted(&tables);
        let rewriter = Rewriter::new(&facts)
            .with_switches(Switches::only(rule, scene.way))
            .with_consent(Consent::Partial);
        let done = rewriter.exactly(whole.clone()).unwrap();
        if done.trace.applied().next().is_none() {
            continue;
        }
        ran.rewritten += 1;
        let equivalent = done.trace.applied().all(|applied| applied.kind == Kind::Equivalent);
        match engine.rows(done.plan.clone()).await {
            // A part of a relation may not be able to keep what the whole can: then nothing is released, and the slow twin says so, too.
            Err(_) if !equivalent && bag(&done.plan, &tables).is_err() => {}
            Err(error) => wrong(format!("there is an error now: {error}"), &done.plan),
            Ok(after) => {
                if equivalent && before != after {
                    wrong("other rows after the rewrite".to_owned(), &whole);
                } else if let Some(why) = other_rows(&done.plan, &after, &tables) {
                    wrong(why, &done.plan);
                }
            }
        }
    }
    ran
}

/// What the engine gives instead of what the plan means. Which of several equally low levels is best, and which are when rows may be left out, is up to
/// the engine.
fn other_rows(plan: &LogicalPlan, rows: &[Row], tables: &Tables) -> Option<String> {
    let suppresses = |node: &LogicalPlan| {
        Ok(
            matches!(Operator::of(node), Some(Operator::Generalize(node)) if node.what().promise.may_suppress()),
        )
    };
    if plan.exists(suppresses).unwrap() || !decided(plan, tables) {
        return None;
    }
    let expected = bag(plan, tables).ok()?;
    (rows != expected).then(|| format!("expected {}, found {}", shown(&expected), shown(rows)))
}

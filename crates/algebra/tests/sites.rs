//! Relations in several places: operators go where the rows live, and raw rows are not put together.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::LogicalPlan;
use donors::*;
use paravent_algebra::operator::{Distribution, Draw, Noise, Probability, Randomize};
use paravent_algebra::rules::{Consent, Cost, Facts, Rewriter, Rewritten, Switches, Way, catalogue, leaving};
use proptest::prelude::*;

/// Relations named `north…` live in a hospital, those named `south…` in a clinic, all others with whoever asks.
struct Sited;

impl Facts for Sited {
    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        TOLD.rows(relation)
    }

    fn is_key(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<bool> {
        TOLD.is_key(relation, columns)
    }

    fn contained(&self, left: (&LogicalPlan, &[Column]), right: (&LogicalPlan, &[Column])) -> Option<bool> {
        TOLD.contained(left, right)
    }

    fn labels_from_data(&self, relation: &LogicalPlan, column: &Column) -> Option<bool> {
        TOLD.labels_from_data(relation, column)
    }

    fn least_level(&self, column: &Column) -> Option<u32> {
        TOLD.least_level(column)
    }

    fn site(&self, relation: &TableReference) -> Option<&str> {
        match relation.table() {
            name if name.starts_with("north") => Some("hospital"),
            name if name.starts_with("south") => Some("clinic"),
            _ => None,
        }
    }
}

fn noisy(names: &[&str], plan: LogicalPlan) -> LogicalPlan {
    let domain = vec!["a".to_owned(), "b".to_owned()];
    let noise = columns(&plan, names).into_iter().map(|column| {
        let noise = Noise {
            probability: Probability::parse("0.5").unwrap(),
            distribution: Distribution::Uniform { domain: Some(domain.clone()) },
        };
        (column, noise)
    });
    let noise = noise.collect();
    Randomize::plan(plan, noise, Draw::numbered(7)).unwrap()
}

fn improved(plan: LogicalPlan) -> Rewritten {
    Rewriter::new(&Sited).improve(plan).unwrap()
}

fn exactly(rules: &str, plan: LogicalPlan) -> Rewritten {
    let rewriter = Rewriter::new(&Sited).with_consent(Consent::Partial);
    rewriter.with_switches(rules.parse().unwrap()).exactly(plan).unwrap()
}

fn used(rewritten: &Rewritten) -> Vec<&str> {
    rewritten.trace.applied().map(|application| application.rule).collect()
}

fn left(plan: &LogicalPlan) -> Vec<String> {
    leaving(plan, &Sited)
        .into_iter()
        .map(|leaving| format!("{} {} {}", leaving.place, leaving.site, leaving.relations.join("+")))
        .collect()
}

fn part(name: &str) -> LogicalPlan {
    relation(name, &["day", "group"])
}

#[test]
fn raw_rows_leave_where_places_meet_and_at_the_end() {
    let both = union(part("north"), part("south"));
    assert_eq!(left(&both), ["root.0 hospital north", "root.1 clinic south"]);
    assert_eq!(Cost::of(&both, &Sited).raw_cells, 2 * 6 * 2);
    // Two relations of one place meet there, and what comes out of it is their rows.
    let one = union(part("north"), part("north2"));
    assert_eq!(left(&one), ["root hospital north+north2"]);
    assert_eq!(left(&noisy(&["group"], one)), Vec::<String>::new());
    // Rows of whoever asks go nowhere.
    assert_eq!(left(&union(part("north"), part("mine"))), ["root.0 hospital north"]);
    assert_eq!(left(&union(part("mine"), part("yours"))), Vec::<String>::new());
    // What an operator has seen may travel.
    let seen = union(noisy(&["group"], part("north")), noisy(&["group"], part("south")));
    assert_eq!((left(&seen), Cost::of(&seen, &Sited).raw_cells), (Vec::new(), 0));
}

#[test]
fn noise_goes_into_the_parts_that_live_elsewhere_and_not_out_again() {
    let above = noisy(&["group"], union(part("north"), part("south")));
    let done = improved(above.clone());
    assert_eq!(used(&done), ["D12"]);
    assert_eq!(left(&done.plan), Vec::<String>::new());
    let (before, after) = done.trace.applied().next().unwrap().cost.unwrap();
    assert_eq!((before.raw_cells, after.raw_cells), (24, 0));
    // In one place it does not pay.
    assert!(used(&improved(noisy(&["group"], union(part("east"), part("west"))))).is_empty());
    // Nobody gets it out again, not even by name.
    let merged = exactly("D12:right-to-left", done.plan.clone());
    assert_eq!(merged.plan, done.plan);
    let why: Vec<&str> = merged.trace.refused().map(|refusal| refusal.because.as_str()).collect();
    assert!(why.iter().any(|why| why.contains("raw rows would leave the place")), "{why:?}");
    let here = union(noisy(&["group"], part("east")), noisy(&["group"], part("west")));
    assert_eq!(used(&exactly("D12:right-to-left", here)), ["D12"]);
}

#[test]
fn generalization_of_parts_needs_consent_and_noise_is_kept_by_a_key() {
    let above = alpha(&["day"], 3, union(part("north"), part("south")));
    let refused = improved(above.clone());
    assert!(used(&refused).is_empty() && left(&refused.plan).len() == 2);
    assert!(refused.trace.refused().any(|refusal| refusal.because.contains("--allow-partial")));
    let allowed = Rewriter::new(&Sited).with_consent(Consent::Partial).improve(above).unwrap();
    assert_eq!((used(&allowed), left(&allowed.plan)), (vec!["G15"], Vec::new()));
    assert!(used(&exactly("G15:rl", allowed.plan)).is_empty(), "and stays");
}

/// Plans over relations of three places.
fn plans() -> impl Strategy<Value = LogicalPlan> {
    let names = prop_oneof![Just("north"), Just("south"), Just("north2"), Just("mine")];
    let leaf = names.prop_map(|name| relation(name, &["day", "group", "rhesus"]));
    leaf.prop_recursive(5, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), 1..4_u32).prop_map(|(plan, k)| match known(&plan, &["day"])[..] {
                [] => plan,
                _ => alpha(&["day"], k, plan),
            }),
            (inner.clone(), Just("group")).prop_map(|(plan, name)| match known(&plan, &[name])[..] {
                [] => plan,
                _ => noisy(&[name], plan),
            }),
            inner.clone().prop_map(|plan| match known(&plan, &["day", "group"])[..] {
                [] => plan,
                ref some => pi(some, plan),
            }),
            inner.clone().prop_map(|plan| match known(&plan, &["rhesus"])[..] {
                [] => plan,
                _ => sigma("rhesus", "-", plan),
            }),
            (inner.clone(), inner).prop_map(|(left, right)| {
                let width = |plan: &LogicalPlan| plan.schema().fields().len();
                if width(&left) == width(&right) { union(left, right) } else { left }
            }),
        ]
    })
}

fn known<'a>(plan: &LogicalPlan, names: &[&'a str]) -> Vec<&'a str> {
    let has = |name: &&str| plan.schema().fields().iter().any(|field| field.name() == name);
    names.iter().copied().filter(has).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked for, no more raw rows leave than before; and the price agrees with what is told.
    #[test]
    fn no_rule_lets_more_raw_rows_leave(plan in plans(), consent in any::<bool>()) {
        let cells = |plan: &LogicalPlan| Cost::of(plan, &Sited).raw_cells;
        prop_assert_eq!(cells(&plan) == 0, left(&plan).is_empty());
        let consent = if consent { Consent::Partial } else { Consent::EquivalentOnly };
        let done = Rewriter::new(&Sited).with_consent(consent).improve(plan.clone()).unwrap();
        prop_assert!(cells(&done.plan) <= cells(&plan));
        for rule in catalogue() {
            for way in [Way::LeftToRight, Way::RightToLeft] {
                let rewriter = Rewriter::new(&Sited).with_consent(Consent::Partial);
                let done = rewriter.with_switches(Switches::only(rule, way)).exactly(plan.clone()).unwrap();
                prop_assert!(cells(&done.plan) <= cells(&plan), "{} {way}", rule.card().id);
            }
        }
    }
}

//! Rules at work on whole plans: order, switches, consent, costs, the log, and that it comes to rest.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use Way::{LeftToRight, RightToLeft};
use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col, lit};
use donors::*;
use paravent_algebra::operator::{Buckets, Draw, Overlap, Slice, Slicing};
use paravent_algebra::rules::{
    Consent, Cost, Demand, Direction, Facts, NoFacts, Place, Rewriter, Rewritten, Safe, Switch, SwitchError,
    Switches, Way, catalogue, estimated_rows,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn improved(plan: LogicalPlan) -> Rewritten {
    Rewriter::new(&TOLD).improve(plan).unwrap()
}

fn improved_with_consent(plan: LogicalPlan) -> Rewritten {
    Rewriter::new(&TOLD).with_consent(Consent::Partial).improve(plan).unwrap()
}

fn exactly(rules: &str, plan: LogicalPlan) -> Rewritten {
    let switches = rules.parse().unwrap();
    Rewriter::new(&TOLD).with_switches(switches).with_consent(Consent::Partial).exactly(plan).unwrap()
}

fn used(rewritten: &Rewritten) -> Vec<&str> {
    rewritten.trace.applied().map(|application| application.rule).collect()
}

#[test]
fn the_default_pipeline_takes_equivalent_steps_that_pay() {
    let plan = pi(&["day", "group"], alpha(&["day"], 3, alpha(&["day"], 5, alpha(&["day"], 5, donors()))));
    let done = improved(plan);
    assert_eq!(used(&done), ["G8", "G4", "G10"]);
    assert_eq!(done.plan, alpha(&["day"], 5, pi(&["day", "group"], donors())));
}

#[test]
fn a_projection_without_the_generalized_columns_ends_the_operator() {
    let done = improved(pi(
        &["group"],
        sigma("rhesus", "-", pi(&["group", "rhesus"], alpha(&["day"], 3, donors()))),
    ));
    assert_eq!(used(&done), ["G11"]);
    let nothing = improved(donors());
    assert_eq!((used(&nothing).len(), nothing.plan), (0, donors()));
    assert_eq!(improved(donors()).trace.to_string(), "no rule applies\n");
}

#[test]
fn partial_steps_wait_for_consent_and_say_how_to_give_it() {
    let late = sigma("group", "B0", alpha(&["day"], 3, donors()));
    let refused = Rewriter::new(&Halving).improve(late.clone()).unwrap();
    assert_eq!(refused.plan, late);
    let because: Vec<&str> = refused.trace.refused().map(|refusal| refusal.because.as_str()).collect();
    assert!(matches!(because[..], [why] if why.contains("--allow-partial")), "{because:?}");
    let allowed = Rewriter::new(&Halving).with_consent(Consent::Partial).improve(late).unwrap();
    assert_eq!(used(&allowed), ["G14"]);
    assert_eq!("partial".parse(), Ok(Consent::Partial));
    assert!("yes".parse::<Consent>().unwrap_err().contains("equivalent-only or partial"));
}

/// Selections keep half of twelve rows.
struct Halving;

impl Facts for Halving {
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        Some(false)
    }

    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        Some(if matches!(relation, LogicalPlan::Filter(_)) { 6 } else { 12 })
    }

    fn is_key(&self, _relation: &LogicalPlan, _columns: &[Column]) -> Option<bool> {
        None
    }

    fn contained(&self, _left: (&LogicalPlan, &[Column]), _right: (&LogicalPlan, &[Column])) -> Option<bool> {
        None
    }
}

#[test]
fn partial_steps_come_after_equivalent_ones() {
    let plan = pi(&["day", "rhesus"], alpha(&["day", "group"], 3, donors()));
    assert_eq!(used(&improved(plan.clone())), ["G12"]);
    let done = improved_with_consent(plan);
    assert_eq!(used(&done), ["G12", "G13", "C1"]);
    let applied: Vec<_> = done.trace.applied().collect();
    assert!(applied.iter().all(|step| step.cost.is_some_and(|(before, after)| after < before)));
}

#[test]
fn labels_that_something_above_works_with_stay_as_they_are() {
    let inner = pi(&["day", "rhesus"], alpha(&["day", "group"], 3, donors()));
    let on_label = sigma("day", "Q1", inner.clone());
    let done = improved_with_consent(on_label);
    assert_eq!(used(&done), ["G12"]);
    let why: Vec<_> = done.trace.refused().filter(|refusal| refusal.rule == "G13").collect();
    assert!(why[0].because.contains("something above works with [day]"), "{}", why[0].because);
    let distinct = LogicalPlanBuilder::from(inner.clone()).distinct().unwrap().build().unwrap();
    let count = LogicalPlanBuilder::from(inner.clone())
        .aggregate([col("donors.rhesus")], Vec::<datafusion::logical_expr::Expr>::new());
    let renamed = LogicalPlanBuilder::from(inner.clone()).alias("d").unwrap();
    let renamed = renamed.filter(col("d.day").eq(lit("Q1"))).unwrap().build().unwrap();
    assert_eq!(used(&improved_with_consent(distinct)), ["G12"]);
    assert_eq!(used(&improved_with_consent(renamed)), ["G12"]);
    assert_eq!(used(&improved_with_consent(count.unwrap().build().unwrap())), ["G12", "G13", "C1"]);
    assert_eq!(used(&improved_with_consent(sigma("rhesus", "-", inner))), ["G12", "G13", "C1"]);
}

/// α^S in windows.
fn windows(groups: &[&[&str]], rows: u64, draw: u64, plan: LogicalPlan) -> LogicalPlan {
    let groups = groups.iter().map(|group| columns(&plan, group)).collect();
    let (buckets, overlap, draw) = (Buckets::Size(rows), Overlap::Forbidden, Draw::numbered(draw));
    Slice::plan(plan, Slicing { groups, buckets, least_rows: 2, overlap, draw, demands: Default::default() })
        .unwrap()
}

#[test]
fn slicings_below_windows_are_not_dropped_because_they_decide_who_is_in_which() {
    let one = |name: &str| windows(&[&["day", "group"]], 2, 1, relation(name, &["day", "group"]));
    let dropped = improved(union(one("north"), relation("south", &["day", "group"])));
    assert_eq!(used(&dropped), ["S1"]);
    let below =
        windows(&[&["day"], &["group"]], 3, 2, union(one("north"), relation("south", &["day", "group"])));
    let kept = improved(below.clone());
    assert_eq!((used(&kept).len(), kept.plan), (0, below));
    let why: Vec<&str> = kept.trace.refused().map(|refusal| refusal.because.as_str()).collect();
    assert!(why.iter().any(|why| why.contains("windows of their rank")), "{why:?}");
    let by_day = {
        let donors = relation("donors", &["day", "group"]);
        let day = columns(&donors, &["day"]).remove(0);
        let groups = vec![columns(&donors, &["day"]), columns(&donors, &["group"])];
        let (overlap, draw) = (Overlap::Forbidden, Draw::numbered(3));
        let what = Slicing {
            groups,
            buckets: Buckets::By(day),
            least_rows: 2,
            overlap,
            draw,
            demands: Default::default(),
        };
        sigma("day", "Jan", Slice::plan(donors, what).unwrap())
    };
    assert_eq!(used(&exactly("S7:right-to-left", by_day.clone())), ["S7"]);
    assert!(used(&exactly("S7:right-to-left", windows(&[&["day"], &["group"]], 2, 4, by_day))).is_empty());
}

#[test]
fn a_rule_that_owes_a_check_must_be_asked_for_by_name() {
    let plan = alpha(&["day"], 3, join("v", relation("r1", &["day", "v"]), relation("r2", &["v", "group"])));
    assert!(improved_with_consent(plan.clone()).trace.events.is_empty());
    let chosen =
        Rewriter::new(&TOLD).with_consent(Consent::Partial).with_switches("default,G16".parse().unwrap());
    let done = chosen.improve(plan).unwrap();
    assert_eq!(used(&done), ["G16"]);
    let [recheck] = &done.trace.rechecks[..] else { panic!("one check is owed") };
    assert_eq!((recheck.rule, &recheck.place), ("G16", &Place::root()));
    assert!(matches!(&recheck.demand, Demand::Generalization(what) if what.promise.k() == 3));
    assert!(matches!(recheck.node(&done.plan), Some(LogicalPlan::Join(_))));
    assert!(
        done.trace.to_string().contains("G16: the rows of root must keep [day], k = 3"),
        "{}",
        done.trace
    );
}

#[test]
fn a_node_that_must_be_checked_again_is_not_moved() {
    let joined = alpha(
        &["day"],
        3,
        join("v", relation("r1", &["day", "v", "group"]), relation("r2", &["v", "rhesus"])),
    );
    let plan = pi(&["day", "rhesus"], joined);
    let done = exactly("G16,G10", plan.clone());
    assert_eq!(used(&done), ["G10"], "G10 comes first and leaves no join for G16");
    let done = exactly("G16", plan);
    assert_eq!(used(&done), ["G16"]);
    let nested = alpha(
        &["day"],
        3,
        join("v", join("v", relation("r1", &["day", "v"]), relation("r2", &["v"])), relation("r3", &["v"])),
    );
    let done = exactly("G16,G17:rl", nested);
    assert_eq!(used(&done), ["G16", "G16"]);
    for recheck in &done.trace.rechecks {
        assert!(matches!(recheck.node(&done.plan), Some(LogicalPlan::Join(_))), "{recheck}");
    }
}

#[test]
fn exactly_does_not_ask_for_the_price() {
    let plan = alpha(&["day"], 3, pi(&["day"], pi(&["day", "group"], donors())));
    let done = exactly("G9", plan.clone());
    assert_eq!(used(&done), ["G9", "G9"]);
    assert_eq!(done.plan, pi(&["day"], pi(&["day", "group"], alpha(&["day"], 3, donors()))));
    assert_eq!(used(&improved(plan.clone())), ["C1"]);
    assert_eq!(exactly("G10", done.plan).plan, plan, "also from below to above");
}

#[test]
fn exactly_goes_one_way_and_stacks_once_per_operator() {
    let plan = alpha(&["day"], 3, pi(&["day"], alpha(&["group"], 3, donors())));
    assert!(used(&exactly("G4", plan.clone())).is_empty());
    assert_eq!(used(&exactly("G4:right-to-left", plan.clone())), ["G4", "G4"]);
    assert_eq!(used(&exactly("G6:rl", plan)), ["G6", "G6"]);
    let (north, south) = (relation("north", &["day"]), relation("south", &["day"]));
    let nested = alpha(&["day"], 3, union(union(north.clone(), south.clone()), north));
    assert_eq!(used(&exactly("G15", nested)), ["G15", "G15"]);
}

#[test]
fn the_other_way_is_refused_in_the_log() {
    let early = alpha(&["day"], 3, sigma("group", "B0", donors()));
    let done = exactly("G14:left-to-right", early.clone());
    assert_eq!(done.plan, early);
    let refusals: Vec<_> = done.trace.refused().collect();
    assert_eq!((refusals.len(), refusals[0].rule, refusals[0].way), (1, "G14", LeftToRight));
    assert!(done.trace.to_string().contains("G14, left to right, at root: refused"));
}

#[test]
fn the_log_shows_columns_and_reasons_but_no_literal() {
    let plan = sigma("group", "secret-text", pi(&["day", "group"], alpha(&["day"], 3, donors())));
    let done = improved(plan);
    let text = done.trace.to_string();
    let json = serde_json::to_value(&done.trace).unwrap();
    assert!(!text.contains("secret-text") && !json.to_string().contains("secret-text"));
    assert_eq!(json["events"][0]["event"], "applied");
    assert_eq!(json["events"][0]["rule"], "G10");
    assert_eq!(json["events"][0]["way"], "right-to-left");
    assert_eq!(json["events"][0]["place"], serde_json::json!([0]));
    assert_eq!(json["events"][0]["before"], "π[day, group](α^G[day; k = 3](donors))");
    assert_eq!(json["events"][0]["after"], "α^G[day; k = 3](π[day, group](donors))");
    assert_eq!(json["events"][0]["kind"], "equivalent");
    assert_eq!(json["events"][0]["safe"], "yes");
    assert!(text.starts_with(
        "G10, right to left, at root.0: equivalent, safe\n    from π[day, group](α^G[day; k = 3](donors))\n"
    ));
}

#[test]
fn switches_are_read_from_text() {
    let on = |text: &str| -> Vec<&str> {
        let switches: Switches = text.parse().unwrap();
        switches.rules().iter().map(|rule| rule.card().id).collect()
    };
    assert_eq!(on("G9, g10,-G9"), ["G10"]);
    assert_eq!(on("none").len(), 0);
    assert_eq!(on("all").len(), catalogue().len());
    let default = on("default");
    assert!(!default.contains(&"G16") && !default.contains(&"G18") && default.contains(&"G14"));
    assert_eq!(on("-G4").len(), default.len() - 1);
    assert_eq!(on("G").len(), 19);
    assert_eq!(on("default,-G").len(), default.len() - 16);
    let one_way: Switches = "G15:rl".parse().unwrap();
    assert_eq!(one_way.of(rule("G15")), Switch::Chosen(Some(RightToLeft)));
    assert_eq!(one_way, Switches::only(rule("G15"), RightToLeft));
    assert!(matches!("G77".parse::<Switches>(), Err(SwitchError::UnknownRule { meant: Some("G19"), .. })));
    assert!("G77".parse::<Switches>().unwrap_err().to_string().contains("G1 to G19"));
    assert!(matches!("G4:up".parse::<Switches>(), Err(SwitchError::UnknownWay(_))));
    assert!(matches!("-G4:rl".parse::<Switches>(), Err(SwitchError::MisplacedWay(_))));
    assert!(matches!(" , ".parse::<Switches>(), Err(SwitchError::Empty)));
}

#[test]
fn known_rows_count_and_unknown_ones_are_estimated() {
    let plan = alpha(&["day"], 3, sigma("group", "B0", donors()));
    assert_eq!(Cost::of(&plan, &TOLD), Cost { raw_cells: 0, cells: 6 * 4, operators: 1, nodes: 3 });
    assert_eq!(Cost::of(&plan, &NoFacts).cells, 900 * 4, "all but an equal tenth of a thousand rows");
    let both = union(donors(), donors());
    assert_eq!(estimated_rows(&both, &NoFacts), 2_000);
    assert_eq!(Cost::of(&donors(), &NoFacts).cells, 0);
}

/// Plans over the donors: operators, projections, selections and unions, up to six deep.
fn plans() -> impl Strategy<Value = LogicalPlan> {
    Just(donors()).prop_recursive(6, 12, 2, |inner| {
        let names = || proptest::sample::subsequence(vec!["day", "group", "rhesus", "age"], 1..=3);
        prop_oneof![
            (inner.clone(), names(), 1..5_u32).prop_map(|(plan, names, k)| alpha(
                &known(&plan, &names),
                k,
                plan
            )),
            (inner.clone(), names()).prop_map(|(plan, names)| match &known(&plan, &names)[..] {
                [] => plan,
                some => pi(some, plan),
            }),
            (inner.clone(), Just("group")).prop_map(|(plan, name)| match known(&plan, &[name])[..] {
                [] => plan,
                _ => sigma(name, "B0", plan),
            }),
            (inner.clone(), 1..3_usize).prop_map(|(plan, number)| {
                let names: BTreeSet<&String> =
                    plan.schema().fields().iter().map(|field| field.name()).collect();
                let unique = names.len() == plan.schema().fields().len();
                if unique { named(&format!("q{number}"), plan) } else { plan }
            }),
            (inner.clone(), 1..3_usize).prop_map(|(plan, number)| {
                let side = format!("side{number}");
                let qualified = plan.schema().columns().iter().all(|column| column.relation.is_some());
                match known(&plan, &["rhesus"])[..] {
                    [_] if qualified && !lines(&plan).contains(&side) => {
                        join("rhesus", plan, relation(&side, &["rhesus", "v"]))
                    }
                    _ => plan,
                }
            }),
            (inner.clone(), inner).prop_map(|(left, right)| {
                let same = left.schema().fields().iter().map(|field| field.data_type()).collect::<Vec<_>>()
                    == right.schema().fields().iter().map(|field| field.data_type()).collect::<Vec<_>>();
                if same { union(left, right) } else { left }
            }),
        ]
    })
}

fn known<'a>(plan: &LogicalPlan, names: &[&'a str]) -> Vec<&'a str> {
    let has = |name: &&str| plan.schema().fields().iter().any(|field| field.name() == name);
    names.iter().copied().filter(has).collect()
}

fn shape(plan: &LogicalPlan) -> Vec<(Column, String)> {
    let types = plan.schema().fields().iter().map(|field| field.data_type().to_string());
    plan.schema().columns().into_iter().zip(types).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn improving_comes_to_rest_cheaper_and_with_the_same_columns(plan in plans(), consent in any::<bool>()) {
        let consent = if consent { Consent::Partial } else { Consent::EquivalentOnly };
        let rewriter = Rewriter::new(&TOLD).with_consent(consent).with_switches("all".parse().unwrap());
        let done = rewriter.improve(plan.clone()).unwrap();
        let mut last = Cost::of(&plan, &TOLD);
        for (number, step) in done.trace.applied().enumerate() {
            let (before, after) = step.cost.unwrap();
            prop_assert!(before == last || (number == 0 && before < last), "renamings may go first");
            prop_assert!(after < before);
            last = after;
        }
        prop_assert_eq!(last, Cost::of(&done.plan, &TOLD));
        prop_assert_eq!(shape(&plan), shape(&done.plan));
        let again = rewriter.improve(done.plan.clone()).unwrap();
        prop_assert!(again.trace.applied().next().is_none() || !done.trace.rechecks.is_empty());
        prop_assert_eq!(rewriter.improve(plan).unwrap(), done, "the same again");
    }

    #[test]
    fn every_rule_used_exactly_comes_to_rest_either_way(plan in plans()) {
        let nodes = usize::try_from(Cost::of(&plan, &TOLD).nodes).unwrap();
        for rule in catalogue() {
            for way in [LeftToRight, RightToLeft] {
                let rewriter = Rewriter::new(&TOLD).with_consent(Consent::Partial).with_switches(Switches::only(rule, way));
                let done = rewriter.exactly(plan.clone()).unwrap();
                prop_assert!(done.trace.applied().count() <= nodes);
                prop_assert_eq!(shape(&plan), shape(&done.plan));
                let allowed = rule.card().direction.ways().contains(&way);
                prop_assert!(allowed || done.plan == plan, "{} {} is not allowed", rule.card().id, way);
                for step in done.trace.applied() {
                    prop_assert!(step.safe == Safe::Yes || rule.card().safe == Safe::AfterCheck);
                }
            }
        }
        let all = Rewriter::new(&TOLD).with_consent(Consent::Partial).with_switches(Switches::all());
        prop_assert_eq!(shape(&all.exactly(plan.clone()).unwrap().plan), shape(&plan));
    }
}

fn named(name: &str, plan: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).alias(name).unwrap().build().unwrap()
}

#[test]
fn aliases_do_not_keep_operators_apart() {
    let inner = named("d", pi(&["day", "group", "rhesus"], named("t", donors())));
    let plan = pi(&["day", "group"], named("g", alpha(&["day"], 3, sigma("rhesus", "-", inner))));
    let done = improved(plan.clone());
    assert_eq!(used(&done), ["G10"]);
    assert_eq!(shape(&done.plan), shape(&plan));
    assert_eq!(
        done.trace.applied().next().unwrap().after,
        "α^G[day; k = 3](π[day, group](σ[F(rhesus)](π[day, group, rhesus](donors))))"
    );
    let untouched = sigma("group", "B0", named("g", donors()));
    assert_eq!(improved(untouched.clone()).plan, untouched, "as it was given, where no rule applies");
}

#[test]
fn aliases_of_parts_and_over_unions_are_seen_through() {
    let part = |name: &str| named(&format!("{name}2"), relation(name, &["day", "age"]));
    let plan = alpha(&["day"], 3, named("u", union(part("north"), part("south"))));
    let done = exactly("G15", plan.clone());
    assert_eq!(used(&done), ["G15"]);
    assert_eq!(shape(&done.plan), shape(&plan));
    let merged = exactly("G15:rl", done.plan);
    assert_eq!(used(&merged), ["G15"]);
    assert_eq!(shape(&merged.plan), shape(&plan));
}

#[test]
fn rules_without_a_direction_only_refuse() {
    let (north, south) = (relation("north", &["day"]), relation("south", &["day"]));
    let plan = alpha(&["day"], 2, LogicalPlanBuilder::intersect(north, south, true).unwrap());
    let done = Rewriter::new(&TOLD).with_switches(Switches::all()).improve(plan.clone()).unwrap();
    assert_eq!(done.plan, plan);
    assert!(done.trace.refused().any(|refusal| refusal.rule == "G18"));
    assert_eq!(rule("G18").card().direction, Direction::None);
}

//! The worked examples of the algebra with their rows: what both sides of a rule give, by the slow twin and by the engine.

use crate::engine::Engine;
use crate::meaning::{Counted, bag, bags, decided, rows, shown};
use crate::workshop::{Workshop, alpha, join, pi, union};
use Way::{LeftToRight, RightToLeft};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use paravent_algebra::operator::{Distribution, Draw, Noise, Probability, Promise, Randomize, Step, Tails};
use paravent_algebra::rules::{Attempt, Way, rule};
use paravent_core::exact::Fraction;

const DONORS: &str =
    "01.01. 00 + 18, 05.01. 00 + 24, 31.01. B0 - 32, 20.03. A0 + 36, 25.03. A0 + 36, 31.03. B0 - 56";
const COLUMNS: [&str; 4] = ["day", "group", "rhesus", "age"];
const MONTHS: &str = "Jan 00, Jan 00, Jan B0, Mar A0, Mar A0, Mar B0";

fn k(k: u32) -> Promise {
    Promise::k_anonymity(k)
}

fn not_b0(plan: LogicalPlan) -> LogicalPlan {
    let test = Expr::Column(crate::workshop::named(&plan, "group")).not_eq(lit("B0"));
    LogicalPlanBuilder::from(plan).filter(test).unwrap().build().unwrap()
}

/// Rewrites a plan by a rule: the rows before and after.
#[track_caller]
fn sides(id: &str, way: Way, plan: &LogicalPlan, shop: &Workshop) -> (String, String) {
    let after = match rule(id).unwrap().attempt(plan, way, &Counted(&shop.tables)).unwrap() {
        Attempt::Rewritten(rewrite) => rewrite.plan,
        other => panic!("{id}: {other:?}"),
    };
    let engine = Engine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rows = |plan: &LogicalPlan| {
        let meant = shown(&bag(plan, &shop.tables).unwrap());
        // Between equally low levels the engine has an order of its own.
        if decided(plan, &shop.tables) {
            let found = runtime.block_on(engine.rows(plan.clone())).unwrap();
            assert_eq!(shown(&found), meant, "{id}: the engine\n{}", plan.display_indent());
        }
        meant
    };
    (rows(plan), rows(&after))
}

/// Both sides give these rows.
#[track_caller]
fn same(id: &str, way: Way, plan: &LogicalPlan, shop: &Workshop, expected: &str) {
    let expected = shown(&rows(expected));
    assert_eq!(sides(id, way, plan, shop), (expected.clone(), expected), "{id}");
}

#[test]
fn operators_over_operators() {
    let mut shop = Workshop::new(1);
    let donors = shop.table(&COLUMNS, rows(DONORS));
    same("G1", LeftToRight, &alpha(donors.clone(), &["day"], &k(1)), &shop, DONORS);
    same("G2", LeftToRight, &alpha(donors.clone(), &[], &k(3)), &shop, DONORS);
    let two = pi(donors.clone(), &["day", "group"]);
    let months = alpha(two.clone(), &["day"], &k(3));
    same("G4", LeftToRight, &alpha(months.clone(), &["day"], &k(3)), &shop, MONTHS);
    let three = pi(donors, &["day", "group", "rhesus"]);
    let inner = alpha(three, &["day", "rhesus"], &k(3));
    let expected = "Jan 00 ±, Jan 00 ±, Jan B0 ±, Mar A0 ±, Mar A0 ±, Mar B0 ±";
    same("G5", LeftToRight, &alpha(inner, &["day"], &k(3)), &shop, expected);
    let quarters = "Q1 00, Q1 00, Q1 B0, Q1 A0, Q1 A0, Q1 B0";
    same("G6", LeftToRight, &alpha(months, &["day"], &k(5)), &shop, quarters);
    let stronger = alpha(two, &["day"], &k(5));
    same("G8", LeftToRight, &alpha(stronger, &["day"], &k(3)), &shop, quarters);
    let mixed = "01.01. 00 +, 05.01. 00 +, 14.02. B0 +, 20.02. A0 -, 25.03. A0 -, 31.03. B0 -";
    let mixed = shop.table(&COLUMNS[..3], rows(mixed));
    let pairs = alpha(mixed, &["day", "rhesus"], &k(2));
    let coarse = shown(&rows("Q1 00 ±, Q1 00 ±, Q1 B0 ±, Q1 A0 ±, Q1 A0 ±, Q1 B0 ±"));
    let fine = shown(&rows("Q1 00 +, Q1 00 +, Q1 B0 +, Q1 A0 -, Q1 A0 -, Q1 B0 -"));
    assert_eq!(sides("G7", LeftToRight, &alpha(pairs, &["day", "rhesus"], &k(3)), &shop), (coarse, fine));
}

#[test]
fn projections_and_selections() {
    let mut shop = Workshop::new(1);
    let donors = shop.table(&COLUMNS, rows(DONORS));
    let narrow = pi(donors.clone(), &["day", "group"]);
    same("G9", LeftToRight, &alpha(narrow.clone(), &["day"], &k(3)), &shop, MONTHS);
    let wide = alpha(donors.clone(), &["day"], &k(3));
    same("G10", RightToLeft, &pi(wide.clone(), &["day", "group"]), &shop, MONTHS);
    let others = "00 +, 00 +, B0 -, A0 +, A0 +, B0 -";
    same("G11", RightToLeft, &pi(wide, &["group", "rhesus"]), &shop, others);
    let turns =
        "01.01. 00 + 18, 05.01. A0 + 24, 31.01. 00 - 32, 20.03. A0 + 36, 25.03. 00 + 36, 31.03. A0 - 56";
    let turns = shop.table(&COLUMNS, rows(turns));
    let both = pi(alpha(turns, &["day", "group"], &k(3)), &["day", "rhesus"]);
    let quarters = "Q1 +, Q1 +, Q1 -, Q1 +, Q1 +, Q1 -";
    same("G12", RightToLeft, &both, &shop, quarters);
    let months = shown(&rows("Jan +, Jan +, Jan -, Mar +, Mar +, Mar -"));
    assert_eq!(sides("G13", RightToLeft, &both, &shop), (shown(&rows(quarters)), months));
    let late = not_b0(alpha(narrow, &["day"], &k(3)));
    let (two, four) = ("Jan 00, Jan 00, Mar A0, Mar A0", "Q1 00, Q1 00, Q1 A0, Q1 A0");
    assert_eq!(sides("G14", RightToLeft, &late, &shop), (shown(&rows(two)), shown(&rows(four))));
}

#[test]
fn parts_are_finer_or_coarser_than_the_whole_in_five_of_six_ways() {
    for (one, other, whole, parts) in [
        ("01.01., 05.01.", "14.02., 20.02.", "Jan, Jan, Feb, Feb", "Jan, Jan, Feb, Feb"),
        (
            "01.01., 02.01., 14.02., 15.02.",
            "03.01., 20.02.",
            "Jan, Jan, Jan, Feb, Feb, Feb",
            "Jan, Jan, Feb, Feb, Q1, Q1",
        ),
        ("01.01., 05.01.", "14.02., 20.03.", "Q1, Q1, Q1, Q1", "Jan, Jan, Q1, Q1"),
        ("01.01., 14.02.", "05.01., 20.02.", "Jan, Feb, Jan, Feb", "Q1, Q1, Q1, Q1"),
        ("01.01., 14.02.", "20.02., 25.03.", "Q1, Q1, Q1, Q1", "Q1, Q1, Q1, Q1"),
    ] {
        let mut shop = Workshop::new(1);
        let (one, other) = (shop.table(&["day"], rows(one)), shop.table(&["day"], rows(other)));
        let plan = alpha(union(vec![one, other]).unwrap(), &["day"], &k(2));
        let expected = (shown(&rows(whole)), shown(&rows(parts)));
        assert_eq!(sides("G15", LeftToRight, &plan, &shop), expected);
    }
}

#[test]
fn joins() {
    let mut shop = Workshop::new(1);
    let visits = rows("01.01. 1, 05.01. 1, 31.01. 2, 20.03. 2, 25.03. 3, 31.03. 3");
    let visits = shop.table(&["day", "note"], visits);
    let groups = shop.table(&["note", "group"], rows("1 00, 1 A0, 2 B0, 3 A0"));
    let plan = alpha(join(visits.clone(), groups, "note"), &["day"], &k(3));
    let plan = pi(plan, &["day", "group"]);
    let expected = "Jan 00, Jan A0, Jan 00, Jan A0, Jan B0, Mar B0, Mar A0, Mar A0";
    assert_eq!(shown(&bag(&plan, &shop.tables).unwrap()), shown(&rows(expected)));
    let expected =
        "Jan 1 1 00, Jan 1 1 A0, Jan 1 1 00, Jan 1 1 A0, Jan 2 2 B0, Mar 2 2 B0, Mar 3 3 A0, Mar 3 3 A0";
    same("G16", LeftToRight, plan.inputs()[0], &shop, expected);
    let few = shop.table(&["note", "group"], rows("1 00, 3 A0"));
    let dangling = alpha(join(visits, few, "note"), &["day"], &k(3));
    let refused = rule("G16").unwrap().attempt(&dangling, LeftToRight, &Counted(&shop.tables)).unwrap();
    assert!(matches!(refused, Attempt::Refused(_)), "{refused:?}");
    let days = rows("1 01.01., 2 05.01., 3 31.01., 4 20.03., 5 25.03., 6 31.03.");
    let days = shop.table(&["id", "day"], days);
    let others =
        shop.table(&["id", "group", "rhesus"], rows("1 00 +, 2 00 +, 3 B0 -, 4 A0 +, 5 A0 +, 6 B0 -"));
    let plan = alpha(pi(join(days, others, "id"), &["day", "group", "rhesus"]), &["day"], &k(3));
    let expected = "Jan 00 +, Jan 00 +, Jan B0 -, Mar A0 +, Mar A0 +, Mar B0 -";
    same("G17", LeftToRight, &plan, &shop, expected);
}

#[test]
fn intersections_and_differences_do_not_pass() {
    let mut shop = Workshop::new(1);
    let columns = ["day", "group"];
    let one = shop.table(&columns, rows("01.01. 00, 05.01. 00, 14.02. A0, 20.02. A0"));
    let other = shop.table(&columns, rows("01.01. 00, 05.01. 00, 14.02. A0, 25.03. B0"));
    let shown_of = |plan: &LogicalPlan, shop: &Workshop| shown(&bag(plan, &shop.tables).unwrap());
    let each = |plan: &LogicalPlan| alpha(plan.clone(), &["day"], &k(2));
    let both = |a, b| LogicalPlanBuilder::intersect(a, b, true).unwrap();
    assert_eq!(
        shown_of(&each(&both(one.clone(), other.clone())), &shop),
        shown(&rows("Q1 00, Q1 00, Q1 A0"))
    );
    assert_eq!(shown_of(&both(each(&one), each(&other)), &shop), "");
    let more = shop.table(&columns, rows("01.01. 00, 05.01. 00, 14.02. A0, 20.02. A0, 25.03. B0, 26.03. B0"));
    let less = shop.table(&columns, rows("20.02. A0, 25.03. B0"));
    let rest = |a, b| LogicalPlanBuilder::except(a, b, true).unwrap();
    let left = shown_of(&each(&rest(more.clone(), less.clone())), &shop);
    assert_eq!(left, shown(&rows("Q1 00, Q1 00, Q1 A0, Q1 B0")));
    let right = shown_of(&rest(each(&more), each(&less)), &shop);
    assert_eq!(right, shown(&rows("Jan 00, Jan 00, Feb A0, Feb A0, Mar B0, Mar B0")));
}

#[test]
fn noise_has_the_printed_probabilities() {
    let mut shop = Workshop::new(1);
    let one = shop.table(&["group"], rows("00"));
    let half = |text: &str| Probability::parse(text).unwrap();
    let noisy = |plan: LogicalPlan, p: &str, distribution: Distribution, draw: u64| {
        let column = crate::workshop::named(&plan, &plan.schema().fields()[0].name().clone());
        let noise = Noise { probability: half(p), distribution };
        Randomize::plan(plan, vec![(column, noise)], Draw::numbered(draw)).unwrap()
    };
    let even = || Distribution::Uniform { domain: Some(vec!["00".to_owned(), "A0".to_owned()]) };
    let chance = |plan: &LogicalPlan, of: &str, shop: &Workshop| bags(plan, &shop.tables).unwrap()[&rows(of)];
    let fraction = |n, d| Fraction::new(n, d).unwrap();
    let once = noisy(one.clone(), "0.5", even(), 1);
    assert_eq!(chance(&once, "00", &shop), fraction(3, 4), "D4");
    assert_eq!(chance(&noisy(once.clone(), "0.5", even(), 2), "00", &shop), fraction(5, 8), "D4");
    let day = shop.table(&["day"], rows("01.01."));
    let cycle = || Distribution::Steps {
        domain: ["01.01.", "02.01.", "03.01."].map(str::to_owned).to_vec(),
        steps: [-1, 1].map(|by| Step { by, probability: half("0.5") }).to_vec(),
        tails: Tails::Cyclic,
    };
    let twice = noisy(noisy(day.clone(), "0.16", cycle(), 1), "0.16", cycle(), 2);
    assert_eq!(chance(&twice, "01.01.", &shop), fraction(449, 625), "D6, two steps");
    assert_eq!(
        chance(&noisy(day, "0.2944", cycle(), 1), "01.01.", &shop),
        fraction(441, 625),
        "D6, combined"
    );
    let again = noisy(one, "0.5", even(), 3);
    let both = LogicalPlanBuilder::intersect(once.clone(), again.clone(), true).unwrap();
    assert_eq!(bags(&both, &shop.tables).unwrap()[&Vec::new()], fraction(3, 8), "D14");
    let rest = LogicalPlanBuilder::except(once, again, true).unwrap();
    let empty = bags(&rest, &shop.tables).unwrap()[&Vec::new()];
    assert_eq!(empty.complement(), Some(fraction(3, 8)), "D15");
}

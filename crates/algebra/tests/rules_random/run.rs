//! One rule on one random plan: at the node, and in its surroundings.

use crate::dice::Dice;
use crate::judge::{Claim, Columns, Verdict, generalized, slices};
use crate::meaning::{Counted, Tables};
use crate::scenes::{Condition, Scene, scene};
use crate::surroundings::{Layer, around, over};
use crate::workshop::Workshop;
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::rules::{
    Attempt, Consent, Direction, Kind, Rewrite, Rewriter, Rewritten, Rule, Safe, Switches, catalogue,
};
use std::collections::BTreeMap;
use std::fmt;

/// How often what happened to a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Plans that were made for it.
    pub plans: usize,
    /// Rewrites at the node that were compared.
    pub applied: usize,
    /// Rewrites in surroundings that were compared.
    pub inside: usize,
    /// Plans with a broken condition that it left alone.
    pub left_alone: usize,
    /// Plans with a kept condition that it refused all the same: what it needs to know was not known.
    pub cautious: usize,
    /// Plans without a meaning.
    pub undefined: usize,
}

/// Counts by rule, and what went wrong.
#[derive(Debug, Default)]
pub struct Tally {
    pub counts: BTreeMap<&'static str, Count>,
    pub wrong: Vec<String>,
}

impl Tally {
    /// Rules that were never applied, or never left a plan alone: nothing was tested then.
    pub fn vacuous(&self) -> Vec<&'static str> {
        let never = |rule: &&&'static dyn Rule| {
            let id = rule.card().id;
            let Some(count) = self.counts.get(id) else { return false };
            let applies = rule.card().direction != Direction::None && id != "G3" && id != "D3";
            (applies && (count.applied == 0 || count.inside == 0)) || count.left_alone == 0
        };
        catalogue().iter().filter(never).map(|rule| rule.card().id).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rule  plans  applied  inside  left alone  cautious  undefined")?;
        for (rule, count) in &self.counts {
            let Count { plans, applied, inside, left_alone, cautious, undefined } = count;
            writeln!(
                f,
                "{rule:4} {plans:6} {applied:8} {inside:7} {left_alone:11} {cautious:9} {undefined:10}"
            )?;
        }
        Ok(())
    }
}

/// Where a plan comes from: the same number makes the same plan.
pub fn seed_of(family: &str, number: u64) -> u64 {
    let mut seed = Dice::new(number.wrapping_mul(1_000_003) + u64::from(family.as_bytes()[0]));
    seed.below(usize::MAX) as u64
}

/// A plan for a rule, and what is around it.
pub struct Set {
    pub scene: Scene,
    pub layers: Vec<Layer>,
    pub tables: Tables,
}

pub fn set(rule: &str, seed: u64) -> Set {
    let mut shop = Workshop::new(seed);
    let condition = if shop.dice.percent(75) { Condition::Kept } else { Condition::Broken };
    let scene = scene(rule, condition, &mut shop);
    let layers = scene.node.as_ref().map(|node| around(node, &mut shop)).unwrap_or_default();
    Set { scene, layers, tables: shop.tables }
}

/// Whether plans with a broken condition may be rewritten: a planted rule is to be found by what its rewrites mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    None,
    Planted,
}

/// Tries a rule on a plan made for the rule of that name.
pub fn try_rule(rule: &dyn Rule, made_for: &'static str, seed: u64, trust: Trust, tally: &mut Tally) {
    let Set { scene, layers, tables } = set(made_for, seed);
    let count = tally.counts.entry(made_for).or_default();
    count.plans += 1;
    let Some(node) = scene.node else {
        count.left_alone += 1;
        return;
    };
    let facts = Counted(&tables);
    let rewrite = match rule.attempt(&node, scene.way, &facts).unwrap() {
        Attempt::NoMatch | Attempt::Refused(_) => {
            match scene.condition {
                Condition::Kept if rule.card().direction != Direction::None => count.cautious += 1,
                _ => count.left_alone += 1,
            }
            return;
        }
        Attempt::Rewritten(rewrite) => rewrite,
    };
    let mut wrong = |what: String| {
        tally.wrong.push(format!("{} {} seed {seed}: {what}", rule.card().id, scene.way));
    };
    if scene.condition == Condition::Broken && trust == Trust::None {
        return wrong(format!("rewritten although its condition does not hold:\n{}", node.display_indent()));
    }
    let Rewrite { plan: after, kind, safe, .. } = rewrite;
    // What stands above an operator in a classical rule may pick rows, on both sides alike.
    let safe = if made_for.starts_with('C') { Safe::AfterCheck } else { safe };
    let columns = Columns::Together;
    let claim = Claim { before: &node, after: &after, kind, safe, touched: &scene.touched, columns };
    match claim.judge(&tables) {
        Verdict::Undefined => return count.undefined += 1,
        Verdict::Kept => count.applied += 1,
        Verdict::Wrong(why) => return wrong(why),
    }
    if trust == Trust::Planted {
        return;
    }
    let Some(whole) = over(&layers, node) else { return };
    let rewriter =
        Rewriter::new(&facts).with_switches(Switches::only(rule, scene.way)).with_consent(Consent::Partial);
    let done = match rewriter.exactly(whole.clone()) {
        Ok(done) => done,
        Err(error) => return wrong(format!("{error}:\n{}", whole.display_indent())),
    };
    if done.trace.applied().next().is_some() {
        match inside(&whole, &done, &scene.touched, &tables) {
            Verdict::Kept => count.inside += 1,
            Verdict::Undefined => {}
            Verdict::Wrong(why) => return wrong(format!("in its surroundings: {why}")),
        }
    }
    for consent in [Consent::EquivalentOnly, Consent::Partial] {
        let done = Rewriter::new(&facts).with_consent(consent).improve(whole.clone()).unwrap();
        if let Verdict::Wrong(why) = inside(&whole, &done, &scene.touched, &tables) {
            let used: Vec<&str> = done.trace.applied().map(|applied| applied.rule).collect();
            return wrong(format!("after {}: {why}", used.join(", ")));
        }
    }
}

/// A whole plan and what the rewriter made of it. Other labels may have been passed on by generalizations above, and slicings may have mixed columns anew:
/// then every column that is not generalized must be the same by itself.
fn inside(whole: &LogicalPlan, done: &Rewritten, touched: &[String], tables: &Tables) -> Verdict {
    let partial = done.trace.applied().any(|applied| applied.kind != Kind::Equivalent);
    let names = [touched, &generalized(whole)[..]].concat();
    let kind = if partial { Kind::PartiallyEquivalent } else { Kind::Equivalent };
    // What a plan as a whole promises, nobody has said.
    let claim = Claim {
        before: whole,
        after: &done.plan,
        kind,
        safe: Safe::AfterCheck,
        touched: &names,
        columns: if slices(whole) { Columns::OneByOne } else { Columns::Together },
    };
    claim.judge(tables)
}

/// So many random plans for every rule of a family.
pub fn family(name: &str, plans: usize) -> Tally {
    let rules: Vec<&'static dyn Rule> =
        catalogue().into_iter().filter(|rule| rule.card().id.starts_with(name)).collect();
    let mut tally = Tally::default();
    for number in 0..plans {
        let rule = rules[number % rules.len()];
        try_rule(rule, rule.card().id, seed_of(name, number as u64), Trust::None, &mut tally);
    }
    tally
}

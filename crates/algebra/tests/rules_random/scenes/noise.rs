//! D1–D17.

use super::{Condition, Side};
use crate::workshop::{Which, Workshop, distinct, join, named, pi, union};
use Condition::{Broken, Kept};
use datafusion::common::Column;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use paravent_algebra::operator::{Noise, Probability, Randomize};
use paravent_algebra::rules::Way;
use paravent_algebra::rules::Way::{LeftToRight, RightToLeft};

const COLUMNS: [&str; 3] = ["group", "rhesus", "note"];

fn ground(shop: &mut Workshop) -> LogicalPlan {
    let rows = shop.dice.between(1, 3);
    let columns = shop.dice.shuffled(&COLUMNS);
    shop.source(&columns, rows)
}

/// One or two columns to randomise.
fn noisy(shop: &mut Workshop, of: &[&'static str]) -> Vec<&'static str> {
    let number = shop.dice.between(1, 2.min(of.len()));
    shop.dice.some(of, number)
}

fn with_noise(shop: &mut Workshop, plan: LogicalPlan, noise: Vec<(Column, Noise)>) -> LogicalPlan {
    let draw = shop.draw();
    Randomize::plan(plan, noise, draw).unwrap()
}

fn with_probability(
    mut noise: Vec<(Column, Noise)>,
    mut p: impl FnMut() -> &'static str,
) -> Vec<(Column, Noise)> {
    noise.iter_mut().for_each(|(_, noise)| noise.probability = Probability::parse(p()).unwrap());
    noise
}

pub(super) fn side(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    shop.missing = !matches!(rule, "D13");
    match rule {
        "D1" => {
            let relation = ground(shop);
            let columns = if condition == Kept { Vec::new() } else { noisy(shop, &COLUMNS) };
            Side::new(LeftToRight, shop.randomize(relation, &columns, Which::Any))
        }
        "D2" => {
            let relation = ground(shop);
            let columns = noisy(shop, &COLUMNS);
            let noise = columns
                .iter()
                .map(|column| (named(&relation, column), shop.noise(column, Which::Any)))
                .collect();
            let p = if condition == Kept { "0" } else { "0.25" };
            Side::new(LeftToRight, with_noise(shop, relation, with_probability(noise, || p)))
        }
        "D3" => {
            let relation = ground(shop);
            if condition == Broken {
                return Side::new(LeftToRight, shop.randomize(relation, &["group"], Which::Any));
            }
            let foreign = vec![(Column::new_unqualified("zip"), shop.noise("group", Which::Static))];
            let draw = shop.draw();
            Side::impossible(Randomize::plan(relation, foreign, draw))
        }
        "D4" | "D6" => twice(rule, condition, shop),
        "D5" | "D7" => nested(rule, condition, shop),
        "D8" | "D9" | "D10" => projection(rule, condition, shop),
        "D11" => selection(condition, shop),
        "D12" => parts(condition, shop),
        "D13" => joined(condition, shop),
        "D14" | "D15" => set_operation(rule, shop),
        "D16" | "D17" => grouped(rule, condition, shop),
        other => panic!("no scene for {other}"),
    }
}

fn twice(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let relation = ground(shop);
    let columns = noisy(shop, &COLUMNS);
    let which = match condition {
        Kept => Which::Static,
        Broken => shop.dice.of(&[Which::Dynamic, Which::ReadOff]),
    };
    let noise: Vec<(Column, Noise)> =
        columns.iter().map(|column| (named(&relation, column), shop.noise(column, which))).collect();
    let noise = match (rule, condition) {
        ("D4", Kept) => with_probability(noise, || shop.dice.of(&["0", "1"])),
        ("D4", Broken) => with_probability(noise, || "0.5"),
        _ => with_probability(noise, || shop.dice.of(&["0.5", "0.25", "1"])),
    };
    let inner = with_noise(shop, relation, noise.clone());
    Side::new(LeftToRight, with_noise(shop, inner, noise))
}

fn nested(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let relation = ground(shop);
    if rule == "D5" {
        if condition == Kept && shop.dice.percent(40) {
            let columns = shop.dice.some(&COLUMNS, 2);
            return Side::new(RightToLeft, shop.randomize(relation, &columns, Which::Any));
        }
        let order = shop.dice.shuffled(&COLUMNS);
        let outer = if condition == Kept { &order[1..2] } else { &order[..2] };
        let inner = shop.randomize(relation, &order[..1], Which::Any);
        return Side::new(LeftToRight, shop.randomize(inner, outer, Which::Any));
    }
    let order = shop.dice.shuffled(&COLUMNS);
    let which =
        if condition == Kept { Which::Static } else { shop.dice.of(&[Which::Dynamic, Which::ReadOff]) };
    let shared = shop.noise(order[0], which);
    let at = named(&relation, order[0]);
    let mut first = vec![(at.clone(), shared.clone())];
    let p = Probability::parse(shop.dice.of(&["0.5", "0.25"])).unwrap();
    let mut second = vec![(at, Noise { probability: p, ..shared })];
    if shop.dice.percent(40) {
        first.push((named(&relation, order[1]), shop.noise(order[1], Which::Any)));
    }
    if shop.dice.percent(40) {
        second.push((named(&relation, order[2]), shop.noise(order[2], Which::Any)));
    }
    let inner = with_noise(shop, relation, first);
    Side::new(LeftToRight, with_noise(shop, inner, second))
}

fn projection(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let relation = ground(shop);
    let order = shop.dice.shuffled(&COLUMNS);
    match (rule, condition) {
        ("D8", Kept) => {
            let narrow = pi(relation, &order[..2]);
            let columns = noisy(shop, &order[..2]);
            Side::new(LeftToRight, shop.randomize(narrow, &columns, Which::Any))
        }
        ("D8", Broken) => {
            let narrow = distinct(pi(relation, &order[..2]));
            let columns = noisy(shop, &order[..2]);
            Side::new(LeftToRight, shop.randomize(narrow, &columns, Which::Any))
        }
        ("D9", _) => {
            let columns = noisy(shop, &COLUMNS);
            let below = shop.randomize(relation, &columns, Which::Any);
            let number = shop.dice.between(1, 2);
            let narrow = pi(below, &order[..number]);
            Side::new(RightToLeft, if condition == Kept { narrow } else { distinct(narrow) })
        }
        (_, Kept) => {
            let below = shop.randomize(relation, &order[..1], Which::Any);
            let narrow = pi(below, &order[1..]);
            Side::new(RightToLeft, if shop.dice.percent(30) { distinct(narrow) } else { narrow })
        }
        (_, Broken) => {
            let below = shop.randomize(relation, &order[..2], Which::Any);
            Side::new(RightToLeft, pi(below, &order[1..]))
        }
    }
}

fn selection(condition: Condition, shop: &mut Workshop) -> Side {
    let relation = ground(shop);
    let order = shop.dice.shuffled(&COLUMNS);
    let overlap = shop.dice.percent(60);
    let (columns, which) = match condition {
        Kept => (noisy(shop, &order[1..]), Which::Fixed),
        Broken if overlap => (order[..1].to_vec(), Which::Static),
        Broken => (order[1..2].to_vec(), Which::ReadOff),
    };
    match shop.dice.percent(50) {
        true => {
            let selected = shop.sigma(relation, order[0]);
            Side::new(LeftToRight, shop.randomize(selected, &columns, which))
        }
        false => {
            let below = shop.randomize(relation, &columns, which);
            Side::new(RightToLeft, shop.sigma(below, order[0]))
        }
    }
}

fn parts(condition: Condition, shop: &mut Workshop) -> Side {
    let number = if shop.dice.percent(80) { 2 } else { 3 };
    let parts: Vec<LogicalPlan> = (0..number)
        .map(|_| {
            let rows = shop.dice.between(1, 2);
            shop.source(&COLUMNS, rows)
        })
        .collect();
    let columns = noisy(shop, &COLUMNS);
    let broken = match condition {
        Kept => 9,
        Broken => shop.dice.below(4),
    };
    let which = if broken == 0 { Which::ReadOff } else { Which::Fixed };
    if broken == 1 {
        let together = distinct(union(parts).unwrap());
        return Side::new(LeftToRight, shop.randomize(together, &columns, which));
    }
    if broken == 0 || broken == 9 && shop.dice.percent(50) {
        let together = union(parts).unwrap();
        return Side::new(LeftToRight, shop.randomize(together, &columns, which));
    }
    let noise: Vec<(&str, Noise)> =
        columns.iter().map(|column| (*column, shop.noise(column, which))).collect();
    let mut noisy_parts = Vec::new();
    for (place, part) in parts.into_iter().enumerate() {
        let own = noise.iter().map(|(column, noise)| (named(&part, column), noise.clone())).collect();
        let own = if broken == 2 && place == 0 { with_probability(own, || "0.125") } else { own };
        noisy_parts.push(with_noise(shop, part, own));
    }
    let together = union(noisy_parts).unwrap();
    Side::new(RightToLeft, if broken == 3 { distinct(together) } else { together })
}

fn joined(condition: Condition, shop: &mut Workshop) -> Side {
    let mut ids: Vec<usize> = (1..=shop.dice.between(1, 3)).collect();
    let mut other = shop.dice.shuffled(&ids);
    if shop.dice.percent(40) {
        other.push(9);
    }
    let broken = match condition {
        Kept => 9,
        Broken => shop.dice.below(3),
    };
    match broken {
        0 => other.push(1),
        1 => ids.push(1),
        _ => {}
    }
    let (left, right) = (shop.keyed(&ids, &["group"]), shop.keyed(&other, &["rhesus", "note"]));
    let which = if broken == 2 { Which::ReadOff } else { Which::Fixed };
    let (mine, theirs) = (["group"], noisy(shop, &["rhesus", "note"]));
    let mine: &[&str] = if shop.dice.percent(70) { &mine } else { &[] };
    let kept = if shop.dice.percent(70) { Some(["group", "rhesus", "note"]) } else { None };
    let narrow = |plan: LogicalPlan| match &kept {
        Some(columns) => pi(plan, columns),
        None => plan,
    };
    if shop.dice.percent(50) {
        let whole = narrow(join(left, right, "id"));
        return Side::new(LeftToRight, shop.randomize(whole, &[mine, &theirs].concat(), which));
    }
    let left = if mine.is_empty() { left } else { shop.randomize(left, mine, which) };
    let right = shop.randomize(right, &theirs, which);
    Side::new(RightToLeft, narrow(join(left, right, "id")))
}

/// γ with a count of rows, above noise that it reads or not.
fn grouped(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let relation = ground(shop);
    let columns = shop.dice.shuffled(&COLUMNS);
    let seen = rule == "D17" || condition == Broken;
    let below = shop.randomize(relation, &columns[..1], if seen { Which::Static } else { Which::Any });
    let read = match seen {
        true => shop.dice.of(&[vec![columns[0]], vec![columns[0], columns[1]]]),
        false => shop.dice.of(&[vec![columns[1]], vec![columns[1], columns[2]], vec![columns[2]]]),
    };
    let read: Vec<Expr> = read.iter().map(|name| Expr::Column(named(&below, name))).collect();
    let figures = if shop.dice.percent(70) { vec![count(lit(1_i64)).alias("rows")] } else { Vec::new() };
    let plan = LogicalPlanBuilder::from(below).aggregate(read, figures).unwrap().build().unwrap();
    Side::new(if rule == "D17" { LeftToRight } else { RightToLeft }, plan)
}

fn set_operation(rule: &str, shop: &mut Workshop) -> Side {
    let columns = ["rhesus"];
    let (left, right) = (shop.relation(&columns, 2), shop.relation(&columns, 2));
    let all = shop.dice.percent(50);
    let both = |left, right| match rule {
        "D14" => LogicalPlanBuilder::intersect(left, right, all).unwrap(),
        _ => LogicalPlanBuilder::except(left, right, all).unwrap(),
    };
    let way: Way = shop.dice.of(&[LeftToRight, RightToLeft]);
    match way {
        LeftToRight => Side::new(way, shop.randomize(both(left, right), &columns, Which::Static)),
        RightToLeft => {
            let left = shop.randomize(left, &columns, Which::Static);
            let right = shop.randomize(right, &columns, Which::Static);
            Side::new(way, both(left, right))
        }
    }
}

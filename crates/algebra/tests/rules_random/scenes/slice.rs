//! S1–S12.

use super::{Condition, Side};
use crate::workshop::{LADDERS, Workshop, distinct, join, named, pi, project, union};
use Condition::{Broken, Kept};
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_algebra::operator::{Buckets, Draw, Generalization, Overlap, Promise, Slice, Slicing};
use paravent_algebra::rules::Way;
use paravent_algebra::rules::Way::{LeftToRight, RightToLeft};

/// A relation of two to four rows, and buckets for it.
struct Ground {
    relation: LogicalPlan,
    rows: usize,
}

fn ground(shop: &mut Workshop, columns: &[&str]) -> Ground {
    let rows = if shop.dice.percent(15) { 5 } else { shop.dice.between(2, 4) };
    Ground { relation: shop.source(columns, rows), rows }
}

/// A relation in which every value of `note` occurs twice or more.
fn in_pairs(shop: &mut Workshop, columns: &[&str]) -> LogicalPlan {
    let values = shop.dice.of(&[["1", "1", "2", "2"], ["2", "1", "2", "1"], ["3", "3", "3", "3"]]);
    let mut rows = Vec::new();
    for value in values {
        let drawn = shop.relation(columns, 1);
        let name = drawn.schema().columns()[0].relation.clone().unwrap();
        let mut row = shop.tables.0.remove(name.table()).unwrap().remove(0);
        row.push(Some(value.into()));
        rows.push(row);
    }
    shop.table(&[columns, &["note"]].concat(), rows)
}

/// A relation and buckets that it can be cut into.
fn bucketed(shop: &mut Workshop) -> (LogicalPlan, Buckets) {
    match shop.dice.below(10) {
        0 | 1 => {
            let relation = in_pairs(shop, &["day", "group"]);
            let by = named(&relation, "note");
            (relation, Buckets::By(by))
        }
        2 => {
            let Ground { relation, .. } = ground(shop, &["day", "group", "note"]);
            let quasi = vec![named(&relation, shop.dice.of(&["day", "group"]))];
            let promise = Promise::k_anonymity(2);
            (relation, Buckets::Classes(Generalization { quasi, promise }))
        }
        _ => {
            let Ground { relation, rows } = ground(shop, &["day", "group", "note"]);
            let buckets = shop.buckets(&relation, rows, false);
            (relation, buckets)
        }
    }
}

fn groups(shop: &mut Workshop, plan: &LogicalPlan) -> Vec<Vec<Column>> {
    let columns = shop.dice.shuffled(&plan.schema().columns());
    shop.dice.partition(&columns)
}

fn sliced(shop: &mut Workshop, plan: LogicalPlan, buckets: Buckets) -> LogicalPlan {
    let groups = groups(shop, &plan);
    shop.slice(plan, groups, buckets)
}

/// Other buckets than these.
fn others(shop: &mut Workshop, plan: &LogicalPlan, than: &Buckets) -> Buckets {
    loop {
        let buckets = shop.buckets(plan, 4, true);
        if buckets != *than {
            return buckets;
        }
    }
}

pub(super) fn side(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    shop.missing = rule != "S9";
    match rule {
        "S1" => {
            let (relation, buckets) = bucketed(shop);
            let columns = shop.dice.shuffled(&relation.schema().columns());
            let groups = match condition {
                Kept => vec![columns],
                Broken => vec![vec![columns[0].clone()], columns[1..].to_vec()],
            };
            Side::new(LeftToRight, shop.slice(relation, groups, buckets))
        }
        "S2" => twice(condition, shop),
        "S3" => nested(condition, shop),
        "S4" | "S5" | "S6" => projection(rule, condition, shop),
        "S7" => selection(condition, shop),
        "S8" => parts(condition, shop),
        "S9" => joined(condition, shop),
        "S10" | "S11" => set_operation(rule, shop),
        "S12" => grouped(condition, shop),
        other => panic!("no scene for {other}"),
    }
}

fn grouped(condition: Condition, shop: &mut Workshop) -> Side {
    let (relation, buckets) = bucketed(shop);
    let columns = shop.dice.shuffled(&relation.schema().columns());
    let groups = vec![columns[..2].to_vec(), columns[2..].to_vec()];
    let read = match condition {
        Kept => shop.dice.of(&[columns[..1].to_vec(), columns[..2].to_vec(), columns[2..3].to_vec()]),
        Broken => vec![columns[0].clone(), columns[2].clone()],
    };
    let below = shop.slice(relation, groups, buckets);
    let read: Vec<Expr> = read.into_iter().map(Expr::Column).collect();
    let plan = LogicalPlanBuilder::from(below).aggregate(read, Vec::<Expr>::new()).unwrap();
    Side::new(RightToLeft, plan.build().unwrap())
}

fn twice(condition: Condition, shop: &mut Workshop) -> Side {
    let (relation, buckets) = bucketed(shop);
    let mut groups = groups(shop, &relation);
    if let (Kept, Buckets::Classes(what)) = (condition, &buckets) {
        // What decides the classes stays together.
        let deciding = what.quasi.clone();
        let rest = relation.schema().columns().into_iter().filter(|column| !deciding.contains(column));
        groups = vec![deciding.clone(), rest.collect()];
    }
    if condition == Kept && shop.dice.percent(30) {
        return Side::new(RightToLeft, shop.slice(relation, groups, buckets));
    }
    let outer = match condition {
        Kept => buckets.clone(),
        Broken => others(shop, &relation, &buckets),
    };
    let inner = shop.slice(relation, groups.clone(), buckets);
    Side::new(LeftToRight, shop.slice(inner, groups, outer))
}

fn nested(condition: Condition, shop: &mut Workshop) -> Side {
    if condition == Broken {
        let (relation, buckets) = bucketed(shop);
        if shop.dice.percent(50) {
            return Side::new(RightToLeft, sliced(shop, relation, buckets));
        }
        let inner = sliced(shop, relation, buckets.clone());
        let groups = vec![inner.schema().columns()];
        let (overlap, draw) = (Overlap::Allowed { least: 2 }, Draw::numbered(77));
        let what = Slicing { groups, buckets, least_rows: 2, overlap, draw, demands: Default::default() };
        return Side::new(LeftToRight, Slice::plan(inner, what).unwrap());
    }
    // Four columns can be torn crosswise.
    let columns = ["day", "group", "rhesus", "note"];
    let crossed = shop.dice.percent(30);
    let (relation, buckets) = match crossed {
        true => {
            let rows = shop.dice.between(2, 3);
            (shop.relation(&columns, rows), Buckets::Count(1))
        }
        false => bucketed(shop),
    };
    let inner = match crossed {
        true => {
            let names = |names: [&str; 2]| names.map(|name| named(&relation, name)).to_vec();
            let groups = vec![names(["day", "rhesus"]), names(["group", "note"])];
            shop.slice(relation, groups, buckets.clone())
        }
        false => sliced(shop, relation, buckets.clone()),
    };
    let outer = match shop.dice.percent(75) {
        true => buckets,
        false => others(shop, &inner, &buckets),
    };
    if crossed {
        let names = |names: [&str; 2]| names.map(|name| named(&inner, name)).to_vec();
        let groups = vec![names(["day", "group"]), names(["rhesus", "note"])];
        return Side::new(LeftToRight, shop.slice(inner, groups, outer));
    }
    Side::new(LeftToRight, sliced(shop, inner, outer))
}

fn projection(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let (relation, buckets) = bucketed(shop);
    let deciding: Vec<Column> = match &buckets {
        Buckets::By(column) => vec![column.clone()],
        Buckets::Classes(what) => what.quasi.clone(),
        Buckets::Count(_) | Buckets::Size(_) => Vec::new(),
    };
    let free: Vec<Column> =
        relation.schema().columns().into_iter().filter(|column| !deciding.contains(column)).collect();
    let number = shop.dice.between(usize::from(deciding.is_empty()), free.len());
    let kept = [deciding, shop.dice.some(&free, number)].concat();
    let kept = shop.dice.shuffled(&kept);
    match (rule, condition) {
        ("S4", Kept) => {
            let narrow = project(relation, kept);
            Side::new(LeftToRight, sliced(shop, narrow, buckets))
        }
        ("S4", Broken) => {
            let narrow = distinct(project(relation, kept));
            Side::new(LeftToRight, sliced(shop, narrow, buckets))
        }
        ("S5", Kept) => {
            let below = sliced(shop, relation, buckets);
            Side::new(RightToLeft, project(below, kept))
        }
        ("S5", Broken) => match shop.dice.percent(50) {
            true => {
                let below = sliced(shop, relation, buckets);
                Side::new(RightToLeft, distinct(project(below, kept)))
            }
            false => {
                let relation = in_pairs(shop, &["day", "group"]);
                let by = Buckets::By(named(&relation, "note"));
                let below = sliced(shop, relation, by);
                Side::new(RightToLeft, pi(below, &["day", "group"]))
            }
        },
        (_, Kept) => {
            let groups = groups(shop, &relation);
            let group = shop.dice.of(&groups);
            let number = shop.dice.between(1, group.len());
            let kept = shop.dice.some(&group, number);
            let narrow = project(shop.slice(relation, groups, buckets), kept);
            let narrow = if shop.dice.percent(30) { distinct(narrow) } else { narrow };
            Side::new(RightToLeft, narrow)
        }
        (_, Broken) => {
            let columns = relation.schema().columns();
            let groups = vec![vec![columns[0].clone()], columns[1..].to_vec()];
            let below = shop.slice(relation, groups, buckets);
            Side::new(RightToLeft, project(below, columns[..2].to_vec()))
        }
    }
}

fn selection(condition: Condition, shop: &mut Workshop) -> Side {
    let (relation, buckets, read) = match condition {
        Kept => {
            let relation = in_pairs(shop, &["day", "group"]);
            let by = Buckets::By(named(&relation, "note"));
            (relation, by, "note")
        }
        Broken if shop.dice.percent(50) => {
            let relation = in_pairs(shop, &["day", "group"]);
            let by = Buckets::By(named(&relation, "note"));
            (relation, by, "day")
        }
        Broken => {
            let Ground { relation, rows } = ground(shop, &["day", "group", "note"]);
            let buckets = shop.buckets(&relation, rows, false);
            (relation, buckets, shop.dice.of(&["day", "group", "note"]))
        }
    };
    match shop.dice.percent(50) {
        true => {
            let selected = shop.sigma(relation, read);
            Side::new(LeftToRight, sliced(shop, selected, buckets))
        }
        false => {
            let below = sliced(shop, relation, buckets);
            Side::new(RightToLeft, shop.sigma(below, read))
        }
    }
}

fn parts(condition: Condition, shop: &mut Workshop) -> Side {
    let columns = ["day", "group"];
    let number = if shop.dice.percent(80) { 2 } else { 3 };
    let mut rows: Vec<usize> = (0..number).map(|_| shop.dice.between(2, 3)).collect();
    let broken = match condition {
        Kept => 9,
        Broken => shop.dice.below(3),
    };
    if broken == 0 {
        rows[0] = 1;
    }
    let parts: Vec<LogicalPlan> = rows.iter().map(|rows| shop.relation(&columns, *rows)).collect();
    if broken == 2 {
        let together = union(parts).unwrap();
        let by = Buckets::By(named(&together, "day"));
        return Side::new(LeftToRight, sliced(shop, together, by));
    }
    if broken == 1 {
        let together = distinct(union(parts).unwrap());
        return Side::new(LeftToRight, sliced(shop, together, Buckets::Size(2)));
    }
    let buckets = match shop.dice.below(6) {
        0 => Buckets::Count(number as u64),
        1 => Buckets::Count(1),
        2 => Buckets::Size(3),
        _ => Buckets::Size(2),
    };
    if shop.dice.percent(60) {
        let together = union(parts).unwrap();
        let buckets = match shop.dice.percent(10) {
            true => Buckets::Classes(Generalization {
                quasi: vec![named(&together, shop.dice.of(&LADDERS[..2]))],
                promise: Promise::k_anonymity(2),
            }),
            false => buckets,
        };
        return Side::new(LeftToRight, sliced(shop, together, buckets));
    }
    let split = shop.dice.percent(50);
    let buckets = if let Buckets::Count(_) = buckets { Buckets::Count(1) } else { buckets };
    let part = |part: LogicalPlan| {
        let [day, group] = columns.map(|name| named(&part, name));
        let groups = if split { vec![vec![day], vec![group]] } else { vec![vec![group, day]] };
        shop.slice(part, groups, buckets.clone())
    };
    Side::new(RightToLeft, union(parts.into_iter().map(part).collect()).unwrap())
}

fn joined(condition: Condition, shop: &mut Workshop) -> Side {
    let mut ids: Vec<usize> = (1..=shop.dice.between(2, 4)).collect();
    let mut other = shop.dice.shuffled(&ids);
    let broken = match condition {
        Kept => 9,
        Broken => shop.dice.below(4),
    };
    match broken {
        0 => other.push(9),
        1 => ids.push(1),
        _ => {}
    }
    let (left, right) = (shop.keyed(&ids, &["day", "group"]), shop.keyed(&other, &["rhesus"]));
    let buckets = shop.dice.of(&[Buckets::Count(1), Buckets::Size(2), Buckets::Size(3)]);
    let together = shop.dice.percent(50);
    let columns = |plan: &LogicalPlan, with_id: bool| {
        let mut groups: Vec<Vec<Column>> = Vec::new();
        let has = |name: &str| plan.schema().columns().iter().any(|column| column.name == name);
        if has("day") {
            let pair = ["day", "group"].map(|name| named(plan, name));
            groups.extend(if together {
                vec![pair.to_vec()]
            } else {
                pair.map(|column| vec![column]).to_vec()
            });
        }
        if has("rhesus") {
            groups.push(vec![named(plan, "rhesus")]);
        }
        if with_id {
            groups.push(vec![named(plan, "id")]);
        }
        groups
    };
    if broken == 3 || shop.dice.percent(50) {
        let whole = pi(join(left, right, "id"), &["day", "group", "rhesus"]);
        let groups = match broken {
            2 => vec![whole.schema().columns()],
            _ => columns(&whole, false),
        };
        let buckets = if broken == 3 { Buckets::By(named(&whole, "day")) } else { buckets };
        return Side::new(LeftToRight, shop.slice(whole, groups, buckets));
    }
    let (mut mine, theirs) = (columns(&left, true), columns(&right, true));
    if broken == 2 {
        mine = vec![left.schema().columns()];
    }
    let left = shop.slice(left, mine, buckets.clone());
    let right = shop.slice(right, theirs, buckets);
    Side::new(RightToLeft, pi(join(left, right, "id"), &["day", "group", "rhesus"]))
}

fn set_operation(rule: &str, shop: &mut Workshop) -> Side {
    let columns = ["day", "group"];
    let (left, right) = (shop.relation(&columns, 3), shop.relation(&columns, 3));
    let all = shop.dice.percent(50);
    let both = |left, right| match rule {
        "S10" => LogicalPlanBuilder::intersect(left, right, all).unwrap(),
        _ => LogicalPlanBuilder::except(left, right, all).unwrap(),
    };
    let way: Way = shop.dice.of(&[LeftToRight, RightToLeft]);
    match way {
        LeftToRight => Side::new(way, sliced(shop, both(left, right), Buckets::Size(2))),
        RightToLeft => {
            let sides = (sliced(shop, left, Buckets::Size(2)), sliced(shop, right, Buckets::Size(2)));
            Side::new(way, both(sides.0, sides.1))
        }
    }
}

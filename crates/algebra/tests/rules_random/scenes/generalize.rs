//! G1–G19.

use super::{Condition, Side};
use crate::workshop::{Also, LADDERS, Workshop, alpha, distinct, join, named, pi, union};
use Condition::{Broken, Kept};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, ExprSchema};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_algebra::operator::{Generalize, Promise};
use paravent_algebra::rules::Way;
use paravent_algebra::rules::Way::{LeftToRight, RightToLeft};
use paravent_job::{DecimalText, Search};

const DIVERSE: Also = Also::Diversity("note");
const COLUMNS: [&str; 5] = ["day", "group", "rhesus", "age", "note"];

/// X, k and a relation with all columns.
struct Ground {
    quasi: Vec<&'static str>,
    k: usize,
    relation: LogicalPlan,
}

fn ground(shop: &mut Workshop, least: usize, most: usize) -> Ground {
    let number = shop.dice.between(least, most);
    let quasi = shop.dice.some(&LADDERS, number);
    let k = shop.dice.between(2, 3);
    let rows = shop.dice.between(k, 7);
    let columns = shop.dice.shuffled(&COLUMNS);
    let mut relation = shop.source(&columns, rows);
    if shop.dice.percent(10) {
        // Another operator below: its labels are lifted, never lowered.
        let column = shop.dice.of(&LADDERS);
        relation = alpha(relation, &[column], &Promise::k_anonymity(2));
    }
    Ground { quasi, k, relation }
}

fn suppressing(promise: &Promise) -> Promise {
    Promise::new(promise.models.clone(), DecimalText::new("0.34").unwrap(), promise.search.clone())
}

fn hurried(promise: &Promise) -> Promise {
    let search = Search { seconds: 1.0, ..promise.search.clone() };
    Promise::new(promise.models.clone(), promise.suppression_limit.clone(), search)
}

fn diverse(promise: &Promise) -> Promise {
    let protected = paravent_job::Model::DistinctLDiversity { attribute: "note".to_owned(), l: 2 };
    let models = promise.models.iter().cloned().chain([protected]).collect();
    Promise::new(models, promise.suppression_limit.clone(), promise.search.clone())
}

/// Columns to come out: these, and some of the others.
fn shown(shop: &mut Workshop, always: &[&'static str], never: &[&str]) -> Vec<&'static str> {
    let free: Vec<&str> =
        COLUMNS.into_iter().filter(|name| !always.contains(name) && !never.contains(name)).collect();
    let number = shop.dice.between(usize::from(always.is_empty()), free.len());
    let mut shown = [always, &shop.dice.some(&free, number)[..]].concat();
    shown.sort_by_key(|name| COLUMNS.iter().position(|known| known == name));
    shown
}

/// The same names in the order of a relation's columns.
fn ordered(relation: &LogicalPlan, names: &[&'static str]) -> Vec<&'static str> {
    let mut names = names.to_vec();
    let place = |name: &&str| relation.schema().index_of_column(&named(relation, name)).unwrap();
    names.sort_by_key(place);
    names
}

pub(super) fn side(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    match rule {
        "G1" => nothing_promised(condition, shop),
        "G2" => {
            let Ground { k, relation, .. } = ground(shop, 1, 1);
            let k = if condition == Kept { k } else { k + 9 };
            Side::new(LeftToRight, alpha(relation, &[], &Promise::k_anonymity(k as u32)))
        }
        "G3" => {
            let Ground { relation, .. } = ground(shop, 1, 1);
            let foreign = vec![Column::new_unqualified("zip")];
            Side::impossible(Generalize::plan(relation, foreign, Promise::k_anonymity(2)))
        }
        "G4" | "G5" | "G8" => again(rule, condition, shop),
        "G6" | "G7" => stronger(rule, condition, shop),
        "G9" | "G10" => projection(rule, condition, shop),
        "G11" | "G12" | "G13" => projected_away(rule, condition, shop),
        "G14" => selection(condition, shop),
        "G15" => parts(condition, shop),
        "G16" => joined(condition, shop),
        "G17" => joined_on_keys(condition, shop),
        "G18" | "G19" => set_operation(rule, shop),
        other => panic!("no scene for {other}"),
    }
}

fn nothing_promised(condition: Condition, shop: &mut Workshop) -> Side {
    let Ground { quasi, relation, .. } = ground(shop, 1, 3);
    let nothing = Promise::k_anonymity(1);
    if condition == Broken {
        let promise = [diverse(&nothing), hurried(&nothing), Promise::k_anonymity(2)];
        return Side::new(LeftToRight, alpha(relation, &quasi, &shop.dice.of(&promise)));
    }
    if named_type(&relation, "age") == DataType::Int64 && shop.dice.percent(30) {
        let text = |column: Column| match column.name.as_str() {
            "age" => Expr::Cast(Cast::new(Box::new(Expr::Column(column.clone())), DataType::Utf8))
                .alias_qualified(column.relation, column.name),
            _ => Expr::Column(column),
        };
        let columns: Vec<Expr> = relation.schema().columns().into_iter().map(text).collect();
        let cast = LogicalPlanBuilder::from(relation).project(columns).unwrap().build().unwrap();
        return Side::new(RightToLeft, cast);
    }
    Side::new(LeftToRight, alpha(relation, &quasi, &nothing))
}

fn named_type(relation: &LogicalPlan, name: &str) -> DataType {
    relation.schema().field_from_column(&named(relation, name)).unwrap().data_type().clone()
}

fn again(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let Ground { quasi, k, relation } = ground(shop, if rule == "G5" { 2 } else { 1 }, 3);
    let promise = shop.promise(k, &[Also::Suppression, DIVERSE]);
    if condition == Kept && shop.dice.percent(30) {
        return Side::new(RightToLeft, alpha(relation, &quasi, &promise));
    }
    let outer = match (condition, rule) {
        (Kept, "G8") => promise.with_k(shop.dice.between(1, k) as u32),
        (Kept, _) => promise.clone(),
        (Broken, "G5") => promise.clone(),
        (Broken, "G8") => {
            shop.dice.of(&[promise.with_k(k as u32 + 1), hurried(&promise), diverse(&diverse(&promise))])
        }
        (Broken, _) => shop.dice.of(&[promise.with_k(k as u32 - 1), hurried(&promise)]),
    };
    let number = shop.dice.between(1, quasi.len());
    let again = match (rule, condition) {
        ("G5", Kept) => shop.dice.some(&quasi, number),
        ("G5", Broken) => {
            let others: Vec<&str> = LADDERS.into_iter().filter(|name| !quasi.contains(name)).collect();
            [&shop.dice.some(&quasi, 1)[..], &others[..1]].concat()
        }
        _ => quasi.clone(),
    };
    Side::new(LeftToRight, alpha(alpha(relation, &quasi, &promise), &again, &outer))
}

fn stronger(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let one = (rule == "G6") == (condition == Kept || shop.dice.percent(50));
    let (least, most) = if one { (1, 1) } else { (2, 3) };
    let Ground { quasi, k, relation } = ground(shop, least, most);
    let (mut outer, mut inner) = (Promise::k_anonymity(k as u32 + 1), Promise::k_anonymity(k as u32));
    if condition == Kept && rule == "G6" && shop.dice.percent(30) {
        return Side::new(RightToLeft, alpha(relation, &quasi, &outer)).touching(&quasi);
    }
    if condition == Broken && one == (rule == "G6") {
        (outer, inner) = match shop.dice.below(3) {
            0 => (suppressing(&outer), suppressing(&inner)),
            1 => (diverse(&outer), diverse(&inner)),
            _ => (outer, suppressing(&inner)),
        };
    }
    Side::new(LeftToRight, alpha(alpha(relation, &quasi, &inner), &quasi, &outer)).touching(&quasi)
}

fn projection(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let Ground { quasi, k, relation } = ground(shop, 1, 3);
    let promise = shop.promise(k, &[Also::Suppression, DIVERSE]);
    let always: Vec<&str> = match promise.sensitive().is_empty() {
        true => quasi.clone(),
        false => [&quasi[..], &["note"]].concat(),
    };
    let mut columns = shown(shop, &always, &[]);
    columns = match shop.dice.percent(70) {
        true => ordered(&relation, &columns),
        false => shop.dice.shuffled(&columns),
    };
    match (rule, condition) {
        ("G9", Kept) => Side::new(LeftToRight, alpha(pi(relation, &columns), &quasi, &promise)),
        ("G9", Broken) => match shop.dice.percent(50) {
            true => Side::new(LeftToRight, alpha(distinct(pi(relation, &columns)), &quasi, &promise)),
            false => Side::new(RightToLeft, pi(alpha(relation, &quasi, &promise), &columns)),
        },
        (_, Kept) => Side::new(RightToLeft, pi(alpha(relation, &quasi, &promise), &columns)),
        (_, Broken) => {
            let hidden = shop.dice.of(&quasi);
            let columns: Vec<&str> = columns.into_iter().filter(|name| *name != hidden).collect();
            let columns = if columns.is_empty() { vec!["note"] } else { columns };
            Side::new(RightToLeft, pi(alpha(relation, &quasi, &promise), &columns)).touching(&quasi)
        }
    }
}

fn projected_away(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    let Ground { quasi, k, relation } = ground(shop, if rule == "G13" { 2 } else { 1 }, 3);
    let mut promise = match rule {
        "G12" => shop.promise(k, &[Also::Suppression, DIVERSE]),
        _ => shop.promise(k, &[DIVERSE]),
    };
    let protected: &[&'static str] = if promise.sensitive().is_empty() { &[] } else { &["note"] };
    let columns = match rule {
        "G11" => shown(shop, protected, &quasi),
        "G12" => {
            let number = shop.dice.between(1, 2);
            shop.dice.some(&COLUMNS, number)
        }
        _ => {
            let hidden = shop.dice.of(&quasi);
            let kept: Vec<&str> = quasi.iter().copied().filter(|name| *name != hidden).collect();
            shown(shop, &[&kept[..], protected].concat(), &[hidden])
        }
    };
    if condition == Broken {
        if rule == "G12" {
            let narrow = pi(relation, &ordered_all(&quasi, protected, &columns));
            return Side::new(LeftToRight, pi(alpha(narrow, &quasi, &promise), &columns));
        }
        promise = suppressing(&promise);
    }
    Side::new(RightToLeft, pi(alpha(relation, &quasi, &promise), &columns)).touching(&quasi)
}

/// Several lists of names as one, without repetitions.
fn ordered_all(
    quasi: &[&'static str],
    protected: &[&'static str],
    columns: &[&'static str],
) -> Vec<&'static str> {
    let wanted = |name: &&str| quasi.contains(name) || protected.contains(name) || columns.contains(name);
    COLUMNS.into_iter().filter(wanted).collect()
}

fn selection(condition: Condition, shop: &mut Workshop) -> Side {
    let Ground { quasi, k, relation } = ground(shop, 1, 2);
    let mut promise = Promise::k_anonymity(k as u32);
    let others: Vec<&str> = COLUMNS.into_iter().filter(|name| !quasi.contains(name)).collect();
    let mut read = shop.dice.of(&others);
    if condition == Broken {
        match shop.dice.below(5) {
            0 => read = shop.dice.of(&quasi),
            1 => promise = suppressing(&promise),
            2 => promise = Promise::k_anonymity(9),
            _ => {
                let selected = shop.sigma(relation, read);
                return Side::new(LeftToRight, alpha(selected, &quasi, &promise)).touching(&quasi);
            }
        }
    }
    let generalized = alpha(relation, &quasi, &promise);
    Side::new(RightToLeft, shop.sigma(generalized, read)).touching(&quasi)
}

fn parts(condition: Condition, shop: &mut Workshop) -> Side {
    let number = shop.dice.between(1, 2);
    let quasi = shop.dice.some(&LADDERS, number);
    let k = 2;
    let mut promise = shop.promise(k, &[DIVERSE]);
    let (mut small, mut set) = (false, false);
    if condition == Broken {
        match shop.dice.below(3) {
            0 => small = true,
            1 => set = true,
            _ => promise = suppressing(&promise),
        }
    }
    let number = shop.dice.between(2, 3);
    let mut parts = Vec::new();
    for part in 0..number {
        let rows = if small && part == 0 { 1 } else { shop.dice.between(k, 4) };
        parts.push(shop.source(&COLUMNS, rows));
    }
    if small {
        parts[0] = shop.relation(&COLUMNS, 1);
    }
    let whole = if shop.dice.percent(50) || set {
        let together = union(parts).unwrap();
        let together = if set { distinct(together) } else { together };
        Side::new(LeftToRight, alpha(together, &quasi, &promise))
    } else {
        let parts = parts.into_iter().map(|part| alpha(part, &quasi, &promise)).collect();
        Side::new(RightToLeft, union(parts).unwrap())
    };
    whole.touching(&quasi)
}

fn joined(condition: Condition, shop: &mut Workshop) -> Side {
    let k = shop.dice.between(2, 3);
    let mut quasi = shop.dice.some(&["day", "age"], 1);
    let rows = shop.dice.between(k, 5);
    let ids: Vec<usize> = (0..rows).map(|_| shop.dice.between(1, 3)).collect();
    let left = shop.keyed(&ids, &["day", "age"]);
    let mut partners: Vec<usize> = vec![1, 2, 3];
    partners.extend((0..shop.dice.below(3)).map(|_| shop.dice.between(1, 3)));
    let mut promise = Promise::k_anonymity(k as u32);
    if condition == Broken {
        match shop.dice.below(4) {
            0 | 1 => partners.retain(|id| *id != ids[0]),
            2 => quasi = vec!["day", "group"],
            _ => promise = suppressing(&promise),
        }
    }
    let right = shop.keyed(&partners, &["group"]);
    let sides = if shop.dice.percent(50) { (left, right) } else { (right, left) };
    Side::new(LeftToRight, alpha(join(sides.0, sides.1, "id"), &quasi, &promise)).touching(&quasi)
}

fn joined_on_keys(condition: Condition, shop: &mut Workshop) -> Side {
    let k = shop.dice.between(2, 3);
    let number = shop.dice.between(1, 2);
    let quasi = shop.dice.some(&["day", "age"], number);
    let promise = shop.promise(k, &[Also::Suppression]);
    let mut ids: Vec<usize> = (1..=shop.dice.between(k, 6)).collect();
    let mut other = shop.dice.shuffled(&ids);
    let mut columns = vec!["day", "age", "group", "note"];
    if condition == Broken {
        match shop.dice.below(4) {
            0 => other.push(9),
            1 => ids.push(9),
            2 => ids.push(1),
            _ => columns.push("id"),
        }
    }
    let (left, right) = (shop.keyed(&ids, &["day", "age"]), shop.keyed(&other, &["group", "note"]));
    match shop.dice.percent(50) {
        true => Side::new(LeftToRight, alpha(pi(join(left, right, "id"), &columns), &quasi, &promise)),
        false => Side::new(RightToLeft, pi(join(alpha(left, &quasi, &promise), right, "id"), &columns)),
    }
}

fn set_operation(rule: &str, shop: &mut Workshop) -> Side {
    let quasi = shop.dice.some(&LADDERS, 1);
    let promise = Promise::k_anonymity(2);
    let (left, right) = (shop.source(&COLUMNS, 4), shop.source(&COLUMNS, 4));
    let all = shop.dice.percent(50);
    let both = |left, right| match rule {
        "G18" => LogicalPlanBuilder::intersect(left, right, all).unwrap(),
        _ => LogicalPlanBuilder::except(left, right, all).unwrap(),
    };
    let way: Way = shop.dice.of(&[LeftToRight, RightToLeft]);
    match way {
        LeftToRight => Side::new(way, alpha(both(left, right), &quasi, &promise)),
        RightToLeft => {
            let sides = (alpha(left, &quasi, &promise), alpha(right, &quasi, &promise));
            Side::new(way, both(sides.0, sides.1))
        }
    }
}

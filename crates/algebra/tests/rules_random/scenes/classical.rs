//! C1–C7, over relations with and without operators in them.

use super::{Condition, Side};
use crate::workshop::{Which, Workshop, distinct, join, named, pi, union};
use Condition::{Broken, Kept};
use datafusion::common::JoinType;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_algebra::operator::{Generalize, Promise};
use paravent_algebra::rules::Way;
use paravent_algebra::rules::Way::{LeftToRight, RightToLeft};

const COLUMNS: [&str; 3] = ["group", "rhesus", "note"];

/// A relation with these columns, perhaps with an operator at its root.
fn ground(shop: &mut Workshop, columns: &[&'static str]) -> LogicalPlan {
    let rows = shop.dice.between(2, 3);
    let relation = shop.source(columns, rows);
    match shop.dice.below(5) {
        0 => shop.randomize(relation, &["rhesus"], Which::Static),
        1 => {
            let quasi = vec![named(&relation, "group")];
            Generalize::plan(relation, quasi, Promise::k_anonymity(2)).unwrap()
        }
        _ => relation,
    }
}

fn either(shop: &mut Workshop) -> Way {
    shop.dice.of(&[LeftToRight, RightToLeft])
}

fn select(plan: LogicalPlan, test: Expr) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).filter(test).unwrap().build().unwrap()
}

pub(super) fn side(rule: &str, condition: Condition, shop: &mut Workshop) -> Side {
    match rule {
        "C1" => {
            let relation = ground(shop, &COLUMNS);
            let inner = pi(relation, &["note", "group"]);
            let inner = if condition == Kept { inner } else { distinct(inner) };
            Side::new(LeftToRight, pi(inner, &["group"]))
        }
        "C2" => {
            let relation = ground(shop, &COLUMNS);
            let (first, second) = (shop.test(&relation, "rhesus"), shop.test(&relation, "note"));
            match (condition, either(shop)) {
                (Broken, _) => Side::new(LeftToRight, select(distinct(select(relation, first)), second)),
                (Kept, RightToLeft) => Side::new(RightToLeft, select(relation, first.and(second))),
                (Kept, way) => Side::new(way, select(select(relation, first), second)),
            }
        }
        "C3" => {
            let relation = ground(shop, &COLUMNS);
            match (condition, either(shop)) {
                (Broken, LeftToRight) => {
                    let narrow = distinct(pi(relation, &["note", "group"]));
                    Side::new(LeftToRight, shop.sigma(narrow, "note"))
                }
                (Broken, way) => {
                    let picked = shop.sigma(relation, "rhesus");
                    Side::new(way, pi(picked, &["note", "group"]))
                }
                (Kept, LeftToRight) => {
                    let narrow = pi(relation, &["note", "group"]);
                    Side::new(LeftToRight, shop.sigma(narrow, "note"))
                }
                (Kept, way) => {
                    let picked = shop.sigma(relation, "note");
                    Side::new(way, pi(picked, &["note", "group"]))
                }
            }
        }
        "C4" => parts_selected(condition, shop),
        "C5" => {
            let (one, other) = (shop.relation(&COLUMNS, 2), shop.relation(&COLUMNS, 2));
            let columns = ["note", "group"];
            match (condition, either(shop)) {
                (Broken, LeftToRight) => {
                    Side::new(LeftToRight, pi(distinct(union(vec![one, other]).unwrap()), &columns))
                }
                (Broken, way) => {
                    let other = pi(other, &["group", "note"]);
                    Side::new(way, union(vec![pi(one, &columns), other]).unwrap())
                }
                (Kept, LeftToRight) => Side::new(LeftToRight, pi(union(vec![one, other]).unwrap(), &columns)),
                (Kept, way) => {
                    let parts = vec![pi(one, &columns), pi(other, &columns)];
                    Side::new(way, union(parts).unwrap())
                }
            }
        }
        "C6" => {
            let ids: Vec<usize> = (1..=3).collect();
            let (left, right) = (shop.keyed(&ids, &["group"]), shop.keyed(&[1, 2, 2], &["note"]));
            match (condition, either(shop)) {
                (Broken, _) => {
                    let keys = (vec![named(&left, "id")], vec![named(&right, "id")]);
                    let outer = LogicalPlanBuilder::from(left).join(right, JoinType::LeftSemi, keys, None);
                    let outer = outer.unwrap().build().unwrap();
                    Side::new(LeftToRight, shop.sigma(outer, "group"))
                }
                (Kept, LeftToRight) => {
                    let joined = join(left, right, "id");
                    let (first, second) = (shop.test(&joined, "group"), shop.test(&joined, "note"));
                    Side::new(LeftToRight, select(joined, first.and(second)))
                }
                (Kept, way) => {
                    let (left, right) = (shop.sigma(left, "group"), shop.sigma(right, "note"));
                    Side::new(way, join(left, right, "id"))
                }
            }
        }
        "C7" => {
            let ids: Vec<usize> = (1..=3).collect();
            let (left, right) = (shop.keyed(&ids, &["group", "note"]), shop.keyed(&[1, 2, 2], &["rhesus"]));
            let joined = join(left, right, "id");
            match condition {
                Kept => Side::new(LeftToRight, pi(joined, &["group", "rhesus"])),
                Broken => Side::new(LeftToRight, distinct(pi(joined, &["group"]))),
            }
        }
        other => panic!("no scene for {other}"),
    }
}

fn parts_selected(condition: Condition, shop: &mut Workshop) -> Side {
    let (one, other) = (shop.relation(&COLUMNS, 2), ground(shop, &COLUMNS));
    match (condition, either(shop)) {
        (Broken, LeftToRight) => {
            let both = distinct(union(vec![one, other]).unwrap());
            Side::new(LeftToRight, shop.sigma(both, "note"))
        }
        (Broken, way) => {
            let (first, second) = (shop.sigma(one, "note"), shop.sigma(other, "rhesus"));
            Side::new(way, union(vec![first, second]).unwrap())
        }
        (Kept, LeftToRight) => {
            let both = union(vec![one, other]).unwrap();
            Side::new(LeftToRight, shop.sigma(both, "note"))
        }
        (Kept, way) => {
            let value = shop.test(&one, "note");
            let column = named(&other, "note");
            let same = datafusion::common::tree_node::TreeNode::transform(value.clone(), |part| {
                use datafusion::common::tree_node::Transformed;
                Ok(match part {
                    Expr::Column(_) => Transformed::yes(Expr::Column(column.clone())),
                    other => Transformed::no(other),
                })
            });
            let parts = vec![select(one, value), select(other, same.unwrap().data)];
            Side::new(way, union(parts).unwrap())
        }
    }
}

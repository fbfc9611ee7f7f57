//! What stands above the node that a rule is tried on.

use crate::workshop::{LADDERS, Which, Workshop, distinct, project, slice_with, union};
use datafusion::common::JoinType;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_algebra::operator::{Buckets, Draw, Generalize, Noise, Promise, Randomize};

/// One node. Columns are places, so that it stands on any plan with the same columns.
#[derive(Debug, Clone)]
pub enum Layer {
    Project(Vec<usize>),
    Select(Expr),
    Union(LogicalPlan),
    Distinct,
    Alias(&'static str),
    Join(usize, LogicalPlan),
    Generalize(Vec<usize>),
    Randomize(usize, Noise, Draw),
    Slice(Vec<Vec<usize>>, Buckets, Draw),
}

impl Layer {
    /// The layer over a plan; nothing where it cannot stand on it.
    pub fn over(&self, plan: LogicalPlan) -> Option<LogicalPlan> {
        let columns = plan.schema().columns();
        let at = |places: &[usize]| places.iter().map(|&place| columns[place].clone()).collect::<Vec<_>>();
        Some(match self {
            Layer::Project(places) => project(plan, at(places)),
            Layer::Select(test) => LogicalPlanBuilder::from(plan).filter(test.clone()).ok()?.build().ok()?,
            Layer::Union(other) => union(vec![plan, other.clone()])?,
            Layer::Distinct => distinct(plan),
            Layer::Alias(name) => LogicalPlanBuilder::from(plan).alias(*name).ok()?.build().ok()?,
            Layer::Join(place, other) => {
                let keys = (vec![columns[*place].clone()], vec![other.schema().columns()[0].clone()]);
                let joined = LogicalPlanBuilder::from(plan).join(other.clone(), JoinType::Inner, keys, None);
                joined.ok()?.build().ok()?
            }
            Layer::Generalize(places) => Generalize::plan(plan, at(places), Promise::k_anonymity(2)).ok()?,
            Layer::Randomize(place, noise, draw) => {
                Randomize::plan(plan, vec![(columns[*place].clone(), noise.clone())], *draw).ok()?
            }
            Layer::Slice(groups, buckets, draw) => {
                slice_with(plan, groups.iter().map(|group| at(group)).collect(), buckets.clone(), *draw)
            }
        })
    }
}

/// All layers over a plan, the first at the bottom.
pub fn over(layers: &[Layer], plan: LogicalPlan) -> Option<LogicalPlan> {
    layers.iter().try_fold(plan, |plan, layer| layer.over(plan))
}

/// Up to two random layers for a plan.
pub fn around(node: &LogicalPlan, shop: &mut Workshop) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut plan = node.clone();
    for _ in 0..shop.dice.below(3) {
        let Some(layer) = layer(&plan, shop) else { continue };
        if let Some(above) = layer.over(plan.clone()) {
            layers.push(layer);
            plan = above;
        }
    }
    layers
}

fn layer(plan: &LogicalPlan, shop: &mut Workshop) -> Option<Layer> {
    let columns = plan.schema().columns();
    if columns.iter().any(|column| column.name == "rows") {
        // A figure is no column of a table: it has no values to compare with.
        return Some(match shop.dice.below(3) {
            0 => Layer::Project(vec![shop.dice.below(columns.len())]),
            1 => Layer::Distinct,
            _ => Layer::Alias("outer_name"),
        });
    }
    let names: Vec<&'static str> = columns.iter().map(|column| known(&column.name)).collect();
    let places: Vec<usize> = (0..columns.len()).collect();
    let once = |name: &str| names.iter().filter(|other| **other == name).count() == 1;
    Some(match shop.dice.below(14) {
        0..=2 => {
            let number = shop.dice.between(1, places.len());
            let chosen = shop.dice.some(&places, number);
            Layer::Project(shop.dice.shuffled(&chosen))
        }
        3 | 4 => {
            let name = shop.dice.of(&names);
            if !once(name) {
                return None;
            }
            Layer::Select(shop.test(plan, name))
        }
        5 | 6 if names.iter().all(|name| once(name)) => Layer::Union(shop.relation(&names, 2)),
        5 | 6 => return None,
        7 => Layer::Distinct,
        8 | 9 => Layer::Alias("outer_name"),
        10 => {
            let place = shop.dice.of(&places);
            let on = names[place];
            let extra = if on == "id" { "zip" } else { "id" };
            Layer::Join(place, shop.relation(&[on, extra], 3))
        }
        11 => {
            let lifted: Vec<usize> =
                places.iter().copied().filter(|&place| LADDERS.contains(&names[place])).collect();
            if lifted.is_empty() {
                return None;
            }
            let number = shop.dice.between(1, lifted.len().min(2));
            Layer::Generalize(shop.dice.some(&lifted, number))
        }
        12 => {
            let place = shop.dice.of(&places);
            if names[place] == "age" {
                return None;
            }
            Layer::Randomize(place, shop.noise(names[place], Which::Any), shop.draw())
        }
        _ => {
            let groups = shop.dice.partition(&places);
            let buckets = shop.dice.of(&[Buckets::Size(2), Buckets::Count(1), Buckets::Size(3)]);
            Layer::Slice(groups, buckets, shop.draw())
        }
    })
}

/// Names of the columns that relations are made of.
fn known(name: &str) -> &'static str {
    ["day", "group", "rhesus", "age", "note", "id", "zip", "ward"]
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("note")
}

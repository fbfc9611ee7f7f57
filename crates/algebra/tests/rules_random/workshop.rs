//! Tiny random relations, and the nodes that plans are made of.

use crate::dice::Dice;
use crate::meaning::{Row, Tables, domain};
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::catalog::MemTable;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, ExprSchema, JoinType};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator as Comparison, Union, lit};
use paravent_algebra::operator::{
    Buckets, Distribution, Draw, Generalize, Noise, Overlap, Probability, Promise, Randomize, Slice, Slicing,
    Step, Tails,
};
use paravent_job::{DecimalText, Model};
use std::sync::Arc;

/// Where plans are made.
#[derive(Debug)]
pub struct Workshop {
    pub dice: Dice,
    pub tables: Tables,
    /// Cells outside of generalized columns may be missing.
    pub missing: bool,
    draws: u64,
}

/// Columns with a hierarchy.
pub const LADDERS: [&str; 4] = ["day", "group", "rhesus", "age"];

impl Workshop {
    pub fn new(seed: u64) -> Workshop {
        Workshop { dice: Dice::new(seed), tables: Tables::default(), missing: false, draws: 0 }
    }

    pub fn draw(&mut self) -> Draw {
        self.draws += 1;
        Draw::numbered(self.draws)
    }

    /// A base relation with given rows; `age` is a number.
    pub fn table(&mut self, columns: &[&str], rows: Vec<Row>) -> LogicalPlan {
        let name = format!("t{}", self.tables.0.len() + 1);
        self.table_called(&name, columns, rows)
    }

    /// The same under a name of its own.
    pub fn table_called(&mut self, name: &str, columns: &[&str], rows: Vec<Row>) -> LogicalPlan {
        let arrays = columns.iter().enumerate().map(|(place, column)| {
            let cells = rows.iter().map(|row| row[place].as_deref());
            let array: ArrayRef = match *column {
                "age" => {
                    Arc::new(Int64Array::from_iter(cells.map(|cell| Some(cell?.parse::<i64>().unwrap()))))
                }
                _ => Arc::new(StringArray::from_iter(cells)),
            };
            (*column, array, true)
        });
        let batch = RecordBatch::try_from_iter_with_nullable(arrays).unwrap();
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
        let scan = LogicalPlanBuilder::scan(name, provider_as_source(Arc::new(table)), None);
        self.tables.0.insert(name.to_owned(), rows);
        scan.unwrap().build().unwrap()
    }

    fn cell(&mut self, column: &str) -> Option<Arc<str>> {
        // Few values per column, so that rows agree.
        let values = domain(column);
        Some(Arc::from(values[self.dice.below(values.len().min(8))]))
    }

    /// A base relation of so many random rows.
    pub fn relation(&mut self, columns: &[&str], rows: usize) -> LogicalPlan {
        let missing = self.missing && self.dice.percent(20);
        let rows = (0..rows)
            .map(|_| {
                let cell = |column: &&str| {
                    let empty = missing && self.dice.percent(30);
                    let cell = self.cell(column);
                    if empty { None } else { cell }
                };
                columns.iter().map(cell).collect::<Row>()
            })
            .collect();
        self.table(columns, rows)
    }

    /// A base relation whose first column is `id`, with these IDs.
    pub fn keyed(&mut self, ids: &[usize], columns: &[&str]) -> LogicalPlan {
        let mut rows = Vec::new();
        for id in ids {
            let mut row: Row = vec![Some(id.to_string().into())];
            row.extend(columns.iter().map(|column| self.cell(column)));
            rows.push(row);
        }
        self.table(&[&["id"], columns].concat(), rows)
    }

    /// A relation with these columns and about so many rows, made in one of several ways.
    pub fn source(&mut self, columns: &[&str], rows: usize) -> LogicalPlan {
        match self.dice.below(14) {
            0 => {
                let mut wide = columns.to_vec();
                wide.push("ward");
                let wide = self.dice.shuffled(&wide);
                let wide = self.relation(&wide, rows);
                pi(wide, columns)
            }
            1 => {
                let relation = self.relation(columns, rows + 1);
                let column = self.dice.of(columns);
                self.sigma(relation, column)
            }
            2 => {
                let first = self.dice.between(1, rows.max(2) - 1);
                let parts =
                    (self.relation(columns, first), self.relation(columns, rows.saturating_sub(first)));
                union(vec![parts.0, parts.1]).unwrap()
            }
            3 => {
                let relation = self.relation(columns, rows);
                LogicalPlanBuilder::from(relation).alias("renamed").unwrap().build().unwrap()
            }
            4 => distinct(self.relation(columns, rows)),
            // A union of different lineage: one part is a table, the other names and columns of a wider one in another order.
            6 => {
                let first = self.dice.between(1, rows.max(2) - 1);
                let mut wide = columns.to_vec();
                wide.push("ward");
                let wide = self.dice.shuffled(&wide);
                let other = self.relation(&wide, rows.saturating_sub(first));
                let other = LogicalPlanBuilder::from(other).alias("part").unwrap().build().unwrap();
                let one = self.relation(columns, first);
                union(vec![one, pi(other, columns)]).unwrap()
            }
            // WITH: the same relation under two names, of which each gives a part of the rows.
            7 => {
                let both = self.relation(columns, rows.max(1));
                let named =
                    |name: &str| LogicalPlanBuilder::from(both.clone()).alias(name).unwrap().build().unwrap();
                let test = self.test(&both, columns[0]);
                let part = |name: &str, test: Expr| {
                    let plan = named(name);
                    let column = Expr::Column(Column::new(Some(name), columns[0]));
                    let renamed = test.transform_up(|expr| match &expr {
                        Expr::Column(_) => Ok(Transformed::yes(column.clone())),
                        _ => Ok(Transformed::no(expr)),
                    });
                    LogicalPlanBuilder::from(plan).filter(renamed.unwrap().data).unwrap().build().unwrap()
                };
                let other = match test.clone() {
                    Expr::BinaryExpr(binary) if binary.op == Comparison::Eq => {
                        (*binary.left).not_eq(*binary.right)
                    }
                    Expr::BinaryExpr(binary) => (*binary.left).eq(*binary.right),
                    other => other,
                };
                union(vec![part("one", test), part("other", other)]).unwrap()
            }
            5 if columns.len() > 1 && !columns.contains(&"id") => {
                let (left, right) = columns.split_at(self.dice.between(1, columns.len() - 1));
                let ids: Vec<usize> = (1..=rows).collect();
                let other = self.dice.shuffled(&ids);
                let (left, right) = (self.keyed(&ids, left), self.keyed(&other, right));
                let joined = self.joined(left, right, "id");
                pi(joined, columns)
            }
            _ => self.relation(columns, rows),
        }
    }

    /// ⋈, written with USING, with ON, or as a selection above ×.
    pub fn joined(&mut self, left: LogicalPlan, right: LogicalPlan, on: &str) -> LogicalPlan {
        let equation = Expr::Column(named(&left, on)).eq(Expr::Column(named(&right, on)));
        match self.dice.below(3) {
            0 => join(left, right, on),
            1 => {
                let joined = LogicalPlanBuilder::from(left).join_on(right, JoinType::Inner, [equation]);
                joined.unwrap().build().unwrap()
            }
            _ => {
                let pairs = LogicalPlanBuilder::from(left).cross_join(right).unwrap();
                pairs.filter(equation).unwrap().build().unwrap()
            }
        }
    }

    /// σ: a column is not (or is) a random value of it.
    pub fn sigma(&mut self, plan: LogicalPlan, column: &str) -> LogicalPlan {
        let test = self.test(&plan, column);
        LogicalPlanBuilder::from(plan).filter(test).unwrap().build().unwrap()
    }

    /// A comparison of a column with one of its values.
    pub fn test(&mut self, plan: &LogicalPlan, column: &str) -> Expr {
        let value = self.cell(column).unwrap();
        let value = match named(plan, column) {
            found if is_number(plan, &found) => lit(value.parse::<i64>().unwrap_or(0)),
            _ => lit(value.to_string()),
        };
        let column = Expr::Column(named(plan, column));
        if self.dice.percent(70) { column.not_eq(value) } else { column.eq(value) }
    }

    /// A noise distribution for a column: fixed and static unless anything goes.
    pub fn distribution(&mut self, column: &str, which: Which) -> Distribution {
        let values: Vec<String> = domain(column).into_iter().take(8).map(str::to_owned).collect();
        let number = self.dice.between(2, 3);
        let mut values = self.dice.some(&values, number);
        values.sort();
        let half = || Probability::parse("0.5").unwrap();
        match which {
            Which::Static if self.dice.percent(40) => Distribution::Given(
                values[..2]
                    .iter()
                    .cloned()
                    .zip(["0.25", "0.75"].map(|p| Probability::parse(p).unwrap()))
                    .collect(),
            ),
            Which::Static => Distribution::Uniform { domain: Some(values) },
            Which::Dynamic => {
                let domain = domain(column).into_iter().map(str::to_owned).collect();
                let tails = self.dice.of(&[Tails::Cyclic, Tails::Clamped]);
                let by = self.dice.of(&[[-1, 1], [0, 1], [-2, 1]]);
                let steps = by.map(|by| Step { by, probability: half() }).to_vec();
                Distribution::Steps { domain, steps, tails }
            }
            Which::ReadOff => self.dice.of(&[Distribution::Learnt, Distribution::Uniform { domain: None }]),
            Which::Fixed => {
                let which = self.dice.of(&[Which::Static, Which::Dynamic]);
                self.distribution(column, which)
            }
            Which::Any => {
                let which = self.dice.of(&[Which::Static, Which::Dynamic, Which::ReadOff]);
                self.distribution(column, which)
            }
        }
    }

    pub fn noise(&mut self, column: &str, which: Which) -> Noise {
        let p = self.dice.of(&["0.5", "0.25", "1", "0"]);
        let probability = Probability::parse(p).unwrap();
        Noise { probability, distribution: self.distribution(column, which) }
    }

    /// α^D
    pub fn randomize(&mut self, plan: LogicalPlan, columns: &[&str], which: Which) -> LogicalPlan {
        let noise = columns.iter().map(|column| (named(&plan, column), self.noise(column, which))).collect();
        let draw = self.draw();
        Randomize::plan(plan, noise, draw).unwrap()
    }

    /// Buckets by windows, by a column or by classes, for a relation with about so many rows.
    pub fn buckets(&mut self, plan: &LogicalPlan, rows: usize, anyhow: bool) -> Buckets {
        match self.dice.below(if anyhow { 10 } else { 7 }) {
            0..=2 => Buckets::Size(self.dice.between(2, 3) as u64),
            3 | 4 => Buckets::Count(1),
            5 | 6 => Buckets::Count((rows / 2).clamp(1, 2) as u64),
            7 | 8 => Buckets::By(self.dice.of(&plan.schema().columns())),
            _ => {
                let known = plan.schema().columns();
                let quasi: Vec<Column> =
                    known.into_iter().filter(|column| LADDERS.contains(&column.name.as_str())).collect();
                let quasi = self.dice.some(&quasi, 1);
                Buckets::Classes(paravent_algebra::operator::Generalization {
                    quasi,
                    promise: Promise::k_anonymity(2),
                })
            }
        }
    }

    /// α^S
    pub fn slice(&mut self, plan: LogicalPlan, groups: Vec<Vec<Column>>, buckets: Buckets) -> LogicalPlan {
        let draw = self.draw();
        slice_with(plan, groups, buckets, draw)
    }

    /// A promise of k rows per class: perhaps with rows left out, perhaps with a protected column.
    pub fn promise(&mut self, k: usize, also: &[Also]) -> Promise {
        let mut promise = Promise::k_anonymity(k as u32);
        for extra in also {
            if !self.dice.percent(25) {
                continue;
            }
            promise = match extra {
                Also::Suppression => {
                    let limit = DecimalText::new(self.dice.of(&["0.2", "0.34", "0.5"])).unwrap();
                    Promise::new(promise.models, limit, promise.search)
                }
                Also::Diversity(column) => {
                    let diverse = Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
                        attribute: (*column).to_owned(),
                        l: 2,
                    });
                    let models = promise.models.into_iter().chain([diverse]).collect();
                    Promise::new(models, promise.suppression_limit, promise.search)
                }
            };
        }
        promise
    }
}

/// What a promise may have beside k.
#[derive(Debug, Clone, Copy)]
pub enum Also {
    Suppression,
    Diversity(&'static str),
}

/// Which noise distributions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Independent of the old value and of the relation.
    Static,
    /// Depends on the old value.
    Dynamic,
    /// Independent of the relation.
    Fixed,
    /// Read off the column.
    ReadOff,
    Any,
}

pub fn slice_with(plan: LogicalPlan, groups: Vec<Vec<Column>>, buckets: Buckets, draw: Draw) -> LogicalPlan {
    let what = Slicing {
        groups,
        buckets,
        least_rows: 2,
        overlap: Overlap::Forbidden,
        draw,
        demands: Default::default(),
    };
    Slice::plan(plan, what).unwrap()
}

fn is_number(plan: &LogicalPlan, column: &Column) -> bool {
    plan.schema().field_from_column(column).is_ok_and(|field| field.data_type().is_integer())
}

/// The first column of that name.
pub fn named(plan: &LogicalPlan, name: &str) -> Column {
    let found = plan.schema().columns().into_iter().find(|column| column.name == name);
    found.unwrap_or_else(|| panic!("{name} is not in\n{}", plan.display_indent()))
}

pub fn all_named(plan: &LogicalPlan, names: &[&str]) -> Vec<Column> {
    names.iter().map(|name| named(plan, name)).collect()
}

pub fn pi(plan: LogicalPlan, names: &[&str]) -> LogicalPlan {
    let columns = all_named(&plan, names);
    project(plan, columns)
}

pub fn project(plan: LogicalPlan, columns: Vec<Column>) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).project(columns.into_iter().map(Expr::Column)).unwrap().build().unwrap()
}

pub fn distinct(plan: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).distinct().unwrap().build().unwrap()
}

/// ∪ of any number of parts, as one node.
pub fn union(parts: Vec<LogicalPlan>) -> Option<LogicalPlan> {
    let [first, second] = &parts[..] else {
        return Some(LogicalPlan::Union(Union::try_new(parts.into_iter().map(Arc::new).collect()).ok()?));
    };
    LogicalPlanBuilder::from(first.clone()).union(second.clone()).ok()?.build().ok()
}

/// ⋈ on the first column of that name on either side.
pub fn join(left: LogicalPlan, right: LogicalPlan, on: &str) -> LogicalPlan {
    let keys = (vec![named(&left, on)], vec![named(&right, on)]);
    LogicalPlanBuilder::from(left).join(right, JoinType::Inner, keys, None).unwrap().build().unwrap()
}

pub fn alpha(plan: LogicalPlan, quasi: &[&str], promise: &Promise) -> LogicalPlan {
    let quasi = all_named(&plan, quasi);
    Generalize::plan(plan, quasi, promise.clone()).unwrap()
}

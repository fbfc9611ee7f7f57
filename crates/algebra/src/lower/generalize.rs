//! α^G: frequency query → search → recoding.

use super::account::{Account, GeneralizeAccount, Level};
use super::boxes::Boxed;
use super::gather::{as_text, collect_counts};
use super::lineage::Lineage;
use super::recode::{Cell, Labels, Recoding, Relabel, recode};
use super::{LowerError, Lowering};
use crate::catalog::Catalog;
use crate::operator::{Generalization, Generalize, Operator};
use crate::origin::{Maker, makers};
use datafusion::arrow::array::{Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{Column, DFSchema, DataFusionError, ExprSchema};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::release::{Boxes, Fate, Solution};
use paravent_job::{Attribute, DataType, Input, Job, Output, PersonRows, Privacy, Role, Source, Version};
use paravent_prepare::study::{Counting, Question, StudyError, refuse};
use paravent_tables::watch::Unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the search of one α^G decided, ready to be put into a plan.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) recoding: Recoding,
    /// For each column of X the labels it may have now.
    pub(super) labels: Vec<Lineage>,
}

impl Lowering<'_> {
    pub(super) async fn generalize(
        &mut self,
        node: &Generalize,
        input: LogicalPlan,
    ) -> Result<(LogicalPlan, Vec<Lineage>), LowerError> {
        if node.what().quasi.is_empty() {
            return Ok((self.one_class(node.what(), input).await?, Vec::new()));
        }
        let decision = self.decide(node.what(), node.input(), &input).await?;
        let lowered = recode(input, &decision.recoding, Labels::Replace)?;
        Ok((lowered, decision.labels))
    }

    /// Without quasi-identifiers nothing distinguishes the rows.
    async fn one_class(
        &mut self,
        what: &Generalization,
        input: LogicalPlan,
    ) -> Result<LogicalPlan, LowerError> {
        if !what.promise.is_k_anonymity_only() {
            return Err(LowerError::NothingToGeneralize);
        }
        let rows = row_count(&collect_counts(&self.world.context, count_rows(&input)?).await?);
        let k = what.promise.k();
        if rows < u64::from(k) {
            return Err(LowerError::TooFewRows { k });
        }
        Ok(input)
    }

    /// Counts the tuples of the relation, which has been lowered to `input`, and searches.
    pub(super) async fn decide(
        &mut self,
        what: &Generalization,
        relation: &LogicalPlan,
        input: &LogicalPlan,
    ) -> Result<Decision, LowerError> {
        let names = names_of(&what.quasi, &what.promise.sensitive());
        let lineages: Vec<Option<Lineage>> =
            what.quasi.iter().map(|column| self.labels_of(relation, column)).collect::<Result<_, _>>()?;
        let job = job_for(&self.world.catalog, what, &names, relation, &lineages);
        if what.promise.is_local() {
            refuse(&job)?;
        }
        let mut counting = Counting::new(&job)?;
        let wanted: Vec<Column> = counting
            .columns()
            .map(|name| column_called(name, &names, input.schema()))
            .collect::<Result<_, _>>()?;
        let counted = collect_counts(&self.world.context, frequencies(input, &wanted)?).await?;
        let mut cells: Vec<BTreeSet<Cell>> = vec![BTreeSet::new(); what.quasi.len()];
        let mut tuples: BTreeMap<Vec<Cell>, u64> = BTreeMap::new();
        for batch in &counted {
            let (texts, rows) = columns_of(batch, wanted.len())?;
            let mut tuple: Vec<Option<&str>> = vec![None; texts.len()];
            for row in 0..batch.num_rows() {
                for (position, (cell, texts)) in tuple.iter_mut().zip(&texts).enumerate() {
                    *cell = texts.is_valid(row).then(|| texts.value(row));
                    if let Some(seen) = cells.get_mut(position)
                        && !seen.contains(&cell.map(str::to_owned))
                    {
                        seen.insert(cell.map(str::to_owned));
                    }
                }
                let rows = rows.value(row).unsigned_abs();
                match what.promise.is_local() {
                    true => {
                        tuples.insert(tuple.iter().map(|cell| cell.map(str::to_owned)).collect(), rows);
                    }
                    false => counting.add(&tuple, rows)?,
                }
            }
        }
        // Boxes depend on the order of tuples, and an engine gives groups in any order.
        for (tuple, &rows) in &tuples {
            let tuple: Vec<Option<&str>> = tuple.iter().map(Option::as_deref).collect();
            counting.add(&tuple, rows)?;
        }
        // The pipeline would name the number of rows.
        if counted_rows(&counted) < u64::from(what.promise.k()) {
            return Err(LowerError::FewerThanK { k: what.promise.k() });
        }
        let given = given(&job, &what.quasi, &names, &lineages, &cells)?;
        let question = Question::new(job, counting, &given, &Unwatched)?;
        let found = match what.promise.is_local() {
            true => question.recode(&Unwatched)?,
            false => question.search(&Unwatched)?,
        };
        let Some(solution) = found.solution else {
            return Err(match found.report.complete {
                true => {
                    LowerError::NoSolution { quasi: list(&what.quasi), promise: what.promise.to_string() }
                }
                false => LowerError::OutOfTime,
            });
        };
        let loss = found.report.best.as_ref().map_or(f64::NAN, |best| best.loss);
        let levels = solution.node.levels();
        let lowest = |position: usize| {
            let boxes = solution.boxes.as_deref()?;
            boxes.boxes.iter().map(|shown| shown.levels[position]).min()
        };
        let level = |(position, (column, (ladder, &level))): (usize, (&Column, (&Ladder, &u8)))| Level {
            column: column.name.clone(),
            level,
            lowest: lowest(position),
            of: ladder.max_level(),
        };
        self.accounts.push(Account::Generalize(GeneralizeAccount {
            promise: what.promise.to_string(),
            levels: (what.quasi.iter().zip(question.task.ladders().iter().zip(levels)).enumerate())
                .map(level)
                .collect(),
            metric: what.promise.search.metric.name(),
            loss,
            optimal: found.report.optimal,
            suppressed_rows: solution.suppressed_rows,
            classes: solution.classes,
            smallest_class: solution.smallest_class,
            checks: found.report.checks,
        }));
        match solution.boxes.as_deref() {
            Some(boxes) => local_decision(&question, boxes, &what.quasi, tuples.keys()),
            None => decision(&question, &solution, &what.quasi, &cells),
        }
    }

    /// What is known about the labels of a column that inner operators made: those that its own cells come from, and no others.
    fn labels_of(&self, relation: &LogicalPlan, column: &Column) -> Result<Option<Lineage>, LowerError> {
        let mut known: Option<Lineage> = None;
        let mut open = vec![(relation, relation.schema().index_of_column(column)?)];
        while let Some((plan, place)) = open.pop() {
            for maker in makers(plan, place) {
                let Maker::Operator(node, below) = maker else { continue };
                let Some(operator) = Operator::of(node) else { continue };
                let Operator::Generalize(inner) = operator else {
                    // Noise on labels leaves labels.
                    open.push((operator.input(), below));
                    continue;
                };
                let name = inner.input().schema().columns().into_iter().nth(below);
                let position = inner.what().quasi.iter().position(|quasi| Some(quasi) == name.as_ref());
                let decided = self.decided.iter().find(|(decided, _)| decided == node);
                let labels = position.and_then(|position| decided?.1.get(position));
                match (&mut known, labels) {
                    (_, None) => {}
                    (None, Some(labels)) => known = Some(labels.clone()),
                    (Some(known), Some(labels)) => known
                        .merge(labels)
                        .map_err(|_| LowerError::LabelsDiffer { column: column.name.clone() })?,
                }
            }
        }
        Ok(known)
    }
}

/// Hierarchies of the columns whose cells are labels of an inner operator.
fn given(
    job: &Job,
    quasi: &[Column],
    names: &BTreeMap<Column, String>,
    lineages: &[Option<Lineage>],
    cells: &[BTreeSet<Cell>],
) -> Result<BTreeMap<String, Hierarchy>, LowerError> {
    let mut given = BTreeMap::new();
    for ((column, lineage), cells) in quasi.iter().zip(lineages).zip(cells) {
        let Some(lineage) = lineage else { continue };
        if !cells.iter().flatten().all(|text| lineage.knows(text)) {
            // Not labels of an inner operator (alone): the catalogue's hierarchy must place them.
            continue;
        }
        let name = &names[column];
        let hierarchy = lineage.hierarchy().map_err(|error| {
            let index = job.attribute(name).map_or(0, |(index, _)| index);
            LowerError::from(paravent_job::Problems::from(
                job.problem(&format!("attributes[{index}].hierarchy"), error.to_string()),
            ))
        })?;
        given.insert(name.clone(), hierarchy);
    }
    Ok(given)
}

/// A name for every column that the search speaks of: its own, or a qualified one where two columns share it.
fn names_of(quasi: &[Column], sensitive: &[&str]) -> BTreeMap<Column, String> {
    let shared = |name: &str| {
        quasi.iter().filter(|column| column.name == name).count() > 1 || sensitive.contains(&name)
    };
    let name = |column: &Column| if shared(&column.name) { column.flat_name() } else { column.name.clone() };
    quasi.iter().map(|column| (column.clone(), name(column))).collect()
}

fn column_called(
    name: &str,
    names: &BTreeMap<Column, String>,
    schema: &DFSchema,
) -> Result<Column, LowerError> {
    if let Some((column, _)) = names.iter().find(|(_, known)| *known == name) {
        return Ok(column.clone());
    }
    let mut same = schema.columns().into_iter().filter(|column| column.name == name);
    match (same.next(), same.next()) {
        (Some(column), None) => Ok(column),
        _ => Err(DataFusionError::Plan(format!(
            "generalize: which column {name:?} is to be protected is not clear"
        ))
        .into()),
    }
}

/// The question as a job: the catalogue's attributes, the operator's promise.
fn job_for(
    catalog: &Catalog,
    what: &Generalization,
    names: &BTreeMap<Column, String>,
    relation: &LogicalPlan,
    lineages: &[Option<Lineage>],
) -> Job {
    let attribute = |known: Option<&Attribute>, name: &str, role: Role| {
        let mut attribute = known.cloned().unwrap_or_else(|| Attribute::new(name, role));
        (attribute.name, attribute.role) = (name.to_owned(), role);
        attribute
    };
    let mut attributes: Vec<Attribute> = Vec::new();
    for (column, lineage) in what.quasi.iter().zip(lineages) {
        let known = catalog.attribute_of(relation, column);
        let mut quasi = attribute(known, &names[column], Role::QuasiIdentifier);
        let field = relation.schema().field_from_column(column);
        let stored = field.ok().and_then(|field| type_of(field.data_type()));
        quasi.data_type = match lineage.is_some() {
            // Labels are text, whatever the values were.
            true => Some(DataType::String),
            false => quasi.data_type.or(stored),
        };
        attributes.push(quasi);
    }
    let sensitive = what.promise.sensitive();
    attributes.extend(sensitive.iter().map(|name| attribute(catalog.attribute(name), name, Role::Sensitive)));
    // The lines of the job file are about other attributes and another promise.
    let source = Source::of_file(catalog.job().map_or(Path::new("the catalog"), |job| job.source.file()));
    Job {
        version: Version::V1,
        about: paravent_job::About::default(),
        input: catalog.job().map_or_else(|| Input::file("-"), |job| job.input.clone()),
        attributes,
        privacy: Privacy {
            suppression_limit: what.promise.suppression_limit.clone(),
            models: what.promise.models.clone(),
            person: Vec::new(),
            person_rows: PersonRows::default(),
            most_known: None,
            budget: None,
        },
        search: what.promise.search.clone(),
        output: Output::default(),
        source,
    }
}

/// The job's type for a column that the engine stores with a type of its own.
fn type_of(stored: &ArrowType) -> Option<DataType> {
    if stored.is_integer() {
        return Some(DataType::Integer);
    }
    match stored {
        ArrowType::Boolean => Some(DataType::Boolean),
        ArrowType::Date32 | ArrowType::Date64 => Some(DataType::Date),
        ArrowType::Timestamp(..) => Some(DataType::DateTime),
        decimal if decimal.is_numeric() => Some(DataType::Decimal),
        _ => None,
    }
}

/// `SELECT columns as text, count(*) … GROUP BY columns`
pub(super) fn frequencies(input: &LogicalPlan, columns: &[Column]) -> Result<LogicalPlan, LowerError> {
    let texts: Vec<Expr> = columns
        .iter()
        .enumerate()
        .map(|(number, column)| as_text(column).alias(format!("t{number}")))
        .collect();
    let plan = LogicalPlanBuilder::from(input.clone()).project(texts)?;
    let groups: Vec<Expr> = (0..columns.len())
        .map(|number| Expr::Column(Column::new_unqualified(format!("t{number}"))))
        .collect();
    Ok(plan.aggregate(groups, vec![count(lit(1i64)).alias("rows")])?.build()?)
}

/// `SELECT count(*)`
pub(super) fn count_rows(input: &LogicalPlan) -> Result<LogicalPlan, LowerError> {
    let none: Vec<Expr> = Vec::new();
    Ok(LogicalPlanBuilder::from(input.clone())
        .aggregate(none, vec![count(lit(1i64)).alias("rows")])?
        .build()?)
}

/// All rows of a frequency query.
fn counted_rows(batches: &[RecordBatch]) -> u64 {
    let counts = batches.iter().filter_map(|batch| {
        batch.column(batch.num_columns().checked_sub(1)?).as_any().downcast_ref::<Int64Array>()
    });
    counts.flat_map(|counts| counts.values().iter()).map(|rows| rows.unsigned_abs()).sum()
}

/// The one number of such a query.
pub(super) fn row_count(batches: &[RecordBatch]) -> u64 {
    let counts = batches.iter().filter_map(|batch| batch.column(0).as_any().downcast_ref::<Int64Array>());
    counts.filter(|counts| !counts.is_empty()).map(|counts| counts.value(0).unsigned_abs()).sum()
}

fn columns_of(batch: &RecordBatch, texts: usize) -> Result<(Vec<&StringArray>, &Int64Array), LowerError> {
    let other =
        || LowerError::Engine(DataFusionError::Internal("a frequency query gave other types".to_owned()));
    let text = |number: usize| batch.column(number).as_any().downcast_ref::<StringArray>().ok_or_else(other);
    let columns = (0..texts).map(text).collect::<Result<_, _>>()?;
    let rows = batch.column(texts).as_any().downcast_ref::<Int64Array>().ok_or_else(other)?;
    Ok((columns, rows))
}

/// Labels of every cell at the chosen node, and the classes that are left out.
fn decision(
    question: &Question,
    solution: &Solution,
    quasi: &[Column],
    cells: &[BTreeSet<Cell>],
) -> Result<Decision, LowerError> {
    let label = |position: usize, code: u32| {
        let rung = question.task.ladders()[position].rung(solution.node.levels()[position]);
        rung.labels[rung.group_of[code as usize] as usize].clone()
    };
    let relabel = |(position, (column, cells)): (usize, (&Column, &BTreeSet<Cell>))| {
        let pairs = cells.iter().filter_map(|cell| {
            let code = question.code(position, cell.as_deref())?;
            Some((cell.clone(), label(position, code)))
        });
        Relabel { column: column.clone(), labels: pairs.collect() }
    };
    let relabels = quasi.iter().zip(cells).enumerate().map(relabel).collect();
    let mut suppressed: BTreeSet<Vec<Cell>> = BTreeSet::new();
    question
        .counted
        .each_in_table(|tuple| {
            let codes = &tuple.codes[..quasi.len()];
            if solution.fates.of(tuple.frequency, codes) == Fate::Suppressed {
                suppressed
                    .insert((0..quasi.len()).map(|position| label(position, codes[position])).collect());
            }
        })
        .map_err(StudyError::from)?;
    let recoding = Recoding::ByColumn(relabels, suppressed.into_iter().collect());
    Ok(Decision { recoding, labels: labels_of(question, quasi) })
}

/// Labels of every combination of cells that has a box.
fn local_decision<'a>(
    question: &Question,
    boxes: &Boxes,
    quasi: &[Column],
    tuples: impl Iterator<Item = &'a Vec<Cell>>,
) -> Result<Decision, LowerError> {
    let mut frequency: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    question
        .counted
        .each_in_table(|tuple| {
            frequency.insert(tuple.codes[..quasi.len()].to_vec(), tuple.frequency);
        })
        .map_err(StudyError::from)?;
    let mut shown: BTreeMap<Vec<Cell>, Vec<Cell>> = BTreeMap::new();
    for tuple in tuples {
        let cells = &tuple[..quasi.len()];
        let codes = cells.iter().enumerate().map(|(position, cell)| question.code(position, cell.as_deref()));
        let Some(codes) = codes.collect::<Option<Vec<u32>>>() else { continue };
        let Some(labels) = frequency.get(&codes).and_then(|&tuple| boxes.of(tuple)) else { continue };
        let of_box = question.task.ladders().iter().zip(labels.levels.iter().zip(&labels.groups));
        let labels =
            of_box.map(|(ladder, (&level, &group))| ladder.rung(level).labels[group as usize].clone());
        shown.insert(cells.to_vec(), labels.collect());
    }
    let boxed = Boxed { columns: quasi.to_vec(), shown: shown.into_iter().collect() };
    Ok(Decision { recoding: Recoding::ByTuple(boxed), labels: labels_of(question, quasi) })
}

/// What operators above may find in the columns.
fn labels_of(question: &Question, quasi: &[Column]) -> Vec<Lineage> {
    question.task.ladders().iter().take(quasi.len()).map(Lineage::of).collect()
}

fn list(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}

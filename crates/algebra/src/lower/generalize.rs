//! α^G: frequency query → search → recoding.

use super::account::{Account, GeneralizeAccount, Level};
use super::gather::{as_text, collect};
use super::lineage::Lineage;
use super::recode::{Cell, Labels, Relabel, Suppressed, recode};
use super::{LowerError, Lowering};
use crate::catalog::Catalog;
use crate::operator::{Generalization, Generalize};
use datafusion::arrow::array::{Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{Column, DFSchema, DataFusionError, ExprSchema};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::release::{Fate, Solution};
use paravent_pipeline::job::{Attribute, DataType, Input, Job, Output, Privacy, Role, Source, Version};
use paravent_pipeline::study::{Counting, Question, StudyError};
use paravent_pipeline::watch::Unwatched;
use std::collections::{BTreeMap, BTreeSet};

/// What the search of one α^G decided, ready to be put into a plan.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) relabels: Vec<Relabel>,
    pub(super) suppressed: Suppressed,
}

impl Lowering<'_> {
    pub(super) async fn generalize(
        &mut self,
        node: &Generalize,
        input: LogicalPlan,
    ) -> Result<LogicalPlan, LowerError> {
        if node.what().quasi.is_empty() {
            return self.one_class(node.what(), input).await;
        }
        let decision = self.decide(node.what(), &input).await?;
        recode(input, &decision.relabels, &decision.suppressed, Labels::Replace)
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
        let rows = row_count(&collect(&self.world.context, count_rows(&input)?).await?);
        let k = what.promise.k();
        if rows < u64::from(k) {
            return Err(LowerError::TooFewRows { rows, k });
        }
        Ok(input)
    }

    /// Counts the tuples of the relation, searches, and remembers which labels there are now.
    pub(super) async fn decide(
        &mut self,
        what: &Generalization,
        input: &LogicalPlan,
    ) -> Result<Decision, LowerError> {
        let names = names_of(&what.quasi, &what.promise.sensitive());
        let job = job_for(&self.world.catalog, what, &names, input.schema(), &self.lineage);
        let mut counting = Counting::new(&job)?;
        let wanted: Vec<Column> = counting
            .columns()
            .map(|name| column_called(name, &names, input.schema()))
            .collect::<Result<_, _>>()?;
        let counted = collect(&self.world.context, frequencies(input, &wanted)?).await?;
        let mut cells: Vec<BTreeSet<Cell>> = vec![BTreeSet::new(); what.quasi.len()];
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
                counting.add(&tuple, rows.value(row).unsigned_abs())?;
            }
        }
        let given = self.given(&job, &what.quasi, &names, &cells)?;
        let question = Question::new(job, counting, &given, &Unwatched)?;
        let found = question.search(&Unwatched)?;
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
        let level = |(column, (ladder, &level)): (&Column, (&Ladder, &u8))| Level {
            column: column.name.clone(),
            level,
            of: ladder.max_level(),
        };
        self.accounts.push(Account::Generalize(GeneralizeAccount {
            promise: what.promise.to_string(),
            levels: what.quasi.iter().zip(question.task.ladders().iter().zip(levels)).map(level).collect(),
            metric: what.promise.search.metric.name(),
            loss,
            optimal: found.report.optimal,
            suppressed_rows: solution.suppressed_rows,
            classes: solution.classes,
            smallest_class: solution.smallest_class,
            checks: found.report.checks,
        }));
        for (column, ladder) in what.quasi.iter().zip(question.task.ladders()) {
            self.lineage.entry(column.name.clone()).or_default().merge(Lineage::of(ladder));
        }
        decision(&question, &solution, &what.quasi, &cells)
    }

    /// Hierarchies of the columns whose cells are labels of an inner operator.
    fn given(
        &self,
        job: &Job,
        quasi: &[Column],
        names: &BTreeMap<Column, String>,
        cells: &[BTreeSet<Cell>],
    ) -> Result<BTreeMap<String, Hierarchy>, LowerError> {
        let mut given = BTreeMap::new();
        for (column, cells) in quasi.iter().zip(cells) {
            let Some(lineage) = self.lineage.get(&column.name) else { continue };
            let texts = || cells.iter().flatten();
            if !texts().all(|text| lineage.knows(text)) {
                // Not labels of an inner operator (alone): the catalogue's hierarchy must place them.
                continue;
            }
            let name = &names[column];
            let hierarchy = lineage.hierarchy().map_err(|error| {
                let index = job.attribute(name).map_or(0, |(index, _)| index);
                LowerError::from(paravent_pipeline::job::Problems::from(
                    job.problem(&format!("attributes[{index}].hierarchy"), error.to_string()),
                ))
            })?;
            given.insert(name.clone(), hierarchy);
        }
        Ok(given)
    }
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
    schema: &DFSchema,
    lineage: &BTreeMap<String, Lineage>,
) -> Job {
    let attribute = |column: &str, name: &str, role: Role| {
        let mut attribute =
            catalog.attribute(column).cloned().unwrap_or_else(|| Attribute::new(column, role));
        (attribute.name, attribute.role) = (name.to_owned(), role);
        attribute
    };
    let mut attributes: Vec<Attribute> = Vec::new();
    for column in &what.quasi {
        let mut quasi = attribute(&column.name, &names[column], Role::QuasiIdentifier);
        let stored = schema.field_from_column(column).ok().and_then(|field| type_of(field.data_type()));
        quasi.data_type = match lineage.contains_key(&column.name) {
            // Labels are text, whatever the values were.
            true => Some(DataType::String),
            false => quasi.data_type.or(stored),
        };
        attributes.push(quasi);
    }
    attributes.extend(what.promise.sensitive().iter().map(|name| attribute(name, name, Role::Sensitive)));
    let source = catalog.job().map_or_else(|| Source::of_file("the catalog"), |job| job.source.clone());
    Job {
        version: Version::V1,
        input: catalog.job().map_or_else(|| Input::file("-"), |job| job.input.clone()),
        attributes,
        privacy: Privacy {
            suppression_limit: what.promise.suppression_limit.clone(),
            models: what.promise.models.clone(),
            person: Vec::new(),
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
    Ok(Decision { relabels, suppressed: suppressed.into_iter().collect() })
}

fn list(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}

//! Noisy aggregates: counts, sums and means with differential privacy.

use super::{Draw, known_once, list, plan_of};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, DFSchema, DFSchemaRef, DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};
use std::fmt;
use std::sync::Arc;

/// Digits that a decimal of the engine has at most.
const DIGITS: u8 = 38;

/// A figure per group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub enum Measure {
    /// Number of rows.
    Count,
    /// Sum of a column.
    Sum(Bounded),
    /// Mean of a column.
    Mean(Bounded),
    /// The two hidden figures behind a mean, for somebody who puts the means of several tables together: `distances/values`, the sum of the
    /// distances to the middle of the bounds in units of the last digit, and the number of values. It costs what the mean costs.
    Parts(Bounded),
}

/// A numeric column whose values are cut to bounds that were fixed before anybody looked at the data.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Bounded {
    /// The column.
    pub column: Column,
    /// Lower bound, in units of the last digit.
    pub lower: i64,
    /// Upper bound, in units of the last digit.
    pub upper: i64,
    /// Digits after the point that are kept.
    pub decimals: u8,
}

impl Measure {
    /// What the column is called in the result.
    pub fn name(&self) -> String {
        match self {
            Measure::Count => "count".to_owned(),
            Measure::Sum(of) => format!("sum_{}", of.column.name),
            Measure::Mean(of) => format!("mean_{}", of.column.name),
            Measure::Parts(of) => format!("parts_{}", of.column.name),
        }
    }

    /// What it is called in accounts: the two halves of a mean are the mean.
    pub fn figure(&self) -> String {
        match self {
            Measure::Parts(of) => Measure::Mean(of.clone()).name(),
            other => other.name(),
        }
    }

    /// The column it is taken of.
    pub fn bounded(&self) -> Option<&Bounded> {
        match self {
            Measure::Count => None,
            Measure::Sum(of) | Measure::Mean(of) | Measure::Parts(of) => Some(of),
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Measure::Count => DataType::Int64,
            Measure::Sum(of) => DataType::Decimal128(DIGITS, of.decimals as i8),
            Measure::Mean(_) => DataType::Float64,
            Measure::Parts(_) => DataType::Utf8,
        }
    }
}

/// Which figures, of which groups, and what they may cost.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct PrivateAggregation {
    /// The columns whose values make the groups; none for the whole relation.
    pub by: Vec<Column>,
    /// The groups, declared before anybody looked at the data; without them the groups are those found, which needs a δ.
    pub keys: Option<Vec<Vec<String>>>,
    /// The figures.
    pub measures: Vec<Measure>,
    /// ε of all figures together, as written.
    pub epsilon: String,
    /// δ of all figures together, as written; none for pure ε.
    pub delta: Option<String>,
    /// Most rows of one person that count. Who is a person, the owner of the data has declared.
    pub contribution: u32,
    /// Which draw it is.
    pub draw: Draw,
}

/// Figures per group, each hidden in noise: together (ε, δ)-differentially private for the addition or removal of a person.
#[derive(Debug, Clone)]
pub struct PrivateAggregate {
    input: Arc<LogicalPlan>,
    what: PrivateAggregation,
    schema: DFSchemaRef,
}

impl PrivateAggregate {
    /// The operator over a relation.
    pub fn new(input: Arc<LogicalPlan>, what: PrivateAggregation) -> Result<PrivateAggregate> {
        let refused = |problem: String| Err(DataFusionError::Plan(format!("private: {problem}")));
        known_once("private", input.schema(), what.by.iter())?;
        let columns = what.measures.iter().filter_map(Measure::bounded).map(|of| &of.column);
        for column in columns {
            known_once("private", input.schema(), std::iter::once(column))?;
        }
        if what.measures.is_empty() {
            return refused("ask for something: count => true, sum => (column, lower, upper) or avg => (column, lower, upper)".to_owned());
        }
        if what.contribution == 0 {
            return refused("contribution must be at least 1".to_owned());
        }
        if let Some(key) = what.keys.iter().flatten().find(|key| key.len() != what.by.len()) {
            return refused(format!("a key has {} values, but by has {} columns", key.len(), what.by.len()));
        }
        // A group that is named twice would have two answers, with noise for one.
        let mut seen = std::collections::BTreeSet::new();
        if what.keys.iter().flatten().any(|key| !seen.insert(key)) {
            return refused("a key is given twice: every copy would be another answer about the same people; name each group once".to_owned());
        }
        if what.keys.is_none() && what.delta.is_none() && !what.by.is_empty() {
            return refused(
                "without a delta the groups must be declared, because that a group exists can tell of one person; write keys => (…), or delta => 1e-6"
                    .to_owned(),
            );
        }
        for of in what.measures.iter().filter_map(Measure::bounded) {
            if of.lower > of.upper {
                return refused(format!("the bounds of {:?} are the wrong way round", of.column.name));
            }
            let field = input.schema().qualified_field_from_column(&of.column)?.1;
            if !field.data_type().is_numeric() {
                return refused(format!("{:?} is not a number; CAST it in the subquery", of.column.name));
            }
        }
        let by = what.by.iter().map(|column| {
            let (qualifier, field) = input.schema().qualified_field_from_column(column)?;
            Ok((qualifier.cloned(), Arc::new(field.as_ref().clone().with_nullable(true))))
        });
        let mut fields = by.collect::<Result<Vec<_>>>()?;
        fields.extend(
            what.measures
                .iter()
                .map(|measure| (None, Arc::new(Field::new(measure.name(), measure.data_type(), false)))),
        );
        let schema = Arc::new(DFSchema::new_with_metadata(fields, Default::default())?);
        Ok(PrivateAggregate { input, what, schema })
    }

    /// The operator as a plan.
    pub fn plan(input: LogicalPlan, what: PrivateAggregation) -> Result<LogicalPlan> {
        Ok(plan_of(PrivateAggregate::new(Arc::new(input), what)?))
    }

    /// The relation.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// What is asked for.
    pub fn what(&self) -> &PrivateAggregation {
        &self.what
    }
}

same_if_asked_the_same!(PrivateAggregate);

impl UserDefinedLogicalNodeCore for PrivateAggregate {
    fn name(&self) -> &str {
        "PrivateAggregate"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measures: Vec<String> = self.what.measures.iter().map(Measure::figure).collect();
        write!(
            f,
            "PrivateAggregate: {} by [{}], ε = {}",
            measures.join(", "),
            list(&self.what.by),
            self.what.epsilon
        )?;
        match &self.what.delta {
            Some(delta) => write!(f, ", δ = {delta}"),
            None => Ok(()),
        }
    }

    fn with_exprs_and_inputs(
        &self,
        _exprs: Vec<Expr>,
        mut inputs: Vec<LogicalPlan>,
    ) -> Result<PrivateAggregate> {
        match (inputs.pop(), inputs.is_empty()) {
            (Some(input), true) => PrivateAggregate::new(Arc::new(input), self.what.clone()),
            _ => Err(DataFusionError::Internal("private has one input".to_owned())),
        }
    }
}

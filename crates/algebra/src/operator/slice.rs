//! α^S: column groups, each permuted by itself inside hidden buckets of rows.

use super::{Demands, Draw, Generalization, known_once, list, plan_of};
use datafusion::arrow::datatypes::Field;
use datafusion::common::{Column, DFSchema, DFSchemaRef, DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};
use paravent_slicing::{ColumnGroups, GroupError};
use std::fmt;
use std::sync::Arc;

/// How rows are put into buckets.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub enum Buckets {
    /// So many windows of the rank, as equal as possible.
    Count(u64),
    /// Windows of at least this number of rows; the remainder is spread over them.
    Size(u64),
    /// One bucket per value of a column.
    By(Column),
    /// The equivalence classes that a generalization would make; the values themselves stay.
    Classes(Generalization),
}

/// Whether a column may be in several groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub enum Overlap {
    /// Every column in exactly one group.
    Forbidden,
    /// Copies are named `attr@2`, `attr@3`; every shared value must occur at least so often in a bucket.
    Allowed {
        /// Fewest occurrences of a shared value in a bucket.
        least: u32,
    },
}

/// Which columns stay together, and where they are mixed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Slicing {
    /// The column groups; together all columns of the input.
    pub groups: Vec<Vec<Column>>,
    /// The buckets.
    pub buckets: Buckets,
    /// Fewest rows of a bucket; at least 2.
    pub least_rows: u64,
    /// Whether groups may share columns.
    pub overlap: Overlap,
    /// Which draw it is.
    pub draw: Draw,
    /// What it is held to.
    pub demands: Demands,
}

/// α^S_V(r): inside every bucket, every group of V is permuted independently and uniformly. Rows come out in random order, columns in the order they came;
/// copies of columns in several groups follow at the end.
#[derive(Debug, Clone)]
pub struct Slice {
    input: Arc<LogicalPlan>,
    what: Slicing,
    schema: DFSchemaRef,
}

impl Slice {
    /// The operator over a relation.
    pub fn new(input: Arc<LogicalPlan>, what: Slicing) -> Result<Slice> {
        let schema = input.schema();
        if what.least_rows < 2 {
            let problem =
                "slice: a bucket of one row is released as it is; write a minimum of 2 or more".to_owned();
            return Err(DataFusionError::Plan(problem));
        }
        for group in &what.groups {
            known_once("slice", schema, group.iter())?;
        }
        let groups = column_groups(schema, &what)?;
        let copies = groups.released().into_iter().skip(schema.fields().len()).map(|copy| {
            let (qualifier, field) = schema.qualified_field(copy.source);
            let times = copy.name.rsplit('@').next().unwrap_or_default();
            let name = format!("{}@{times}", field.name());
            (qualifier.cloned(), Arc::new(Field::new(name, field.data_type().clone(), field.is_nullable())))
        });
        let copies: Vec<_> = copies.collect();
        let own = schema.iter().map(|(qualifier, field)| (qualifier.cloned(), Arc::clone(field)));
        let fields = own.chain(copies).collect();
        let schema = Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?);
        Ok(Slice { input, what, schema })
    }

    /// The operator as a plan.
    pub fn plan(input: LogicalPlan, what: Slicing) -> Result<LogicalPlan> {
        Ok(plan_of(Slice::new(Arc::new(input), what)?))
    }

    /// The relation.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// What is asked for.
    pub fn what(&self) -> &Slicing {
        &self.what
    }

    /// The groups over the columns of the input, which are called by their qualified names.
    pub fn column_groups(&self) -> Result<ColumnGroups> {
        column_groups(self.input.schema(), &self.what)
    }
}

fn column_groups(schema: &DFSchema, what: &Slicing) -> Result<ColumnGroups> {
    let columns: Vec<String> = schema.columns().iter().map(Column::flat_name).collect();
    let groups: Vec<Vec<String>> =
        what.groups.iter().map(|group| group.iter().map(Column::flat_name).collect()).collect();
    let overlap = match what.overlap {
        Overlap::Forbidden => paravent_slicing::Overlap::Forbidden,
        Overlap::Allowed { .. } => paravent_slicing::Overlap::Copies,
    };
    let short = |flat: &str| {
        let column = schema.columns().into_iter().find(|column| column.flat_name() == flat);
        column.map_or_else(|| flat.to_owned(), |column| column.name)
    };
    ColumnGroups::new(&columns, &groups, overlap).map_err(|error| match error {
        GroupError::Ungrouped { column } => DataFusionError::Plan(format!(
            "slice: column {:?} is in no group; add it to one, or leave it out of the query",
            short(&column)
        )),
        GroupError::InTwoGroups { column, .. } => DataFusionError::Plan(format!(
            "slice: column {:?} is in several groups, which can link them again; \
             write overlap => 2 or more to allow it",
            short(&column)
        )),
        other => DataFusionError::Plan(format!("slice: {other}")),
    })
}

same_if_asked_the_same!(Slice);

impl fmt::Display for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buckets::Count(count) => write!(f, "{count} buckets"),
            Buckets::Size(rows) => write!(f, "buckets of {rows}"),
            Buckets::By(column) => write!(f, "buckets by {}", column.name),
            Buckets::Classes(what) => write!(f, "classes of [{}], {}", list(&what.quasi), what.promise),
        }
    }
}

impl UserDefinedLogicalNodeCore for Slice {
    fn name(&self) -> &str {
        "Slice"
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
        let groups: Vec<String> =
            self.what.groups.iter().map(|group| format!("{{{}}}", list(group))).collect();
        write!(f, "Slice: {}, {}", groups.join(" "), self.what.buckets)
    }

    fn with_exprs_and_inputs(&self, _exprs: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Slice> {
        match (inputs.pop(), inputs.is_empty()) {
            (Some(input), true) => Slice::new(Arc::new(input), self.what.clone()),
            _ => Err(DataFusionError::Internal("slice has one input".to_owned())),
        }
    }
}

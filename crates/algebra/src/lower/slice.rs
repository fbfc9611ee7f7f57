//! α^S: buckets, one permutation per bucket and group, one gather.

use super::account::{Account, SliceAccount};
use super::code::codes;
use super::gather::{collect_in_order, table};
use super::recode::{Labels, appended, recode};
use super::utility::{Compare, compare};
use super::{LowerError, Lowering};
use crate::operator::{Buckets, Demands, Merge, Overlap, Slice};
use crate::whose::{Declared, by_name, carried};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, new_empty_array};
use datafusion::arrow::compute::interleave;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_slicing::checks::{Sliced, relinking};
use paravent_slicing::{
    ColumnGroups, Draw, Examined, Gathers, Layout, MinimumSize, Operator, RowOrder, Shown, SmallBuckets,
    Windows, examine, permute,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows gathered at a time.
const PIECE: usize = 1 << 16;

impl Lowering<'_> {
    /// Draws the slicing. With [`RowOrder::Carried`] the rows keep the rank that the buckets of a slicing above are made of.
    pub(super) async fn slice(
        &mut self,
        node: &Slice,
        input: LogicalPlan,
        order: RowOrder,
    ) -> Result<LogicalPlan, LowerError> {
        let what = node.what();
        let groups = node.column_groups()?;
        let width = groups.columns().len();
        let (plan, classes) = match &what.buckets {
            Buckets::Classes(generalization) => {
                let decision = self.decide(generalization, node.input(), &input).await?;
                let classes = generalization.quasi.len();
                (recode(input.clone(), &decision.recoding, Labels::Append)?, classes)
            }
            Buckets::Count(_) | Buckets::Size(_) | Buckets::By(_) => (input.clone(), 0),
        };
        debug_assert!(classes == 0 || plan.schema().field(width).name() == &appended(0));
        let (plan, persons) = match classes {
            0 => self.with_people(node.input(), plan)?,
            _ => (plan, 0),
        };
        let batches = collect_in_order(&self.world.context, plan).await?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let minimum = MinimumSize::new(u32::try_from(what.least_rows).unwrap_or(u32::MAX))?;
        let windows = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let layout = match &what.buckets {
            Buckets::Count(count) => Layout::by_rank(rows, Windows::Count(windows(*count)), minimum)?,
            Buckets::Size(size) => Layout::by_rank(rows, Windows::Size(windows(*size)), minimum)?,
            Buckets::By(column) => {
                let place = input.schema().index_of_column(column)?;
                let small = match what.demands.merge {
                    Merge::Refuse => SmallBuckets::Refuse,
                    Merge::Neighbours => SmallBuckets::Merge,
                };
                Layout::by_value(&codes(&batches, &[place])?, small, minimum)?
            }
            Buckets::Classes(_) => {
                let labels: Vec<usize> = (width..width + classes).collect();
                Layout::by_classes(&codes(&batches, &labels)?, minimum)?
            }
        };
        let known: Vec<usize> = match &what.buckets {
            Buckets::By(column) => vec![input.schema().index_of_column(column)?],
            Buckets::Count(_) | Buckets::Size(_) | Buckets::Classes(_) => Vec::new(),
        };
        let labelled: Vec<usize> = match &what.buckets {
            Buckets::Classes(classes) => {
                let places = classes.quasi.iter().map(|column| input.schema().index_of_column(column));
                places.collect::<Result<_, _>>()?
            }
            Buckets::Count(_) | Buckets::Size(_) | Buckets::By(_) => Vec::new(),
        };
        let people = (width..width + persons).map(|place| codes(&batches, &[place]));
        let people: Vec<Vec<u32>> = people.collect::<Result<_, _>>()?;
        let layout =
            guarded(&groups, &batches, layout, minimum, (&known, &labelled, &people), &what.demands)?;
        if let Overlap::Allowed { least } = what.overlap {
            refuse_relinking(&groups, &batches, &layout, least)?;
        }
        let draw = Draw { secret: &self.world.key.slicing, operator: Operator(what.draw.number()), order };
        let gathers = permute(&layout, groups.len(), &draw);
        let utility = match self.world.compare {
            Compare::No => None,
            Compare::Pairs => Some(compare(&groups, &layout, &gathers, &known, &batches)?),
        };
        let (kept_pairs, blurred_pairs) = pairs(&groups, &known);
        self.accounts.push(Account::Slice(SliceAccount {
            groups: what
                .groups
                .iter()
                .map(|group| group.iter().map(|column| column.name.clone()).collect())
                .collect(),
            rows: rows as u64,
            buckets: layout.buckets() as u64,
            smallest_bucket: layout.smallest() as u64,
            kept_pairs,
            blurred_pairs,
            seeded: self.world.key.is_seeded(),
            utility,
        }));
        let sliced = gather(&groups, &gathers, &batches, rows)?;
        let name = format!("__paravent_slice_{}", what.draw.number());
        table(sliced, datafusion::logical_expr::UserDefinedLogicalNodeCore::schema(node), &name)
    }
}

impl Lowering<'_> {
    /// The relation with columns that say whose row it is behind its own, and how many they are. None where the job names no person, or an operator is
    /// below: then every row is another person, which was asked before.
    fn with_people(
        &self,
        written: &LogicalPlan,
        plan: LogicalPlan,
    ) -> Result<(LogicalPlan, usize), LowerError> {
        let person = self.world.catalog.job().map_or(&[][..], |job| &job.privacy.person);
        if person.is_empty() || crate::operator::Operator::is_in(written)? {
            return Ok((plan, 0));
        }
        let Some(carried) = carried(written, &Declared(person))? else {
            return Err(LowerError::Unfollowed);
        };
        if carried.names.is_empty() {
            return Err(LowerError::Unfollowed);
        }
        let own = plan.schema().columns().into_iter().map(Expr::Column);
        let people = carried.names.iter().map(|name| by_name(&carried.plan, name));
        let all: Vec<Expr> = own.chain(people).collect();
        Ok((LogicalPlanBuilder::from(carried.plan.clone()).project(all)?.build()?, carried.names.len()))
    }
}

/// Whether a bucket has rows of too few people.
fn few(layout: &Layout, people: &[u32], minimum: MinimumSize) -> bool {
    layout.iter().any(|bucket| {
        let mut seen: Vec<u32> = bucket.iter().map(|&row| people[row as usize]).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() < minimum.get() as usize
    })
}

/// Names of two columns.
type Pair = (String, String);

/// The buckets, merged where that is asked for, if the slicing gives nobody away.
fn guarded(
    groups: &ColumnGroups,
    batches: &[RecordBatch],
    layout: Layout,
    minimum: MinimumSize,
    (known, labelled, people): (&[usize], &[usize], &[Vec<u32>]),
    demands: &Demands,
) -> Result<Layout, LowerError> {
    let hides = |layout: &Layout| match people.iter().any(|people| few(layout, people, minimum)) {
        true => Err(LowerError::FewPeople { least: minimum.get() }),
        false => Ok(()),
    };
    if *demands == Demands::default() {
        return hides(&layout).map(|()| layout);
    }
    let width = groups.columns().len();
    let columns: Vec<Vec<u32>> =
        (0..width).into_par_iter().map(|column| codes(batches, &[column])).collect::<Result<_, _>>()?;
    let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    // Codes follow the order of values, and a missing one is the first.
    let is_missing = |column: usize| batches.iter().any(|batch| batch.column(column).null_count() > 0);
    let missing: Vec<Option<u32>> = (0..width).map(|column| is_missing(column).then_some(0)).collect();
    let short = |column: usize| groups.columns()[column].rsplit('.').next().unwrap_or_default();
    let sensitive: Vec<usize> =
        (0..width).filter(|&column| demands.sensitive.iter().any(|name| name == short(column))).collect();
    let layout = match demands.merge {
        Merge::Refuse => layout,
        Merge::Neighbours => {
            let shown = |&column: &usize| Shown {
                codes: columns[column],
                missing: missing[column],
                least: demands.limits.diversity,
            };
            let persons = people.iter().map(|codes| Shown { codes, missing: None, least: minimum.get() });
            layout.merged(minimum, &sensitive.iter().map(shown).chain(persons).collect::<Vec<_>>())
        }
    };
    hides(&layout)?;
    let table = Sliced { columns: &columns, layout: &layout };
    let person = people.first().map(Vec::as_slice);
    let what = Examined { groups, table, known, labelled, sensitive: &sensitive, missing: &missing, person };
    let findings = examine(&what, demands.limits.diversity);
    match findings.refusals(groups, &demands.limits).into_iter().next() {
        Some(refusal) => Err(LowerError::Sliced(refusal)),
        None => Ok(layout),
    }
}

/// The pairs of columns that are exact, because they share a group or every bucket gives one of them away, and those that are not.
fn pairs(groups: &ColumnGroups, known: &[usize]) -> (Vec<Pair>, Vec<Pair>) {
    let name = |column: usize| groups.columns()[column].rsplit('.').next().unwrap_or_default().to_owned();
    let width = groups.columns().len();
    let all = (0..width).flat_map(|first| (first + 1..width).map(move |second| (first, second)));
    let (kept, blurred): (Vec<_>, Vec<_>) = all.partition(|&(first, second)| {
        groups.together(first, second).is_some() || known.contains(&first) || known.contains(&second)
    });
    let named = |pairs: Vec<(usize, usize)>| {
        pairs.into_iter().map(|(first, second)| (name(first), name(second))).collect()
    };
    (named(kept), named(blurred))
}

/// The released columns, a piece at a time, all pieces in parallel.
fn gather(
    groups: &ColumnGroups,
    gathers: &Gathers,
    batches: &[RecordBatch],
    rows: usize,
) -> Result<Vec<RecordBatch>, LowerError> {
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let released = groups.released();
    let mut ends: Vec<usize> = Vec::with_capacity(batches.len());
    let mut end = 0;
    for batch in batches {
        end += batch.num_rows();
        ends.push(end);
    }
    let place = |row: u32| {
        let batch = ends.partition_point(|&end| end <= row as usize);
        let start = if batch == 0 { 0 } else { ends[batch - 1] };
        (batch, row as usize - start)
    };
    let fields: Vec<_> = released
        .iter()
        .map(|column| first.schema().field(column.source).clone().with_name(column.name.clone()))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let columns: Vec<Vec<&dyn Array>> = (0..groups.columns().len())
        .map(|column| batches.iter().map(|batch| batch.column(column).as_ref()).collect())
        .collect();
    let piece = |start: usize| -> Result<RecordBatch, DataFusionError> {
        let end = (start + PIECE).min(rows);
        let places: Vec<Vec<(usize, usize)>> = (0..groups.len())
            .map(|group| gathers.group(group)[start..end].iter().map(|&row| place(row)).collect())
            .collect();
        let arrays = released.iter().map(|column| -> Result<ArrayRef, DataFusionError> {
            let values = &columns[column.source];
            if values.is_empty() {
                return Ok(new_empty_array(schema.field(column.source).data_type()));
            }
            Ok(interleave(values, &places[column.group])?)
        });
        Ok(RecordBatch::try_new(Arc::clone(&schema), arrays.collect::<Result<_, _>>()?)?)
    };
    let starts: Vec<usize> = (0..rows).step_by(PIECE).collect();
    Ok(starts.into_par_iter().map(piece).collect::<Result<Vec<_>, _>>()?)
}

/// Values that groups share must not single out a pair of slices.
fn refuse_relinking(
    groups: &ColumnGroups,
    batches: &[RecordBatch],
    layout: &Layout,
    least: u32,
) -> Result<(), LowerError> {
    let columns: Vec<Vec<u32>> =
        (0..groups.columns().len()).map(|column| codes(batches, &[column])).collect::<Result<_, _>>()?;
    let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let found = relinking(groups, Sliced { columns: &columns, layout }, least);
    match found.iter().all(paravent_slicing::checks::Relinking::holds) {
        true => Ok(()),
        false => Err(LowerError::Relinking { least }),
    }
}

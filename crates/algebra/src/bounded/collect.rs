//! The rows of a plan, as many as fit.

use super::{Bounds, Exceeded};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream_partitioned;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;

/// The rows of a plan, partition after partition. They are counted as memory while the statement goes on.
pub(crate) async fn collect(context: &SessionContext, plan: LogicalPlan) -> Result<Vec<RecordBatch>> {
    let most = bounds(&context.state()).map_or(usize::MAX, |bounds| bounds.memory());
    rows(context.state(), plan, most, Exceeded::Memory).await
}

/// The rows of a counting query, on all cores where that cannot change them: partial counts of every partition are added up.
pub(crate) async fn collect_counts(context: &SessionContext, plan: LogicalPlan) -> Result<Vec<RecordBatch>> {
    let state = context.state();
    let most = bounds(&state).map_or(usize::MAX, |bounds| bounds.memory());
    let partitions = bounds(&state).map_or(1, |bounds| bounds.partitions());
    let state = match partitions > 1 && super::split::gives_the_same(&plan)? {
        true => {
            let config = state.config().clone().with_target_partitions(partitions);
            SessionStateBuilder::new_from_existing(state).with_config(config).build()
        }
        false => state,
    };
    rows(state, plan, most, Exceeded::Memory).await
}

/// The same, where the order of the rows matters: files are read in parallel, but rows are not dealt out in turns.
pub(crate) async fn collect_in_order(
    context: &SessionContext,
    plan: LogicalPlan,
) -> Result<Vec<RecordBatch>> {
    let state = context.state();
    let most = bounds(&state).map_or(usize::MAX, |bounds| bounds.memory());
    let mut config = state.config().clone();
    config.options_mut().optimizer.enable_round_robin_repartition = false;
    let state = SessionStateBuilder::new_from_existing(state).with_config(config).build();
    rows(state, plan, most, Exceeded::Memory).await
}

/// The rows that are shown.
pub(crate) async fn collect_answer(context: &SessionContext, plan: LogicalPlan) -> Result<Vec<RecordBatch>> {
    let most = bounds(&context.state()).map_or(usize::MAX, |bounds| bounds.answer().min(bounds.memory()));
    rows(context.state(), plan, most, Exceeded::Answer).await
}

fn bounds(state: &SessionState) -> Option<std::sync::Arc<Bounds>> {
    state.config().get_extension::<Bounds>()
}

async fn rows(
    state: SessionState,
    plan: LogicalPlan,
    most: usize,
    otherwise: Exceeded,
) -> Result<Vec<RecordBatch>> {
    let frame = DataFrame::new(state, plan);
    let task = std::sync::Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let kept = MemoryConsumer::new("rows").register(task.memory_pool());
    let mut batches = Vec::new();
    let mut size = 0usize;
    for mut stream in execute_stream_partitioned(plan, task)? {
        while let Some(batch) = stream.try_next().await? {
            let more = batch.columns().iter().map(bytes).sum::<usize>() + batch.num_rows() / 8 + 64;
            size = size.saturating_add(more);
            if size > most {
                return Err(otherwise.into());
            }
            kept.try_grow(more)?;
            batches.push(batch);
        }
    }
    Ok(batches)
}

/// Bytes that the values of an array take. Texts count in full, also where several rows share one.
pub(super) fn bytes(array: &ArrayRef) -> usize {
    match array.data_type() {
        DataType::Utf8View => {
            array.as_string_view().views().iter().map(|view| 16 + (*view as u32) as usize).sum()
        }
        DataType::BinaryView => {
            array.as_binary_view().views().iter().map(|view| 16 + (*view as u32) as usize).sum()
        }
        _ => array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size()),
    }
}

//! What a statement may take: time, memory, and the size of its answer.
//!
//! The engine's own operators ask a [`Pool`](pool::Pool) before they keep rows. Two things pass it by, and are bounded here: rows that are collected
//! ([`collect`]), and functions that build a large value out of small ones ([`function`], [`concat`], [`series`]). Nothing is written to disk when memory runs out:
//! a temporary file would hold cells.

mod collect;
mod concat;
mod exceeded;
mod function;
mod growth;
mod limits;
mod pool;
mod series;
mod split;

pub(crate) use collect::{collect, collect_answer, collect_counts, collect_in_order};
pub(crate) use concat::is_concat;
pub(crate) use exceeded::Exceeded;
pub(crate) use limits::Bounds;
pub use limits::Limits;

use datafusion::common::Result;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{FunctionRegistry, SessionState};
use std::sync::Arc;

/// What operators run in: the pool, and no temporary files.
pub(crate) fn environment(bounds: &Arc<Bounds>) -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool::Pool::new(Arc::clone(bounds))))
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .build_arc()
}

/// Replaces the functions of a state that can build large values by ones that look first.
pub(crate) fn replace_functions(state: &mut SessionState) -> Result<()> {
    let growing: Vec<_> = growth::GROWING
        .iter()
        .filter_map(|(name, growth)| {
            state.scalar_functions().get(*name).map(|function| (Arc::clone(function), *growth))
        })
        .collect();
    for (function, growth) in growing {
        state.register_udf(Arc::new(function::BoundedFunction::of(&function, growth)))?;
    }
    for (name, function) in series::functions(state) {
        state.register_udtf(name, function);
    }
    state.add_analyzer_rule(Arc::new(concat::BoundedConcat::default()));
    Ok(())
}

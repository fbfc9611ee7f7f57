//! Anonymization as operators of a relational algebra, on the logical plans of a SQL engine.
//!
//! Three operators stand beside π, σ, ∪ and ⋈ as nodes of a DataFusion [`LogicalPlan`](datafusion::logical_expr::LogicalPlan): [`Generalize`](operator::Generalize)
//! (α^G, the best full-domain generalization that keeps a promise), [`Slice`](operator::Slice) (α^S, column groups permuted inside hidden buckets) and
//! [`Randomize`](operator::Randomize) (α^D, cells redrawn with a known probability). There is no second tree of relations: the rewrite
//! rules and the lowering to plain plans work on DataFusion's own.

pub mod audit;
mod bounded;
pub mod catalog;
pub mod error;
pub mod ledger;
pub mod lower;
pub mod operator;
pub mod origin;
pub mod rules;
pub mod session;
pub mod sql;
pub mod total;
pub mod tracking;
mod whose;
pub mod xml;

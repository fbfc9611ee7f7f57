//! Plans as XML documents: an element per operator, the relation it works on inside.
//!
//! ```xml
//! <projection isDistinct="false">
//!   <differentialPrivacy>
//!     <baseRelation name="donors">
//!       <attributes>
//!         <attribute>day</attribute>
//!         <attribute type="integer">age</attribute>
//!       </attributes>
//!     </baseRelation>
//!     <noiseAttributes>
//!       <noiseAttribute attribute="day" noiseProbability="0.16"/>
//!     </noiseAttributes>
//!   </differentialPrivacy>
//!   <attributes>
//!     <attribute>day</attribute>
//!   </attributes>
//! </projection>
//! ```
//!
//! | element | attributes | children |
//! | --- | --- | --- |
//! | `baseRelation` | `name` | `attributes`; an `attribute` is text unless its `type` is `integer`, `real`, `boolean` or `date` |
//! | `projection` | `isDistinct` | a relation, `attributes` |
//! | `selection` | | a relation, `condition`: a SQL expression over its attributes |
//! | `grouping` | | a relation, `attributes`, `aggregates` of `aggregate` with `function`, `attribute`, `as` |
//! | `naturalJoin` | | two relations |
//! | `join` | | two relations, `condition` (none: every pair) |
//! | `view` | `name` | a relation, which has that name from here on |
//! | `union` | `isDistinct` | two or more relations |
//! | `intersect`, `difference` | `isDistinct` | two relations |
//! | `generalization` | `k`, `metric` | a relation, `generalizationAttributes` |
//! | `slicing` | `bucketCount`, `bucketSize` or `bucketBy`, `leastRows`, `overlap` | a relation, `columnGroups` of `columnGroup`, or `bucketClasses` with `k`, `metric` |
//! | `differentialPrivacy` | | a relation, `noiseAttributes` of `noiseAttribute` with `attribute`, `noiseProbability` and, where it is not declared elsewhere, the distribution |
//!
//! `isDistinct` is `false` where it is missing: relations are bags. A slicing without buckets has a single one. Children may come in any order;
//! written documents have the relation first, noise sorted by attribute, and two spaces per level, so that reading and writing a written document changes nothing.
//! A base relation has no data: the plan can be rewritten, shown and written, and is run by giving its tables a source.

mod condition;
mod demands;
mod document;
mod error;
mod names;
mod noise;
mod read;
mod types;
mod write;

pub use error::XmlError;
pub use read::read;
pub use write::write;

use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;

/// A condition as documents write it, where they can.
pub(crate) fn condition_text(expr: &Expr, schema: &DFSchema) -> Option<String> {
    condition::text(expr, schema).ok()
}

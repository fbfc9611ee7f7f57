//! Slicing: column groups, each permuted by itself inside hidden buckets of rows.
//!
//! Nothing is generalized. Rows are split into buckets, columns into groups; inside each bucket the rows of every group are put into a
//! random order of their own and glued back by position. What stands in one group stays together exactly, what stands in two groups is
//! blurred within a bucket. Li, Li, Zhang & Molloy, "Slicing: a new approach for privacy preserving data publishing", TKDE 24(3), 2012;
//! Grunert & Heuer, "Slicing in Assistenzsystemen", GvD 2015.
//!
//! The crate knows no table format. It decides which row each group takes its values from ([`permute()`] returns one array of row numbers
//! per group) and leaves the gathering of cells to its caller; checks and figures work on columns of codes. In the order of use:
//! [`groups`] and [`buckets`] say what is asked for, [`guard`] refuses what would give people away, [`mod@permute`] draws, [`checks`] and [`utility`] look at the result, [`mod@reference`] and
//! [`outcomes`] are the definition itself, slow and exact, that the rest is tested against.
//!
//! ```
//! use paravent_slicing::{ColumnGroups, Draw, Layout, MinimumSize, Operator, Overlap, RowOrder, Secret, Windows, permute};
//!
//! let groups = ColumnGroups::new(&["sex", "age", "disease"], &[vec!["sex", "age"], vec!["disease"]], Overlap::Forbidden)?;
//! let layout = Layout::by_rank(6, Windows::Size(3), MinimumSize::TWO)?;
//! let secret = Secret::from_seed(7);
//! let gathers = permute(&layout, groups.len(), &Draw { secret: &secret, operator: Operator(0), order: RowOrder::Random });
//! let ages = [31, 35, 38, 52, 57, 59];
//! let mut released: Vec<u32> = gathers.group(0).iter().map(|&row| ages[row as usize]).collect();
//! released.sort_unstable();
//! assert_eq!(released, ages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod buckets;
pub mod checks;
pub mod figures;
pub mod groups;
pub mod guard;
pub mod keyed;
pub mod outcomes;
pub mod permute;
pub mod planner;
pub mod reference;
pub mod secret;
mod share;
mod sort_key;
pub mod statement;
pub mod utility;

pub use buckets::{BucketError, Layout, MinimumSize, Shown, SmallBuckets, Windows};
pub use groups::{
    ColumnGroups, GroupError, Guard, IdentifyingGroup, IdentifyingSets, Overlap, ReleasedColumn,
};
pub use guard::{Examined, Findings, Limits, Refusal, examine};
pub use keyed::{key_of, permute_by_digest};
pub use permute::{Draw, Gathers, Operator, RowOrder, permute};
pub use secret::{Secret, SecretError};
pub use share::{NoShare, Share};
pub use sort_key::sort_key;

//! What a release is still good for: means, quantiles, associations and predictions, before and after.
//!
//! Both tables are columns of text cells; where labels are intervals, their middle is taken for the number.
//!
//! ```
//! use paravent_utility::{Options, Table, compare};
//!
//! let column = |name: &str, cells: &[&str]| (name.to_owned(), cells.iter().map(|cell| Some((*cell).to_owned())).collect());
//! let original = Table::new(vec![column("age", &["21", "24", "35", "38"])]);
//! let release = Table::new(vec![column("age", &["20-29", "20-29", "30-39", "30-39"])]);
//! let utility = compare(&original, &release, &Options::default());
//! assert_eq!((utility.numbers[0].before.mean, utility.numbers[0].after.mean), (29.5, 29.5));
//! ```

mod association;
mod compare;
mod learn;
mod moments;
mod numbers;
mod table;
mod tree;

pub use association::{Association, Kind};
pub use compare::{NumberColumn, Options, Pair, ShareColumn, Utility, compare};
pub use learn::{Learned, Method, NotLearned};
pub use moments::Moments;
pub use numbers::number;
pub use table::Table;

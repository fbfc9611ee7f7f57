//! The order in which released rows are written.

use crate::encode::Tuples;
use crate::job::{Problem, RowOrder};
use crate::study::StudyError;
use rand::SeedableRng;
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::seq::SliceRandom;

/// Numbers of released tuples, in the order of writing.
#[derive(Debug)]
pub(super) enum Sequence {
    /// Each tuple as often as it was counted.
    Sorted(Vec<u32>),
    /// Each row by itself.
    RowByRow(Vec<u32>),
}

/// The sequence for an order. `in_input_order` has the rows' tuples where the order of the input is wanted.
pub(super) fn sequence(
    tuples: &Tuples,
    order: RowOrder,
    seed: Option<u64>,
    in_input_order: Vec<u32>,
) -> Result<Sequence, StudyError> {
    Ok(match order {
        RowOrder::Canonical => Sequence::Sorted(tuples.sorted()),
        RowOrder::Input => Sequence::RowByRow(in_input_order),
        RowOrder::Shuffled => {
            // Shuffled from the sorted order, so that the same seed gives the same bytes whatever the input's order.
            let mut rows: Vec<u32> = Vec::new();
            for number in tuples.sorted() {
                rows.extend(std::iter::repeat_n(number, tuples.count(number) as usize));
            }
            rows.shuffle(&mut generator(seed)?);
            Sequence::RowByRow(rows)
        }
    })
}

/// From the seed where one is asked for, else from the operating system.
fn generator(seed: Option<u64>) -> Result<ChaCha20Rng, StudyError> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| {
            Problem::new("", format!("the operating system gives no random numbers: {error}")).into_error()
        }),
    }
}

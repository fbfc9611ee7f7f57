//! The operators on parts of a table, as they run where parts live in different places: what it costs in loss, what it saves in time.
//!
//! The forms are those of a thesis on anonymisation operators in relational algebra, 2020, which leaves their gain and loss open. *Horizontal*: every part has some of the rows. *Vertical*: every part has some
//! of the columns. α^G loses by it, because every part is generalized by itself; counts from all parts added up lose nothing. α^S and α^D lose nothing.

mod generalize;
mod noise;
mod slice;

use crate::audience::Audience;
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::measure::Settings;
use crate::results::{FormTime, PartsResult};
use crate::timing::{Timings, milliseconds};
use std::time::Instant;

/// How many parts a table is cut into.
const PARTS: [usize; 5] = [1, 2, 4, 8, 16];
/// Times are told for so many threads.
pub(crate) const THREADS: [usize; 2] = [1, 2];

/// Measures a data set.
pub(crate) fn measure(
    dataset: &DataSet,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<PartsResult, BenchError> {
    let timer = Timer { repeat: settings.repeat, audience };
    let generalized = generalize::measure(dataset, &timer)?;
    let mut forms = slice::measure(dataset, &timer)?;
    forms.extend(noise::measure(dataset, &timer)?);
    Ok(PartsResult {
        dataset: dataset.name.clone(),
        rows: dataset.rows,
        privacy: generalize::PROMISES,
        generalized,
        forms,
    })
}

/// Repeats work on one thread and on two.
struct Timer<'a> {
    repeat: usize,
    audience: &'a dyn Audience,
}

impl Timer<'_> {
    /// What the work gives, and the medians of its times in milliseconds.
    fn time<T: Send>(
        &self,
        name: &str,
        work: impl Fn() -> Result<T, BenchError> + Sync,
    ) -> Result<(T, [f64; 2]), BenchError> {
        let mut medians = [0.0; 2];
        let mut last = None;
        for (median, threads) in medians.iter_mut().zip(THREADS) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| BenchError::internal(error.to_string()))?;
            let mut times = Timings::default();
            for repetition in 1..=self.repeat.max(1) {
                self.audience.run(name, repetition);
                if self.audience.stop() {
                    return Err(BenchError::Stopped);
                }
                let started = Instant::now();
                let made = pool.install(&work)?;
                times.add(started.elapsed());
                last = Some(made);
            }
            *median = milliseconds(times.median());
        }
        let made = last.ok_or_else(|| BenchError::internal("nothing was run".to_owned()))?;
        Ok((made, medians))
    }

    /// A line of the account.
    fn form<T: Send>(
        &self,
        (operator, form): (&'static str, &'static str),
        work: impl Fn() -> Result<T, BenchError> + Sync,
    ) -> Result<(T, FormTime), BenchError> {
        let (made, ms) = self.time(form, work)?;
        Ok((made, FormTime { operator, form, ms, same_cells: None }))
    }
}

/// The rows cut into parts of equal size, in their order.
fn ranges(rows: usize, parts: usize) -> Vec<std::ops::Range<usize>> {
    (0..parts).map(|part| part * rows / parts..(part + 1) * rows / parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;
    use paravent_core::search::Algorithm;

    fn once() -> Settings {
        Settings {
            algorithms: vec![Algorithm::BestFirst],
            threads: 1,
            snapshot_bytes: None,
            repeat: 1,
            warm_up: 0,
            time_limit: None,
        }
    }

    #[test]
    fn parts_never_gain_by_shared_levels_and_draws_do_not_depend_on_them() {
        let dataset = DataSet::generate(&"adult,rows=1500".parse().unwrap()).unwrap();
        let result = measure(&dataset, &once(), &Nobody).unwrap();
        let whole = &result.generalized[0];
        assert_eq!((whole.parts, whole.levels), (1, 1));
        assert!((whole.loss - whole.loss_with_shared_levels).abs() < 1e-12);
        for line in &result.generalized {
            // The best node of the whole table is at least as good as any node that is best for its parts.
            let best = result
                .generalized
                .iter()
                .find(|best| best.parts == 1 && best.suppression == line.suppression);
            assert!(line.loss_with_shared_levels >= best.unwrap().loss - 1e-12, "{line:?}");
            assert!(line.same_by_added_counts, "{line:?}");
        }
        for operator in ["α^S", "α^D"] {
            let forms: Vec<&FormTime> =
                result.forms.iter().filter(|form| form.operator == operator).collect();
            assert!(forms.len() == 3 && forms.iter().all(|form| form.same_cells == Some(true)), "{forms:?}");
        }
    }

    #[test]
    fn ranges_hold_every_row_once() {
        let all: Vec<usize> = ranges(103, 16).into_iter().flatten().collect();
        assert_eq!(all, (0..103).collect::<Vec<_>>());
    }
}

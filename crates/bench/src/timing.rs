//! Times of repeated runs.

use std::time::Duration;

/// The times of several runs of the same work.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timings {
    times: Vec<Duration>,
}

impl Timings {
    pub(crate) fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// The middle one; the mean of the two middle ones if their number is even; zero if there is none.
    pub(crate) fn median(&self) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => Duration::ZERO,
            n if n % 2 == 1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2,
        }
    }

    /// The shortest.
    pub(crate) fn min(&self) -> Duration {
        self.times.iter().min().copied().unwrap_or_default()
    }
}

/// A time in milliseconds, to the microsecond.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[u64]) -> Timings {
        Timings { times: times.iter().map(|&ms| Duration::from_millis(ms)).collect() }
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(of(&[9, 1, 5]).median(), Duration::from_millis(5));
        assert_eq!(of(&[9, 1, 5, 2]).median(), Duration::from_micros(3500));
        assert_eq!(of(&[]).median(), Duration::ZERO);
        assert_eq!(of(&[9, 1, 5]).min(), Duration::from_millis(1));
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.235);
    }
}

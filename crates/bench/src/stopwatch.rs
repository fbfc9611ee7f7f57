//! Two clocks: the one on the wall, and the one that only runs while this process does.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Started when work begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    wall: Instant,
    processor: Duration,
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lap {
    /// As people see it.
    pub(crate) wall: Duration,
    /// Time of the processor, all threads of this process together. Whoever else uses the machine does not count.
    pub(crate) processor: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), processor: processor_time() }
    }

    pub(crate) fn lap(&self) -> Lap {
        Lap { wall: self.wall.elapsed(), processor: processor_time().saturating_sub(self.processor) }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_run() {
        let watch = Stopwatch::start();
        let sum: u64 = (0..5_000_000u64).map(std::hint::black_box).sum();
        let lap = watch.lap();
        assert!(sum > 0 && lap.wall > Duration::ZERO && lap.processor > Duration::ZERO);
    }
}

//! Somebody asks to stop.

use super::*;
use crate::search::Flow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Asks to stop after so many questions.
struct Impatient {
    asked: AtomicU64,
    after: u64,
}

impl Observer for Impatient {
    fn after_round(&self, _: &Progress) -> Flow {
        Flow::Continue
    }

    fn stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}

/// How labels are chosen.
#[derive(Clone, Copy)]
enum Way {
    Local,
    Limited,
    Known,
}

#[test]
fn every_step_can_be_stopped() {
    let task = task(&patients(), &[Wish::K(2)], Metric::Loss, 0);
    let levels: Vec<Vec<u8>> = all_levels(&task);
    let mut most = vec![None; levels.len()];
    most[0] = Some(1);
    for way in [Way::Local, Way::Limited, Way::Known] {
        let run = |after| {
            let observer = Impatient { asked: AtomicU64::new(0), after };
            let effort = Effort { observer: &observer, ..Effort::default() };
            let found = match way {
                Way::Local => task.recode(&effort),
                Way::Limited => task.recode_limited(&most, &effort),
                Way::Known => task.recode_known(&levels, 1, &effort),
            };
            (found.unwrap().is_some(), observer.asked.into_inner())
        };
        let (found, questions) = run(u64::MAX);
        assert!(found && questions > 20, "{questions} questions in a whole run");
        // However early or late somebody asks, nothing is found, and little is done after it.
        for after in [0, 1, questions / 3, questions / 2, questions - 1] {
            let (found, asked) = run(after);
            assert!(!found && asked < after + 100, "{asked} questions where {after} were answered with no");
        }
    }
}

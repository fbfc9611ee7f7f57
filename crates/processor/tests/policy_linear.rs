//! The linear audit of exact answers, against trackers and against a slow search.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_processor::exact::linear::{Partition, tells_of_few};

/// One row for each of `n` people.
fn people(n: u64) -> Vec<u64> {
    (0..n).collect()
}

fn set(n: usize, of: impl Fn(usize) -> bool) -> Partition {
    (0..n).map(|row| u32::from(of(row))).collect()
}

#[test]
fn small_sets_and_small_differences_are_found() {
    let all = set(40, |_| true);
    assert!(!tells_of_few(&people(40), &[&all], 5));
    assert!(tells_of_few(&people(40), &[&all], 41), "the set itself is small");
    let most = set(40, |row| row > 2);
    assert!(tells_of_few(&people(40), &[&all, &most], 5), "three are left out");
    let half = set(40, |row| row > 20);
    assert!(!tells_of_few(&people(40), &[&all, &half], 5));
    assert!(!tells_of_few(&people(40), &[&half, &half], 5), "the same again tells nothing");
}

#[test]
fn a_tracker_of_three_is_found_where_no_two_differ_by_few() {
    let (one, other) = (set(41, |row| row < 20), set(41, |row| (20..40).contains(&row)));
    let both_and_one_more = set(41, |_| true);
    assert!(!tells_of_few(&people(41), &[&one, &other], 5));
    assert!(!tells_of_few(&people(41), &[&one, &both_and_one_more], 5));
    assert!(tells_of_few(&people(41), &[&one, &other, &both_and_one_more], 5));
}

#[test]
fn longer_trackers_are_found_too() {
    // Blocks a, b, c of ten, and one person x: a+b, b+c, c+a+x and a+b+c give x with the factor 2.
    let block = |row: usize| row / 10;
    let sets = [
        set(31, |row| row < 30 && block(row) < 2),
        set(31, |row| row < 30 && block(row) > 0),
        set(31, |row| row == 30 || block(row) != 1),
        set(31, |row| row < 30),
    ];
    let three: Vec<&Partition> = sets[..3].iter().collect();
    assert!(!tells_of_few(&people(31), &three, 5));
    assert!(tells_of_few(&people(31), &sets.iter().collect::<Vec<_>>(), 5));
}

#[test]
fn two_small_parts_together_may_be_enough_and_people_count_once() {
    // A+s and A+t differ by s and t: six people each, twelve in all.
    let sets = [set(42, |row| row < 36), set(42, |row| !(30..36).contains(&row))];
    let sets: Vec<&Partition> = sets.iter().collect();
    assert!(!tells_of_few(&people(42), &sets, 10));
    assert!(tells_of_few(&people(42), &sets, 13));
    // If both parts are rows of the same six people, they are six.
    let whose: Vec<u64> = (0..42).map(|row| if row < 36 { row } else { row - 6 }).collect();
    assert!(tells_of_few(&whose, &sets, 10));
}

/// Every combination with small factors, tried one by one.
#[test]
fn nothing_that_a_slow_search_finds_is_missed() {
    let mut state = 7_u64;
    let mut dice = move |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    for round in 0..200 {
        let rows = 12 + dice(8) as usize;
        let sets: Vec<Partition> =
            (0..3).map(|_| (0..rows).map(|_| u32::from(dice(3) > 0)).collect()).collect();
        let least = 2 + dice(4) as usize;
        let mut slow = false;
        for code in 0..125_usize {
            let factors = [code % 5, code / 5 % 5, code / 25].map(|factor| factor as i64 - 2);
            let about = (0..rows)
                .filter(|row| {
                    factors.iter().zip(&sets).map(|(f, set)| f * i64::from(set[*row])).sum::<i64>() != 0
                })
                .count();
            slow |= (1..least).contains(&about);
        }
        let sets: Vec<&Partition> = sets.iter().collect();
        let fast = tells_of_few(&people(rows as u64), &sets, least as u32);
        assert!(fast || !slow, "round {round}: missed");
    }
}

//! The examples run, and what they assert holds.

#[path = "../examples/your_own_criterion.rs"]
mod your_own_criterion;

#[test]
fn a_criterion_of_ones_own_is_searched_with() {
    your_own_criterion::main().unwrap();
}

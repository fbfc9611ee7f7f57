use super::plan::enumeration::answers;
use super::*;
use crate::distribution::{Distribution, Ends, Rest};
use crate::exact::{Probability, Ratio};
use crate::response::Response;
use proptest::prelude::*;

fn response(p: &str, weights: &str) -> Response {
    let weights = weights.split_whitespace().map(|w| Ratio::parse(w).unwrap()).collect();
    Response::new(Probability::parse(p).unwrap(), Distribution::given(weights).unwrap())
}

fn stepping(p: &str, ends: Ends) -> Response {
    let weight = |text| Ratio::parse(text).unwrap();
    let steps = [(-1, weight("0.25")), (1, weight("0.4")), (2, weight("0.1"))];
    let distribution = Distribution::steps(5, &steps, ends, Rest::Spread).unwrap();
    Response::new(Probability::parse(p).unwrap(), distribution)
}

fn plan(response: &Response) -> Arc<Plan> {
    Arc::new(Plan::new(response).unwrap())
}

const HERE: Stream = Stream { operator: 1, attribute: 2 };

fn drawn(seed: u64, stream: Stream, response: &Response, codes: &[u32]) -> Vec<u32> {
    let mut codes = codes.to_vec();
    Drawer::new(&Secret::from_seed(seed), stream, plan(response)).apply(0, &mut codes).unwrap();
    codes
}

#[test]
fn the_share_of_integers_that_lead_to_an_answer_is_its_probability() {
    let responses = [
        response("0.16", "0.5 0.5"),
        response("0.5", "1/3 1/6 1/2"),
        response("0", "0.5 0.5"),
        response("1", "0.7 0 0.3"),
        response("3/7", "0.41 0.358 0.078 0.102 0.045 0.007"),
        stepping("0.3", Ends::Cyclic),
        stepping("0.16", Ends::Clamped),
        stepping("0.3", Ends::Cyclic).then(&stepping("0.2", Ends::Clamped)).unwrap(),
    ];
    for response in responses {
        let plan = Plan::new(&response).unwrap();
        for (code, row) in (0..).zip(response.matrix()) {
            assert_eq!(answers(&plan, code), row, "{response:?}, value {code}");
        }
    }
}

#[test]
fn every_number_below_a_bound_has_as_many_words() {
    for below in (2..300u64).chain([WORDS - 1, WORDS, WORDS / 2 + 1, 1 << 40, 10u64.pow(18)]) {
        let limit = rejected_from(below);
        assert!(limit <= WORDS && limit.is_multiple_of(below), "{below}");
        assert!(WORDS - limit < below, "no more is rejected than must be: {below}");
        assert!(limit > WORDS / 2, "fewer than half are rejected: {below}");
        assert_eq!(accepted(limit - 1, below), Some(below - 1));
        assert_eq!(accepted(0, below), Some(0));
        if limit < WORDS {
            assert_eq!((accepted(limit, below), accepted(WORDS - 1, below)), (None, None));
        }
    }
}

/// A word in the incomplete stretch is not used: the next counter is. Planted: a modulo without rejection gives other integers.
#[test]
fn a_rejected_word_is_drawn_again() {
    let mut words = Words::new(&Secret::from_seed(1), HERE);
    let below = WORDS / 2 + 1;
    let mut again = 0;
    for row in 0..200 {
        let first = words.word(row, u32::from(TICKET) << 16);
        let integer = words.below(row, TICKET, below);
        assert!(integer < below);
        match first < rejected_from(below) {
            true => assert_eq!(integer, first % below),
            false => {
                again += 1;
                assert_ne!(integer, first % below, "what a modulo alone would give");
            }
        }
    }
    assert!((60..140).contains(&again), "nearly half: {again}");
}

#[test]
fn no_probability_no_draw() {
    let mut drawer = Drawer::new(&Secret::from_seed(1), HERE, plan(&response("0", "0.5 0.5")));
    let mut codes = vec![0, 1, 1, 0];
    drawer.apply(0, &mut codes).unwrap();
    assert_eq!((codes, drawer.draws()), (vec![0, 1, 1, 0], 0));
}

#[test]
fn draws_are_counted() {
    let mut always = Drawer::new(&Secret::from_seed(1), HERE, plan(&response("1", "0.5 0.5")));
    (0..100).for_each(|row| assert!(always.draw(row, 0).is_ok()));
    assert_eq!(always.draws(), 100);
    let mut half = Drawer::new(&Secret::from_seed(1), HERE, plan(&response("0.5", "0.5 0.5")));
    let mut codes = vec![0; 100];
    half.apply(0, &mut codes).unwrap();
    assert!(
        (120..=180).contains(&half.draws()),
        "a coin each, and a redraw for about half: {}",
        half.draws()
    );
}

#[test]
fn a_code_outside_the_domain_is_refused_and_nothing_changes() {
    let mut drawer = Drawer::new(&Secret::from_seed(1), HERE, plan(&response("1", "0.5 0.5")));
    let mut codes = vec![0, 1, 0, 1, 2];
    assert_eq!(drawer.apply(0, &mut codes), Err(OutsideDomain { values: 2 }));
    assert_eq!((codes, drawer.draws()), (vec![0, 1, 0, 1, 2], 0));
    assert_eq!(drawer.draw(0, u32::MAX), Err(OutsideDomain { values: 2 }));
}

#[test]
fn probabilities_without_a_common_denominator_are_refused() {
    let prime = |n| Ratio::new(1, n).unwrap();
    let (a, b) = (prime(4_294_967_291), prime(4_294_967_311));
    let rest = &(&Ratio::one() - &a) - &b;
    let distribution = Distribution::given(vec![a, b, rest]).unwrap();
    assert_eq!(Plan::new(&Response::new(Probability::parse("0.5").unwrap(), distribution)), Err(TooFine));
}

#[test]
fn a_seed_is_owned_up_to_and_a_key_is_not_printed() {
    let (seeded, random) = (Secret::from_seed(7), Secret::random().unwrap());
    assert!(seeded.is_seeded() && !random.is_seeded());
    assert_eq!(format!("{seeded:?} {random:?}"), "Secret(seeded, ..) Secret(..)");
    let other = Secret::random().unwrap();
    assert_ne!(random.key(), other.key());
}

#[test]
fn other_rows_streams_and_seeds_draw_other_noise() {
    let uniform = Response::new(Probability::parse("1").unwrap(), Distribution::uniform(1 << 14).unwrap());
    let codes = vec![0; 50];
    let here = drawn(1, HERE, &uniform, &codes);
    assert_ne!(here, drawn(2, HERE, &uniform, &codes));
    assert_ne!(here, drawn(1, Stream { operator: 2, attribute: 1 }, &uniform, &codes));
    assert_ne!(here, drawn(1, Stream { operator: 1, attribute: 3 }, &uniform, &codes));
    let mut different = here.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 45, "rows draw for themselves");
}

#[test]
fn the_last_row_number_is_a_row_number() {
    let mut drawer = Drawer::new(&Secret::from_seed(1), HERE, plan(&response("1", "0.5 0.5")));
    let mut codes = vec![0; 3];
    drawer.apply(u64::MAX - 1, &mut codes).unwrap();
    assert_eq!(drawer.draw(u64::MAX, 0).unwrap(), codes[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn batches_do_not_matter(codes in proptest::collection::vec(0u32..5, 1..60), cut in 0usize..60, seed: u64) {
        let response = stepping("0.6", Ends::Cyclic);
        let whole = drawn(seed, HERE, &response, &codes);
        let cut = cut.min(codes.len());
        let (secret, plan) = (Secret::from_seed(seed), plan(&response));
        let (mut left, mut right) = (codes[..cut].to_vec(), codes[cut..].to_vec());
        Drawer::new(&secret, HERE, plan.clone()).apply(cut as u64, &mut right).unwrap();
        Drawer::new(&secret, HERE, plan.clone()).apply(0, &mut left).unwrap();
        prop_assert_eq!(&whole, &[left, right].concat());
        let mut backwards = Drawer::new(&secret, HERE, plan);
        for row in (0..codes.len()).rev() {
            prop_assert_eq!(backwards.draw(row as u64, codes[row]).unwrap(), whole[row]);
        }
    }
}

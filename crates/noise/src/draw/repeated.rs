//! The draws, repeated as a database would: SHA-256 written from the standard (FIPS 180-4), digests as hexadecimal text, thresholds as numbers.
//! Nothing of the sampler is used but the thresholds that it publishes.

use super::*;
use crate::additive::{Additive, Law};
use crate::distribution::{Distribution, Ends, Rest};
use crate::exact::{Epsilon, Probability, Ratio};
use crate::response::Response;
use proptest::prelude::*;

/// The fractional parts of the cube roots of the first 64 primes.
fn round_constants() -> [u32; 64] {
    let mut primes: Vec<u64> = Vec::new();
    let mut number = 2;
    while primes.len() < 64 {
        if primes.iter().all(|prime| number % prime != 0) {
            primes.push(number);
        }
        number += 1;
    }
    let root = |prime: u64| {
        // ⌊∛(prime · 2^96)⌋, whose last 32 bits are the fraction.
        let (mut low, mut high) = (0u128, 1u128 << 36);
        while high - low > 1 {
            let middle = (low + high) / 2;
            // middle³ ≤ prime · 2^96, without overflow: middle < 2^36.
            if middle * middle * middle <= u128::from(prime) << 96 {
                low = middle;
            } else {
                high = middle;
            }
        }
        low as u32
    };
    let mut constants = [0; 64];
    constants.iter_mut().zip(primes).for_each(|(constant, prime)| *constant = root(prime));
    constants
}

fn sha256(message: &[u8]) -> String {
    let k = round_constants();
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((8 * message.len() as u64).to_be_bytes());
    for block in padded.chunks(64) {
        let mut w: Vec<u32> =
            block.chunks(4).map(|four| u32::from_be_bytes(four.try_into().unwrap())).collect();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
        }
        let mut v = state;
        for t in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let one = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[t]).wrapping_add(w[t]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let two = s0.wrapping_add((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v = [one.wrapping_add(two), v[0], v[1], v[2], v[3].wrapping_add(one), v[4], v[5], v[6]];
        }
        state.iter_mut().zip(v).for_each(|(old, new)| *old = old.wrapping_add(new));
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

#[test]
fn the_hash_is_the_standard_one() {
    assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_eq!(sha256(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/// `key ‖ operator ‖ attribute ‖ row ‖ counter`, as `secret || int8send(…) || int4send(…) || int8send(…) || int4send(…)`.
fn word(key: &[u8], stream: Stream, row: u64, counter: u32) -> i64 {
    let mut message = key.to_vec();
    message.extend(stream.operator.to_be_bytes());
    message.extend(stream.attribute.to_be_bytes());
    message.extend(row.to_be_bytes());
    message.extend(counter.to_be_bytes());
    i64::from_str_radix(&sha256(&message)[..15], 16).unwrap()
}

fn integer(key: &[u8], stream: Stream, row: u64, number: u32, below: u64) -> u64 {
    let all = 1u64 << 60;
    (0..)
        .map(|attempt| word(key, stream, row, number * 65_536 + attempt) as u64)
        .find(|word| *word < all / below * below)
        .unwrap()
        % below
}

/// `CASE WHEN coin < … THEN CASE WHEN ticket < … THEN … END ELSE the value END`
fn repeated(key: &[u8], stream: Stream, plan: &Plan, row: u64, code: u32) -> u32 {
    let (redraw, coins) = plan.coin();
    if integer(key, stream, row, 0, coins) >= redraw {
        return code;
    }
    let ticket = plan.ticket(code).unwrap();
    let drawn = integer(key, stream, row, 1, *ticket.sums.last().unwrap());
    let arms = ticket.sums.iter().zip(ticket.codes);
    arms.filter(|(sum, _)| drawn < **sum).map(|(_, code)| *code).next().unwrap()
}

fn seed_key(seed: u64) -> Vec<u8> {
    let mut key = b"paravent noise, seeded..".to_vec();
    key.extend(seed.to_le_bytes());
    key
}

fn responses() -> Vec<Response> {
    let ratio = |text: &str| Ratio::parse(text).unwrap();
    let weights = |text: &str| Distribution::given(text.split(' ').map(ratio).collect()).unwrap();
    let p = |text: &str| Probability::parse(text).unwrap();
    let steps = [(-1, ratio("0.25")), (1, ratio("0.4")), (2, ratio("0.1"))];
    vec![
        Response::new(p("0.5"), weights("0.41 0.358 0.078 0.102 0.045 0.007")),
        Response::new(p("1"), weights("1/3 1/3 1/3")),
        Response::new(p("3/7"), Distribution::steps(5, &steps, Ends::Cyclic, Rest::Spread).unwrap()),
        Response::new(p("0.000000000000000001"), Distribution::uniform(3).unwrap()),
        Response::new(p("0.999999999999999999"), weights("0.999999999999999999 0.000000000000000001")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_cell_is_what_a_database_would_draw(seed: u64, operator: u64, attribute: u32, first: u64) {
        let stream = Stream { operator, attribute };
        for response in responses() {
            let plan = Arc::new(Plan::new(&response).unwrap());
            let mut drawer = Drawer::new(&Secret::from_seed(seed), stream, Arc::clone(&plan));
            for step in 0..6u32 {
                let (row, code) = (first.wrapping_add(u64::from(step)), step % response.domain());
                let shown = drawer.draw(row, code).unwrap();
                prop_assert_eq!(shown, repeated(&seed_key(seed), stream, &plan, row, code));
            }
        }
    }

    #[test]
    fn every_added_number_is_what_a_database_would_draw(seed: u64, first: u64, value in 0u32..41) {
        let stream = Stream { operator: 1, attribute: 0 };
        let noise = Additive::new(Law::Laplace, 41, &Epsilon::parse("2").unwrap(), None).unwrap();
        let mut words = Words::new(&Secret::from_seed(seed), stream);
        for step in 0..8 {
            let row = first.wrapping_add(step);
            // The largest m with word < tail(m), up; the same from the other end, down.
            let word = word(&seed_key(seed), stream, row, 65_536) as u64;
            let up = (1..41).filter(|m| word < noise.tail(*m)).max().unwrap_or(0) as i64;
            let down = (1..41).filter(|m| word >= (1 << 60) - noise.tail(*m)).max().unwrap_or(0) as i64;
            let expected = (i64::from(value) + up - down).clamp(0, 40) as u32;
            prop_assert_eq!(noise.draw(&mut words, row, value).unwrap(), expected);
        }
    }
}

/// The noise of a seed is the same on every machine and in every version. Computed with another language.
#[test]
fn the_noise_of_a_seed_is_fixed() {
    let stream = Stream { operator: 1, attribute: 2 };
    let mut words = Words::new(&Secret::from_seed(42), stream);
    let found: Vec<u64> = [(0, 0), (1, 0), (1, 65_536), (u64::MAX, 65_537)]
        .map(|(row, counter)| words.word(row, counter))
        .to_vec();
    assert_eq!(found, FIXED);
}

const FIXED: [u64; 4] =
    [467_786_070_923_389_052, 378_129_729_738_307_273, 499_680_378_842_474_257, 495_152_334_394_237_602];

/// A wrong threshold, a wrong order of bytes and a modulo without rejection are seen.
#[test]
fn planted_differences_are_seen() {
    let response = &responses()[0];
    let plan = Plan::new(response).unwrap();
    let stream = Stream { operator: 1, attribute: 2 };
    let mut words = Words::new(&Secret::from_seed(3), stream);
    let cells: Vec<(u64, u32)> = (0..400).map(|row| (row, (row % 6) as u32)).collect();
    let shown: Vec<u32> =
        cells.iter().map(|(row, code)| plan.draw(&mut words, *row, *code).unwrap()).collect();
    let differs = |other: &dyn Fn(u64, u32) -> u32| {
        cells.iter().zip(&shown).any(|((row, code), shown)| other(*row, *code) != *shown)
    };
    let key = seed_key(3);
    assert!(!differs(&|row, code| repeated(&key, stream, &plan, row, code)));
    let off = Plan::new(&Response { p: Probability::parse("0.51").unwrap(), ..response.clone() }).unwrap();
    assert!(differs(&|row, code| repeated(&key, stream, &off, row, code)));
    assert!(differs(&|row, code| repeated(&key, stream, &plan, row.swap_bytes(), code)));
    assert!(differs(&|row, code| repeated(&key, Stream { operator: 2, attribute: 1 }, &plan, row, code)));
    assert!(differs(&|row, code| repeated(&seed_key(4), stream, &plan, row, code)));
}

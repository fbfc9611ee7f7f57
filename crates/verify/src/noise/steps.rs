//! Noise that was added to numbers: every pair of values is looked at.

use super::exact::Rational;
use num_bigint::BigUint;

/// All words.
const ALL: u64 = 1 << 60;

/// How many words show value `a` as value `b` of `0..=last`.
fn words(tails: &[u64], a: usize, b: usize) -> u64 {
    let last = tails.len();
    // Words that move by at least m steps in one direction.
    let tail = |m: usize| if m == 0 { ALL - tails.first().copied().unwrap_or(0) } else { tails[m - 1] };
    match b {
        _ if last == 0 => ALL,
        0 => tail(a),
        b if b == last => tail(last - a),
        b if a == b => ALL - 2 * tails[0],
        b => {
            let m = a.abs_diff(b);
            tails[m - 1] - tails.get(m).copied().unwrap_or(0)
        }
    }
}

/// The greatest ratio of likelihoods of two values; `None` where an answer rules a value out.
pub(super) fn ratio(tails: &[u64]) -> Option<Rational> {
    let mut worst = (1u64, 1u64);
    for b in 0..=tails.len() {
        let (mut least, mut most) = (u64::MAX, 0);
        for a in 0..=tails.len() {
            let words = words(tails, a, b);
            least = least.min(words);
            most = most.max(words);
        }
        if least == 0 && most > 0 {
            return None;
        }
        if most > 0 && u128::from(most) * u128::from(worst.1) > u128::from(worst.0) * u128::from(least) {
            worst = (most, least);
        }
    }
    Rational::new(worst.0, worst.1)
}

/// The greatest δ of two values, each pair by all answers. The power of e counts in steps of 2⁻⁴⁰, rounded down, which only makes δ larger.
pub(super) fn delta(tails: &[u64], power: &Rational) -> Result<Rational, String> {
    const BITS: usize = 40;
    let power = u128::try_from(power.scaled(BITS)).ok().filter(|power| *power < 1 << 66);
    let power = power.ok_or_else(|| "so large an ε with a δ is not computed again".to_owned())?;
    let last = tails.len();
    let more = |one: u64, other: u64| (u128::from(one) << BITS).saturating_sub(power * u128::from(other));
    let mut worst = 0u128;
    for distance in 1..=last {
        // What an answer between the bounds adds depends on its place beside the two values alone: sums of all stretches at once.
        let inner = |place: isize| {
            let away = |from: isize| {
                let m = (place - from).unsigned_abs();
                match m {
                    0 => ALL - 2 * tails[0],
                    m if m < last => tails[m - 1] - tails.get(m).copied().unwrap_or(0),
                    _ => 0,
                }
            };
            more(away(0), away(distance as isize))
        };
        let start = -(last as isize);
        let mut sums = vec![0u128];
        for place in start..=last as isize {
            let sum = sums[sums.len() - 1] + inner(place);
            sums.push(sum);
        }
        for a in 0..=last - distance {
            let other = a + distance;
            // Answers 1 ..= last − 1, seen from a.
            let between = match last > 1 {
                true => {
                    let at = |place: isize| sums[(place - start) as usize];
                    at(last as isize - a as isize) - at(1 - a as isize)
                }
                false => 0,
            };
            let ends = more(words(tails, a, 0), words(tails, other, 0))
                + more(words(tails, a, last), words(tails, other, last));
            worst = worst.max(between + ends);
        }
    }
    // The noise is the same in both directions, so pairs the other way round are equal.
    Rational::new(worst, BigUint::from(ALL) << BITS).ok_or_else(String::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition, with fractions.
    fn slow(tails: &[u64], power: &Rational) -> Rational {
        let values = tails.len() + 1;
        let share = |a: usize, b: usize| Rational::new(words(tails, a, b), ALL).unwrap();
        let mut worst = Rational::whole(0);
        for a in 0..values {
            for other in 0..values {
                let more = (0..values).map(|b| share(a, b).less(&power.times(&share(other, b))));
                worst = worst.max(more.fold(Rational::whole(0), |sum, more| sum.plus(&more)));
            }
        }
        worst
    }

    #[test]
    fn rows_sum_to_all_words_and_delta_is_that_of_the_definition() {
        let tails = [ALL / 3, ALL / 5, ALL / 11, ALL / 40, ALL / 90];
        for a in 0..=tails.len() {
            assert_eq!((0..=tails.len()).map(|b| words(&tails, a, b)).sum::<u64>(), ALL);
        }
        for x in ["0", "0.5", "1", "3"] {
            let power = Rational::parse(x).unwrap().power_of_e().unwrap();
            let (fast, slow) = (delta(&tails, &power).unwrap(), slow(&tails, &power));
            assert!(fast >= slow && fast.less(&slow) < Rational::parse("0.00000000001").unwrap(), "{x}");
        }
        assert!(delta(&[ALL / 4], &Rational::whole(1)).unwrap() == Rational::parse("0.5").unwrap());
        assert_eq!(ratio(&[ALL / 4]), Rational::new(3u8, 1u8));
        assert_eq!(ratio(&[]), Rational::new(1u8, 1u8));
        assert_eq!(ratio(&[ALL / 4, 0]), None);
    }
}

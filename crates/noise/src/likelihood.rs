//! How much an answer tells: the exact likelihood ratio of a randomised response, its ε and its δ.

use std::collections::BTreeMap;
use std::fmt;

use crate::exact::Ratio;

/// How much more likely one true value can make an answer than another: `max M[a][b] / M[a'][b]` over all `a`, `a'`, `b`.
///
/// The response is ε-locally differentially private with `ε = ln` of it, and with no smaller ε.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikelihoodRatio {
    /// The exact ratio, at least 1.
    Finite(Ratio),
    /// Some answer is possible for one value and impossible for another: seeing it rules values out.
    Infinite,
}

impl LikelihoodRatio {
    /// ε = ln of the ratio, rounded up; infinite where the ratio is.
    pub fn epsilon(&self) -> f64 {
        match self {
            LikelihoodRatio::Finite(ratio) if *ratio == Ratio::one() => 0.0,
            // The double of the ratio and its logarithm are each within an ulp or two.
            LikelihoodRatio::Finite(ratio) => ratio.to_f64().next_up().ln().next_up().next_up(),
            LikelihoodRatio::Infinite => f64::INFINITY,
        }
    }

    /// ε as an account counts it: rounded up to a millionth. `None` where no number bounds it.
    pub fn charge(&self) -> Option<Ratio> {
        const PARTS: u64 = 1_000_000;
        let epsilon = self.epsilon();
        if !epsilon.is_finite() {
            return None;
        }
        // ln of a double is below 710, so the product is far from the end of i64; the product itself may be an ulp too small.
        Ratio::new((epsilon * PARTS as f64).next_up().ceil() as i64, PARTS)
            .filter(|_| epsilon > 0.0)
            .or(Some(Ratio::zero()))
    }
}

impl fmt::Display for LikelihoodRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LikelihoodRatio::Finite(ratio) => write!(f, "ln {ratio} = {:.6}", self.epsilon()),
            LikelihoodRatio::Infinite => write!(f, "∞"),
        }
    }
}

/// `max M[a][b] / M[a'][b]`, column by column, over rows of one or several matrices.
pub(crate) fn ratio_of(rows: &[Vec<(u32, Ratio)>]) -> LikelihoodRatio {
    // Per answer: how many rows can give it, and the least and greatest probability among them.
    let mut columns: BTreeMap<u32, (usize, &Ratio, &Ratio)> = BTreeMap::new();
    for (to, weight) in rows.iter().flatten() {
        let (givers, least, most) = columns.entry(*to).or_insert((0, weight, weight));
        *givers += 1;
        *least = (*least).min(weight);
        *most = (*most).max(weight);
    }
    let mut worst = Ratio::one();
    for (givers, least, most) in columns.values() {
        if *givers < rows.len() {
            return LikelihoodRatio::Infinite;
        }
        worst = worst.max(*most / *least);
    }
    LikelihoodRatio::Finite(worst)
}

/// `max Σ_b max(0, M[a][b] − power·M[a'][b])` over all pairs of rows.
pub(crate) fn delta_of(rows: &[Vec<(u32, Ratio)>], power: &Ratio) -> Ratio {
    let mut worst = Ratio::zero();
    for row in rows {
        for other in rows {
            let other: BTreeMap<u32, &Ratio> = other.iter().map(|(to, weight)| (*to, weight)).collect();
            let more = row.iter().map(|(to, weight)| match other.get(to) {
                Some(less) => (weight - &(power * less)).max(Ratio::zero()),
                None => weight.clone(),
            });
            worst = worst.max(more.fold(Ratio::zero(), |sum, more| &sum + &more));
        }
    }
    worst
}

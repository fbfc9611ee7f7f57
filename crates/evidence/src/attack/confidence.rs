//! How sure a rate is that was found by trying.

/// A rate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Successes.
    pub successes: u64,
    /// Tries.
    pub tries: u64,
    /// Successes by tries; 0 without a try.
    pub rate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The normal deviate of a two-sided confidence of 95 %.
const DEVIATE: f64 = 1.959_963_984_540_054;

impl Rate {
    /// The rate with its 95 % Wilson interval:
    /// `(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`; from 0 to 1 without a try.
    /// Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
    #[must_use]
    pub fn of(successes: u64, tries: u64) -> Rate {
        if tries == 0 {
            return Rate { successes, tries, rate: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, z2) = (tries as f64, DEVIATE * DEVIATE);
        let p = successes as f64 / n;
        let middle = p + z2 / (2.0 * n);
        let spread = DEVIATE * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z2 / n;
        // The ends of a rate of 0 or 1 are exact; the formula misses them by rounding.
        let low = if successes == 0 { 0.0 } else { (middle - spread) / scale };
        let high = if successes == tries { 1.0 } else { (middle + spread) / scale };
        Rate { successes, tries, rate: p, low, high }
    }

    /// `37.5 % (23.1–54.0 %)`
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:.1} % ({:.1}–{:.1} %)", self.rate * 100.0, self.low * 100.0, self.high * 100.0)
    }
}

/// What an attack gains over a control, of what the control leaves to gain: `(attack − control) / (1 − control)`.
///
/// At most 1, 0 if the attack does no better than the control. Giomi et al., PoPETs 2023(2), equation 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// The attack on people in the table.
    pub attack: Rate,
    /// The same attack on people outside it, or what a blind guess reaches.
    pub control: Rate,
    /// The excess itself.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Excess {
    /// The excess; the interval follows from the rates' intervals by error propagation.
    #[must_use]
    pub fn of(attack: Rate, control: Rate) -> Excess {
        let left = (1.0 - control.rate).max(1e-12);
        let value = ((attack.rate - control.rate) / left).clamp(-1.0, 1.0);
        // ∂v/∂a = 1/(1−c), ∂v/∂c = (a−1)/(1−c)²
        let down = ((attack.rate - attack.low) / left)
            .hypot((1.0 - attack.rate) * (control.high - control.rate) / (left * left));
        let up = ((attack.high - attack.rate) / left)
            .hypot((1.0 - attack.rate) * (control.rate - control.low) / (left * left));
        Excess { attack, control, value, low: (value - down).max(-1.0), high: (value + up).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wilson_intervals_of_the_literature() {
        // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 1998, table I.
        for (successes, tries, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let rate = Rate::of(successes, tries);
            assert!((rate.low - low).abs() < 5e-5 && (rate.high - high).abs() < 5e-5, "{rate:?}");
        }
    }

    #[test]
    fn an_attack_that_equals_its_control_gains_nothing() {
        let rate = Rate::of(30, 100);
        let excess = Excess::of(rate, rate);
        assert_eq!(excess.value, 0.0);
        assert!(excess.low < 0.0 && excess.high > 0.0);
        assert_eq!(Excess::of(Rate::of(100, 100), Rate::of(0, 100)).value, 1.0);
    }

    proptest! {
        /// The interval is where `(p − θ)² = z²·θ(1−θ)/n` has its two solutions.
        #[test]
        fn the_ends_solve_the_score_equation(tries in 1u64..500, part in 0.0f64..=1.0) {
            let successes = (part * tries as f64) as u64;
            let rate = Rate::of(successes, tries);
            for end in [rate.low, rate.high] {
                let left = (rate.rate - end).powi(2);
                let right = DEVIATE * DEVIATE * end * (1.0 - end) / tries as f64;
                prop_assert!((left - right).abs() < 1e-9, "{} {}", left, right);
            }
        }
    }
}

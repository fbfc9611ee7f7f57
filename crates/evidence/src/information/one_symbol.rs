//! k-anonymity, ℓ-diversity and t-closeness on one scale: the information that one released class gives.
//!
//! Bezzi, "An information theoretic approach for privacy metrics", Transactions on Data Privacy 3(3), 2010. `X` is who somebody is
//! (`N` people, all equally likely), `W` the sensitive value, `x̃` the class.

use super::entropy::bits;
use crate::risk::disclosure::ClassValues;
use serde::Serialize;

/// What one class tells, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClassInformation {
    /// Rows of the class.
    pub rows: u64,
    /// `H(X|x̃) = log₂ N_x̃`: what is left to know about who it is; at least log₂ k.
    pub identity_left: f64,
    /// `I₂(X,x̃) = log₂ N − H(X|x̃)`: what the class tells about who it is; at most log₂(N/k).
    pub identity_told: f64,
    /// `H(W|x̃)`: what is left to know about the value; at least log₂ ℓ.
    pub value_left: f64,
    /// `I₂(W,x̃) = H(W) − H(W|x̃)`; negative where the class is more diverse than the table.
    pub value_told: f64,
    /// `I₁(W,x̃) = Σ p(w|x̃) log₂ (p(w|x̃)/p(w))`: surprise, never negative; at most t.
    pub surprise: f64,
    /// `I₃(W,x̃) = Σ_w p(w|x̃) (H(X̃) − H(X̃|w))`: what the values of the class tell about the class, on the average.
    pub i3: f64,
    /// `I₄(W,x̃) = Σ_w p(w|x̃) Σ_x̃' p(x̃'|w) log₂ (p(x̃'|w)/p(x̃'))`: the same with the surprise; never negative.
    pub i4: f64,
    /// `ℓ = 2^H(W|x̃)`, from 1 to the number of values.
    pub l: f64,
}

/// What a table tells on the average, with its bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableInformation {
    /// People, `N`.
    pub people: u64,
    /// Rows of the smallest class, k.
    pub k: u64,
    /// `I(X;X̃)`: mean of what classes tell about who it is.
    pub identity_told: f64,
    /// `log₂(N/k)`, which it cannot exceed.
    pub identity_bound: f64,
    /// `H(W)` of the whole table.
    pub value_entropy: f64,
    /// `I(W;X̃)`: mean of what classes tell about the value; also the mean surprise.
    pub value_told: f64,
    /// Least ℓ of a class.
    pub l: f64,
    /// `ℓ_max = 2^H(W)`: no table with these values has a larger ℓ in all classes.
    pub l_max: f64,
    /// Largest surprise of a class: t, in bits. Not the threshold of an earth mover's distance.
    pub t: f64,
    /// `ℓ_t = 2^(H(W)−t)`, what t says about ℓ *on the average*; a single class may have less. Below 1: nothing.
    pub l_t: f64,
    /// The classes, in the order of their codes.
    #[serde(skip)]
    pub classes: Vec<ClassInformation>,
}

/// Measures a table by the values in its classes.
#[must_use]
pub fn information(values: &ClassValues) -> TableInformation {
    let totals = values.totals();
    let people: u64 = totals.iter().sum();
    let n = people.max(1) as f64;
    let overall: Vec<f64> = totals.iter().map(|&rows| rows as f64 / n).collect();
    let value_entropy = bits(&overall);
    let told_by = told_by_values(values, &totals, n);
    let class = |entries: &[(u32, u32, u64)]| {
        let mean_of = |figures: &[f64]| -> f64 {
            let rows: u64 = entries.iter().map(|&(_, _, rows)| rows).sum();
            entries.iter().map(|&(_, value, of)| of as f64 / rows as f64 * figures[value as usize]).sum()
        };
        let rows: u64 = entries.iter().map(|&(_, _, rows)| rows).sum();
        let shares: Vec<f64> =
            entries.iter().map(|&(_, _, of_value)| of_value as f64 / rows as f64).collect();
        let surprise =
            entries.iter().zip(&shares).map(|(&(_, value, _), p)| p * (p / overall[value as usize]).log2());
        let (identity_left, value_left) = ((rows as f64).log2(), bits(&shares));
        ClassInformation {
            rows,
            identity_left,
            identity_told: n.log2() - identity_left,
            value_left,
            value_told: value_entropy - value_left,
            surprise: surprise.sum::<f64>().max(0.0),
            i3: mean_of(&told_by.0),
            i4: mean_of(&told_by.1),
            l: value_left.exp2(),
        }
    };
    let classes: Vec<ClassInformation> = values.classes().map(class).collect();
    let mean = |figure: fn(&ClassInformation) -> f64| {
        classes.iter().map(|class| class.rows as f64 / n * figure(class)).sum::<f64>()
    };
    let k = classes.iter().map(|class| class.rows).min().unwrap_or(0);
    let t = classes.iter().map(|class| class.surprise).fold(0.0, f64::max);
    TableInformation {
        people,
        k,
        identity_told: mean(|class| class.identity_told),
        identity_bound: (n / k.max(1) as f64).log2(),
        value_entropy,
        value_told: mean(|class| class.value_told),
        l: classes.iter().map(|class| class.l).reduce(f64::min).unwrap_or(1.0),
        l_max: value_entropy.exp2(),
        t,
        l_t: l_of_t(value_entropy, t),
        classes,
    }
}

/// By value w: `H(X̃) − H(X̃|w)` and `Σ p(x̃|w) log₂ (p(x̃|w)/p(x̃))`, what the value tells about the class.
fn told_by_values(values: &ClassValues, totals: &[u64], people: f64) -> (Vec<f64>, Vec<f64>) {
    let sizes: Vec<f64> = values
        .classes()
        .map(|entries| entries.iter().map(|&(_, _, rows)| rows).sum::<u64>() as f64 / people)
        .collect();
    let all = bits(&sizes);
    let (mut specific, mut surprise) = (vec![all; totals.len()], vec![0.0; totals.len()]);
    for (size, entries) in sizes.iter().zip(values.classes()) {
        for &(_, value, rows) in entries {
            let p = rows as f64 / totals[value as usize] as f64;
            specific[value as usize] += p * p.log2();
            surprise[value as usize] += p * (p / size).log2();
        }
    }
    (specific, surprise)
}

/// `ℓ_t = 2^(H(W)−t)`
#[must_use]
pub fn l_of_t(value_entropy: f64, t: f64) -> f64 {
    (value_entropy - t).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Twelve people by height, in classes of 10 cm, and who of them has it.
    fn heights() -> ClassValues {
        let people = [
            (166, 0),
            (163, 0),
            (161, 0),
            (167, 0),
            (175, 0),
            (170, 1),
            (170, 0),
            (171, 0),
            (181, 0),
            (183, 0),
            (195, 1),
            (191, 1),
        ];
        ClassValues::counted(people.map(|(height, has)| (height / 10 - 16, has, 1)), 2)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn the_example_class_by_class() {
        let found = information(&heights());
        let expected = [
            (4, 2.0, 1.584_963, 0.0, 0.811_278, 0.415_037, 1.0),
            (4, 2.0, 1.584_963, 0.811_278, 0.0, 0.0, 1.754_765),
            (2, 1.0, 2.584_963, 0.0, 0.811_278, 0.415_037, 1.0),
            (2, 1.0, 2.584_963, 0.0, 0.811_278, 2.0, 1.0),
        ];
        assert_eq!(found.classes.len(), 4);
        for (class, (rows, left, told, value_left, value_told, surprise, l)) in
            found.classes.iter().zip(expected)
        {
            assert_eq!(class.rows, rows);
            assert!(near(class.identity_left, left) && near(class.identity_told, told));
            assert!(near(class.value_left, value_left) && near(class.value_told, value_told));
            assert!(near(class.surprise, surprise) && near(class.l, l));
        }
    }

    #[test]
    fn the_example_as_a_whole() {
        let found = information(&heights());
        assert_eq!((found.people, found.k), (12, 2));
        assert!(near(found.identity_bound, 2.584_963) && near(found.identity_told, 1.918_296));
        assert!(
            near(found.value_entropy, 0.811_278)
                && near(found.l_max, 1.754_765)
                && near(found.value_told, 0.540_852)
        );
        let surprise: f64 = found.classes.iter().map(|class| class.rows as f64 / 12.0 * class.surprise).sum();
        assert!(near(surprise, 0.540_852), "the mean surprise is the mutual information too");
        for (t, l) in [(0.2, 1.527_612), (0.415_037, 1.316_074), (0.811_278, 1.0)] {
            assert!(near(l_of_t(found.value_entropy, t), l), "{t}");
        }
        assert!(
            found.classes[0].l < l_of_t(found.value_entropy, found.classes[0].surprise),
            "ℓ_t bounds no single class"
        );
    }

    #[test]
    fn all_four_definitions_have_the_same_mean() {
        let found = information(&heights());
        let mean = |figure: fn(&ClassInformation) -> f64| -> f64 {
            found.classes.iter().map(|class| class.rows as f64 / 12.0 * figure(class)).sum()
        };
        let means = [
            mean(|class| class.surprise),
            mean(|class| class.value_told),
            mean(|class| class.i3),
            mean(|class| class.i4),
        ];
        for figure in means {
            assert!((figure - 0.540_852).abs() < 1e-6, "{means:?}");
        }
        assert!(found.classes.iter().all(|class| class.i4 >= 0.0));
        // The first class shows one value only, so its figure is that of the value.
        assert!((found.classes[0].i3 - found.classes[2].i3).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn both_means_are_the_mutual_information(rows in prop::collection::vec((0u32..5, 0u32..4), 1..60)) {
            let found = information(&ClassValues::counted(rows.iter().map(|&(class, value)| (class, value, 1)), 4));
            let n = rows.len() as f64;
            let count = |keep: &dyn Fn(&(u32, u32)) -> bool| rows.iter().filter(|row| keep(row)).count() as f64 / n;
            let mut mutual = 0.0;
            for class in 0..5 {
                for value in 0..4 {
                    let joint = count(&|row| *row == (class, value));
                    if joint > 0.0 {
                        mutual += joint * (joint / (count(&|row| row.0 == class) * count(&|row| row.1 == value))).log2();
                    }
                }
            }
            let surprise: f64 = found.classes.iter().map(|class| class.rows as f64 / n * class.surprise).sum();
            prop_assert!((found.value_told - mutual).abs() < 1e-9 && (surprise - mutual).abs() < 1e-9);
            prop_assert!(found.identity_told <= found.identity_bound + 1e-9);
            prop_assert!(found.classes.iter().all(|class| class.surprise <= found.t && class.l >= found.l));
        }
    }
}

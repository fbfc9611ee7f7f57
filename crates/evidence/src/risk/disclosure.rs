//! What a class tells about a sensitive value, without anybody being singled out.

use super::DistinctRows;
use schemars::JsonSchema;
use serde::Serialize;

/// The sensitive values of every class: in the order of the classes, pairs of a value and its rows.
#[derive(Debug, Clone)]
pub struct ClassValues {
    /// Ascending by class, then value; every pair once.
    entries: Vec<(u32, u32, u64)>,
    values: usize,
}

impl ClassValues {
    /// Counts the values of one column (`codes` below `values`, one for each row that `classes` was made of).
    #[must_use]
    pub fn of(classes: &DistinctRows, codes: &[u32], values: usize) -> ClassValues {
        let rows = classes.class_of().iter().zip(codes);
        ClassValues::counted(rows.map(|(&class, &code)| (class, code, 1)), values)
    }

    /// The same, where each row may say whose it is: a person shows a value in a class once.
    #[must_use]
    pub fn of_people(
        classes: &DistinctRows,
        codes: &[u32],
        values: usize,
        people: Option<&[u32]>,
    ) -> ClassValues {
        let Some(people) = people else { return ClassValues::of(classes, codes, values) };
        let rows = classes.class_of().iter().zip(codes).zip(people);
        let mut shown: Vec<(u32, u32, u32)> =
            rows.map(|((&class, &code), &person)| (class, code, person)).collect();
        shown.sort_unstable();
        shown.dedup();
        ClassValues::counted(shown.into_iter().map(|(class, code, _)| (class, code, 1)), values)
    }

    /// From counts of (class, value); classes of no row (`u32::MAX`) are left out.
    #[must_use]
    pub fn counted(counts: impl IntoIterator<Item = (u32, u32, u64)>, values: usize) -> ClassValues {
        let mut entries: Vec<(u32, u32, u64)> =
            counts.into_iter().filter(|&(class, _, rows)| class != u32::MAX && rows > 0).collect();
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        ClassValues { entries, values }
    }

    /// The classes one by one: their values with rows.
    pub fn classes(&self) -> impl Iterator<Item = &[(u32, u32, u64)]> {
        self.entries.chunk_by(|a, b| a.0 == b.0)
    }

    /// Rows by value over all classes.
    #[must_use]
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0; self.values];
        for &(_, value, rows) in &self.entries {
            totals[value as usize] += rows;
        }
        totals
    }
}

/// How far one sensitive column gives itself away.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AttributeDisclosure {
    /// Different values in the least diverse class: distinct ℓ.
    pub distinct_l: u64,
    /// Least effective number of values of a class, `exp(H)`: entropy ℓ, from 1 to the number of values.
    pub entropy_l: f64,
    /// Its mean over the rows.
    pub mean_entropy_l: f64,
    /// Largest share of one value in a class: how sure an attacker can be of it.
    pub highest_confidence: f64,
    /// Its mean over the rows.
    pub mean_confidence: f64,
    /// The same for an attacker who knows the whole column only.
    pub confidence_without_classes: f64,
    /// Classes with a single value.
    pub homogeneous_classes: u64,
    /// Rows in them.
    pub homogeneous_rows: u64,
    /// Largest distance of a class from the whole column, `½ Σ |p−q|`: t of t-closeness with the equal distance.
    pub t_equal: f64,
    /// Its mean over the rows.
    pub mean_t_equal: f64,
    /// The same with the ordered distance, `1/(m−1) Σ |Σ_{j≤i} (p_j−q_j)|`; `None` without an order.
    pub t_ordered: Option<f64>,
    /// Largest `p(E,v)/q(v)`: how many times as frequent a value is in a class as in the whole column; at least 1.
    pub highest_factor: f64,
}

/// Figures of one column. `reference` has the rows of each value in the table that classes are compared with (that of the release
/// itself, or the original); `order` has the place of each value on a line; `missing` is the code of an empty cell, which is no value to
/// be diverse in. To the distances it is one of its own, as it is to t-closeness.
#[must_use]
pub fn disclosure(
    values: &ClassValues,
    reference: &[u64],
    order: Option<&[u32]>,
    missing: Option<u32>,
) -> AttributeDisclosure {
    let mut sums = DisclosureSums::new(reference, order).without(missing);
    values.classes().for_each(|class| sums.add(class));
    sums.finish()
}

/// The figures of one column, class by class: for classes that are not all there at once.
pub struct DisclosureSums {
    q: Vec<f64>,
    line: Option<Line>,
    found: AttributeDisclosure,
    total: u64,
    /// Rows with a value.
    valued: u64,
    missing: Option<u32>,
}

impl DisclosureSums {
    /// No class yet. See [`disclosure`].
    #[must_use]
    pub fn new(reference: &[u64], order: Option<&[u32]>) -> DisclosureSums {
        let all: u64 = reference.iter().sum();
        let q: Vec<f64> = reference.iter().map(|&rows| rows as f64 / all.max(1) as f64).collect();
        let line = order.map(|order| Line::new(order, reference, &q));
        let found = AttributeDisclosure {
            distinct_l: u64::MAX,
            entropy_l: f64::INFINITY,
            mean_entropy_l: 0.0,
            highest_confidence: 0.0,
            mean_confidence: 0.0,
            confidence_without_classes: q.iter().copied().fold(0.0, f64::max),
            homogeneous_classes: 0,
            homogeneous_rows: 0,
            t_equal: 0.0,
            mean_t_equal: 0.0,
            t_ordered: line.as_ref().map(|_| 0.0),
            highest_factor: 1.0,
        };
        DisclosureSums { q, line, found, total: 0, valued: 0, missing: None }
    }

    /// The same, with `missing` as the code of an empty cell.
    #[must_use]
    pub fn without(mut self, missing: Option<u32>) -> DisclosureSums {
        self.missing = missing;
        let values = self.q.iter().enumerate().filter(|(value, _)| Some(*value as u32) != missing);
        let (most, all) = values.fold((0.0f64, 0.0), |(most, all), (_, &q)| (most.max(q), all + q));
        self.found.confidence_without_classes = if all > 0.0 { most / all } else { 0.0 };
        self
    }

    /// Adds a class: its values, each once and ascending, with their rows (the first number is not read).
    pub fn add(&mut self, class: &[(u32, u32, u64)]) {
        let DisclosureSums { q, line, found, total, valued: all_valued, missing } = self;
        let rows: u64 = class.iter().map(|&(_, _, rows)| rows).sum();
        let share = |rows_of_value: u64| rows_of_value as f64 / rows as f64;
        let values =
            || class.iter().filter(|&&(_, value, _)| Some(value) != *missing).map(|&(_, _, rows)| rows);
        let valued: u64 = values().sum();
        let among = |rows_of_value: u64| rows_of_value as f64 / valued.max(1) as f64;
        let (distinct, most) = (values().count() as u64, values().max().unwrap_or(0));
        let entropy: f64 = values().map(|rows| -among(rows) * among(rows).ln()).sum();
        let effective = if distinct == 0 { 0.0 } else { entropy.exp().max(1.0) };
        *all_valued += valued;
        // ½ Σ |p−q| = Σ max(p−q, 0), and only values of the class can have p > q.
        let apart: f64 =
            class.iter().map(|&(_, value, rows)| (share(rows) - q[value as usize]).max(0.0)).sum();
        let factors =
            class.iter().filter(|&&(_, value, _)| q[value as usize] > 0.0 && Some(value) != *missing);
        let factor = factors.map(|&(_, value, rows)| share(rows) / q[value as usize]).fold(1.0, f64::max);
        found.highest_factor = found.highest_factor.max(factor);
        *total += rows;
        found.distinct_l = found.distinct_l.min(distinct);
        found.entropy_l = found.entropy_l.min(effective);
        found.highest_confidence = found.highest_confidence.max(among(most));
        found.t_equal = found.t_equal.max(apart);
        found.mean_entropy_l += effective * valued as f64;
        found.mean_confidence += most as f64;
        found.mean_t_equal += apart * rows as f64;
        if distinct == 1 {
            found.homogeneous_classes += 1;
            found.homogeneous_rows += rows;
        }
        if let (Some(line), Some(t)) = (line, &mut found.t_ordered) {
            *t = t.max(line.distance(class, rows));
        }
    }

    /// The figures over all classes.
    #[must_use]
    pub fn finish(self) -> AttributeDisclosure {
        let (mut found, total, valued) = (self.found, self.total, self.valued.max(1));
        if total == 0 {
            return AttributeDisclosure { distinct_l: 0, entropy_l: 0.0, ..found };
        }
        found.mean_entropy_l /= valued as f64;
        found.mean_confidence /= valued as f64;
        found.mean_t_equal /= total as f64;
        found
    }
}

/// The values in their order.
struct Line {
    /// By value: its place among those that occur.
    place: Vec<usize>,
    /// By place: `Σ_{j≤i} q_j`.
    cumulative: Vec<f64>,
    /// By place: `Σ_{i'<i} Σ_{j≤i'} q_j`, so that a stretch without values of the class costs nothing to walk.
    area: Vec<f64>,
}

impl Line {
    fn new(order: &[u32], reference: &[u64], q: &[f64]) -> Line {
        let mut values: Vec<usize> = (0..reference.len()).filter(|&value| reference[value] > 0).collect();
        values.sort_unstable_by_key(|&value| (order[value], value));
        let mut place = vec![0; reference.len()];
        let (mut cumulative, mut area) = (Vec::new(), vec![0.0]);
        let (mut sum, mut under) = (0.0, 0.0);
        for (at, &value) in values.iter().enumerate() {
            place[value] = at;
            sum += q[value];
            under += sum;
            cumulative.push(sum);
            area.push(under);
        }
        Line { place, cumulative, area }
    }

    /// `1/(m−1) Σ_i |P_i − Q_i|` over the cumulative shares: between two values of the class `P` is constant and `Q` grows, so the
    /// terms change their sign at most once.
    fn distance(&self, class: &[(u32, u32, u64)], rows: u64) -> f64 {
        let places = self.cumulative.len();
        if places < 2 {
            return 0.0;
        }
        let mut steps: Vec<(usize, u64)> =
            class.iter().map(|&(_, value, rows)| (self.place[value as usize], rows)).collect();
        steps.sort_unstable();
        let (mut sum, mut at, mut before) = (0.0, 0, 0u64);
        for &(place, more) in steps.iter().chain([&(places, 0)]) {
            let p = before as f64 / rows as f64;
            let turn = at + self.cumulative[at..place].partition_point(|&q| q < p);
            sum += p * (turn - at) as f64 - (self.area[turn] - self.area[at]);
            sum += (self.area[place] - self.area[turn]) - p * (place - turn) as f64;
            (at, before) = (place, before + more);
        }
        sum / (places - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one_class(counts: &[u64], reference: &[u64]) -> AttributeDisclosure {
        let entries = counts.iter().enumerate().map(|(value, &rows)| (0, value as u32, rows));
        let order: Vec<u32> = (0..counts.len() as u32).collect();
        disclosure(&ClassValues::counted(entries, counts.len()), reference, Some(&order), None)
    }

    #[test]
    fn an_empty_cell_is_nothing_to_be_diverse_in() {
        // Value 0 is the missing one: one class of two empty cells and two flu, one of an empty cell, flu and hiv.
        let values = ClassValues::counted([(0, 0, 2), (0, 1, 2), (1, 0, 1), (1, 1, 1), (1, 2, 1)], 3);
        let found = disclosure(&values, &values.totals(), None, Some(0));
        assert_eq!((found.distinct_l, found.homogeneous_classes, found.homogeneous_rows), (1, 1, 4));
        assert_eq!((found.highest_confidence, found.entropy_l), (1.0, 1.0));
        assert!((found.mean_confidence - 0.75).abs() < 1e-12, "three of four with a value are guessed");
        assert!((found.confidence_without_classes - 0.75).abs() < 1e-12);
        assert_eq!(disclosure(&values, &values.totals(), None, None).distinct_l, 2);
    }

    #[test]
    fn distances_of_the_literature() {
        // Li et al. 2007: salaries 3k to 11k, classes {3k,4k,5k} and {6k,8k,11k}.
        let near = one_class(&[1, 1, 1, 0, 0, 0, 0, 0, 0], &[1; 9]);
        assert!(
            (near.t_ordered.unwrap() - 3.0 / 8.0).abs() < 1e-12 && (near.t_equal - 2.0 / 3.0).abs() < 1e-12
        );
        let spread = one_class(&[0, 0, 0, 1, 0, 1, 0, 0, 1], &[1; 9]);
        assert!((spread.t_ordered.unwrap() - 1.0 / 6.0).abs() < 1e-12);
        for (counts, ordered) in [([1, 1, 0, 0], 1.0 / 3.0), ([1, 0, 1, 0], 1.0 / 6.0), ([1, 0, 0, 0], 0.5)] {
            assert!((one_class(&counts, &[1; 4]).t_ordered.unwrap() - ordered).abs() < 1e-12);
        }
    }

    #[test]
    fn the_factor_compares_a_class_with_the_whole() {
        // 1 % of 100 rows, half of a class of two.
        assert!((one_class(&[1, 1], &[1, 99]).highest_factor - 50.0).abs() < 1e-12);
        assert_eq!(one_class(&[1, 99], &[1, 99]).highest_factor, 1.0);
        assert_eq!(
            one_class(&[1, 0], &[0, 5]).highest_factor,
            1.0,
            "a value without a reference has no factor"
        );
    }

    #[test]
    fn effective_numbers_of_the_literature() {
        assert!((one_class(&[3, 1], &[3, 1]).entropy_l - 1.754_765).abs() < 1e-6);
        assert!((one_class(&[1, 1, 2], &[1, 1, 2]).entropy_l - 2.828_427).abs() < 1e-6);
        let homogeneous = one_class(&[2, 0], &[5, 3]);
        assert_eq!(
            (homogeneous.entropy_l, homogeneous.distinct_l, homogeneous.homogeneous_rows),
            (1.0, 1, 2)
        );
        assert_eq!((homogeneous.highest_confidence, homogeneous.confidence_without_classes), (1.0, 0.625));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn figures_agree_with_the_definitions(
            rows in prop::collection::vec((0u32..4, 0u32..6), 1..60),
            others in prop::collection::vec(0u64..3, 6),
            mix in prop::collection::vec(0u32..100, 6),
        ) {
            let (quasi, codes): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
            let classes = DistinctRows::weighted(&[(&quasi, 4)], &vec![1; rows.len()]);
            let values = ClassValues::of(&classes, &codes, 6);
            let reference: Vec<u64> = values.totals().iter().zip(&others).map(|(a, b)| a + b).collect();
            let found = disclosure(&values, &reference, Some(&mix), None);

            let n: u64 = reference.iter().sum();
            let q: Vec<f64> = reference.iter().map(|&rows| rows as f64 / n as f64).collect();
            let mut line: Vec<usize> = (0..6).filter(|&value| reference[value] > 0).collect();
            line.sort_by_key(|&value| (mix[value], value));
            let (mut l, mut effective, mut sure, mut equal, mut ordered) = (u64::MAX, f64::MAX, 0.0f64, 0.0f64, 0.0f64);
            let (mut mean_sure, mut mean_effective, mut mean_equal) = (0.0, 0.0, 0.0);
            let (mut homogeneous, mut homogeneous_classes) = (0, 0);
            for class in 0..4 {
                let members: Vec<u32> = rows.iter().filter(|row| row.0 == class).map(|row| row.1).collect();
                if members.is_empty() {
                    continue;
                }
                let p: Vec<f64> = (0..6)
                    .map(|value| members.iter().filter(|&&m| m == value).count() as f64 / members.len() as f64)
                    .collect();
                l = l.min(p.iter().filter(|&&p| p > 0.0).count() as u64);
                let entropy: f64 = p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
                effective = effective.min(entropy.exp());
                let weight = members.len() as f64 / rows.len() as f64;
                mean_effective += weight * entropy.exp();
                let most = p.iter().copied().fold(0.0, f64::max);
                sure = sure.max(most);
                mean_sure += most * weight;
                homogeneous += if most == 1.0 { members.len() as u64 } else { 0 };
                homogeneous_classes += u64::from(most == 1.0);
                let apart = p.iter().zip(&q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0;
                equal = equal.max(apart);
                mean_equal += weight * apart;
                let (mut gap, mut sum) = (0.0, 0.0);
                for &value in &line {
                    gap += p[value] - q[value];
                    sum += f64::abs(gap);
                }
                ordered = ordered.max(if line.len() < 2 { 0.0 } else { sum / (line.len() - 1) as f64 });
            }
            prop_assert_eq!((found.distinct_l, found.homogeneous_rows), (l, homogeneous));
            prop_assert_eq!(found.homogeneous_classes, homogeneous_classes);
            let pairs = [
                (found.entropy_l, effective),
                (found.highest_confidence, sure),
                (found.mean_confidence, mean_sure),
                (found.mean_entropy_l, mean_effective),
                (found.mean_t_equal, mean_equal),
                (found.confidence_without_classes, q.iter().copied().fold(0.0, f64::max)),
                (found.t_equal, equal),
                (found.t_ordered.unwrap(), ordered),
            ];
            for (fast, naive) in pairs {
                prop_assert!((fast - naive).abs() < 1e-9, "{} and {}", fast, naive);
            }
        }
    }
}

//! What was promised, as limits to what an attack may reach.

/// The limits that the promised models imply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Promises {
    /// No class is smaller.
    pub k: Option<u64>,
    /// What is promised for sensitive columns.
    pub columns: Vec<ColumnPromise>,
    /// Smallest and largest share of the population that is in the table, per class.
    pub presence: Option<(f64, f64)>,
}

/// The limits for one sensitive column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnPromise {
    /// Its name.
    pub column: String,
    /// Every class shows at least this number of different values.
    pub distinct: Option<u64>,
    /// No value has a larger share in a class.
    pub confidence: Option<f64>,
    /// No class is farther from the table, in total variation.
    pub variation: Option<f64>,
    /// Values that must occur in every class, and their least share there.
    pub protected: Option<(Vec<String>, f64)>,
    /// What an empty cell is.
    pub missing: super::classes::Missing,
}

impl Promises {
    /// What is promised for a column.
    #[must_use]
    pub fn of_column(&self, name: &str) -> ColumnPromise {
        let known = self.columns.iter().find(|promise| promise.column == name);
        known
            .cloned()
            .unwrap_or_else(|| ColumnPromise { column: name.to_owned(), ..ColumnPromise::default() })
    }

    /// The entry of a column, made if need be.
    pub fn column(&mut self, name: &str) -> &mut ColumnPromise {
        let place = self.columns.iter().position(|promise| promise.column == name).unwrap_or_else(|| {
            self.columns.push(ColumnPromise { column: name.to_owned(), ..ColumnPromise::default() });
            self.columns.len() - 1
        });
        &mut self.columns[place]
    }

    /// The promised class size, where it asks for anything: every table keeps k = 1.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.k.filter(|&k| k > 1)
    }

    /// The class size to look for: the promised one, else 2.
    #[must_use]
    pub fn size_or_two(&self) -> u64 {
        self.size().unwrap_or(2)
    }

    /// A promised k as a bound; what k = 1 means is said.
    #[must_use]
    pub fn size_bound(&self, from: impl FnOnce(u64) -> String) -> Option<super::Bound> {
        let from = |k| if k > 1 { from(k) } else { "k = 1, which every table keeps".to_owned() };
        self.k.map(|k| super::Bound { value: k as f64, from: from(k) })
    }
}

/// The largest share of a value in a recursive (c,ℓ)-diverse class with ℓ ≥ 2: `r₁ < c·(n − r₁)` gives `p < c / (1 + c)`.
#[must_use]
pub fn confidence_of_recursive(c: f64) -> f64 {
    c / (1.0 + c)
}

/// The largest share of a value in an entropy-ℓ-diverse class of a column with `values` values.
///
/// With share p, the entropy is at most `h(p) + (1 − p)·ln(values − 1)`, which falls in p from `1/values` on; the solution of
/// `= ln ℓ` is found by bisection.
#[must_use]
pub fn confidence_of_entropy(l: f64, values: usize) -> f64 {
    if values < 2 || l <= 1.0 {
        return 1.0;
    }
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    let most = |p: f64| term(p) + term(1.0 - p) + (1.0 - p) * ((values - 1) as f64).ln();
    let (mut low, mut high) = (1.0 / values as f64, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if most(middle) >= l.ln() { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_bounds_the_most_frequent_value() {
        assert!((confidence_of_entropy(2.0, 2) - 0.5).abs() < 1e-6);
        // Counts (3, 1) have exp(H) = 1.754765.
        assert!((confidence_of_entropy(1.754_765, 2) - 0.75).abs() < 1e-5);
        assert_eq!(confidence_of_entropy(1.0, 5), 1.0);
        assert!((confidence_of_recursive(3.0) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn columns_are_made_on_demand() {
        let mut promises = Promises::default();
        promises.column("diagnosis").distinct = Some(3);
        assert_eq!(promises.of_column("diagnosis").distinct, Some(3));
        assert_eq!(promises.of_column("other").distinct, None);
    }
}

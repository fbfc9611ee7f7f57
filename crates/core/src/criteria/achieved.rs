//! How well a release does on a criterion, gathered class by class.

/// Named figures such as `k = 5` or `t = 0.1875`: the value of the worst class.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Achieved {
    figures: Vec<(&'static str, f64)>,
}

impl Achieved {
    /// Keeps the smaller of the figure so far and this one.
    pub fn at_least(&mut self, name: &'static str, value: f64) {
        self.merge(name, value, f64::min);
    }

    /// Keeps the larger of the figure so far and this one.
    pub fn at_most(&mut self, name: &'static str, value: f64) {
        self.merge(name, value, f64::max);
    }

    fn merge(&mut self, name: &'static str, value: f64, keep: fn(f64, f64) -> f64) {
        match self.figures.iter_mut().find(|(known, _)| *known == name) {
            Some((_, figure)) => *figure = keep(*figure, value),
            None => self.figures.push((name, value)),
        }
    }

    /// The figures in the order in which they first came up; empty when no class was released.
    pub fn figures(&self) -> &[(&'static str, f64)] {
        &self.figures
    }

    /// One figure by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }
}

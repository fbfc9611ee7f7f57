//! Numbers on declared bounds and a declared step.

use paravent_noise::Ratio;
use paravent_noise::additive::MOST_VALUES;

/// The values `min, min + step, …, max`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    min: Ratio,
    step: Ratio,
    pub(super) values: u32,
}

/// A decimal, which may be negative.
pub(super) fn number(text: &str) -> Option<Ratio> {
    let text = text.trim();
    match text.strip_prefix('-') {
        Some(rest) => Ratio::parse(rest).ok().map(|number| &Ratio::zero() - &number),
        None => Ratio::parse(text).ok(),
    }
}

impl Grid {
    /// The bounds must lie a whole number of steps apart.
    pub(super) fn new(min: &str, max: &str, step: &str) -> Result<Grid, String> {
        let read =
            |name: &str, text: &str| number(text).ok_or_else(|| format!("{name}: {text:?} is no number"));
        let (min, max, step) = (read("min", min)?, read("max", max)?, read("step", step)?);
        if step.is_negative() || step.is_zero() {
            return Err("step must be above 0".to_owned());
        }
        if max < min {
            return Err("max must not be below min".to_owned());
        }
        let steps = &(&max - &min) / &step;
        let whole = steps.floor().filter(|whole| Ratio::new(*whole, 1).is_some_and(|whole| whole == steps));
        let Some(whole) = whole else {
            return Err("the distance from min to max must be a whole number of steps".to_owned());
        };
        match u32::try_from(whole).ok().filter(|steps| *steps < MOST_VALUES) {
            Some(steps) => Ok(Grid { min, step, values: steps + 1 }),
            None => {
                Err(format!("min, max and step give more than {MOST_VALUES} values: choose a larger step"))
            }
        }
    }

    /// The text of every value.
    pub(super) fn texts(&self) -> Vec<Option<String>> {
        (0..self.values).map(|code| Some(self.at(code).to_string())).collect()
    }

    fn at(&self, code: u32) -> Ratio {
        &self.min + &(&Ratio::whole(u128::from(code)) * &self.step)
    }

    /// Bounds and step as they are written.
    pub(super) fn described(&self) -> (String, String, String) {
        (self.min.to_string(), self.at(self.values - 1).to_string(), self.step.to_string())
    }

    /// The code of the nearest value, halves up: `Ok`. Beyond the bounds: `Err` with the code of the bound. `None` for what is no number.
    pub(super) fn code(&self, cell: &str) -> Option<Result<u32, u32>> {
        let number = number(cell)?;
        let two = Ratio::whole(2);
        let nearest = &(&(&two * &(&number - &self.min)) + &self.step) / &(&two * &self.step);
        let last = self.values - 1;
        if number < self.min {
            return Some(Err(0));
        }
        if number > self.at(last) {
            return Some(Err(last));
        }
        Some(Ok(nearest
            .floor()
            .and_then(|code| u32::try_from(code).ok())
            .map_or(last, |code| code.min(last))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_value_is_taken_and_bounds_are_told() {
        let grid = Grid::new("-1", "2", "0.5").unwrap();
        assert_eq!(grid.values, 7);
        let some = |texts: [&str; 7]| texts.map(|text| Some(text.to_owned())).to_vec();
        assert_eq!(grid.texts(), some(["-1", "-0.5", "0", "0.5", "1", "1.5", "2"]));
        assert_eq!(grid.code("-1"), Some(Ok(0)));
        assert_eq!(grid.code("-0.75"), Some(Ok(1)), "halves go up");
        assert_eq!(grid.code("-0.751"), Some(Ok(0)));
        assert_eq!(grid.code("1.99"), Some(Ok(6)));
        assert_eq!(grid.code("2.01"), Some(Err(6)));
        assert_eq!(grid.code("-7"), Some(Err(0)));
        assert_eq!(grid.code("flu"), None);
        assert_eq!(grid.code(""), None);
    }

    #[test]
    fn bounds_that_do_not_fit_are_refused() {
        assert!(Grid::new("0", "10", "3").unwrap_err().contains("whole number of steps"));
        assert!(Grid::new("0", "10", "0").unwrap_err().contains("above 0"));
        assert!(Grid::new("10", "0", "1").unwrap_err().contains("below min"));
        assert!(Grid::new("0", "1000000", "1").unwrap_err().contains("larger step"));
        assert!(Grid::new("a", "1", "1").unwrap_err().contains("min"));
        assert_eq!(Grid::new("5", "5", "1").unwrap().values, 1);
    }
}

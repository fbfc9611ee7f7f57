//! Numbers that are changed when they are read: rounding, top and bottom coding.

use paravent_core::values::Decimal;
use std::borrow::Cow;

/// What becomes of the numbers of a column, before anything else sees them. Applied twice it does what it does once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberTreatment {
    /// The nearest multiple of this; halves go away from zero.
    pub round: Option<Decimal>,
    /// Smaller numbers become this one. A multiple of `round` where there is one.
    pub bottom: Option<Decimal>,
    /// Larger numbers become this one. A multiple of `round` where there is one.
    pub top: Option<Decimal>,
}

impl NumberTreatment {
    /// The treated cell. What is no number stays: whoever reads it refuses it.
    pub fn apply<'a>(&self, cell: Cow<'a, str>) -> Cow<'a, str> {
        let Ok(number) = cell.parse::<Decimal>() else { return cell };
        let rounded = match self.round {
            // A number too large to be rounded is cut off, or refused by its length.
            Some(step) => number.rounded_to(step).unwrap_or(number),
            None => number,
        };
        let above = self.bottom.map_or(rounded, |bottom| rounded.max(bottom));
        let treated = self.top.map_or(above, |top| above.min(top));
        match treated == number {
            true => cell,
            false => Cow::Owned(treated.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treated(treatment: &NumberTreatment, cell: &str) -> String {
        treatment.apply(Cow::Borrowed(cell)).into_owned()
    }

    #[test]
    fn numbers_are_rounded_then_cut_off() {
        let number = |text: &str| Some(text.parse().unwrap());
        let age = NumberTreatment { round: number("5"), bottom: number("20"), top: number("90") };
        let cells = ["7", "22", "22.5", "-3", "88", "104", "no number", ""];
        let expected = ["20", "20", "25", "20", "90", "90", "no number", ""];
        assert_eq!(cells.map(|cell| treated(&age, cell)), expected);
        let fine = NumberTreatment { round: number("0.25"), ..NumberTreatment::default() };
        assert_eq!(
            ["0.13", "-0.13", "0.125", "7"].map(|cell| treated(&fine, cell)),
            ["0.25", "-0.25", "0.25", "7"]
        );
    }

    #[test]
    fn a_treated_number_stays() {
        let number = |text: &str| Some(text.parse().unwrap());
        let age = NumberTreatment { round: number("5"), bottom: number("20"), top: number("90") };
        for cell in (0..120).map(|age| age.to_string()) {
            let once = treated(&age, &cell);
            assert_eq!(treated(&age, &once), once);
        }
    }
}

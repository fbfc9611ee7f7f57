//! Where a value is on an axis.

/// An axis between two positions.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    kind: Kind,
    from: f64,
    to: f64,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Powers of ten: the exponents of both ends.
    Logarithmic { low: i32, high: i32 },
    /// Both ends.
    Linear { low: f64, high: f64 },
}

/// A logarithm of zero has no place.
const LEAST: f64 = 1e-6;

impl Axis {
    /// Whole decades around the values.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let (least, most) = bounds(values.map(|value| value.max(LEAST)));
        let low = least.log10().floor() as i32;
        let high = (most.log10().ceil() as i32).max(low + 1);
        Axis { kind: Kind::Logarithmic { low, high }, from, to }
    }

    /// From the least value to the most.
    pub(super) fn linear(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let (low, high) = bounds(values);
        Axis { kind: Kind::Linear { low, high: if high > low { high } else { low + 1.0 } }, from, to }
    }

    /// The position of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Logarithmic { low, high } => {
                (value.max(LEAST).log10() - f64::from(low)) / f64::from(high - low)
            }
            Kind::Linear { low, high } => (value - low) / (high - low),
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The values that get a line: powers of ten, or whole numbers.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.kind {
            Kind::Logarithmic { low, high } => (low..=high).map(|exponent| 10f64.powi(exponent)).collect(),
            Kind::Linear { low, high } => {
                let step = ((high - low) / 8.0).ceil().max(1.0);
                let count = ((high - low) / step).floor() as usize;
                (0..=count).map(|tick| low + step * tick as f64).collect()
            }
        }
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (least, most) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| (least.min(v), most.max(v)));
    if least <= most { (least, most) } else { (1.0, 10.0) }
}

/// A time on an axis: `100 µs`, `10 ms`, `1 s`.
pub(super) fn short_time(ms: f64) -> String {
    match ms {
        ms if ms >= 999.5 => format!("{} s", short(ms / 1000.0)),
        ms if ms >= 0.9995 => format!("{} ms", short(ms)),
        ms => format!("{} µs", short(ms * 1000.0)),
    }
}

/// A number on an axis: `0.01`, `30k`, `1M`.
pub(super) fn short(number: f64) -> String {
    let plain = |number: f64| {
        let decimals = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{number:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    };
    match number {
        n if n >= 999_500.0 => format!("{}M", plain(n / 1e6)),
        n if n >= 9_995.0 => format!("{}k", plain(n / 1e3)),
        n => plain(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_enclose_the_values() {
        let axis = Axis::logarithmic([3.0, 450.0].into_iter(), 0.0, 300.0);
        assert_eq!(axis.ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!((axis.at(1.0), axis.at(10.0), axis.at(0.0)), (0.0, 100.0, 0.0));
    }

    #[test]
    fn an_axis_without_values_is_still_one() {
        assert!(!Axis::logarithmic(std::iter::empty(), 0.0, 1.0).ticks().is_empty());
        assert!(Axis::linear([5.0].into_iter(), 0.0, 1.0).at(5.0).is_finite());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.01, 1.5, 300.0, 1000.0, 30_000.0, 1e7].map(short),
            ["0.01", "1.5", "300", "1000", "30k", "10M"]
        );
        assert_eq!([0.01, 10.0, 1000.0].map(short_time), ["10 µs", "10 ms", "1 s"]);
    }
}

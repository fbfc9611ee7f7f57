use proptest::prelude::*;

use super::*;
use crate::hierarchy::Hierarchy;

fn spec(widths: &[&str], min: &str, max: &str, grid: Grid) -> IntervalsSpec {
    let decimal = |text: &str| text.parse().unwrap();
    IntervalsSpec {
        widths: widths.iter().map(|text| decimal(text)).collect(),
        min: decimal(min),
        max: decimal(max),
        outliers: Outliers::Label,
        rounding: Rounding::None,
        grid,
    }
}

fn integers(widths: &[&str], min: &str, max: &str) -> Intervals {
    Intervals::new(spec(widths, min, max, Grid::Integer)).unwrap()
}

fn labels(intervals: &Intervals, value: &str) -> Vec<String> {
    (0..=intervals.max_level())
        .map(|level| intervals.label(Some(value), level).unwrap().unwrap().into_owned())
        .collect()
}

#[test]
fn whole_numbers_show_both_ends() {
    let ages = integers(&["1", "5", "20"], "0", "100");
    assert_eq!(labels(&ages, "34"), ["34", "34", "30-34", "20-39", "*"]);
    assert_eq!(labels(&ages, "0"), ["0", "0", "0-4", "0-19", "*"]);
    // The upper bound belongs to the last interval, which is longer by one.
    assert_eq!(labels(&ages, "100"), ["100", "99-100", "95-100", "80-100", "*"]);
    assert_eq!(labels(&ages, "99"), ["99", "99-100", "95-100", "80-100", "*"]);
    assert_eq!(labels(&ages, "24.5"), ["24.5", "24", "20-24", "20-39", "*"]);
}

#[test]
fn a_last_interval_may_be_shorter() {
    let donors = integers(&["14", "28"], "18", "73");
    assert_eq!(labels(&donors, "73"), ["73", "60-73", "46-73", "*"]);
    assert_eq!(labels(&donors, "45"), ["45", "32-45", "18-45", "*"]);
    assert_eq!(labels(&integers(&["50"], "0", "20"), "7"), ["7", "0-20", "*"]);
}

#[test]
fn below_zero_the_bounds_are_shown() {
    let degrees = integers(&["1", "5"], "-5", "0");
    assert_eq!(labels(&degrees, "-5"), ["-5", "[-5, -4)", "[-5, 0]", "*"]);
    assert_eq!(labels(&degrees, "0"), ["0", "[-1, 0]", "[-5, 0]", "*"]);
    let wide = integers(&["5"], "-10", "10");
    assert_eq!(
        ["-10", "-1", "0", "10"].map(|v| labels(&wide, v)[1].clone()),
        ["[-10, -5)", "[-5, 0)", "0-4", "5-10"]
    );
}

#[test]
fn decimals_show_their_bounds() {
    let shares = Intervals::new(spec(&["0.5", "1", "10"], "0", "100", Grid::Decimal)).unwrap();
    assert_eq!(labels(&shares, "0.50"), ["0.50", "[0.5, 1)", "[0, 1)", "[0, 10)", "*"]);
    assert_eq!(labels(&shares, "99.5"), ["99.5", "[99.5, 100]", "[99, 100]", "[90, 100]", "*"]);
    assert_eq!(labels(&shares, "1e2"), ["1e2", "[99.5, 100]", "[99, 100]", "[90, 100]", "*"]);
    assert_eq!(labels(&shares, "0.4999999999999999999")[1], "[0, 0.5)");
    // 0.1 + 0.2 is not 0.3 in binary floats.
    let tenths = Intervals::new(spec(&["0.1"], "0", "1", Grid::Decimal)).unwrap();
    assert_eq!(labels(&tenths, "0.3")[1], "[0.3, 0.4)");
}

#[test]
fn outliers_are_labelled_clamped_or_refused() {
    let with = |outliers| {
        Intervals::new(IntervalsSpec { outliers, ..spec(&["5"], "0", "100", Grid::Integer) }).unwrap()
    };
    assert_eq!(labels(&with(Outliers::Label), "-1"), ["-1", "<0", "*"]);
    assert_eq!(labels(&with(Outliers::Label), "100.5"), ["100.5", ">100", "*"]);
    assert_eq!(labels(&with(Outliers::Clamp), "-1"), ["-1", "0-4", "*"]);
    assert_eq!(labels(&with(Outliers::Clamp), "1e30"), ["1e30", "95-100", "*"]);
    let refusing = with(Outliers::Refuse);
    assert!((0..=2).all(|level| refusing.label(Some("101"), level) == Err(Unplaced::OutOfBounds)));
    assert_eq!(labels(&refusing, "100")[1], "95-100");
}

#[test]
fn rounding_comes_first() {
    let with = |rounding, value: &str| {
        let spec =
            IntervalsSpec { rounding, outliers: Outliers::Refuse, ..spec(&["5"], "0", "100", Grid::Integer) };
        Intervals::new(spec).unwrap().label(Some(value), 1).map(|label| label.unwrap().into_owned())
    };
    assert_eq!(with(Rounding::Down, "24.9").unwrap(), "20-24");
    assert_eq!(with(Rounding::Nearest, "24.5").unwrap(), "25-29");
    assert_eq!(with(Rounding::Up, "24.1").unwrap(), "25-29");
    assert_eq!(with(Rounding::Down, "100.9").unwrap(), "95-100");
    assert_eq!(with(Rounding::Up, "100.1"), Err(Unplaced::OutOfBounds));
    assert_eq!(with(Rounding::Up, "-0.9").unwrap(), "0-4");
}

#[test]
fn what_does_not_nest_or_fit_is_refused() {
    let error = |widths: &[&str], min, max, grid| Intervals::new(spec(widths, min, max, grid)).unwrap_err();
    assert_eq!(error(&["15", "20"], "0", "100", Grid::Integer), IntervalsError::NotNested { level: 2 });
    assert_eq!(error(&["5", "10", "5"], "0", "100", Grid::Integer), IntervalsError::NotNested { level: 3 });
    assert_eq!(error(&["5", "0"], "0", "100", Grid::Integer), IntervalsError::NotPositive { level: 2 });
    assert_eq!(error(&["-5"], "0", "100", Grid::Integer), IntervalsError::NotPositive { level: 1 });
    assert_eq!(error(&[], "0", "100", Grid::Integer), IntervalsError::Widths);
    assert_eq!(error(&["5"; 255], "0", "100", Grid::Integer), IntervalsError::Widths);
    assert_eq!(error(&["5"], "1", "1", Grid::Integer), IntervalsError::Bounds);
    assert_eq!(error(&["0.5"], "0", "1", Grid::Integer), IntervalsError::NotWhole);
    assert_eq!(error(&["1e-38"], "0", "1e37", Grid::Decimal), IntervalsError::TooFine);
    let rounded = IntervalsSpec { rounding: Rounding::Up, ..spec(&["1"], "0", "9", Grid::Decimal) };
    assert_eq!(Intervals::new(rounded), Err(IntervalsError::Rounding));
}

#[test]
fn huge_numbers_are_placed_exactly() {
    let max = "9".repeat(38);
    let wide = integers(&["1"], &format!("-{max}"), "0");
    assert_eq!(labels(&wide, &format!("-{max}"))[1], format!("[-{max}, -{}8)", "9".repeat(37)));
    let wider = Intervals::new(spec(&["1"], &format!("-{max}"), &max, Grid::Integer));
    assert!(wider.is_err() || labels(&wider.unwrap(), "0")[1] == "0");
    assert_eq!(wide.label(Some("1e999"), 1), Err(Unplaced::NotANumber));
    assert_eq!(wide.label(Some(""), 1), Err(Unplaced::NotANumber));
}

#[test]
fn loss_is_the_length_between_the_ends_shown() {
    let ages = Hierarchy::Intervals(integers(&["5", "50"], "0", "100"));
    let ladder = ages.ladder(&[Some("22"), Some("97"), None, Some("120")]).unwrap();
    assert_eq!(ladder.rung(0).loss, [0.0; 4]);
    assert_eq!(ladder.rung(1).loss, [0.04, 0.05, 0.0, 1.0]);
    assert_eq!(ladder.rung(2).loss, [0.49, 0.5, 0.0, 1.0]);
    assert_eq!(ladder.rung(3).loss, [1.0]);
    let shares = Hierarchy::Intervals(Intervals::new(spec(&["0.5"], "0", "2", Grid::Decimal)).unwrap());
    assert_eq!(shares.ladder(&[Some("0.7"), Some("2")]).unwrap().rung(1).loss, [0.25, 0.25]);
}

/// Specification 03, vector `LM_numeric`: domain 1 to 99.
#[test]
fn loss_of_the_specification() {
    for (low, high, share) in
        [(1, 19, 18.0 / 98.0), (20, 60, 40.0 / 98.0), (61, 99, 38.0 / 98.0), (1, 99, 1.0)]
    {
        assert_eq!(numeric_loss(high - low, 98), share);
    }
    assert_eq!(numeric_loss(98, 52), 1.0);
}

proptest! {
    /// The twin walks through the intervals one by one.
    #[test]
    fn agrees_with_a_naive_twin(
        min in -40i64..40, length in 1i64..80, width in 1i64..20, factor in 1i64..5, value in -60i64..140,
    ) {
        let max = min + length;
        let wide = (width * factor).to_string();
        let intervals = integers(&[&width.to_string(), &wide], &min.to_string(), &max.to_string());
        for (level, width) in [(1, width), (2, width * factor)] {
            let mut start = min;
            while start + width < max && value >= start + width {
                start += width;
            }
            let last = start + width >= max;
            let end = if last { max } else { start + width - 1 };
            let expected = if value < min {
                format!("<{min}")
            } else if value > max {
                format!(">{max}")
            } else if start < 0 && last {
                format!("[{start}, {max}]")
            } else if start < 0 {
                format!("[{start}, {})", end + 1)
            } else if start == end {
                format!("{start}")
            } else {
                format!("{start}-{end}")
            };
            let text = value.to_string();
            let label = intervals.label(Some(&text), level).unwrap();
            prop_assert_eq!(label.as_deref(), Some(expected.as_str()));
        }
    }

    #[test]
    fn hostile_values_do_not_panic(
        texts in prop::collection::vec("[-+0-9.e]{0,45}", 1..4), min in "-?[0-9]{1,38}",
        width in "[0-9]{1,38}(e-?[0-9]{1,2})?",
        rounding in 0usize..4, value in any::<String>(),
    ) {
        let rounding = [Rounding::None, Rounding::Down, Rounding::Nearest, Rounding::Up][rounding];
        let grid = if rounding == Rounding::None { Grid::Decimal } else { Grid::Integer };
        let max = "9".repeat(38);
        let (Ok(min), Ok(width), Ok(max)) = (min.parse(), width.parse(), max.parse()) else { return Ok(()) };
        let spec = IntervalsSpec { widths: vec![width], min, max, outliers: Outliers::Label, rounding, grid };
        if let Ok(intervals) = Intervals::new(spec) {
            for text in texts.iter().chain([&value]) {
                for level in 0..=2 {
                    let _ = intervals.label(Some(text), level);
                }
            }
        }
    }
}

//! How far a release is from a threshold, drawn.

use super::number::{figure, percent};
use super::promise::{Measure, Side};
use super::svg::{Drawing, line, rect};

const WIDTH: f64 = 300.0;
const HEIGHT: u32 = 26;

/// Threshold, figure and the side that is good.
pub fn draw(measure: &Measure) -> String {
    let scale = scale(measure);
    let at = |value: f64| 1.0 + (value / scale).clamp(0.0, 1.0) * (WIDTH - 2.0);
    let limit = at(measure.required);
    let good = match measure.side {
        Side::AtLeast => rect("allowed", limit, 9.0, WIDTH - 1.0 - limit, 8.0, 0.0),
        Side::AtMost | Side::Below => rect("allowed", 1.0, 9.0, limit - 1.0, 8.0, 0.0),
    };
    let marker = measure.achieved.map(|achieved| {
        let x = at(achieved).clamp(7.0, WIDTH - 7.0);
        format!(r#"<circle class="marker" cx="{x:.1}" cy="13" r="6"/>"#)
    });
    let shapes = [
        rect("track", 1.0, 9.0, WIDTH - 2.0, 8.0, 4.0),
        good,
        line("limit", (limit, 2.0), (limit, 24.0)),
        marker.unwrap_or_default(),
    ];
    let drawing = Drawing {
        class: "gauge",
        size: (WIDTH as u32, HEIGHT),
        title: &format!("{}: required {}, achieved {}", measure.symbol, required(measure), achieved(measure)),
        description: "The shaded stretch is allowed, the upright line is the limit, the dot is this release.",
    };
    drawing.of(&shapes.concat())
}

/// `at least 5`.
pub fn required(measure: &Measure) -> String {
    let side = match measure.side {
        Side::AtLeast => "at least",
        Side::AtMost => "at most",
        Side::Below => "below",
    };
    format!("{side} {}{}", figure(measure.required), measure.unit)
}

/// `7`, or a word where there is no number.
pub fn achieved(measure: &Measure) -> String {
    match measure.achieved {
        Some(achieved) if achieved.is_infinite() => "unbounded".to_owned(),
        Some(achieved) => format!("{}{}", figure(achieved), measure.unit),
        None => "not measured".to_owned(),
    }
}

/// How much room is left, in words.
pub fn room(measure: &Measure) -> String {
    let Some(achieved) = measure.achieved else {
        return "no released class to measure".to_owned();
    };
    let distance = match measure.side {
        Side::AtLeast => achieved - measure.required,
        Side::AtMost | Side::Below => measure.required - achieved,
    };
    // Figures are computed in floating point, thresholds are compared exactly.
    let close = 1e-9 * measure.required.abs().max(1.0);
    if !distance.is_finite() || distance < -close {
        "beyond the limit".to_owned()
    } else if distance <= close {
        "exactly at the limit".to_owned()
    } else if measure.side == Side::AtLeast && achieved > 2.0 * measure.required && measure.required > 0.0 {
        format!("{} times the limit", figure((achieved / measure.required * 10.0).floor() / 10.0))
    } else if measure.required > 0.0 {
        format!("{} inside the limit", percent(distance / measure.required))
    } else {
        "inside the limit".to_owned()
    }
}

/// The figure at the right end.
fn scale(measure: &Measure) -> f64 {
    let reached = measure.achieved.filter(|figure| figure.is_finite()).unwrap_or(0.0);
    let wanted = match measure.side {
        Side::AtLeast => (measure.required * 2.0).max(reached * 1.1),
        Side::AtMost | Side::Below => (measure.required * 1.6).max(reached * 1.1),
    };
    let scale = measure.largest.map_or(wanted, |largest| wanted.min(largest));
    if scale > 0.0 { scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(side: Side, required: f64, achieved: Option<f64>) -> Measure {
        Measure { symbol: "c", side, required, achieved, largest: None, unit: "" }
    }

    #[test]
    fn the_room_left_is_said_in_words() {
        assert_eq!(room(&measure(Side::AtLeast, 5.0, Some(5.0))), "exactly at the limit");
        assert_eq!(room(&measure(Side::AtLeast, 5.0, Some(6.0))), "20% inside the limit");
        assert_eq!(room(&measure(Side::AtLeast, 20.0, Some(131.0))), "6.5 times the limit");
        assert_eq!(room(&measure(Side::AtMost, 0.2, Some(0.15))), "25% inside the limit");
        assert_eq!(room(&measure(Side::AtMost, 0.3, Some(0.300_000_000_000_000_04))), "exactly at the limit");
        assert_eq!(room(&measure(Side::AtMost, 0.2, Some(0.3))), "beyond the limit");
    }

    #[test]
    fn infinite_and_unknown_figures_are_drawn() {
        for achieved in [Some(f64::INFINITY), None, Some(0.0)] {
            for required in [0.0, 3.0] {
                let drawn = draw(&measure(Side::Below, required, achieved));
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            }
        }
        assert_eq!(room(&measure(Side::Below, 3.0, Some(f64::INFINITY))), "beyond the limit");
    }
}

//! A risk–utility curve as a picture.

use super::{Curve, CurvePoint, Over};
use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;

impl Curve {
    /// Two panels: over k, and over the suppression limit. Each point is a release: its mean risk to the right, its loss upwards.
    pub fn svg(&self) -> String {
        let panels = [(Over::K, "over k"), (Over::SuppressionLimit, "over the suppression limit")];
        let shown: Vec<_> =
            panels.iter().filter(|(over, _)| self.points.iter().any(|point| point.over == *over)).collect();
        let width = WIDTH * shown.len().max(1) as f64;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" \
             height=\"{HEIGHT}\" role=\"img\" aria-label=\"Risk–utility curve\" font-family=\"system-ui, sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        for (number, (over, title)) in shown.into_iter().enumerate() {
            let points: Vec<&CurvePoint> = self.points.iter().filter(|point| point.over == *over).collect();
            let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", WIDTH * number as f64);
            self.panel(&mut svg, title, &points);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn panel(&self, svg: &mut String, title: &str, points: &[&CurvePoint]) {
        let (x0, x1, y0, y1) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP);
        let found: Vec<(&CurvePoint, f64, f64)> =
            points.iter().filter_map(|point| Some((*point, point.mean_risk?, point.loss?))).collect();
        let highest =
            |of: fn(&(&CurvePoint, f64, f64)) -> f64| nice(found.iter().map(of).fold(0.0_f64, f64::max));
        let (most_risk, most_loss) = (highest(|point| point.1), highest(|point| point.2));
        let x = |risk: f64| x0 + (x1 - x0) * risk / most_risk;
        let y = |loss: f64| y0 + (y1 - y0) * loss / most_loss;
        let _ = writeln!(
            svg,
            "<text x=\"{x0}\" y=\"24\" font-size=\"14\" font-weight=\"600\">Risk and loss {title}</text>"
        );
        for step in 0..=4 {
            let share = f64::from(step) / 4.0;
            let (at_x, at_y) = (x(most_risk * share), y(most_loss * share));
            let _ = writeln!(
                svg,
                "<line x1=\"{x0}\" x2=\"{x1}\" y1=\"{at_y:.1}\" y2=\"{at_y:.1}\" stroke=\"#e3e6ea\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{}</text>\
                 <text x=\"{at_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                x0 - 8.0,
                at_y + 4.0,
                short(most_loss * share),
                y0 + 18.0,
                short(100.0 * most_risk * share),
            );
        }
        let _ = writeln!(
            svg,
            "<line x1=\"{x0}\" x2=\"{x1}\" y1=\"{y0}\" y2=\"{y0}\" stroke=\"#555\"/>\
             <line x1=\"{x0}\" x2=\"{x0}\" y1=\"{y0}\" y2=\"{y1}\" stroke=\"#555\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">mean risk of a released row, %</text>\
             <text x=\"{x0}\" y=\"40\" fill=\"#555\">{}</text>",
            (x0 + x1) / 2.0,
            HEIGHT - 14.0,
            if self.metric == "loss" { "loss".to_owned() } else { format!("loss ({})", self.metric) },
        );
        let line: Vec<String> =
            found.iter().map(|(_, risk, loss)| format!("{:.1},{:.1}", x(*risk), y(*loss))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#3b6ea8\" stroke-width=\"1.5\"/>",
            line.join(" ")
        );
        let mut labels: Vec<Label> = Vec::new();
        for (point, risk, loss) in &found {
            let (fill, radius) = if point.of_the_job { ("#c2571a", 6) } else { ("#3b6ea8", 4) };
            let name = if point.over == Over::K { "k = " } else { "" };
            let at = (x(*risk), y(*loss));
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{fill}\"><title>{name}{}: loss {}, \
                 mean risk {} %, {} % suppressed</title></circle>",
                at.0,
                at.1,
                point.value,
                short(*loss),
                short(100.0 * risk),
                short(100.0 * point.suppressed.unwrap_or(0.0)),
            );
            let near = || labels.iter().filter(|label| label.is_near(at));
            let below = near().count() == 1 && near().all(|label| !label.below && !label.is_at(at));
            match labels.iter_mut().find(|label| label.is_near(at)).filter(|_| !below) {
                Some(label) => label.text += &format!(", {}", point.value),
                None => labels.push(Label { at, text: format!("{name}{}", point.value), below }),
            }
        }
        labels.iter().for_each(|label| label.draw(svg, x1, y0));
        if found.len() < points.len() {
            let none: Vec<&str> =
                points.iter().filter(|point| !point.feasible).map(|point| point.value.as_str()).collect();
            let _ = writeln!(
                svg,
                "<text x=\"{x1}\" y=\"40\" text-anchor=\"end\" fill=\"#a33\">no release: {}</text>",
                none.join(", ")
            );
        }
    }
}

/// The words beside a point, or beside several that stand at the same place.
struct Label {
    at: (f64, f64),
    text: String,
    /// Under its point, because the words of another one stand over it.
    below: bool,
}

impl Label {
    /// Whether the words of a point there would stand over these.
    fn is_near(&self, (x, y): (f64, f64)) -> bool {
        (self.at.0 - x).abs() < 40.0 && (self.at.1 - y).abs() < 14.0
    }

    /// Whether a point there looks like this one.
    fn is_at(&self, (x, y): (f64, f64)) -> bool {
        (self.at.0 - x).abs() < 3.0 && (self.at.1 - y).abs() < 3.0
    }

    /// The curve falls to the right: above it to the right there is room, and below it to the left.
    fn draw(&self, svg: &mut String, right: f64, bottom: f64) {
        let (x, y) = self.at;
        let fits = x + 8.0 + 7.0 * self.text.chars().count() as f64 <= right + RIGHT;
        let (end, at_x, at_y) = match fits && !self.below {
            true => ("start", x + 6.0, y - 8.0),
            false if y + 20.0 < bottom => ("end", x - 4.0, y + 18.0),
            false => ("end", x, y - 11.0),
        };
        let text = &self.text;
        let _ = writeln!(svg, "<text x=\"{at_x:.1}\" y=\"{at_y:.1}\" text-anchor=\"{end}\">{text}</text>");
    }
}

/// The end of an axis that reaches `most`.
fn nice(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let unit = 10f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 8.0, 10.0]
        .into_iter()
        .map(|factor| factor * unit)
        .find(|end| *end >= most)
        .unwrap_or(most)
}

fn short(number: f64) -> String {
    let magnitude = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    let decimals = (2 - magnitude).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_one_place_share_a_label() {
        let point = |value: &str, mean_risk: f64, loss: f64| CurvePoint {
            over: Over::K,
            value: value.to_owned(),
            of_the_job: false,
            feasible: true,
            loss: Some(loss),
            losses: serde_json::Map::new(),
            transformation: serde_json::Map::new(),
            suppressed: Some(0.0),
            mean_risk: Some(mean_risk),
            highest_risk: Some(mean_risk),
        };
        let points = vec![point("2", 0.04, 0.16), point("3", 0.04, 0.16), point("50", 0.002, 0.5)];
        let svg = Curve { paravent: "1", job_sha256: String::new(), metric: "loss", points }.svg();
        assert!(svg.contains(">k = 2, 3</text>") && svg.contains(">k = 50</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3);
        // The words at the right end stay inside the picture.
        assert!(svg.contains("text-anchor=\"end\">k = 2, 3"), "{svg}");
        // Neighbours that are not at one place have words of their own, above and below.
        let points = vec![point("2", 0.052, 0.228), point("5", 0.047, 0.246), point("50", 0.002, 0.5)];
        let svg = Curve { paravent: "1", job_sha256: String::new(), metric: "loss", points }.svg();
        assert!(svg.contains("\">k = 2</text>") && svg.contains("text-anchor=\"end\">k = 5</text>"), "{svg}");
    }
}

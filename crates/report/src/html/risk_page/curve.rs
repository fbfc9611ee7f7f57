//! How many rows are at risk, whatever one calls high.

use crate::html::number::{figure, percent};
use crate::html::page::section;
use crate::html::svg::{Drawing, line, path, text};
use paravent_assess::risk::RiskDocument;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 40.0;
const BASE: f64 = 240.0;
/// The axis ends at this class size.
const LARGEST: u64 = 100;

/// Share of the rows in classes of fewer than k rows, for all k.
pub fn render(document: &RiskDocument) -> String {
    let lead = format!(
        "A row of a class smaller than <em>k</em> has a risk above 1/<em>k</em>. The curve says which share of the rows that is; the \
         threshold of {} is marked.",
        figure(document.threshold),
    );
    section("threshold", "Risk and threshold", &lead, &format!("<figure>{}</figure>", draw(document)))
}

fn draw(document: &RiskDocument) -> String {
    let x = |k: f64| LEFT + (RIGHT - LEFT) * k.ln() / (LARGEST as f64).ln();
    let y = |share: f64| BASE - (BASE - TOP) * share;
    let below = |k: u64| -> f64 {
        let small = document.classes.sizes.iter().take_while(|(size, _)| *size < k);
        small.map(|(size, classes)| size * classes).sum::<u64>() as f64 / document.rows.max(1) as f64
    };
    let mut shapes = String::new();
    for tick in 0..=4u32 {
        let share = f64::from(tick) / 4.0;
        shapes += &line("grid", (LEFT, y(share)), (RIGHT, y(share)));
        shapes += &text("axis end", LEFT - 8.0, y(share) + 4.0, &(tick * 25).to_string());
    }
    // A step at every k: the share jumps where classes of k − 1 rows are added.
    let mut points = vec![(x(1.0), y(0.0))];
    for k in 2..=LARGEST {
        let (_, last) = points[points.len() - 1];
        points.push((x(k as f64), last));
        points.push((x(k as f64), y(below(k))));
    }
    let mut area = points.clone();
    area.push((x(LARGEST as f64), y(0.0)));
    shapes += &path("area", &area);
    shapes += &path("curve", &points);
    for k in [1u64, 2, 5, 11, 20, 50, 100] {
        let at = x(k as f64);
        shapes += &line("grid", (at, BASE), (at, BASE + 5.0));
        shapes += &text("axis middle", at, BASE + 20.0, &k.to_string());
        shapes += &text("axis middle last", at, BASE + 37.0, &figure((1000.0 / k as f64).round() / 1000.0));
    }
    let wanted = (1.0 / document.threshold).clamp(1.0, LARGEST as f64);
    shapes += &line("rule chosen", (x(wanted), TOP - 6.0), (x(wanted), BASE));
    let note =
        format!("threshold {}: {}", figure(document.threshold), percent(document.prosecutor.share_above));
    let class = if wanted > 12.0 { "note chosen end" } else { "note chosen" };
    shapes += &text(class, x(wanted), TOP - 14.0, &note);
    shapes += &text("axis end", RIGHT, HEIGHT - 4.0, "smallest class k (below it: the risk 1/k)");
    shapes += &text("axis", 0.0, TOP - 22.0, "rows at risk, %");
    let drawing = Drawing {
        class: "histogram",
        size: (WIDTH as u32, HEIGHT as u32),
        title: "Share of the rows with a risk above a threshold",
        description: &format!(
            "{} of the rows are in classes of fewer than 5 rows, {} of fewer than 20.",
            percent(below(5)).replace("&lt;", "below "),
            percent(below(20)).replace("&lt;", "below ")
        ),
    };
    drawing.of(&shapes)
}

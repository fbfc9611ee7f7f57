//! Small drawings. Whatever a drawing says, the text beside it says as well.

use super::escape::escape;

/// A drawing with a name and a description for readers who cannot see it. Both are plain text, escaped here.
pub struct Drawing<'a> {
    /// CSS class.
    pub class: &'a str,
    /// Width and height of the coordinate system.
    pub size: (u32, u32),
    /// What is drawn.
    pub title: &'a str,
    /// What it shows.
    pub description: &'a str,
}

impl Drawing<'_> {
    /// The drawing around its shapes.
    pub fn of(&self, shapes: &str) -> String {
        let (width, height) = self.size;
        format!(
            r#"<svg class="{}" viewBox="0 0 {width} {height}" role="img"><title>{}</title><desc>{}</desc>{shapes}</svg>"#,
            self.class,
            escape(self.title),
            escape(self.description),
        )
    }
}

/// A rectangle; coordinates are rounded to tenths, so that the same figures give the same bytes.
pub fn rect(class: &str, x: f64, y: f64, width: f64, height: f64, round: f64) -> String {
    format!(
        r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}" rx="{}"/>"#,
        tenth(x),
        tenth(y),
        tenth(width),
        tenth(height),
        tenth(round),
    )
}

/// A straight line.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        r#"<line class="{class}" x1="{}" y1="{}" x2="{}" y2="{}"/>"#,
        tenth(from.0),
        tenth(from.1),
        tenth(to.0),
        tenth(to.1),
    )
}

/// A line through points.
pub fn path(class: &str, points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", tenth(x), tenth(y))).collect();
    format!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" "))
}

/// Text at a point; `safe` must be escaped.
pub fn text(class: &str, x: f64, y: f64, safe: &str) -> String {
    format!(r#"<text class="{class}" x="{}" y="{}">{safe}</text>"#, tenth(x), tenth(y))
}

/// A horizontal bar with this length in percent; the figure stands beside it.
pub fn bar(class: &str, percent: u32) -> String {
    format!(
        r#"<svg class="bar {class}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{}{}</svg>"#,
        rect("track", 0.0, 0.0, 100.0, 8.0, 0.0),
        rect("fill", 0.0, 0.0, f64::from(percent.min(100)), 8.0, 0.0),
    )
}

/// A sign in a circle: a tick, a half-filled disc, a bar, or an exclamation mark.
pub fn sign(kind: Sign) -> String {
    let (class, shape) = match kind {
        Sign::Good => ("good", r#"<path d="M5.6 10.4l3 3 5.8-6.4"/>"#),
        Sign::Half => ("half", r#"<path class="solid" d="M10 4.5a5.5 5.5 0 0 1 0 11z"/>"#),
        Sign::Bad => ("bad", r#"<path d="M6.4 6.4l7.2 7.2M13.6 6.4l-7.2 7.2"/>"#),
        Sign::Open => ("open", r#"<path d="M5.8 10h8.4"/>"#),
    };
    format!(
        r#"<svg class="sign {class}" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9"/>{shape}</svg>"#
    )
}

/// What a sign says.
#[derive(Clone, Copy)]
pub enum Sign {
    /// All is well.
    Good,
    /// Only in part.
    Half,
    /// Not well.
    Bad,
    /// Nothing is said.
    Open,
}

/// The folding screen.
pub const LOGO: &str = concat!(
    r#"<svg class="logo" viewBox="0 0 32 32" aria-hidden="true">"#,
    r#"<path class="panel a" d="M3 7l8-3v22l-8 3z"/><path class="panel b" d="M11 4l10 4v22l-10-4z"/>"#,
    r#"<path class="panel c" d="M21 8l8-3v22l-8 3z"/></svg>"#
);

fn tenth(number: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (number * 10.0).round() / 10.0 + 0.0
}

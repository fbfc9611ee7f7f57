//! A drawing in the making.

use std::fmt::Write;

/// Which end of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) fill: &'static str,
    pub(super) weight: &'static str,
    pub(super) anchor: Anchor,
}

pub(super) const INK: &str = "#1f2430";
pub(super) const FAINT_INK: &str = "#5b6270";
pub(super) const GRID: &str = "#e3e6eb";

pub(super) const TITLE: Style = Style { size: 20.0, fill: INK, weight: "600", anchor: Anchor::Start };
pub(super) const HEADING: Style = Style { size: 14.0, fill: INK, weight: "600", anchor: Anchor::Start };
pub(super) const PLAIN: Style = Style { size: 12.0, fill: INK, weight: "400", anchor: Anchor::Start };
pub(super) const SMALL: Style = Style { size: 11.0, fill: FAINT_INK, weight: "400", anchor: Anchor::Start };

impl Style {
    pub(super) const fn anchored(self, anchor: Anchor) -> Style {
        Style { anchor, ..self }
    }
}

/// A self-contained SVG on a light ground.
pub(super) struct Drawing {
    body: String,
}

impl Drawing {
    pub(super) fn new() -> Drawing {
        Drawing { body: String::new() }
    }

    pub(super) fn text(&mut self, x: f64, y: f64, style: Style, text: &str) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let Style { size, fill, weight, .. } = style;
        let text = escaped(text);
        self.element(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" font-weight="{weight}" fill="{fill}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    pub(super) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        self.element(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="1.5" fill="{fill}"/>"#
        ));
    }

    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke: &str) {
        self.element(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{stroke}" stroke-width="1"/>"#
        ));
    }

    /// A line through points, with a dot on each.
    pub(super) fn path(&mut self, points: &[[f64; 2]], stroke: &str) {
        let list: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let list = list.join(" ");
        self.element(format_args!(
            r#"<polyline points="{list}" fill="none" stroke="{stroke}" stroke-width="2.2" stroke-linejoin="round"/>"#
        ));
        for [x, y] in points {
            self.element(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.4" fill="{stroke}"/>"#));
        }
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// The whole file.
    pub(super) fn finish(self, width: f64, height: f64, title: &str) -> String {
        let title = escaped(title);
        let body = self.body;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif" role="img">
<title>{title}</title>
<rect width="{width:.0}" height="{height:.0}" fill="#ffffff"/>
{body}</svg>
"##
        )
    }
}

/// Text as XML takes it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every element that is opened is closed, quotes come in pairs, and nothing is left over.
    pub(in crate::svg) fn assert_well_formed(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a stray > in {:?}", &rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag that ends");
            let tag = &rest[start + 1..end];
            assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
            assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.trim().is_empty());
        for (position, _) in svg.match_indices('&') {
            let entity = &svg[position..];
            assert!(["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|known| entity.starts_with(known)));
        }
    }

    #[test]
    fn names_cannot_break_out() {
        let mut drawing = Drawing::new();
        drawing.text(1.0, 2.0, PLAIN, "</text><script>\"&'\u{1}");
        drawing.path(&[[0.0, 1.0], [2.0, 3.0]], INK);
        let svg = drawing.finish(10.0, 10.0, "a < b");
        assert_well_formed(&svg);
        assert!(!svg.contains("<script>"));
    }
}

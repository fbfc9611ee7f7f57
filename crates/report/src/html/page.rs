//! The frame of the page and the pieces that all sections use.

use super::svg::LOGO;

/// What a page is about.
pub struct Frame<'a> {
    /// Its title.
    pub title: &'a str,
    /// The sections by anchor and name, for the list of contents.
    pub contents: &'a [(&'a str, &'a str)],
    /// Version of the program, as HTML.
    pub version: &'a str,
    /// The last sentence.
    pub footer: &'a str,
}

/// The sections of the release report.
pub const RELEASE_CONTENTS: [(&str, &str); 10] = [
    ("promises", "Promises"),
    ("threats", "For the officer"),
    ("changes", "Changes"),
    ("classes", "Class sizes"),
    ("risk", "Risk"),
    ("losses", "Information loss"),
    ("utility", "Utility"),
    ("search", "Search"),
    ("engineer", "For the engineer"),
    ("closing", "Signatures"),
];

/// Nothing may be loaded or run, even if a label found its way around the escaping.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page around its sections.
pub fn page(frame: &Frame<'_>, sections: &[String]) -> String {
    let Frame { title, contents, version, footer } = frame;
    let contents: String =
        contents.iter().map(|(anchor, name)| format!("<a href=\"#{anchor}\">{name}</a>")).collect();
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>
{}</style>
</head>
<body>
<header class="top"><p class="brand">{LOGO}<span>Paravent</span></p><p class="kind">{title}</p></header>
<nav aria-label="Contents">{contents}</nav>
<main>
{}
</main>
<footer><p>Made by Paravent <bdi>{version}</bdi>. {footer}</p></footer>
</body>
</html>
"#,
        include_str!("style.css").replace("Release report", title),
        sections.join("\n"),
    )
}

/// A section with its heading and one paragraph that says what it is about. Title, lead and body are HTML.
pub fn section(anchor: &str, title: &str, lead: &str, body: &str) -> String {
    format!(
        r#"<section id="{anchor}" aria-labelledby="{anchor}-title">
<h2 id="{anchor}-title">{title}</h2>
<p class="lead">{lead}</p>
{body}
</section>"#
    )
}

/// What a cell of figures carries.
pub const NUMBER: &str = r#" class="num""#;

/// A row of a table: its class, its head, and each cell as attributes and content.
pub fn row(class: &str, head: &str, cells: &[(&str, String)]) -> String {
    let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
    let cells: String = cells
        .iter()
        .map(|(attributes, content)| format!(r#"<td role="cell"{attributes}>{content}</td>"#))
        .collect();
    format!("<tr role=\"row\"{class}><th role=\"rowheader\" scope=\"row\">{head}</th>{cells}</tr>\n")
}

/// A table with a caption for those who do not see the heading above it. Roles are spelled out because narrow screens
/// show the rows as blocks, which makes browsers forget that they are a table. Whatever is wider than the screen scrolls inside a box of its own.
pub fn table(class: &str, caption: &str, head: &[&str], rows: &str) -> String {
    let head: String =
        head.iter().map(|title| format!(r#"<th role="columnheader" scope="col">{title}</th>"#)).collect();
    format!(
        r#"<div class="wide"><table class="{class}" role="table"><caption>{caption}</caption><thead role="rowgroup"><tr role="row">{head}</tr></thead>
<tbody role="rowgroup">
{rows}</tbody></table></div>"#
    )
}

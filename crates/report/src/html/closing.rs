//! Words, digests and signatures.

use super::escape::escape;
use super::facts::Facts;
use super::page::section;

const GLOSSARY: [(&str, &str); 10] = [
    (
        "Quasi-identifier",
        "A column that others may know about a person and could use to find the person’s row: age, sex, place.",
    ),
    ("Sensitive column", "A column whose values must not become known about a person, such as a diagnosis."),
    (
        "Class",
        "All released rows with the same values of the quasi-identifiers. They cannot be told apart by them.",
    ),
    ("Generalization", "Replacing values by coarser, still true ones: 34 by 30–39."),
    ("Level", "One step of a hierarchy of ever coarser values; level 0 is the original."),
    ("Suppression", "Leaving rows out because their class would break a promise."),
    (
        "Transformation",
        "One level for each quasi-identifier. Together they form the lattice that is searched.",
    ),
    (
        "Risk",
        "The chance that somebody who knows a person’s quasi-identifiers, and that the person is in the table, picks the right row.",
    ),
    ("Information loss", "How much less the released values tell than the original ones."),
    ("Digest (SHA-256)", "A fingerprint of a file: if one byte changes, so does the digest."),
];

/// The end of the page.
pub fn render(facts: &Facts<'_>) -> String {
    let lead = "By signing, the signatories confirm that they have read this report, that the roles of the columns and the \
                assumptions above fit the case, and that the remaining risks are accepted for the intended recipients.";
    let body = format!(
        r#"<div class="signatures later">{}{}</div>
<h3>Files this report is about</h3>{}
<h3>Words</h3><dl class="glossary">{}</dl>"#,
        signature("Data protection officer"),
        signature("Data manager"),
        digests(facts),
        glossary(),
    );
    section("closing", "Signatures and references", lead, &body)
}

/// Lines to sign on.
pub fn signature(role: &str) -> String {
    let line = |name: &str| format!(r#"<div class="line"><span>{name}</span></div>"#);
    format!(
        r#"<div class="signature"><h3>{role}</h3>{}{}{}</div>"#,
        line("Name"),
        line("Place and date"),
        line("Signature")
    )
}

fn digests(facts: &Facts<'_>) -> String {
    let digest = |term: &str, text: &str| {
        format!("<div><dt>{term}</dt><dd><code>{}</code></dd></div>", breakable(text))
    };
    let (data, check) = match &facts.document.output {
        Some(output) => (
            digest("Data file (SHA-256)", &output.sha256),
            "<p>Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>.</p>",
        ),
        None => (String::new(), "<p>Dry run: no data file was written.</p>"),
    };
    let job = match facts.is_external() {
        true => String::new(),
        false => {
            let input = facts.document.input.sha256.as_deref();
            let input = input.map_or_else(String::new, |input| digest("Table as read (SHA-256)", input));
            digest("Job file (SHA-256)", &facts.document.job_sha256) + &input
        }
    };
    format!(r#"<dl class="terms digests">{job}{data}</dl>{check}"#)
}

/// Long digests may be broken after every eighth character.
pub fn breakable(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let parts: Vec<String> =
        characters.chunks(8).map(|part| escape(&part.iter().collect::<String>())).collect();
    parts.join("<wbr>")
}

fn glossary() -> String {
    GLOSSARY.iter().map(|(term, text)| format!("<div><dt>{term}</dt><dd>{text}</dd></div>")).collect()
}

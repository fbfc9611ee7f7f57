//! The pages of a release that several parties made together: for whoever has it, and for the others.

use super::closing::{breakable, signature};
use super::escape::{escape, label, name, note};
use super::light::{red_of, yellow_of};
use super::number::{count, counted, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::parts::Statement;
use super::promise::Promise;
use super::search::{algorithm, terms_list};
use super::svg::{Sign, sign};
use crate::wording::translated;
use crate::{
    ChannelFacts, FederationFacts, JointDocument, JointSearch, JointSolution, Lang, Light,
    ParticipationDocument, ToldFacts,
};
use serde_json::{Map, Value};

const CONTENTS: [(&str, &str); 6] = [
    ("promises", "Promises"),
    ("changes", "Changes"),
    ("sent", "What was sent"),
    ("learned", "What each party learned"),
    ("conclusions", "What could be concluded"),
    ("closing", "Signatures"),
];

/// The facts of `report.json` as one self-contained HTML page: names of columns and parties, and numbers; no cells.
pub fn render_joint(document: &JointDocument, lang: Lang) -> String {
    let mut sections = vec![verdict(document), promises(document), changes(&document.solution)];
    // How the parties worked together is told in the house only.
    if let Some(federation) = &document.federation {
        sections.extend(together(federation));
    }
    sections.push(closing(
        document.agreement_sha256.as_deref(),
        Some(&document.output.sha256),
        document.federation.as_ref(),
    ));
    let external = document.federation.is_none();
    let ours = |anchor: &str| matches!(anchor, "sent" | "learned" | "conclusions");
    let contents: Vec<_> = CONTENTS.into_iter().filter(|(anchor, _)| !external || !ours(anchor)).collect();
    let frame = Frame {
        title: if external { "Joint release report" } else { "Joint release report (internal)" },
        contents: &contents,
        version: &escape(document.paravent),
        footer: "The promises are about this release alone; what the parties know from elsewhere is not part of them.",
    };
    translated(&page(&frame, &sections), lang)
}

/// What a party that does not hold the release keeps: what it sent, what everybody learned, and what all agreed on.
pub fn render_participation(document: &ParticipationDocument, lang: Lang) -> String {
    let federation = &document.federation;
    let mut sections = vec![took_part(document)];
    sections.extend(together(federation));
    sections.push(closing(Some(&document.agreement_sha256), None, Some(federation)));
    let contents: Vec<_> =
        CONTENTS.into_iter().filter(|(anchor, _)| !matches!(*anchor, "promises" | "changes")).collect();
    let frame = Frame {
        title: "Record of a joint release (internal)",
        contents: &contents,
        version: &escape(document.paravent),
        footer: "The release is at another party. This record says what left this house and who learned what.",
    };
    translated(&page(&frame, &sections), lang)
}

fn took_part(document: &ParticipationDocument) -> String {
    let federation = &document.federation;
    let promises = document.privacy.iter().map(|promise| escape(promise.model));
    let rows = match document.rows {
        Some(rows) => format!("It brought {}, encrypted before they left.", counted(rows, "row", "rows")),
        None => "It brought no data.".to_owned(),
    };
    Statement {
        tone: ("good", Sign::Good),
        eyebrow: "Record",
        headline: &format!("{} took part in a joint release", label(&federation.party)),
        lead: &format!(
            "The run was {}. {rows} The release is at {}, which has confirmed that it was verified and put in its place. Promised: {}.",
            name(&federation.run),
            label(&federation.receiver),
            promises.collect::<Vec<_>>().join(", ")
        ),
        more: &warnings(document.warnings.as_deref()),
        tiles: &[],
    }
    .render()
}

fn warnings(warnings: Option<&[String]>) -> String {
    warnings.into_iter().flatten().map(|warning| format!("<p>{}</p>", note(warning))).collect()
}

fn verdict(document: &JointDocument) -> String {
    let JointDocument { solution, output, .. } = document;
    let kept = document.privacy.iter().all(|promise| promise.holds) && output.verified;
    let yellow = yellow_of(&document.verdict);
    let doubtful =
        yellow.as_ref().map(|yellow| format!("This joint release keeps its promises, {}", yellow.but));
    let (tone, headline) = if kept && doubtful.is_some() {
        (("half", Sign::Half), doubtful.as_deref().unwrap_or_default())
    } else if document.verdict.light == Light::Red && kept {
        (("bad", Sign::Bad), "Do not hand this joint release out")
    } else if kept {
        (("good", Sign::Good), "This joint release keeps its promises")
    } else {
        (("bad", Sign::Bad), "This joint release does not keep its promises")
    };
    let best = match solution.optimal {
        true => "No other transformation that keeps the promises loses less.",
        false => "It is not proven that no other transformation loses less.",
    };
    let why = yellow.map(|yellow| yellow.words).or_else(|| red_of(&document.verdict)).unwrap_or_default();
    Statement {
        tone,
        eyebrow: "Verdict",
        headline,
        lead: &format!(
            "{} No party saw another’s rows. {best} The finished files were checked by an independent program.{why}",
            released_together(document.federation.as_ref())
        ),
        more: &warnings(document.warnings.as_deref()),
        tiles: &[
            ("Released", count(output.rows), "rows of all parties"),
            ("Suppressed", count(solution.suppressed_rows), "rows left out"),
            (
                "Smallest class",
                count(solution.smallest_class.unwrap_or_default()),
                &format!("rows that look alike, in {}", counted(solution.classes, "class", "classes")),
            ),
        ],
    }
    .render()
}

fn released_together(federation: Option<&FederationFacts>) -> String {
    let Some(federation) = federation else {
        return "Several parties released parts of one table together.".to_owned();
    };
    let how = match federation.protocol.as_str() {
        "a" => "protocol A: encrypted in turn by every party, without a helper",
        "b" => "protocol B: a helper that sees ciphertexts searched for all",
        _ => "protocol C: a helper that sees ciphertexts and made-up rows asked for sums",
    };
    let split = if federation.split == "vertical" { "columns" } else { "rows" };
    format!(
        "Several parties held different {split} of one table and released it together as {}, with {how}.",
        name(&federation.run)
    )
}

fn promises(document: &JointDocument) -> String {
    let columns = document.solution.transformation.0.iter();
    let quasi_identifiers: Vec<&str> = columns.map(|(column, _)| column.as_str()).collect();
    let rows = document.privacy.iter().map(|facts| {
        let Some(promise) = Promise::of(facts) else { return String::new() };
        let words = promise.wording(&quasi_identifiers);
        let (tone, symbol, verdict) =
            if promise.holds { ("good", Sign::Good, "kept") } else { ("bad", Sign::Bad, "broken") };
        let head = format!(r#"{}<p class="what">{}</p>"#, words.title, words.meaning);
        let pill = format!(r#"<p class="pill {tone}">{}{verdict}</p>"#, sign(symbol));
        row("", &head, &[("", parameters(&facts.achieved)), ("", pill)])
    });
    let rows: String = rows.collect();
    section(
        "promises",
        "Promises",
        "What every class of rows that look alike keeps, and the figure of the worst one.",
        &table("joint-promises", "Promises", &["Promise", "Worst class", ""], &rows),
    )
}

/// The figures of a model, whatever it calls them.
fn parameters(achieved: &Value) -> String {
    let entries = achieved.as_object().into_iter().flat_map(Map::iter);
    let entry = |(key, value): (&String, &Value)| match value.as_f64() {
        Some(number) => format!("{} = {}", escape(key), figure(number)),
        None => format!("{} = {}", escape(key), escape(value.as_str().unwrap_or("∞"))),
    };
    entries.map(entry).collect::<Vec<_>>().join(", ")
}

fn changes(solution: &JointSolution) -> String {
    let highest = |column: &str| {
        let levels = solution.highest.iter().flat_map(|levels| &levels.0);
        levels.into_iter().find(|(name, _)| name == column).map(|(_, level)| *level)
    };
    let rows = solution.transformation.0.iter().map(|(column, level)| {
        let what = match (*level, highest(column).unwrap_or_default()) {
            (0, _) => "as it was",
            (level, highest) if level == highest => "fully generalized",
            _ => "coarser",
        };
        let cell = match highest(column) {
            None => level.to_string(),
            Some(highest) => format!("{level} of {highest}"),
        };
        row("", &name(column), &[(NUMBER, cell), ("", what.to_owned())])
    });
    let rows: String = rows.collect();
    let lead = format!(
        "The level of every quasi-identifier in its hierarchy; level 0 is the original. Information lost, by {}: {}.",
        escape(solution.metric),
        figure(solution.loss.unwrap_or(f64::NAN)),
    );
    let levels = table("joint-levels", "Levels", &["Column", "Level", ""], &rows);
    let search = solution.search.as_ref().map_or_else(String::new, searched);
    section("changes", "Changes", &lead, &(levels + &search))
}

/// How the levels were found.
fn searched(search: &JointSearch) -> String {
    let terms = [
        ("Fully checked", counted(search.checks, "transformation", "transformations")),
        ("Tested on few columns", counted(search.subset_tests, "combination", "combinations")),
        ("Algorithm", format!("{}: {}", escape(search.algorithm), algorithm(search.algorithm))),
    ];
    terms_list(&terms)
}

/// What was sent, what each party learned, and what could be concluded.
fn together(federation: &FederationFacts) -> [String; 3] {
    [sent(federation), learned(&federation.told), conclusions(&federation.told)]
}

/// `the helper (north)`: a role of the protocol, and the party that has it, where it is one.
fn role(text: &str) -> String {
    let party = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match party.filter(|(_, party)| *party != "the first party") {
        Some((role, party)) => format!(r#"{} <span class="what">({})</span>"#, escape(role), label(party)),
        None => escape(text),
    }
}

fn sent(federation: &FederationFacts) -> String {
    let rows = federation.told.what_was_sent.iter();
    let rows: String = rows
        .map(|entry| row("", &role(&entry.from), &[("", role(&entry.to)), ("", escape(entry.what))]))
        .collect();
    let messages = |number: u64, bytes: u64| {
        (NUMBER, format!("{}, {} bytes", counted(number, "message", "messages"), count(bytes)))
    };
    let channels = federation.channels.iter().map(|channel| {
        let sent = messages(channel.messages_sent, channel.bytes_sent);
        let received = messages(channel.messages_received, channel.bytes_received);
        row("", &label(&channel.with), &[sent, received])
    });
    let channels: String = channels.collect();
    let body = format!(
        "{}<h3>Between {} and the others</h3>{}",
        table("joint-three", "What was sent", &["From", "To", "What"], &rows),
        label(&federation.party),
        table("joint-channels", "Channels", &["With", "Sent", "Received"], &channels),
    );
    let lead = "Everything that left a party, over encrypted connections between certificates that all parties had agreed on.";
    section("sent", "What was sent", lead, &body)
}

fn learned(told: &ToldFacts) -> String {
    let rows = told.what_each_party_learned.iter();
    let rows: String =
        rows.map(|entry| row("", &label(&entry.party), &[("", escape(entry.learned))])).collect();
    let lead = "Beside its own data, by design of the protocol. Who is not in the list learned no more than that the run took place and how it ended.";
    section(
        "learned",
        "What each party learned",
        lead,
        &table("joint-two", "What each party learned", &["Party", "Learned"], &rows),
    )
}

fn conclusions(told: &ToldFacts) -> String {
    let rows = told.what_could_be_concluded.iter();
    let rows: String = rows
        .map(|entry| row("", &role(&entry.who), &[("", escape(entry.what)), ("", escape(entry.against))]))
        .collect();
    let lead = "What somebody who wants to could find out beyond that, and what stands against it.";
    section(
        "conclusions",
        "What could be concluded",
        lead,
        &table("joint-three", "Conclusions", &["Who", "Could conclude", "What stands against it"], &rows),
    )
}

fn closing(agreement: Option<&str>, data: Option<&str>, federation: Option<&FederationFacts>) -> String {
    let digest = |term: &str, text: &str| {
        format!("<div><dt>{term}</dt><dd><code>{}</code></dd></div>", breakable(text))
    };
    let channel = |channel: &ChannelFacts| {
        let with = label(&channel.with);
        let sent = digest(&format!("Sent to {with}"), &channel.sent_sha256);
        sent + &digest(&format!("Received from {with}"), &channel.received_sha256)
    };
    let mut digests: String = data.map(|sha256| digest("Data file", sha256)).unwrap_or_default();
    let mut check = String::new();
    if let Some(federation) = federation {
        digests += &digest("Agreement of the parties", agreement.unwrap_or_default());
        digests += &digest("Transcript of the run", &federation.transcript);
        digests.extend(federation.channels.iter().map(channel));
        check +=
            "All parties have the same transcript; comparing it shows that they took part in the same run. ";
    }
    check += "Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>.";
    let body = format!(
        include_str!("templates/fingerprints.html"),
        officer = signature("Data protection officer"),
        manager = signature("Data manager"),
        digests = digests,
        check = check,
    );
    let lead = "By signing, the signatories confirm that they have read this report, that the roles of the columns fit the case, and that what could be \
                concluded is accepted for the parties and the intended recipients.";
    section("closing", "Signatures and references", lead, &body)
}

#[cfg(test)]
mod tests;

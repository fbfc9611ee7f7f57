//! The page of a release that several parties made together.

use super::closing::{breakable, signature};
use super::escape::{escape, label, name};
use super::light::{red, yellow};
use super::number::{count, counted, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::promise::Promise;
use super::svg::{Sign, sign};
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
pub fn render_joint(document: &Value) -> String {
    let federation = &document["federation"];
    let mut sections = vec![verdict(document), promises(document), changes(&document["solution"])];
    // How the parties worked together is told in the house only.
    let external = federation.is_null();
    if !external {
        sections.extend([sent(federation), learned(federation), conclusions(federation)]);
    }
    sections.push(closing(document));
    let ours = |anchor: &str| matches!(anchor, "sent" | "learned" | "conclusions");
    let contents: Vec<_> = CONTENTS.into_iter().filter(|(anchor, _)| !external || !ours(anchor)).collect();
    let frame = Frame {
        title: if external { "Joint release report" } else { "Joint release report (internal)" },
        contents: &contents,
        version: &escape(text(&document["paravent"])),
        footer: "The promises are about this release alone; what the parties know from elsewhere is not part of them.",
    };
    page(&frame, &sections)
}

/// What a party that does not hold the release keeps: what it sent, what everybody learned, and what all agreed on.
pub fn render_participation(document: &Value) -> String {
    let federation = &document["federation"];
    let sections = [
        took_part(document),
        sent(federation),
        learned(federation),
        conclusions(federation),
        closing(document),
    ];
    let contents: Vec<_> =
        CONTENTS.into_iter().filter(|(anchor, _)| !matches!(*anchor, "promises" | "changes")).collect();
    let frame = Frame {
        title: "Record of a joint release (internal)",
        contents: &contents,
        version: &escape(text(&document["paravent"])),
        footer: "The release is at another party. This record says what left this house and who learned what.",
    };
    page(&frame, &sections)
}

fn took_part(document: &Value) -> String {
    let federation = &document["federation"];
    let promises = list(&document["privacy"]).iter().filter_map(|promise| promise["model"].as_str());
    let promises = promises.map(escape).collect::<Vec<_>>().join(", ");
    let rows = match document["rows"].as_u64() {
        Some(rows) => format!("It brought {}, encrypted before they left.", counted(rows, "row", "rows")),
        None => "It brought no data.".to_owned(),
    };
    format!(
        r#"<section class="verdict good" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Record</p><h1 id="verdict-title">{} took part in a joint release</h1>
<p class="lead">The run was {}. {rows} The release is at {}, which has confirmed that it was verified and put in its place.
Promised: {promises}.</p>{}</div></div>
</section>"#,
        sign(Sign::Good),
        label(text(&federation["party"])),
        name(text(&federation["run"])),
        label(text(&federation["receiver"])),
        warnings(document),
    )
}

fn warnings(document: &Value) -> String {
    list(&document["warnings"]).iter().map(|warning| format!("<p>{}</p>", label(text(warning)))).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn levels(solution: &Value) -> Vec<(&str, u64, u64)> {
    let transformation = solution["transformation"].as_object().into_iter().flat_map(Map::iter);
    transformation
        .map(|(column, level)| (&column[..], whole(level), whole(&solution["highest"][column])))
        .collect()
}

fn verdict(document: &Value) -> String {
    let (solution, output, federation) =
        (&document["solution"], &document["output"], &document["federation"]);
    let kept = list(&document["privacy"]).iter().all(|promise| promise["holds"] == true)
        && output["verified"] == true;
    let yellow = yellow(document);
    let doubtful =
        yellow.as_ref().map(|yellow| format!("This joint release keeps its promises, {}", yellow.but));
    let (tone, symbol, headline) = if kept && doubtful.is_some() {
        ("half", Sign::Half, doubtful.as_deref().unwrap_or_default())
    } else if document["verdict"]["light"] == "red" && kept {
        ("bad", Sign::Bad, "Do not hand this joint release out")
    } else if kept {
        ("good", Sign::Good, "This joint release keeps its promises")
    } else {
        ("bad", Sign::Bad, "This joint release does not keep its promises")
    };
    let how = match text(&federation["protocol"]) {
        "a" => "protocol A: encrypted in turn by every party, without a helper",
        "b" => "protocol B: a helper that sees ciphertexts searched for all",
        _ => "protocol C: a helper that sees ciphertexts and made-up rows asked for sums",
    };
    let split = if text(&federation["split"]) == "vertical" { "columns" } else { "rows" };
    let best = if solution["optimal"] == true {
        "No other transformation that keeps the promises loses less."
    } else {
        "It is not proven that no other transformation loses less."
    };
    let tile = |term: &str, value: String, what: &str| {
        format!(
            r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span><span class="what">{what}</span></dd></div>"#
        )
    };
    let together = match federation.is_null() {
        true => "Several parties released parts of one table together.".to_owned(),
        false => format!(
            "Several parties held different {split} of one table and released it together as {}, with {how}.",
            name(text(&federation["run"]))
        ),
    };
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1>
<p class="lead">{together} No party saw another’s rows. {best} The
finished files were checked by an independent program.{}</p>{}</div></div>
<dl class="tiles">{}{}{}</dl>
</section>"#,
        sign(symbol),
        yellow.map(|yellow| yellow.words).or_else(|| red(document)).unwrap_or_default(),
        warnings(document),
        tile("Released", count(whole(&output["rows"])), "rows of all parties"),
        tile("Suppressed", count(whole(&solution["suppressed_rows"])), "rows left out"),
        tile(
            "Smallest class",
            count(whole(&solution["smallest_class"])),
            &format!("rows that look alike, in {}", counted(whole(&solution["classes"]), "class", "classes")),
        ),
    )
}

fn promises(document: &Value) -> String {
    let columns = levels(&document["solution"]);
    let quasi_identifiers: Vec<&str> = columns.iter().map(|&(column, ..)| column).collect();
    let rows = list(&document["privacy"]).iter().map(|entry| {
        let Some(promise) = Promise::read(entry) else { return String::new() };
        let words = promise.wording(&quasi_identifiers);
        let (tone, symbol, verdict) =
            if promise.holds { ("good", Sign::Good, "kept") } else { ("bad", Sign::Bad, "broken") };
        let head = format!(r#"{}<p class="what">{}</p>"#, words.title, words.meaning);
        let pill = format!(r#"<p class="pill {tone}">{}{verdict}</p>"#, sign(symbol));
        row("", &head, &[("", parameters(&entry["achieved"])), ("", pill)])
    });
    let rows: String = rows.collect();
    section(
        "promises",
        "Promises",
        "What every class of rows that look alike keeps, and the figure of the worst one.",
        &table("joint-promises", "Promises", &["Promise", "Worst class", ""], &rows),
    )
}

fn parameters(achieved: &Value) -> String {
    let entries = achieved.as_object().into_iter().flat_map(Map::iter);
    let entry = |(key, value): (&String, &Value)| match value.as_f64() {
        Some(number) => format!("{} = {}", escape(key), figure(number)),
        None => format!("{} = {}", escape(key), escape(value.as_str().unwrap_or("∞"))),
    };
    entries.map(entry).collect::<Vec<_>>().join(", ")
}

fn changes(solution: &Value) -> String {
    let rows = levels(solution).into_iter().map(|(column, level, highest)| {
        let what = match level {
            0 => "as it was",
            _ if level == highest => "fully generalized",
            _ => "coarser",
        };
        let cell =
            if solution["highest"].is_null() { level.to_string() } else { format!("{level} of {highest}") };
        row("", &name(column), &[(NUMBER, cell), ("", what.to_owned())])
    });
    let rows: String = rows.collect();
    let lead = format!(
        "The level of every quasi-identifier in its hierarchy; level 0 is the original. Information lost, by {}: {}.",
        escape(text(&solution["metric"])),
        figure(solution["loss"].as_f64().unwrap_or(f64::NAN)),
    );
    section("changes", "Changes", &lead, &table("joint-levels", "Levels", &["Column", "Level", ""], &rows))
}

fn sent(federation: &Value) -> String {
    let rows = list(&federation["what_was_sent"]).iter();
    let rows: String = rows
        .map(|entry| {
            row(
                "",
                &label(text(&entry["from"])),
                &[("", label(text(&entry["to"]))), ("", escape(text(&entry["what"])))],
            )
        })
        .collect();
    let channels = list(&federation["channels"]).iter().map(|channel| {
        let messages = |direction: &str| {
            let (number, bytes) =
                (&channel[format!("messages_{direction}")], &channel[format!("bytes_{direction}")]);
            let (number, bytes) = (counted(whole(number), "message", "messages"), count(whole(bytes)));
            (NUMBER, format!("{number}, {bytes} bytes"))
        };
        row("", &label(text(&channel["with"])), &[messages("sent"), messages("received")])
    });
    let channels: String = channels.collect();
    let body = format!(
        "{}<h3>Between {} and the others</h3>{}",
        table("joint-three", "What was sent", &["From", "To", "What"], &rows),
        label(text(&federation["party"])),
        table("joint-channels", "Channels", &["With", "Sent", "Received"], &channels),
    );
    let lead = "Everything that left a party, over encrypted connections between certificates that all parties had agreed on.";
    section("sent", "What was sent", lead, &body)
}

fn learned(federation: &Value) -> String {
    let rows = list(&federation["what_each_party_learned"]).iter();
    let rows: String = rows
        .map(|entry| row("", &label(text(&entry["party"])), &[("", escape(text(&entry["learned"])))]))
        .collect();
    let lead = "Beside its own data, by design of the protocol. Who is not in the list learned no more than that the run took place and how it ended.";
    section(
        "learned",
        "What each party learned",
        lead,
        &table("joint-two", "What each party learned", &["Party", "Learned"], &rows),
    )
}

fn conclusions(federation: &Value) -> String {
    let rows = list(&federation["what_could_be_concluded"]).iter();
    let rows: String = rows
        .map(|entry| {
            let cells = [("", escape(text(&entry["what"]))), ("", escape(text(&entry["against"])))];
            row("", &label(text(&entry["who"])), &cells)
        })
        .collect();
    let lead = "What somebody who wants to could find out beyond that, and what stands against it.";
    section(
        "conclusions",
        "What could be concluded",
        lead,
        &table("joint-three", "Conclusions", &["Who", "Could conclude", "What stands against it"], &rows),
    )
}

fn closing(document: &Value) -> String {
    let federation = &document["federation"];
    let digest = |term: &str, text: &str| {
        format!("<div><dt>{term}</dt><dd><code>{}</code></dd></div>", breakable(text))
    };
    let data_file =
        document["output"]["sha256"].as_str().map_or_else(String::new, |sha256| digest("Data file", sha256));
    let internal = |text: String| if federation.is_null() { String::new() } else { text };
    let channels = list(&federation["channels"]).iter().map(|channel| {
        let with = label(text(&channel["with"]));
        let sent = digest(&format!("Sent to {with}"), text(&channel["sent_sha256"]));
        sent + &digest(&format!("Received from {with}"), text(&channel["received_sha256"]))
    });
    let body = format!(
        r#"<div class="signatures">{}{}</div>
<h3>Fingerprints (SHA-256)</h3><dl class="terms digests">{}{}{}{}</dl>
<p>{}Whoever has the release can repeat the check from its files
alone with <code>paravent verify</code>.</p>"#,
        signature("Data protection officer"),
        signature("Data manager"),
        data_file,
        internal(digest("Agreement of the parties", text(&document["agreement_sha256"]))),
        internal(digest("Transcript of the run", text(&federation["transcript"]))),
        channels.collect::<String>(),
        internal(
            "All parties have the same transcript; comparing it shows that they took part in the same run. "
                .to_owned()
        ),
    );
    let lead = "By signing, the signatories confirm that they have read this report, that the roles of the columns fit the case, and that what could be \
                concluded is accepted for the parties and the intended recipients.";
    section("closing", "Signatures and references", lead, &body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "paravent": "1.2.3",
            "agreement_sha256": "ab".repeat(32),
            "solution": {
                "transformation": { "age": 2, "sex": 0, "zip": 1 }, "highest": { "age": 2, "sex": 1, "zip": 3 },
                "metric": "nuem", "loss": 12.5, "optimal": true, "suppressed_rows": 3, "classes": 24, "smallest_class": 7,
            },
            "privacy": [
                { "model": "k-anonymity", "required": { "k": 5 }, "achieved": { "k": 7 }, "holds": true },
                { "model": "t-closeness", "required": { "attribute": "job", "t": "0.2", "distance": "equal" },
                  "achieved": { "t": 0.19848944730712217 }, "holds": true },
            ],
            "output": { "path": "here", "rows": 28778, "sha256": "cd".repeat(32), "verified": true },
            "federation": {
                "run": "trial", "protocol": "b", "split": "horizontal", "party": "<b>north", "transcript": "ef".repeat(32),
                "channels": [{ "with": "south", "messages_sent": 1, "bytes_sent": 1192, "messages_received": 2,
                               "bytes_received": 192, "sent_sha256": "12".repeat(32), "received_sha256": "34".repeat(32) }],
                "what_was_sent": [{ "from": "everybody", "to": "the helper", "what": "ciphertexts" }],
                "what_each_party_learned": [{ "party": "<b>north", "learned": "the release" }],
                "what_could_be_concluded": [{ "who": "the helper", "what": "frequencies", "against": "protocol C" }],
            },
        })
    }

    #[test]
    fn every_fact_is_on_the_page_and_in_words() {
        let page = render_joint(&document());
        for fact in [
            "keeps its promises",
            "28\u{202f}778",
            "24 classes",
            "k-anonymity, k = 5",
            "k = 7",
            "0.198",
            "2 of 2",
            "fully generalized",
            "1 of 3",
            "coarser",
            "as it was",
            "ciphertexts",
            "1 message, 1\u{202f}192 bytes",
            "the release",
            "frequencies",
            "protocol C",
            "Signature",
        ] {
            assert!(page.contains(fact), "{fact} is missing");
        }
        for digest in ["ab", "cd", "ef", "12", "34"] {
            assert!(page.contains(&breakable(&digest.repeat(32))));
        }
        assert!(!page.contains("<b>"), "names are escaped");
    }

    #[test]
    fn who_does_not_hold_the_release_has_a_record() {
        let mut document = document();
        document["federation"]["receiver"] = json!("<i>south");
        document["output"] = Value::Null;
        document["rows"] = json!(1200);
        document["warnings"] = json!(["this table was released before"]);
        let page = render_participation(&document);
        for fact in [
            "took part in a joint release",
            "1\u{202f}200 rows",
            "released before",
            "k-anonymity, t-closeness",
            "ciphertexts",
            "frequencies",
            &breakable(&"ef".repeat(32)),
        ] {
            assert!(page.contains(fact), "{fact} is missing");
        }
        assert!(!page.contains("<i>") && !page.contains("<b>"), "names are escaped");
        assert!(!page.contains("Data file"), "it has none");
    }

    #[test]
    fn a_release_that_singles_people_out_is_not_called_good() {
        let mut document = document();
        let reason = "86 of 100 people (86.0 %) are singled out by what is released as it is: lab";
        document["verdict"] = json!({ "light": "yellow", "reasons": [reason] });
        document["warnings"] = json!(["these rows were released before"]);
        let page = render_joint(&document);
        assert!(page.contains("and yet singles people out") && page.contains(reason));
        assert!(page.contains("these rows were released before"));
        assert!(page.contains(r#"class="verdict half""#));
        document["output"]["verified"] = json!(false);
        assert!(render_joint(&document).contains("does not keep its promises"));
    }

    #[test]
    fn a_release_that_was_not_verified_is_not_called_good() {
        let mut document = document();
        document["output"]["verified"] = json!(false);
        assert!(render_joint(&document).contains("does not keep its promises"));
    }
}

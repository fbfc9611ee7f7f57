//! The page as a whole.

mod example;
mod kinds;
mod risk;
mod threats;

use super::render;
use crate::{PromiseFacts, View};
use example::{model, patients};
use paravent_evidence::attack::{Attack, Figure, Outcome, Severity, Unit};
use paravent_job::ModelName;
use serde_json::{Value, json};

/// Written for whoever wants to look at the page: `PARAVENT_REPORT_DIR=/some/folder cargo test report`.
#[test]
fn the_example_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let chosen = std::env::var_os("PARAVENT_REPORT_DIR").map(Into::into);
    let target = chosen.unwrap_or_else(|| folder.path().to_path_buf());
    let mut everything = patients();
    everything.document.privacy = ModelName::ALL.iter().flat_map(|name| model(name.name())).collect();
    everything.document.output = None;
    everything.document.search.optimal = false;
    everything.document.warnings = vec!["rows keep the order of the input".to_owned()];
    everything.row_order = "input";
    for (name, view) in [("report", patients()), ("everything", everything)] {
        std::fs::write(target.join(name).with_extension("html"), render(&view)).unwrap();
    }
}

#[test]
fn all_sections_are_there() {
    let html = render(&patients());
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(html.contains("This release keeps its promises"));
    for id in [
        "verdict", "promises", "threats", "changes", "classes", "risk", "losses", "search", "engineer",
        "closing",
    ] {
        assert_eq!(html.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
    for tag in ["section", "table", "svg", "article", "dl", "tr", "td", "th", "div", "span", "p", "ul", "li"]
    {
        let opened = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

/// A report as officers get it: with what it is about, the three risks, and who was left out.
fn officers() -> View {
    use crate::{AboutFacts, LeftOut, LeftOutGroup, OpinionFacts};
    let mut view = patients();
    view.document.about = Some(AboutFacts {
        title: Some("Hospital stays <2024>".to_owned()),
        recipient: Some("University".to_owned()),
        ..AboutFacts::default()
    });
    let group = |label: &str, rows, suppressed| LeftOutGroup {
        column: "sex".to_owned(),
        label: Some(label.to_owned()),
        rows,
        suppressed,
    };
    let groups = vec![group("f", 900, 9), group("m", 1000, 12), group("d", 65, 65)];
    view.document.suppressed = Some(LeftOut { classes: 3, listed: Vec::new(), groups });
    let figure = Figure { what: "bets won", value: 0.215, unit: Unit::Share };
    let outcome = |attack, severity| Outcome {
        attack,
        subject: Some("diagnosis".to_owned()),
        figure: figure.clone(),
        bound: None,
        severity,
        result: "Some.".to_owned(),
        assumption: "All.",
        details: Vec::new(),
        findings: Vec::new(),
    };
    let level = |level: &str| vec![("level".to_owned(), level.to_owned())];
    let grouped = outcome(Attack::Similarity, Severity::Residual);
    view.document.opinion = Some(OpinionFacts {
        attacks: vec![
            outcome(Attack::SinglingOut, Severity::Covered),
            outcome(Attack::Inference, Severity::Residual),
            Outcome { details: level("1 of the job's hierarchy"), ..grouped.clone() },
            Outcome { details: level("of equal spelling"), ..grouped.clone() },
            Outcome { details: level("of the category of the code"), ..grouped },
            outcome(Attack::Proximity, Severity::NothingFound),
        ],
        not_tested: None,
    });
    view
}

#[test]
fn officers_see_what_they_sign_on_the_first_page() {
    let html = render(&officers());
    let first = html.split("id=\"promises\"").next().unwrap();
    for told in [
        "Hospital stays &lt;2024&gt;",
        "University",
        "not stated",
        "Singling out",
        "Within the promise",
        "Residual risk",
        "Not tested",
        "Left out altogether: <span class=\"name\"><bdi>sex</bdi></span> <bdi>d</bdi>.",
        "100%",
    ] {
        assert!(first.contains(told), "{told}");
    }
    // Lines to sign on are on the page that is printed first, and at the end of the one on a screen.
    assert!(first.contains("class=\"sign-here\"") && html.matches("class=\"signatures later\"").count() == 1);
    // Nothing of the original leaves the house.
    let view = officers();
    let released = view.document.risk.as_ref().unwrap().after.clone();
    let outside = render(&crate::external(&view, released));
    assert!(outside.contains("Hospital stays") && !outside.contains("not stated"));
    for told in ["Singling out</h3>", "Left out altogether", "Residual risk"] {
        assert!(!outside.contains(told), "{told}");
    }
}

/// Beyond the width of a phone a table scrolls in its box; the page does not.
#[test]
fn every_table_stands_in_a_box() {
    for view in [patients(), outside(), officers()] {
        let html = render(&view);
        assert!(html.contains("@media screen { .wide { overflow-x: auto; } }"));
        assert_eq!(html.matches("<table").count(), html.matches("<div class=\"wide\"><table").count());
    }
}

#[test]
fn what_was_tried_is_not_called_untested() {
    let untested = |html: &str| html.split("<h3>Not tested</h3>").nth(1).unwrap().to_owned();
    let asks = "Do different secrets mean the same thing?";
    assert!(untested(&render(&patients())).contains(asks), "nobody tried");
    let html = render(&officers());
    assert!(!untested(&html).contains(asks) && !untested(&html).contains("nearly the same"));
    assert!(html.contains("share of rows in classes with one group of level 1") && html.contains("21.5%"));
    // Outside nobody is told whether it was.
    assert!(!untested(&render(&outside())).contains(asks));
}

#[test]
fn every_sentence_has_a_german_one() {
    let mut dry = patients();
    dry.document.output = None;
    let mut missing: Vec<String> = Vec::new();
    for view in [patients(), outside(), officers(), dry] {
        missing.extend(crate::wording::missing(&render(&view), crate::Lang::De));
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "{} sentences are missing:\n{}", missing.len(), missing.join("\n"));
    let german = render(&View { lang: crate::Lang::De, ..officers() });
    assert!(german.contains("<html lang=\"de\">") && german.contains("Diese Freigabe hält ihre Zusagen"));
    assert!(german.contains("21,5\u{a0}%"), "figures are written in German");
    for tag in
        ["section", "table", "svg", "article", "dl", "tr", "td", "th", "div", "span", "p", "ul", "li", "bdi"]
    {
        let count = |html: &str| html.matches(&format!("<{tag}")).count();
        assert_eq!(count(&german), count(&render(&officers())), "{tag}");
    }
}

/// The view that may be handed out.
fn outside() -> View {
    let view = patients();
    let released = view.document.risk.as_ref().unwrap().after.clone();
    crate::external(&view, released)
}

#[test]
fn the_external_page_tells_nothing_of_search_original_or_job() {
    let html = render(&outside());
    assert!(html.contains("external version") && html.contains("Risk that remains"));
    for told in [
        "id=\"search\"",
        "#search",
        "Before",
        "Table as read",
        "Job file",
        "4\u{202f}320",
        "19\u{202f}813",
        "level 2 of",
    ] {
        assert!(!html.contains(told), "{told}");
    }
    for tag in ["section", "table", "tr", "td", "th", "div", "span"] {
        let opened = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    let mut other = patients();
    other.document.input.distinct_tuples = 7;
    other.document.lattice.nodes = 7;
    other.document.job_sha256 = "another".to_owned();
    other.document.warnings.push("something about earlier releases".to_owned());
    other.document.solution.loss += 0.01;
    other.node_counts = (1, 2, 3);
    let released = other.document.risk.as_ref().unwrap().after.clone();
    other.document.risk.as_mut().unwrap().before.unique_rows += 1;
    for column in &mut other.attributes {
        column.levels.iter_mut().for_each(|level| level.relative_loss = 0.123);
        column.distribution.iter_mut().for_each(|bar| bar.before = Some(0.5));
    }
    assert_eq!(render(&crate::external(&other, released)), html);
}

#[test]
fn the_page_needs_nothing_from_outside() {
    let html = render(&patients());
    for reference in ["http://", "https://", "src=", "url(", "@import", "<script", "<link", "<img", "<iframe"]
    {
        assert!(!html.contains(reference), "{reference}");
    }
}

#[test]
fn the_same_facts_give_the_same_bytes_whatever_the_machine() {
    let mut other = patients();
    other.document.input.seconds = 99.0;
    other.document.search.seconds = 99.0;
    other.document.search.threads = 64;
    other.document.search.peak_bytes = 1 << 40;
    other.document.search.rollups = 12_345;
    let output = other.document.output.as_mut().unwrap();
    output.seconds = 99.0;
    output.path = "/somewhere/else/data.csv".to_owned();
    assert_eq!(render(&other), render(&patients()));
}

#[test]
fn hostile_text_is_inert_wherever_it_comes_from() {
    const HOSTILE: &str = "\"'><script>alert(1)</script></title></style><svg onload=x>&\0";
    let mut view = patients();
    poison_document(&mut view, HOSTILE);
    for column in &mut view.attributes {
        column.name = HOSTILE.to_owned();
        column.data_type = HOSTILE;
        column
            .levels
            .iter_mut()
            .flat_map(|level| &mut level.examples)
            .for_each(|text| *text = HOSTILE.to_owned());
        column.distribution.iter_mut().for_each(|bar| bar.label = Some(HOSTILE.to_owned()));
    }
    view.suppression_limit = HOSTILE.to_owned();
    let html = render(&view);
    assert!(!html.contains("<script") && !html.contains("<svg onload") && !html.contains('\0'));
    assert_eq!(html.matches("</style>").count(), 1);
    assert_eq!(html.matches("</title>").count(), html.matches("<title>").count());
    assert!(html.contains("&lt;script&gt;"));
}

fn poison_document(view: &mut View, hostile: &'static str) {
    let document = &mut view.document;
    document.paravent = hostile;
    document.job_sha256 = hostile.to_owned();
    document.search.algorithm = hostile;
    document.solution.metric = hostile;
    document.solution.losses.insert(hostile.to_owned(), json!(1.0));
    document.warnings.push(hostile.to_owned());
    document.output.as_mut().unwrap().sha256 = hostile.to_owned();
    document.privacy = ModelName::ALL.iter().flat_map(|name| model(name.name())).collect();
    for promise in &mut document.privacy {
        poison(&mut promise.required, hostile);
    }
}

fn poison(value: &mut Value, hostile: &str) {
    match value {
        // Numbers in strings stay: they are thresholds.
        Value::String(text) if text.parse::<f64>().is_err() => *text = hostile.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, hostile)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| poison(field, hostile)),
        _ => {}
    }
}

#[test]
fn every_model_is_worded_and_drawn() {
    for name in ModelName::ALL {
        for promise in model(name.name()) {
            let text = format!("{promise:?}");
            let mut view = patients();
            view.document.privacy = vec![promise];
            let html = render(&view);
            assert_eq!(html.matches("class=\"card promise\"").count(), 1, "{text}");
            assert!(
                html.contains("class=\"gauge\"") && html.contains("This release keeps its promises"),
                "{text}"
            );
            assert!(!html.contains("NaN") && !html.contains(">inf"), "{text}");
        }
    }
}

#[test]
fn figures_without_a_number_are_words() {
    let mut view = patients();
    view.document.privacy = vec![PromiseFacts {
        model: "recursive-l-diversity",
        required: json!({ "attribute": "diagnosis", "c": "3", "l": 4 }),
        achieved: json!({ "c": f64::INFINITY }),
        holds: false,
        loose: None,
    }];
    view.document.solution.losses.insert("aecs".to_owned(), json!(f64::INFINITY));
    let html = render(&view);
    assert!(html.contains("This release does not keep its promises"));
    assert!(html.contains("unbounded") && html.contains("beyond the limit"));
    assert!(!html.contains("NaN") && !html.contains("inf\""));
}

#[test]
fn an_empty_release_is_no_accident() {
    let mut view = patients();
    view.class_sizes.clear();
    view.attributes.clear();
    let solution = &mut view.document.solution;
    (solution.classes, solution.smallest_class, solution.average_class) = (0, 0, 0.0);
    view.document.input.rows = 0;
    view.document.output = None;
    let html = render(&view);
    assert!(html.contains("No class is released.") && !html.contains("NaN") && !html.contains("inf%"));
}

#[test]
fn promises_that_say_nothing_are_called_so() {
    let mut view = patients();
    view.document.privacy.truncate(1);
    view.document.privacy[0].required = json!({ "k": 1 });
    let html = render(&view);
    assert!(html.contains("This release promises nothing"));
    assert!(html.contains("It protects nobody."));
}

#[test]
fn a_dry_run_and_an_unproven_optimum_are_called_so() {
    let mut view = patients();
    view.document.output = None;
    view.document.search.optimal = false;
    let html = render(&view);
    assert!(html.contains("This release would keep its promises") && html.contains("Not proven"));
    assert!(!html.contains("provably"));
    let mut view = patients();
    view.document.output.as_mut().unwrap().verified = false;
    assert!(render(&view).contains("This release has not been verified"));
}

#[test]
fn lengths_tell_no_more_than_whole_percent() {
    let exact = render(&patients());
    let mut near = patients();
    for bar in near.attributes.iter_mut().flat_map(|column| &mut column.distribution) {
        bar.before = bar.before.map(|share| (share * 100.0).round() / 100.0);
    }
    // Shares below a half percent and above 99.5 are written in words, so only look at what is drawn.
    let drawn = |html: &str| {
        html.split("<rect").skip(1).map(|rest| rest.split('>').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(drawn(&exact), drawn(&render(&near)));
}

//! Which promise answers which attack.

use super::example::{model, patients};
use crate::html::facts::Facts;
use crate::html::render;
use crate::html::threats::{Coverage, all};
use crate::{EarlierRelease, Relation, Shared};
use crate::{PromiseFacts, RegisterFacts, View};
use paravent_evidence::attack::{Attack, Figure, Outcome, Severity, Unit};
use serde_json::json;

/// Coverage of a threat under some promises, with `diagnosis` as the only sensitive column.
fn coverage(privacy: Vec<PromiseFacts>, threat: &str) -> Coverage {
    let mut view = patients();
    view.attributes.retain(|column| column.name != "therapy");
    view.document.privacy = privacy;
    coverage_in(&view, threat)
}

fn coverage_in(view: &View, threat: &str) -> Coverage {
    all(&Facts::of(view)).into_iter().find(|row| row.name == threat).unwrap().coverage
}

fn first(name: &str) -> Vec<PromiseFacts> {
    vec![model(name).swap_remove(0)]
}

#[test]
fn k_anonymity_answers_identity_disclosure_and_nothing_else() {
    assert_eq!(coverage(first("k-anonymity"), "Identity disclosure"), Coverage::Full);
    for threat in [
        "Attribute disclosure",
        "Homogeneity",
        "Background knowledge",
        "Skewness",
        "Similarity",
        "Membership disclosure",
    ] {
        assert_eq!(coverage(first("k-anonymity"), threat), Coverage::None, "{threat}");
    }
}

#[test]
fn diversity_implies_class_sizes_but_closeness_does_not() {
    assert_eq!(coverage(first("distinct-l-diversity"), "Identity disclosure"), Coverage::Full);
    assert_eq!(coverage(first("t-closeness"), "Identity disclosure"), Coverage::None);
    assert_eq!(coverage(first("pd-recursive-l-diversity"), "Identity disclosure"), Coverage::None);
    assert_eq!(coverage(first("k-map"), "Identity disclosure"), Coverage::Partly);
}

#[test]
fn counting_values_is_weaker_than_weighing_them() {
    assert_eq!(coverage(first("distinct-l-diversity"), "Attribute disclosure"), Coverage::Partly);
    assert_eq!(coverage(first("entropy-l-diversity"), "Attribute disclosure"), Coverage::Full);
    assert_eq!(coverage(first("recursive-l-diversity"), "Homogeneity"), Coverage::Full);
    assert_eq!(coverage(first("recursive-l-diversity"), "Skewness"), Coverage::Partly);
    assert_eq!(coverage(first("distinct-l-diversity"), "Skewness"), Coverage::None);
}

#[test]
fn only_distances_that_know_similarity_answer_it() {
    let by_distance = |position: usize| vec![model("t-closeness").swap_remove(position)];
    assert_eq!(coverage(by_distance(0), "Similarity"), Coverage::Partly);
    assert_eq!(coverage(by_distance(1), "Similarity"), Coverage::Full);
    assert_eq!(coverage(by_distance(2), "Similarity"), Coverage::Full);
    assert_eq!(coverage(by_distance(0), "Skewness"), Coverage::Full);
}

#[test]
fn a_sensitive_column_without_a_promise_is_not_forgotten() {
    let mut view = patients();
    view.document.privacy = first("recursive-l-diversity");
    assert_eq!(coverage_in(&view, "Homogeneity"), Coverage::Partly);
    let threats = all(&Facts::of(&view));
    let row = threats.iter().find(|row| row.name == "Homogeneity").unwrap();
    assert!(row.remains.contains("Nothing is promised about") && row.remains.contains("therapy"));
}

#[test]
fn without_sensitive_columns_nothing_is_said_about_values() {
    let mut view = patients();
    view.attributes.retain(|column| column.role != "sensitive");
    assert_eq!(coverage_in(&view, "Attribute disclosure"), Coverage::None);
}

#[test]
fn broken_and_empty_promises_protect_nobody() {
    let mut broken = first("k-anonymity");
    broken[0].holds = false;
    assert_eq!(coverage(broken, "Identity disclosure"), Coverage::None);
    let mut empty = first("t-closeness");
    empty[0].required = json!({ "attribute": "diagnosis", "t": "1", "distance": "equal" });
    assert_eq!(coverage(empty, "Skewness"), Coverage::None);
}

#[test]
fn presence_needs_a_promise_of_its_own() {
    assert_eq!(coverage(first("delta-presence"), "Membership disclosure"), Coverage::Full);
    assert_eq!(coverage(first("k-map"), "Membership disclosure"), Coverage::None);
}

#[test]
fn the_order_of_rows_and_other_releases_are_judged() {
    let mut view = patients();
    assert_eq!(coverage_in(&view, "Unsorted matching"), Coverage::Full);
    view.row_order = "input";
    assert_eq!(coverage_in(&view, "Unsorted matching"), Coverage::None);
    assert_eq!(coverage_in(&view, "Linking of several releases"), Coverage::None);
}

/// The example, with an earlier release of half of its rows and what attackers found.
fn after_another(relation: Relation, severity: Option<Severity>) -> View {
    let outcome = |severity| {
        let figure = Figure { what: "fewest people who fit both releases", value: 2.0, unit: Unit::Count };
        Outcome::new(Attack::Composition, severity, figure, "Somebody hides among 2 <rows>.")
            .about("release 1")
    };
    let earlier = EarlierRelease {
        sequence: 1,
        time: "2024-03-09T14:05:00Z".to_owned(),
        release: "secret place".to_owned(),
        relation,
        shared: Some(Shared { rows: 15_000, share: 0.5 }),
        attacks: severity.map(outcome).into_iter().collect(),
        not_attacked: severity.is_none().then(|| "its files are <gone>".to_owned()),
    };
    let mut view = patients();
    view.document.register = Some(RegisterFacts {
        file: "../paravent-register.jsonl".into(),
        id: "ab".to_owned(),
        sequence: 2,
        releases_before: 1,
        previous: "cd".to_owned(),
        earlier: vec![earlier],
    });
    view
}

#[test]
fn earlier_releases_are_judged_by_what_attackers_found() {
    let threat = "Linking of several releases";
    for (relation, severity, expected) in [
        (Relation::Overlap, Some(Severity::Covered), Coverage::Partly),
        (Relation::Overlap, Some(Severity::Residual), Coverage::Partly),
        (Relation::SameInput, Some(Severity::Broken), Coverage::None),
        (Relation::SameInput, None, Coverage::None),
        (Relation::SameRelease, None, Coverage::Partly),
    ] {
        assert_eq!(
            coverage_in(&after_another(relation, severity), threat),
            expected,
            "{relation:?} {severity:?}"
        );
    }
    let html = render(&after_another(Relation::Overlap, Some(Severity::Broken)));
    assert!(
        html.contains("Together with release 1 (about 50% of the rows)")
            && html.contains("more than was promised")
    );
    assert!(html.contains("Together with earlier releases") && html.contains("2 &lt;rows&gt;"));
    assert!(!html.contains("secret place") && !html.contains("2024-03-09T14"), "neither places nor times");
    let html = render(&after_another(Relation::Overlap, None));
    assert!(html.contains("could not be tried: its files are &lt;gone&gt;"));
    // The same file once more is a release of the same rows.
    let same = after_another(Relation::SameRelease, None);
    let html = render(&same);
    assert!(html.contains("An earlier release has the same data file") && !html.contains("No other release"));
    assert!(crate::wording::missing(&html, crate::Lang::De).is_empty());
}

#[test]
fn measured_figures_stand_beside_the_threats_and_what_was_not_tested_is_listed() {
    let html = render(&patients());
    for told in [
        "<strong>16.7%</strong> best chance",
        "<strong>25%</strong> largest share of one value",
        "<strong>3</strong> values must be ruled out",
        "<strong>3.3</strong> times as frequent",
        "For the engineer",
        "--population TABLE",
        "--previous RELEASE",
    ] {
        assert!(html.contains(told), "{told}");
    }
    let html = render(&after_another(Relation::Overlap, Some(Severity::Covered)));
    assert_eq!(html.matches("--previous RELEASE").count(), 2, "one of three was tried");
}

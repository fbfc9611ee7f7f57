//! Which promise answers which attack.

use super::example::{model, patients};
use crate::report::html::facts::Facts;
use crate::report::html::threats::{Coverage, all};
use crate::report::{PromiseFacts, View};
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

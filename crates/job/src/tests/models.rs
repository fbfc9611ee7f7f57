//! Problems of the privacy models.

use super::*;
use crate::{DecimalText, Diversity, Model, PersonRows, Population};

/// The last model of a job that has it, on line 16, besides the two of the right job.
fn check(text: &str, expected: &str) {
    assert_problem(&model(text), &format!("job.toml:16: privacy.models[2].{expected}"));
}

/// A second sensitive attribute, for models that need two.
fn two_sensitive(model: &str) -> String {
    let text = super::model(model);
    text.replace("[privacy]", "[[attributes]]\nname = \"drug\"\nrole = \"sensitive\"\n[privacy]")
}

fn last(text: &str) -> Model {
    parse(text).unwrap().privacy.models.pop().unwrap()
}

#[test]
fn model_names_are_listed() {
    check(
        "{ model = 'k-anonimity', k = 5 }",
        "model: \"k-anonimity\" is not a model. Did you mean \"k-anonymity\"? Possible: k-anonymity, \
         distinct-l-diversity, entropy-l-diversity, recursive-l-diversity, pd-recursive-l-diversity, \
         npd-recursive-l-diversity, multi-attribute-l-diversity, t-closeness, beta-likeness, delta-presence, \
         k-map",
    );
    assert_problem(
        "version = 1\ninput.path = 'a.csv'\nattributes = [{ name = 'a', role = 'quasi-identifier' }]\nprivacy.models = []",
        "job.toml:4: privacy.models: must not be empty. Write e.g. models = [{ model = \"k-anonymity\", k = 5 }]",
    );
}

#[test]
fn parameters_have_ranges() {
    check("{ model = 'k-anonymity', k = 0 }", "k: must be at least 1. Write e.g. k = 5");
    check("{ model = 'k-anonymity', k = 5_000_000_000 }", "k: must be at most 4294967295. Write e.g. k = 5");
    check(
        "{ model = 'distinct-l-diversity', attribute = 'diagnosis', l = 0 }",
        "l: must be at least 1. Write e.g. l = 3",
    );
    check(
        "{ model = 'entropy-l-diversity', attribute = 'diagnosis', l = 0.99 }",
        "l: must be at least 1. Write e.g. l = 2.5",
    );
    check(
        "{ model = 'recursive-l-diversity', attribute = 'diagnosis', c = 0.0, l = 2 }",
        "c: must be above 0. Write e.g. c = 3.0",
    );
    let npd = "model = 'npd-recursive-l-diversity', attribute = 'diagnosis', c = 1, l = 2, allowed = []";
    check(
        &format!("{{ {npd}, c2 = 101, protected = ['x'] }}"),
        "c2: must be a percentage from 0 to 100. Write e.g. c2 = 10",
    );
    check(
        &format!("{{ {npd}, c2 = 5, protected = [] }}"),
        "protected: must not be empty. Write e.g. protected = [\"HIV\"]",
    );
    check(
        "{ model = 't-closeness', attribute = 'diagnosis', t = 1.5 }",
        "t: must be between 0 and 1. Write e.g. t = 0.2",
    );
    check(
        "{ model = 'delta-presence', min = 0.5, max = 0.2, population = 'p.csv' }",
        "max: must not be below min, which is 0.5. Write e.g. max = 0.5",
    );
    check(
        "{ model = 'delta-presence', min = -0.1, max = 0.2, population = 'p.csv' }",
        "min: must be between 0 and 1. Write e.g. min = 0.0",
    );
    for wrong in ["-0.01", "1.01", "2"] {
        let expected = "job.toml:12: privacy.suppression_limit: must be between 0 and 1. \
                        Write e.g. suppression_limit = 0.05";
        assert_problem(&with("0.05", wrong), expected);
    }
}

#[test]
fn thresholds_are_exact_decimals() {
    let limit = |text: &str| parse(&with("0.05", text)).unwrap().privacy.suppression_limit;
    assert_eq!(limit("0.30").as_str(), "0.3");
    assert_eq!(limit("1e-3").as_str(), "0.001");
    assert_eq!(limit("'0.2'").as_str(), "0.2");
    assert_eq!(limit("0.000_000_000_001").as_str(), "0.000000000001");
    let advice = "Write e.g. suppression_limit = 0.05";
    let check = |text: &str, message: &str| {
        assert_problem(
            &with("0.05", text),
            &format!("job.toml:12: privacy.suppression_limit: {message}. {advice}"),
        );
    };
    check("0.1234567890123", "has more than 12 digits after the point");
    check("'1/3'", "must be a decimal number");
    check("nan", "must be a decimal number");
    check("0x1", "must be written with decimal digits");
}

#[test]
fn models_name_sensitive_attributes() {
    check(
        "{ model = 't-closeness', attribute = 'age', t = 0.2 }",
        "attribute: \"age\" has the role quasi-identifier, not sensitive. \
         Name a sensitive attribute, or write role = \"sensitive\" below line 5",
    );
    check(
        "{ model = 't-closeness', attribute = 'diagnoses', t = 0.2 }",
        "attribute: \"diagnoses\" is not declared as an attribute. Did you mean \"diagnosis\"?",
    );
    check(
        "{ model = 't-closeness', attribute = 'income', t = 0.2 }",
        "attribute: \"income\" is not declared as an attribute. Sensitive attributes: \"diagnosis\"",
    );
    // The misspelled role is the problem, not the model that names the attribute.
    assert_eq!(problems(&with("role = \"sensitive\"", "role = \"sensible\"")).len(), 1);
}

#[test]
fn distances_are_checked() {
    check(
        "{ model = 't-closeness', attribute = 'diagnosis', t = 0.2, distance = 'emd' }",
        "distance: \"emd\" is not a distance. \
         Possible: equal, ordered, hierarchical, variation, kullback-leibler",
    );
    check(
        "{ model = 't-closeness', attribute = 'diagnosis', t = 0.2, distance = 'hierarchical' }",
        "distance: the hierarchical distance needs a hierarchy of \"diagnosis\". \
         Write e.g. hierarchy = { file = \"diagnosis.csv\" } in its [[attributes]] block",
    );
    let unlimited =
        "{ model = 't-closeness', attribute = 'diagnosis', t = 1.5, distance = 'kullback-leibler' }";
    assert_eq!(problems(&model(unlimited)), [] as [String; 0]);
}

#[test]
fn several_attributes_at_once() {
    let multi = |rest: &str| format!("{{ model = 'multi-attribute-l-diversity', {rest} }}");
    check(
        &multi("attributes = ['diagnosis'], l = 2"),
        "attributes: must have at least 2 entries. Write e.g. attributes = [\"diagnosis\", \"treatment\"]",
    );
    check(
        &multi("attributes = ['diagnosis', 'diagnosis'], l = 2"),
        "attributes[1]: \"diagnosis\" is listed twice. List each attribute once",
    );
    let both = "attributes = ['diagnosis', 'drug']";
    let read = |rest: &str| last(&two_sensitive(&multi(&format!("{both}, {rest}"))));
    let attributes = vec!["diagnosis".to_owned(), "drug".to_owned()];
    let decimal = |text| DecimalText::new(text).unwrap();
    for (rest, base) in [
        ("l = 2", Diversity::Distinct { l: 2 }),
        ("base = 'entropy', l = 1.5", Diversity::Entropy { l: decimal("1.5") }),
        ("base = 'recursive', l = 2, c = 0.5", Diversity::Recursive { c: decimal("0.5"), l: 2 }),
    ] {
        assert_eq!(
            read(rest),
            Model::MultiAttributeLDiversity(crate::models::MultiAttributeLDiversity {
                attributes: attributes.clone(),
                base
            })
        );
    }
    assert_problem(
        &two_sensitive(&multi(&format!("{both}, l = 2, c = 3"))),
        "job.toml:19: privacy.models[2].c: goes with base = \"recursive\" only. \
         Write base = \"recursive\", or leave it out",
    );
}

#[test]
fn there_is_one_population() {
    let delta = |rest: &str| format!("{{ model = 'delta-presence', min = 0, max = 0.2{rest} }}");
    check(
        &delta(""),
        "population: is missing. Write e.g. population = \"population.csv\" or subset = \"in_study\"",
    );
    check(
        &delta(", population = 'p.csv', subset = 's'"),
        "subset: cannot be together with population. Keep one of the two",
    );
    check(
        &delta(", subset = 'age'"),
        "subset: \"age\" has the role quasi-identifier, but the subset column is dropped. \
         Name a column that only says who is in the table",
    );
    let two = |k_map: &str| model(&format!("{},\n{k_map}", delta(", subset = 's'")));
    assert_problem(
        &two("{ model = 'k-map', k = 3, population = 'p.csv' }"),
        "job.toml:17: privacy.models[3].population: differs from that of privacy.models[2]. \
         A job has one population: name the same in each model",
    );
    let shared = two("{ model = 'k-map', k = 3, subset = 's' }");
    assert_eq!(
        last(&shared),
        Model::KMap(crate::models::KMap { k: 3, population: Population::Subset("s".to_owned()) })
    );
}

/// The right job with one more key in `[privacy]`, on line 12.
fn privacy_with(line: &str) -> String {
    with("suppression_limit", &format!("{line}\nsuppression_limit"))
}

#[test]
fn a_person_is_one_column_or_a_composite_key() {
    let person = |line: &str| parse(&privacy_with(line)).unwrap().privacy.person;
    assert_eq!(person("person = 'age'"), ["age"]);
    assert_eq!(person("person = ['diagnosis', 'age']"), ["diagnosis", "age"]);
    let check = |line: &str, expected: &str| {
        assert_problem(&privacy_with(line), &format!("job.toml:12: privacy.{expected}"));
    };
    check("person = 'agee'", "person: \"agee\" is not declared as an attribute. Did you mean \"age\"?");
    check("person = []", "person: must not be empty. Write e.g. person = \"patient_id\"");
    check("person = ['age', 'age']", "person[1]: \"age\" is listed twice. List each column once");
}

#[test]
fn a_rule_about_the_rows_of_a_person_goes_with_a_key() {
    let rule =
        |line: &str| parse(&privacy_with(&format!("person = 'age'\n{line}"))).unwrap().privacy.person_rows;
    assert_eq!(rule(""), PersonRows::Apart);
    assert_eq!(rule("person_rows = 'together'"), PersonRows::Together);
    assert_eq!(rule("person_rows = 'set'"), PersonRows::Set);
    assert_problem(
        &privacy_with("person_rows = 'together'"),
        "job.toml:12: privacy.person_rows: nobody knows whose rows belong together. \
         Name the columns that say whose row it is: person = \"patient_id\"",
    );
    let refused = |line: &str, model: &str| {
        let text = privacy_with(&format!("person = 'age'\n{line}")).replacen(
            "models = [",
            &format!("models = [ {model},"),
            1,
        );
        parse(&text).unwrap_err().to_string()
    };
    let close = "{ model = 't-closeness', attribute = 'diagnosis', t = 0.2 }";
    assert!(
        refused("person_rows = 'together'", close).contains("t-closeness may be kept by two sets of people")
    );
    let map = "{ model = 'k-map', k = 5, population = 'all.csv' }";
    assert!(
        refused("person_rows = 'set'", map).contains("k-map counts people whose other rows nobody knows")
    );
}

#[test]
fn a_budget_has_an_epsilon_and_perhaps_a_delta() {
    let budget = |line: &str| parse(&privacy_with(line)).unwrap().privacy.budget.unwrap();
    let full = budget("budget = { epsilon = '1.5', delta = '1e-6' }");
    assert_eq!((full.epsilon.as_str(), full.delta.as_str()), ("1.5", "0.000001"));
    assert_eq!(budget("budget = { epsilon = 2 }").delta.as_str(), "0");
    let check = |line: &str, expected: &str| {
        assert_problem(&privacy_with(line), &format!("job.toml:12: privacy.budget.{expected}"));
    };
    check("budget = { epsilon = 0 }", "epsilon: must be above 0. Write e.g. epsilon = \"1\"");
    check("budget = { delta = 0 }", "epsilon: is missing. Write e.g. epsilon = \"1\"");
    check(
        "budget = { epsilon = 1, delta = 1 }",
        "delta: must be at least 0 and below 1. Write e.g. delta = \"1e-6\"",
    );
}

#[test]
fn likeness_has_a_gain_and_a_form() {
    let likeness = |rest: &str| format!("{{ model = 'beta-likeness', attribute = 'diagnosis', {rest} }}");
    check(&likeness("beta = 0"), "beta: must be above 0. Write e.g. beta = 1.0");
    check(
        &likeness("beta = 1, form = 'strict'"),
        "form: \"strict\" is not a form of β-likeness. Possible: basic, enhanced",
    );
    let read = last(&super::model(&likeness("beta = 1.5")));
    let expected = crate::models::BetaLikeness {
        attribute: "diagnosis".to_owned(),
        beta: DecimalText::new("1.5").unwrap(),
        form: crate::models::LikenessForm::Enhanced,
    };
    assert_eq!(read, expected.into());
}

#[test]
fn the_page_is_made_from_the_cards() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    if std::env::var_os("PARAVENT_BLESS").is_some() {
        std::fs::write(&path, crate::models::page()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(
        page == crate::models::page(),
        "docs/models.md is old; run PARAVENT_BLESS=1 cargo test -p paravent-job the_page_is_made"
    );
}

#[test]
fn the_page_of_metrics_is_made_from_the_cards() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let made = paravent_core::quality::page();
    if std::env::var_os("PARAVENT_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == made,
        "docs/metrics.md is old; run PARAVENT_BLESS=1 cargo test -p paravent-job the_page_of_metrics"
    );
}

#[test]
fn the_page_of_algorithms_is_made_from_the_cards() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/algorithms.md");
    let made = paravent_core::search::page();
    if std::env::var_os("PARAVENT_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == made,
        "docs/algorithms.md is old; run PARAVENT_BLESS=1 cargo test -p paravent-job the_page_of_algorithms"
    );
}

#[test]
fn every_key_of_a_card_is_one_that_the_model_reads() {
    for name in crate::ModelName::ALL {
        let card = name.card();
        for text in [card.title, card.statement, card.meaning, card.source] {
            assert!(!text.is_empty(), "{}", card.name);
        }
        // Examples are right, so that only keys that exclude each other can be wrong.
        let keys = card.keys.iter().filter(|key| !matches!(key.name, "subset" | "c" | "attributes"));
        let keys: Vec<String> = keys.map(|key| format!("{} = {}", key.name, key.example)).collect();
        let needs_two = card.keys.iter().any(|key| key.name == "attributes");
        let more = if needs_two { ", attributes = ['diagnosis', 'drug']" } else { "" };
        let c = if card.keys.iter().any(|key| key.name == "c") && !needs_two { ", c = 3.0" } else { "" };
        let text = two_sensitive(&format!("{{ model = '{}', {}{more}{c} }}", card.name, keys.join(", ")));
        assert!(parse(&text).is_ok(), "{text}");
    }
}

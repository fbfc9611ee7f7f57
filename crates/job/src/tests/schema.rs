//! The schema and the parser agree.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::conform::problems;
use super::{RIGHT, strategy, with};
use crate::keys::{Key, Takes};
use crate::models::ModelName;
use crate::{Job, Sample, SampleSource, Setting, schema};

/// As an editor sees it: dates are texts.
fn as_json(text: &str) -> Value {
    plain(toml::Value::Table(text.parse().unwrap()))
}

fn plain(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => json!(date.to_string()),
        toml::Value::Array(entries) => entries.into_iter().map(plain).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, entry)| (key, plain(entry))).collect(),
        other => json!(other),
    }
}

proptest! {
    #[test]
    fn every_job_that_is_read_conforms(job in strategy::job()) {
        let mut job = job;
        // The reader that tests use has no larger numbers; ours has.
        job.output.seed = job.output.seed.map(|seed| seed >> 1);
        if let Some(Sample { source: SampleSource::Seed(seed), .. }) = &mut job.input.sample {
            *seed >>= 1;
        }
        let text = job.to_toml();
        prop_assert_eq!(problems(&schema(), &as_json(&text)), Vec::<String>::new(), "{}", text);
    }
}

#[test]
fn what_the_parser_refuses_does_not_conform() {
    assert_eq!(problems(&schema(), &as_json(RIGHT)), Vec::<String>::new());
    for (old, new) in [
        ("version = 1", "verson = 1"),
        ("role = \"sensitive\"", "role = \"secret\""),
        ("type = \"integer\"", "typ = \"integer\""),
        ("path = \"patients.csv\"", "path = 3"),
        ("k = 5", "kk = 5"),
        ("model = \"k-anonymity\"", "model = \"k-anonymty\""),
        ("[privacy]\n", "[privacy]\nperson_rows = \"all\"\n"),
    ] {
        let text = with(old, new);
        assert!(Job::parse(&text, "job.toml".as_ref()).is_err(), "{new}");
        assert!(!problems(&schema(), &as_json(&text)).is_empty(), "{new}");
    }
}

/// Every key that the parser knows, with its place in the schema.
#[test]
fn every_key_is_in_the_schema() {
    fn look(keys: &[Key], schema: &Value, seen: &mut usize) {
        for key in keys {
            let property = &schema["properties"][key.name];
            assert!(property["description"].is_string(), "{}", key.name);
            *seen += 1;
            let (mut takes, mut place) = (&key.takes, property);
            while let Takes::List(of) | Takes::Named(of) = takes {
                place = if place.get("items").is_some() {
                    &place["items"]
                } else {
                    &place["additionalProperties"]
                };
                takes = of;
            }
            if let Takes::Table(keys) = takes {
                look(keys, place, seen);
            }
        }
    }
    let (schema, mut seen) = (schema(), 0);
    look(crate::sections::KEYS, &schema, &mut seen);
    look(crate::hierarchies::KEYS, &schema["$defs"]["hierarchy"]["anyOf"][1], &mut seen);
    assert!(seen > 70, "{seen}");
    let models = schema["$defs"]["model"]["oneOf"].as_array().unwrap();
    assert_eq!(models.len(), ModelName::ALL.len());
}

/// A list of keys that is written into the parser itself would not be in the schema.
#[test]
fn the_parser_has_no_keys_of_its_own() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut sections = 0;
    for file in files(&here).into_iter().chain(files(&here.join("hierarchies"))) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        sections += text.matches(".allow_keys(walk, ").count();
        let own = text.matches(".allow(walk, ").count() + text.matches(".allow(&mut walk, ").count();
        // What several parties agree on is no job.
        let others = ["terms.rs", "model_walk.rs"].iter().any(|name| file.ends_with(name));
        assert!(own == usize::from(others), "{}: {own}", file.display());
    }
    assert!(sections >= 13, "{sections}");
}

fn set(settings: &[&str]) -> Result<Job, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.toml");
    std::fs::write(&path, RIGHT).unwrap();
    let settings: Vec<Setting> = settings.iter().map(|text| Setting::parse(text).unwrap()).collect();
    Job::load_with_bytes(&path, &settings).map(|(job, _)| job).map_err(|problems| problems.to_string())
}

#[test]
fn keys_can_be_set_beside_the_file() {
    let job = set(&[
        "privacy.models[0].k=7",
        "privacy.models.distinct-l-diversity.l = 2",
        "attributes.age.max_level=3",
        "search.metric=loss",
        "output.path=\"out\"",
        "privacy.suppression_limit=0.5",
        "attributes.age.hierarchy={ intervals = { widths = [5], min = 0, max = 100 } }",
    ])
    .unwrap();
    let same = RIGHT.replace("k = 5", "k = 7").replace("l = 3", "l = 2").replace("0.05", "0.5").replace(
        "type = \"integer\"",
        "type = \"integer\"\nmax_level = 3\nhierarchy = { intervals = { widths = [5], min = 0, max = 100 } }",
    );
    let same = format!("{same}[search]\nmetric = \"loss\"\n[output]\npath = \"out\"\n");
    assert_eq!(job, Job::parse(&same, "job.toml".as_ref()).unwrap());
}

#[test]
fn what_is_set_wrongly_is_told_as_such() {
    for (setting, told) in [
        ("privacy.models[0].k=0", "--set: privacy.models[0].k: must be at least 1. Write e.g. k = 5"),
        ("privacy.models[9].k=7", "--set: privacy.models[9].k: there is no entry 9; they count from 0"),
        (
            "attributes.agee.max_level=3",
            "--set: attributes.agee.max_level: no entry is called \"agee\". Did you mean \"age\"?",
        ),
        ("version.x=3", "--set: version.x: names a part of something that has no parts"),
        ("a..b=3", "--set: a..b: is not a key, which is spelled like privacy.models[0].k"),
    ] {
        assert_eq!(set(&[setting]).unwrap_err(), told);
    }
    let told = set(&["search.metrc=loss"]).unwrap_err();
    assert!(told.starts_with("--set: search.metrc: unknown key. Did you mean metric?"), "{told}");
    assert!(Setting::parse("k").is_err() && Setting::parse("=3").is_err());
    // Keys of the file keep their lines, and later problems of set keys name the setting.
    let job = set(&["attributes.age.max_level=3"]).unwrap();
    assert_eq!(
        job.problem("attributes[0].max_level", "is odd").to_string(),
        "--set: attributes[0].max_level: is odd"
    );
    assert_eq!(job.problem("attributes[0].role", "is odd").line, Some(6));
}

#[test]
fn at_most_twenty_problems_are_shown() {
    let many: String = (0..50).map(|i| format!("key{i} = 1\n")).collect();
    let problems = Job::parse(&format!("{many}{RIGHT}"), "job.toml".as_ref()).unwrap_err();
    assert_eq!(problems.len(), 50);
    let shown = problems.to_string();
    assert_eq!(shown.lines().count(), 21);
    assert!(shown.ends_with("and 30 more"), "{shown}");
}

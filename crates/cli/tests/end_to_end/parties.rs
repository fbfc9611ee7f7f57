//! Several parties in one process.

use crate::support::{Place, patients};

fn simulate(place: &Place, more: &[&str]) -> crate::support::Outcome {
    place.run(&[&["party", "simulate", "paravent.toml", "--metric", "nuem"], more].concat())
}

#[test]
fn every_protocol_makes_the_release_of_a_single_place() {
    let place = Place::new();
    for protocol in ["a", "b", "c"] {
        for split in ["horizontal", "vertical"] {
            let run =
                simulate(&place, &["--protocol", protocol, "--split", split, "--parties", "2", "--json"]);
            let document = run.expect(0).json();
            assert_eq!(document["equals_central"], true, "{protocol} {split}");
            assert_eq!(document["protocol"], protocol);
            let solution = &document["solution"];
            let looks = solution["checks"].as_u64().unwrap() + solution["subset_tests"].as_u64().unwrap();
            assert_eq!(document["round_trips"], if protocol == "c" { looks } else { 0 });
        }
    }
}

#[test]
fn the_text_says_what_it_took_and_who_learns_what() {
    let place = Place::new();
    let run = simulate(&place, &["--protocol", "b", "--leaks"]).expect(0);
    for told in
        ["encrypt", "messages", "Without each other", "The release equals", "the helper learns", "against it"]
    {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
    let names = place.names();
    assert_eq!(names, ["paravent.toml", "patients.csv"]);
}

#[test]
fn what_parties_cannot_do_is_refused_with_a_reason() {
    let place = Place::new();
    simulate(&place, &["--protocol", "a", "--m-privacy"])
        .expect(2)
        .says(&["whose row a row is", "protocol B or C"]);
    simulate(&place, &["--protocol", "b", "--private-keys"]).expect(2).says(&["encrypt equal cells alike"]);
    let job = place.read("paravent.toml");
    let closer = job.replace("models = [", "models = [\n  { model = \"t-closeness\", attribute = \"diagnosis\", t = 0.9, distance = \"ordered\" },");
    let place = Place::with(&closer, patients());
    simulate(&place, &["--protocol", "b"]).expect(2).says(&["order of the values"]);
}

#[test]
fn what_threads_and_compression_bring_is_measured() {
    let place = Place::new();
    let wishes = ["--protocol", "b", "--ablation", "--bandwidth", "88"];
    let document = simulate(&place, &[&wishes[..], &["--json"]].concat()).expect(0).json();
    let ways = document["ablation"].as_array().unwrap();
    let told = |way: usize, key: &str| ways[way][key].clone();
    assert_eq!(ways.len(), 4);
    assert_eq!((told(0, "threads"), told(1, "threads")), (serde_json::Value::Null, 1.into()));
    // Threads change no byte; compression does.
    assert_eq!(told(0, "bytes"), document["bytes"]);
    assert_eq!((told(0, "bytes"), told(2, "bytes")), (told(1, "bytes"), told(3, "bytes")));
    assert!(told(0, "bytes").as_u64() < told(2, "bytes").as_u64());
    assert!(told(0, "transfer_seconds").as_f64() < told(2, "transfer_seconds").as_f64());
    let text = simulate(&place, &wishes).expect(0).out;
    assert!(text.contains("all cores") && text.contains("plain"), "{text}");
}

#[test]
fn tables_are_split_by_site_by_blocks_and_by_chosen_columns() {
    let place = Place::new();
    let by_site = simulate(&place, &["--protocol", "b", "--sites", "sex", "--json"]).expect(0).json();
    assert_eq!((&by_site["parties"], &by_site["equals_central"]), (&2.into(), &true.into()));
    let by_diagnosis =
        simulate(&place, &["--protocol", "c", "--pseudo", "0.2", "--sites", "diagnosis", "--json"]);
    assert_eq!(by_diagnosis.expect(0).json()["equals_central"], true);
    let blocks = simulate(&place, &["--protocol", "a", "--rows", "blocks", "--json"]).expect(0).json();
    assert_eq!(blocks["equals_central"], true);
    let chosen = ["--columns", "age,diagnosis", "--columns", "sex,zip", "--parties", "2"];
    let vertical = [&["--protocol", "b", "--split", "vertical", "--json"], &chosen[..]].concat();
    let document = simulate(&place, &vertical).expect(0).json();
    assert_eq!(document["equals_central"], true);
    let shares = &document["baselines"];
    let share = |key: &str| shares[key].as_f64().unwrap();
    assert!(share("keeping_classes_share") <= 1.0 && share("keeping_classes_bits") >= share("together_bits"));
    simulate(&place, &["--protocol", "b", "--sites", "nowhere"]).expect(2).says(&["no column \"nowhere\""]);
    simulate(&place, &["--protocol", "b", "--columns", "age"]).expect(2).says(&["--split vertical"]);
    let unknown = [
        "--protocol",
        "b",
        "--split",
        "vertical",
        "--parties",
        "2",
        "--columns",
        "age",
        "--columns",
        "ghost",
    ];
    simulate(&place, &unknown).expect(2).says(&["\"ghost\" takes no part"]);
}

#[test]
fn the_cost_model_stands_beside_the_measurement() {
    let place = Place::new();
    for protocol in ["a", "b", "c"] {
        let run = ["--protocol", protocol, "--bandwidth", "88", "--latency", "10", "--json"];
        let document = simulate(&place, &run).expect(0).json();
        let model = &document["model"];
        assert!(model["operations"].as_f64().unwrap() > 0.0 && model["seconds"].as_f64().unwrap() > 0.0);
        let messages = document["messages"].as_f64().unwrap();
        assert!((model["latency_seconds"].as_f64().unwrap() - messages * 0.01).abs() < 1e-9);
        let bytes = document["bytes"].as_f64().unwrap();
        assert!((model["transfer_seconds"].as_f64().unwrap() - bytes * 8.0 / 88e6).abs() < 1e-9);
    }
    let told = simulate(&place, &["--protocol", "b", "--bandwidth", "88"]).expect(0).out;
    assert!(told.contains("Cost model") && told.contains("This network adds"), "{told}");
    simulate(&place, &["--protocol", "b", "--bandwidth", "0"]).expect(2).says(&["more than 0"]);
}

/// What a frequency attack reads of all cells, by who knows how often values occur; and a blind guess.
fn read_by_frequency(place: &Place, more: &[&str]) -> (f64, f64) {
    let document = simulate(place, &[more, &["--leaks", "--json"]].concat()).expect(0).json();
    assert_eq!(document["equals_central"], true);
    let all = &document["frequency_attack"]["all"];
    (all["knowing"].as_f64().unwrap(), all["blind"].as_f64().unwrap())
}

#[test]
fn the_frequency_attack_has_a_figure_for_every_protocol() {
    let place = Place::new();
    for protocol in ["a", "b"] {
        let (knowing, blind) = read_by_frequency(&place, &["--protocol", protocol]);
        assert!(knowing > blind, "{protocol}: {knowing} {blind}");
    }
    // Made-up rows are flat unless somebody says otherwise, and suffice.
    let (flat, blind) = read_by_frequency(&place, &["--protocol", "c"]);
    let (copies, _) =
        read_by_frequency(&place, &["--protocol", "c", "--pseudo-shape", "copies", "--pseudo", "10"]);
    assert!(flat < blind + 0.08 && flat < copies, "{flat} {copies} {blind}");
    let run = simulate(&place, &["--protocol", "c", "--leaks"]).expect(0);
    for told in ["Frequency attack", "blind guess", "Made-up rows", "different combinations"] {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
}

#[test]
fn lowest_levels_are_generalized_before_the_run_and_that_is_said() {
    let place = Place::new();
    let job = place.read("paravent.toml");
    place.write("paravent.toml", job.replace("name = \"age\"", "name = \"age\"\nmin_level = 1"));
    for protocol in ["a", "b", "c"] {
        let run = simulate(&place, &["--protocol", protocol]).expect(0);
        assert!(run.out.contains("generalized to the lowest levels"), "{}", run.out);
    }
}

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

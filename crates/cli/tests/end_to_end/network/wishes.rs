//! What an invitation or a simulation asks for is done, or refused: nothing that was asked for means nothing.

use crate::support::Place;

/// An invitation of two parties and a helper, refused with these words; nothing is written.
fn refused(place: &Place, protocol: &str, split: &str, more: &[&str], why: &str) {
    let args = ["party", "invite", "paravent.toml", "--run", "x", "--protocol", protocol, "--split", split];
    let args = [&args[..], &["--me", "ann", "--party", "ann"]].concat();
    let helper: &[&str] = if protocol == "a" { &[] } else { &["--helper", "hal"] };
    let args = [&args[..], helper, more].concat();
    place.run(&args).expect(2).says(&[why]);
    assert!(!place.path("federation.toml").exists(), "{more:?}");
}

#[test]
fn an_invitation_asks_for_nothing_that_would_go_unheard() {
    let place = Place::new();
    let two = ["--party", "ben"];
    let with = |more: &[&'static str]| [&two[..], more].concat();
    refused(
        &place,
        "b",
        "horizontal",
        &with(&["--pseudo-percent", "20"]),
        "only protocol C has made-up rows",
    );
    refused(
        &place,
        "b",
        "horizontal",
        &with(&["--pseudo-shape", "copies"]),
        "only protocol C has made-up rows",
    );
    refused(&place, "c", "horizontal", &with(&["--loose-identifiers"]), "nothing is compared");
    refused(&place, "c", "horizontal", &with(&["--same-person", "accepted"]), "--same-person goes with");
    let vertical = with(&["--same-person", "accepted", "--identifier", "name"]);
    refused(&place, "b", "vertical", &vertical, "--same-person goes with");
    // The key is named, though the file that would have it is not written.
    refused(&place, "b", "vertical", &two, "identifier: is missing");
    refused(&place, "b", "horizontal", &["--party", "ann"], "parties[1].name: is there twice");
    for name in ["../ben", "a\\b", "two\nlines"] {
        refused(&place, "b", "horizontal", &["--party", name], "parties[1].name: has a slash");
    }
    let same = with(&["--bundle", "federation.toml"]);
    refused(&place, "b", "horizontal", &same, "both have the same name");
}

#[test]
fn a_simulation_gives_every_party_what_a_real_one_would_need() {
    let place = Place::new();
    let simulate = |more: &[&str], why: &str| {
        let args = ["party", "simulate", "paravent.toml", "--protocol", "b"];
        place.run(&[&args[..], more].concat()).expect(2).says(&[why]);
    };
    simulate(&["--split", "vertical", "--parties", "9"], "9 parties, and 4 columns take part");
    let twice = ["--split", "vertical", "--parties", "2", "--columns", "age,sex", "--columns", "zip,age"];
    simulate(&twice, "two parties have \"age\"");
    simulate(&["--pseudo", "0.5"], "only protocol C has made-up rows");
    simulate(&["--pseudo-shape", "blocks"], "only protocol C has made-up rows");
}

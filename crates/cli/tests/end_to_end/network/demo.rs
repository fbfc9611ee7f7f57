//! The job of the demo, and hierarchies of every kind, between real parties.

use super::federation::{Federation, HOLDER_ROWS, Pooled, Split};
use super::makes_the_central_release;
use crate::support::Place;

const FILES: [&str; 2] = ["hierarchies/insurance.csv", "hierarchies/diagnosis.csv"];

/// The demo's job with some of its patients.
fn demo() -> Pooled {
    let place = Place::new();
    place.run(&["demo", "there"]).expect(0);
    let read = |name: &str| place.read(&format!("there/{name}"));
    let table: Vec<String> = read("patients.csv").lines().take(1 + HOLDER_ROWS).map(str::to_owned).collect();
    Pooled {
        job: read("paravent.toml"),
        table: table.join("\n") + "\n",
        hierarchy: None,
        files: FILES.iter().map(|&name| (name.to_owned(), read(name))).collect(),
    }
}

#[test]
fn the_demo_of_real_parties_is_the_demo_of_a_single_place() {
    for protocol in ["a", "b"] {
        let federation = Federation::of(&demo(), protocol, Split::Horizontal, &[]);
        makes_the_central_release(&federation, Split::Horizontal);
        // Not only the rows: what it cost, too.
        let loss = |path: String| federation.place.json(&path)["solution"]["loss"].as_f64().unwrap();
        let joint = loss(format!("{}/release.private/report.json", federation.receiver()));
        let central = loss("release.private/report.json".to_owned());
        assert!((joint - central).abs() < 1e-9, "{protocol}: {joint} is not {central}");
    }
}

#[test]
fn what_a_simulation_promises_real_parties_keep_and_what_one_refuses_the_other_refuses() {
    let demo = demo();
    let federation = Federation::of(&demo, "b", Split::Horizontal, &[]);
    let simulated = ["party", "simulate", "paravent.toml", "--protocol", "b", "--json"];
    assert_eq!(federation.place.run(&simulated).expect(0).json()["equals_central"], true);
    // Counters cannot charge for suppressed values.
    let refusal = "charges for which values are suppressed";
    let simulated = ["party", "simulate", "paravent.toml", "--protocol", "c"];
    federation.place.run(&simulated).expect(2).says(&[refusal]);
    let invited = [
        "party",
        "invite",
        "paravent.toml",
        "--run",
        "x",
        "--protocol",
        "c",
        "--me",
        "ann",
        "--output",
        "c.toml",
    ];
    let invited = [&invited[..], &["--party", "ann", "--party", "ben", "--helper", "hal"]].concat();
    federation.place.run(&invited).expect(2).says(&[refusal]);
    // Nor does a search end after a time, or without a guarantee that nobody waived.
    for (line, refusal) in [
        ("seconds = 5", "search.seconds"),
        ("practical_monotonicity = true", "search.practical_monotonicity"),
        ("recoding = \"local\"", "search.recoding"),
        ("gs_factor = 0.25", "search.gs_factor"),
    ] {
        let job = demo.job.replace("algorithm = \"auto\"", line);
        federation.place.write("paravent.toml", job);
        let simulated = ["party", "simulate", "paravent.toml", "--protocol", "b"];
        federation.place.run(&simulated).expect(2).says(&[refusal]);
        let invited: Vec<&str> = invited.iter().map(|&word| if word == "c" { "b" } else { word }).collect();
        let outcome = federation.place.run(&invited).expect(2).says(&[refusal]);
        if refusal == "search.recoding" {
            // Nobody is asked for an approval of it.
            assert!(outcome.err.contains("parties agree on one level per column"), "{}", outcome.err);
        }
    }
    federation.place.write("paravent.toml", demo.job.replace("\"auto\"", "\"ola\""));
    let invited: Vec<&str> = invited.iter().map(|&word| if word == "c" { "b" } else { word }).collect();
    federation.place.run(&invited).expect(2).says(&["search.algorithm", "cannot guarantee"]);
}

#[test]
fn whose_row_it_is_is_refused_before_anybody_approves() {
    let demo = demo();
    let federation = Federation::of(&demo, "b", Split::Horizontal, &[]);
    let column = demo.table.split(',').next().unwrap();
    let whose = |job: &str| job.replace("[privacy]\n", &format!("[privacy]\nperson = {column:?}\n"));
    federation.place.write("paravent.toml", whose(&demo.job));
    let refusal = ["privacy.person", "parties count rows"];
    federation.place.run(&["party", "simulate", "paravent.toml", "--protocol", "b"]).expect(2).says(&refusal);
    let invited =
        "party invite paravent.toml --run x --protocol b --me ann --output new.toml --party ann --party ben";
    federation.place.run(&invited.split(' ').collect::<Vec<_>>()).expect(2).says(&refusal);
    assert!(!federation.place.path("new.toml").exists());
    // Nor does a party bring a key of its own to what was agreed on without one.
    let own = federation.read("ben/paravent.toml");
    federation.place.write("ben/paravent.toml", whose(&own));
    let before = federation.read("ben/federation.toml");
    let approved = ["party", "approve", "ben/federation.toml", "ben/paravent.toml", "--me", "ben"];
    federation.place.run(&approved).expect(2).says(&refusal);
    assert_eq!(federation.read("ben/federation.toml"), before);
}

#[test]
fn treatments_of_cells_are_refused_before_anybody_approves() {
    let demo = demo();
    let federation = Federation::of(&demo, "b", Split::Horizontal, &[]);
    let own = federation.read("ben/paravent.toml");
    let before = federation.read("ben/federation.toml");
    for (old, new, refusal) in [
        ("[input]\n", "[input]\nsample = { share = 0.5, seed = 1 }\n", "input.sample"),
        ("name = \"age\"\n", "name = \"age\"\ntop = 80\n", "top: a joint run does not treat cells"),
    ] {
        federation.place.write("paravent.toml", demo.job.replace(old, new));
        federation
            .place
            .run(&["party", "simulate", "paravent.toml", "--protocol", "b"])
            .expect(2)
            .says(&[refusal]);
        federation.place.write("ben/paravent.toml", own.replace(old, new));
        let approved = ["party", "approve", "ben/federation.toml", "ben/paravent.toml", "--me", "ben"];
        federation.place.run(&approved).expect(2).says(&[refusal]);
        assert_eq!(federation.read("ben/federation.toml"), before);
    }
}

#[test]
fn a_hierarchy_made_from_rows_is_refused_in_the_same_words_everywhere() {
    let demo = demo();
    let own = "hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }";
    for from_rows in [
        "{ cluster = { sizes = [4, 2] } }",
        "{ ordering = { sizes = [5, 4] } }",
        "{ lump = { least = [10] } }",
    ] {
        let federation = Federation::of(&demo, "b", Split::Horizontal, &[]);
        let edited = |job: &str| {
            let edited = job.replace(own, &format!("hierarchy = {from_rows}"));
            assert_ne!(edited, job);
            edited
        };
        let refusal = [
            "hierarchy",
            "is made from the rows of one table, and no party has those of the others",
            "build it once",
        ];
        federation.place.write("paravent.toml", edited(&demo.job));
        federation
            .place
            .run(&["party", "simulate", "paravent.toml", "--protocol", "b"])
            .expect(2)
            .says(&refusal);
        let invited = "party invite paravent.toml --run x --protocol b --me ann --output new.toml --party ann --party ben --helper hal";
        federation.place.run(&invited.split(' ').collect::<Vec<_>>()).expect(2).says(&refusal);
        assert!(!federation.place.path("new.toml").exists());
        let job = federation.read("ben/paravent.toml");
        federation.place.write("ben/paravent.toml", edited(&job));
        let before = federation.read("ben/federation.toml");
        let joined = "party join ben/federation.toml ben/paravent.toml --me ben --address 127.0.0.1:9 --certificate ben/ben.cert.pem";
        federation.place.run(&joined.split(' ').collect::<Vec<_>>()).expect(2).says(&refusal);
        let approved = ["party", "approve", "ben/federation.toml", "ben/paravent.toml", "--me", "ben"];
        federation.place.run(&approved).expect(2).says(&refusal);
        assert_eq!(federation.read("ben/federation.toml"), before);
        federation.party("ben", &[]).expect(2).says(&refusal);
    }
}

#[test]
fn a_column_that_names_people_is_refused_before_anybody_approves() {
    let demo = demo();
    let federation = Federation::of(&demo, "b", Split::Horizontal, &[]);
    let named = |job: &str| {
        let open =
            job.replace("name = \"name\"\nrole = \"identifying\"", "name = \"name\"\nrole = \"insensitive\"");
        assert_ne!(open, job);
        open
    };
    federation.place.write("paravent.toml", named(&demo.job));
    let invited =
        "party invite paravent.toml --run x --protocol b --me ann --output new.toml --party ann --party ben";
    let refusal = ["name is released as it is", "names of people"];
    federation.place.run(&invited.split(' ').collect::<Vec<_>>()).expect(2).says(&refusal);
    assert!(!federation.place.path("new.toml").exists());
    // Nor does a party bring one later.
    let own = federation.read("ben/paravent.toml");
    federation.place.write("ben/paravent.toml", named(&own));
    let approved = ["party", "approve", "ben/federation.toml", "ben/paravent.toml", "--me", "ben"];
    federation.place.run(&approved).expect(2).says(&refusal);
}

#[test]
fn edits_of_a_joint_release_are_found_or_told() {
    let federation = Federation::agreed_on("b", Split::Horizontal, &[]);
    makes_the_central_release(&federation, Split::Horizontal);
    let release = format!("{}/release", federation.receiver());
    assert!(crate::tampered_kinds::all_are_found_or_told(&federation.place, &release) > 100);
}

#[test]
fn the_order_of_lines_in_a_hierarchy_file_does_not_matter() {
    let federation = Federation::of(&demo(), "b", Split::Horizontal, &[]);
    let file = "ben/hierarchies/insurance.csv";
    let mut lines: Vec<String> = federation.read(file).lines().map(str::to_owned).collect();
    lines.reverse();
    federation.place.write(file, lines.join("\n") + "\n");
    federation.approve("ben");
    makes_the_central_release(&federation, Split::Horizontal);
}

#[test]
fn two_parties_and_one_without_data_make_the_release_of_a_single_place() {
    let federation = Federation::agreed_on("a", Split::Horizontal, &["--without-data", "dan"]);
    assert_eq!(federation.names(), ["dan", "ann", "ben"]);
    makes_the_central_release(&federation, Split::Horizontal);
}

#[test]
fn lowest_levels_of_real_parties_make_the_release_of_a_single_place() {
    // Ages leave as ranges; shares of intervals are the same whatever leaves.
    let mut demo = demo();
    let age = "name = \"age\"\nrole = \"quasi-identifier\"";
    assert!(demo.job.contains(age));
    demo.job = demo.job.replace(age, &format!("{age}\nmin_level = 2"));
    for protocol in ["a", "b"] {
        let federation = Federation::of(&demo, protocol, Split::Horizontal, &[]);
        assert!(federation.read("federation.toml").contains("min_level = 2"));
        makes_the_central_release(&federation, Split::Horizontal);
    }
}

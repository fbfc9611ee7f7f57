//! From one invitation to a record at every party.

use super::federation::{Federation, Split, free_port};
use super::rows;
use crate::support::{JOB, Outcome, Place, names, patients};
use std::process::Child;

const SEX: &str = "f,*\nm,*\n";
const PARTIES: [&str; 3] = ["ann", "ben", "hal"];

/// A place with the pooled table, an invitation as one file, and a folder with a key for each party.
fn invited() -> Place {
    let job = JOB
        .replace(
            "name = \"sex\"\nrole = \"quasi-identifier\"",
            "name = \"sex\"\nrole = \"quasi-identifier\"\nhierarchy = \"sex.csv\"",
        )
        .replace("[output]", "[search]\nmetric = \"nuem\"\n\n[output]");
    let place = Place::with(&job, patients());
    place.write("sex.csv", SEX);
    for name in PARTIES {
        std::fs::create_dir(place.path(name)).unwrap();
        place.run(&["party", "keygen", "--name", name, "--output", name]).expect(0);
    }
    invite(&place, "federation.toml", "invitation.toml");
    place
}

#[track_caller]
fn tells(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    assert!(outcome.out.contains(text), "{text:?} is not in {}", outcome.out);
}

fn invite(place: &Place, federation: &str, bundle: &str) {
    let mut args = vec!["party", "invite", "paravent.toml", "--run", "afternoon", "--protocol", "b"];
    args.extend(["--party", "ann", "--party", "ben", "--helper", "hal", "--me", "ann"]);
    args.extend(["--output", federation, "--bundle", bundle]);
    place.run(&args).expect(0);
    assert!(place.path(bundle).exists());
}

/// Unpacks the invitation, fills in the table and answers.
fn answer(place: &Place, bundle: &str, name: &str, address: &str, answer: &str) -> Outcome {
    let folder = format!("{name}/{}", answer.trim_end_matches(".toml"));
    let unpacked = place.run(&["party", "unpack", bundle, "--output", &folder]).expect(0).out;
    assert!(unpacked.contains("3-sex.csv"), "{unpacked}");
    let (federation, job) = (format!("{folder}/federation.toml"), format!("{folder}/paravent.toml"));
    if name != "hal" {
        place.write(&job, place.read(&job).replace("your-table.csv", "patients.csv"));
        let table = patients();
        let mut lines = table.lines();
        let header = lines.next().unwrap();
        let own: Vec<&str> = lines.skip(usize::from(name == "ben")).step_by(2).collect();
        place.write(&format!("{folder}/patients.csv"), format!("{header}\n{}\n", own.join("\n")));
    }
    let certificate = format!("{name}/{name}.cert.pem");
    let mut args = vec!["party", "join", &federation];
    args.extend((name != "hal").then_some(job.as_str()));
    args.extend(["--me", name, "--address", address, "--certificate", &certificate, "--answer", answer]);
    place.run(&args)
}

fn spawn(place: &Place, name: &str, folder: &str) -> Child {
    let (key, certificate) = (format!("../{name}.key.pem"), format!("../{name}.cert.pem"));
    let mut args = vec!["party", "run", "federation.toml"];
    args.extend((name != "hal").then_some("paravent.toml"));
    args.extend([
        "--me",
        name,
        "--key",
        &key,
        "--certificate",
        &certificate,
        "--yes",
        "--connect-timeout",
        "30",
    ]);
    place.command(&args).current_dir(place.path(folder)).spawn().unwrap()
}

#[test]
fn an_invitation_goes_out_answers_come_back_and_every_party_keeps_a_record() {
    let place = invited();
    place.anonymize(&[]).expect(0);
    let status = |file: &str| place.run(&["party", "status", file, "--json"]).expect(0).json();
    assert_eq!(status("federation.toml")["complete"], false);
    for name in PARTIES {
        let address = format!("127.0.0.1:{}", free_port());
        answer(&place, "invitation.toml", name, &address, &format!("{name}.toml")).expect(0);
    }
    // In another order than they were asked.
    tells(&place.run(&["party", "merge", "federation.toml", "hal.toml", "ben.toml"]), "wait for ann");
    tells(&place.run(&["party", "merge", "federation.toml", "ann.toml", "ben.toml"]), "approve");
    assert_eq!(status("federation.toml")["complete"], true);
    assert_eq!(status("federation.toml")["parties"][1]["state"], "joined");
    let mut running = Vec::new();
    for name in PARTIES {
        let folder = format!("{name}/{name}");
        let (file, job) = (format!("{folder}/federation.toml"), format!("{folder}/paravent.toml"));
        place.write(&file, place.read("federation.toml"));
        let mut args = vec!["party", "approve", &file];
        args.extend((name != "hal").then_some(job.as_str()));
        args.extend(["--me", name]);
        place.run(&args).expect(0);
        tells(&place.run(&["party", "status", &file, "--me", name, "--network"]), "paravent party run");
        running.push(spawn(&place, name, &folder));
    }
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(rows(&place.read("release/data.csv")), rows(&place.read("ann/ann/release/data.csv")));
    assert!(place.read("ann/ann/release.private/federation.toml").contains("afternoon"));
    // The line speaks of what was agreed on.
    assert!(place.read("ann/ann/paravent-register.jsonl").contains("\"k\":3"));
    for (name, base) in [("ben", "release"), ("hal", "federation")] {
        let folder = place.path(&format!("{name}/{name}"));
        let record =
            names(&folder).into_iter().find(|file| file.starts_with(&format!("{base}.joint-"))).unwrap();
        let record = format!("{name}/{name}/{record}");
        let document = place.json(&format!("{record}/report.json"));
        assert_eq!(document["federation"]["party"], name);
        assert!(place.read(&format!("{record}/report.html")).contains("took part in a joint release"));
        assert!(place.read(&format!("{record}/federation.toml")).contains("approved"));
        assert_eq!(document["register"].is_null(), name == "hal", "who has no data has no register");
    }
    tells(&place.run(&["register", "verify", "ben/ben"]), "in place");
    // Whoever releases these rows again hears of it; the receiver's register, further up here, knows what they tell together.
    let again = place.run(&["anonymize", "ben/ben/paravent.toml"]).expect(6);
    let told = format!("{}{}", again.out, again.err);
    assert!(told.contains("released before") && told.contains("another party holds"), "{told}");
    // A record that is changed is told.
    let record = names(&place.path("ben/ben")).into_iter().find(|file| file.contains(".joint-")).unwrap();
    place.write(&format!("ben/ben/{record}/report.html"), "<p>nothing happened</p>");
    let told = place.run(&["register", "verify", "ben/ben"]).expect(1);
    assert!(format!("{}{}", told.out, told.err).contains("report.html"));
}

#[test]
fn answers_that_do_not_belong_together_are_refused() {
    let place = invited();
    answer(&place, "invitation.toml", "ann", "127.0.0.1:7001", "ann.toml").expect(0);
    answer(&place, "invitation.toml", "ann", "127.0.0.1:7009", "moved.toml").expect(0);
    let merge = |answers: &[&str]| place.run(&[&["party", "merge", "federation.toml"], answers].concat());
    let before = place.read("federation.toml");
    merge(&["ann.toml", "moved.toml"]).expect(2).says(&["ann has joined with another address"]);
    invite(&place, "other.toml", "other-invitation.toml");
    answer(&place, "other-invitation.toml", "ben", "127.0.0.1:7002", "ben.toml").expect(0);
    merge(&["ann.toml", "ben.toml"]).expect(2).says(&["ben.toml", "answers another invitation"]);
    let easier = place.read("ann.toml").replace("k = 3", "k = 2");
    place.write("easier.toml", easier);
    merge(&["easier.toml"]).expect(2).says(&["answers another invitation"]);
    assert_eq!(place.read("federation.toml"), before, "nothing was written");
    let damaged = place.read("invitation.toml").replace("f,*", "f,x");
    place.write("damaged.toml", damaged);
    place
        .run(&["party", "unpack", "damaged.toml", "--output", "elsewhere"])
        .expect(2)
        .says(&["damaged on its way"]);
    assert!(!place.path("elsewhere").exists());
}

#[test]
fn columns_come_together_whoever_answers_first() {
    let federation = Federation::agreed("b", Split::Vertical);
    let place = &federation.place;
    let mut args = vec![
        "party",
        "invite",
        "ben/paravent.toml",
        "--run",
        "test",
        "--protocol",
        "b",
        "--split",
        "vertical",
    ];
    args.extend(["--me", "ben", "--party", "ann", "--party", "ben", "--party", "cat", "--helper", "hal"]);
    args.extend(["--identifier", "name", "--output", "one.toml"]);
    place.run(&args).expect(0);
    place.write("two.toml", place.read("one.toml"));
    for name in ["ann", "ben", "cat", "hal"] {
        let (job, certificate) = (format!("{name}/paravent.toml"), format!("{name}/{name}.cert.pem"));
        let (address, answer) = (federation.address(name), format!("{name}.toml"));
        for more in [&["one.toml"][..], &["two.toml", "--answer", &answer]] {
            let mut args = vec!["party", "join", more[0]];
            args.extend((name != "hal").then_some(job.as_str()));
            args.extend(["--me", name, "--address", &address, "--certificate", &certificate]);
            args.extend(&more[1..]);
            place.run(&args).expect(0);
        }
    }
    place.run(&["party", "merge", "two.toml", "hal.toml", "cat.toml", "ann.toml", "ben.toml"]).expect(0);
    assert_eq!(place.read("one.toml"), place.read("two.toml"));
}

#[test]
fn identifiers_may_be_spelled_differently_where_all_agree() {
    let respelled = |federation: &Federation| {
        let table = federation.read("ben/patients.csv");
        let loud = |line: &str| match line.split_once(',') {
            Some((name, rest)) => format!("{}-,{rest}", name.to_uppercase()),
            None => line.to_owned(),
        };
        let mut lines = table.lines();
        let header = lines.next().unwrap().to_owned();
        assert!(header.starts_with("name,"));
        let lines: Vec<String> = std::iter::once(header).chain(lines.map(loud)).collect();
        federation.place.write("ben/patients.csv", lines.join("\n") + "\n");
    };
    let loose = Federation::agreed_on("b", Split::Vertical, &["--loose-identifiers"]);
    respelled(&loose);
    for (_, outcome) in loose.run_all(&[]) {
        outcome.expect(0);
    }
    loose.is_the_central_release();
    let strict = Federation::agreed("b", Split::Vertical);
    respelled(&strict);
    let outcomes = strict.run_all(&[]);
    strict.nobody_has_a_release(outcomes);
}

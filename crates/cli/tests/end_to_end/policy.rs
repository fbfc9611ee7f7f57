//! `policy`.

use super::support::{JOB, Place, patients};

fn with_person() -> Place {
    Place::with(
        &JOB.replace("suppression_limit = 0.1", "suppression_limit = 0.1\nperson = \"name\""),
        patients(),
    )
}

#[test]
fn a_proposal_is_sound_and_lets_only_counts_out() {
    let place = with_person();
    place.run(&["policy", "init", "paravent.toml"]).expect(0);
    let document = place.run(&["--json", "policy", "check", "policy.toml"]).expect(0).json();
    let columns = document["recipients"][0]["tables"][0]["columns"].as_array().unwrap().clone();
    let column = |name: &str| columns.iter().find(|column| column["column"] == name).unwrap().clone();
    for name in ["name", "diagnosis", "zip"] {
        let denied = column(name);
        assert_eq!((&denied["show"], &denied["group"]), (&false.into(), &false.into()), "{name}");
    }
    assert_eq!(column("age")["show"], false);
    assert!(column("age")["group"].is_u64() && column("age")["aggregate"][0] == "count");
    let text = place
        .run(&["policy", "explain", "policy.toml", "--as", "research", "--purpose", "statistics"])
        .expect(0)
        .out;
    assert!(text.contains("research (untrusted) for statistics") && text.contains("patients.age"), "{text}");
    assert!(!place.read("policy.toml").contains("person 1"), "no cell");
    place.run(&["policy", "init", "paravent.toml"]).expect(4).says(&["policy.toml: is there already"]);
}

#[test]
fn a_proposal_without_a_person_has_to_be_finished() {
    let place = Place::new();
    let told = place.run(&["policy", "init", "paravent.toml"]).expect(0).out;
    assert!(told.contains("CHANGE-ME"), "{told}");
    place
        .run(&["policy", "check"])
        .expect(2)
        .says(&["tables[0].person: the job does not declare the column \"CHANGE-ME\""]);
}

#[test]
fn problems_come_together_and_strangers_are_refused() {
    let place = with_person();
    place.run(&["policy", "init", "paravent.toml"]).expect(0);
    let wrong = place
        .read("policy.toml")
        .replace("trust = \"untrusted\"", "trust = \"much\"")
        .replace("min_people = 10", "min_people = 0");
    place.write("wrong.toml", wrong);
    place
        .run(&["policy", "check", "wrong.toml"])
        .expect(2)
        .says(&["recipients[0].trust", "demands[0].min_people"]);
    let ask = |role: &str, purpose: &str| {
        place.run(&["policy", "explain", "policy.toml", "--as", role, "--purpose", purpose])
    };
    ask("reserch", "statistics").expect(7).says(&["refused:", "Did you mean \"research\"?"]);
    let refused = place
        .run(&["--json", "policy", "explain", "policy.toml", "--as", "research", "--purpose", "fun"])
        .expect(7);
    assert_eq!(refused.json()["error"]["kind"], "refused");
    place.run(&["policy", "check", "nowhere.toml"]).expect(4);
    let schema = place.run(&["schema", "policy"]).expect(0).json();
    assert_eq!(schema["title"], "Policy file of Paravent");
}

#[cfg(feature = "sql")]
#[test]
fn a_question_is_answered_once_or_refused() {
    let place = with_person();
    place.run(&["policy", "init", "paravent.toml"]).expect(0);
    let who = ["--as", "research", "--purpose", "statistics"];
    let ask = |sql: &str| place.run(&[&["--json", "ask", "policy.toml", sql], &who[..]].concat());
    let first = ask("SELECT count(*) FROM patients").expect(0).json();
    assert_eq!(
        (&first["columns"], &first["annotation"]["cached"]),
        (&serde_json::json!(["count"]), &false.into())
    );
    let again = ask("SELECT count(1) AS count FROM patients p").expect(0).json();
    assert_eq!((&again["rows"], &again["annotation"]["cached"]), (&first["rows"], &true.into()));
    let refused = ask("SELECT name FROM patients").expect(7).json();
    assert_eq!(refused["error"]["rules"][0], "patients-denied");
    let text = place
        .run(&[&["ask", "policy.toml", "SELECT count(*) FROM patients"], &who[..]].concat())
        .expect(0)
        .out;
    assert!(text.contains("answered before") && text.contains("rules: patients-rows"), "{text}");
    let explained = place
        .run(
            &[
                &["policy", "explain", "policy.toml", "SELECT age, count(*) FROM patients GROUP BY age"],
                &who[..],
            ]
            .concat(),
        )
        .expect(0)
        .out;
    assert!(explained.contains("PrivateAggregate") && explained.contains("group:"), "{explained}");
    place.run(&["ledger", "verify", "--ledger", "state/ledger.jsonl"]).expect(0);
}

#[cfg(feature = "sql")]
#[test]
fn consent_is_given_withdrawn_and_listed() {
    let place = with_person();
    place.run(&["policy", "init", "paravent.toml"]).expect(0);
    place.run(&["consent", "list", "policy.toml"]).expect(2).says(&["the policy asks for no consent"]);
    place.write("policy.toml", format!("{}\n[consent]\n", place.read("policy.toml")));
    let give = ["consent", "give", "policy.toml", "--purpose", "statistics"];
    let told =
        place.run(&[&give[..], &["--person", "person 1", "--person", "person 2"]].concat()).expect(0).out;
    assert!(told.contains("2 people agreed; the next answer knows it."), "{told}");
    place
        .run(&[&give[..], &["--person", "person 1", "--until", "soon"]].concat())
        .expect(2)
        .says(&["2026-11-17"]);
    place.run(&give).expect(2);
    place.write("gone.txt", "person 2\n\n");
    let withdraw = ["consent", "withdraw", "policy.toml", "--people"];
    let told = place.run(&[&withdraw[..], &["gone.txt"]].concat()).expect(0).out;
    assert!(told.contains("1 person withdrew"), "{told}");
    place.run(&[&withdraw[..], &["nowhere.txt"]].concat()).expect(4);
    let listed = place.run(&["--json", "consent", "list", "policy.toml"]).expect(0).json();
    let numbers = &listed["purposes"][0];
    assert_eq!((&numbers["agreed"], &numbers["withdrawn"]), (&1.into(), &1.into()));
    let one = place.run(&["consent", "list", "policy.toml", "--person", "person 2"]).expect(0).out;
    assert!(one.contains("no") && one.contains("withdrawn") && !one.contains("person 2"), "{one}");
    let wrong = ["consent", "withdraw", "policy.toml", "--person", "x", "--purpose", "statistic"];
    place.run(&wrong).expect(2).says(&["Did you mean \"statistics\"?"]);
}

/// A policy with two nodes that hand each other parts.
#[cfg(feature = "sql")]
fn with_nodes() -> Place {
    let place = with_person();
    for name in ["ward", "clinic"] {
        place.run(&["party", "keygen", "--name", name]).expect(0);
    }
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = door.local_addr().unwrap();
    drop(door);
    place.write(
        "policy.toml",
        format!(
            r#"version = 1
name = "two-nodes"

[[tables]]
name = "patients"
job = "paravent.toml"
person = "name"
[tables.domain]
age = {{ min = 0, max = 120 }}

[[recipients]]
role = "research"
purposes = ["statistics"]
budget = {{ epsilon = "2" }}

[[rules]]
id = "rows"
table = "patients"
aggregate = ["count"]
noise = {{ epsilon = "0.5" }}

[[rules]]
id = "age"
table = "patients"
columns = ["age"]
aggregate = ["sum", "avg"]

[[nodes]]
name = "ward"
zone = "house"
tables = ["patients"]
can = ["select", "group", "private"]
certificate = "ward.cert.pem"

[[nodes]]
name = "clinic"
zone = "region"
can = ["project"]
address = "{address}"
certificate = "clinic.cert.pem"
"#
        ),
    );
    place
}

#[cfg(feature = "sql")]
const WHO: [&str; 5] = ["policy.toml", "--as", "research", "--purpose", "statistics"];

#[cfg(feature = "sql")]
#[test]
fn a_part_is_finished_by_another_process_to_the_same_mean() {
    let place = with_nodes();
    place.run(&["keygen"]).expect(0);
    let mean = "SELECT avg(age) AS mean FROM patients";
    let ask = |rest: &[&str]| place.run(&[&["--json", "ask"], &WHO[..], &[mean], rest].concat());
    let whole = ask(&[]).expect(0).json();
    let part = ask(&["--at", "ward", "--output", "part", "--sign", "paravent.key"]).expect(0).json();
    assert_eq!(
        (&part["annotation"]["analysis"]["done"], &part["annotation"]["cached"]),
        (&"partial".into(), &true.into())
    );
    // Another process, in a folder with nothing else.
    let elsewhere = Place::new();
    std::fs::create_dir(elsewhere.path("part")).unwrap();
    for file in ["part/answer.json", "part/part.json", "part/answer.sig", "paravent.key.pub"] {
        elsewhere.write(file, place.read(file));
    }
    let finish = |key: &[&str]| elsewhere.run(&[&["--json", "continue", "part"], key].concat());
    let finished = finish(&["--key", "paravent.key.pub"]).expect(0).json();
    assert_eq!((&finished["rows"], &finished["columns"]), (&whole["rows"], &whole["columns"]));
    assert_eq!(finished["annotation"]["analysis"]["done"], "complete");
    let told = elsewhere.run(&["continue", "part"]).expect(0).out;
    assert!(told.contains("who made it was not checked: part"), "{told}");
    // Changed, unsigned, signed by somebody else.
    let refuse = |key: &[&str]| elsewhere.run(&[&["continue", "part"], key].concat());
    place.run(&["keygen", "other.key"]).expect(0);
    elsewhere.write("other.key.pub", place.read("other.key.pub"));
    refuse(&["--key", "other.key.pub"]).expect(4).says(&["made with another key"]);
    let answer = elsewhere.read("part/answer.json");
    elsewhere.write("part/answer.json", answer.replace("statistics", "marketing"));
    refuse(&[]).expect(4).says(&["is no signature of answer.json"]);
    elsewhere.write("part/answer.json", &answer);
    let figures = elsewhere.read("part/part.json");
    elsewhere.write("part/part.json", figures.replace("[[\"", "[[\"1"));
    refuse(&[]).expect(4).says(&["has other figures than answer.json speaks of"]);
    std::fs::remove_file(elsewhere.path("part/answer.sig")).unwrap();
    refuse(&["--key", "paravent.key.pub"]).expect(4).says(&["answer.sig: is missing"]);
    // A key that is none is found before anything is paid.
    let by_name = |rest: &[&str]| place.run(&[&["--json", "ask"], &WHO[..], rest].concat());
    let dear = "SELECT sum(age), avg(age) FROM patients";
    place.write("none.key", "no key\n");
    by_name(&[dear, "--part", "--output", "dear", "--sign", "none.key"]).expect(4);
    let first = by_name(&[dear]).expect(0).json();
    assert_eq!(first["annotation"]["cached"], false, "nothing was paid before");
    // Complete answers have no part, and a part is never written over another one.
    let count = "SELECT count(*) FROM patients";
    place
        .run(&[&["ask"], &WHO[..], &[count, "--output", "count"]].concat())
        .expect(2)
        .says(&["nothing to finish"]);
    place
        .run(&[&["ask"], &WHO[..], &[mean, "--part", "--output", "part"]].concat())
        .expect(4)
        .says(&["is there already"]);
    place
        .run(&[&["ask"], &WHO[..], &[count, "--at", "clinic"]].concat())
        .expect(7)
        .says(&["has not the table patients"]);
}

#[cfg(feature = "sql")]
#[test]
fn a_part_travels_between_two_processes() {
    let place = with_nodes();
    let mean = "SELECT avg(age) FROM patients";
    place.run(&[&["ask"], &WHO[..], &[mean, "--part", "--output", "part"]].concat()).expect(0);
    let ends = |me: &'static str| {
        let file = |kind: &str| format!("{me}.{kind}.pem");
        ["--from", "ward", "--to", "clinic", "--connect-timeout", "60", "--key"]
            .iter()
            .map(|text| (*text).to_owned())
            .chain([file("key"), "--certificate".to_owned(), file("cert")])
            .collect::<Vec<String>>()
    };
    let run = |first: &[&str], me: &'static str| {
        let ends = ends(me);
        let all: Vec<&str> = first.iter().copied().chain(ends.iter().map(String::as_str)).collect();
        place.run(&all)
    };
    let (sent, received) = std::thread::scope(|scope| {
        let receiver =
            scope.spawn(|| run(&["--json", "part", "receive", "policy.toml", "--output", "came"], "clinic"));
        let sent = run(&["--json", "part", "send", "policy.toml", "part"], "ward");
        (sent, receiver.join().unwrap())
    });
    let (sent, received) = (sent.expect(0).json(), received.expect(0).json());
    assert_eq!(sent["transcript"], received["transcript"]);
    for file in ["answer.json", "part.json"] {
        assert_eq!(place.read(&format!("came/{file}")), place.read(&format!("part/{file}")));
    }
    place.run(&["continue", "came"]).expect(0);
    // What cannot be kept was not accepted, and the giver hears so.
    let (sent, received) = std::thread::scope(|scope| {
        let receiver =
            scope.spawn(|| run(&["part", "receive", "policy.toml", "--output", "nowhere/came"], "clinic"));
        (run(&["part", "send", "policy.toml", "part"], "ward"), receiver.join().unwrap())
    });
    sent.expect(4).says(&["clinic has stopped"]);
    received.expect(4).says(&["nowhere/came"]);
    // A part of another node, and a zone that is too far.
    let mut annotation: serde_json::Value = serde_json::from_str(&place.read("part/answer.json")).unwrap();
    annotation["node"] = serde_json::json!({ "name": "bed", "zone": "flat" });
    std::fs::create_dir(place.path("of-bed")).unwrap();
    place.write("of-bed/part.json", place.read("part/part.json"));
    place.write("of-bed/answer.json", annotation.to_string());
    run(&["part", "send", "policy.toml", "of-bed"], "ward")
        .expect(2)
        .says(&["a part of the node bed, not of ward"]);
    let policy = place.read("policy.toml");
    place.write("policy.toml", policy.replace("zone = \"region\"", "zone = \"cloud\""));
    run(&["part", "send", "policy.toml", "part"], "ward")
        .expect(7)
        .says(&["go no farther than region", "parts_to"]);
    place.write("policy.toml", policy);
    // Another certificate than the policy says is no node.
    run(&["part", "send", "policy.toml", "part"], "clinic").expect(2).says(&["not that of the node ward"]);
    run(&["part", "receive", "policy.toml", "--output", "came"], "clinic")
        .expect(4)
        .says(&["is there already"]);
}

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

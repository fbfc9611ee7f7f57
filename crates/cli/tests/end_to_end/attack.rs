//! `paravent attack`

use crate::support::Place;

fn released() -> Place {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place
}

fn names_nobody(text: &str) -> bool {
    (0..60).all(|number| !text.contains(&format!("person {number}")))
}

#[test]
fn a_release_of_ours_stays_within_its_bounds() {
    let place = released();
    let run = place
        .run(&["attack", "release", "--against", "patients.csv", "--key", "name", "--seed", "1"])
        .expect(0);
    for told in [
        "linking",
        "singling-out",
        "homogeneity",
        "covered",
        "33.33 %",
        "seed: 1",
        "Not tried",
        "--population TABLE",
    ] {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
    let again = place
        .run(&["attack", "release", "--against", "patients.csv", "--key", "name", "--seed", "1"])
        .expect(0);
    assert_eq!(run.out, again.out);
    assert!(names_nobody(&run.out), "no name of the original is shown: {}", run.out);
}

#[test]
fn json_is_one_document_and_pages_are_written() {
    let place = released();
    let args =
        ["attack", "release", "--against", "patients.csv", "--seed", "2", "--out", "evidence", "--json"];
    let json = place.run(&args).expect(0).json();
    assert_eq!((&json["holds"], &json["seed"], &json["broken"]), (&true.into(), &2.into(), &0.into()));
    let linking =
        json["attacks"].as_array().unwrap().iter().find(|attack| attack["attack"] == "linking").unwrap();
    assert!(linking["figure"]["value"].as_f64().unwrap() <= 1.0 / 3.0);
    for (page, told) in
        [("attacks.html", "What attackers would find"), ("attacks-details.html", "Seed of all chance")]
    {
        let html = place.read(&format!("evidence/{page}"));
        assert!(html.contains(told) && names_nobody(&html), "{page}");
    }
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&place.read("evidence/attacks.json")).unwrap(),
        json
    );
    place.run(&args).expect(4);
    place.run(&[&args[..], &["--force"]].concat()).expect(0);
}

#[test]
fn a_broken_promise_is_exit_code_one() {
    let place = released();
    let manifest = place.read("release/manifest.json").replace("\"k\": 3", "\"k\": 30");
    place.write("release/manifest.json", manifest);
    let run = place.run(&["attack", "release", "--against", "patients.csv"]).expect(1);
    assert!(run.out.contains("broken") && run.out.contains("more than was promised"), "{}", run.out);
}

#[test]
fn every_attack_works() {
    let place = Place::new();
    let run = place.run(&["attack", "--self-test", "--seed", "5"]).expect(0);
    assert_eq!(run.out.matches("works\n").count(), 22, "{}", run.out);
    let json = place.run(&["attack", "--self-test", "--seed", "5", "--json"]).expect(0).json();
    assert_eq!(json["trials"].as_array().unwrap().len(), 22);
}

#[test]
fn a_table_of_any_tool_is_attacked_by_name() {
    let place = Place::new();
    place.write(
        "table.csv",
        "age,zip,illness\n20-39,021**,flu\n20-39,021**,flu\n40-59,021**,flu\n40-59,021**,hiv\n",
    );
    let args = ["attack", "table.csv", "--quasi-identifiers", "age,zip", "--sensitive", "illness"];
    let run = place.run(&args).expect(0);
    assert!(run.out.contains("homogeneity (illness)") && run.out.contains("residual"), "{}", run.out);
    // A list in which nothing fits, and an earlier table in which nothing fits.
    place.write("earlier.csv", "age,zip,illness\n30,10115,flu\n30,10115,hiv\n");
    let run = place.run(&[&args[..], &["--previous", "earlier.csv"]].concat()).expect(1);
    assert!(run.out.contains("not compared") && run.out.contains("could not be made"), "{}", run.out);
    place.run(&["attack", "table.csv"]).expect(2).says(&["--quasi-identifiers"]);
}

#[test]
fn a_part_of_the_original_is_not_believed() {
    let place = released();
    let part: String =
        place.read("patients.csv").lines().take(20).fold(String::new(), |text, line| text + line + "\n");
    place.write("part.csv", part);
    let run = place.run(&["attack", "release", "--against", "part.csv"]).expect(2);
    run.says(&["part.csv: has 19 rows"]);
}

#[test]
fn what_does_not_go_together_is_said_once() {
    let place = released();
    place.write("strange.csv", "colour,size\nred,1\n");
    place.write("mars.csv", "zip\nmars\n");
    std::fs::create_dir(place.path("empty")).unwrap();
    let told = |args: &[&str], code: i32, texts: &[&str]| {
        let run = place.run(args).expect(code).says(texts);
        assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
        assert!(!run.err.contains("mars\n"), "{}", run.err);
    };
    told(&["attack", "empty"], 4, &["it has no manifest.json"]);
    told(&["attack", "nowhere"], 4, &["nowhere"]);
    told(
        &["attack", "release", "--external", "strange.csv"],
        2,
        &["strange.csv", "has no quasi-identifier of the release"],
    );
    told(
        &["attack", "release", "--against", "strange.csv"],
        2,
        &["not the table this release was made from"],
    );
    told(&["attack", "release", "--external", "mars.csv"], 2, &["none of its records fits a released row"]);
    told(&["attack", "release", "--only", "membership"], 2, &["membership", "--population TABLE"]);
    told(&["attack", "release", "--only", "magic"], 2, &["there is no such attack", "homogeneity"]);
    told(&["attack", "release", "--protect", "age=3"], 2, &["--protect", "is no sensitive column"]);
    told(&["attack"], 2, &["RELEASE"]);
}

/// The severities of one attack on a table with the columns `q` and `s`.
fn of_table(rows: &[(String, String)], more: &[&str], attack: &str) -> Vec<String> {
    let place = Place::with("", "");
    let lines: String = rows.iter().map(|(q, s)| format!("{q},\"{s}\"\n")).collect();
    place.write("t.csv", format!("q,s\n{lines}"));
    let fixed = [
        "attack",
        "t.csv",
        "--quasi-identifiers",
        "q",
        "--sensitive",
        "s",
        "--k",
        "3",
        "--seed",
        "1",
        "--json",
    ];
    let document = place.run(&[&fixed[..], more].concat()).json();
    let of = document["attacks"].as_array().unwrap().iter().filter(|outcome| outcome["attack"] == attack);
    of.map(|outcome| outcome["severity"].as_str().unwrap().to_owned()).collect()
}

fn classes(values: &[&[&str]]) -> Vec<(String, String)> {
    let class = |(number, values): (usize, &&[&str])| -> Vec<(String, String)> {
        values.iter().map(|value| (format!("c{number}"), (*value).to_owned())).collect()
    };
    values.iter().enumerate().flat_map(class).collect()
}

#[test]
fn three_spellings_are_one_secret() {
    let weak = classes(&[&["Flu", "flu", "FLU "], &["flu", "gout", "hiv"]]);
    assert_eq!(of_table(&weak, &[], "similarity"), ["residual"]);
    let strong = classes(&[&["Flu", "gout", "HIV"], &["flu", "Gout", "hiv"]]);
    assert_eq!(of_table(&strong, &[], "similarity"), ["nothing found"]);
    // Numbers are no spellings of each other.
    let numbers = classes(&[&["1.5", "15", "7"], &["1.5", "15", "7"]]);
    assert!(of_table(&numbers, &[], "similarity").is_empty());
}

#[test]
fn codes_of_one_illness_are_similar_without_a_hierarchy() {
    let weak = classes(&[&["E11.0", "E11.9", "E11.5"], &["E11.0", "I10.9", "K29.1"]]);
    assert_eq!(of_table(&weak, &[], "similarity"), ["residual"]);
    let strong = classes(&[&["E11.0", "J45.9", "E11.5"], &["E11.0", "I10.9", "K29.1"]]);
    assert_eq!(of_table(&strong, &[], "similarity"), ["nothing found"]);
}

#[test]
fn numbers_are_close_however_they_are_written() {
    // One class of nearly equal numbers, or none; as people write them.
    let table = |close: bool, write: &dyn Fn(usize) -> String| -> Vec<(String, String)> {
        let number = |class: usize, row: usize| match (close, class) {
            (true, 0) => 3000 + row,
            _ => 1000 + (class * 5 + row) * 7919 % 6000,
        };
        let cells = (0..8).flat_map(|class| (0..5).map(move |row| (class, row)));
        cells.map(|(class, row)| (format!("c{class}"), write(number(class, row)))).collect()
    };
    let writers: [&dyn Fn(usize) -> String; 5] = [
        &|number| number.to_string(),
        &|number| format!("{number},50 EUR"),
        &|number| format!("{}.{:03},50 EUR", number / 1000, number % 1000),
        &|number| format!("-{number}.5"),
        &|number| if number == 3002 { "unclear".to_owned() } else { format!("{number} mg/l") },
    ];
    for write in writers {
        assert_eq!(of_table(&table(true, write), &[], "proximity"), ["residual"], "{}", write(3001));
        assert_eq!(of_table(&table(false, write), &[], "proximity"), ["nothing found"], "{}", write(3001));
    }
}

#[test]
fn the_hierarchy_of_the_job_says_which_secrets_mean_the_same() {
    // Women have diseases of the lungs, men others: two values each, and one meaning. Strong: both have both.
    let job = "version = 1\n[input]\npath = \"patients.csv\"\n[[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n\
               [[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
               hierarchy = { file = \"organs.csv\" }\n\
               [privacy]\nmodels = [{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 }]\n\
               [output]\npath = \"release\"\nregister = false\n";
    let table = |weak: bool| {
        let row = |row: usize| {
            let sex = row % 2;
            let lungs = if weak { sex == 0 } else { row.is_multiple_of(3) };
            let pair = if lungs { ["flu", "asthma"] } else { ["gout", "angina"] };
            format!("{},{}\n", ["f", "m"][sex], pair[row / 6 % 2])
        };
        format!("sex,diagnosis\n{}", (0..48).map(row).collect::<String>())
    };
    for (weak, word) in [(true, "residual"), (false, "nothing found")] {
        let place = Place::with(job, table(weak));
        place.write("organs.csv", "flu;lungs;*\nasthma;lungs;*\ngout;other;*\nangina;other;*\n");
        place.anonymize(&[]).expect(0);
        let run =
            place.run(&["attack", "release", "--only", "similarity", "--seed", "1", "--json"]).expect(0);
        assert_eq!(run.json()["attacks"][0]["severity"], word, "{}", run.out);
    }
}

//! The first hour: what stands around a table, what a hierarchy is proposed, slips of the pen, and tables of a few rows.

use crate::support::{JOB, Place, patients, table};
use serde_json::Value;

/// Made again and again, and nobody gets any of them.
const UNREGISTERED: [&str; 3] = ["--force", "--set", "output.register=false"];

/// A German export of 400 stays.
fn stays() -> String {
    let towns = ["Ulm", "Bonn", "Aalen"];
    let rows = (0..400).map(|n: usize| {
        let mixed = n * 7919 % 10_007;
        format!(
            "{:02}.{:02}.{};{};{};{};{};{},{}\n",
            1 + mixed % 28,
            1 + mixed % 12,
            1930 + mixed % 70,
            ["m", "w"][mixed / 3 % 2],
            ["81675", "81541", "01067", "04109"][mixed / 5 % 4],
            ["E11.90", "I10", "J44.1", "E11"][mixed / 7 % 4],
            if mixed.is_multiple_of(5) { format!("Ort {}", mixed % 40) } else { towns[mixed % 3].to_owned() },
            160 + mixed % 40,
            mixed % 10,
        )
    });
    std::iter::once("Geburtsdatum;Geschlecht;PLZ;Diagnose;Ort;Größe\n".to_owned()).chain(rows).collect()
}

#[test]
fn titles_and_remarks_around_a_table_are_left_out_and_told() {
    let place = Place::new();
    let plain = stays();
    place.write("plain.csv", &plain);
    place.write(
        "t.csv",
        format!("KIS-Export vom 01.02.2025\nStation: alle, auch 3B\n\n{plain}\nAnzahl: 400\n"),
    );
    let told = place.run(&["init", "t.csv", "--force"]).expect(0).out;
    assert!(
        told.contains("3 lines above the names of the columns are left out as a title (skip = 3"),
        "{told}"
    );
    assert!(told.contains("1 row below the table is left out as a remark or a total (footer = 1"), "{told}");
    let job = place.read("paravent.toml");
    assert!(job.contains("skip = 3") && job.contains("footer = 1"), "{job}");
    let framed = place.anonymize(&[&UNREGISTERED[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(framed["input"]["rows"], 400);
    let data = place.read("release/data.csv");
    place.run(&["utility", "release", "--against", "t.csv"]).expect(0);
    place.run(&["init", "plain.csv", "--force"]).expect(0);
    place.anonymize(&UNREGISTERED).expect(0);
    assert_eq!(place.read("release/data.csv"), data);
    // Without the keys the line is named, and which key helps.
    place.write("paravent.toml", job.replace("skip = 3", "").replace("footer = 1", ""));
    place.anonymize(&UNREGISTERED).expect(2).says(&["If it is a title, say skip = LINES"]);
    place.write("paravent.toml", job.replace("footer = 1", ""));
    place.anonymize(&UNREGISTERED).expect(4).says(&["t.csv, line 406", "footer = ROWS"]);
}

#[test]
fn a_delimiter_at_the_end_of_lines_makes_no_column() {
    let place = Place::new();
    let plain = stays();
    place.write("both.csv", plain.replace('\n', ";\n"));
    let (header, rows) = plain.split_once('\n').unwrap();
    place.write("rows.csv", format!("{header}\n{}", rows.replace('\n', ";\n")));
    for name in ["both.csv", "rows.csv"] {
        place.run(&["init", name, "--force"]).expect(0);
        let report = place.anonymize(&[&UNREGISTERED[..], &["--json"]].concat()).expect(0).json();
        assert_eq!(report["input"]["rows"], 400, "{name}");
        let header = place.read("release/data.csv").lines().next().unwrap().to_owned();
        assert!(!header.ends_with(';'), "{header}");
    }
    place.write("rows.csv", format!("{header}\n{}x\n", rows.replace('\n', ";\n").trim_end()));
    place.run(&["init", "rows.csv", "--force"]).expect(4).says(&["line 401: 7 cells, but the header has 6"]);
}

#[test]
fn build_proposes_what_init_does() {
    let place = Place::new();
    place.write("t.csv", stays());
    place.run(&["init", "t.csv", "--force"]).expect(0);
    let job = place.read("paravent.toml");
    // Left out or not, the job has the description.
    let described = |column: &str| -> Option<String> {
        let from = job.find(&format!("name = \"{column}\"\n")).unwrap();
        let block = job[from..].split("\n\n").next().unwrap();
        let text: String = block.lines().map(|line| line.trim_start_matches("# ").trim_end()).collect();
        let start = text.find("hierarchy = ")?;
        let keys = ["max_level", "min_level"].iter().filter_map(|key| text[start..].find(key)).min();
        Some(text[start..keys.map_or(text.len(), |end| start + end)].to_owned())
    };
    for column in ["Geburtsdatum", "Geschlecht", "PLZ", "Diagnose", "Ort", "Größe"] {
        let built = place.run(&["hierarchy", "build", "--data", "t.csv", "--column", column, "--json"]);
        let built = built.expect(0).json();
        let attribute: String =
            built["proposed"]["attribute"].as_str().unwrap().lines().map(str::trim_end).collect();
        let own = attribute.find("hierarchy = ").map(|start| attribute[start..].to_owned());
        assert_eq!(own, described(column), "{column}: {job}");
        // The file is a hierarchy, and covers the column as the job reads it.
        place.write("h.csv", built["text"].as_str().unwrap());
        place.run(&["hierarchy", "validate", "h.csv"]).expect(0);
    }
    let told =
        place.run(&["hierarchy", "build", "--data", "t.csv", "--column", "PLZ", "--output", "plz.csv"]);
    let told = told.expect(0).out;
    assert!(
        told.contains("Without a file, a job says the same with:") && told.contains("codes = \"plz\""),
        "{told}"
    );
    place
        .run(&["hierarchy", "build", "--data", "t.csv", "--column", "Plz"])
        .expect(2)
        .says(&["has no column `Plz`", "`PLZ`"]);
}

#[test]
fn a_repair_that_is_advised_works() {
    let place = Place::new();
    place.write("t.csv", "town,sex\nUlm,f\nBonn,m\nAalen,f\nKempten,m\n");
    let files = [
        "Ulm;South;*\nUlm;North;*\nBonn;West\n",
        "Ulm;South;*\nBonn;West\n",
        "Ulm;South;*\nBonn;West;*\n",
        "Ulm;South;*;\nBonn;West;*;\n",
        "Ulm;;*\nBonn;West;*\n",
        "Ulm;South;*\nBonn;South;+\n",
        "Ulm;South;*\nBonn;South;*\nAalen;South;+\n",
        "Ulm;\"South;*\nBonn;West;*\n",
        "Ulm\nBonn\n",
        "Ulm;South;A\nBonn;West;B\n",
        "",
    ];
    let (mut advised, mut silent) = (0, 0);
    for text in files {
        for covered in [&[][..], &["--data", "t.csv", "--column", "town"]] {
            place.write("h.csv", text);
            let told = place.run(&[&["hierarchy", "validate", "h.csv"], covered].concat());
            if told.code == Some(0) {
                continue;
            }
            let repair = place.run(&[&["hierarchy", "repair", "h.csv"], covered].concat());
            match told.out.contains("hierarchy repair") {
                true => {
                    repair.expect(0);
                    place.run(&[&["hierarchy", "validate", "h.csv"], covered].concat()).expect(0);
                    advised += 1;
                }
                false => silent += 1,
            }
        }
    }
    assert!(advised >= 5 && silent >= 5, "{advised} {silent}");
}

#[test]
fn slips_of_the_pen_are_answered_with_what_was_meant() {
    let place = Place::new();
    for (wrong, right, meant) in [
        ("{ model = \"k-anonymity\", k", "{ modle = \"k-anonymity\", k", "Did you mean model?"),
        ("k = 3", "kk = 3", "Did you mean k?"),
        ("suppression_limit", "supression_limit", "Did you mean suppression_limit?"),
        ("[output]", "[ouptut]", "Did you mean output?"),
        ("widths", "width", "Did you mean widths?"),
        ("role = \"sensitive\"", "rolle = \"sensitive\"", "Did you mean role?"),
        ("\"quasi-identifier\"", "\"quasi-identifyer\"", "Did you mean \"quasi-identifier\"?"),
        ("\"k-anonymity\"", "\"k-anonimity\"", "Did you mean \"k-anonymity\"?"),
        ("name = \"zip\"", "name = \"Zip\"", "Did you mean \"zip\"?"),
    ] {
        place.write("typo.toml", JOB.replacen(wrong, right, 1));
        place.run(&["anonymize", "typo.toml"]).expect(2).says(&[meant]);
    }
}

#[test]
fn files_that_are_in_the_way_are_told_in_plain_words() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    let commands: [&[&str]; 14] = [
        &["anonymize", "folder"],
        &["anonymize", "nowhere.toml"],
        &["anonymize", "paravent.toml", "--input", "nowhere.csv"],
        &["anonymize", "paravent.toml", "--output", "nowhere/deep/release"],
        &["anonymize", "paravent.toml", "--output", "patients.csv/release"],
        &["attack", "patients.csv"],
        &["attack", "nowhere"],
        &["verify", "nowhere"],
        &["verify", "patients.csv"],
        &["init", "nowhere.csv"],
        &["init", "folder"],
        &["init", "patients.csv", "--output", "folder", "--force"],
        &["hierarchy", "show", "folder"],
        &["check", "patients.csv", "--job", "folder"],
    ];
    for command in commands {
        let run = place.run(command);
        assert!(matches!(run.code, Some(2 | 4)), "{command:?}: {:?} {}", run.code, run.err);
        assert!(!run.err.contains("os error"), "{command:?}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{command:?}: {}", run.err);
    }
}

#[test]
fn messages_name_what_was_given() {
    let place = Place::new();
    place
        .run(&["verify", "patients.csv"])
        .expect(4)
        .says(&["patients.csv: a file, not the directory of a release"]);
    place.run(&["verify", "nowhere"]).expect(4).says(&["nowhere: no such release directory"]);
    place.write("t.csv", "age,sex,age\n1,f,2\n");
    place
        .run(&["init", "t.csv", "--force"])
        .expect(4)
        .says(&["columns 1 and 3 have the same name; rename one of them"]);
    place.write("t.csv", "age,,sex\n1,f,2\n");
    place.run(&["init", "t.csv", "--force"]).expect(4).says(&["column 2 has no name; write one there"]);
    // A line that announces the delimiter is no title, and a plain table needs no plural.
    place.write("t.csv", format!("sep=;\r\nsex;ward\r\n{}", "m;3\r\n".repeat(40)));
    let told = place.run(&["init", "t.csv", "--force"]).expect(0).out;
    assert!(!told.contains("title") && !place.read("paravent.toml").contains("skip"), "{told}");
    let told = place.anonymize(&UNREGISTERED).expect(0).out;
    assert!(told.contains("the only transformation that was allowed"), "{told}");
}

#[test]
fn a_telephone_that_two_share_makes_no_alarm_where_patients_have_numbers() {
    let place = Place::new();
    let row = |n: usize| {
        let phone = if n == 7 { 6 } else { n };
        format!(
            "{n};0171 555{phone:04};{};{};{}\n",
            20 + n % 40,
            ["m", "f"][n % 2],
            ["flu", "gout", "cold"][n % 3]
        )
    };
    let rows: String = (0..240).map(row).collect();
    place.write("t.csv", format!("mrn;phone;age;sex;diagnosis\n{rows}"));
    place.run(&["init", "t.csv", "--force"]).expect(0);
    let told = place.anonymize(&UNREGISTERED).expect(0).out;
    assert!(!told.contains("rows are counted, not people"), "{told}");
}

#[test]
fn tables_of_a_few_rows_are_answered_in_words() {
    let place = Place::new();
    place.write("t.csv", table(0));
    place.run(&["init", "t.csv", "--force"]).expect(2).says(&["has no rows, so nothing can be proposed"]);
    place.write("t.csv", "");
    place.run(&["init", "t.csv", "--force"]).expect(4).says(&["t.csv is empty"]);
    for rows in [1, 3, 10] {
        place.write("t.csv", table(rows));
        let init = place.run(&["init", "t.csv", "--force"]);
        if init.code == Some(0) {
            let run = place.anonymize(&UNREGISTERED);
            match run.code {
                Some(0) => {
                    place.run(&["verify", "release"]).expect(0);
                }
                Some(2) => assert!(rows == 1 && run.err.contains("a single row to release"), "{}", run.err),
                // What can be done about it is told.
                Some(3) => assert!(
                    run.err.contains("makes it possible") || run.err.contains("No single change"),
                    "{}",
                    run.err
                ),
                other => panic!("{rows} rows: {other:?} {}", run.err),
            }
        } else {
            assert!(init.err.contains("row"), "{rows} rows: {}", init.err);
        }
    }
}

#[test]
fn text_for_people_fits_on_a_terminal() {
    let place = Place::new();
    place.write("t.csv", stays());
    let shown = |args: &[&str]| {
        let output = place.command(args).env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        for line in text.lines() {
            let is_word = !line.trim_start().contains(' ');
            assert!(line.chars().count() <= 80 || is_word, "{args:?}: {line}");
        }
        assert!(!text.is_empty(), "{args:?}");
        text
    };
    shown(&["init", "t.csv", "--force"]);
    shown(&["anonymize", "paravent.toml", "--dry-run"]);
    shown(&["anonymize", "paravent.toml"]);
    shown(&["anonymize", "paravent.toml", "--set", "privacy.models.k-anonymity.k=3000", "--force"]);
    for args in [
        &["check", "t.csv", "--job", "paravent.toml"][..],
        &["verify", "release"],
        &["risk", "release"],
        &["attack", "release"],
        &["utility", "release", "--against", "t.csv"],
        &["curve", "paravent.toml", "--k", "2,5"],
        &["compare", "release", "release"],
        &["hierarchy", "build", "--data", "t.csv", "--column", "PLZ", "--output", "plz.csv"],
        &["hierarchy", "show", "plz.csv"],
        &["anonymize", "t.csv"],
        &["--help"],
    ] {
        shown(args);
    }
    // Tables of many columns, such as `register list`, are as wide as their cells.
    // In a pipe nothing is broken, so that programs can read lines.
    let plain = place.run(&["init", "t.csv", "--force"]).expect(0).out;
    assert!(plain.lines().any(|line| line.chars().count() > 80));
}

#[test]
fn truth_values_leave_in_the_words_they_came_in() {
    let column = |data: &str, name: &str| -> Vec<String> {
        let at = data.lines().next().unwrap().split(',').position(|own| own == name).unwrap();
        let mut cells: Vec<String> =
            data.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().to_owned()).collect();
        cells.sort();
        cells.dedup();
        cells
    };
    let job = |more: &str| {
        let declared = format!(
            "[[attributes]]\nname = \"smokes\"\nrole = \"quasi-identifier\"\ntype = \"boolean\"\nmax_level = 0\n{more}\n\
             [[attributes]]\nname = \"ventilated\"\nrole = \"insensitive\"\ntype = \"boolean\"\n\n[privacy]"
        );
        JOB.replace("[privacy]", &declared)
    };
    let rows = |yes: [&str; 2], no: [&str; 2]| -> String {
        let lines = patients();
        let lines = lines.lines().enumerate().map(|(n, line)| match n {
            0 => format!("{line},smokes,ventilated\n"),
            n => format!("{line},{},{}\n", [yes[0], no[0]][n % 2], [yes[1], no[1]][n / 2 % 2]),
        });
        lines.collect()
    };
    let place = Place::with(&job(""), rows(["ja", "1"], ["nein", "0"]));
    place.anonymize(&[]).expect(0);
    let data = place.read("release/data.csv");
    assert_eq!(
        (column(&data, "smokes"), column(&data, "ventilated")),
        (vec!["ja".into(), "nein".into()], vec!["0".into(), "1".into()])
    );
    place.run(&["verify", "release"]).expect(0);
    place.run(&["attack", "release", "--against", "patients.csv"]).expect(0);
    crate::schemas::conforms(&place, "manifest", "release/manifest.json");
    // A word more, and nobody knows which is meant: then it is the engine's.
    let mixed = rows(["ja", "1"], ["nein", "0"]).replacen(",ja,", ",JA,", 1);
    let place = Place::with(&job(""), mixed.clone());
    place.anonymize(&[]).expect(0);
    assert_eq!(column(&place.read("release/data.csv"), "smokes"), ["false", "true"]);
    // The job may say it.
    let place = Place::with(&job("format = \"ja/nein\""), mixed.clone());
    place.anonymize(&[]).expect(0);
    assert_eq!(column(&place.read("release/data.csv"), "smokes"), ["ja", "nein"]);
    let place = Place::with(&job("format = \"nein/ja\""), mixed);
    place.anonymize(&[]).expect(2).says(&["is no pair of words for true and false", "ja/nein"]);
}

#[test]
fn json_says_the_same_in_plain_words() {
    let place = Place::with(JOB, patients());
    let error: Value = place.run(&["verify", "nowhere", "--json"]).json();
    assert!(!error.to_string().contains("os error"), "{error}");
}

/// `script` of util-linux gives the program a terminal. Where there is none, the dialogue is tested without one alone.
#[test]
fn a_job_is_asked_for_on_a_terminal() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_paravent");
    let asked = format!("'{program}' init patients.csv --output asked.toml --ask");
    let mut command = Command::new("script");
    command.args(["-qec", &asked, "/dev/null"]).current_dir(place.path("."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return };
    // Purpose, a k that is none, another one, and the roles: the names are left out, the sex is harmless, the rest as proposed.
    child.stdin.take().unwrap().write_all(b"research\n1\n4\n\n\ni\n\n\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    for said in ["What is the release for?", "Please give a whole number from 2 on.", "What are the columns?"]
    {
        assert!(told.contains(said), "{said}: {told}");
    }
    let job = place.read("asked.toml");
    assert!(job.contains("k = 4") && job.contains("name = \"sex\"\nrole = \"insensitive\""), "{job}");
    place.run(&["anonymize", "asked.toml", "--output", "asked"]).expect(0);
    place.run(&["verify", "asked"]).expect(0);
}

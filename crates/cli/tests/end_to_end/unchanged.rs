//! The verdict covers everything that leaves: columns that are released as they are.

use crate::support::Place;
use std::fmt::Write;

const JOB: &str = r#"version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }

[[attributes]]
name = "extra"
role = "insensitive"

[[attributes]]
name = "diagnosis"
role = "sensitive"

[privacy]
suppression_limit = 0.1
models = [ { model = "k-anonymity", k = 5 }, { model = "distinct-l-diversity", attribute = "diagnosis", l = 2 } ]

[output]
path = "release"
"#;

/// The cell of a row.
type Cell = fn(usize) -> String;

/// So many people with a column of the caller's choice.
fn table(rows: usize, extra: impl Fn(usize) -> String) -> String {
    let mut text = String::from("age,extra,diagnosis\n");
    for row in 0..rows {
        let diagnosis = ["flu", "gout", "asthma", "angina"][row / 3 % 4];
        writeln!(text, "{},\"{}\",{diagnosis}", 20 + row * 7 % 60, extra(row)).unwrap();
    }
    text
}

/// What names of people can be made of.
const NAMES: [(&str, &str); 8] = [
    ("Anna Bert Carl Dora Emil Frida Georg Hanna", "Schmidt Quirk Zorn Lund Weber Okoye"),
    ("Иван Мария Ольга Сергей Елена Павел Нина Юрий", "Петров Иванова Ким Толстой Орлов Белый"),
    ("محمد فاطمة خالد مريم سارة يوسف علي ليلى", "منصور حداد سعيد نجار عيسى خوري"),
    ("Γιώργος Ελένη Νίκος Μαρία Κώστας Άννα Δημήτρης Σοφία", "Παππάς Βλάχου Δήμου Ράλλη Μάνος Ζήση"),
    ("दीपक प्रिया राहुल नेहा अमित पूजा विजय सीता", "शर्मा सिंह वर्मा गुप्ता जोशी पटेल"),
    ("דוד שרה משה רחל יוסף לאה דניאל תמר", "כהן לוי פרץ ביטון דהן אזולאי"),
    ("王 李 张 刘 陈 杨 赵 黄", "伟 娜 敏 洋 静 磊"),
    ("김 이 박 최 정 강 조 윤", "민준 서연 지훈 수빈 예은 도윤"),
];

fn name((given, other): (&str, &str), row: usize) -> String {
    let (given, other): (Vec<&str>, Vec<&str>) = (given.split(' ').collect(), other.split(' ').collect());
    let glue = if given[0].chars().count() == 1 { "" } else { " " };
    format!("{}{glue}{}", given[row % given.len()], other[row / given.len() % other.len()])
}

#[test]
fn a_column_that_names_people_is_refused_in_any_script() {
    for script in NAMES {
        let place = Place::with(JOB, table(120, |row| name(script, row)));
        let refused = place.anonymize(&[]).expect(2).says(&[
            "paravent.toml:14",
            "extra",
            "names of people",
            "as it is",
        ]);
        assert!(!refused.err.contains(&name(script, 0)), "no cell is told: {}", refused.err);
        assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
    }
}

#[test]
fn identifiers_are_refused_under_a_harmless_name() {
    let cases: [(Cell, &str); 8] = [
        (|row| format!("u{row}@example.org"), "e-mail addresses"),
        (|row| format!("+49 171 {:07}", row * 7919), "telephone numbers"),
        (|row| format!("0171{:07}", row * 7919), "telephone numbers"),
        (|row| format!("{:03}-{:02}-{:04}", row + 100, row % 90 + 10, row * 31), "social security numbers"),
        (|row| format!("{}", 100_000 + row * 7919 % 900_000), "handed out"),
        (|row| format!("PX-{:05}-{}", row * 7919 % 100_000, row % 10), "almost everybody"),
        (|row| format!("10.{}.{}.7", row / 100, row % 100), "addresses on the net"),
        (|row| format!("Hauptstraße {row}"), "postal addresses"),
    ];
    for (extra, looks) in cases {
        let place = Place::with(JOB, table(120, extra));
        place.anonymize(&[]).expect(2).says(&["attributes[1].role", looks]);
        place.anonymize(&["--dry-run"]).expect(2).says(&[looks]);
    }
}

#[test]
fn what_many_share_passes_with_a_green_verdict() {
    let cases: [(&str, Cell); 7] = [
        ("email_consent", |row| ["yes", "no"][row % 2].into()),
        ("phone", |row| (row % 2).to_string()),
        ("ward", |row| if row == 5 { "rare".into() } else { ["A", "B", "C"][row % 3].into() }),
        ("diagnosis_code", |row| ["E11.9", "I10.90", "J45.0", "K29.1", "G40.3"][row % 5].into()),
        ("illness", |row| ["Influenza", "Gastritis", "Asthma", "Diabetes mellitus"][row % 4].into()),
        ("year", |row| (2010 + row % 12).to_string()),
        ("name", |row| ["north", "south", "east"][row % 3].into()),
    ];
    for (column, extra) in cases {
        let job = JOB.replace("name = \"extra\"", &format!("name = \"{column}\""));
        let place = Place::with(&job, table(120, extra).replace("age,extra,", &format!("age,{column},")));
        let document = place.anonymize(&["--json"]).expect(0).json();
        assert_eq!(document["verdict"]["light"], "green", "{column}: {}", document["unchanged"]);
        assert!(place.read("release/report.html").contains("class=\"verdict good\""), "{column}");
    }
}

#[test]
fn exact_values_keep_the_promises_and_the_verdict_from_being_green() {
    // 86 of 100 people have a value of their own.
    let lab = |row: usize| if row < 86 { format!("{}.{:02}", 4 + row % 3, row) } else { "9.99".to_owned() };
    let place = Place::with(JOB, table(100, lab));
    let told =
        place.anonymize(&[]).expect(0).says(&["no green verdict", "86 of 100 people (86.0 %)", "extra"]);
    assert!(told.out.contains("86 of 100 people (86.0 %)") && told.out.contains("yellow"), "{}", told.out);
    let document = place.anonymize(&["--json", "--force"]).expect(0).json();
    assert_eq!(document["verdict"]["light"], "yellow");
    assert_eq!(document["unchanged"]["singled_out"], 86);
    assert_eq!(document["unchanged"]["people"], 100);
    for page in ["release/report.html", "release.private/report.html"] {
        let page = place.read(page);
        assert!(page.contains("class=\"verdict half\"") && page.contains("86 of 100 people"), "no green");
    }
    assert_eq!(place.json("release/report.json")["unchanged"]["singled_out"], 86);
    // A dry run and a quiet run say it as well.
    assert_eq!(place.anonymize(&["--json", "--dry-run"]).expect(0).json()["verdict"]["light"], "yellow");
    place.anonymize(&["--quiet", "--force"]).expect(0).says(&["no green verdict"]);
}

#[test]
fn one_in_ten_is_the_limit() {
    for (alone, light) in [(10, "green"), (11, "yellow")] {
        let lab =
            |row: usize| if row < alone { format!("{row}.5") } else { ["7.5", "8.5"][row % 2].to_owned() };
        let lab = |row: usize| if row < alone { format!("1{}", lab(row)) } else { lab(row) };
        let place = Place::with(JOB, table(100, lab));
        let document = place.anonymize(&["--json"]).expect(0).json();
        assert_eq!(document["verdict"]["light"], light, "{}", document["unchanged"]);
    }
}

#[test]
fn columns_that_are_harmless_alone_are_counted_together() {
    let job = JOB.replace(
        "[[attributes]]\nname = \"diagnosis\"",
        "[[attributes]]\nname = \"other\"\nrole = \"insensitive\"\n\n[[attributes]]\nname = \"diagnosis\"",
    );
    let mut text = String::from("age,extra,other,diagnosis\n");
    for row in 0..100usize {
        writeln!(text, "{},{},{},{}", 20 + row * 7 % 60, row % 10, row / 10, ["flu", "gout"][row % 2])
            .unwrap();
    }
    let document = Place::with(&job, text).anonymize(&["--json"]).expect(0).json();
    assert_eq!(document["unchanged"]["singled_out"], 100);
    assert_eq!(document["unchanged"]["columns"][0]["singled_out"], 0);
    assert_eq!(document["verdict"]["light"], "yellow");
}

#[test]
fn the_owners_word_lets_a_column_pass_and_the_figure_stays() {
    let job = JOB.replace("role = \"insensitive\"", "role = \"insensitive\"\nrelease = \"as it is\"");
    let place =
        Place::with(&job, table(120, |row| format!("{} {row}", name(NAMES[0], row).replace(' ', "-"))));
    let named = Place::with(&job, table(120, |row| name(NAMES[0], row)));
    named.anonymize(&[]).expect(0);
    let document = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(document["verdict"]["light"], "yellow");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("leaves because the job says"), "{warnings}");
}

#[test]
fn people_are_counted_where_the_job_says_who_they_are() {
    // Six rows each: as rows nobody is alone, as people everybody is.
    let job = JOB
        .replace(
            "[[attributes]]\nname = \"age\"",
            "[[attributes]]\nname = \"pid\"\nrole = \"identifying\"\n\n[[attributes]]\nname = \"age\"",
        )
        .replace("suppression_limit", "person = \"pid\"\nsuppression_limit");
    let mut text = String::from("pid,age,extra,diagnosis\n");
    for row in 0..240usize {
        let person = row / 6;
        writeln!(text, "{person},{},{}.5,{}", 20 + person * 7 % 60, person, ["flu", "gout"][row % 2])
            .unwrap();
    }
    let document = Place::with(&job, &text).anonymize(&["--json"]).expect(0).json();
    assert_eq!(document["unchanged"]["people"], document["unchanged"]["singled_out"]);
    assert_eq!(document["verdict"]["light"], "yellow");
    let rows =
        Place::with(&job.replace("person = \"pid\"\n", ""), &text).anonymize(&["--json"]).expect(0).json();
    assert_eq!(rows["unchanged"]["singled_out"], 0);
    // But that rows are no people is said.
    let warnings = rows["warnings"].to_string();
    assert!(warnings.contains("pid stands in 240 rows for 40 people, up to 6 rows each"), "{warnings}");
}

#[test]
fn repeated_identifiers_are_told_by_every_command() {
    let job = JOB.replace(
        "[[attributes]]\nname = \"age\"",
        "[[attributes]]\nname = \"patient_id\"\nrole = \"identifying\"\n\n[[attributes]]\nname = \"age\"",
    );
    let mut text = String::from("patient_id,age,extra,diagnosis\n");
    for row in 0..240usize {
        writeln!(text, "p{},{},x,{}", row / 6, 20 + row / 6 * 7 % 60, ["flu", "gout"][(row + row / 6) % 2])
            .unwrap();
    }
    let place = Place::with(&job, &text);
    let told = "patient_id stands in 240 rows for 40 people, up to 6 rows each";
    assert!(place.anonymize(&[]).expect(0).out.contains(told));
    assert!(place.read("release.private/report.html").contains(told));
    let check = place.run(&["check", "patients.csv", "--job", "paravent.toml"]);
    assert!(check.out.contains(told), "{}", check.out);
    let risk = place.run(&["risk", "patients.csv", "--job", "paravent.toml"]).expect(0);
    assert!(risk.out.contains(told), "{}", risk.out);
    let risk = place.run(&["risk", "patients.csv", "--quasi-identifiers", "age"]).expect(0);
    assert!(risk.out.contains(told), "{}", risk.out);
    let init = place.run(&["init", "patients.csv", "--output", "proposed.toml"]).expect(0);
    assert!(init.out.contains("240 rows of 40 people, up to 6 rows each"), "{}", init.out);
    assert!(place.read("proposed.toml").contains("person = \"patient_id\""));
    // A table with one row per person is left in peace.
    let single = Place::with(
        &job,
        text.lines().take(1).chain(text.lines().skip(1).step_by(6)).collect::<Vec<_>>().join("\n"),
    );
    assert!(!single.anonymize(&[]).expect(0).out.contains("stands in"));
}

#[test]
fn shared_names_are_no_repeated_people_where_everybody_has_a_number() {
    // The tour: a hundred names for many more patients, each with a number of his own.
    let place = Place::new();
    let out = place.run(&["demo", "tour"]).expect(0).out;
    assert!(!out.contains("rows are counted, not people"), "{out}");
    // Numbers that repeat are told, whatever else is unique.
    let job = JOB.replace(
        "[[attributes]]\nname = \"age\"",
        "[[attributes]]\nname = \"patient_id\"\nrole = \"identifying\"\n\n[[attributes]]\nname = \"case_id\"\nrole = \"identifying\"\n\n\
         [[attributes]]\nname = \"age\"",
    );
    let mut text = String::from("patient_id,case_id,age,extra,diagnosis\n");
    for row in 0..240usize {
        writeln!(text, "p{},c{row},{},x,{}", row / 6, 20 + row / 6 * 7 % 60, ["flu", "gout"][row % 2])
            .unwrap();
    }
    let out = Place::with(&job, &text).anonymize(&[]).expect(0).out;
    assert!(out.contains("patient_id stands in 240 rows for 40 people"), "{out}");
}

#[test]
fn what_init_proposes_runs_and_is_green() {
    let place = Place::with("", "");
    let mut text = String::from("name,pid,contact,age,sex,diagnosis,hba1c,crp,smoker,remark\n");
    for row in 0..400usize {
        let mixed = row * 7919 % 10_007;
        let sex = ["f", "m"][mixed % 2];
        let (hba1c, crp) =
            (format!("{}.{:02}", 4 + mixed % 5, mixed % 97), format!("{}.{}", mixed % 180, row % 10));
        let diagnosis = ["flu", "gout", "asthma", "copd"][mixed % 4];
        let flag = ["yes", "no"][mixed / 2 % 2];
        let name = name(NAMES[0], row);
        writeln!(text, "{name},{row},u{row}@x.org,{},{sex},{diagnosis},{hba1c},{crp},{flag},seen by Dr {name} on day {row}", 20 + mixed % 60).unwrap();
    }
    place.write("study.csv", text);
    place.run(&["init", "study.csv", "--output", "proposed.toml"]).expect(0);
    assert!(!place.read("proposed.toml").contains("release ="), "the explicit word is the owner's");
    let document = place.run(&["anonymize", "proposed.toml", "--json"]).expect(0).json();
    assert_eq!(document["verdict"]["light"], "green", "{}", document["unchanged"]);
}

//! Answers in parts: a second process finishes them with nothing but figures and annotation, and gets the same mean.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::fragment::{Fragment, Opened, finish};
use paravent_processor::nodes::{At, may_reach};
use paravent_processor::question::Kind;
use paravent_processor::{Answered, AskError, Refusal, fragment};
use serde_json::Value;
use std::fs;
use std::path::Path;
use ward::{POLICY, Ward, rows};

const MEAN: &str = "SELECT sex, avg(salary) AS mean, count(*), sum(salary) FROM patients GROUP BY sex";
const PART: At<'static> = At { node: None, is_part: true };

fn part(ward: &Ward, sql: &str, at: At<'_>) -> Result<Answered, AskError> {
    fragment(&ward.policy, "research", "statistics", sql, at)
}

fn refused(ward: &Ward, sql: &str, at: At<'_>) -> Refusal {
    match part(ward, sql, at) {
        Err(AskError::Refused(refusal)) => refusal,
        other => panic!("{sql}: {other:?}"),
    }
}

/// As somebody gets it who has only the folder.
fn carried(answered: &Answered) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("part");
    Fragment::of(answered, None).write(&place).unwrap();
    let read = Fragment::read(&place).unwrap();
    assert_eq!(Fragment::from_bytes(&read.to_bytes()).as_ref(), Some(&read));
    read.open(&place).unwrap()
}

/// Exact figures about at least ten people.
fn exact() -> String {
    POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n")
        .replace("min_people = 10\n", "min_people = 10\ndominance = 0.5\n")
}

#[test]
fn who_has_only_the_part_gets_the_same_mean() {
    for policy in [POLICY.to_owned(), exact()] {
        let ward = Ward::with(&policy, &rows(1_000));
        let whole = ward.answer(MEAN);
        let part = part(&ward, MEAN, PART).unwrap();
        // The question was paid for once, and its part costs nothing more.
        assert_eq!(part.annotation["cached"], true);
        assert_eq!(part.annotation["analysis"]["done"], "partial");
        assert!(part.columns.contains(&"distances_salary".to_owned()), "{:?}", part.columns);
        assert!(!part.columns.iter().any(|column| column.starts_with("mean")));
        let opened = carried(&part);
        // Policy, table and account are gone.
        drop(ward);
        let finished = finish(&[opened]).unwrap();
        assert_eq!(
            (&finished.columns, &finished.kinds, &finished.rows),
            (&whole.columns, &whole.kinds, &whole.rows)
        );
        assert_eq!(finished.annotation["analysis"]["done"], "complete");
        assert!(
            finished.annotation.get("remaining_plan").is_none() && finished.annotation.get("part").is_none()
        );
    }
}

/// The mean of everybody, from the parts of two houses that never met.
#[test]
fn parts_of_several_houses_are_added_and_divided_last() {
    let header = "id,name,age,sex,zip,diagnosis,salary,ward,admitted\n";
    let people = |from: usize, to: usize| -> String {
        (from..to)
            .map(|i| {
                format!(
                    "p{i},n{i},{},{},01000,flu,{},medicine,2026-01-01\n",
                    20 + i % 60,
                    ["f", "m"][i % 2],
                    1_000 + i * 7 % 911
                )
            })
            .collect()
    };
    let house = |from: usize, to: usize| Ward::with(&exact(), &format!("{header}{}", people(from, to)));
    let (one, other, all) = (house(0, 150), house(150, 400), house(0, 400));
    let parts = [carried(&part(&one, MEAN, PART).unwrap()), carried(&part(&other, MEAN, PART).unwrap())];
    let together = finish(&parts).unwrap();
    assert_eq!(together.rows, all.answer(MEAN).rows);
    let means: Vec<f64> = together.rows.iter().map(|row| row[1].as_f64().unwrap()).collect();
    let halves = [one.answer(MEAN), other.answer(MEAN)];
    let of_means = (halves[0].rows[0][1].as_f64().unwrap() + halves[1].rows[0][1].as_f64().unwrap()) / 2.0;
    assert!((means[0] - of_means).abs() > 1e-6, "a mean of means is another one");
    let warnings = together.annotation["warnings"].to_string();
    assert!(warnings.contains("different people was not checked"), "{warnings}");
    assert_eq!(together.annotation["parts"].as_array().unwrap().len(), 2);
    assert_eq!(together.annotation["data"]["tables"].as_array().unwrap().len(), 2, "two tables of one name");
    let parts_told = together.annotation["parts"].as_array().unwrap();
    assert!(parts_told.iter().all(|part| part["differences"]["verdict"] == "covered"), "{parts_told:?}");
    // The same part twice, another question, another purpose.
    let apart = |parts: &[Opened]| finish(parts).unwrap_err().to_string();
    assert!(apart(&[parts[0].clone(), parts[0].clone()]).contains("twice"));
    let count = carried(&part(&other, "SELECT sex, count(*) FROM patients GROUP BY sex", PART).unwrap());
    assert!(apart(&[parts[0].clone(), count]).contains("something else is left to do"));
    let of = |house: &Ward, sql: &str| carried(&part(house, sql, PART).unwrap());
    let by_sex = ["f", "m"].map(|sex| format!("SELECT count(*) FROM patients WHERE sex = '{sex}'"));
    // Two halves of one house, or of two: constants are in no annotation, but the words are others.
    assert!(apart(&[of(&one, &by_sex[0]), of(&one, &by_sex[1])]).contains("other words"));
    assert!(
        apart(&[of(&one, &by_sex[0]), of(&other, "SELECT count(*) FROM patients")]).contains("other words")
    );
    let by_age = "SELECT age, count(*) FROM patients GROUP BY age";
    let coarser = exact()
        .replace("columns = [\"age\"]\nfilter = 1\ngroup = 1", "columns = [\"age\"]\nfilter = 1\ngroup = 2");
    let coarser = Ward::with(&coarser, &format!("{header}{}", people(150, 400)));
    assert!(apart(&[of(&one, by_age), of(&coarser, by_age)]).contains("different levels"));
    let noisy = Ward::with(POLICY, &rows(100));
    let noisy = carried(&part(&noisy, "SELECT count(*) FROM patients", PART).unwrap());
    let exact = carried(&part(&one, "SELECT count(*) FROM patients", PART).unwrap());
    assert!(apart(&[exact, noisy]).contains("promise different things"));
    assert!(finish(&[]).is_err());
}

/// What was changed on the way is seen, and nothing of it is an answer.
#[test]
fn changed_parts_are_refused() {
    let ward = Ward::with(&exact(), &rows(300));
    let fragment = Fragment::of(&part(&ward, MEAN, PART).unwrap(), Some(&|_| "a signature\n".to_owned()));
    assert_eq!(fragment.signature, b"a signature\n");
    let from = Path::new("part");
    assert!(fragment.open(from).is_ok());
    let with = |file: &str, from: &str, to: &str| {
        let change = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            assert!(text.contains(from), "{from} in {text}");
            text.replacen(from, to, 1).into_bytes()
        };
        match file {
            "part.json" => Fragment { part: change(&fragment.part), ..fragment.clone() },
            _ => Fragment { answer: change(&fragment.answer), ..fragment.clone() },
        }
    };
    let digest = serde_json::from_slice::<Value>(&fragment.answer).unwrap()["part"]["sha256"].to_string();
    for (file, one, other) in [
        ("part.json", "\"f\"", "\"x\""),
        ("part.json", "\"columns\"", "\"names\""),
        ("part.json", "[[", "[[1,"),
        ("answer.json", "\"partial\"", "\"complete\""),
        ("answer.json", digest.as_str(), "\"sha256:0\""),
        ("answer.json", "\"union-of-parts\"", "\"table\""),
        ("answer.json", "\"operator\": \"project\"", "\"operator\": \"run\""),
        ("answer.json", "{", "{{"),
    ] {
        assert!(with(file, one, other).open(from).is_err(), "{file}: {one}");
    }
    let bytes = fragment.to_bytes();
    for length in [0, 7, 24, bytes.len() - 1] {
        assert!(Fragment::from_bytes(&bytes[..length]).is_none(), "{length}");
    }
    assert!(Fragment::from_bytes(&[&bytes[..], b"x"].concat()).is_none());
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("part");
    fragment.write(&place).unwrap();
    assert!(fragment.write(&place).is_err(), "never over another one");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

/// No cell of anybody, no constant, no seed.
#[test]
fn a_part_holds_figures_and_nothing_else() {
    let ward = Ward::with(POLICY, &rows(1_000));
    let answered = part(&ward, "SELECT avg(salary) FROM patients WHERE zip = '01***'", PART).unwrap();
    let fragment = Fragment::of(&answered, None);
    for bytes in [&fragment.answer, &fragment.part] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains("CANARY") && !text.contains("01***"), "{text}");
    }
    assert!(!format!("{fragment:?}{answered:?}").contains("/"), "figures stay out of logs");
}

const NODES: &str = r#"
[[nodes]]
name = "bed"
zone = "flat"
tables = ["patients"]
can = ["select", "project"]

[[nodes]]
name = "ward"
zone = "house"
tables = ["patients"]
can = ["select", "group", "private"]

[[nodes]]
name = "clinic"
zone = "region"
tables = ["patients"]
can = ["select", "project", "join", "group", "private", "generalize", "slice"]

[[nodes]]
name = "cloud"
zone = "cloud"
can = ["project"]
"#;

#[test]
fn a_node_does_what_it_can_and_nothing_leaves_it_before_the_guard() {
    let ward = Ward::with(&format!("{POLICY}{NODES}"), &rows(1_000));
    let at = |node| At { node: Some(node), is_part: false };
    // It cannot divide, so that is left to do.
    let left = part(&ward, MEAN, at("ward")).unwrap();
    assert_eq!(left.annotation["analysis"]["done"], "partial");
    assert_eq!(left.annotation["node"], serde_json::json!({ "name": "ward", "zone": "house" }));
    // Whoever can do all of it does, and both say the same.
    let whole = part(&ward, MEAN, at("clinic")).unwrap();
    assert_eq!(whole.annotation["analysis"]["done"], "complete");
    assert_eq!(finish(&[carried(&left)]).unwrap().rows, whole.rows);
    // Where nothing is to be divided nothing is left.
    let count = "SELECT sex, count(*) FROM patients GROUP BY sex";
    assert_eq!(part(&ward, count, at("ward")).unwrap().annotation["analysis"]["done"], "complete");
    let refusal = refused(&ward, MEAN, at("bed"));
    assert!(refusal.message.contains("cannot group, private"), "{}", refusal.message);
    assert!(refused(&ward, MEAN, at("cloud")).message.contains("has not the table patients"));
    assert!(refused(&ward, MEAN, at("moon")).advice.contains("bed, ward, clinic, cloud"));
    // Refused before anything is read, and the same whatever the rows are.
    fs::remove_file(ward.folder.path().join("patients.csv")).unwrap();
    assert_eq!(refused(&ward, MEAN, at("bed")), refusal);
    let other = Ward::with(&format!("{POLICY}{NODES}"), &rows(999));
    assert_eq!(refused(&other, MEAN, at("bed")), refusal);
}

/// Half of a mean is its sum: it leaves only where that may be asked for.
#[test]
fn a_mean_is_not_split_where_its_sum_is_denied() {
    for policy in [POLICY.to_owned(), exact()] {
        let only = format!("{policy}{NODES}").replace("[\"sum\", \"avg\"]", "[\"avg\"]");
        let ward = Ward::with(&only, &rows(1_000));
        let mean = "SELECT sex, avg(salary) FROM patients GROUP BY sex";
        for at in [PART, At { node: Some("ward"), is_part: false }] {
            let refusal = refused(&ward, mean, at);
            assert!(
                refusal.message.contains("avg of salary cannot be left to others"),
                "{}",
                refusal.message
            );
            assert_eq!(refusal.rules, ["salary"]);
        }
        assert_eq!(ward.answer(mean).rows.len(), 2);
    }
}

/// A plan that somebody writes by hand computes on figures of its part, and reaches nothing else.
#[test]
fn a_plan_from_elsewhere_reaches_only_its_part() {
    let ward = Ward::with(&exact(), &rows(300));
    let fragment = Fragment::of(&part(&ward, MEAN, PART).unwrap(), None);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut annotation: Value = serde_json::from_slice(&fragment.answer).unwrap();
        change(&mut annotation["remaining_plan"]);
        let answer = serde_json::to_vec(&annotation).unwrap();
        Fragment { answer, ..fragment.clone() }.open(Path::new("part"))
    };
    assert!(with(&|plan| plan["name"] = "else".into()).is_err());
    assert!(with(&|plan| plan["columns"][0]["name"] = "else".into()).is_ok());
    // Columns that are not in the part are found when the plan is carried out, others before.
    let unknown = with(&|plan| {
        plan["input"]["by"][0] = "name".into();
        plan["columns"][0]["group"] = "name".into();
    });
    assert!(unknown.is_ok_and(|opened| finish(&[opened]).is_err()));
    assert!(with(&|plan| plan["input"]["sum"][0] = "salary".into()).is_err());
    assert!(with(&|plan| plan["columns"][0]["group"] = "name".into()).is_err());
    for (key, value) in [
        ("bounds", serde_json::json!([9, 0])),
        ("bounds", serde_json::json!([0, 1e300])),
        ("decimals", serde_json::json!(255)),
        ("values", serde_json::json!("sex")),
    ] {
        assert!(with(&|plan| plan["columns"][1]["mean"][key] = value.clone()).is_err(), "{key}: {value}");
    }
    assert!(with(&|plan| plan["input"]["file"] = "/etc/passwd".into()).is_err());
    assert!(with(&|plan| plan["input"]["input"] = serde_json::json!({ "operator": "table" })).is_err());
}

/// Two houses with noise: what holds for one part does not hold for the sum, and every house speaks for itself.
#[test]
fn a_sum_of_parts_does_not_look_more_precise_or_whole_than_it_is() {
    let noisy = |name: &str, people| Ward::with(&POLICY.replace("ward-7", name), &rows(people));
    let (one, other) = (noisy("ward-7", 300), noisy("ward-8", 400));
    let single = finish(&[carried(&part(&one, MEAN, PART).unwrap())]).unwrap();
    assert!(single.annotation["operators"].to_string().contains("half_width"));
    let students = fragment(&other.policy, "students", "statistics", MEAN, PART).unwrap();
    let together = finish(&[carried(&part(&one, MEAN, PART).unwrap()), carried(&students)]).unwrap();
    let told = &together.annotation;
    assert!(!told["operators"].to_string().contains("half_width"), "{}", told["operators"]);
    assert_eq!(told["operators"].as_array().unwrap().len(), 2, "each has paid");
    assert!(told["warnings"].to_string().contains("noise of every part"));
    assert_eq!(
        (&told["policy"]["name"], &told["recipient"]["role"]),
        (&"ward-7, ward-8".into(), &"research, students".into())
    );
    assert_eq!(
        (&told["parts"][1]["role"], &told["parts"][1]["policy"]["name"]),
        (&"students".into(), &"ward-8".into())
    );
    // Groups that one house has withheld, and what it has folded.
    let zip = "SELECT zip, count(*) FROM patients GROUP BY zip";
    let house = |from: usize, zips: &[(&str, usize)]| {
        let mut text = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
        for (zip, people) in zips {
            for i in 0..*people {
                text.push_str(&format!("{zip}-{from}-{i},n,30,f,{zip},flu,1000,medicine,2026-01-01\n"));
            }
        }
        Ward::with(&exact(), &text)
    };
    let (one, other) =
        (house(0, &[("10000", 40), ("20000", 4), ("30000", 15)]), house(1, &[("10000", 30), ("20000", 20)]));
    let together =
        finish(&[carried(&part(&one, zip, PART).unwrap()), carried(&part(&other, zip, PART).unwrap())])
            .unwrap();
    let warnings = together.annotation["warnings"].to_string();
    assert!(warnings.contains("1 of 3 groups are not in every part"), "{warnings} {:?}", together.rows);
    assert!(warnings.contains("is the sum of what each part has folded"), "{warnings}");
}

/// A table may have a column of any name, also that of a figure.
#[test]
fn a_column_that_is_called_like_a_figure_is_told_from_it() {
    for (column, policy) in [
        ("count", exact()),
        ("sum_salary", exact()),
        ("values_salary", exact()),
        ("count", POLICY.to_owned()),
    ] {
        let named = |text: &str| text.replace("diagnosis", column);
        let is_noisy = policy == POLICY;
        let ward = Ward::with(&named(&policy), &named(&rows(1_000)));
        fs::write(ward.folder.path().join("patients.toml"), named(ward::JOB)).unwrap();
        let sql = format!(
            "SELECT count(*) AS n, \"{column}\" AS label, avg(salary) AS mean, sum(salary) AS total FROM patients GROUP BY \"{column}\""
        );
        let whole = ward.answer(&sql);
        assert_eq!(whole.kinds, [Kind::Count, Kind::Label, Kind::Number, Kind::Number]);
        let labels: Vec<&str> = whole.rows.iter().map(|row| row[1].as_str().unwrap()).collect();
        assert_eq!(labels, ["flu", "gout", "hiv"], "{column}");
        assert!(
            whole.rows.iter().all(|row| row[0].as_i64().is_some_and(|n| is_noisy || (250..350).contains(&n))),
            "{:?}",
            whole.rows
        );
        let part = part(&ward, &sql, PART).unwrap();
        assert_eq!(part.kinds[0], Kind::Label);
        let opened = carried(&part);
        assert_eq!(finish(&[opened]).unwrap().rows, whole.rows);
    }
}

/// Sums beyond what numbers of JSON hold, and one that nothing holds.
#[test]
fn sums_of_any_size_are_answered() {
    let with = |salary: &str| {
        let people: String =
            (0..20).map(|i| format!("p{i},n,30,f,10000,flu,{salary},medicine,2026-01-01\n")).collect();
        let policy = exact().replace("dominance = 0.5\n", "");
        Ward::with(&policy, &format!("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n{people}"))
    };
    let sql = "SELECT count(*), sum(salary), avg(salary) FROM patients";
    for (salary, expected) in [
        ("1000000000000000", serde_json::json!([20, "20000000000000000", 1e15])),
        ("90000000000000000000000000", serde_json::json!([20, null, null])),
    ] {
        let ward = with(salary);
        let whole = ward.answer(sql);
        assert_eq!(serde_json::json!(whole.rows[0]), expected, "{salary}");
        assert_eq!(finish(&[carried(&part(&ward, sql, PART).unwrap())]).unwrap().rows, whole.rows);
    }
}

/// Who made the folder may have put anything into it.
#[test]
fn what_is_no_file_is_not_read() {
    let ward = Ward::with(&exact(), &rows(300));
    let fragment = Fragment::of(&part(&ward, MEAN, PART).unwrap(), None);
    for name in ["part.json", "answer.json", "answer.sig"] {
        for kind in ["pipe", "zero", "folder"] {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join("part");
            fragment.write(&place).unwrap();
            let file = place.join(name);
            let _ = fs::remove_file(&file);
            match kind {
                "pipe" => {
                    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success())
                }
                "zero" => std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
                _ => fs::create_dir(&file).unwrap(),
            }
            let told = Fragment::read(&place).unwrap_err().to_string();
            assert!(told.contains(name) && told.contains("is no file"), "{told}");
        }
    }
}

/// A part is on disk before anybody says so, and leaves nothing behind if it is not wanted.
#[test]
fn a_part_is_staged_before_it_is_put_in_its_place() {
    let ward = Ward::with(&exact(), &rows(300));
    let fragment = Fragment::of(&part(&ward, MEAN, PART).unwrap(), None);
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("part");
    let inside = || fs::read_dir(folder.path()).unwrap().count();
    let staged = fragment.stage(&place).unwrap();
    assert_eq!((place.exists(), inside()), (false, 1));
    drop(staged);
    assert_eq!(inside(), 0);
    fragment.stage(&place).unwrap().put().unwrap();
    assert_eq!((Fragment::read(&place).unwrap(), inside()), (fragment.clone(), 1));
    assert!(fragment.stage(&folder.path().join("nowhere/part")).is_err());
}

/// People who are left out are a selection, which a node must be able to make.
#[test]
fn a_node_that_cannot_choose_rows_cannot_leave_people_out() {
    let bare = format!("{POLICY}{NODES}")
        .replace("where = \"ward <> 'psychiatry'\"\n", "")
        .replace("can = [\"select\", \"group\", \"private\"]", "can = [\"group\", \"private\"]");
    let at = At { node: Some("ward"), is_part: false };
    let count = "SELECT sex, count(*) FROM patients GROUP BY sex";
    assert!(part(&Ward::with(&bare, &rows(300)), count, at).is_ok());
    let consent = format!("{bare}\n[consent]\nbatch = 1\n");
    let claim =
        format!("{bare}\n[[subjects]]\nperson = \"p17\"\nrules = [{{ columns = [\"sex\"], deny = true }}]\n");
    for policy in [consent, claim] {
        let refusal = refused(&Ward::with(&policy, &rows(300)), count, at);
        assert!(refusal.message.contains("cannot select"), "{}", refusal.message);
    }
}

/// How far from the people a part may come is the owner's word.
#[test]
fn a_part_goes_no_farther_than_the_demands_say() {
    let reaches = |demand: &str, node: &str| {
        let policy = POLICY.replace("min_people = 10\n", &format!("min_people = 10\n{demand}"));
        let ward = Ward::with(&format!("{policy}{NODES}"), &rows(300));
        let opened = carried(&part(&ward, MEAN, PART).unwrap());
        may_reach(&ward.policy, &opened, ward.policy.node(node).unwrap()).map_err(|refusal| refusal.message)
    };
    assert_eq!((reaches("", "ward"), reaches("", "clinic")), (Ok(()), Ok(())));
    assert!(
        reaches("", "cloud").is_err_and(|told| told.contains("about patients go no farther than region"))
    );
    assert_eq!(reaches("parts_to = \"cloud\"\n", "cloud"), Ok(()));
    assert_eq!(reaches("parts_to = \"house\"\n", "ward"), Ok(()));
    assert!(reaches("parts_to = \"house\"\n", "clinic").is_err_and(|told| told.contains("the node clinic")));
    // The nearest of several demands.
    let several = "parts_to = \"cloud\"\n\n[[demands]]\ntable = \"patients\"\nparts_to = \"flat\"\n";
    assert!(reaches(several, "ward").is_err());
}

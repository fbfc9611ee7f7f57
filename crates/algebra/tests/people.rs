//! A generalization counts rows, so each row of its relation must be another person.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::{Answer, Session};
use std::fs;
use tempfile::TempDir;

const JOB: &str = r#"
version = 1
input.path = "people.csv"
attributes = [
  { name = "pid", role = "identifying" },
  { name = "town", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
  { name = "born", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10, 50], min = 1900, max = 2020 } } },
  { name = "illness", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 4 }]
"#;

struct Place {
    folder: TempDir,
    session: Session,
}

/// Twelve people; four visits of each, two wards.
fn place(person: &str) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let job = match person {
        "" => JOB.to_owned(),
        person => format!("{JOB}privacy.person = {person}\n"),
    };
    let (mut people, mut visits) = (String::from("pid,town,born,illness,ward\n"), String::from("pid,day\n"));
    for i in 0..12 {
        people.push_str(&format!(
            "p{i},{},{},{},{}\n",
            ["aa", "ab"][i % 2],
            1940 + 3 * i,
            ["flu", "gout"][i / 6],
            i % 3
        ));
        (0..4).for_each(|day| visits.push_str(&format!("p{i},{}\n", day + i % 2)));
    }
    for (name, text) in [
        ("paravent.toml", job.as_str()),
        ("people.csv", &people),
        ("visits.csv", &visits),
        ("wards.csv", "ward,house\n0,north\n1,north\n2,south\n"),
        (
            "others.csv",
            "pid,town,born,illness\nq1,aa,1950,flu\nq2,aa,1951,flu\nq3,ab,1952,flu\nq4,ab,1990,flu\n",
        ),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut session = Session::new(Catalog::load(&folder.path().join("paravent.toml")).unwrap()).unwrap();
    for name in ["people", "visits", "wards", "others"] {
        session.register_file(None, &folder.path().join(format!("{name}.csv"))).unwrap();
    }
    Place { folder, session }
}

fn over(relation: &str) -> String {
    format!("SELECT * FROM generalize(({relation}), quasi => (town, born), k => 4)")
}

#[track_caller]
fn refused(session: &mut Session, relation: &str) {
    match session.run(&over(relation)) {
        Ok(_) => panic!("{relation} was answered"),
        Err(error) => {
            let error = error.to_string();
            let told = error.contains("counts rows") || error.contains("array_agg() is not possible");
            assert!(told, "{relation}: {error}");
            assert!(!error.contains(char::is_numeric), "{relation}: no number of the data: {error}");
        }
    }
}

fn answered(session: &mut Session, relation: &str) -> Answer {
    session.run(&over(relation)).unwrap_or_else(|error| panic!("{relation}: {error}"))
}

/// Relations in which one person has several rows, or people have company that is made up.
const COPIED: [&str; 12] = [
    "SELECT town, born, illness FROM people CROSS JOIN generate_series(1, 4)",
    "SELECT p.town, p.born, p.illness FROM people p JOIN visits v ON p.pid = v.pid",
    "SELECT p.town, p.born, v.day FROM people p, visits v WHERE p.pid = v.pid",
    "SELECT p.town, p.born, p.illness FROM people p JOIN people q ON p.ward = q.ward",
    "SELECT town, born, illness FROM people UNION ALL SELECT town, born, illness FROM people",
    "SELECT town, born, illness FROM people UNION ALL SELECT 'aa', 1950, 'flu' FROM generate_series(1, 9)",
    "SELECT town, born, illness FROM people UNION ALL VALUES ('aa', 1950, 'flu'), ('aa', 1951, 'flu')",
    "SELECT town, born, unnest(days) AS day FROM people CROSS JOIN (SELECT array_agg(day) AS days FROM visits)",
    "WITH twice AS (SELECT p.* FROM people p, (VALUES (1), (2)) AS t(n)) SELECT town, born, illness FROM twice",
    "SELECT town, born, d FROM (SELECT p.town, p.born, v.day AS d FROM people p LEFT JOIN visits v USING (pid)) WHERE d > 0",
    "SELECT DISTINCT p.town, p.born, v.day FROM people p JOIN visits v USING (pid)",
    "SELECT p.town, p.born, v.day FROM people p JOIN visits v USING (pid) GROUP BY p.town, p.born, v.day",
];

/// Relations in which every row is another person.
const ONE_EACH: [&str; 9] = [
    "SELECT town, born, illness FROM people",
    "SELECT town, born, illness FROM people WHERE pid <> 'p3' ORDER BY born LIMIT 9",
    "SELECT p.town, p.born, w.house FROM people p JOIN wards w ON p.ward = w.ward",
    "SELECT p.town, p.born, v.days FROM people p JOIN (SELECT pid, count(*) AS days FROM visits GROUP BY pid) v ON p.pid = v.pid",
    "SELECT p.town, p.born, q.illness FROM people p JOIN people q ON p.pid = q.pid",
    "SELECT town, born, illness FROM people WHERE ward = 1 UNION ALL SELECT town, born, illness FROM people WHERE ward <> 1",
    "SELECT DISTINCT ON (p.pid) p.town, p.born, v.day FROM people p JOIN visits v ON p.pid = v.pid",
    "SELECT town, born, illness FROM people WHERE pid IN (SELECT pid FROM visits)",
    "SELECT town, born, illness FROM people UNION ALL SELECT town, born, illness FROM others",
];

#[test]
fn copies_of_a_row_do_not_make_a_class() {
    for person in ["", "\"pid\"", "[\"pid\", \"town\"]"] {
        let Place { folder: _folder, mut session } = place(person);
        COPIED.iter().for_each(|relation| refused(&mut session, relation));
        ONE_EACH.iter().for_each(|relation| drop(answered(&mut session, relation)));
    }
}

#[test]
fn a_person_with_several_rows_is_one_person() {
    let Place { folder, mut session } = place("\"pid\"");
    let twice = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let again: Vec<&str> = twice.lines().skip(1).collect();
    fs::write(folder.path().join("stays.csv"), format!("{twice}{}\n", again.join("\n"))).unwrap();
    session.register_file(None, &folder.path().join("stays.csv")).unwrap();
    refused(&mut session, "SELECT town, born, illness FROM stays");
    refused(
        &mut session,
        "SELECT town, born, illness FROM people UNION ALL SELECT town, born, illness FROM stays",
    );
    answered(&mut session, "SELECT DISTINCT ON (pid) town, born, illness FROM stays ORDER BY pid, born");
    answered(
        &mut session,
        "SELECT min(town) AS town, min(born) AS born, count(*) AS stays FROM stays GROUP BY pid",
    );
    let nobody = session.run(&over("SELECT house AS town, ward AS born FROM wards")).unwrap_err().to_string();
    assert!(nobody.contains("no table of the relation has pid"), "{nobody}");
    let sliced = "SELECT * FROM slice((SELECT town, born, illness FROM stays), groups => ((town, illness), born), within => 4, quasi => (town, born))";
    assert!(session.run(sliced).unwrap_err().to_string().contains("counts rows"));
}

#[test]
fn without_a_job_only_what_is_sure_is_refused() {
    let Place { folder, .. } = place("");
    let mut session = Session::new(Catalog::empty()).unwrap();
    for name in ["people", "visits", "wards"] {
        session.register_file(None, &folder.path().join(format!("{name}.csv"))).unwrap();
    }
    refused(&mut session, "SELECT town, born FROM people CROSS JOIN generate_series(1, 4)");
    refused(&mut session, "SELECT town, born FROM people UNION ALL SELECT town, born FROM people");
    let answer =
        answered(&mut session, "SELECT p.town, p.born, v.day FROM people p JOIN visits v USING (pid)");
    assert!(
        answer.notes.iter().any(|note| note.contains("copies rows of one of its tables")),
        "{:?}",
        answer.notes
    );
    assert!(answered(&mut session, "SELECT town, born FROM people").notes.is_empty());
}

/// Buckets of a slicing hide people only among other people.
#[test]
fn a_slicing_counts_the_people_of_its_buckets() {
    let visits = "(SELECT p.town, v.day FROM people p JOIN visits v ON p.pid = v.pid ORDER BY p.pid)";
    let slice = |relation: &str, more: &str| {
        format!(
            "SELECT * FROM slice({relation}, groups => ((town), (day)), allow_identifying => true, {more})"
        )
    };
    let Place { folder: _folder, mut session } = place("\"pid\"");
    // Four rows of everybody stand together: buckets of four are buckets of one person.
    let error = session.run(&slice(visits, "bucket => 4, minimum => 2")).unwrap_err().to_string();
    assert!(error.contains("fewer than 2 people"), "{error}");
    let answer = session.run(&slice(visits, "bucket => 12, minimum => 3")).unwrap();
    assert_eq!(answer.rows(), 48);
    let error = session.run(&slice(visits, "bucket => 12, minimum => 4")).unwrap_err().to_string();
    assert!(error.contains("fewer than 4 people"), "{error}");
    // Merging goes on until there are enough people.
    let merged = session.run(&slice(visits, "bucket => 4, minimum => 4, merge => true")).unwrap();
    assert_eq!(merged.rows(), 48);
    let copies =
        "(SELECT town, value AS day FROM people CROSS JOIN generate_series(1, 4) AS s(value) ORDER BY pid)";
    let error = session.run(&slice(copies, "bucket => 4")).unwrap_err().to_string();
    assert!(error.contains("people"), "{error}");
    // Without a word of the job, copies of its own rows are refused.
    let Place { folder: _folder, mut session } = place("");
    for relation in [visits, copies] {
        let error = session.run(&slice(relation, "bucket => 4")).unwrap_err().to_string();
        assert!(error.contains("copied below it") || error.contains("copies"), "{relation}: {error}");
    }
}

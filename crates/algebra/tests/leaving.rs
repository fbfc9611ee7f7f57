//! Which columns leave: identifying ones never, quasi-identifiers beside a generalization only as labels.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::session::{Answer, Session};
use paravent_noise::budget::Cost;
use std::fs;
use tempfile::TempDir;

const JOB: &str = r#"
version = 1
input.path = "readers.csv"
attributes = [
  { name = "id", role = "identifying" },
  { name = "full name", role = "identifying" },
  { name = "town", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
  { name = "born", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10, 20], min = 1900, max = 2020 } } },
  { name = "gender", role = "quasi-identifier", hierarchy = { order = [["f", "m"]] } },
  { name = "genre", role = "sensitive" },
  { name = "desk", role = "insensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 3 }]
"#;

fn readers() -> String {
    let mut text = String::from("id,full name,town,born,gender,genre,desk\n");
    for i in 0..48 {
        let (town, gender) = (["aa", "ab", "ba", "bb"][i % 4], ["f", "m"][i / 4 % 2]);
        let genre = ["law", "art", "war"][(i + i / 12) % 3];
        text.push_str(&format!(
            "{},reader {i},{town},{},{gender},{genre},{}\n",
            500 + i,
            1950 + i / 4 % 3 * 10,
            i % 5
        ));
    }
    text
}

struct Library {
    _folder: TempDir,
    session: Session,
}

fn library_with(job: &str) -> Library {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paravent.toml"), job).unwrap();
    fs::write(folder.path().join("readers.csv"), readers()).unwrap();
    fs::write(folder.path().join("desks.csv"), "desk,floor\n0,1\n1,1\n2,2\n3,2\n4,3\n").unwrap();
    let mut session = Session::new(Catalog::load(&folder.path().join("paravent.toml")).unwrap()).unwrap();
    session.keep_book(Book::in_memory(Cost::parse("1000000", None).unwrap()));
    session.register_file(None, &folder.path().join("readers.csv")).unwrap();
    session.register_file(None, &folder.path().join("desks.csv")).unwrap();
    Library { _folder: folder, session }
}

fn library() -> Library {
    library_with(JOB)
}

fn shown(session: &mut Session, sql: &str) -> Answer {
    session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[track_caller]
fn refused(session: &mut Session, sql: &str, parts: &[&str]) {
    match session.run(sql) {
        Ok(answer) => panic!("{sql} gave {:?}", answer.columns()),
        Err(error) => {
            let error = error.to_string();
            for part in parts {
                assert!(error.contains(part), "{sql}: {part:?} is not in: {error}");
            }
        }
    }
}

#[test]
fn a_star_stands_for_all_columns_but_the_identifying_ones() {
    let Library { _folder, mut session } = library();
    let rest = ["town", "born", "gender", "genre", "desk"];
    for sql in [
        "SELECT * FROM readers",
        "SELECT r.* FROM readers AS r ORDER BY born",
        "WITH r AS (SELECT * FROM readers) SELECT * FROM r",
        "SELECT * FROM (SELECT id, \"full name\", town, born, gender, genre, desk FROM readers)",
        "SELECT * FROM readers UNION ALL SELECT * FROM readers",
        "SELECT * FROM generalize(readers, k => 3)",
        "SELECT * FROM generalize((SELECT * FROM readers WHERE id > 3), k => 3)",
        "SELECT * FROM slice(readers, groups => ((town, born), (gender, genre), desk), bucket => 24)",
        "SELECT * FROM randomize(readers, columns => (genre, town, born, gender), p => 0.9)",
    ] {
        let answer = shown(&mut session, sql);
        assert_eq!(answer.columns(), rest, "{sql}");
        let told =
            answer.notes.iter().any(|note| note.starts_with("Left out of *:") && note.contains("full name"));
        assert!(told, "{sql}: {:?}", answer.notes);
    }
    assert_eq!(
        shown(&mut session, "SELECT count(*) AS n, count(DISTINCT id) AS people FROM readers").rows(),
        1
    );
    assert_eq!(
        shown(&mut session, "SELECT genre FROM readers WHERE id = 501").rows(),
        1,
        "whoever asks knew it"
    );
    assert_eq!(shown(&mut session, "SELECT count(*) AS n FROM readers GROUP BY id").rows(), 48);
    let joined = "SELECT a.genre FROM readers a JOIN readers b USING (id) WHERE b.born > 1960";
    assert!(shown(&mut session, joined).rows() > 0);
}

#[test]
fn an_identifying_column_is_refused_in_every_disguise() {
    let Library { _folder, mut session } = library();
    for expression in [
        "id",
        "id AS genre",
        "r.id + 1",
        "upper(\"full name\")",
        "concat(genre, ' ', id)",
        "CASE WHEN id = 501 THEN genre END",
        "length(\"full name\")",
        "\"full name\" IS NULL",
        "(SELECT max(id) FROM readers)",
        "id IN (SELECT id FROM readers)",
        "row_number() OVER (ORDER BY id)",
        "lag(id) OVER (ORDER BY born)",
        "struct(id, genre)",
    ] {
        refused(
            &mut session,
            &format!("SELECT {expression} FROM readers AS r"),
            &["identifying", "does not leave"],
        );
    }
    let named = "\"id\"";
    for sql in [
        "SELECT min(id) FROM readers",
        "SELECT genre, string_agg(id::text, ',') FROM readers GROUP BY genre",
        "SELECT id, count(*) FROM readers GROUP BY id",
        "SELECT DISTINCT id FROM readers",
        "SELECT x FROM (SELECT id AS x FROM readers)",
        "WITH a AS (SELECT id AS x, genre FROM readers), b AS (SELECT x AS y FROM a) SELECT y FROM b",
        "WITH RECURSIVE t(a, b) AS (SELECT id, 0 FROM readers UNION ALL SELECT b, a FROM t WHERE a > 999) SELECT b FROM t",
        "SELECT genre FROM readers UNION ALL SELECT id::text FROM readers",
        "SELECT * FROM readers UNION ALL SELECT id, id::text, town, born, gender, genre, desk FROM readers",
        "SELECT d.floor, r.id FROM desks d JOIN readers r USING (desk)",
        "SELECT floor, x FROM desks, LATERAL (SELECT id AS x FROM readers WHERE readers.desk = desks.desk) AS l",
        "SELECT * FROM (SELECT genre FROM readers) AS r, (SELECT 1 AS a) AS o WHERE genre = 'law' UNION ALL SELECT id::text, 1 FROM readers",
        "SELECT unnest(x) FROM (SELECT array_agg(id) AS x FROM readers)",
        "SELECT genre FROM readers ORDER BY id",
        "SELECT genre FROM readers ORDER BY id LIMIT 1",
        "SELECT x FROM generalize((SELECT id AS x, town, born, gender FROM readers), k => 3)",
        "SELECT town FROM generalize((SELECT id AS x, town, born, gender FROM readers), k => 3)",
        "SELECT * FROM slice((SELECT id, genre FROM readers), groups => (id, genre), bucket => 8, allow_identifying => true)",
        "SELECT * FROM randomize((SELECT id, genre FROM readers), columns => ((id, 0.5)))",
        "SELECT g.genre, r.id FROM generalize(readers, k => 3) AS g JOIN readers AS r ON g.genre = r.genre",
    ] {
        refused(&mut session, sql, &["identifying", named]);
    }
    // What went through an operator has no such column.
    refused(&mut session, "SELECT id FROM generalize(readers, k => 3)", &["id"]);
    refused(&mut session, "SELECT genre FROM generalize(readers, k => 3) WHERE id = 501", &["id"]);
    refused(&mut session, "EXPLAIN SELECT id FROM readers", &["identifying"]);
}

#[test]
fn beside_a_generalization_a_quasi_identifier_is_generalized_or_absent() {
    let Library { _folder, mut session } = library();
    let g = "generalize(readers, quasi => (town, gender), k => 3)";
    for sql in [
        format!("SELECT * FROM {g}"),
        format!("SELECT genre, born FROM {g}"),
        format!("SELECT genre, born + 1 AS next FROM {g}"),
        format!("SELECT town, max(born) FROM {g} GROUP BY town"),
        format!("SELECT genre FROM {g} WHERE born = 1951"),
        format!("SELECT genre FROM {g} ORDER BY born"),
        format!("SELECT genre, count(*) FROM {g} GROUP BY genre HAVING max(born) > 1960"),
        format!("SELECT g.genre FROM {g} AS g JOIN (SELECT DISTINCT born FROM readers) AS b ON g.born = b.born"),
        format!("WITH g AS (SELECT genre AS a, born AS b FROM {g}) SELECT b FROM g"),
        format!("SELECT g.genre, r.born FROM {g} AS g JOIN readers AS r ON g.desk = r.desk"),
        format!("SELECT genre FROM {g} UNION ALL SELECT born::text FROM {g}"),
        "SELECT x, town FROM generalize((SELECT born AS x, town, gender FROM readers), quasi => (town, gender), k => 3)".to_owned(),
    ] {
        refused(&mut session, &sql, &["\"born\"", "quasi-identifier", "quasi => (…)", "release = \"as it is\""]);
    }
    for sql in [
        format!("SELECT genre, town FROM {g}"),
        format!("SELECT count(born) AS n FROM {g}"),
        "SELECT * FROM generalize(readers, k => 3) WHERE town = 'aa'".to_owned(),
        "SELECT * FROM generalize((SELECT born / 10 AS decade, genre FROM readers), quasi => (decade), k => 3)".to_owned(),
        "SELECT * FROM generalize((SELECT town, genre FROM readers WHERE born > 1955), k => 3)".to_owned(),
        "SELECT * FROM slice(readers, groups => ((town, born), (gender, genre), desk), bucket => 24)".to_owned(),
    ] {
        shown(&mut session, &sql);
    }
}

/// As with `paravent noise --job`: noise on one column does not hide who the row is about.
#[test]
fn beside_noise_a_quasi_identifier_has_noise_or_is_absent() {
    let Library { _folder, mut session } = library();
    for sql in [
        "SELECT * FROM randomize(readers, columns => ((genre, 0.5)))",
        "SELECT town, genre FROM randomize(readers, columns => ((genre, 0.5)))",
        "SELECT upper(town) AS t, genre FROM randomize(readers, columns => ((genre, 0.5)))",
        "SELECT a.town, b.genre FROM readers a JOIN randomize((SELECT genre FROM readers), columns => ((genre, 0.5))) b ON true",
    ] {
        refused(&mut session, sql, &["\"town\"", "beside randomize"]);
    }
    shown(&mut session, "SELECT genre FROM randomize(readers, columns => ((genre, 0.9)))");
    shown(&mut session, "SELECT town, genre FROM randomize(readers, columns => (genre, town), p => 0.9)");
}

#[test]
fn the_owner_may_let_a_column_leave() {
    let released = JOB
        .replace("{ name = \"born\", ", "{ name = \"born\", release = \"as it is\", ")
        .replace("{ name = \"id\", ", "{ name = \"id\", release = \"as it is\", ");
    let Library { _folder, mut session } = library_with(&released);
    let answer = shown(
        &mut session,
        "SELECT id, born, town FROM generalize(readers, quasi => (town, gender), k => 3)",
    );
    assert_eq!(answer.columns(), ["id", "born", "town"]);
    refused(&mut session, "SELECT \"full name\" FROM readers", &["full name"]);
    session.release_nothing_exact();
    shown(&mut session, "SELECT born, genre FROM readers");
    refused(
        &mut session,
        "SELECT town FROM readers",
        &["\"town\"", "stays exact; generalize, slice or randomize it"],
    );
    shown(&mut session, "SELECT town FROM randomize(readers, columns => ((town, 0.2)))");
}

#[test]
fn columns_that_a_join_brings_in_are_remarked_on() {
    let Library { _folder, mut session } = library();
    let joined = "SELECT * FROM generalize((SELECT r.*, d.floor FROM readers r JOIN desks d ON r.desk = d.desk), quasi => (town, born, gender), k => 3)";
    let answer = shown(&mut session, joined);
    assert!(answer.notes.iter().any(|note| note.contains("nothing about desks.floor")), "{:?}", answer.notes);
    let lifted = joined.replace("gender)", "gender, floor)");
    let answer = shown(&mut session, &lifted);
    assert!(!answer.notes.iter().any(|note| note.contains("says nothing")), "{:?}", answer.notes);
}

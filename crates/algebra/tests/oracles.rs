//! Whether a statement fails must not tell a person's secret: neither below `private` nor below `randomize`.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::catalog::MemTable;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::session::Session;
use paravent_job::Job;
use paravent_noise::budget::Cost;
use std::path::Path;
use std::sync::Arc;

const JOB: &str = r#"
version = 1
[input]
path = "readers.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "town"
role = "quasi-identifier"
hierarchy = { order = [["x", "y"]] }
[[attributes]]
name = "genre"
role = "sensitive"
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
person = "id"
"#;

fn session(secret: &str) -> Session {
    let mut session = Session::new(Catalog::of_job(Job::parse(JOB, Path::new("j.toml")).unwrap())).unwrap();
    session.keep_book(Book::in_memory(Cost::parse("1000", None).unwrap()));
    let genres: Vec<&str> = (0..30).map(|i| if i == 17 { secret } else { ["law", "art"][i % 2] }).collect();
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(0..30)) as ArrayRef),
        ("town", Arc::new(StringArray::from_iter_values((0..30).map(|i| ["x", "y"][i / 15]))) as ArrayRef),
        ("genre", Arc::new(StringArray::from(genres)) as ArrayRef),
    ])
    .unwrap();
    let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
    session.register("readers", Arc::new(table)).unwrap();
    session
}

/// What a statement says, draws aside: its error, or that there is none, with its notes and the charge.
fn told(session: &mut Session, sql: &str) -> String {
    match session.run(sql) {
        Ok(answer) => {
            format!("{:?} {}", answer.notes, answer.batches.iter().map(|b| b.num_rows()).sum::<usize>())
        }
        Err(error) => error.to_string(),
    }
}

/// What an answer must not show beside its noise, and values that the column cannot have, are refused before a row is read.
#[test]
fn noise_that_would_be_in_vain_or_cannot_be_is_refused_on_every_table() {
    for (columns, relation, why) in [
        ("(genre, 0.5, uniform('law', 'art'))", "SELECT genre, genre AS g FROM readers", "in vain"),
        ("(genre, 0.5, uniform('law', 'art'))", "SELECT genre, upper(genre) AS g FROM readers", "in vain"),
        (
            "(n, 1, uniform('abc'))",
            "SELECT length(genre) AS n FROM readers WHERE id = 17 AND genre = 'crime'",
            "value 1 of its noise",
        ),
        (
            "(n, 0.5, given(('3', 0.5), ('x', 0.5)))",
            "SELECT length(genre) AS n FROM readers WHERE id = 17 AND genre = 'crime'",
            "value 2 of its noise",
        ),
    ] {
        let sql = format!("SELECT * FROM randomize(({relation}), columns => ({columns}))");
        let (one, other) = (told(&mut session("crime"), &sql), told(&mut session("law"), &sql));
        assert_eq!(one, other, "{sql}");
        assert!(one.contains(why), "{sql}: {one}");
    }
    let raw = "SELECT r.genre, n.genre AS g FROM randomize((SELECT genre FROM readers), columns => ((genre, 0.5, uniform('law')))) n CROSS JOIN readers r";
    assert!(told(&mut session("law"), raw).contains("in vain"));
    let sample = "SELECT count(*) AS n FROM readers TABLESAMPLE (50 PERCENT)";
    assert!(told(&mut session("law"), sample).contains("TABLESAMPLE is not available"));
}

/// Each of these once failed, or could fail, exactly if person 17 reads crime.
#[test]
fn no_error_note_or_charge_depends_on_one_cell() {
    let secret = "CASE WHEN id = 17 AND genre = 'crime' THEN 'b' ELSE 'a' END";
    let number = "CASE WHEN id = 17 AND genre = 'crime' THEN 1 ELSE 0 END";
    let statements = [
        // A cell that is none of the values of the noise.
        "SELECT count(*) AS n FROM randomize((SELECT genre FROM readers), columns => ((genre, 0.99, uniform('law', 'art'))))".to_owned(),
        format!("SELECT count(*) AS n FROM randomize((SELECT {secret} AS c FROM readers), columns => ((c, 0.99, uniform('a', 'z'))))"),
        format!("SELECT count(*) AS n FROM randomize((SELECT {secret} AS c FROM readers), columns => ((c, 0.99, given(('a', 0.5), (NULL, 0.5)))))"),
        format!("SELECT count(*) AS n FROM randomize((SELECT NULLIF({secret}, 'b') AS c FROM readers), columns => ((c, 0.99, uniform('a', 'z'))))"),
        format!("SELECT count(*) AS n FROM randomize((SELECT {secret} AS c FROM readers), columns => ((c, 0.5, steps((-1, 0.5), (1, 0.5), tails => cyclic, domain => ('a', 'c', 'd')))))"),
        // A number that a function, a sum, a conversion or an index fails on.
        format!("SELECT count(*) AS n FROM randomize((SELECT genre, 1 / (1 - {number}) AS x FROM readers WHERE 10 / (1 - {number}) > 0), columns => ((x, 0.99, uniform('0', '1'))))"),
        format!("SELECT * FROM private((SELECT CAST(9223372036854775807 AS BIGINT) + {number} AS x FROM readers), sum => (x, 0, 5), epsilon => 0.1)"),
        format!("SELECT * FROM private((SELECT CAST({secret} AS INT) AS x FROM readers), sum => (x, 0, 5), epsilon => 0.1)"),
        format!("SELECT * FROM private((SELECT town FROM readers WHERE CAST(genre AS DATE) IS NULL OR sqrt(-{number}) > 0), count => true, epsilon => 0.1)"),
        format!("SELECT * FROM private((SELECT id, avg(1.0 / (1 - {number})) AS x FROM readers GROUP BY id), sum => (x, 0, 5), epsilon => 0.1)"),
        format!("SELECT * FROM private((SELECT substr(genre, 1, 3) AS g, -({number}) AS x FROM readers), by => (g), keys => ('law'), sum => (x, -1, 0), epsilon => 0.1)"),
        format!("SELECT count(*) AS n FROM generalize((SELECT town, genre, 5 % (1 - {number}) AS x FROM readers), quasi => (town), k => 2)"),
    ];
    for sql in statements {
        let (one, other) = (told(&mut session("crime"), &sql), told(&mut session("law"), &sql));
        assert_eq!(one, other, "{sql}");
        assert!(!one.contains("outside") && !one.contains("ivide by zero"), "{sql}: {one}");
    }
}

use super::*;
use paravent_tables::engine::{Fates, RecodedColumn, Recoding};
use proptest::prelude::*;
use sqlparser::dialect::{PostgreSqlDialect, SparkSqlDialect};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

const POSTGRES: Dialect = Dialect::POSTGRES;

fn table(name: &str) -> TableName {
    TableName::parse(name).unwrap()
}

fn recoding() -> Recoding {
    Recoding {
        table: table("study.patients"),
        columns: vec![
            RecodedColumn::Label { name: "age".into(), mapped: 0 },
            RecodedColumn::AsItIs { name: "diagnosis".into() },
        ],
        mapped: vec![("age".into(), "m".into())],
        fates: Fates::AllBut("x".into()),
        subset: Vec::new(),
    }
}

#[test]
fn counts_are_grouped_byte_by_byte() {
    let asked = Question {
        from: Relation::Table(table("study.patients")),
        columns: vec!["age".into(), "sex".into()],
        grouping: Grouping::Counted,
    };
    let is_text = |name: &str| name == "sex";
    assert_eq!(
        question(POSTGRES, &asked, &is_text).to_string(),
        "SELECT \"p\".\"age\" AS \"age\", \"p\".\"sex\" COLLATE \"C\" AS \"sex\", count(*) FROM \"study\".\"patients\" AS \"p\" \
         GROUP BY \"p\".\"age\", \"p\".\"sex\" COLLATE \"C\""
    );
}

#[test]
fn suppressed_combinations_are_left_out_by_their_codes() {
    let text = create(POSTGRES, &table("study.staged"), &recoding(), &|_: &str| false).to_string();
    assert_eq!(
        text,
        "CREATE TABLE \"study\".\"staged\" AS SELECT \"q\".\"l0\" AS \"age\", \"q\".\"o0\" AS \"diagnosis\" FROM (SELECT \
         CASE WHEN \"p\".\"age\" IS NULL THEN (SELECT \"n\".\"c\" FROM \"pg_temp\".\"m\" AS \"n\" WHERE \"n\".\"v\" IS NULL) ELSE \
         \"m0\".\"c\" END AS \"c0\", CASE WHEN \"p\".\"age\" IS NULL THEN (SELECT \"n\".\"l\" FROM \"pg_temp\".\"m\" AS \"n\" WHERE \
         \"n\".\"v\" IS NULL) ELSE \"m0\".\"l\" END AS \"l0\", \"p\".\"diagnosis\" AS \"o0\" FROM \"study\".\"patients\" AS \"p\" LEFT \
         JOIN \"pg_temp\".\"m\" AS \"m0\" ON \"m0\".\"v\" = \"p\".\"age\") AS \"q\" WHERE NOT EXISTS (SELECT 1 FROM \
         \"pg_temp\".\"x\" AS \"x\" WHERE \"x\".\"c0\" = \"q\".\"c0\")"
    );
}

/// A version of the table, as Delta tables have them.
struct SeventhVersion;

impl Texts for SeventhVersion {
    fn is_text(&self, _: &str) -> bool {
        false
    }

    fn version(&self) -> Option<u64> {
        Some(7)
    }
}

#[test]
fn spark_reads_one_version() {
    let from = Relation::Table(table("parquet:/lake/people"));
    let asked = Question { from, columns: vec!["a`b".into()], grouping: Grouping::Counted };
    assert_eq!(
        question(Dialect::SPARK, &asked, &SeventhVersion).to_string(),
        "SELECT `p`.`a``b` AS `a``b`, count(*) FROM (SELECT * FROM `parquet`.`/lake/people` VERSION AS OF 7) AS `p` GROUP BY `p`.`a``b`"
    );
    let made = create(Dialect::SPARK, &table("s"), &recoding(), &SeventhVersion).to_string();
    assert_eq!(made.matches("VERSION AS OF 7").count(), 1, "{made}");
    assert!(made.starts_with("CREATE TABLE `s` COMMENT 'made by paravent' AS SELECT "), "{made}");
    assert_eq!(
        mark(POSTGRES, &table("s.t\"")).to_string(),
        "COMMENT ON TABLE \"s\".\"t\"\"\" IS 'made by paravent'"
    );
    let parts = ["m_0".to_owned(), "m_1".to_owned()];
    assert_eq!(
        all_rows_of(Dialect::SPARK, &parts, &["v".to_owned()]).unwrap().to_string(),
        "SELECT `p`.`v` AS `v` FROM `m_0` AS `p` UNION ALL SELECT `p`.`v` AS `v` FROM `m_1` AS `p`"
    );
}

/// The quoted words of a text, as a reader of the dialect sees them.
fn quoted_words(reader: &dyn sqlparser::dialect::Dialect, quote: char, text: &str) -> Vec<String> {
    let tokens = Tokenizer::new(reader, text).tokenize().unwrap();
    let word = |token: Token| match token {
        Token::Word(word) if word.quote_style == Some(quote) => Some(word.value),
        _ => None,
    };
    tokens.into_iter().filter_map(word).collect()
}

proptest! {
    /// Whatever a column or a table is called, the text is one statement, and its names are the names.
    #[test]
    fn names_stay_names(
        column in r#"([\\"`a; ]|[^\x00]){1,6}"#,
        schema in "[^\0]{1,4}",
        name in r#"([\\"`]|[^\x00]){1,4}"#,
        is_spark in any::<bool>(),
    ) {
        let dialect = if is_spark { Dialect::SPARK } else { POSTGRES };
        let reader: &dyn sqlparser::dialect::Dialect =
            if is_spark { &SparkSqlDialect {} } else { &PostgreSqlDialect {} };
        let quoted = |part: &str| format!("\"{}\"", part.replace('"', "\"\""));
        let mut recoding = recoding();
        recoding.table = table(&format!("{}.{}", quoted(&schema), quoted(&name)));
        recoding.mapped[0].0 = column.clone();
        let other = format!("{column}\"; DROP TABLE x; --");
        recoding.columns = vec![
            RecodedColumn::Label { name: column.clone(), mapped: 0 },
            RecodedColumn::AsItIs { name: other.clone() },
        ];
        let is_text = |_: &str| true;
        let asked = Question {
            from: Relation::Recoded(recoding.clone()),
            columns: recoding.columns.iter().map(|column| column.name().to_owned()).collect(),
            grouping: Grouping::Counted,
        };
        let statements: Vec<Statement> = vec![
            question(dialect, &asked, &is_text).into(),
            create(dialect, &table("s"), &recoding, &is_text),
            mapping_of_values(dialect, "m", (&recoding.table, &column)),
            rename(dialect, &recoding.table, &table("s")),
            drop(dialect, &recoding.table),
        ];
        let ours = ["p", "q", "n", "x", "m", "s", "m0", "c", "l", "v", "c0", "l0", "o0", "C", "pg_temp"];
        for statement in statements {
            let text = statement.to_string();
            prop_assert_eq!(Parser::parse_sql(reader, &text).map(|parsed| parsed.len()), Ok(1));
            for word in quoted_words(reader, dialect.quote, &text) {
                prop_assert!(
                    ours.contains(&word.as_str()) || [&column, &other, &schema, &name].contains(&&word),
                    "{} in {}", word, text
                );
            }
        }
    }
}

//! Tokens of people: keyed hashes of what names them, made where the table lives.

use super::Texts;
use super::tree::{Dialect, Parts, all_of, call, count, either, equal};
use paravent_tables::engine::TableName;
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr,
    FunctionArguments, Query, SelectItem, Value,
};

/// A column of a key, and how its cells become text: equal cells become equal texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// The column.
    pub column: String,
    /// Whether equal numbers may be written with more or fewer zeros behind the point.
    pub is_numeric: bool,
}

/// Blanks, as Unicode knows them: a name has the same ones around it here and in a file.
const BLANKS: &str = "\u{9}\u{a}\u{b}\u{c}\u{d} \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\
                      \u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// A table and the table of one row that has the secret.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a> {
    /// The rows.
    pub table: &'a TableName,
    /// What names people in it.
    pub key: &'a [KeyPart],
    /// The name of the session's table `(secret)`.
    pub secret: &'a str,
}

/// The columns, and the token of the person behind each row.
///
/// ```sql
/// SELECT p.age AS age, …, CAST(encode(substr(sha256(
///     k.secret || int4send(octet_length(convert_to(btrim(CAST(p.id AS text), blanks), 'UTF8'))) || convert_to(…) || …
///   ), 1, 16), 'hex') AS uuid) AS token
/// FROM patients p INNER JOIN secrets k ON true
/// ```
pub fn with_tokens(dialect: Dialect, keyed: Keyed<'_>, columns: &[String], token: &str) -> Query {
    let mut parts = keyed.parts(dialect);
    parts.projection = columns.iter().map(|name| dialect.aliased(dialect.column("p", name), name)).collect();
    parts.projection.push(dialect.aliased(keyed.token(dialect, |text| text), token));
    parts.query()
}

/// By column of the key: how many rows name nobody there.
pub fn nobody(dialect: Dialect, keyed: Keyed<'_>) -> Query {
    let empty = keyed.key.iter().map(|part| {
        let cell = dialect.column("p", &part.column);
        let is_blank = equal(length(trimmed(dialect, part)), number("0"));
        let is_empty = Expr::BinaryOp {
            left: Box::new(Expr::IsNull(Box::new(cell))),
            op: BinaryOperator::Or,
            right: Box::new(is_blank),
        };
        SelectItem::UnnamedExpr(sum(either(is_empty, number("1"), number("0"))))
    });
    let from = Some(dialect.relation(dialect.table(keyed.table), "p"));
    Parts { projection: empty.collect(), from, ..Parts::default() }.query()
}

/// How many people there are, how many of them occur with and without blanks around their key, and how many keys differ in more than capital letters.
pub fn spellings(dialect: Dialect, keyed: Keyed<'_>, texts: &dyn Texts) -> Query {
    let mut rows = keyed.parts(dialect);
    let is_plain =
        keyed.key.iter().map(|part| equal(length(text(dialect, part)), length(trimmed(dialect, part))));
    let padded = all_of(is_plain).map_or(number("0"), |plain| either(plain, number("0"), number("1")));
    let small = |expr: Expr, part: &KeyPart| {
        let of_text = texts.is_text(&part.column);
        call("lower", FunctionArgExpr::Expr(dialect.usual_letters(expr, of_text)))
    };
    rows.projection = vec![
        dialect.aliased(keyed.token(dialect, |text| text), "t"),
        dialect.aliased(keyed.token_of(dialect, small), "s"),
        dialect.aliased(padded, "w"),
    ];
    let of = |name: &str| dialect.column("r", name);
    let by_person = Parts {
        projection: vec![
            dialect.aliased(of("s"), "s"),
            dialect.aliased(call("min", FunctionArgExpr::Expr(of("w"))), "least"),
            dialect.aliased(call("max", FunctionArgExpr::Expr(of("w"))), "most"),
        ],
        from: Some(dialect.subquery(rows.query(), "r")),
        // Somebody's key in small letters follows from the key.
        group_by: vec![of("t"), of("s")],
        ..Parts::default()
    };
    let of = |name: &str| dialect.column("q", name);
    let both = all_of([equal(of("least"), number("0")), equal(of("most"), number("1"))]);
    let both = both.map_or(number("0"), |both| either(both, number("1"), number("0")));
    Parts {
        projection: vec![
            SelectItem::UnnamedExpr(count()),
            SelectItem::UnnamedExpr(sum(both)),
            SelectItem::UnnamedExpr(distinct(call("count", FunctionArgExpr::Expr(of("s"))))),
        ],
        from: Some(dialect.subquery(by_person.query(), "q")),
        ..Parts::default()
    }
    .query()
}

impl Keyed<'_> {
    /// FROM the rows, each beside the secret.
    fn parts(&self, dialect: Dialect) -> Parts {
        let secret = dialect.relation(dialect.session_table(self.secret), "k");
        let always = Expr::value(Value::Boolean(true));
        Parts {
            from: Some(dialect.relation(dialect.table(self.table), "p")),
            joins: vec![super::tree::inner_join(secret, always)],
            ..Parts::default()
        }
    }

    fn token(&self, dialect: Dialect, change: impl Fn(Expr) -> Expr) -> Expr {
        self.token_of(dialect, |expr, _| change(expr))
    }

    /// The hash over the secret and the parts, each behind its length.
    fn token_of(&self, dialect: Dialect, change: impl Fn(Expr, &KeyPart) -> Expr) -> Expr {
        let hashed = self.key.iter().fold(dialect.column("k", "secret"), |before, part| {
            let text = change(trimmed(dialect, part), part);
            let bytes = function("convert_to", vec![text, word("UTF8")]);
            let length = call("octet_length", FunctionArgExpr::Expr(bytes.clone()));
            let length = call("int4send", FunctionArgExpr::Expr(length));
            joined(joined(before, length), bytes)
        });
        let hash = call("sha256", FunctionArgExpr::Expr(hashed));
        let first = function("substr", vec![hash, number("1"), number("16")]);
        cast(function("encode", vec![first, word("hex")]), DataType::Uuid)
    }
}

/// A cell of the key as text.
fn text(dialect: Dialect, part: &KeyPart) -> Expr {
    let cell = dialect.column("p", &part.column);
    let cell = if part.is_numeric { call("trim_scale", FunctionArgExpr::Expr(cell)) } else { cell };
    cast(cell, DataType::Text)
}

fn trimmed(dialect: Dialect, part: &KeyPart) -> Expr {
    function("btrim", vec![text(dialect, part), word(BLANKS)])
}

fn length(text: Expr) -> Expr {
    call("octet_length", FunctionArgExpr::Expr(text))
}

fn sum(expr: Expr) -> Expr {
    call("sum", FunctionArgExpr::Expr(expr))
}

fn number(digits: &str) -> Expr {
    Expr::value(Value::Number(digits.to_owned(), false))
}

/// A word of ours; no cell and no name.
fn word(text: &str) -> Expr {
    Expr::value(Value::SingleQuotedString(text.to_owned()))
}

fn cast(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

fn joined(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::StringConcat, right: Box::new(right) }
}

/// A function of several arguments.
fn function(name: &str, arguments: Vec<Expr>) -> Expr {
    let mut call = call(name, FunctionArgExpr::Wildcard);
    if let Expr::Function(function) = &mut call
        && let FunctionArguments::List(list) = &mut function.args
    {
        list.args = arguments
            .into_iter()
            .map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)))
            .collect();
    }
    call
}

/// An aggregate over different values.
fn distinct(mut call: Expr) -> Expr {
    if let Expr::Function(function) = &mut call
        && let FunctionArguments::List(list) = &mut function.args
    {
        list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
    }
    call
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sqlparser::dialect::PostgreSqlDialect;
    use sqlparser::parser::Parser;
    use sqlparser::tokenizer::{Token, Tokenizer};

    const POSTGRES: Dialect = Dialect::POSTGRES;

    #[test]
    fn a_token_is_a_hash_over_the_secret_and_the_key() {
        let key = [KeyPart { column: "id".into(), is_numeric: false }];
        let table = TableName::parse("study.patients").unwrap();
        let keyed = Keyed { table: &table, key: &key, secret: "s" };
        let text = with_tokens(POSTGRES, keyed, &["age".to_owned()], "who").to_string();
        let cell = format!("convert_to(btrim(CAST(\"p\".\"id\" AS TEXT), '{BLANKS}'), 'UTF8')");
        assert_eq!(
            text,
            format!(
                "SELECT \"p\".\"age\" AS \"age\", CAST(encode(substr(sha256(\"k\".\"secret\" || int4send(octet_length({cell})) || {cell}), \
                 1, 16), 'hex') AS UUID) AS \"who\" FROM \"study\".\"patients\" AS \"p\" INNER JOIN \"pg_temp\".\"s\" AS \"k\" ON true"
            )
        );
    }

    #[test]
    fn blanks_are_those_that_are_trimmed_from_files() {
        let known =
            (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|letter| letter.is_whitespace());
        assert_eq!(known.collect::<String>(), BLANKS);
    }

    proptest! {
        /// Whatever columns are called, the text is one statement, and its names are the names.
        #[test]
        fn names_stay_names(column in r#"([\\"a; ]|[^\x00]){1,6}"#, is_numeric in any::<bool>()) {
            let table = TableName::parse("t").unwrap();
            let key = [KeyPart { column: column.clone(), is_numeric }];
            let keyed = Keyed { table: &table, key: &key, secret: "s" };
            for query in [
                with_tokens(POSTGRES, keyed, std::slice::from_ref(&column), "who"),
                nobody(POSTGRES, keyed),
                spellings(POSTGRES, keyed, &|_: &str| true),
            ] {
                let text = query.to_string();
                prop_assert_eq!(Parser::parse_sql(&PostgreSqlDialect {}, &text).map(|parsed| parsed.len()), Ok(1));
                for token in Tokenizer::new(&PostgreSqlDialect {}, &text).tokenize().unwrap() {
                    if let Token::Word(word) = token && word.quote_style == Some('"') {
                        let ours = ["p", "k", "q", "r", "t", "s", "w", "least", "most", "who", "secret", "pg_temp", "default"];
                        prop_assert!(ours.contains(&word.value.as_str()) || word.value == column, "{} in {}", word.value, text);
                    }
                }
            }
        }
    }
}

//! Random statements: joins of every kind, subqueries anywhere, windows, set operations, generated rows, functions that fail, and our operators.

use super::dice::Dice;

/// A statement, and what can be said of its answer before it is there.
#[derive(Debug, Clone)]
pub struct Statement {
    pub sql: String,
    /// The answer shows rows of one generalization with their labels; each label combination must have so many of them.
    pub promised: Option<usize>,
}

/// A relation in FROM, with columns that may be named.
struct Relation {
    sql: String,
    columns: Vec<String>,
}

pub struct Writer<'a> {
    dice: &'a mut Dice,
    /// Cells that a statement may quote.
    known: &'a [String],
    aliases: usize,
}

impl<'a> Writer<'a> {
    pub fn new(dice: &'a mut Dice, known: &'a [String]) -> Writer<'a> {
        Writer { dice, known, aliases: 0 }
    }

    /// A whole statement.
    pub fn statement(&mut self) -> Statement {
        if self.dice.percent(15) {
            return self.labels();
        }
        let depth = self.dice.between(1, 3);
        let query = self.query(depth);
        let explain = self.dice.percent(20);
        let sql = match self.dice.below(12) {
            0 => format!("WITH w AS ({query}) SELECT * FROM w"),
            1 => format!("WITH w AS ({query}) SELECT count(*) FROM w AS a CROSS JOIN w AS b"),
            2 => format!(
                "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 7) SELECT * FROM r, ({query}) AS q"
            ),
            _ => query,
        };
        Statement { sql: if explain { format!("EXPLAIN {sql}") } else { sql }, promised: None }
    }

    /// Rows of a generalization with their labels, picked in some way.
    fn labels(&mut self) -> Statement {
        let k = self.dice.between(2, 6);
        let limit = self.dice.of(&["0", "0.1", "0.3", "0.6"]);
        let below = match self.dice.below(4) {
            0 => "people".to_owned(),
            1 => "(SELECT * FROM people WHERE age < 80)".to_owned(),
            2 => "(SELECT DISTINCT ON (p.id) p.*, v.ward FROM people p JOIN visits v ON p.id = v.id ORDER BY p.id, v.remark)".to_owned(),
            _ => "(SELECT id, age, town, zip, illness, note FROM people)".to_owned(),
        };
        let labels =
            format!("generalize({below}, quasi => (age, town, zip), k => {k}, suppression => {limit})");
        let picked = match self.dice.below(9) {
            0 => " WHERE illness = 'flu'".to_owned(),
            1 => format!(" WHERE note <> '{}'", self.dice.of(self.known)),
            2 => format!(" WHERE note = '{}'", self.dice.of(self.known)),
            3 => " WHERE note < 'g'".to_owned(),
            4 => " JOIN (SELECT 'flu' AS illness) AS f USING (illness)".to_owned(),
            5 => " WHERE EXISTS (SELECT 1 FROM people AS p WHERE p.note = g.note AND p.age > 40)".to_owned(),
            6 => " WHERE note IN (SELECT note FROM people WHERE name < 'm')".to_owned(),
            _ => String::new(),
        };
        let sql = format!("SELECT age, town, zip, note FROM {labels} AS g{picked}");
        let sql = match self.dice.below(6) {
            0 => format!("WITH w AS ({sql}) SELECT age, town, zip, note FROM w"),
            1 => format!("SELECT age, town, zip, note FROM ({sql}) AS s WHERE note > 'd'"),
            2 => format!("{sql} ORDER BY age"),
            _ => sql,
        };
        Statement { sql, promised: Some(k) }
    }

    fn query(&mut self, depth: usize) -> String {
        let from = self.relation(depth);
        let distinct = if self.dice.percent(8) { "DISTINCT " } else { "" };
        if self.dice.percent(20) {
            return self.grouped(&from);
        }
        let items = match self.dice.percent(25) {
            true => "*".to_owned(),
            false => {
                let number = self.dice.between(1, 4);
                let items: Vec<String> = (0..number)
                    .map(|place| format!("{} AS c{place}", self.expression(&from.columns, 2)))
                    .collect();
                items.join(", ")
            }
        };
        let mut sql = format!("SELECT {distinct}{items} FROM {}", from.sql);
        if self.dice.percent(40) {
            sql = format!("{sql} WHERE {}", self.condition(&from.columns, 2));
        }
        if self.dice.percent(15) {
            sql = format!("{sql} ORDER BY {}", self.expression(&from.columns, 1));
        }
        if self.dice.percent(10) {
            sql = format!("{sql} LIMIT {}", self.dice.between(1, 30));
        }
        sql
    }

    fn grouped(&mut self, from: &Relation) -> String {
        let by = self.dice.of(&from.columns);
        let figure = self.aggregate(&from.columns);
        let having = match self.dice.percent(30) {
            true => format!(" HAVING {} > {}", self.aggregate(&from.columns), self.dice.below(4)),
            false => String::new(),
        };
        match self.dice.below(4) {
            0 => format!("SELECT {figure} AS f FROM {}", from.sql),
            1 => format!("SELECT {by} AS g, {figure} AS f FROM {} GROUP BY ROLLUP ({by}){having}", from.sql),
            _ => format!("SELECT {by} AS g, {figure} AS f FROM {} GROUP BY {by}{having}", from.sql),
        }
    }

    fn aggregate(&mut self, columns: &[String]) -> String {
        let of = self.expression(columns, 0);
        let function = self.dice.of(&[
            "min",
            "max",
            "count",
            "string_agg",
            "array_agg",
            "first_value",
            "last_value",
            "avg",
            "sum",
            "approx_distinct",
            "median",
            "bit_xor",
            "stddev",
            "nth_value",
            "approx_percentile_cont",
        ]);
        match function {
            "string_agg" => format!("string_agg({of}, ',')"),
            "nth_value" => format!("nth_value({of}, 2)"),
            "approx_percentile_cont" => format!("approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY {of})"),
            "count" if self.dice.percent(50) => "count(*)".to_owned(),
            "count" => format!("count(DISTINCT {of})"),
            _ => format!("{function}({of})"),
        }
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    /// Something in FROM, always with a name of its own.
    fn relation(&mut self, depth: usize) -> Relation {
        let names = |alias: &str, columns: &[&str]| -> Vec<String> {
            columns.iter().map(|column| format!("{alias}.{column}")).collect()
        };
        if depth == 0 || self.dice.percent(25) {
            let alias = self.alias();
            let (table, columns): (&str, &[&str]) = match self.dice.below(10) {
                0 | 1 => ("visits", &["id", "ward", "cost", "remark"]),
                2 => ("wards", &["ward", "beds"]),
                3 => ("generate_series(1, 5)", &["value"]),
                4 => ("(VALUES ('a', 1), ('b', 2))", &["column1", "column2"]),
                5 => ("(SELECT unnest([1, 2, 3]) AS u)", &["u"]),
                _ => ("people", &["id", "name", "age", "town", "zip", "illness", "note"]),
            };
            return Relation { sql: format!("{table} AS {alias}"), columns: names(&alias, columns) };
        }
        match self.dice.below(8) {
            0 | 1 => self.joined(depth - 1),
            2 => self.union(depth - 1),
            3 => {
                let query = self.query(depth - 1);
                let alias = self.alias();
                let columns = ["c0", "c1", "f", "g", "age", "note", "name", "id"];
                Relation { sql: format!("({query}) AS {alias}"), columns: names(&alias, &columns) }
            }
            _ => self.operator(depth - 1),
        }
    }

    fn joined(&mut self, depth: usize) -> Relation {
        let (left, right) = (self.relation(depth), self.relation(depth));
        let kind = self.dice.of(&[
            "JOIN",
            "LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
            "CROSS JOIN",
            "LEFT SEMI JOIN",
            "LEFT ANTI JOIN",
            "NATURAL JOIN",
            ",",
            "CROSS JOIN LATERAL",
            "RIGHT SEMI JOIN",
            "RIGHT ANTI JOIN",
        ]);
        let columns: Vec<String> = match kind {
            "LEFT SEMI JOIN" | "LEFT ANTI JOIN" => left.columns.clone(),
            "RIGHT SEMI JOIN" | "RIGHT ANTI JOIN" => right.columns.clone(),
            _ => [left.columns.clone(), right.columns.clone()].concat(),
        };
        let (one, other) = (self.dice.of(&left.columns), self.dice.of(&right.columns));
        let same = |column: &String| right.columns.iter().find(|other| last(other) == last(column)).cloned();
        let on =
            match left.columns.iter().find_map(|column| same(column).map(|other| (column.clone(), other))) {
                Some((one, other)) if self.dice.percent(80) => format!("{one} = {other}"),
                _ => format!("{one} = {other}"),
            };
        let sql = match kind {
            "CROSS JOIN" | "NATURAL JOIN" | "," | "CROSS JOIN LATERAL" => {
                format!("{} {kind} {}", left.sql, right.sql)
            }
            _ => format!("{} {kind} {} ON {on}", left.sql, right.sql),
        };
        Relation { sql, columns }
    }

    fn union(&mut self, depth: usize) -> Relation {
        let (left, right) = (self.relation(depth), self.relation(depth));
        let (a, b) = (self.expression(&left.columns, 1), self.expression(&right.columns, 1));
        let kind =
            self.dice.of(&["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"]);
        let alias = self.alias();
        let sql = format!(
            "(SELECT {a} AS c0 FROM {} {kind} SELECT {b} AS c0 FROM {}) AS {alias}",
            left.sql, right.sql
        );
        Relation { sql, columns: vec![format!("{alias}.c0")] }
    }

    fn operator(&mut self, depth: usize) -> Relation {
        let below = match self.dice.percent(50) {
            true => "people".to_owned(),
            false => match self.dice.percent(60) {
                true => {
                    format!("(SELECT * FROM people WHERE {})", self.condition(&PEOPLE.map(str::to_owned), 1))
                }
                false => format!("({})", self.query(depth)),
            },
        };
        let alias = self.alias();
        let (call, columns): (String, Vec<&str>) = match self.dice.below(4) {
            0 => {
                let k = self.dice.between(1, 9);
                let quasi = self.dice.of(&[
                    "quasi => (age, town, zip), ",
                    "",
                    "quasi => (age), ",
                    "quasi => (age, id), ",
                ]);
                let more = self.dice.of(&[
                    "",
                    ", suppression => 0.2",
                    ", l => 2, sensitive => illness",
                    ", suppression => 0.9",
                ]);
                (
                    format!("generalize({below}, {quasi}k => {k}{more})"),
                    vec!["age", "town", "zip", "illness", "note", "name"],
                )
            }
            1 => {
                let groups = self.dice.of(&[
                    "((age), (town), (zip), (illness), (note))",
                    "((age, town), (zip), (illness, note))",
                    "((id, age), (town, illness))",
                    "((age, illness), (town, zip, note))",
                ]);
                let buckets = self.dice.of(&[
                    "bucket => 10",
                    "buckets => 3",
                    "by => town",
                    "within => 3, quasi => (age, town, zip)",
                    "by => id",
                ]);
                let more = self.dice.of(&["", ", allow_identifying => true", ", merge => true", ", l => 2"]);
                (
                    format!("slice({below}, groups => {groups}, {buckets}{more})"),
                    vec!["age", "town", "zip", "illness", "note"],
                )
            }
            2 => {
                let columns = self.dice.of(&[
                    "(illness)",
                    "(illness, town)",
                    "((note, 0.5))",
                    "((name, 0.5))",
                    "((age, 0.3, learnt))",
                ]);
                let from = self.dice.of(&["uniform", "learnt", "uniform('flu', 'gout', 'cold')"]);
                (
                    format!("randomize({below}, columns => {columns}, p => 0.4, distribution => {from})"),
                    vec!["age", "town", "illness", "note"],
                )
            }
            _ => {
                let by = self.dice.of(&[
                    "",
                    "by => (town), ",
                    "by => (note), ",
                    "by => (id), ",
                    "by => (town), keys => ('east', 'west'), ",
                ]);
                let figure = self.dice.of(&["count => true", "sum => (age, 0, 120)", "avg => (age, 0, 120)"]);
                let delta = self.dice.of(&["", ", delta => 0.01"]);
                (
                    format!("private({below}, {by}{figure}, epsilon => 0.5{delta})"),
                    vec!["count", "sum", "avg", "town", "note", "id"],
                )
            }
        };
        let columns = columns.into_iter().map(|column| format!("{alias}.{column}")).collect();
        Relation { sql: format!("{call} AS {alias}"), columns }
    }

    /// A column, and not too often an identifying one: those statements are all refused.
    fn column(&mut self, columns: &[String]) -> String {
        let column = self.dice.of(columns);
        match matches!(last(&column), "id" | "name") && self.dice.percent(70) {
            true => self.dice.of(columns),
            false => column,
        }
    }

    fn expression(&mut self, columns: &[String], depth: usize) -> String {
        let column = self.column(columns);
        if depth == 0 || self.dice.percent(60) {
            return column;
        }
        let inner = self.expression(columns, depth - 1);
        match self.dice.below(26) {
            0 => format!("upper({inner})"),
            1 => format!("substr({inner}, 2, 8)"),
            2 => format!("reverse({inner})"),
            3 => format!("{inner} || '-'"),
            4 => format!("CAST({inner} AS INT)"),
            5 => format!("1 / (char_length({inner}) - char_length({inner}))"),
            6 => format!("to_timestamp({inner})"),
            7 => format!("repeat({inner}, 3)"),
            8 => format!("regexp_replace({inner}, '(', 'x')"),
            9 => format!("coalesce({inner}, {column})"),
            10 => format!("CASE WHEN {} THEN {inner} ELSE {column} END", self.condition(columns, depth - 1)),
            11 => "(SELECT max(name) FROM people)".to_owned(),
            12 => format!("(SELECT min(q.name) FROM people AS q WHERE q.note = {column})"),
            13 => "(SELECT count(*) FROM people)".to_owned(),
            14 => format!("row_number() OVER (ORDER BY {inner})"),
            15 => format!("max({inner}) OVER ()"),
            16 => format!("lag({inner}) OVER (PARTITION BY {column} ORDER BY {inner})"),
            17 => format!(
                "first_value({inner}) OVER (ORDER BY {column} ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
            ),
            18 => format!("arrow_cast({inner}, 'Int8')"),
            19 => format!("CAST({inner} AS DATE)"),
            20 => format!("split_part({inner}, 'b', 1)"),
            21 => format!("concat({inner}, {column})"),
            22 => format!("md5({inner})"),
            23 => format!("[{inner}, {column}][1]"),
            24 => format!("struct({inner} AS a)"),
            _ => format!("nullif({inner}, {column})"),
        }
    }

    fn condition(&mut self, columns: &[String], depth: usize) -> String {
        let column = self.dice.of(columns);
        match self.dice.below(14) {
            0 => format!("{column} = '{}'", self.dice.of(self.known)),
            1 => format!("{column} > 'm'"),
            2 => format!("{column} IN (SELECT name FROM people)"),
            3 => format!("{column} IN (SELECT note FROM people WHERE age > 50)"),
            4 => format!("EXISTS (SELECT 1 FROM people AS e WHERE e.name = {column})"),
            5 => format!("NOT EXISTS (SELECT 1 FROM visits AS e WHERE e.remark = {column})"),
            6 => format!("{column} LIKE '%{}%'", &self.dice.of(self.known)[..4]),
            7 => format!("{column} = (SELECT max(id) FROM people)"),
            8 => format!("CAST({column} AS INT) > 3"),
            9 => format!("1 / (char_length({column}) - 12) > 0"),
            10 if depth > 0 => {
                format!("({} OR {})", self.condition(columns, depth - 1), self.condition(columns, depth - 1))
            }
            11 if depth > 0 => format!("NOT ({})", self.condition(columns, depth - 1)),
            _ => format!("{column} IS NOT NULL"),
        }
    }
}

const PEOPLE: [&str; 7] = ["id", "name", "age", "town", "zip", "illness", "note"];

fn last(column: &str) -> &str {
    column.rsplit('.').next().unwrap_or(column)
}

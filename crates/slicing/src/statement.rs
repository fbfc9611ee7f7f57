//! Slicing as SQL for a database that runs it itself.
//!
//! `row_number()` over a keyed hash numbers the rows of every bucket anew for each group, and groups are joined on bucket and number. Unlike `ORDER BY random()` in a derived table,
//! no optimizer may drop the order, and the join has keys to be hashed on. The key stands in a table of one row, not in the text, which databases write to logs.

/// Which database the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL 13 or later.
    Postgres,
    /// MySQL 8 or later.
    MySql,
}

/// How the database makes buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatedBuckets {
    /// So many.
    Count(u32),
    /// Of at least this number of rows.
    Size(u32),
    /// One per value of a column.
    By(String),
}

/// What the text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The database.
    pub dialect: Dialect,
    /// The table, as `name` or `schema.name`.
    pub table: String,
    /// The column groups.
    pub groups: Vec<Vec<String>>,
    /// The buckets.
    pub buckets: StatedBuckets,
    /// A column (or several) by which rows are numbered; without one the database numbers them as it likes.
    pub row_key: Vec<String>,
}

impl Dialect {
    /// A name in quotes of its own.
    fn quoted(self, name: &str) -> String {
        match self {
            Dialect::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
            Dialect::MySql => format!("`{}`", name.replace('`', "``")),
        }
    }

    fn list(self, names: &[String]) -> String {
        names.iter().map(|name| self.quoted(name)).collect::<Vec<_>>().join(", ")
    }

    /// A random number per group and row.
    fn shuffle(self, group: usize) -> String {
        match self {
            Dialect::Postgres => format!("sha256(k.secret || int4send({group}) || int8send(p.paravent_row))"),
            Dialect::MySql => format!("SHA2(CONCAT(k.secret, '/', {group}, '/', p.paravent_row), 256)"),
        }
    }
}

impl Statement {
    /// The text: the key, the numbered rows, the slicing, and what to clear away.
    pub fn text(&self) -> String {
        let dialect = self.dialect;
        let temporary = match dialect {
            Dialect::Postgres => "CREATE TEMPORARY TABLE",
            // A temporary table can be read only once in a statement there.
            Dialect::MySql => "CREATE TABLE",
        };
        let secret = match dialect {
            Dialect::Postgres => {
                "SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) AS secret"
            }
            Dialect::MySql => "SELECT RANDOM_BYTES(32) AS secret",
        };
        let mut columns: Vec<String> = Vec::new();
        for column in self.groups.iter().flatten() {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        let mut stored = columns.clone();
        if let StatedBuckets::By(column) = &self.buckets
            && !stored.contains(column)
        {
            stored.push(column.clone());
        }
        let over = match self.row_key.is_empty() {
            true => "OVER ()".to_owned(),
            false => format!("OVER (ORDER BY {})", dialect.list(&self.row_key)),
        };
        let table = self.table.split('.').map(|part| dialect.quoted(part)).collect::<Vec<_>>().join(".");
        let mut text = format!(
            "-- 1 The key. It stands in a table of one row, so that no log of statements has it.\n\
             {temporary} paravent_key AS {secret};\n\
             -- 2 The rows, numbered once.\n\
             {temporary} paravent_rows AS\n  SELECT row_number() {over} AS paravent_row, {} FROM {table};\n\
             -- 3 The slicing. Write its result to a table or a file, and judge it: paravent slice check BEFORE AFTER --groups …\n\
             WITH paravent_buckets AS (\n  SELECT {} AS paravent_bucket, r.* FROM paravent_rows r\n)",
            dialect.list(&stored),
            self.bucket(),
        );
        for (number, group) in self.groups.iter().enumerate() {
            let number = number + 1;
            let columns: Vec<String> =
                group.iter().map(|name| format!("p.{}", dialect.quoted(name))).collect();
            text.push_str(&format!(
                ",\nparavent_group_{number} AS (\n  SELECT p.paravent_bucket, row_number() OVER (PARTITION BY p.paravent_bucket ORDER BY {}) AS paravent_ord, {}\n  \
                 FROM paravent_buckets p CROSS JOIN paravent_key k\n)",
                dialect.shuffle(number),
                columns.join(", "),
            ));
        }
        let group_of =
            |column: &String| self.groups.iter().position(|group| group.contains(column)).unwrap_or(0) + 1;
        let shown: Vec<String> = columns
            .iter()
            .map(|column| format!("paravent_group_{}.{}", group_of(column), dialect.quoted(column)))
            .collect();
        text.push_str(&format!("\nSELECT {}\nFROM paravent_group_1", shown.join(", ")));
        for number in 2..=self.groups.len() {
            text.push_str(&format!("\nJOIN paravent_group_{number} USING (paravent_bucket, paravent_ord)"));
        }
        // Sorted by all columns, the order of the rows tells nothing about buckets.
        let order: Vec<String> = (1..=shown.len()).map(|place| place.to_string()).collect();
        text.push_str(&format!(
            "\nORDER BY {};\n-- 4 Nobody needs the key any more.\nDROP TABLE paravent_key;\nDROP TABLE paravent_rows;\n",
            order.join(", ")
        ));
        text
    }

    /// The number of a row's bucket. A NULL has a rank like any other value, so that no row is lost in the join.
    fn bucket(&self) -> String {
        let rows = "(SELECT count(*) FROM paravent_rows)";
        let whole = match self.dialect {
            Dialect::Postgres => "/",
            Dialect::MySql => "DIV",
        };
        match &self.buckets {
            StatedBuckets::By(column) => {
                format!("dense_rank() OVER (ORDER BY r.{})", self.dialect.quoted(column))
            }
            StatedBuckets::Count(count) => format!("((r.paravent_row - 1) * {count}) {whole} {rows}"),
            StatedBuckets::Size(size) => {
                format!("((r.paravent_row - 1) * greatest({rows} {whole} {size}, 1)) {whole} {rows}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(dialect: Dialect, buckets: StatedBuckets) -> String {
        let groups = vec![vec!["age".to_owned(), "we\"ird`".to_owned()], vec!["diagnosis".to_owned()]];
        Statement {
            dialect,
            table: "clinic.patients".to_owned(),
            groups,
            buckets,
            row_key: vec!["id".to_owned()],
        }
        .text()
    }

    #[test]
    fn names_are_quoted_and_groups_are_joined_on_bucket_and_place() {
        let text = statement(Dialect::Postgres, StatedBuckets::Size(50));
        assert!(text.contains("\"clinic\".\"patients\"") && text.contains("\"we\"\"ird`\""), "{text}");
        assert!(text.contains("row_number() OVER (ORDER BY \"id\")"));
        assert!(text.contains("PARTITION BY p.paravent_bucket ORDER BY sha256(k.secret || int4send(2)"));
        assert!(text.contains("JOIN paravent_group_2 USING (paravent_bucket, paravent_ord)"));
        let text = statement(Dialect::MySql, StatedBuckets::By("ward".to_owned()));
        assert!(text.contains("`clinic`.`patients`") && text.contains("`we\"ird```"), "{text}");
        assert!(text.contains("dense_rank() OVER (ORDER BY r.`ward`)"));
        assert!(text.contains("RANDOM_BYTES(32)"));
    }

    #[test]
    fn the_key_is_drawn_by_the_database() {
        for dialect in [Dialect::Postgres, Dialect::MySql] {
            let text = statement(dialect, StatedBuckets::Count(5));
            assert_eq!(text, statement(dialect, StatedBuckets::Count(5)), "nothing random in the text");
        }
    }
}

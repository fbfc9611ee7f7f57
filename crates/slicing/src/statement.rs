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
    /// The parts of the table's name, from the outermost to the table itself.
    pub table: Vec<String>,
    /// The column groups.
    pub groups: Vec<Vec<String>>,
    /// The buckets.
    pub buckets: StatedBuckets,
    /// A column (or several) by which rows are numbered; without one the database numbers them as it likes.
    pub row_key: Vec<String>,
}

/// The statements one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// Makes the table `paravent_rows`: the rows, numbered from 1 as `paravent_row`.
    pub rows: String,
    /// By column: a number that stands for its cell in a row `r` of that table. For PostgreSQL.
    pub codes: Vec<(String, String)>,
    /// The rows of the result, in an order that tells nothing.
    pub draws: String,
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
        let Steps { rows, draws, .. } = self.steps();
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
        format!(
            "-- 1 The key. It stands in a table of one row, so that no log of statements has it.\n\
             {temporary} paravent_key AS {secret};\n\
             -- 2 The rows, numbered once.\n{rows};\n\
             -- 3 The slicing. Write its result to a table or a file, and judge it: paravent slice check BEFORE AFTER --groups …\n\
             {draws};\n-- 4 Nobody needs the key any more.\nDROP TABLE paravent_key;\nDROP TABLE paravent_rows;\n",
        )
    }

    /// The statements one by one, for a program that runs them. The key is in `paravent_key (secret)`.
    pub fn steps(&self) -> Steps {
        let dialect = self.dialect;
        let temporary = match dialect {
            Dialect::Postgres => "CREATE TEMPORARY TABLE",
            // A temporary table can be read only once in a statement there.
            Dialect::MySql => "CREATE TABLE",
        };
        let columns = self.columns();
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
        let table = self.table.iter().map(|part| dialect.quoted(part)).collect::<Vec<_>>().join(".");
        let rows = format!(
            "{temporary} paravent_rows AS\n  SELECT row_number() {over} AS paravent_row, {} FROM {table}",
            dialect.list(&stored),
        );
        let mut draws = format!(
            "WITH paravent_buckets AS (\n  SELECT {} AS paravent_bucket, r.* FROM paravent_rows r\n)",
            self.bucket(),
        );
        for (number, group) in self.groups.iter().enumerate() {
            let number = number + 1;
            let columns: Vec<String> =
                group.iter().map(|name| format!("p.{}", dialect.quoted(name))).collect();
            draws.push_str(&format!(
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
        draws.push_str(&format!("\nSELECT {}\nFROM paravent_group_1", shown.join(", ")));
        for number in 2..=self.groups.len() {
            draws.push_str(&format!("\nJOIN paravent_group_{number} USING (paravent_bucket, paravent_ord)"));
        }
        // Sorted by all columns, the order of the rows tells nothing about buckets.
        let order: Vec<String> = (1..=shown.len()).map(|place| place.to_string()).collect();
        draws.push_str(&format!("\nORDER BY {}", order.join(", ")));
        Steps { rows, codes: self.codes(), draws }
    }

    /// The columns of the groups, each once.
    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for column in self.groups.iter().flatten() {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        columns
    }

    /// By column of the groups, and the column of the buckets after them: its rank among the different values, 0 where it is missing. Texts are told
    /// apart by their bytes.
    fn codes(&self) -> Vec<(String, String)> {
        let mut columns = self.columns();
        if let StatedBuckets::By(column) = &self.buckets
            && !columns.contains(column)
        {
            columns.push(column.clone());
        }
        let code = |name: String| {
            let cell = format!("r.{}", self.dialect.quoted(&name));
            let rank = format!("dense_rank() OVER (ORDER BY {})", bytes(&cell));
            let code = format!("CASE WHEN {cell} IS NULL THEN 0 ELSE {rank} END");
            (name, code)
        };
        columns.drain(..).map(code).collect()
    }

    /// The number of a row's bucket. A NULL has a rank like any other value, so that no row is lost in the join. Windows are those of
    /// [`Layout::by_rank`](crate::Layout::by_rank): their sizes differ by at most one, the larger ones first.
    fn bucket(&self) -> String {
        let rows = "(SELECT count(*) FROM paravent_rows)";
        let (whole, modulo) = match self.dialect {
            Dialect::Postgres => ("/", "%"),
            Dialect::MySql => ("DIV", "MOD"),
        };
        let count = match &self.buckets {
            StatedBuckets::By(column) => {
                let cell = format!("r.{}", self.dialect.quoted(column));
                return match self.dialect {
                    Dialect::Postgres => format!("dense_rank() OVER (ORDER BY {})", bytes(&cell)),
                    Dialect::MySql => format!("dense_rank() OVER (ORDER BY {cell})"),
                };
            }
            StatedBuckets::Count(count) => count.to_string(),
            StatedBuckets::Size(size) => format!("greatest({rows} {whole} {size}, 1)"),
        };
        let (place, size) = ("(r.paravent_row - 1)", format!("({rows} {whole} {count})"));
        let larger = format!("({rows} {modulo} {count})");
        format!(
            "CASE WHEN {place} < {larger} * ({size} + 1) THEN {place} {whole} ({size} + 1) \
             ELSE {larger} + ({place} - {larger} * ({size} + 1)) {whole} {size} END"
        )
    }
}

/// A cell by the bytes of its text: no collation holds different texts to be equal.
fn bytes(cell: &str) -> String {
    format!("convert_to({cell}::text, 'UTF8')")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(dialect: Dialect, buckets: StatedBuckets) -> String {
        let groups = vec![vec!["age".to_owned(), "we\"ird`".to_owned()], vec!["diagnosis".to_owned()]];
        Statement {
            dialect,
            table: vec!["clinic".to_owned(), "patients".to_owned()],
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

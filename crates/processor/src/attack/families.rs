//! Statements of each family.

use super::Columns;
use paravent_policy::Aggregate;

/// Whether the best that a family can hope for is a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Must be refused.
    Forbidden(&'static str),
    /// May be answered, if the answer is guarded.
    Guarded(&'static str),
}

impl Family {
    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Forbidden(name) | Family::Guarded(name) => name,
        }
    }
}

/// A name as it can stand in a statement, whatever is in it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Every statement on one table.
pub(super) fn statements(columns: &Columns) -> Vec<(Family, String)> {
    let mut all: Vec<(Family, String)> = Vec::new();
    let t = quoted(&columns.table);
    let mut add = |family: Family, statement: String| all.push((family, statement));
    for column in &columns.denied {
        let c = quoted(column);
        add(Family::Forbidden("denied column shown"), format!("SELECT {c} FROM {t}"));
        add(
            Family::Forbidden("denied column grouped"),
            format!("SELECT {c}, count(*) FROM {t} GROUP BY {c}"),
        );
        add(
            Family::Forbidden("denied column in a condition"),
            format!("SELECT count(*) FROM {t} WHERE {c} = 'x'"),
        );
        add(Family::Forbidden("denied column summed"), format!("SELECT sum({c}) FROM {t}"));
        add(Family::Forbidden("denied column counted"), format!("SELECT count(DISTINCT {c}) FROM {t}"));
    }
    let any = columns.grouped.iter().chain(columns.filtered.iter().map(|(name, _)| name));
    let any = any.chain(columns.measured.iter().map(|(name, _)| name)).chain(&columns.denied).next();
    let a = any.map_or_else(|| "\"x\"".to_owned(), |name| quoted(name));
    for (family, statement) in FORMS {
        add(Family::Forbidden(family), statement.replace("{t}", &t).replace("{a}", &a));
    }
    for (column, _) in &columns.measured {
        let c = quoted(column);
        add(Family::Forbidden("extremes"), format!("SELECT min({c}), max({c}) FROM {t}"));
        add(
            Family::Forbidden("HAVING as an oracle"),
            format!("SELECT {a}, count(*) FROM {t} GROUP BY {a} HAVING max({c}) > 1"),
        );
    }
    guarded(columns, &t, &mut add);
    all
}

fn guarded(columns: &Columns, t: &str, add: &mut dyn FnMut(Family, String)) {
    add(Family::Guarded("the whole table counted"), format!("SELECT count(*) FROM {t}"));
    if !columns.grouped.is_empty() {
        let list: Vec<String> = columns.grouped.iter().map(|name| quoted(name)).collect();
        let list = list.join(", ");
        add(Family::Guarded("tiny groups"), format!("SELECT {list}, count(*) FROM {t} GROUP BY {list}"));
    }
    for (column, level) in &columns.filtered {
        let family = match level {
            0 => "a condition on a value",
            _ => "a condition below its level",
        };
        add(Family::Guarded(family), format!("SELECT count(*) FROM {t} WHERE {} = '34'", quoted(column)));
    }
    for (column, figure) in &columns.measured {
        let c = quoted(column);
        let function = match figure {
            Aggregate::Count => continue,
            Aggregate::Sum => "sum",
            Aggregate::Avg => "avg",
        };
        add(Family::Guarded("a sum that one person dominates"), format!("SELECT {function}({c}) FROM {t}"));
        for group in columns.grouped.iter().filter(|group| *group != column) {
            let g = quoted(group);
            add(
                Family::Guarded("a sum that one person dominates"),
                format!("SELECT {g}, {function}({c}) FROM {t} GROUP BY {g}"),
            );
        }
    }
    if !columns.shown.is_empty() {
        let list: Vec<String> = columns.shown.iter().map(|name| quoted(name)).collect();
        add(Family::Guarded("rows of single people"), format!("SELECT {} FROM {t}", list.join(", ")));
    }
}

/// Forms that no policy allows; `{t}` is the table, `{a}` a column of it.
const FORMS: [(&str, &str); 33] = [
    ("everything at once", "SELECT * FROM {t}"),
    ("top one", "SELECT {a} FROM {t} ORDER BY {a} DESC LIMIT 1"),
    ("paging", "SELECT {a} FROM {t} LIMIT 1 OFFSET 3"),
    ("paging", "SELECT {a} FROM {t} FETCH FIRST 1 ROWS ONLY"),
    ("complement", "SELECT count(*) FROM {t} WHERE NOT ({a} = 'x')"),
    ("complement", "SELECT count(*) FROM {t} WHERE {a} <> 'x'"),
    ("complement", "SELECT count(*) FROM {t} WHERE {a} NOT IN ('x')"),
    ("tracker", "SELECT count(*) FROM {t} WHERE {a} = 'x' OR {a} = 'y'"),
    ("ranges", "SELECT count(*) FROM {t} WHERE {a} < '34'"),
    ("ranges", "SELECT count(*) FROM {t} WHERE {a} BETWEEN '3' AND '4'"),
    ("global subquery", "SELECT count(*) FROM {t} WHERE (SELECT count(*) FROM {t} u WHERE u.{a} = 'x') = 1"),
    ("global subquery", "SELECT count(*) FROM {t} WHERE EXISTS (SELECT 1 FROM {t})"),
    ("global subquery", "SELECT count(*) FROM {t} WHERE {a} IN (SELECT {a} FROM {t})"),
    ("join with itself", "SELECT count(*) FROM {t} p JOIN {t} q ON p.{a} = q.{a}"),
    ("list of names", "SELECT count(*) FROM {t} JOIN (VALUES ('x')) v(n) ON v.n = {a}"),
    ("window", "SELECT sum({a}) OVER () FROM {t}"),
    ("window", "SELECT avg(m) FROM (SELECT max({a}) OVER () AS m FROM {t}) s"),
    ("existence", "SELECT DISTINCT {a} FROM {t}"),
    ("existence", "SELECT {a} FROM {t} EXCEPT SELECT {a} FROM {t}"),
    ("collecting", "SELECT array_agg({a}) FROM {t}"),
    ("collecting", "SELECT string_agg({a}, ',') FROM {t}"),
    ("collecting", "SELECT first_value({a}) FROM {t}"),
    ("error as an oracle", "SELECT CASE WHEN {a} = 'x' THEN 1/0 END FROM {t}"),
    ("error as an oracle", "SELECT CAST({a} AS INT) FROM {t}"),
    ("time as an oracle", "SELECT count(*) FROM {t} WHERE repeat('x', 1000000000) = {a}"),
    ("time as an oracle", "SELECT count(*) FROM {t}, generate_series(1, 1000000000)"),
    ("patterns", "SELECT count(*) FROM {t} WHERE {a} LIKE 'x%'"),
    ("patterns", "SELECT count(*) FROM {t} WHERE {a} ~ '(a+)+$'"),
    ("disguise", "WITH p AS (SELECT {a} FROM {t}) SELECT {a} FROM p"),
    ("disguise", "SELECT count(*) FROM (SELECT * FROM {t}) p"),
    ("plan of a statement", "EXPLAIN ANALYZE SELECT count(*) FROM {t}"),
    ("bounds by the asker", "SELECT * FROM private({t}, sum => ({a}, 0, 1000000000), epsilon => 100)"),
    ("known noise", "SET paravent.seed = 1"),
];

#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use super::Catalog;
use crate::answer::{Rows, oid};
use crate::fault::Fault;
use crate::statement::{self, Statement};
use paravent_policy::{Policy, check_columns};
use std::fs;

const JOB: &str = "version = 1\ninput.path = \"t.csv\"\n[[attributes]]\nname = \"id\"\nrole = \"identifying\"\n[[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n[[attributes]]\nname = \"salary\"\nrole = \"insensitive\"\ntype = \"integer\"\n[[attributes]]\nname = \"secret\"\nrole = \"sensitive\"\n[privacy]\nperson = \"id\"\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n";

const POLICY: &str = "version = 1\nname = \"ward\"\ntables = [{ name = \"hidden\", job = \"t.toml\", person = \"id\" }, { name = \"patients\", job = \"t.toml\", person = \"id\" }]\nrecipients = [{ role = \"research\", purposes = [\"statistics\"] }]\n[[rules]]\nid = \"sex\"\ntable = \"patients\"\ncolumns = [\"sex\"]\ngroup = true\naggregate = [\"count\"]\n[[rules]]\nid = \"salary\"\ntable = \"patients\"\ncolumns = [\"salary\"]\naggregate = [\"avg\"]\n";

fn asked(sql: &str, parameters: &[Option<String>]) -> Result<Rows, Fault> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.toml"), JOB).unwrap();
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    let jobs = check_columns(&policy).unwrap();
    let asker = policy.asker("research", "statistics").unwrap();
    let catalog = Catalog::of(&policy, Some(&asker), &jobs, "ada", None);
    match statement::read(sql).pop() {
        Some(Statement::Catalog(query)) => catalog.answer(&query, parameters),
        _ => panic!("not about the catalog: {sql}"),
    }
}

fn told(sql: &str) -> Vec<String> {
    let rows = asked(sql, &[]).unwrap_or_else(|fault| panic!("{sql}: {fault:?}")).rows;
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "NULL".to_owned());
    rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
}

#[test]
fn only_what_may_be_used_is_listed() {
    assert_eq!(told("SELECT relname FROM pg_class"), ["patients"]);
    assert_eq!(
        told(
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        ),
        ["sex|text", "salary|bigint"]
    );
    assert_eq!(
        told("SELECT column_name FROM information_schema.columns WHERE table_name = 'patients' ORDER BY 1"),
        ["salary", "sex"]
    );
    assert_eq!(told("SELECT rolname FROM pg_roles ORDER BY 1"), ["ada", "paravent"]);
    assert_eq!(told("SELECT count(*), min(reltuples) FROM pg_class"), ["1|-1"]);
}

#[test]
fn queries_of_psql_are_understood() {
    let list = "SELECT n.nspname as \"Schema\", c.relname as \"Name\", CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END as \"Type\", pg_catalog.pg_get_userbyid(c.relowner) as \"Owner\" FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam WHERE c.relkind IN ('r','p','v','m','S','f','') AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND n.nspname <> 'information_schema' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2";
    assert_eq!(told(list), ["public|patients|table|paravent"]);
    let one = "SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname OPERATOR(pg_catalog.~) '^(patients)$' COLLATE pg_catalog.default AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3";
    assert_eq!(told(one), ["16384|public|patients"]);
    let columns = "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation FROM pg_catalog.pg_attribute a WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    assert_eq!(told(columns), ["sex|text|NULL|f|NULL", "salary|bigint|NULL|f|NULL"]);
}

#[test]
fn queries_of_jdbc_are_understood() {
    // How the driver finds the type of a number: a series, USING, and the name of a function's column.
    let kind = "SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace WHERE pg_type.oid = 25 ORDER BY sp.r, pg_type.oid DESC";
    assert_eq!(told(kind), ["f|b|text|25"]);
    let words = "select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{analyse,isnull}'::text[])";
    assert_eq!(told(words), ["analyze,ilike,limit,notnull,offset,returning"]);
    let columns = "SELECT * FROM (SELECT n.nspname,c.relname,a.attname,row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) WHERE c.relkind in ('r','p') and a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'public') c WHERE true ORDER BY nspname,c.relname,attnum";
    assert_eq!(told(columns), ["public|patients|sex|1|NULL", "public|patients|salary|2|NULL"]);
}

#[test]
fn a_list_without_rows_ends_a_product_before_it_grows() {
    let long = "SELECT a.relname FROM pg_type t, pg_type u, pg_type v, pg_type w, pg_type x, pg_class a, pg_constraint con, generate_series(1, 32) pos(n) WHERE a.oid = con.conrelid AND t.oid = con.conkey[pos.n]";
    assert_eq!(told(long), [] as [&str; 0]);
    assert_eq!(told("SELECT count(*), min(a.relname) FROM pg_class a, pg_constraint c"), ["0|NULL"]);
    assert_eq!(told("SELECT a.relname FROM pg_class a LEFT JOIN pg_constraint c ON true"), ["patients"]);
}

#[test]
fn series_and_lists_keep_within_their_limits() {
    assert_eq!(
        told("SELECT g FROM pg_namespace n, generate_series(2, 4) g WHERE n.nspname = 'public' AND g <> 3"),
        ["2", "4"]
    );
    assert_eq!(told("SELECT n FROM pg_class, generate_series(1, 0) pos(n)"), [] as [&str; 0]);
    let code = |sql: &str| asked(sql, &[]).map(|_| ()).unwrap_err().code;
    assert_eq!(code("SELECT count(*) FROM pg_class, generate_series(1, 1000000000)"), "54000");
    assert_eq!(
        code("SELECT count(*) FROM pg_class, generate_series(-9223372036854775807, 9223372036854775807)"),
        "54000"
    );
    assert_eq!(
        told(
            "SELECT 1 = ALL (ARRAY[1, 1]), 1 = ALL (ARRAY[1, 2]), 1 <> ALL (ARRAY[2, NULL]), 1 = ANY (ARRAY[2, NULL])"
        ),
        ["t|f|NULL|NULL"]
    );
    assert_eq!(told("SELECT replace('pg_temp_1', 'pg_temp_', 'x'), replace('aa', '', 'b')"), ["x1|aa"]);
    assert_eq!(code("SELECT c.oid FROM pg_class c JOIN pg_type t USING (relname)"), "42703");
}

#[test]
fn expressions_follow_sql() {
    assert_eq!(
        told(
            "SELECT 1 + 2 * 3, 'a' || 'b', NULL = 1, NOT NULL OR TRUE, 2 BETWEEN 1 AND 3, 'abc' LIKE 'a_c', 'a%c' LIKE 'a\\%c'"
        ),
        ["7|ab|NULL|t|t|t|t"]
    );
    assert_eq!(
        told("SELECT 'patients'::regclass, 'patients'::regclass::oid, 23::regtype, current_schema()"),
        ["patients|16384|integer|public"]
    );
    assert_eq!(
        told(
            "SELECT c.relname FROM pg_class c WHERE c.oid = ANY(ARRAY[1, 16384]) AND EXISTS (SELECT 1 FROM pg_type t WHERE t.typname = 'text')"
        ),
        ["patients"]
    );
    assert_eq!(
        told(
            "SELECT row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum DESC), a.attname FROM pg_attribute a ORDER BY 1"
        ),
        ["1|salary", "2|sex"]
    );
    let rows = asked("SELECT oid, typname FROM pg_type WHERE typname = $1", &[Some("te' OR 'xt".to_owned())])
        .unwrap();
    assert!(rows.rows.is_empty());
    assert_eq!((rows.columns[0].oid, rows.columns[1].oid), (oid::OID, oid::NAME), "known without a row");
}

#[test]
fn there_is_no_way_to_a_table_a_file_or_endless_work() {
    let code = |sql: &str| asked(sql, &[]).map(|_| ()).unwrap_err().code;
    assert_eq!(code("SELECT p.sex FROM pg_class c, patients p"), "42P01");
    assert_eq!(code("SELECT (SELECT sex FROM patients) FROM pg_class"), "42P01");
    for sql in
        ["SELECT pg_read_file('x')", "SELECT repeat('x', 1000000)", "SELECT pg_sleep(10)", "SELECT random()"]
    {
        assert_eq!(code(sql), "42883", "{sql}");
    }
    assert_eq!(
        code("SELECT 1 FROM pg_type a, pg_type b, pg_type c, pg_type d, pg_type e, pg_type f"),
        "54001"
    );
}

/// A text of a client may be as long as a statement, and rows are made from nothing: together they must not fill the memory.
#[test]
fn no_statement_makes_more_than_it_may_look_at() {
    let code = |sql: &str| asked(sql, &[]).map(|_| ()).unwrap_err().code;
    let long = "a".repeat(60_000);
    for sql in [
        format!("SELECT '{long}' FROM pg_database, generate_series(1, 1000) n"),
        format!(
            "SELECT array_agg(x) FROM (SELECT '{long}' AS x FROM pg_database, generate_series(1, 1000) n) t"
        ),
        "SELECT DISTINCT a.oid, b.oid, n FROM pg_type a, pg_type b, generate_series(1, 1000) n".to_owned(),
        format!("SELECT count(*) FROM pg_database, generate_series(1, 1000) n WHERE n || '{long}' ~ 'b'"),
    ] {
        assert_eq!(code(&sql), "54001", "{}", &sql[..30]);
    }
    assert_eq!(code(&format!("SELECT 'a' ~ '{long}' FROM pg_database")), "54000");
    let lists = vec!["'a'"; 100].join(", ");
    for made in [
        format!("replace('{long}', 'a', '{long}')"),
        format!("array_to_string(ARRAY[{lists}], '{long}')"),
        format!("(SELECT string_agg(n, '{long}') FROM pg_database, generate_series(1, 30) n)"),
    ] {
        assert_eq!(told(&format!("SELECT {made} IS NULL FROM pg_database")), ["t"], "{}", &made[..20]);
    }
    // The opposite: what tools do.
    assert_eq!(
        told("SELECT replace('a.b', '.', '_'), array_to_string(ARRAY['r', 'w'], ', ') FROM pg_database"),
        ["a_b|r, w"]
    );
    assert_eq!(
        told(
            "SELECT count(*) FROM pg_database, generate_series(1, 1000) n WHERE n LIKE '%99' OR n ~ '^10{2}$'"
        ),
        ["11"]
    );
}

//! The lists of the catalog.

use super::value::Value;
use crate::answer::oid;
use paravent_job::{DataType, Job};
use paravent_policy::{Asker, Extent, Policy};
use std::collections::BTreeMap;

/// A list with its columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Relation {
    pub(super) columns: Vec<(String, u32)>,
    pub(super) rows: Vec<Vec<Value>>,
    /// Columns that are not named here are NULL: PostgreSQL's own lists have more of them with every version.
    pub(super) is_open: bool,
}

impl Relation {
    pub(super) fn closed(columns: &[(&str, u32)], rows: Vec<Vec<Value>>) -> Relation {
        let columns = columns.iter().map(|(name, oid)| ((*name).to_owned(), *oid)).collect();
        Relation { columns, rows, is_open: false }
    }

    pub(super) fn open(columns: &[(&str, u32)], rows: Vec<Vec<Value>>) -> Relation {
        Relation { is_open: true, ..Relation::closed(columns, rows) }
    }

    pub(super) fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| name == column)
    }
}

/// A table that may be asked about in some way.
pub(super) struct Visible {
    name: String,
    columns: Vec<(String, u32)>,
}

/// Tables and columns with any use that is allowed.
pub(super) fn visible(policy: &Policy, asker: &Asker<'_>, jobs: &BTreeMap<String, Job>) -> Vec<Visible> {
    let table = |table: &paravent_policy::Table| {
        let job = jobs.get(&table.name)?;
        let rows = policy.rows(asker, &table.name);
        if rows.denied {
            return None;
        }
        let column = |attribute: &paravent_job::Attribute| {
            let access = policy.column(asker, &table.name, &attribute.name).access;
            let shows =
                [access.show, access.group, access.filter].iter().any(|extent| *extent != Extent::Denied);
            // Labels are text, whatever the cells are.
            let kind = match attribute.data_type {
                Some(DataType::Integer) if !shows => oid::INT8,
                Some(DataType::Decimal) if !shows => oid::NUMERIC,
                Some(DataType::Date) if !shows => oid::DATE,
                _ => oid::TEXT,
            };
            (!access.is_nothing()).then(|| (attribute.name.clone(), kind))
        };
        let columns: Vec<(String, u32)> = job.attributes.iter().filter_map(column).collect();
        let is_used = !columns.is_empty() || !rows.access.aggregate.is_empty();
        is_used.then(|| Visible { name: table.name.clone(), columns })
    };
    policy.tables.iter().filter_map(table).collect()
}

const PUBLIC: i64 = 2200;
const OWNER: i64 = 10;
const FIRST: i64 = 16_384;

/// Types that columns and tools need: number, name, size, category, array.
const TYPES: [(u32, &str, i64, &str, i64); 16] = [
    (oid::BOOL, "bool", 1, "B", 1000),
    (oid::CHAR, "char", 1, "Z", 1002),
    (oid::NAME, "name", 64, "S", 1003),
    (oid::INT8, "int8", 8, "N", 1016),
    (oid::INT2, "int2", 2, "N", 1005),
    (oid::INT4, "int4", 4, "N", 1007),
    (oid::TEXT, "text", -1, "S", 1009),
    (oid::OID, "oid", 4, "N", 1028),
    (oid::JSON, "json", -1, "U", 199),
    (oid::FLOAT4, "float4", 4, "N", 1021),
    (oid::FLOAT8, "float8", 8, "N", 1022),
    (oid::UNKNOWN, "unknown", -2, "X", 0),
    (oid::TEXT_ARRAY, "_text", -1, "A", 0),
    (oid::VARCHAR, "varchar", -1, "S", 1015),
    (oid::DATE, "date", 4, "D", 1182),
    (oid::NUMERIC, "numeric", -1, "N", 1231),
];

/// Lists that are empty here.
const EMPTY: [&str; 51] = [
    "pg_catalog.pg_attrdef",
    "pg_catalog.pg_auth_members",
    "pg_catalog.pg_cast",
    "pg_catalog.pg_collation",
    "pg_catalog.pg_constraint",
    "pg_catalog.pg_conversion",
    "pg_catalog.pg_db_role_setting",
    "pg_catalog.pg_default_acl",
    "pg_catalog.pg_depend",
    "pg_catalog.pg_description",
    "pg_catalog.pg_enum",
    "pg_catalog.pg_event_trigger",
    "pg_catalog.pg_extension",
    "pg_catalog.pg_foreign_data_wrapper",
    "pg_catalog.pg_foreign_server",
    "pg_catalog.pg_foreign_table",
    "pg_catalog.pg_index",
    "pg_catalog.pg_indexes",
    "pg_catalog.pg_inherits",
    "pg_catalog.pg_language",
    "pg_catalog.pg_matviews",
    "pg_catalog.pg_locks",
    "pg_catalog.pg_opclass",
    "pg_catalog.pg_operator",
    "pg_catalog.pg_parameter_acl",
    "pg_catalog.pg_partitioned_table",
    "pg_catalog.pg_policy",
    "pg_catalog.pg_prepared_statements",
    "pg_catalog.pg_proc",
    "pg_catalog.pg_publication",
    "pg_catalog.pg_publication_namespace",
    "pg_catalog.pg_publication_rel",
    "pg_catalog.pg_range",
    "pg_catalog.pg_rewrite",
    "pg_catalog.pg_sequence",
    "pg_catalog.pg_sequences",
    "pg_catalog.pg_shdescription",
    "pg_catalog.pg_statistic_ext",
    "pg_catalog.pg_stat_activity",
    "pg_catalog.pg_stat_all_tables",
    "pg_catalog.pg_stat_user_tables",
    "pg_catalog.pg_tablespace",
    "pg_catalog.pg_timezone_names",
    "pg_catalog.pg_trigger",
    "pg_catalog.pg_views",
    "information_schema.key_column_usage",
    "information_schema.referential_constraints",
    "information_schema.routines",
    "information_schema.table_constraints",
    "information_schema.constraint_column_usage",
    "information_schema.views",
];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// All lists by their names.
pub(super) fn relations(visible: &[Visible], user: &str, database: &str) -> BTreeMap<String, Relation> {
    let mut all: BTreeMap<String, Relation> = EMPTY
        .iter()
        .map(|name| ((*name).to_owned(), Relation::open(&[("oid", oid::OID)], Vec::new())))
        .collect();
    let mut add = |name: &str, columns: &[(&str, u32)], rows: Vec<Vec<Value>>| {
        all.insert(name.to_owned(), Relation::open(columns, rows));
    };
    let schemas =
        [(11, "pg_catalog"), (PUBLIC, "public"), (13_000, "information_schema"), (16_000, "paravent")];
    add(
        "pg_catalog.pg_namespace",
        &[("oid", oid::OID), ("nspname", oid::NAME), ("nspowner", oid::OID), ("nspacl", oid::TEXT_ARRAY)],
        schemas
            .iter()
            .map(|(number, name)| vec![Value::Int(*number), text(name), Value::Int(OWNER), Value::Null])
            .collect(),
    );
    let numbered = || visible.iter().zip(FIRST..);
    classes(&mut add, numbered());
    attributes(&mut add, numbered());
    types(&mut add);
    roles(&mut add, user, database);
    information_schema(&mut add, visible, database);
    all
}

type Add<'a> = dyn FnMut(&str, &[(&str, u32)], Vec<Vec<Value>>) + 'a;

fn classes<'v>(add: &mut Add<'_>, visible: impl Iterator<Item = (&'v Visible, i64)> + Clone) {
    let falsehood = Value::Bool(false);
    let class = |(table, number): (&Visible, i64)| {
        vec![
            Value::Int(number),
            text(&table.name),
            Value::Int(PUBLIC),
            Value::Int(OWNER),
            text("r"),
            text("p"),
            Value::Int(table.columns.len() as i64),
            // Unknown, as in a table that nobody has analyzed: rows are not counted here.
            Value::Int(-1),
            Value::Int(0),
            Value::Int(0),
            Value::Int(0),
            Value::Int(0),
            Value::Int(0),
            Value::Int(0),
            Value::Int(0),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            falsehood.clone(),
            text("n"),
        ]
    };
    let columns = [
        ("oid", oid::OID),
        ("relname", oid::NAME),
        ("relnamespace", oid::OID),
        ("relowner", oid::OID),
        ("relkind", oid::CHAR),
        ("relpersistence", oid::CHAR),
        ("relnatts", oid::INT2),
        ("reltuples", oid::INT4),
        ("relpages", oid::INT4),
        ("relam", oid::OID),
        ("reltablespace", oid::OID),
        ("reltoastrelid", oid::OID),
        ("reloftype", oid::OID),
        ("reltype", oid::OID),
        ("relchecks", oid::INT2),
        ("relhasindex", oid::BOOL),
        ("relhasrules", oid::BOOL),
        ("relhastriggers", oid::BOOL),
        ("relrowsecurity", oid::BOOL),
        ("relforcerowsecurity", oid::BOOL),
        ("relispartition", oid::BOOL),
        ("relhassubclass", oid::BOOL),
        ("relisshared", oid::BOOL),
        ("relreplident", oid::CHAR),
    ];
    add("pg_catalog.pg_class", &columns, visible.clone().map(class).collect());
    let listed = |(table, _): (&Visible, i64)| {
        vec![text("public"), text(&table.name), text("paravent"), falsehood.clone()]
    };
    let columns = [
        ("schemaname", oid::NAME),
        ("tablename", oid::NAME),
        ("tableowner", oid::NAME),
        ("hasindexes", oid::BOOL),
    ];
    add("pg_catalog.pg_tables", &columns, visible.map(listed).collect());
}

fn attributes<'v>(add: &mut Add<'_>, visible: impl Iterator<Item = (&'v Visible, i64)>) {
    let mut rows = Vec::new();
    for (table, number) in visible {
        for ((name, kind), place) in table.columns.iter().zip(1..) {
            let size = TYPES.iter().find(|(oid, ..)| oid == kind).map_or(-1, |(_, _, size, ..)| *size);
            rows.push(vec![
                Value::Int(number),
                text(name),
                Value::Int(i64::from(*kind)),
                Value::Int(size),
                Value::Int(place),
                Value::Int(-1),
                Value::Int(0),
                Value::Bool(false),
                Value::Bool(false),
                Value::Bool(false),
                text(""),
                text(""),
                Value::Int(0),
                Value::Bool(true),
                text("x"),
                text(""),
            ]);
        }
    }
    let columns = [
        ("attrelid", oid::OID),
        ("attname", oid::NAME),
        ("atttypid", oid::OID),
        ("attlen", oid::INT2),
        ("attnum", oid::INT2),
        ("atttypmod", oid::INT4),
        ("attndims", oid::INT4),
        ("attnotnull", oid::BOOL),
        ("atthasdef", oid::BOOL),
        ("attisdropped", oid::BOOL),
        ("attidentity", oid::CHAR),
        ("attgenerated", oid::CHAR),
        ("attcollation", oid::OID),
        ("attislocal", oid::BOOL),
        ("attstorage", oid::CHAR),
        ("attcompression", oid::CHAR),
    ];
    add("pg_catalog.pg_attribute", &columns, rows);
}

fn types(add: &mut Add<'_>) {
    let row = |(number, name, size, category, array): &(u32, &str, i64, &str, i64)| {
        vec![
            Value::Int(i64::from(*number)),
            text(name),
            Value::Int(11),
            Value::Int(OWNER),
            Value::Int(*size),
            text("b"),
            text(category),
            text(","),
            Value::Int(0),
            Value::Int(if *category == "A" { i64::from(oid::TEXT) } else { 0 }),
            Value::Int(*array),
            Value::Int(0),
            Value::Int(-1),
            Value::Int(0),
            Value::Int(0),
            Value::Bool(false),
            Value::Bool(true),
            Value::Int(0),
        ]
    };
    let columns = [
        ("oid", oid::OID),
        ("typname", oid::NAME),
        ("typnamespace", oid::OID),
        ("typowner", oid::OID),
        ("typlen", oid::INT2),
        ("typtype", oid::CHAR),
        ("typcategory", oid::CHAR),
        ("typdelim", oid::CHAR),
        ("typrelid", oid::OID),
        ("typelem", oid::OID),
        ("typarray", oid::OID),
        ("typbasetype", oid::OID),
        ("typtypmod", oid::INT4),
        ("typndims", oid::INT4),
        ("typcollation", oid::OID),
        ("typnotnull", oid::BOOL),
        ("typisdefined", oid::BOOL),
        ("typinput", oid::OID),
    ];
    add("pg_catalog.pg_type", &columns, TYPES.iter().map(row).collect());
}

fn roles(add: &mut Add<'_>, user: &str, database: &str) {
    let no = || Value::Bool(false);
    let role = |number: i64, name: &str, logs_in: bool| {
        vec![
            Value::Int(number),
            text(name),
            no(),
            Value::Bool(true),
            no(),
            no(),
            Value::Bool(logs_in),
            no(),
            no(),
            Value::Int(-1),
            Value::Null,
        ]
    };
    let columns = [
        ("oid", oid::OID),
        ("rolname", oid::NAME),
        ("rolsuper", oid::BOOL),
        ("rolinherit", oid::BOOL),
        ("rolcreaterole", oid::BOOL),
        ("rolcreatedb", oid::BOOL),
        ("rolcanlogin", oid::BOOL),
        ("rolreplication", oid::BOOL),
        ("rolbypassrls", oid::BOOL),
        ("rolconnlimit", oid::INT4),
        ("rolvaliduntil", oid::TEXT),
    ];
    // The owner of everything, and the user alone: others are not told.
    add("pg_catalog.pg_roles", &columns, vec![role(OWNER, "paravent", false), role(FIRST - 1, user, true)]);
    add(
        "pg_catalog.pg_user",
        &[("usename", oid::NAME), ("usesysid", oid::OID), ("usesuper", oid::BOOL)],
        vec![vec![text(user), Value::Int(FIRST - 1), no()]],
    );
    let columns = [
        ("oid", oid::OID),
        ("datname", oid::NAME),
        ("datdba", oid::OID),
        ("encoding", oid::INT4),
        ("datcollate", oid::NAME),
        ("datctype", oid::NAME),
        ("datistemplate", oid::BOOL),
        ("datallowconn", oid::BOOL),
        ("datlocprovider", oid::CHAR),
        ("dattablespace", oid::OID),
    ];
    let row = vec![
        Value::Int(1),
        text(database),
        Value::Int(OWNER),
        Value::Int(6),
        text("C"),
        text("C"),
        no(),
        Value::Bool(true),
        text("c"),
        Value::Int(0),
    ];
    add("pg_catalog.pg_database", &columns, vec![row]);
    add(
        "pg_catalog.pg_am",
        &[("oid", oid::OID), ("amname", oid::NAME)],
        vec![vec![Value::Int(2), text("heap")]],
    );
    let named =
        ["server_version", "server_encoding", "standard_conforming_strings", "search_path", "max_index_keys"];
    let row = |name: &&str| vec![text(name), super::setting(name).map_or(Value::Null, text)];
    add(
        "pg_catalog.pg_settings",
        &[("name", oid::TEXT), ("setting", oid::TEXT)],
        named.iter().map(row).collect(),
    );
}

fn information_schema(add: &mut Add<'_>, visible: &[Visible], database: &str) {
    let tables = visible
        .iter()
        .map(|table| vec![text(database), text("public"), text(&table.name), text("BASE TABLE"), text("NO")]);
    let columns = [
        ("table_catalog", oid::NAME),
        ("table_schema", oid::NAME),
        ("table_name", oid::NAME),
        ("table_type", oid::VARCHAR),
        ("is_insertable_into", oid::VARCHAR),
    ];
    add("information_schema.tables", &columns, tables.collect());
    let mut rows = Vec::new();
    for table in visible {
        for ((name, kind), place) in table.columns.iter().zip(1..) {
            let kind = super::kind::name(i64::from(*kind));
            rows.push(vec![
                text(database),
                text("public"),
                text(&table.name),
                text(name),
                Value::Int(place),
                text("YES"),
                text(kind),
            ]);
        }
    }
    let columns = [
        ("table_catalog", oid::NAME),
        ("table_schema", oid::NAME),
        ("table_name", oid::NAME),
        ("column_name", oid::NAME),
        ("ordinal_position", oid::INT4),
        ("is_nullable", oid::VARCHAR),
        ("data_type", oid::VARCHAR),
    ];
    add("information_schema.columns", &columns, rows);
    let schemas = ["public", "paravent", "information_schema", "pg_catalog"];
    let rows = schemas.iter().map(|name| vec![text(database), text(name), text("paravent")]).collect();
    let columns = [("catalog_name", oid::NAME), ("schema_name", oid::NAME), ("schema_owner", oid::NAME)];
    add("information_schema.schemata", &columns, rows);
}

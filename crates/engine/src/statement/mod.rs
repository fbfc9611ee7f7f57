//! What engines are asked, as syntax trees.
//!
//! Five kinds of statements, and no value in any of them: values are in mapping tables, which are uploaded. Joins compare with plain equality;
//! a missing value is looked up by itself, because engines join null-safe comparisons row by row.

mod people;
mod recoding;
mod tree;

pub use people::{KeyPart, Keyed, nobody, spellings, with_tokens};
pub use tree::Dialect;

use paravent_tables::engine::{EmptyCells, Grouping, MARK, Question, Relation, TableName};
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::helpers::stmt_create_table::CreateTableBuilder;
use sqlparser::ast::{
    AlterTable, AlterTableOperation, CommentDef, CommentObject, CopySource, CopyTarget, Expr,
    FunctionArgExpr, LimitClause, ObjectType, Query, RenameTableNameKind, SelectItem, SetExpr, SetOperator,
    SetQuantifier, Statement, TableFactor, Value, WildcardAdditionalOptions,
};
use tree::{Parts, all_of, call, count, either, equal, number};

/// What is known of the table that a statement is about: which columns hold text, and at which version it is read.
pub trait Texts {
    /// Whether a column holds text, so that it is compared byte by byte whatever its collation.
    fn is_text(&self, column: &str) -> bool;

    /// The version at which the table is read; `None`: as it is.
    fn version(&self) -> Option<u64> {
        None
    }
}

impl<F: Fn(&str) -> bool> Texts for F {
    fn is_text(&self, column: &str) -> bool {
        self(column)
    }
}

type IsText<'a> = Box<dyn Fn(&str) -> bool + 'a>;

/// `SELECT * FROM table`: described, never run.
pub fn described(dialect: Dialect, table: &TableName) -> Query {
    Parts {
        projection: vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())],
        from: Some(dialect.relation(dialect.table(table), "p")),
        ..Parts::default()
    }
    .query()
}

/// A table in FROM, where it is called `p`.
fn table(dialect: Dialect, table: &TableName, texts: &dyn Texts) -> TableFactor {
    dialect.relation_at(dialect.table(table), texts.version(), "p")
}

/// Rows, or counts of equal rows.
pub fn question(dialect: Dialect, question: &Question, texts: &dyn Texts) -> Query {
    let (from, is_text): (_, IsText<'_>) = match &question.from {
        Relation::Table(table) => (self::table(dialect, table, texts), Box::new(|name| texts.is_text(name))),
        Relation::Recoded(recoding) => (
            dialect.subquery(recoding::query(dialect, recoding, texts), "p"),
            Box::new(|name| recoding::is_text(recoding, name, texts)),
        ),
    };
    let columns: Vec<Expr> = match question.grouping {
        Grouping::Each => question.columns.iter().map(|name| dialect.column("p", name)).collect(),
        Grouping::Counted => {
            let columns = question.columns.iter();
            columns.map(|name| dialect.bytewise(dialect.column("p", name), is_text(name))).collect()
        }
    };
    let mut parts = Parts { from: Some(from), ..Parts::default() };
    let named = columns.iter().zip(&question.columns);
    parts.projection = named.map(|(column, name)| dialect.aliased(column.clone(), name)).collect();
    if question.grouping == Grouping::Counted {
        parts.projection.push(SelectItem::UnnamedExpr(count()));
        parts.group_by = columns;
    }
    parts.query()
}

/// `SELECT sum(n), count(*), max(n), sum(CASE WHEN n = 1 THEN 1 ELSE 0 END) FROM (SELECT count(*) AS n FROM table GROUP BY column)`,
/// where missing cells count; else with `WHERE column IS NOT NULL`.
pub fn repeats(
    dialect: Dialect,
    table: &TableName,
    columns: &[String],
    empty: EmptyCells,
    texts: &dyn Texts,
) -> Query {
    let relation = self::table(dialect, table, texts);
    let column = |name: &String| dialect.column("p", name);
    let not_empty = columns.iter().map(|name| Expr::IsNotNull(Box::new(column(name))));
    let inner = Parts {
        projection: vec![dialect.aliased(count(), "n")],
        from: Some(relation),
        selection: match empty {
            EmptyCells::AreLeftOut => all_of(not_empty),
            EmptyCells::AreValues => None,
        },
        group_by: columns.iter().map(|name| dialect.bytewise(column(name), texts.is_text(name))).collect(),
        ..Parts::default()
    };
    let is_one = either(equal(dialect.column("q", "n"), number(1)), number(1), number(0));
    let once = SelectItem::UnnamedExpr(call("sum", FunctionArgExpr::Expr(is_one)));
    let of_counts =
        |name| SelectItem::UnnamedExpr(call(name, FunctionArgExpr::Expr(dialect.column("q", "n"))));
    Parts {
        projection: vec![of_counts("sum"), SelectItem::UnnamedExpr(count()), of_counts("max"), once],
        from: Some(dialect.subquery(inner.query(), "q")),
        ..Parts::default()
    }
    .query()
}

/// `CREATE TEMPORARY TABLE mapping AS SELECT column AS v, 0 AS c, '' AS l FROM table LIMIT 0`: a mapping whose values have the column's type.
pub fn mapping_of_values(dialect: Dialect, name: &str, of: (&TableName, &str)) -> Statement {
    let text = Expr::Cast {
        kind: sqlparser::ast::CastKind::Cast,
        expr: Box::new(Expr::value(Value::Null)),
        data_type: sqlparser::ast::DataType::Text,
        array: false,
        format: None,
    };
    let mut query = Parts {
        projection: vec![
            dialect.aliased(dialect.column("p", of.1), "v"),
            dialect.aliased(number(0), "c"),
            dialect.aliased(text, "l"),
        ],
        from: Some(dialect.relation(dialect.table(of.0), "p")),
        ..Parts::default()
    }
    .query();
    query.limit_clause =
        Some(LimitClause::LimitOffset { limit: Some(number(0)), offset: None, limit_by: Vec::new() });
    temporary(dialect, name, query)
}

/// A mapping of combinations of codes: `c0`, `c1` … and `l0`, `l1` … where they have labels.
pub fn mapping_of_codes(dialect: Dialect, name: &str, width: usize, with_labels: bool) -> Statement {
    use sqlparser::ast::{ColumnDef, DataType};
    let columns = (0..width).map(|at| (format!("c{at}"), DataType::Integer(None)));
    let labels = (0..if with_labels { width } else { 0 }).map(|at| (format!("l{at}"), DataType::Text));
    let columns = columns.chain(labels).map(|(name, data_type)| ColumnDef {
        name: dialect.ident(&name),
        data_type,
        options: Vec::new(),
    });
    CreateTableBuilder::new(dialect.session_table(name))
        .temporary(true)
        .columns(columns.collect())
        .build()
        .into()
}

fn temporary(dialect: Dialect, name: &str, query: Query) -> Statement {
    CreateTableBuilder::new(dialect.session_table(name))
        .temporary(true)
        .query(Some(Box::new(query)))
        .build()
        .into()
}

/// `CREATE TABLE target (column TEXT, …)`
pub fn table_of_texts(dialect: Dialect, target: &TableName, columns: &[String]) -> Statement {
    use sqlparser::ast::{ColumnDef, DataType};
    let columns = columns.iter().map(|name| ColumnDef {
        name: dialect.ident(name),
        data_type: DataType::Text,
        options: Vec::new(),
    });
    CreateTableBuilder::new(dialect.table(target)).columns(columns.collect()).build().into()
}

/// `COPY mapping FROM STDIN`
pub fn copy_in(dialect: Dialect, mapping: &str) -> Statement {
    copied(dialect.session_table(mapping))
}

/// `COPY table FROM STDIN`
pub fn copy_into(dialect: Dialect, table: &TableName) -> Statement {
    copied(dialect.table(table))
}

fn copied(table_name: sqlparser::ast::ObjectName) -> Statement {
    Statement::Copy {
        source: CopySource::Table { table_name, columns: Vec::new() },
        to: false,
        target: CopyTarget::Stdin,
        options: Vec::new(),
        legacy_options: Vec::new(),
        values: Vec::new(),
    }
}

/// `CREATE TABLE staged AS …`
pub fn create(
    dialect: Dialect,
    staged: &TableName,
    recoding: &paravent_tables::engine::Recoding,
    texts: &dyn Texts,
) -> Statement {
    let query = recoding::query(dialect, recoding, texts);
    let mut table = CreateTableBuilder::new(dialect.table(staged)).query(Some(Box::new(query)));
    table.comment = dialect.comments_at_creation.then(|| CommentDef::WithoutEq(MARK.to_owned()));
    table.build().into()
}

/// `COMMENT ON TABLE staged IS 'made by paravent'`
pub fn mark(dialect: Dialect, staged: &TableName) -> Statement {
    Statement::Comment {
        object_type: CommentObject::Table,
        object_name: dialect.table(staged),
        comment: Some(MARK.to_owned()),
        if_exists: false,
    }
}

/// `ALTER TABLE staged RENAME TO target`
pub fn rename(dialect: Dialect, staged: &TableName, target: &TableName) -> Statement {
    let to = sqlparser::ast::ObjectName(vec![sqlparser::ast::ObjectNamePart::Identifier(
        dialect.ident(target.table()),
    )]);
    AlterTable {
        name: dialect.table(staged),
        if_exists: false,
        only: false,
        operations: vec![AlterTableOperation::RenameTable { table_name: RenameTableNameKind::To(to) }],
        location: None,
        on_cluster: None,
        table_type: None,
        end_token: AttachedToken::empty(),
    }
    .into()
}

/// `SELECT count(*) FROM table`
pub fn count_of(dialect: Dialect, table: &TableName) -> Query {
    Parts {
        projection: vec![SelectItem::UnnamedExpr(count())],
        from: Some(dialect.relation(dialect.table(table), "p")),
        ..Parts::default()
    }
    .query()
}

/// `SELECT … FROM part UNION ALL SELECT … FROM part`: views that only this session sees, one below the other.
pub fn all_rows_of(dialect: Dialect, parts: &[String], columns: &[String]) -> Option<Query> {
    let body = |name: &String| {
        let projection = columns.iter().map(|column| dialect.aliased(dialect.column("p", column), column));
        let from = Some(dialect.relation(dialect.session_table(name), "p"));
        *Parts { projection: projection.collect(), from, ..Parts::default() }.query().body
    };
    let body = parts.iter().map(body).reduce(|above, below| SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier: SetQuantifier::All,
        left: Box::new(above),
        right: Box::new(below),
    })?;
    Some(Query { body: Box::new(body), ..Parts::default().query() })
}

/// `DROP TABLE IF EXISTS table`
pub fn drop(dialect: Dialect, table: &TableName) -> Statement {
    Statement::Drop {
        object_type: ObjectType::Table,
        if_exists: true,
        names: vec![dialect.table(table)],
        cascade: false,
        restrict: false,
        purge: false,
        temporary: false,
        table: None,
    }
}

#[cfg(test)]
mod tests;

//! Small parts of syntax trees.

use paravent_tables::engine::TableName;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart,
    Query, Select, SelectFlavor, SelectItem, SetExpr, TableAlias, TableFactor, TableVersion, TableWithJoins,
    Value, WildcardAdditionalOptions,
};

/// How an engine wants its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Around identifiers.
    pub quote: char,
    /// The collation that compares texts byte by byte, where a column may have another one.
    pub bytewise: Option<&'static str>,
    /// The schema of tables that only this session sees.
    pub temporary: Option<&'static str>,
    /// Whether a table gets its comment when it is made.
    pub comments_at_creation: bool,
}

impl Dialect {
    /// Spark, and what speaks like it. Temporary views have no schema, and texts are compared byte by byte.
    pub const SPARK: Dialect =
        Dialect { quote: '`', bytewise: None, temporary: None, comments_at_creation: true };

    /// PostgreSQL.
    pub const POSTGRES: Dialect =
        Dialect { quote: '"', bytewise: Some("C"), temporary: Some("pg_temp"), comments_at_creation: false };

    /// A quoted identifier. Quotes inside are doubled here: the printer of the tree takes one behind a backslash, and two in a row, for
    /// escaped already, and would let a name end its own quotes.
    pub fn ident(self, name: &str) -> Ident {
        let doubled: String = [self.quote, self.quote].iter().collect();
        Ident::with_quote(self.quote, name.replace(self.quote, &doubled))
    }

    /// A table.
    pub fn table(self, name: &TableName) -> ObjectName {
        self.object(name.parts().iter().map(String::as_str))
    }

    /// A table that only this session sees.
    pub fn session_table(self, name: &str) -> ObjectName {
        self.object(self.temporary.into_iter().chain([name]))
    }

    fn object<'a>(self, parts: impl Iterator<Item = &'a str>) -> ObjectName {
        ObjectName(parts.map(|part| ObjectNamePart::Identifier(self.ident(part))).collect())
    }

    /// A column of a relation in FROM.
    pub(super) fn column(self, relation: &str, column: &str) -> Expr {
        Expr::CompoundIdentifier(vec![self.ident(relation), self.ident(column)])
    }

    /// The same, compared byte by byte if it is text.
    pub(super) fn bytewise(self, expr: Expr, is_text: bool) -> Expr {
        match self.bytewise.filter(|_| is_text) {
            Some(collation) => {
                Expr::Collate { expr: Box::new(expr), collation: self.object([collation].into_iter()) }
            }
            None => expr,
        }
    }

    /// A text whose letters become small as the database usually does it, whatever the collation of its column.
    pub(super) fn usual_letters(self, expr: Expr, is_text: bool) -> Expr {
        match self.bytewise.filter(|_| is_text) {
            Some(_) => {
                Expr::Collate { expr: Box::new(expr), collation: self.object(["default"].into_iter()) }
            }
            None => expr,
        }
    }

    pub(super) fn aliased(self, expr: Expr, alias: &str) -> SelectItem {
        SelectItem::ExprWithAlias { expr, alias: self.ident(alias) }
    }

    pub(super) fn relation(self, name: ObjectName, alias: &str) -> TableFactor {
        named(name, None, Some(self.alias(alias)))
    }

    /// A relation as it was at a version, where one is named: `(SELECT * FROM table VERSION AS OF 7) AS alias`
    ///
    /// Spark wants the version before the alias, and the syntax trees write it behind; within a query there is no alias.
    pub(super) fn relation_at(self, name: ObjectName, version: Option<u64>, alias: &str) -> TableFactor {
        let Some(version) = version else { return self.relation(name, alias) };
        let all = SelectItem::Wildcard(WildcardAdditionalOptions::default());
        let from = named(name, Some(TableVersion::VersionAsOf(number(version))), None);
        self.subquery(Parts { projection: vec![all], from: Some(from), ..Parts::default() }.query(), alias)
    }

    pub(super) fn subquery(self, query: Query, alias: &str) -> TableFactor {
        let alias = Some(self.alias(alias));
        TableFactor::Derived { lateral: false, subquery: Box::new(query), alias, sample: None }
    }

    fn alias(self, name: &str) -> TableAlias {
        TableAlias { explicit: true, name: self.ident(name), columns: Vec::new(), at: None }
    }
}

fn named(name: ObjectName, version: Option<TableVersion>, alias: Option<TableAlias>) -> TableFactor {
    TableFactor::Table {
        name,
        alias,
        args: None,
        with_hints: Vec::new(),
        version,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

pub(super) fn left_join(relation: TableFactor, on: Expr) -> Join {
    Join { relation, global: false, join_operator: JoinOperator::Left(JoinConstraint::On(on)) }
}

pub(super) fn inner_join(relation: TableFactor, on: Expr) -> Join {
    Join { relation, global: false, join_operator: JoinOperator::Inner(JoinConstraint::On(on)) }
}

pub(super) fn equal(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::Eq, right: Box::new(right) }
}

pub(super) fn all_of(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    })
}

/// `CASE WHEN condition THEN then ELSE otherwise END`
pub(super) fn either(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: then }],
        else_result: Some(Box::new(otherwise)),
    }
}

pub(super) fn number(number: u64) -> Expr {
    Expr::value(Value::Number(number.to_string(), false))
}

/// `count(*)`
pub(super) fn count() -> Expr {
    call("count", FunctionArgExpr::Wildcard)
}

/// A function of one argument.
pub(super) fn call(name: &str, argument: FunctionArgExpr) -> Expr {
    Expr::Function(Function {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: vec![FunctionArg::Unnamed(argument)],
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

/// What a SELECT has in here.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) projection: Vec<SelectItem>,
    pub(super) from: Option<TableFactor>,
    pub(super) joins: Vec<Join>,
    pub(super) selection: Option<Expr>,
    pub(super) group_by: Vec<Expr>,
}

impl Parts {
    pub(super) fn query(self) -> Query {
        let select = Select {
            select_token: AttachedToken::empty(),
            optimizer_hints: Vec::new(),
            distinct: None,
            select_modifiers: None,
            top: None,
            top_before_distinct: false,
            projection: self.projection,
            exclude: None,
            into: None,
            from: self
                .from
                .map(|relation| TableWithJoins { relation, joins: self.joins })
                .into_iter()
                .collect(),
            lateral_views: Vec::new(),
            prewhere: None,
            selection: self.selection,
            connect_by: Vec::new(),
            group_by: GroupByExpr::Expressions(self.group_by, Vec::new()),
            cluster_by: Vec::new(),
            distribute_by: Vec::new(),
            sort_by: Vec::new(),
            having: None,
            named_window: Vec::new(),
            qualify: None,
            window_before_qualify: false,
            value_table_mode: None,
            flavor: SelectFlavor::Standard,
        };
        Query {
            with: None,
            body: Box::new(SetExpr::Select(Box::new(select))),
            order_by: None,
            limit_clause: None,
            fetch: None,
            locks: Vec::new(),
            for_clause: None,
            settings: None,
            format_clause: None,
            pipe_operators: Vec::new(),
        }
    }
}

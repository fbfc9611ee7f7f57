//! Conditions, groups and figures.

use super::table::{Names, column, folded};
use super::{Figure, Shown, own_name, unknown};
use crate::refusal::Refusal;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, GroupByExpr, ObjectName, SelectItem, Value,
};
use std::collections::{BTreeMap, BTreeSet};

fn constant(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            Value::Number(text, false) => Some(text.clone()),
            Value::Boolean(truth) => Some(truth.to_string()),
            _ => None,
        },
        Expr::Nested(inner) => constant(inner),
        // Drivers say the type of a parameter: `$1::VARCHAR`. A constant stays the same constant.
        Expr::Cast {
            kind: CastKind::DoubleColon | CastKind::Cast,
            expr,
            data_type,
            array: false,
            format: None,
        } => {
            let text = constant(expr)?;
            match data_type {
                DataType::Text | DataType::Varchar(None) | DataType::CharacterVarying(None) => Some(text),
                DataType::Integer(None)
                | DataType::Int(None)
                | DataType::BigInt(None)
                | DataType::SmallInt(None) => text.parse::<i64>().ok().map(|_| text),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `a = 'x' AND b IN ('y', 'z')`
pub(super) fn condition(
    expr: &Expr,
    names: &Names,
    found: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<(), Refusal> {
    let mut one_of = |column: String, constants: BTreeSet<String>| {
        let kept = match found.get(&column) {
            Some(earlier) => earlier.intersection(&constants).cloned().collect(),
            None => constants,
        };
        found.insert(column, kept);
    };
    match expr {
        Expr::Nested(inner) => condition(inner, names, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            condition(left, names, found)?;
            condition(right, names, found)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            let sides = match (column(left, names), constant(right)) {
                (Some(column), Some(constant)) => Some((column, constant)),
                _ => column(right, names).zip(constant(left)),
            };
            let Some((column, constant)) = sides else { return Err(other_condition()) };
            one_of(column, BTreeSet::from([constant]));
            Ok(())
        }
        Expr::InList { expr, list, negated: false } => {
            let constants: Option<BTreeSet<String>> = list.iter().map(constant).collect();
            let Some((column, constants)) = column(expr, names).zip(constants) else {
                return Err(other_condition());
            };
            one_of(column, constants);
            Ok(())
        }
        _ => Err(other_condition()),
    }
}

fn other_condition() -> Refusal {
    Refusal::new(
        "a condition of this kind is refused",
        "Conditions compare a column with labels, and AND joins them: zip = '81***' AND age IN ('20-29', '30-39')",
    )
}

pub(super) fn item_of(item: &SelectItem, names: &Names) -> Result<(String, Shown), Refusal> {
    let (expr, alias) = match item {
        SelectItem::UnnamedExpr(expr) => (expr, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(folded(alias))),
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
            return Err(Refusal::new(
                "* is refused",
                "Name the columns; `paravent policy explain` lists them",
            ));
        }
        SelectItem::ExprWithAliases { .. } => return Err(unknown("several aliases of one column")),
    };
    let shown = match column(expr, names) {
        Some(column) => Shown::Group(column),
        None => Shown::Figure(figure(expr, names)?),
    };
    let name = alias.unwrap_or_else(|| match &shown {
        Shown::Group(column) => own_name(column, names.is_join()).to_owned(),
        Shown::Figure(figure) => match figure.column() {
            Some(column) => figure.of(own_name(column, names.is_join()).to_owned()).name(),
            None => figure.name(),
        },
    });
    Ok((name, shown))
}

fn figure(expr: &Expr, names: &Names) -> Result<Figure, Refusal> {
    let refused = || {
        Refusal::new(
            "an expression of this kind is refused",
            "Answers have columns of groups, and count(*), sum(column) and avg(column)",
        )
    };
    let Expr::Function(Function {
        name,
        uses_odbc_syntax,
        parameters,
        args,
        filter,
        null_treatment,
        over,
        within_group,
    }) = expr
    else {
        return Err(refused());
    };
    let plain = !uses_odbc_syntax
        && matches!(parameters, FunctionArguments::None)
        && filter.is_none()
        && null_treatment.is_none()
        && within_group.is_empty();
    if over.is_some() {
        return Err(unknown("a window"));
    }
    if !plain {
        return Err(refused());
    }
    let ObjectName(parts) = name;
    let function = match parts.as_slice() {
        [part] => part.as_ident().map(|ident| ident.value.to_lowercase()),
        _ => None,
    };
    let FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses }) = args
    else {
        return Err(refused());
    };
    let ([FunctionArg::Unnamed(argument)], true) = (args.as_slice(), clauses.is_empty()) else {
        return Err(refused());
    };
    match (function.as_deref(), argument) {
        (Some("count"), FunctionArgExpr::Wildcard) => Ok(Figure::Count),
        (Some("count"), FunctionArgExpr::Expr(Expr::Value(value)))
            if matches!(&value.value, Value::Number(..)) =>
        {
            Ok(Figure::Count)
        }
        (Some("sum"), FunctionArgExpr::Expr(of)) => column(of, names).map(Figure::Sum).ok_or_else(refused),
        (Some("avg"), FunctionArgExpr::Expr(of)) => column(of, names).map(Figure::Avg).ok_or_else(refused),
        _ => Err(refused()),
    }
}

pub(super) fn groups(
    group_by: &GroupByExpr,
    shown: &[(String, Shown)],
    names: &Names,
) -> Result<BTreeSet<String>, Refusal> {
    let GroupByExpr::Expressions(expressions, modifiers) = group_by else {
        return Err(unknown("GROUP BY ALL"));
    };
    if !modifiers.is_empty() {
        return Err(unknown("ROLLUP, CUBE and GROUPING SETS"));
    }
    let mut groups = BTreeSet::new();
    for expr in expressions {
        let place = constant(expr).and_then(|place| place.parse::<usize>().ok()).filter(|&place| place > 0);
        let column = match (column(expr, names), place.and_then(|place| shown.get(place - 1))) {
            (Some(column), _) => column,
            (None, Some((_, Shown::Group(column)))) => column.clone(),
            _ => {
                return Err(Refusal::new(
                    "a group of this kind is refused",
                    "Groups are made by columns: GROUP BY age, sex",
                ));
            }
        };
        groups.insert(column);
    }
    Ok(groups)
}

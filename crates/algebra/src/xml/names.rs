//! Columns by name: bare where that is enough, else with the relation before a point.

use super::XmlError;
use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::LogicalPlan;

/// The column that a text means, or what is wrong with it.
pub(super) fn column(plan: &LogicalPlan, text: &str) -> Result<Column, String> {
    let schema = plan.schema();
    let bare = schema.columns_with_unqualified_name(text);
    match bare.as_slice() {
        [one] => return Ok(one.clone()),
        [first, ..] => {
            // Both sides of a natural join have its attributes; their values are equal.
            let shared = plan.using_columns().unwrap_or_default();
            if shared.iter().any(|set| bare.iter().all(|column| set.contains(column))) {
                return Ok(first.clone());
            }
            return Err(format!("there are several attributes {text:?}; write relation.{text}"));
        }
        [] => {}
    }
    for (point, _) in text.match_indices('.') {
        let column = Column::new(Some(TableReference::bare(&text[..point])), &text[point + 1..]);
        if schema.maybe_index_of_column(&column).is_some() {
            return Ok(column);
        }
    }
    let known: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    Err(format!("there is no attribute {text:?}; the attributes are {}", known.join(", ")))
}

/// The text that means a column.
pub(super) fn text(plan: &LogicalPlan, wanted: &Column) -> Result<String, XmlError> {
    let schema = plan.schema();
    let problem = || XmlError::unwritable(format!("attribute {:?} has no name of its own", wanted.name));
    let place = schema.maybe_index_of_column(wanted).ok_or_else(problem)?;
    let means = |text: &str| {
        column(plan, text).ok().and_then(|found| schema.maybe_index_of_column(&found)) == Some(place)
    };
    let readable =
        |text: &str| !text.is_empty() && text == text.trim() && !text.chars().any(char::is_control);
    let (qualifier, field) = schema.qualified_field(place);
    let qualified = qualifier.map(|qualifier| format!("{}.{}", qualifier.table(), field.name()));
    let mut candidates = [Some(field.name().clone()), qualified].into_iter().flatten();
    candidates.find(|text| readable(text) && means(text)).ok_or_else(problem)
}

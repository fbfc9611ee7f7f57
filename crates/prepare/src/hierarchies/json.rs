//! Hierarchies as `transform.json` writes them.

use paravent_core::hierarchy::{
    Align, BreakLevel, Breaks, Chain, CodeLevel, Codes, Dates, Grid, Hierarchy, Intervals, Redaction,
    TableHierarchy,
};
use serde_json::{Value, json};

use super::builders;

/// The form of a hierarchy in `transform.json`.
///
/// ```
/// # use paravent_core::hierarchy::Hierarchy;
/// # use paravent_prepare::hierarchies::{from_json, to_json};
/// assert_eq!(to_json(&Hierarchy::Whole).to_string(), r#"{"kind":"whole"}"#);
/// assert_eq!(from_json(&to_json(&Hierarchy::Whole)), Ok(Hierarchy::Whole));
/// ```
///
/// It holds what labels depend on. The alphabet of a redaction is left out: it only serves to measure loss.
pub fn to_json(hierarchy: &Hierarchy) -> Value {
    match hierarchy {
        Hierarchy::Whole => json!({ "kind": "whole" }),
        Hierarchy::Table(table) => table_json(table),
        Hierarchy::Intervals(intervals) => intervals_json(intervals),
        Hierarchy::Redaction(redaction) => redaction_json(redaction),
        Hierarchy::Breaks(breaks) => breaks_json(breaks),
        Hierarchy::Codes(codes) => codes_json(codes),
        Hierarchy::Age(age) => json!({ "kind": "age", "on": age.day() }),
        Hierarchy::Dates(dates) => dates_json(dates),
        Hierarchy::Chain(chain) => chain_json(chain),
    }
}

fn table_json(table: &TableHierarchy) -> Value {
    let rows = table.lines().iter().map(|line| {
        let value = line.value().map_or(Value::Null, Value::from);
        let labels = line.labels().map(Value::from);
        std::iter::once(value).chain(labels).collect::<Value>()
    });
    json!({ "kind": "table", "rows": rows.collect::<Value>() })
}

fn intervals_json(intervals: &Intervals) -> Value {
    let spec = intervals.spec();
    json!({
        "kind": "intervals",
        "widths": spec.widths.iter().map(|width| width.to_string()).collect::<Vec<_>>(),
        "min": spec.min.to_string(),
        "max": spec.max.to_string(),
        "outliers": builders::outliers_name(spec.outliers),
        "rounding": builders::rounding_name(spec.rounding),
        "grid": grid_name(spec.grid),
    })
}

pub(super) fn grid_name(grid: Grid) -> &'static str {
    match grid {
        Grid::Integer => "integer",
        Grid::Decimal => "decimal",
    }
}

fn redaction_json(redaction: &Redaction) -> Value {
    json!({
        "kind": "redact",
        "char": redaction.mask().to_string(),
        "from": builders::side_name(redaction.from()),
        "length": redaction.length(),
    })
}

fn breaks_json(breaks: &Breaks) -> Value {
    let level = |level: &BreakLevel| {
        let points: Vec<String> = level.points.iter().map(ToString::to_string).collect();
        match &level.labels {
            Some(labels) => json!({ "at": points, "labels": labels }),
            None => json!({ "at": points }),
        }
    };
    json!({
        "kind": "breaks",
        "levels": breaks.levels().iter().map(level).collect::<Value>(),
        "grid": grid_name(breaks.grid()),
    })
}

fn codes_json(codes: &Codes) -> Value {
    let level = |level: &CodeLevel| match level {
        CodeLevel::Keep(count) => json!(count),
        CodeLevel::Ranges(ranges) => ranges.iter().map(|range| Value::from(range.name())).collect(),
    };
    json!({
        "kind": "codes",
        "levels": codes.levels().iter().map(level).collect::<Value>(),
        "length": codes.length(),
        "align": align_name(codes.align()),
    })
}

pub(super) fn align_name(align: Align) -> &'static str {
    match align {
        Align::Left => "left",
        Align::Right => "right",
    }
}

fn dates_json(dates: &Dates) -> Value {
    let levels: Vec<_> = dates.levels().iter().map(|part| builders::date_part_name(*part)).collect();
    json!({ "kind": "dates", "levels": levels })
}

fn chain_json(chain: &Chain) -> Value {
    json!({ "kind": "chain", "parts": chain.parts().iter().map(to_json).collect::<Value>() })
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;

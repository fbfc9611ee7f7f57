use paravent_core::hierarchy::{
    Chain, DatePart, Dates, Grid, Intervals, IntervalsSpec, Outliers, Redaction, Rounding, Side,
    TableHierarchy, TableRow,
};
use proptest::prelude::*;

use super::*;

fn table(rows: Vec<(Option<String>, Vec<String>)>) -> Option<Hierarchy> {
    let rows = rows.into_iter().map(|(value, labels)| TableRow { value, labels }).collect();
    TableHierarchy::new(rows).ok().map(Hierarchy::Table)
}

fn intervals(widths: &[&str], min: &str, max: &str, grid: Grid) -> Hierarchy {
    let spec = IntervalsSpec {
        widths: widths.iter().map(|width| width.parse().unwrap()).collect(),
        min: min.parse().unwrap(),
        max: max.parse().unwrap(),
        outliers: Outliers::ALL[0],
        rounding: Rounding::ALL[0],
        grid,
    };
    Hierarchy::Intervals(Intervals::new(spec).unwrap())
}

#[test]
fn every_kind_has_the_documented_shape() {
    let text = |text: &str| text.to_owned();
    let rows = vec![(Some(text("34")), vec![text("20-60"), text("*")]), (None, vec![text("?"), text("*")])];
    let ages = table(rows).unwrap();
    let zip = Hierarchy::Redaction(Redaction::new('*', Side::Right, 5, Some(10)).unwrap());
    let dates =
        Hierarchy::Dates(Dates::new(vec![DatePart::Month, DatePart::HalfYear, DatePart::Year]).unwrap());
    let shapes = [
        (Hierarchy::Whole, r#"{"kind":"whole"}"#),
        (ages.clone(), r#"{"kind":"table","rows":[["34","20-60","*"],[null,"?","*"]]}"#),
        (
            intervals(&["0.5", "1"], "0", "99.5", Grid::Decimal),
            r#"{"kind":"intervals","widths":["0.5","1"],"min":"0","max":"99.5","outliers":"label","rounding":"none","grid":"decimal"}"#,
        ),
        (zip, r#"{"kind":"redact","char":"*","from":"right","length":5}"#),
        (dates, r#"{"kind":"dates","levels":["month","half-year","year"]}"#),
        (
            Hierarchy::Chain(Chain::new(vec![Hierarchy::Whole, Hierarchy::Whole]).unwrap()),
            r#"{"kind":"chain","parts":[{"kind":"whole"},{"kind":"whole"}]}"#,
        ),
    ];
    for (hierarchy, shape) in shapes {
        assert_eq!(to_json(&hierarchy).to_string(), shape);
        assert_eq!(to_json(&from_json(&to_json(&hierarchy)).unwrap()).to_string(), shape);
    }
}

#[test]
fn what_is_no_hierarchy_is_refused_with_its_place() {
    for (value, expected) in [
        (json!([]), "hierarchy: must be an object"),
        (json!({}), "hierarchy: needs the field kind"),
        (
            json!({ "kind": "secret" }),
            "hierarchy.kind: must be whole, table, intervals, redact, breaks, codes, age, dates or chain",
        ),
        (json!({ "kind": "whole", "rows": [] }), "hierarchy: has a field other than kind"),
        (json!({ "kind": "table", "rows": [] }), "hierarchy.rows: the hierarchy has no lines"),
        (json!({ "kind": "table", "rows": [[]] }), "hierarchy.rows[0]: must not be empty"),
        (json!({ "kind": "table", "rows": [["a", null]] }), "hierarchy.rows[0][1]: must be a string"),
        (
            json!({ "kind": "table", "rows": [["secret", "*"], ["secret", "*"]] }),
            "hierarchy.rows: line 2 repeats the value of line 1",
        ),
        (
            json!({ "kind": "redact", "char": "**", "from": "right", "length": 5 }),
            "hierarchy.char: must be a single character",
        ),
        (
            json!({ "kind": "redact", "char": "*", "from": "secret", "length": 5 }),
            "hierarchy.from: must be one of: left, right",
        ),
        (
            json!({ "kind": "redact", "char": "*", "from": "left", "length": 256 }),
            "hierarchy.length: the length has to be between 1 and 255 characters",
        ),
        (
            json!({ "kind": "redact", "char": "*", "from": "left", "length": -1 }),
            "hierarchy.length: must be a whole number",
        ),
        (
            json!({ "kind": "dates", "levels": ["year", "month"] }),
            "hierarchy.levels: level 2 is not made of whole parts of level 1",
        ),
        (
            json!({ "kind": "chain", "parts": [{ "kind": "intervals", "widths": [5] }] }),
            "hierarchy.parts[0].widths[0]: must be a string",
        ),
        (
            json!({ "kind": "intervals", "widths": ["secret"] }),
            "hierarchy.widths[0]: must be a decimal number, written as a string",
        ),
        (json!({ "kind": "chain", "parts": [] }), "hierarchy.parts: a chain needs at least one hierarchy"),
    ] {
        assert_eq!(from_json(&value).unwrap_err().to_string(), expected);
    }
}

/// Hierarchies of every kind. Constructors refuse some of what is drawn; that becomes the simplest hierarchy.
fn any_hierarchy() -> impl Strategy<Value = Hierarchy> {
    let row = (prop::option::of("[a-dä\"\n ]{0,3}"), "[xy]", Just("*".to_owned()));
    let tables = prop::collection::vec(row, 1..8).prop_map(|rows| {
        let rows = rows.into_iter().map(|(value, label, top)| (value, vec![label, top])).collect();
        table(rows).unwrap_or(Hierarchy::Whole)
    });
    let numbers = (-500i128..500, 1i128..1000, 0u32..4, prop::collection::vec(1i128..5, 1..5));
    let choices = (0usize..3, 0usize..4, any::<bool>());
    let intervals =
        (numbers, choices).prop_map(|((min, range, scale, factors), (outliers, rounding, whole))| {
            let decimal = |number| paravent_core::values::Decimal::new(number, scale).unwrap();
            let widths = factors.iter().scan(1, |width, factor| {
                *width *= factor;
                Some(decimal(*width))
            });
            let spec = IntervalsSpec {
                widths: widths.collect(),
                min: decimal(min),
                max: decimal(min + range),
                outliers: Outliers::ALL[outliers],
                rounding: Rounding::ALL[rounding],
                grid: if whole { Grid::Integer } else { Grid::Decimal },
            };
            Intervals::new(spec).map_or(Hierarchy::Whole, Hierarchy::Intervals)
        });
    let redactions = (any::<char>(), any::<bool>(), 1usize..=255).prop_map(|(mask, left, length)| {
        let side = if left { Side::Left } else { Side::Right };
        Hierarchy::Redaction(Redaction::new(mask, side, length, None).unwrap())
    });
    let dates = prop::sample::subsequence(DatePart::ALL.to_vec(), 1..=10)
        .prop_map(|parts| Dates::new(parts).map_or(Hierarchy::Whole, Hierarchy::Dates));
    let leaf = prop_oneof![Just(Hierarchy::Whole), tables, intervals, redactions, dates];
    leaf.prop_recursive(2, 8, 3, |part| {
        let chain = |parts| Chain::new(parts).map_or(Hierarchy::Whole, Hierarchy::Chain);
        prop::collection::vec(part, 1..4).prop_map(chain)
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(hierarchy in any_hierarchy()) {
        let written = to_json(&hierarchy);
        prop_assert_eq!(&from_json(&written).unwrap(), &hierarchy);
        // Through text as well, as it is on disk.
        let stored: Value = serde_json::from_str(&written.to_string()).unwrap();
        prop_assert_eq!(from_json(&stored).unwrap(), hierarchy);
    }
}

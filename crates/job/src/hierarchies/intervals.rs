//! `intervals = { widths = [5, 10], min = 0, max = 100 }`

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site, decimal};
use crate::data_type::DataType;
use crate::decimal::DecimalText;
use crate::keys::{Key, Takes, key, needed, words};
use crate::problem::Problems;
use crate::render_toml::{list, table};
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{self as core, Grid, Hierarchy, IntervalsError, IntervalsSpec};
pub use paravent_core::hierarchy::{Outliers, Rounding};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

pub(super) const KEY: Key = key("intervals", Takes::Table(KEYS), "Nested intervals of numbers");
pub(super) const EXAMPLE: &str = "{ widths = [5, 10, 20], min = 0, max = 100 }";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "intervals";

const KEYS: &[Key] = &[
    needed("widths", Takes::List(&Takes::Decimal), "Width on level 1, 2, …, each dividing the next"),
    needed("min", Takes::Decimal, "Start of the first interval"),
    needed("max", Takes::Decimal, "End of the last interval"),
    key("outliers", Takes::Choice(words::<Outliers>), "What becomes of values outside"),
    key("rounding", Takes::Choice(words::<Rounding>), "Whether values are rounded first"),
];

/// Intervals of growing width. `0 < widths[0] < widths[1] < …`, each dividing the next; `min < max`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Width on level 1, 2, …; not empty.
    pub widths: Vec<DecimalText>,
    /// Start of the first interval.
    pub min: DecimalText,
    /// End of the last interval, included.
    pub max: DecimalText,
    /// What becomes of values outside.
    pub outliers: Outliers,
    /// Whether values are brought to a whole number first.
    pub rounding: Rounding,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Intervals> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let widths = section.require(walk, "widths", "[5, 10, 20]").and_then(|item| widths(walk, &item));
    let min = section.require(walk, "min", "0").and_then(|item| item.decimal(walk));
    let max_item = section.require(walk, "max", "100");
    let max = max_item.as_ref().and_then(|item| item.decimal(walk));
    if let (Some(min), Some(max), Some(item)) = (&min, &max, max_item)
        && min >= max
    {
        item.report(walk, format!("must be above min, which is {min}"));
    }
    let outliers = section.get(walk, "outliers", "\"label\"");
    let outliers = outliers.and_then(|item| item.choice(walk, "a way to treat outliers"));
    let rounding = section.get(walk, "rounding", "\"down\"");
    let rounding = rounding.and_then(|item| item.choice(walk, "a way to round"));
    Some(Intervals {
        widths: widths?,
        min: min?,
        max: max?,
        outliers: outliers.unwrap_or_default(),
        rounding: rounding.unwrap_or_default(),
    })
}

/// Intervals of one level must be unions of those below: else a coarser table would not be more general.
fn widths(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<DecimalText>> {
    let mut last: Option<DecimalText> = None;
    item.list(walk, 1, |walk, entry| {
        let width = entry.decimal_in(walk, "above 0", |width| width.scaled() > 0)?;
        if let Some(last) = &last {
            if width <= *last {
                entry.report(walk, format!("must be larger than the width before it, {last}"));
            } else if width.scaled() % last.scaled() != 0 {
                entry.report(walk, format!("must be a multiple of the width before it, {last}"));
            }
        }
        last = Some(width.clone());
        Some(width)
    })
}

impl HierarchyBuilder for Intervals {
    fn text(&self) -> String {
        table([
            Some(("widths", list(self.widths.iter().map(ToString::to_string)))),
            Some(("min", self.min.to_string())),
            Some(("max", self.max.to_string())),
            (self.outliers != Outliers::default()).then(|| ("outliers", quoted(self.outliers.name()))),
            (self.rounding != Rounding::default()).then(|| ("rounding", quoted(self.rounding.name()))),
        ])
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], ty: ValueType) -> Result<Hierarchy, Problems> {
        let whole = ty == ValueType::Integer || self.rounding != Rounding::None;
        let grid = if whole { Grid::Integer } else { Grid::Decimal };
        let problem = |error: &IntervalsError| {
            let place = match error {
                IntervalsError::NotPositive { level } | IntervalsError::NotNested { level } => {
                    format!(".widths[{}]", level - 1)
                }
                IntervalsError::NotWhole => self.place_of_fraction(),
                IntervalsError::Widths => ".widths".to_owned(),
                IntervalsError::Bounds => ".max".to_owned(),
                _ => String::new(),
            };
            site.source.problem(&format!("{}.intervals{place}", site.key), error.to_string())
        };
        let numbers = |numbers: &[DecimalText]| {
            numbers.iter().map(decimal).collect::<Option<Vec<_>>>().ok_or(IntervalsError::TooFine)
        };
        let made = numbers(&self.widths).and_then(|widths| {
            let bounds = numbers(&[self.min.clone(), self.max.clone()])?;
            core::Intervals::new(IntervalsSpec {
                widths,
                min: bounds[0],
                max: bounds[1],
                outliers: self.outliers,
                rounding: self.rounding,
                grid,
            })
        });
        let made = made.map_err(|error| match error {
            IntervalsError::NotWhole if ty == ValueType::Integer => {
                let mut problem = problem(&error);
                problem.message = "must be a whole number, since the column holds integers".to_owned();
                problem.advise("Write a whole number, or give the attribute type = \"decimal\"").into()
            }
            IntervalsError::NotWhole => {
                let mut problem = problem(&error);
                problem.message =
                    "must be a whole number, since values are rounded to whole numbers".to_owned();
                problem.advise("Write a whole number, or leave out rounding").into()
            }
            _ => problem(&error).advise("Write e.g. { widths = [5, 10, 20], min = 0, max = 100 }").into(),
        });
        made.map(Hierarchy::Intervals)
    }

    fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        super::needs_numbers(walk, item, data_type);
    }

    // Their numbers decide how intervals are written.
    fn needs_values(&self) -> bool {
        true
    }

    // But not whether they are nested.
    fn build_early(&self, site: &Site<'_>, ty: ValueType) -> Result<Option<Hierarchy>, Problems> {
        self.build(site, &[], ty).map(Some)
    }
}

impl Intervals {
    /// The first number that is not whole.
    fn place_of_fraction(&self) -> String {
        let fraction = |number: &DecimalText| number.as_str().contains('.');
        match self.widths.iter().position(fraction) {
            Some(position) => format!(".widths[{position}]"),
            None if fraction(&self.min) => ".min".to_owned(),
            None => ".max".to_owned(),
        }
    }
}

pub(super) fn to_json(intervals: &core::Intervals) -> Value {
    let spec = intervals.spec();
    json!({
        "kind": KIND,
        "widths": spec.widths.iter().map(|width| width.to_string()).collect::<Vec<_>>(),
        "min": spec.min.to_string(),
        "max": spec.max.to_string(),
        "outliers": spec.outliers.name(),
        "rounding": spec.rounding.name(),
        "grid": spec.grid.name(),
    })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "widths", "min", "max", "outliers", "rounding", "grid"])?;
    let widths = node.field("widths")?;
    let spec = IntervalsSpec {
        widths: widths.items()?.map(|width| width.decimal()).collect::<Result<_, _>>()?,
        min: node.field("min")?.decimal()?,
        max: node.field("max")?.decimal()?,
        outliers: node.field("outliers")?.choice(Outliers::ALL, Outliers::name)?,
        rounding: node.field("rounding")?.choice(Rounding::ALL, Rounding::name)?,
        grid: node.field("grid")?.choice(Grid::ALL, Grid::name)?,
    };
    core::Intervals::new(spec).map(Hierarchy::Intervals).map_err(|error| node.wrong(error))
}

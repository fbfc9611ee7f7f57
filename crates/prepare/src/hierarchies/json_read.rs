//! Hierarchies as `transform.json` holds them, read back.

use paravent_core::hierarchy::{
    Age, Align, BreakLevel, Breaks, Chain, CodeLevel, CodeRange, Codes, Dates, Grid, Hierarchy, Intervals,
    IntervalsSpec, Redaction, TableHierarchy, TableLines,
};
use paravent_core::values::Decimal;
use serde_json::{Map, Value};

use super::{builders, json};

/// Why a JSON value is no hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct JsonError {
    /// Where, spelled like `hierarchy.parts[1].widths[0]`.
    pub place: String,
    /// What is wrong; repeats no value.
    pub reason: String,
}

/// Reads what [`to_json`](super::to_json) writes.
///
/// # Errors The first thing that is wrong: a kind or field that is not known, a field that is absent, a value
/// of the wrong type, or values that make no hierarchy.
pub fn from_json(value: &Value) -> Result<Hierarchy, JsonError> {
    hierarchy(&Node { within: None, step: Step::Field("hierarchy"), value })
}

fn hierarchy(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    let kind = node.field("kind")?;
    match kind.text()? {
        "whole" => node.only(&["kind"]).map(|()| Hierarchy::Whole),
        "table" => table(node).map(Hierarchy::Table),
        "intervals" => intervals(node).map(Hierarchy::Intervals),
        "redact" => redaction(node).map(Hierarchy::Redaction),
        "breaks" => breaks(node).map(Hierarchy::Breaks),
        "codes" => codes(node).map(Hierarchy::Codes),
        "age" => age(node).map(Hierarchy::Age),
        "dates" => dates(node).map(Hierarchy::Dates),
        "chain" => chain(node).map(Hierarchy::Chain),
        _ => Err(kind.wrong("must be whole, table, intervals, redact, breaks, codes, age, dates or chain")),
    }
}

fn table(node: &Node<'_, '_>) -> Result<TableHierarchy, JsonError> {
    node.only(&["kind", "rows"])?;
    let rows = node.field("rows")?;
    let mut lines = TableLines::default();
    for row in rows.items()? {
        let mut cells = row.items()?;
        let value = cells.next().ok_or_else(|| row.wrong("must not be empty"))?;
        let value = if value.value.is_null() { None } else { Some(value.text()?) };
        lines.push(value, cells.map(|cell| cell.text()).collect::<Result<Vec<_>, _>>()?);
    }
    TableHierarchy::from_lines(lines).map_err(|error| rows.wrong(error))
}

fn intervals(node: &Node<'_, '_>) -> Result<Intervals, JsonError> {
    node.only(&["kind", "widths", "min", "max", "outliers", "rounding", "grid"])?;
    let widths = node.field("widths")?;
    let spec = IntervalsSpec {
        widths: widths.items()?.map(|width| width.decimal()).collect::<Result<_, _>>()?,
        min: node.field("min")?.decimal()?,
        max: node.field("max")?.decimal()?,
        outliers: node.field("outliers")?.choice(builders::OUTLIERS, builders::outliers_name)?,
        rounding: node.field("rounding")?.choice(builders::ROUNDING, builders::rounding_name)?,
        grid: node.field("grid")?.choice(&[Grid::Integer, Grid::Decimal], json::grid_name)?,
    };
    Intervals::new(spec).map_err(|error| node.wrong(error))
}

fn redaction(node: &Node<'_, '_>) -> Result<Redaction, JsonError> {
    node.only(&["kind", "char", "from", "length"])?;
    let mask = node.field("char")?;
    let mut characters = mask.text()?.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return Err(mask.wrong("must be a single character"));
    };
    let from = node.field("from")?.choice(builders::SIDES, builders::side_name)?;
    let length = node.field("length")?;
    let characters = length.value.as_u64().and_then(|length| usize::try_from(length).ok());
    let characters = characters.ok_or_else(|| length.wrong("must be a whole number"))?;
    Redaction::new(character, from, characters, None).map_err(|error| length.wrong(error))
}

fn breaks(node: &Node<'_, '_>) -> Result<Breaks, JsonError> {
    node.only(&["kind", "levels", "grid"])?;
    let grid = node.field("grid")?.choice(&[Grid::Integer, Grid::Decimal], json::grid_name)?;
    let levels = node.field("levels")?;
    let mut read = Vec::new();
    for level in levels.items()? {
        level.only(&["at", "labels"])?;
        let points = level.field("at")?.items()?.map(|point| point.decimal()).collect::<Result<_, _>>()?;
        let labels = match level.object()?.contains_key("labels") {
            true => {
                let labels = level.field("labels")?;
                let texts = labels.items()?.map(|label| label.text().map(str::to_owned));
                Some(texts.collect::<Result<_, _>>()?)
            }
            false => None,
        };
        read.push(BreakLevel { points, labels });
    }
    Breaks::new(read, grid).map_err(|error| levels.wrong(error))
}

fn codes(node: &Node<'_, '_>) -> Result<Codes, JsonError> {
    node.only(&["kind", "levels", "length", "align"])?;
    let align = node.field("align")?.choice(&[Align::Left, Align::Right], json::align_name)?;
    let length = node.field("length")?;
    let small = |node: &Node<'_, '_>| {
        let number = node.value.as_u64().and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| node.wrong("must be a whole number up to 255"))
    };
    let characters = if length.value.is_null() { None } else { Some(small(&length)?) };
    let levels = node.field("levels")?;
    let mut read = Vec::new();
    for level in levels.items()? {
        read.push(match level.value.is_array() {
            false => CodeLevel::Keep(small(&level)?),
            true => {
                let range = |item: Node<'_, '_>| {
                    CodeRange::parse(item.text()?).ok_or_else(|| item.wrong("must be a range of codes"))
                };
                CodeLevel::Ranges(level.items()?.map(range).collect::<Result<_, _>>()?)
            }
        });
    }
    Codes::new(read, characters, align).map_err(|error| levels.wrong(error))
}

fn age(node: &Node<'_, '_>) -> Result<Age, JsonError> {
    node.only(&["kind", "on"])?;
    let day = node.field("on")?;
    Age::on(day.text()?).ok_or_else(|| day.wrong("must be a day"))
}

fn dates(node: &Node<'_, '_>) -> Result<Dates, JsonError> {
    node.only(&["kind", "levels"])?;
    let levels = node.field("levels")?;
    let part = |level: Node<'_, '_>| level.choice(builders::DATE_PARTS, builders::date_part_name);
    let parts = levels.items()?.map(part).collect::<Result<_, _>>()?;
    Dates::new(parts).map_err(|error| levels.wrong(error))
}

fn chain(node: &Node<'_, '_>) -> Result<Chain, JsonError> {
    node.only(&["kind", "parts"])?;
    let parts = node.field("parts")?;
    let chain = Chain::new(parts.items()?.map(|part| hierarchy(&part)).collect::<Result<_, _>>()?);
    chain.map_err(|error| parts.wrong(error))
}

/// A value and where it stands. The place is spelled out only when something is wrong there.
struct Node<'v, 'p> {
    within: Option<&'p Node<'v, 'p>>,
    step: Step<'p>,
    value: &'v Value,
}

enum Step<'p> {
    Field(&'p str),
    Item(usize),
}

impl<'v, 'p> Node<'v, 'p> {
    fn place(&self) -> String {
        match (self.within.map(Node::place), &self.step) {
            (None, Step::Field(name)) => (*name).to_owned(),
            (Some(within), Step::Field(name)) => format!("{within}.{name}"),
            (within, Step::Item(i)) => format!("{}[{i}]", within.unwrap_or_default()),
        }
    }

    fn wrong(&self, reason: impl ToString) -> JsonError {
        JsonError { place: self.place(), reason: reason.to_string() }
    }

    fn object(&self) -> Result<&'v Map<String, Value>, JsonError> {
        self.value.as_object().ok_or_else(|| self.wrong("must be an object"))
    }

    fn field(&'p self, name: &'p str) -> Result<Node<'v, 'p>, JsonError> {
        let value = self.object()?.get(name).ok_or_else(|| self.wrong(format!("needs the field {name}")))?;
        Ok(Node { within: Some(self), step: Step::Field(name), value })
    }

    /// A field nobody knows may change what labels mean, so it is not passed over.
    fn only(&self, names: &[&str]) -> Result<(), JsonError> {
        match self.object()?.keys().all(|key| names.contains(&key.as_str())) {
            true => Ok(()),
            false => Err(self.wrong(format!("has a field other than {}", names.join(", ")))),
        }
    }

    fn items(&'p self) -> Result<impl Iterator<Item = Node<'v, 'p>>, JsonError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("must be a list"))?;
        let item = |(i, value)| Node { within: Some(self), step: Step::Item(i), value };
        Ok(items.iter().enumerate().map(item))
    }

    fn text(&self) -> Result<&'v str, JsonError> {
        self.value.as_str().ok_or_else(|| self.wrong("must be a string"))
    }

    fn decimal(&self) -> Result<Decimal, JsonError> {
        self.text()?.parse().map_err(|_| self.wrong("must be a decimal number, written as a string"))
    }

    fn choice<T: Copy>(&self, choices: &[T], name: impl Fn(T) -> &'static str) -> Result<T, JsonError> {
        let text = self.text()?;
        let names = || choices.iter().map(|choice| name(*choice)).collect::<Vec<_>>().join(", ");
        let found = choices.iter().copied().find(|choice| name(*choice) == text);
        found.ok_or_else(|| self.wrong(format!("must be one of: {}", names())))
    }
}

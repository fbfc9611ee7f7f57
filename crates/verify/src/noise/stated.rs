//! What the manifest of a noisy release says.

use std::collections::HashSet;

use serde_json::Value;

use super::FILE;
use super::exact::Rational;
use crate::checks::documents::{OF_A_REPORT, OF_A_SPELLING, Shape};
use crate::json::Node;
use crate::manifest::{Output, require_format};
use crate::{VerifyError, kinds};

/// The whole manifest.
pub(super) struct Noisy {
    pub(super) output: Output,
    pub(super) released: Vec<String>,
    pub(super) columns: Vec<Stated>,
    pub(super) epsilon: Rational,
    pub(super) delta: Rational,
    pub(super) bounded: bool,
    /// The most rows of one person, each of which costs; none where every row is one.
    pub(super) rows_per_person: Option<u64>,
    pub(super) dropped: Vec<String>,
    pub(super) seeded: bool,
    /// Lines of ledgers: number and hash.
    pub(super) lines: Vec<(u64, String)>,
}

/// The noise of a column.
pub(super) struct Stated {
    pub(super) column: String,
    pub(super) law: Law,
    /// ε and δ; `None` where none is promised.
    pub(super) promise: Option<(Rational, Rational)>,
    /// The texts that a cell may have.
    texts: HashSet<Option<Box<str>>>,
}

pub(super) enum Law {
    /// One matrix, or one for each value of another column, over so many values.
    Responses(Vec<Response>),
    /// Words of 2⁶⁰ that move a value by at least so many steps up; as many move it down.
    Added(Vec<u64>),
}

/// With probability p a value is redrawn.
pub(super) struct Response {
    pub(super) p: Rational,
    pub(super) redraw: Redraw,
}

pub(super) enum Redraw {
    /// A weight for each value.
    Weights(Vec<Rational>),
    /// For each old value the new ones that have a weight.
    Kernel(Vec<Vec<(usize, Rational)>>),
}

/// More values than any noise has.
const MOST_VALUES: usize = 1 << 17;

impl Noisy {
    pub(super) fn parse(document: &Value) -> Result<Noisy, VerifyError> {
        let root = Node::root(FILE, document);
        require_format(&root)?;
        let ledger = root.get("ledger")?;
        let line = |node: Node<'_>| Ok((node.get("line")?.u64()?, node.get("hash")?.str()?.to_owned()));
        // Every noisy release has them; they are compared where all files are.
        root.get("reports")?;
        Ok(Noisy {
            output: Output::parse(&root.get("output")?)?,
            released: root.get("columns")?.strings()?,
            columns: root
                .get("noise")?
                .columns()?
                .map(|node| Stated::parse(&node))
                .collect::<Result<_, _>>()?,
            epsilon: number(&root.get("epsilon")?)?,
            delta: number(&root.get("delta")?)?,
            bounded: root.get("bounded")?.bool()?,
            rows_per_person: root.optional("rows_per_person").map(|node| node.u64()).transpose()?,
            dropped: root.get("dropped")?.strings()?,
            seeded: root.get("seeded")?.bool()?,
            lines: ledger.get("lines")?.columns()?.map(line).collect::<Result<_, VerifyError>>()?,
        })
    }
}

fn number(node: &Node<'_>) -> Result<Rational, VerifyError> {
    Rational::parse(node.str()?)
        .ok_or_else(|| node.bad("must be a decimal or a fraction, written as a string"))
}

impl Stated {
    fn parse(node: &Node<'_>) -> Result<Stated, VerifyError> {
        let promise = match node.optional("epsilon") {
            Some(epsilon) => Some((number(&epsilon)?, number(&node.get("delta")?)?)),
            None => None,
        };
        let column = node.get("column")?.str()?.to_owned();
        if node.optional("tails").is_some() {
            let (tails, texts) = added(node)?;
            return Ok(Stated { column, law: Law::Added(tails), promise, texts });
        }
        let values_node = node.get("values")?;
        let values = values_node.cells()?;
        if values.is_empty() || values.len() > MOST_VALUES {
            return Err(values_node.bad("must list the values"));
        }
        let count = values.len();
        let texts: HashSet<Option<Box<str>>> = values.into_iter().collect();
        if texts.len() < count {
            return Err(values_node.bad("lists a value twice"));
        }
        let responses = match node.optional("cases") {
            Some(cases) => cases
                .columns()?
                .map(|case| Response::parse(&case.get("response")?, count))
                .collect::<Result<_, _>>()?,
            None => vec![Response::parse(&node.get("response")?, count)?],
        };
        if responses.is_empty() {
            return Err(node.bad("has no case"));
        }
        Ok(Stated { column, law: Law::Responses(responses), promise, texts })
    }

    pub(super) fn has(&self, cell: Option<&str>) -> bool {
        self.texts.contains(&cell.map(Box::from))
    }

    pub(super) fn values(&self) -> usize {
        self.texts.len()
    }
}

impl Response {
    fn parse(node: &Node<'_>, values: usize) -> Result<Response, VerifyError> {
        let p_node = node.get("probability")?;
        let p = number(&p_node)?;
        let one = Rational::whole(1);
        if p > one {
            return Err(p_node.bad("must be a probability"));
        }
        let redraw = match node.optional("kernel") {
            None => {
                let list = node.get("weights")?;
                let weights: Vec<Rational> =
                    list.items()?.map(|weight| number(&weight)).collect::<Result<_, _>>()?;
                if weights.len() != values || !Rational::are_shares(weights.iter()) {
                    return Err(list.bad("must be a weight per value that sum to 1"));
                }
                Redraw::Weights(weights)
            }
            Some(list) => {
                let rows: Vec<Vec<(usize, Rational)>> =
                    list.items()?.map(|row| kernel_row(&row, values)).collect::<Result<_, _>>()?;
                if rows.len() != values {
                    return Err(list.bad("must have a row per value"));
                }
                Redraw::Kernel(rows)
            }
        };
        Ok(Response { p, redraw })
    }
}

fn kernel_row(node: &Node<'_>, values: usize) -> Result<Vec<(usize, Rational)>, VerifyError> {
    let mut row: Vec<(usize, Rational)> = Vec::new();
    for entry in node.items()? {
        let mut parts = entry.items()?;
        let (Some(to), Some(weight), None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(entry.bad("must be a value and its weight"));
        };
        let to = usize::try_from(to.u64()?).unwrap_or(usize::MAX);
        if to >= values || row.last().is_some_and(|(last, _)| *last >= to) {
            return Err(entry.bad("must be in the order of the values"));
        }
        row.push((to, number(&weight)?));
    }
    match Rational::are_shares(row.iter().map(|(_, weight)| weight)) {
        true => Ok(row),
        false => Err(node.bad("must be weights that sum to 1")),
    }
}

/// Thresholds, and the texts of the numbers from min to max.
#[allow(clippy::type_complexity)]
fn added(node: &Node<'_>) -> Result<(Vec<u64>, HashSet<Option<Box<str>>>), VerifyError> {
    let list = node.get("tails")?;
    let tails: Vec<u64> = list
        .items()?
        .map(|tail| tail.str()?.parse::<u64>().map_err(|_| tail.bad("must be a whole number")))
        .collect::<Result<_, _>>()?;
    let falling = tails.windows(2).all(|pair| pair[0] >= pair[1]);
    if !falling || tails.first().is_some_and(|first| *first > 1 << 59) || tails.len() > 10_000 {
        return Err(list.bad("must be thresholds that fall, from half of 2^60 on"));
    }
    let signed = |key: &str| -> Result<(bool, Rational), VerifyError> {
        let node = node.get(key)?;
        let text = node.str()?;
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let number =
            Rational::parse(digits).ok_or_else(|| node.bad("must be a number, written as a string"))?;
        Ok((negative, number))
    };
    let (min, max, step) = (signed("min")?, signed("max")?, signed("step")?);
    if step.0 || step.1.is_zero() {
        return Err(node.bad("must have a step above 0"));
    }
    let mut texts = HashSet::new();
    let mut value = min;
    texts.insert(Some(text(&value)));
    for _ in 0..tails.len() {
        value = next(&value, &step.1);
        texts.insert(Some(text(&value)));
    }
    match text(&value) == text(&max) {
        true => Ok((tails, texts)),
        false => Err(node.bad("must have a threshold for every step from min to max")),
    }
}

fn next((negative, size): &(bool, Rational), step: &Rational) -> (bool, Rational) {
    match negative {
        false => (false, size.plus(step)),
        true if step >= size => (false, step.less(size)),
        true => (true, size.less(step)),
    }
}

/// The shortest way to write a number: a decimal where it ends, else a fraction.
fn text((negative, size): &(bool, Rational)) -> Box<str> {
    let sign = if *negative && !size.is_zero() { "-" } else { "" };
    format!("{sign}{}", size.shortest()).into()
}

/// What a noisy manifest holds.
pub(super) const SHAPE: Shape = Shape {
    keys: &[
        (
            "",
            &[
                "format",
                "kind",
                "paravent",
                "output",
                "columns",
                "noise",
                "epsilon",
                "delta",
                "bounded",
                "rows_per_person",
                "ledger",
                "dropped",
                "seeded",
                "promised",
                "not_promised",
                "reports",
            ],
        ),
        kinds::OF_OUTPUT,
        OF_A_SPELLING,
        OF_A_REPORT,
        ("ledger", &["recipient", "lines"]),
        ("ledger.lines.*", &["line", "hash"]),
        (
            "noise.*",
            &[
                "column", "law", "outside", "missing", "other", "epsilon", "delta", "values", "response",
                "by", "cases", "min", "max", "step", "tails",
            ],
        ),
        ("noise.*.response", OF_A_RESPONSE),
        ("noise.*.cases.*", &["value", "otherwise", "response"]),
        ("noise.*.cases.*.response", OF_A_RESPONSE),
    ],
    whole: &["reports.*"],
    whole_now: &[""],
    // Only where people are counted.
    optional: &[("", "rows_per_person")],
};

const OF_A_RESPONSE: &[&str] = &["probability", "weights", "kernel"];

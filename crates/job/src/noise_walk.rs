//! Reads `noise = { … }` of an attribute.

use super::keys::{CELLS, Key, Takes, key, words};
use super::lines::child;
use super::noise::{
    AddedLaw, KernelTable, MissingNoise, NoiseBy, NoiseCase, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails,
    OutsideCells, Strength,
};
use super::walk::{Item, Section, Walk};

const STEPS: Takes = Takes::Named(&Takes::Cell);
const KERNEL: Takes = Takes::Either(&[Takes::Text, Takes::List(&CELLS)]);

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("probability", Takes::Cell, "How likely a cell is redrawn"),
    key("epsilon", Takes::Cell, "Instead: what the noise may give away"),
    key("delta", Takes::Cell, "With epsilon"),
    key("weights", CELLS, "How likely each value is drawn"),
    key("learnt", Takes::Truth, "As often as in the column"),
    key("steps", STEPS, "By distance in the order of the values"),
    key("tails", Takes::Choice(words::<NoiseTails>), "With steps: what happens at the ends"),
    key("rest", Takes::Choice(words::<NoiseRest>), "With steps: weight that is left open"),
    key("kernel", KERNEL, "A table of probabilities"),
    key("law", Takes::Choice(words::<AddedLaw>), "Added to a number"),
    key("values", CELLS, "The values of a cell, in their order"),
    key("min", Takes::Cell, "With law: the smallest number"),
    key("max", Takes::Cell, "With law: the largest number"),
    key("step", Takes::Cell, "With law: between two numbers"),
    key("outside", Takes::Choice(words::<OutsideCells>), "What becomes of a cell that is none of the values"),
    key("other", Takes::Cell, "With outside: the value it counts as"),
    key("missing", Takes::Choice(words::<MissingNoise>), "What becomes of a missing cell"),
    key("by", Takes::Text, "Noise by the value of this column"),
    key("cases", Takes::Named(&Takes::Table(CASE_KEYS)), "With by: the noise for each value"),
];

pub(crate) const CASE_KEYS: &[Key] = &[
    key("probability", Takes::Cell, "How likely a cell is redrawn"),
    key("epsilon", Takes::Cell, "Instead: what the noise may give away"),
    key("delta", Takes::Cell, "With epsilon"),
    key("weights", CELLS, "How likely each value is drawn"),
    key("learnt", Takes::Truth, "As often as in the column"),
    key("steps", STEPS, "By distance in the order of the values"),
    key("tails", Takes::Choice(words::<NoiseTails>), "With steps: what happens at the ends"),
    key("rest", Takes::Choice(words::<NoiseRest>), "With steps: weight that is left open"),
    key("kernel", KERNEL, "A table of probabilities"),
];

/// The noise of an attribute.
pub(super) fn noise(walk: &mut Walk, item: &Item<'_>) -> Option<NoiseSpec> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let values = section.get(walk, "values", "[\"f\", \"m\"]").map(|item| item.cells(walk, 1));
    let outside_item = section.get(walk, "outside", "\"clamp\"");
    let outside = match &outside_item {
        Some(item) => item.choice(walk, "what becomes of a cell outside"),
        None => Some(OutsideCells::Refuse),
    };
    let other_item = section.get(walk, "other", "\"other\"");
    let other = other_item.as_ref().map(|item| item.cell(walk));
    match (outside, &other_item, &outside_item) {
        (Some(OutsideCells::Other), None, Some(item)) if walk.complete() => {
            walk.report(
                item.line,
                &item.key,
                "which value do they count as?",
                "Write e.g. other = \"other\"",
            );
        }
        (Some(OutsideCells::Refuse | OutsideCells::Clamp), Some(item), _) => {
            walk.report(item.line, &item.key, "is for outside = \"other\"", "Write outside = \"other\"");
        }
        _ => {}
    }
    let missing = match section.get(walk, "missing", "\"value\"") {
        Some(item) => item.choice(walk, "what a missing cell is to noise"),
        None => Some(MissingNoise::Refuse),
    };
    let by = by(walk, &section);
    let strength = strength(walk, &section);
    let law = law(walk, &section);
    if let (Some(NoiseLaw::Added { .. }), Some(Strength::Probability(_) | Strength::Whole)) =
        (&law, &strength)
    {
        let advice = "Write e.g. epsilon = \"1\"";
        walk.report(item.line, &item.key, "noise that is added to a number needs an epsilon", advice);
    }
    let open = matches!(strength, Some(Strength::Whole)) && !matches!(law, Some(NoiseLaw::Kernel(_)) | None);
    if open && matches!(by, Some(None)) && !matches!(law, Some(NoiseLaw::Added { .. })) {
        let advice = "Write e.g. probability = \"0.2\", or epsilon = \"1\"";
        walk.report(item.line, &item.key, "how strong is the noise?", advice);
    }
    Some(NoiseSpec {
        values: match values {
            Some(values) => Some(values?),
            None => None,
        },
        strength: strength?,
        law: law?,
        outside: outside?,
        other: match other {
            Some(other) => Some(other?),
            None => None,
        },
        missing: missing?,
        by: by?,
    })
}

/// The inner `None`: not written.
fn by(walk: &mut Walk, section: &Section<'_>) -> Option<Option<NoiseBy>> {
    let column = section.get(walk, "by", "\"ward\"");
    let cases = section.get(walk, "cases", "{ north = { probability = \"0.2\" } }");
    match (column, cases) {
        (None, None) => Some(None),
        (Some(item), None) => {
            if walk.complete() {
                let advice = "Write e.g. cases = { north = { probability = \"0.2\" } }";
                walk.report(item.line, &item.key, "which noise for which value?", advice);
            }
            None
        }
        (None, Some(item)) => {
            if walk.complete() {
                walk.report(item.line, &item.key, "of which column?", "Write e.g. by = \"ward\"");
            }
            None
        }
        (Some(column), Some(item)) => {
            let column = column.name(walk).map(str::to_owned);
            let table = item.section(walk)?;
            let mut cases = Vec::new();
            for (key, value) in table.table {
                let name = key.get_ref().as_ref();
                let line = walk.line(key.span().start);
                let advice = "Write e.g. { probability = \"0.2\" }".to_owned();
                let case = Item { value, key: child(&item.key, name), line, advice };
                let case = case.section(walk).and_then(|section| {
                    section.allow_keys(walk, CASE_KEYS);
                    let strength = strength(walk, &section);
                    Some(NoiseCase { law: law(walk, &section)?, strength: strength? })
                });
                cases.push(case.map(|case| (name.to_owned(), case)));
            }
            if cases.is_empty() {
                item.report(walk, "must not be empty");
                return None;
            }
            let cases: Option<Vec<_>> = cases.into_iter().collect();
            Some(Some(NoiseBy { column: column?, cases: cases? }))
        }
    }
}

fn strength(walk: &mut Walk, section: &Section<'_>) -> Option<Strength> {
    section.exclusive(walk, "probability", "epsilon");
    let probability = section.get(walk, "probability", "\"0.2\"").map(|item| item.cell(walk));
    let epsilon = section.get(walk, "epsilon", "\"1\"").map(|item| item.cell(walk));
    let delta_item = section.get(walk, "delta", "\"1e-6\"");
    let delta = delta_item.as_ref().map(|item| item.cell(walk));
    if let (Some(item), None) = (&delta_item, &epsilon) {
        walk.report(item.line, &item.key, "belongs to an epsilon", "Write e.g. epsilon = \"1\"");
    }
    match (probability, epsilon) {
        (Some(probability), _) => probability.map(Strength::Probability),
        (None, Some(epsilon)) => Some(Strength::Epsilon {
            epsilon: epsilon?,
            delta: match delta {
                Some(delta) => Some(delta?),
                None => None,
            },
        }),
        (None, None) => Some(Strength::Whole),
    }
}

fn law(walk: &mut Walk, section: &Section<'_>) -> Option<NoiseLaw> {
    for (first, second) in [
        ("weights", "steps"),
        ("weights", "kernel"),
        ("weights", "learnt"),
        ("steps", "kernel"),
        ("law", "weights"),
        ("law", "steps"),
        ("law", "kernel"),
        ("law", "values"),
    ] {
        section.exclusive(walk, first, second);
    }
    let exact = |walk: &mut Walk, key: &'static str, example: &str| {
        section.require(walk, key, example).and_then(|item| item.cell(walk))
    };
    if let Some(item) = section.get(walk, "law", "\"laplace\"") {
        let law: Option<AddedLaw> = item.choice(walk, "noise that is added");
        let (min, max) = (exact(walk, "min", "\"0\""), exact(walk, "max", "\"100\""));
        let step = match section.get(walk, "step", "\"1\"") {
            Some(item) => item.cell(walk),
            None => Some("1".to_owned()),
        };
        return Some(NoiseLaw::Added { law: law?, min: min?, max: max?, step: step? });
    }
    for key in ["min", "max", "step"] {
        if let Some(item) = section.get(walk, key, "\"0\"") {
            walk.report(
                item.line,
                &item.key,
                "belongs to noise that is added",
                "Write e.g. law = \"laplace\"",
            );
        }
    }
    if let Some(item) = section.get(walk, "weights", "[\"0.7\", \"0.3\"]") {
        return item.list(walk, 1, |walk, entry| entry.cell(walk)).map(NoiseLaw::Weights);
    }
    if let Some(item) = section.get(walk, "kernel", "\"kernel.csv\"") {
        return kernel(walk, &item).map(NoiseLaw::Kernel);
    }
    if let Some(item) = section.get(walk, "steps", "{ \"-1\" = \"0.5\", \"1\" = \"0.5\" }") {
        return steps(walk, section, &item);
    }
    match section.get(walk, "learnt", "true") {
        Some(item) => {
            item.truth(walk).map(|learnt| if learnt { NoiseLaw::Learnt } else { NoiseLaw::Uniform })
        }
        None => Some(NoiseLaw::Uniform),
    }
}

/// A file, or its lines.
fn kernel(walk: &mut Walk, item: &Item<'_>) -> Option<KernelTable> {
    if item.value.get_ref().is_str() {
        return item.path(walk).map(KernelTable::File);
    }
    let line = |walk: &mut Walk, entry: &Item<'_>| entry.list(walk, 2, |walk, cell| cell.cell(walk));
    item.list(walk, 2, line).map(KernelTable::Lines)
}

fn steps(walk: &mut Walk, section: &Section<'_>, item: &Item<'_>) -> Option<NoiseLaw> {
    let tails = match section.get(walk, "tails", "\"cyclic\"") {
        Some(item) => item.choice(walk, "what happens at the ends"),
        None => Some(NoiseTails::Clamped),
    };
    let rest = match section.get(walk, "rest", "\"stays\"") {
        Some(item) => item.choice(walk, "what becomes of weight that is left open"),
        None => Some(NoiseRest::Refused),
    };
    let table = item.section(walk)?;
    let mut steps = Vec::new();
    for (key, value) in table.table {
        let name = key.get_ref().as_ref();
        let line = walk.line(key.span().start);
        let weight = Item { value, key: child(&item.key, name), line, advice: item.advice.clone() };
        let by: Option<i32> = name.parse().ok();
        if by.is_none() {
            weight.report(walk, "is no whole number of places");
        }
        steps.push(by.zip(weight.cell(walk)));
    }
    if steps.is_empty() {
        item.report(walk, "must not be empty");
        return None;
    }
    let mut steps: Vec<(i32, String)> = steps.into_iter().collect::<Option<_>>()?;
    steps.sort();
    Some(NoiseLaw::Steps { steps, tails: tails?, rest: rest? })
}

//! Writes `noise = { … }`.

use super::noise::{
    KernelTable, MissingNoise, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails, OutsideCells, Strength,
};
use super::render_toml::{cells, path};
use super::suggest::quoted;

/// The value of the key.
pub(super) fn noise(spec: &NoiseSpec) -> String {
    let mut parts = drawn(&spec.strength, &spec.law);
    if let Some(values) = &spec.values {
        parts.push(format!("values = {}", cells(values)));
    }
    if spec.outside != OutsideCells::Refuse {
        parts.push(format!("outside = {}", quoted(spec.outside.name())));
    }
    if let Some(other) = &spec.other {
        parts.push(format!("other = {}", quoted(other)));
    }
    if spec.missing != MissingNoise::Refuse {
        parts.push(format!("missing = {}", quoted(spec.missing.name())));
    }
    if let Some(by) = &spec.by {
        let cases: Vec<String> = by
            .cases
            .iter()
            .map(|(value, case)| {
                format!("{} = {{ {} }}", quoted(value), drawn(&case.strength, &case.law).join(", "))
            })
            .collect();
        parts.push(format!("by = {}, cases = {{ {} }}", quoted(&by.column), cases.join(", ")));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn drawn(strength: &Strength, law: &NoiseLaw) -> Vec<String> {
    let mut parts = Vec::new();
    match strength {
        Strength::Whole => {}
        Strength::Probability(p) => parts.push(format!("probability = {}", quoted(p))),
        Strength::Epsilon { epsilon, delta } => {
            parts.push(format!("epsilon = {}", quoted(epsilon)));
            parts.extend(delta.iter().map(|delta| format!("delta = {}", quoted(delta))));
        }
    }
    match law {
        NoiseLaw::Uniform => {}
        NoiseLaw::Learnt => parts.push("learnt = true".to_owned()),
        NoiseLaw::Weights(weights) => {
            let weights: Vec<String> = weights.iter().map(|weight| quoted(weight)).collect();
            parts.push(format!("weights = [{}]", weights.join(", ")));
        }
        NoiseLaw::Steps { steps, tails, rest } => {
            let steps: Vec<String> = steps
                .iter()
                .map(|(by, weight)| format!("{} = {}", quoted(&by.to_string()), quoted(weight)))
                .collect();
            parts.push(format!("steps = {{ {} }}", steps.join(", ")));
            if *tails != NoiseTails::Clamped {
                parts.push(format!("tails = {}", quoted(tails.name())));
            }
            if *rest != NoiseRest::Refused {
                parts.push(format!("rest = {}", quoted(rest.name())));
            }
        }
        NoiseLaw::Kernel(KernelTable::File(file)) => parts.push(format!("kernel = {}", path(file))),
        NoiseLaw::Kernel(KernelTable::Lines(lines)) => {
            let line = |line: &Vec<String>| {
                let cells: Vec<String> = line.iter().map(|cell| quoted(cell)).collect();
                format!("[{}]", cells.join(", "))
            };
            parts.push(format!("kernel = [{}]", lines.iter().map(line).collect::<Vec<_>>().join(", ")));
        }
        NoiseLaw::Added { law, min, max, step } => {
            parts.push(format!("law = {}", quoted(law.name())));
            for (key, value) in [("min", min), ("max", max), ("step", step)] {
                parts.push(format!("{key} = {}", quoted(value)));
            }
        }
    }
    parts
}

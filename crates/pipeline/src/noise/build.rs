//! From what was asked for to noise that can be drawn.

use super::grid::Grid;
use super::kernel;
use super::mechanism::{AddedNumber, Drawn, Mechanism, OutsidePolicy};
use super::strength::{cost, name, promised, response};
use crate::slice::{CodedCells, CodedTable};
use paravent_job::{
    AddedLaw, Job, MissingNoise, NoiseBy, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails, OutsideCells, Strength,
};
use paravent_noise::additive::Law;
use paravent_noise::budget::Cost;
use paravent_noise::distribution::{Ends, Rest};
use paravent_noise::draw::Plan;
use paravent_noise::{Additive, Cases, Distribution, Ratio, Response};
use paravent_prepare::hierarchies::declared_values;

/// The noise of a column. Errors say what is wrong with what was asked for.
pub(super) fn mechanism(
    table: &CodedTable,
    job: Option<&Job>,
    column: &CodedCells,
    spec: &NoiseSpec,
) -> Result<Mechanism, String> {
    match &spec.law {
        NoiseLaw::Added { law, min, max, step } => added(column, spec, *law, Grid::new(min, max, step)?),
        _ => drawn(table, job, column, spec),
    }
}

fn added(column: &CodedCells, spec: &NoiseSpec, law: AddedLaw, grid: Grid) -> Result<Mechanism, String> {
    let Strength::Epsilon { epsilon, delta } = &spec.strength else {
        return Err("noise that is added to a number needs an epsilon".to_owned());
    };
    if spec.by.is_some() {
        return Err("noise that is added to a number cannot depend on another column".to_owned());
    }
    if spec.missing == MissingNoise::Value {
        return Err("a missing number has no neighbours; write missing = \"draw\"".to_owned());
    }
    let outside = match spec.outside {
        OutsideCells::Refuse => OutsidePolicy::Refused,
        OutsideCells::Clamp => OutsidePolicy::Clamped,
        OutsideCells::Other => return Err("numbers beyond the bounds are refused or clamped".to_owned()),
    };
    let (epsilon, delta) = promised(epsilon, delta.as_deref())?;
    let kind = match law {
        AddedLaw::Laplace => Law::Laplace,
        AddedLaw::Geometric => Law::Geometric,
        AddedLaw::Gaussian => Law::Gaussian,
    };
    let noise =
        Additive::new(kind, grid.values, &epsilon, delta.as_ref()).map_err(|error| error.to_string())?;
    let ratio = noise.likelihood_ratio();
    let cost = cost(&spec.strength, &ratio, |epsilon| noise.delta_at(epsilon))?;
    Ok(Mechanism {
        column: column.name.clone(),
        values: grid.texts(),
        drawn: Drawn::Added(AddedNumber { grid, noise }),
        outside,
        stand_in: spec.missing == MissingNoise::Draw,
        probability: None,
        law: law.name(),
        read_off: false,
        cost,
    })
}

fn drawn(
    table: &CodedTable,
    job: Option<&Job>,
    column: &CodedCells,
    spec: &NoiseSpec,
) -> Result<Mechanism, String> {
    let domain = Domain::of(job, column, spec)?;
    let made = |strength: &Strength, law: &NoiseLaw| -> Result<Response, String> {
        let distribution = domain.distribution(job, column, law)?;
        if domain.read_off && matches!(strength, Strength::Epsilon { .. }) {
            return Err("an epsilon needs the values: taken from the column they would be an answer that nobody paid for".to_owned());
        }
        response(strength, distribution)
    };
    let plan = |response: &Response| Plan::new(response).map_err(|error| error.to_string());
    let (drawn, probability) = match &spec.by {
        None => {
            let response = made(&spec.strength, &spec.law)?;
            let p = response.p.to_string();
            (Drawn::Response(response.clone(), plan(&response)?), Some(p))
        }
        Some(by) => (cases(table, job, spec, by, &made)?, None),
    };
    let outside = match (spec.outside, &spec.other) {
        (OutsideCells::Refuse, _) => OutsidePolicy::Refused,
        (OutsideCells::Clamp, _) => return Err("outside = \"clamp\" is for numbers with bounds".to_owned()),
        (OutsideCells::Other, other) => {
            let place = domain.values.iter().position(|value| value.is_some() && value == other);
            let place = place.and_then(|place| u32::try_from(place).ok());
            OutsidePolicy::Other(place.ok_or_else(|| "other must be one of the values".to_owned())?)
        }
    };
    let mut mechanism = Mechanism {
        column: column.name.clone(),
        values: domain.values,
        drawn,
        outside,
        stand_in: spec.missing == MissingNoise::Draw,
        probability,
        law: name(&spec.law),
        read_off: domain.read_off,
        cost: None,
    };
    if mechanism.stand_in && mechanism.values.contains(&None) {
        return Err("missing is one of the values already; leave missing = \"draw\" out".to_owned());
    }
    // Cases have strengths of their own; together they cost what they give away.
    let strength = if spec.by.is_some() { &Strength::Whole } else { &spec.strength };
    let ratio = mechanism.likelihood_ratio();
    mechanism.cost = cost(strength, &ratio, |epsilon| mechanism.delta_at(epsilon))?;
    if mechanism.read_off {
        // An exact figure would tell the smallest share.
        mechanism.cost = mechanism.cost.and_then(|cost| {
            let tenths = (cost.epsilon().to_f64() * 10.0).next_up().ceil() as i64;
            Ratio::new(tenths, 10).map(Cost::of_response)
        });
    }
    Ok(mechanism)
}

fn cases(
    table: &CodedTable,
    job: Option<&Job>,
    spec: &NoiseSpec,
    by: &NoiseBy,
    made: &dyn Fn(&Strength, &NoiseLaw) -> Result<Response, String>,
) -> Result<Drawn, String> {
    table.place(&by.column).map_err(|error| format!("by: {error}"))?;
    let missing = job.map_or_else(|| vec![String::new()], |job| job.input.null.clone());
    let (mut known, mut responses) = (Vec::new(), Vec::new());
    for (value, case) in &by.cases {
        if matches!(case.law, NoiseLaw::Learnt | NoiseLaw::Added { .. }) {
            return Err("cases: write probability, weights, steps or a kernel".to_owned());
        }
        let response = made(&case.strength, &case.law).map_err(|problem| format!("cases: {problem}"))?;
        known.push((!missing.contains(value)).then(|| value.clone()));
        responses.push(response);
    }
    let otherwise = spec.strength != Strength::Whole;
    if otherwise {
        responses.push(made(&spec.strength, &spec.law)?);
    }
    let plans = responses.iter().map(|response| Plan::new(response).map_err(|error| error.to_string()));
    let plans = plans.collect::<Result<_, _>>()?;
    let cases = Cases::new(responses).ok_or_else(|| "cases: must not be empty".to_owned())?;
    let cases = cases.map_err(|error| error.to_string())?;
    Ok(Drawn::Cases { by: by.column.clone(), known, otherwise, cases, plans })
}

/// The values of a column.
struct Domain {
    values: Vec<Option<String>>,
    read_off: bool,
}

impl Domain {
    fn of(job: Option<&Job>, column: &CodedCells, spec: &NoiseSpec) -> Result<Domain, String> {
        if let NoiseLaw::Kernel(table) = &spec.law {
            return Ok(Domain { values: kernel::read(table, job)?.values, read_off: false });
        }
        let first_kernel = spec.by.iter().flat_map(|by| &by.cases).find_map(|(_, case)| match &case.law {
            NoiseLaw::Kernel(table) => Some(table),
            _ => None,
        });
        if let (None, Some(table)) = (&spec.values, first_kernel) {
            return Ok(Domain { values: kernel::read(table, job)?.values, read_off: false });
        }
        let declared = match (&spec.values, job, &spec.law) {
            (_, _, NoiseLaw::Learnt) => None,
            (Some(values), ..) => Some(values.clone()),
            (None, Some(job), _) => declared_values(job, &column.name).map_err(|error| error.to_string())?,
            (None, None, _) => None,
        };
        let Some(mut values) = declared else {
            if matches!(spec.law, NoiseLaw::Steps { .. } | NoiseLaw::Weights(_)) {
                return Err(format!("{} need the values in their order", name(&spec.law)));
            }
            let mut values = column.cells.clone();
            values.sort();
            if spec.missing == MissingNoise::Draw {
                values.retain(Option::is_some);
            }
            return Ok(Domain { values, read_off: true });
        };
        if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
            return Err("a value is given twice".to_owned());
        }
        // Order matters to steps and to weights, which follow it; where it does not, it is that of the values.
        if matches!(spec.law, NoiseLaw::Uniform) && spec.by.is_none() {
            values.sort();
        }
        let mut values: Vec<Option<String>> = values.into_iter().map(Some).collect();
        if spec.missing == MissingNoise::Value {
            values.push(None);
        }
        Ok(Domain { values, read_off: false })
    }

    fn distribution(
        &self,
        job: Option<&Job>,
        column: &CodedCells,
        law: &NoiseLaw,
    ) -> Result<Distribution, String> {
        let number = u32::try_from(self.values.len()).map_err(|_| "too many values".to_owned())?;
        let ratio = |text: &String| Ratio::parse(text).map_err(|error| format!("{text}: {error}"));
        let made = match law {
            NoiseLaw::Uniform => Distribution::uniform(number),
            NoiseLaw::Learnt => Distribution::learnt(&self.counts(column)),
            NoiseLaw::Weights(weights) if weights.len() != self.values.len() => {
                return Err(format!("{} weights for {number} values", weights.len()));
            }
            NoiseLaw::Weights(weights) => {
                Distribution::given(weights.iter().map(ratio).collect::<Result<_, _>>()?)
            }
            NoiseLaw::Steps { steps, tails, rest } => {
                if self.values.contains(&None) {
                    return Err("a missing value has no neighbours; write missing = \"draw\"".to_owned());
                }
                let steps = steps.iter().map(|(by, weight)| Ok((*by, ratio(weight)?)));
                let steps: Vec<(i32, Ratio)> = steps.collect::<Result<_, String>>()?;
                let ends = match tails {
                    NoiseTails::Clamped => Ends::Clamped,
                    NoiseTails::Cyclic => Ends::Cyclic,
                };
                let rest = match rest {
                    NoiseRest::Refused => Rest::Refused,
                    NoiseRest::Stays => Rest::Stays,
                    NoiseRest::Spread => Rest::Spread,
                };
                Distribution::steps(number, &steps, ends, rest)
            }
            NoiseLaw::Kernel(table) => {
                let kernel = kernel::read(table, job)?;
                if kernel.values != self.values {
                    return Err("all kernels must have the same values in the same order".to_owned());
                }
                return Ok(kernel.distribution);
            }
            NoiseLaw::Added { .. } => return Err("noise is added to numbers only".to_owned()),
        };
        made.map_err(|error| error.to_string())
    }

    /// How many rows have each value.
    fn counts(&self, column: &CodedCells) -> Vec<u64> {
        let mut by_code = vec![0u64; column.cells.len()];
        column.codes.iter().for_each(|code| by_code[*code as usize] += 1);
        let rows = |value: &Option<String>| {
            column.cells.iter().zip(&by_code).filter(|(cell, _)| *cell == value).map(|(_, rows)| *rows).sum()
        };
        self.values.iter().map(rows).collect()
    }
}

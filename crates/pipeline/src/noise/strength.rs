//! From what was asked for to a response and its cost.

use paravent_job::{NoiseLaw, Strength};
use paravent_noise::budget::Cost;
use paravent_noise::likelihood::LikelihoodRatio;
use paravent_noise::{Delta, Distribution, Epsilon, Probability, Ratio, Response};

/// ε and δ as they were written.
pub(super) fn promised(epsilon: &str, delta: Option<&str>) -> Result<(Epsilon, Option<Delta>), String> {
    let read_epsilon = Epsilon::parse(epsilon).map_err(|error| format!("epsilon: {error}"))?;
    let read_delta =
        delta.map(|delta| Delta::parse(delta).map_err(|error| format!("delta: {error}"))).transpose()?;
    Ok((read_epsilon, read_delta))
}

/// The response over a distribution.
pub(super) fn response(strength: &Strength, distribution: Distribution) -> Result<Response, String> {
    let certain = || Probability::parse("1").map_err(|error| error.to_string());
    match strength {
        // A table is the whole noise; so is one that an ε is claimed for.
        Strength::Whole if !distribution.is_static() => Ok(Response::new(certain()?, distribution)),
        Strength::Whole => Err("how strong is the noise? Give a probability, or an epsilon".to_owned()),
        Strength::Probability(p) => {
            let p = Probability::parse(p).map_err(|error| format!("probability: {error}"))?;
            Ok(Response::new(p, distribution))
        }
        Strength::Epsilon { epsilon, delta } => {
            let (epsilon, delta) = promised(epsilon, delta.as_deref())?;
            match distribution.is_static() {
                true => Response::of_epsilon(&epsilon, delta.as_ref(), distribution)
                    .map_err(|error| error.to_string()),
                false => Ok(Response::new(certain()?, distribution)),
            }
        }
    }
}

/// What noise costs. Where an ε was promised it must be kept; without one it is what the noise gives away. `None` where nothing bounds it.
pub(super) fn cost(
    strength: &Strength,
    ratio: &LikelihoodRatio,
    delta_at: impl FnOnce(&Ratio) -> Option<Ratio>,
) -> Result<Option<Cost>, String> {
    let Strength::Epsilon { epsilon, delta } = strength else {
        return Ok(ratio.charge().map(Cost::of_response));
    };
    let (epsilon, delta) = promised(epsilon, delta.as_deref())?;
    let power = epsilon.ratio().exp_below().ok_or_else(|| "epsilon: such an ε protects nobody".to_owned())?;
    if let LikelihoodRatio::Finite(found) = ratio
        && *found <= power
    {
        let charged = ratio.charge().unwrap_or_else(|| epsilon.ratio().clone());
        return Ok(Some(Cost::of_response(charged.min(epsilon.ratio().clone()))));
    }
    let found = delta_at(epsilon.ratio()).unwrap_or_else(Ratio::one);
    match delta {
        Some(delta) if found <= *delta.ratio() => Ok(Some(Cost::approximate(epsilon, delta))),
        Some(delta) => Err(format!(
            "(ε, δ) = ({epsilon}, {delta}) is not kept: with this ε the noise has a δ of {:.3e}",
            found.to_f64()
        )),
        None => Err(format!("ε = {epsilon} is not kept: the noise has an ε of {ratio}")),
    }
}

/// What a law is called.
pub(super) fn name(law: &NoiseLaw) -> &'static str {
    match law {
        NoiseLaw::Uniform => "uniform",
        NoiseLaw::Learnt => "learnt",
        NoiseLaw::Weights(_) => "given",
        NoiseLaw::Steps { .. } => "steps",
        NoiseLaw::Kernel(_) => "kernel",
        NoiseLaw::Added { law, .. } => law.name(),
    }
}

//! Noise distributions in documents; without one, it is declared elsewhere.

use super::XmlError;
use super::document::{Element, visible};
use super::read::only;
use crate::operator::{Distribution, Noise, Probability, Step, Tails};
use paravent_core::exact::Fraction;

/// The noise of a `noiseAttribute`.
pub(super) fn read(element: &Element) -> Result<Noise, XmlError> {
    let probability = probability(element, "noiseProbability")?;
    let distribution = match element.children.as_slice() {
        [] => Distribution::Declared,
        [one] => distribution(one)?,
        [_, second, ..] => return Err(second.problem("a noiseAttribute has one distribution")),
    };
    Ok(Noise { probability, distribution })
}

fn distribution(element: &Element) -> Result<Distribution, XmlError> {
    only(element, if element.name == "steps" { &["tails"] } else { &[] })?;
    if !element.text.is_empty() {
        return Err(element.problem(format!("<{}> has a text where values should be", element.name)));
    }
    match element.name.as_str() {
        "learnt" if !element.children.is_empty() => Err(element.problem("<learnt> has no values of its own")),
        "learnt" => Ok(Distribution::Learnt),
        "uniform" => {
            let mut domain = element.children.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            domain.sort();
            unique(element, &domain)?;
            Ok(Distribution::Uniform { domain: (!domain.is_empty()).then_some(domain) })
        }
        "given" => {
            let (absent, there): (Vec<&Element>, Vec<&Element>) =
                element.children.iter().partition(|child| child.name == "missing");
            let missing = match absent.as_slice() {
                [] => None,
                [one] => Some(probability(one, "probability")?),
                [_, second, ..] => return Err(second.problem("a value is named twice")),
            };
            let values =
                there.into_iter().map(|child| Ok((value(child)?, probability(child, "probability")?)));
            let mut values = values.collect::<Result<Vec<_>, XmlError>>()?;
            values.sort_by(|(left, _), (right, _)| left.cmp(right));
            unique(element, &values.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>())?;
            sums_to_one(element, values.iter().map(|(_, probability)| probability).chain(&missing))?;
            Ok(match missing {
                Some(missing) => Distribution::GivenOrMissing { values, missing },
                None => Distribution::Given(values),
            })
        }
        "steps" => steps(element),
        other => {
            Err(element
                .problem(format!("<{other}> is no distribution; write uniform, given, learnt or steps")))
        }
    }
}

fn steps(element: &Element) -> Result<Distribution, XmlError> {
    let tails = match element.get("tails") {
        Some("cyclic") => Tails::Cyclic,
        Some("clamped") => Tails::Clamped,
        _ => return Err(element.problem("<steps> needs tails=\"cyclic\" or tails=\"clamped\"")),
    };
    let (mut domain, mut steps) = (Vec::new(), Vec::new());
    for child in &element.children {
        match child.name.as_str() {
            "value" => domain.push(value(child)?),
            "step" => {
                let by = child.get("by").and_then(|by| by.parse().ok());
                let by = by.ok_or_else(|| child.problem("<step> needs by=\"…\" with a whole number"))?;
                steps.push(Step { by, probability: probability(child, "probability")? });
            }
            other => {
                return Err(child.problem(format!("<{other}> cannot be in <steps>; write value or step")));
            }
        }
    }
    if domain.is_empty() {
        return Err(element.problem("<steps> needs the values of the domain, in their order"));
    }
    unique(element, &domain)?;
    sums_to_one(element, steps.iter().map(|step| &step.probability))?;
    Ok(Distribution::Steps { domain, steps, tails })
}

fn value(element: &Element) -> Result<String, XmlError> {
    match element.name.as_str() {
        "value" if element.children.is_empty() => Ok(element.text.clone()),
        other => Err(element.problem(format!("<{other}> stands where a value should"))),
    }
}

fn probability(element: &Element, name: &str) -> Result<Probability, XmlError> {
    let text =
        element.get(name).ok_or_else(|| element.problem(format!("<{}> needs {name}", element.name)))?;
    Probability::parse(text).map_err(|error| element.problem(error.to_string()))
}

fn unique(element: &Element, values: &[String]) -> Result<(), XmlError> {
    let distinct: std::collections::BTreeSet<&String> = values.iter().collect();
    if distinct.len() == values.len() { Ok(()) } else { Err(element.problem("a value is named twice")) }
}

fn sums_to_one<'a>(
    element: &Element,
    mut all: impl Iterator<Item = &'a Probability>,
) -> Result<(), XmlError> {
    match all.try_fold(Fraction::ZERO, |sum, probability| sum.plus(*probability.value())) {
        Some(Fraction::ONE) => Ok(()),
        _ => Err(element.problem("the probabilities do not sum to 1")),
    }
}

/// A `noiseAttribute`.
pub(super) fn write(attribute: String, noise: &Noise) -> Result<Element, XmlError> {
    let element = Element::new("noiseAttribute").with("attribute", attribute);
    let element = element.with("noiseProbability", probability_text(&noise.probability)?);
    Ok(match &noise.distribution {
        Distribution::Declared => element,
        Distribution::Learnt => element.holding(Element::new("learnt")),
        Distribution::Uniform { domain } => {
            let mut uniform = Element::new("uniform");
            for value in domain.iter().flatten() {
                uniform = uniform.holding(value_element(value)?);
            }
            element.holding(uniform)
        }
        Distribution::Given(values) => element.holding(given(values)?),
        Distribution::GivenOrMissing { values, missing } => {
            let missing = Element::new("missing").with("probability", probability_text(missing)?);
            element.holding(given(values)?.holding(missing))
        }
        Distribution::Steps { domain, steps, tails } => {
            let tails = match tails {
                Tails::Cyclic => "cyclic",
                Tails::Clamped => "clamped",
            };
            let mut moves = Element::new("steps").with("tails", tails);
            for value in domain {
                moves = moves.holding(value_element(value)?);
            }
            for step in steps {
                let probability = probability_text(&step.probability)?;
                moves = moves.holding(
                    Element::new("step").with("by", step.by.to_string()).with("probability", probability),
                );
            }
            element.holding(moves)
        }
    })
}

fn given(values: &[(String, Probability)]) -> Result<Element, XmlError> {
    let mut given = Element::new("given");
    for (value, probability) in values {
        given = given.holding(value_element(value)?.with("probability", probability_text(probability)?));
    }
    Ok(given)
}

fn value_element(value: &str) -> Result<Element, XmlError> {
    if value != value.trim() || visible(value).is_err() || value.contains('\r') {
        return Err(XmlError::unwritable("a value of a noise distribution begins or ends with space"));
    }
    Ok(Element::new("value").saying(value))
}

/// The text of a probability, if reading it gives the same one.
fn probability_text(probability: &Probability) -> Result<String, XmlError> {
    let text = probability.to_string();
    match Probability::parse(&text) {
        Ok(read) if read == *probability => Ok(text),
        _ => Err(XmlError::unwritable("a probability is not shown as the number it is")),
    }
}

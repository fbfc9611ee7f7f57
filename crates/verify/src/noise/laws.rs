//! ε and δ of stated noise, computed again.

use std::collections::BTreeMap;

use super::exact::Rational;
use super::stated::{Law, Redraw, Response, Stated};
use super::steps;
use crate::Check;

/// The least and the greatest probability with which an answer is given, and by how many rows.
struct Answer {
    rows: usize,
    least: Rational,
    most: Rational,
}

/// Whether the stated noise keeps the ε and δ that it promises. An error says why that cannot be told.
pub(super) fn judge(stated: &Stated) -> Result<Check, String> {
    let Some((epsilon, delta)) = &stated.promise else {
        return Err("no ε is promised: the owner let noise pass that none bounds".to_owned());
    };
    let power = epsilon.power_of_e().ok_or_else(|| "an ε above 64 protects nobody".to_owned())?;
    let ratio = match &stated.law {
        Law::Responses(responses) => ratio(responses),
        Law::Added(tails) => steps::ratio(tails),
    };
    let check = |problems: &[String], fine: String| {
        Check::new("epsilon", Some(&stated.column), problems, fine).comparing(
            serde_json::json!({ "epsilon": epsilon.to_f64(), "delta": delta.to_f64() }),
            serde_json::json!({ "epsilon": ratio.as_ref().map(|ratio| ratio.to_f64().ln()) }),
        )
    };
    if let Some(ratio) = &ratio
        && *ratio <= power
    {
        return Ok(check(
            &[],
            format!("ε = {:.6} by the stated probabilities", ratio.to_f64().ln().max(0.0)),
        ));
    }
    if delta.is_zero() {
        let found =
            ratio.as_ref().map_or("no ε".to_owned(), |ratio| format!("an ε of {:.6}", ratio.to_f64().ln()));
        return Ok(check(
            &[format!("the stated probabilities have {found}, which is more than promised")],
            String::new(),
        ));
    }
    let found = match &stated.law {
        Law::Responses(responses) => delta_of(responses, &power)?,
        Law::Added(tails) => steps::delta(tails, &power)?,
    };
    let problems = match found <= *delta {
        true => vec![],
        false => vec![format!(
            "with this ε the stated probabilities have a δ of {:.3e}, which is more than promised",
            found.to_f64()
        )],
    };
    Ok(check(&problems, format!("δ = {:.3e} with this ε by the stated probabilities", found.to_f64())))
}

/// The probabilities of the answers that a row can give, by answer; equal rows of static noise are told by their own answer.
fn row(response: &Response, from: usize) -> BTreeMap<usize, Rational> {
    let kept = Rational::whole(1).less(&response.p);
    let mut row: BTreeMap<usize, Rational> = match &response.redraw {
        Redraw::Weights(weights) => {
            (0..).zip(weights).map(|(to, weight)| (to, response.p.times(weight))).collect()
        }
        Redraw::Kernel(rows) => {
            rows[from].iter().map(|(to, weight)| (*to, response.p.times(weight))).collect()
        }
    };
    let own = row.entry(from).or_insert_with(|| Rational::whole(0));
    *own = own.plus(&kept);
    row.retain(|_, weight| !weight.is_zero());
    row
}

fn values(response: &Response) -> usize {
    match &response.redraw {
        Redraw::Weights(weights) => weights.len(),
        Redraw::Kernel(rows) => rows.len(),
    }
}

/// The greatest ratio of likelihoods over all rows of all matrices; `None` where an answer rules a value out.
fn ratio(responses: &[Response]) -> Option<Rational> {
    let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
    let mut rows = 0;
    let mut see = |to: usize, weight: Rational, times: usize| {
        let answer = answers.entry(to).or_insert_with(|| Answer {
            rows: 0,
            least: weight.clone(),
            most: weight.clone(),
        });
        answer.rows += times;
        if weight < answer.least {
            answer.least = weight.clone();
        }
        if weight > answer.most {
            answer.most = weight;
        }
    };
    for response in responses {
        let values = values(response);
        rows += values;
        match &response.redraw {
            // All rows but one give an answer with the same probability.
            Redraw::Weights(weights) => {
                let kept = Rational::whole(1).less(&response.p);
                for (to, weight) in weights.iter().enumerate() {
                    let redrawn = response.p.times(weight);
                    let own = redrawn.plus(&kept);
                    if !own.is_zero() {
                        see(to, own, 1);
                    }
                    if values > 1 && !redrawn.is_zero() {
                        see(to, redrawn, values - 1);
                    }
                }
            }
            Redraw::Kernel(_) => {
                for from in 0..values {
                    row(response, from).into_iter().for_each(|(to, weight)| see(to, weight, 1));
                }
            }
        }
    }
    let mut worst = Rational::whole(1);
    for answer in answers.values() {
        if answer.rows < rows {
            return None;
        }
        worst = worst.max(answer.most.over(&answer.least)?);
    }
    Some(worst)
}

/// More values take too long to compare pair by pair.
const MOST_ROWS: usize = 64;

/// The greatest sum over answers of what one row has more than `power` times another.
fn delta_of(responses: &[Response], power: &Rational) -> Result<Rational, String> {
    let rows: Vec<BTreeMap<usize, Rational>> =
        responses.iter().flat_map(|response| (0..values(response)).map(|from| row(response, from))).collect();
    if rows.len() > MOST_ROWS {
        return Err(format!("more than {MOST_ROWS} values take too long to compare pair by pair"));
    }
    let nothing = Rational::whole(0);
    let mut worst = Rational::whole(0);
    for one in &rows {
        for other in &rows {
            let more =
                one.iter().map(|(to, weight)| weight.less(&power.times(other.get(to).unwrap_or(&nothing))));
            worst = worst.max(more.fold(Rational::whole(0), |sum, more| sum.plus(&more)));
        }
    }
    Ok(worst)
}

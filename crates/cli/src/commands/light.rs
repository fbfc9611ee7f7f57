//! The verdict over a release, in the words that all commands share.

use crate::answer::Answer;
use paravent_pipeline::report::{Light, tells_of_singled_out};
use serde_json::Value;

/// What can be done about columns that single people out.
pub const ADVICE: &str = "Leave these columns out, or make them quasi-identifiers";

/// The colour in words.
pub fn words(light: Option<Light>, singles_people_out: bool) -> &'static str {
    match light {
        Some(Light::Green) => "green: every promise holds, and few are singled out otherwise",
        Some(Light::Yellow) if !singles_people_out => "yellow: every promise holds, but see the warnings",
        Some(Light::Yellow) => {
            "yellow: every promise holds, but columns released as they are single people out"
        }
        Some(Light::Red) => "red: see below",
        None => "not known",
    }
}

/// Adds the verdict that the document of a release has to what a command says of it. A colour other than green is told with its reasons, a
/// yellow one also on standard error.
pub fn add(mut answer: Answer, document: &Value) -> Answer {
    let verdict = &document["verdict"];
    let light = match verdict["light"].as_str() {
        Some("green") => Light::Green,
        Some("yellow") => Light::Yellow,
        Some("red") => Light::Red,
        _ => return answer,
    };
    let reasons = verdict["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let reasons: Vec<&str> = reasons.collect();
    let singles_out = reasons.iter().any(|reason| tells_of_singled_out(reason));
    answer.text.push_str(&format!("Verdict  {}\n", words(Some(light), singles_out)));
    let advice = if singles_out { format!(". {ADVICE}") } else { String::new() };
    let reasons = reasons.join("; ");
    match light {
        Light::Green => {}
        Light::Yellow => {
            answer.text.push_str(&format!("No green verdict: {reasons}{advice}.\n"));
            answer.alarm = Some(format!("{reasons}{advice}"));
        }
        Light::Red => answer.text.push_str(&format!("Do not hand it out: {reasons}.\n")),
    }
    answer.json["verdict"] = verdict.clone();
    answer
}

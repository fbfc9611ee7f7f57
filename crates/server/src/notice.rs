//! What an answer says about itself, in a line.

use serde_json::Value;

/// The summary of an annotation. The whole of it is in `paravent.annotation`.
pub(crate) fn summary(annotation: &Value, rows: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for operator in list(&annotation["operators"]) {
        for figure in list(&operator["figures"]) {
            if let (Some(name), Some(width)) = (figure["name"].as_str(), figure["half_width"].as_str()) {
                parts.push(format!("{name} ± {width} (95 %)"));
            }
        }
        if let (Some(epsilon), Some(left)) = (operator["epsilon"].as_str(), operator["left"].as_str()) {
            parts.push(format!("cost ε = {epsilon}, left when it was given: {left}"));
        }
        match operator["type"].as_str() {
            Some("threshold") => parts.push("exact figures, held against earlier ones".to_owned()),
            Some("generalize") => parts.push("rows on labels".to_owned()),
            _ => {}
        }
    }
    if rows == 0 && annotation["truthful"] == true {
        parts.push("withheld".to_owned());
    }
    if annotation["cached"] == true {
        parts.push("given before, at no cost".to_owned());
    }
    let rules: Vec<String> = list(&annotation["policy"]["rules_used"])
        .iter()
        .filter_map(|rule| rule.as_str().map(str::to_owned))
        .collect();
    parts.push(format!("rules: {}", rules.join(", ")));
    parts.join("; ")
}

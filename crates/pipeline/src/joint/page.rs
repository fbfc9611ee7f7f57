//! The report of a joint release for people: the same facts in tables.

use serde_json::Value;

/// The whole page.
pub(super) fn page(document: &Value) -> String {
    let mut body = String::new();
    section("", document, &mut body);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Joint release</title>\n<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}table{{border-collapse:collapse;margin:.5rem 0}}td,th{{border:1px solid #bbb;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}}</style></head>\n<body><h1>A release that several parties made together</h1>\n{body}</body></html>\n"
    )
}

fn section(title: &str, value: &Value, to: &mut String) {
    match value {
        Value::Object(entries) => {
            if !title.is_empty() {
                to.push_str(&format!("<h2>{}</h2>\n", escaped(&title.replace('_', " "))));
            }
            let (plain, nested): (Vec<_>, Vec<_>) =
                entries.iter().partition(|(_, value)| !value.is_object() && !value.is_array());
            if !plain.is_empty() {
                to.push_str("<table>\n");
                for (key, value) in plain {
                    to.push_str(&format!(
                        "<tr><th>{}</th><td>{}</td></tr>\n",
                        escaped(&key.replace('_', " ")),
                        escaped(&text(value))
                    ));
                }
                to.push_str("</table>\n");
            }
            nested.into_iter().for_each(|(key, value)| section(key, value, to));
        }
        Value::Array(entries) => {
            to.push_str(&format!("<h2>{}</h2>\n<table>\n", escaped(&title.replace('_', " "))));
            for entry in entries {
                let cells: Vec<String> = match entry {
                    Value::Object(fields) => fields.values().map(text).collect(),
                    other => vec![text(other)],
                };
                let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
                to.push_str(&format!("<tr>{cells}</tr>\n"));
            }
            to.push_str("</table>\n");
        }
        plain => to.push_str(&format!("<p>{}: {}</p>\n", escaped(title), escaped(&text(plain)))),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key} {}", text(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

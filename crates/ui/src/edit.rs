//! Changes of single keys of a job file, which leave its comments and its order alone.

use crate::wire::{Change, Step};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is no TOML; it has to be mended as text first.
    #[error("the job file is no TOML at the moment; mend its text first")]
    NoToml,
    /// The way leads nowhere.
    #[error("the job has no place {0}")]
    NoPlace(String),
    /// JSON that TOML cannot say.
    #[error("this cannot be written into a job file")]
    NoValue,
}

/// The text with the changes made, one after the other.
///
/// # Errors
/// If the text is no TOML, or a change has no place in it.
pub fn apply(text: &str, changes: &[Change]) -> Result<String, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|_| EditError::NoToml)?;
    for change in changes {
        let (last, way) = change.path.split_last().ok_or_else(|| EditError::NoPlace(String::new()))?;
        let no_place = || EditError::NoPlace(spelled(&change.path));
        let mut item = document.as_item_mut();
        for (step, next) in way.iter().zip(change.path.iter().skip(1)) {
            item = descend(item, step, next).ok_or_else(no_place)?;
        }
        put(item, last, &change.value)?.ok_or_else(no_place)?;
    }
    Ok(document.to_string())
}

/// The keys as JSON; `null` for a text that is no TOML.
pub fn keys(text: &str) -> Json {
    let Ok(document) = text.parse::<DocumentMut>() else { return Json::Null };
    json_of_table(document.as_table())
}

/// Keys whose values name files, folders or servers.
const PLACES: [&str; 6] = ["path", "file", "population", "register", "url", "table"];

/// All places that a job names, so that new ones can be told.
pub fn places(keys: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(keys, &mut found);
    found
}

fn collect(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::Object(table) => {
            for (key, value) in table {
                match value {
                    Json::String(text) if PLACES.contains(&key.as_str()) => {
                        found.insert(text.clone());
                    }
                    other => collect(other, found),
                }
            }
        }
        Json::Array(entries) => entries.iter().for_each(|entry| collect(entry, found)),
        _ => {}
    }
}

fn spelled(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.push_str(&format!(".{key}")),
        }
    }
    text
}

/// One step into an item. A table that is not there is made, where the way leads on with a key.
fn descend<'a>(item: &'a mut Item, step: &Step, next: &Step) -> Option<&'a mut Item> {
    match step {
        Step::Key(key) => {
            let table = item.as_table_like_mut()?;
            if !table.contains_key(key) {
                match next {
                    Step::Key(_) => table.insert(key, Item::Table(Table::new())),
                    Step::Index(_) => table.insert(key, Item::Value(Value::Array(Array::new()))),
                };
            }
            table.get_mut(key)
        }
        Step::Index(index) => item.get_mut(*index),
    }
}

/// Sets, adds or removes. `None`: there is no such place.
fn put(item: &mut Item, last: &Step, value: &Json) -> Result<Option<()>, EditError> {
    match last {
        Step::Key(key) => {
            let Some(table) = item.as_table_like_mut() else { return Ok(None) };
            if value.is_null() {
                table.remove(key);
                return Ok(Some(()));
            }
            let mut new = toml(value)?;
            match table.get_mut(key) {
                // What is written behind the value stays there.
                Some(Item::Value(old)) => {
                    *new.decor_mut() = old.decor().clone();
                    *old = new;
                }
                _ => {
                    table.insert(key, Item::Value(new));
                }
            }
            Ok(Some(()))
        }
        Step::Index(index) => Ok(match item {
            Item::Value(Value::Array(array)) => entry(array, *index, value)?,
            Item::ArrayOfTables(tables) if value.is_null() && *index < tables.len() => {
                tables.remove(*index);
                Some(())
            }
            Item::ArrayOfTables(tables) if *index == tables.len() => {
                let Json::Object(keys) = value else { return Err(EditError::NoValue) };
                let mut table = Table::new();
                for (key, value) in keys {
                    table.insert(key, Item::Value(toml(value)?));
                }
                tables.push(table);
                Some(())
            }
            _ => None,
        }),
    }
}

fn entry(array: &mut Array, index: usize, value: &Json) -> Result<Option<()>, EditError> {
    if index > array.len() || (value.is_null() && index == array.len()) {
        return Ok(None);
    }
    if value.is_null() {
        array.remove(index);
        return Ok(Some(()));
    }
    let mut new = toml(value)?;
    if index == array.len() {
        // As the one before it: on a line of its own, or not.
        let on_lines = array.trailing().as_str().is_some_and(|end| end.contains('\n'))
            || array.iter().any(|one| {
                one.decor()
                    .prefix()
                    .and_then(|prefix| prefix.as_str())
                    .is_some_and(|text| text.contains('\n'))
            });
        if on_lines {
            new.decor_mut().set_prefix("\n  ");
            array.set_trailing_comma(true);
            array.push_formatted(new);
        } else {
            array.push(new);
        }
    } else if let Some(old) = array.get_mut(index) {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    }
    Ok(Some(()))
}

fn toml(value: &Json) -> Result<Value, EditError> {
    Ok(match value {
        Json::Null => return Err(EditError::NoValue),
        Json::Bool(yes) => Value::from(*yes),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(decimal)) => Value::from(decimal),
            _ => return Err(EditError::NoValue),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(entries) => Value::Array(entries.iter().map(toml).collect::<Result<Array, _>>()?),
        Json::Object(keys) => {
            let mut table = InlineTable::new();
            for (key, value) in keys {
                table.insert(key, toml(value)?);
            }
            Value::InlineTable(table)
        }
    })
}

fn json_of_table(table: &Table) -> Json {
    Json::Object(table.iter().map(|(key, item)| (key.to_owned(), json_of_item(item))).collect())
}

fn json_of_item(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => json_of_table(table),
        Item::ArrayOfTables(tables) => Json::Array(tables.iter().map(json_of_table).collect()),
    }
}

fn json_of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        // As it is written: 0.05 stays 0.05.
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(yes) => Json::from(*yes.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(entries) => Json::Array(entries.iter().map(json_of_value).collect()),
        Value::InlineTable(table) => {
            Json::Object(table.iter().map(|(key, value)| (key.to_owned(), json_of_value(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "# a job\nversion = 1\n\n[[attributes]]\nname = \"age\"   # years\nrole = \"insensitive\" # not yet\n\n\
                        [privacy]\nmodels = [\n  { model = \"a\", k = 5 },  # five\n]\n";

    fn change(path: Json, value: Json) -> Change {
        serde_json::from_value(json!({ "path": path, "value": value })).unwrap()
    }

    #[test]
    fn a_changed_key_keeps_its_neighbours_and_comments() {
        let changes = [change(json!(["attributes", 0, "role"]), json!("quasi-identifier"))];
        let text = apply(TEXT, &changes).unwrap();
        assert_eq!(text, TEXT.replace("\"insensitive\"", "\"quasi-identifier\""));
    }

    #[test]
    fn keys_are_added_and_removed() {
        let changes = [
            change(json!(["attributes", 0, "max_level"]), json!(2)),
            change(json!(["privacy", "models", 1]), json!({ "model": "b", "l": 3 })),
            change(json!(["search", "metric"]), json!("loss")),
            change(json!(["privacy", "models", 0, "k"]), json!(7)),
        ];
        let text = apply(TEXT, &changes).unwrap();
        let keys = keys(&text);
        assert_eq!(keys["attributes"][0]["max_level"], 2);
        assert_eq!(keys["privacy"]["models"], json!([{ "model": "a", "k": 7 }, { "model": "b", "l": 3 }]));
        assert_eq!(keys["search"]["metric"], "loss");
        assert!(text.contains("# five") && text.contains("# years"), "{text}");
        let back = [
            change(json!(["attributes", 0, "max_level"]), Json::Null),
            change(json!(["privacy", "models", 1]), Json::Null),
            change(json!(["attributes", 1]), json!({ "name": "sex", "role": "sensitive" })),
        ];
        let text = apply(&text, &back).unwrap();
        assert!(!text.contains("max_level") && text.contains("name = \"sex\""), "{text}");
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let refused = |path, value| apply(TEXT, &[change(path, value)]).unwrap_err();
        assert_eq!(
            refused(json!(["attributes", 7, "role"]), json!("x")),
            EditError::NoPlace("attributes[7].role".into())
        );
        assert_eq!(refused(json!(["version", "x"]), json!(1)), EditError::NoPlace("version.x".into()));
        assert_eq!(
            refused(json!(["privacy", "models", 9]), json!(1)),
            EditError::NoPlace("privacy.models[9]".into())
        );
        assert_eq!(apply("a = [", &[]).unwrap_err(), EditError::NoToml);
        assert_eq!(keys("a = ["), Json::Null);
    }

    #[test]
    fn all_places_are_found() {
        let keys = json!({ "input": { "path": "a.csv" }, "attributes": [{ "name": "x", "hierarchy": { "chain": [{ "file": "h.csv" }] } }],
                           "privacy": { "models": [{ "population": "p.csv" }] }, "output": { "path": "r", "register": true } });
        assert_eq!(places(&keys), ["a.csv", "h.csv", "p.csv", "r"].map(str::to_owned).into());
    }
}

//! How a statement may go on: words for an editor.

use super::FUNCTIONS;
use std::collections::BTreeMap;

const KEYWORDS: [&str; 36] = [
    "AND",
    "AS",
    "ASC",
    "AVG",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COUNT",
    "DESC",
    "DESCRIBE",
    "DISTINCT",
    "ELSE",
    "END",
    "EXCEPT",
    "EXPLAIN",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INTERSECT",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "SELECT",
    "SET",
    "UNION",
    "WHERE",
    "WITH",
];

/// The words that the word before `position` may become, and where it starts. Inside a call its arguments come first.
pub fn complete(line: &str, position: usize, tables: &BTreeMap<String, Vec<String>>) -> (usize, Vec<String>) {
    let Some(before) = line.get(..position) else { return (position, Vec::new()) };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let start =
        before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(position, |(at, _)| at);
    let word = before[start..].to_lowercase();
    let mut words: Vec<String> = Vec::new();
    if wants_table(&before[..start]) {
        let functions = FUNCTIONS.iter().map(|function| format!("{}(", function.name));
        words.extend(tables.keys().map(|name| quoted(name)).chain(functions));
        words.retain(|candidate| candidate.trim_start_matches('"').to_lowercase().starts_with(&word));
        return (start, words);
    }
    if let Some(function) = calling(&before[..start]) {
        words.extend(function.arguments.iter().map(|argument| format!("{} => ", argument.name)));
    }
    let mut names: Vec<String> = tables.keys().map(|name| quoted(name)).collect();
    names.extend(tables.values().flatten().map(|name| quoted(name)));
    names.sort();
    words.append(&mut names);
    words.extend(FUNCTIONS.iter().map(|function| format!("{}(", function.name)));
    words.extend(["paravent.rules", "paravent.partial", "paravent.seed"].map(str::to_owned));
    words.extend(KEYWORDS.map(str::to_owned));
    words.retain(|candidate| candidate.trim_start_matches('"').to_lowercase().starts_with(&word));
    let mut seen = Vec::new();
    words.retain(|candidate| {
        let new = !seen.contains(candidate);
        seen.push(candidate.clone());
        new
    });
    (start, words)
}

/// Whether a table comes next: after FROM or JOIN and the commas behind them, and as the first argument of a relation function.
fn wants_table(before: &str) -> bool {
    let head = before.trim_end();
    let first_argument = head.strip_suffix('(').is_some_and(|head| {
        let name =
            head.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        FUNCTIONS.iter().any(|function| function.name.eq_ignore_ascii_case(name))
    });
    let is_keyword =
        |word: &str, keywords: &[&str]| keywords.iter().any(|known| word.eq_ignore_ascii_case(known));
    let mut words = head.rsplit(|c: char| c.is_whitespace()).filter(|word| !word.is_empty());
    match head.ends_with(',') {
        false => first_argument || words.next().is_some_and(|word| is_keyword(word, &["from", "join"])),
        // `FROM a, b AS c,`: nothing but names since FROM.
        true => {
            const OTHERS: [&str; 12] = [
                "select", "where", "on", "using", "group", "order", "having", "by", "set", "with", "and",
                "or",
            ];
            let plain = |word: &&str| !word.contains(['(', ')', '=', '\'']) && !is_keyword(word, &OTHERS);
            words.take_while(plain).any(|word| is_keyword(word, &["from", "join"]))
        }
    }
}

/// The function whose parentheses are open here, looking outwards.
fn calling(before: &str) -> Option<&'static super::RelationFunction> {
    let mut open = Vec::new();
    let mut in_text = false;
    for (at, c) in before.char_indices() {
        match c {
            '\'' => in_text = !in_text,
            '(' if !in_text => open.push(at),
            ')' if !in_text => drop(open.pop()),
            _ => {}
        }
    }
    let name = |at: &usize| {
        let head = before[..*at].trim_end();
        let start = head.char_indices().rev().take_while(|(_, c)| c.is_alphanumeric() || *c == '_').last();
        start.map_or("", |(start, _)| &head[start..]).to_lowercase()
    };
    // Inside the list of an argument columns are wanted, inside a query anything.
    let innermost = open.last().map(name)?;
    FUNCTIONS.iter().find(|function| function.name == innermost)
}

/// As a statement must write it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '_';
    match name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> BTreeMap<String, Vec<String>> {
        let columns = ["age", "Marital Status", "sex"].map(str::to_owned).to_vec();
        BTreeMap::from([("patients".to_owned(), columns)])
    }

    fn words(line: &str) -> Vec<String> {
        complete(line, line.len(), &tables()).1
    }

    #[test]
    fn words_go_on_as_tables_columns_functions_and_keywords() {
        assert_eq!(words("SELECT * FROM pat"), ["patients"]);
        assert_eq!(words("SELECT se"), ["sex", "SELECT", "SET"]);
        assert_eq!(words("SELECT mar"), ["\"Marital Status\""]);
        assert_eq!(words("SELECT * FROM gen"), ["generalize("]);
        assert_eq!(complete("SET paravent.pa", 15, &tables()), (4, vec!["paravent.partial".to_owned()]));
    }

    #[test]
    fn inside_a_call_its_arguments_come_first() {
        assert_eq!(words("SELECT * FROM generalize(patients, q"), ["quasi => "]);
        assert_eq!(words("SELECT * FROM slice(generalize(patients, k => 5), gr")[0], "groups => ");
        assert!(!words("SELECT * FROM generalize((SELECT ').' FROM q").contains(&"quasi => ".to_owned()));
        assert_eq!(words("SELECT * FROM generalize(patients, quasi => (a")[0], "age");
    }

    #[test]
    fn tables_are_offered_where_a_table_belongs() {
        for line in [
            "SELECT * FROM ",
            "SELECT * FROM patients AS p, ",
            "SELECT age FROM patients JOIN ",
            "select 1 from generalize( ",
        ] {
            let words = words(line);
            assert_eq!(words[0], "patients", "{line}");
            assert!(!words.contains(&"age".to_owned()), "{line}: {words:?}");
        }
        assert_eq!(words("SELECT * FROM s"), ["slice("]);
        for line in [
            "SELECT age, ",
            "SELECT age FROM patients WHERE age IN (1, ",
            "SELECT a FROM patients ORDER BY age, ",
        ] {
            assert!(words(line).contains(&"age".to_owned()), "{line}");
        }
    }

    #[test]
    fn positions_inside_a_character_give_nothing() {
        assert_eq!(complete("é", 1, &tables()), (1, Vec::new()));
    }
}

//! The columns of all tiny relations, and how their values are generalized.

use std::sync::Arc;

/// Chains of labels from the value up, by column.
const CHAINS: &[(&str, &[&str])] = &[
    (
        "day",
        &[
            "01.01. Jan Q1 *",
            "02.01. Jan Q1 *",
            "05.01. Jan Q1 *",
            "31.01. Jan Q1 *",
            "14.02. Feb Q1 *",
            "20.02. Feb Q1 *",
            "20.03. Mar Q1 *",
            "25.03. Mar Q1 *",
            "26.03. Mar Q1 *",
            "31.03. Mar Q1 *",
            "01.04. Apr Q2 *",
            "05.05. May Q2 *",
            "03.01. Jan Q1 *",
            "15.02. Feb Q1 *",
        ],
    ),
    ("group", &["00 O any", "A0 A any", "AA A any", "B0 B any", "BB B any", "AB X any"]),
    ("rhesus", &["+ ±", "- ±"]),
    (
        "age",
        &[
            "18 18-31 18-45 18-73",
            "24 18-31 18-45 18-73",
            "32 32-45 18-45 18-73",
            "36 32-45 18-45 18-73",
            "56 46-59 46-73 18-73",
        ],
    ),
];

/// The values of a column, and the labels above each of them.
pub fn hierarchy_of(column: &str) -> Option<Vec<Vec<&'static str>>> {
    let (_, chains) = CHAINS.iter().find(|(name, _)| *name == column)?;
    Some(chains.iter().map(|chain| chain.split(' ').collect()).collect())
}

/// The values that a column can have.
pub fn domain(column: &str) -> Vec<&'static str> {
    match hierarchy_of(column) {
        Some(chains) => chains.into_iter().map(|chain| chain[0]).collect(),
        None => vec!["1", "2", "3", "4", "5", "6"],
    }
}

/// A value or label on a level: it is lifted where the level is above its own, and never lowered.
pub fn chain(column: &str, cell: &str, level: usize) -> Option<Arc<str>> {
    let chains = hierarchy_of(column)?;
    for own in 0..chains[0].len() {
        if let Some(chain) = chains.iter().find(|chain| chain[own] == cell) {
            return Some(Arc::from(chain[level.max(own)]));
        }
    }
    None
}

/// Every hierarchy as a file: name and text.
pub fn hierarchy_files() -> impl Iterator<Item = (&'static str, String)> {
    CHAINS.iter().map(|(name, chains)| {
        (*name, chains.iter().map(|chain| chain.replace(' ', ";") + "\n").collect::<String>())
    })
}

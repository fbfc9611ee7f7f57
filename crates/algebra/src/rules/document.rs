//! The catalogue as a page.

use super::{Card, Kind, catalogue};
use std::fmt::Write;

/// The page `docs/rules.md`: a table of all rules, then a section for each.
pub fn document() -> String {
    let cards: Vec<&Card> = catalogue().iter().map(|rule| rule.card()).collect();
    let mut page = String::from(OPENING);
    page.push_str("| rule | statement | direction | kind | safe |\n| --- | --- | --- | --- | --- |\n");
    for card in &cards {
        let _ = writeln!(
            page,
            "| [{id}](#{anchor}) | `{statement}` | {direction} | {kind} | {safe} |",
            id = card.id,
            anchor = card.id.to_lowercase(),
            statement = escaped(card.statement),
            direction = card.direction.sign(),
            kind = card.kind.sign(),
            safe = card.safe.in_words(),
        );
    }
    for card in &cards {
        section(&mut page, card);
    }
    page
}

const OPENING: &str = "\
# Rewrite rules

This page is made from the catalogue in the code: `paravent rewrite --rules --markdown` prints it, and
`PARAVENT_BLESS=1 cargo test -p paravent-algebra --test document` writes it anew.

r is a relation with the columns R. α^G[X, a] generalizes the columns X until every combination of their values occurs at least a times; α^S_V permutes the
column groups V inside hidden buckets; α^D_P redraws cells with the probabilities P. π keeps duplicates, ∪ is UNION ALL. → allows replacing the left side by
the right one, ← the reverse, ↔ both. ⇔ means the same rows (for random operators the same distribution of rows); ≈ means the same columns, the same number of rows
and the same values in everything that is not anonymized, while other labels or another mixture may come out. *Safe* says whether the guarantee holds afterwards
without looking again. A rule without a direction does not hold; it is listed with its counter-example.

Every rule is tried on random plans over tiny relations, with its condition kept and with its condition broken, and both sides are compared by listing all outcomes. So many
plans per family (G, S, D): `PARAVENT_PLANS=10000 cargo test --release -p paravent-algebra --test rules_random -- --nocapture`.

";

fn section(page: &mut String, card: &Card) {
    let _ = writeln!(page, "\n## {}\n\n`{}`\n", card.id, card.statement);
    let _ = writeln!(page, "- Direction: {}", card.direction.in_words());
    let _ = writeln!(page, "- Kind: {}", card.kind.sign());
    let _ = writeln!(page, "- Safe: {}", card.safe.in_words());
    if !card.condition.is_empty() {
        let _ = writeln!(page, "- Condition: {}", card.condition);
    }
    let label = if card.kind == Kind::None { "Counter-example" } else { "Example" };
    let _ = writeln!(page, "- {label}: {}", card.example);
    let _ = writeln!(page, "- Source: {}", card.source);
}

/// `|r|` would end a cell of the table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

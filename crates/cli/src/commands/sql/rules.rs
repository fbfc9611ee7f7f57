//! `paravent rewrite --rules`: the catalogue.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::layout::{Columns, wrapped};
use crate::paint::Paint;
use paravent_algebra::rules::{
    Card, Choice, Direction, Kind, Rule, Switches, Way, catalogue, document, rewriter_name,
};
use serde_json::{Value, json};

/// Characters per line.
const WIDTH: usize = 110;

const LEGEND: &str = "\
→ ← ↔ which side may be replaced by which · ⇔ the same result · ≈ the same rows, other labels or another mixture
safe: the guarantee holds afterwards without looking again · paravent rewrite --rules G14 shows a rule completely
";

/// All rules, or those that are named: ids, families, DP01 to DP05.
pub fn show(names: &[String], markdown: bool, paint: Paint) -> Result<Answer, Failure> {
    let rules = named(names)?;
    let json: Value = rules.iter().map(|rule| card_json(rule.card())).collect();
    let single = names.iter().any(|name| name.parse::<Choice>().is_ok());
    let text = match (markdown, single) {
        (true, _) if names.is_empty() => document(),
        (true, _) => {
            let message = "--markdown is the whole page; write --rules --markdown".to_owned();
            return Err(Failure::Usage { message });
        }
        (false, true) => {
            rules.iter().map(|rule| card_text(rule.card(), paint)).collect::<Vec<String>>().join("\n")
        }
        (false, false) => table(&rules),
    };
    Ok(Answer::of_text(text, json))
}

fn named(names: &[String]) -> Result<Vec<&'static dyn Rule>, Failure> {
    let words = names.iter().flat_map(|name| name.split(',')).map(str::trim).filter(|name| !name.is_empty());
    let words: Vec<&str> = words.collect();
    if words.is_empty() {
        return Ok(catalogue());
    }
    let switches: Switches = format!("none,{}", words.join(","))
        .parse()
        .map_err(|error| Failure::Usage { message: format!("--rules: {error}") })?;
    Ok(switches.rules())
}

/// The other names of a rule, each with its way.
fn other_names(card: &Card) -> Vec<(&'static str, Way)> {
    let ways = [Way::LeftToRight, Way::RightToLeft];
    ways.into_iter().filter_map(|way| Some((rewriter_name(card.id, way)?, way))).collect()
}

fn card_json(card: &Card) -> Value {
    let Card { id, statement, direction, kind, safe, condition, source, example } = *card;
    let holds = kind != Kind::None;
    let names: Vec<&str> = other_names(card).into_iter().map(|(name, _)| name).collect();
    json!({
        "id": id,
        "kind": kind,
        "direction": direction,
        "safe": safe,
        "statement": statement,
        "condition": condition,
        "source": source,
        "example": holds.then_some(example),
        "counter_example": (!holds).then_some(example),
        "names": names,
    })
}

fn table(rules: &[&'static dyn Rule]) -> String {
    let mut columns = Columns::default();
    columns.row(["rule", "", "kind", "safe", "statement"]);
    for card in rules.iter().map(|rule| rule.card()) {
        let direction = if card.direction == Direction::None { "" } else { card.direction.sign() };
        columns.row([card.id, direction, card.kind.sign(), card.safe.in_words(), card.statement]);
    }
    format!("{}\n{LEGEND}", columns.render())
}

fn card_text(card: &Card, paint: Paint) -> String {
    let label = if card.kind == Kind::None { "Counter-example" } else { "Example" };
    let kind = format!("{}, {}", card.kind.sign(), card.kind.in_words());
    let names: Vec<String> = other_names(card).iter().map(|(name, way)| format!("{name} ({way})")).collect();
    let lines = [
        ("Direction", card.direction.in_words()),
        ("Kind", kind.as_str()),
        ("Safe", card.safe.in_words()),
        ("Condition", if card.condition.is_empty() { "none" } else { card.condition }),
        (label, card.example),
        ("Source", card.source),
        ("Also called", &names.join(", ")),
    ];
    let lines = lines.into_iter().filter(|(_, value)| !value.is_empty());
    let widest = label.len().max("Also called".len());
    let line =
        |(name, value): (&str, &str)| format!("  {name:widest$}  {}\n", wrapped(value, widest + 4, WIDTH));
    let body: String = lines.map(line).collect();
    format!("{}  {}\n\n{body}", paint.strong(card.id), card.statement)
}

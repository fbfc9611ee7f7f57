//! The outcomes for people.

use crate::layout::{Columns, count, counted, short};
use crate::paint::Paint;
use paravent_evidence::attack::self_test::Trial;
use paravent_evidence::attack::{Outcome, Severity, Unit};
use paravent_pipeline::evidence::attack::Attacked;
use std::path::Path;

/// Threat, result, figure, bound; what remains; then what each takes for granted, and what was not tried.
pub fn attacked(attacked: &Attacked, release: Option<&Path>, paint: Paint) -> String {
    let mut text = String::new();
    if let Some(release) = release {
        let (rows, classes) = (count(attacked.rows), count(attacked.classes));
        text.push_str(&format!("{}: {rows} rows in {classes} classes\n", paint.strong(release.display())));
    }
    for given in &attacked.given {
        text.push_str(&format!("  given: {given}\n"));
    }
    for warning in &attacked.warnings {
        text.push_str(&format!("  {} {warning}\n", paint.careful("warning:")));
    }
    text.push_str(&format!("  seed: {}\n\n", attacked.seed));
    let mut table = Columns::default();
    table.row(["threat", "result", "figure", "bound", ""]);
    for outcome in &attacked.outcomes {
        table.row([
            name(outcome),
            outcome.severity.name().to_owned(),
            figure(outcome),
            bound(outcome),
            outcome.figure.what.to_owned(),
        ]);
    }
    text.push_str(&painted(&table.render(), paint));
    for outcome in attacked.outcomes.iter().filter(|outcome| outcome.succeeded()) {
        text.push_str(&format!("\n{}: {}\n", paint.strong(name(outcome)), outcome.result));
        for finding in outcome.findings.iter().take(3) {
            text.push_str(&format!("  {}: {}\n", finding.class.join(", "), finding.text));
        }
        if outcome.findings.len() > 3 {
            text.push_str("  …\n");
        }
    }
    let mut assumed = Columns::default();
    let mut told = None;
    for outcome in &attacked.outcomes {
        // Several columns or tables of one attack follow each other.
        if told != Some(outcome.attack) {
            assumed.row([outcome.attack.name(), outcome.assumption]);
        }
        told = Some(outcome.attack);
    }
    text.push_str(&format!("\n{}\n{}", paint.strong("What each takes for granted"), assumed.render()));
    if !attacked.not_run.is_empty() {
        let mut missing = Columns::default();
        attacked.not_run.iter().for_each(|missed| missing.row([missed.attack.name(), missed.needs]));
        text.push_str(&format!("\n{}\n{}", paint.strong("Not tried, for want of"), missing.render()));
    }
    let (broken, residual) =
        (attacked.count(Severity::Broken) as u64, attacked.count(Severity::Residual) as u64);
    let blind = attacked.count(Severity::NotCompared) as u64;
    let verdict = match (broken, residual) {
        (0, _) if blind > 0 => paint.bad(format!(
            "{} could not be made, so nobody knows what they would tell.",
            counted(blind, "comparison")
        )),
        (0, 0) => paint.good("No attack gets anywhere."),
        (0, n) => paint.careful(format!("No promise is broken; {} what nobody promised to hide.", learn(n))),
        (n, _) => paint.bad(format!("{} more than was promised.", capital(&learn(n)))),
    };
    text + &format!("\n{verdict}\n")
}

/// Each attack on both releases.
pub fn trials(trials: &[Trial], seed: u64, paint: Paint) -> String {
    let mut table = Columns::default();
    table.row(["attack", "on the planted release", "on the strong one", ""]);
    for trial in trials {
        let outcome = |outcome: &Outcome| format!("{} ({})", outcome.severity.name(), figure(outcome));
        let verdict = if trial.passes() { "works" } else { "DOES NOT WORK" };
        table.row([
            trial.attack.name().to_owned(),
            outcome(&trial.planted),
            outcome(&trial.strong),
            verdict.to_owned(),
        ]);
    }
    let failed = trials.iter().filter(|trial| !trial.passes()).count() as u64;
    let verdict = match failed {
        0 => paint.good(format!(
            "{} succeed where they must and fail where they must.",
            counted(trials.len() as u64, "attack")
        )),
        n => paint.bad(format!(
            "{} not work.",
            if n == 1 { "1 attack does".to_owned() } else { format!("{n} attacks do") }
        )),
    };
    format!("seed: {seed}\n\n{}\n{verdict}\n", table.render())
}

fn name(outcome: &Outcome) -> String {
    match &outcome.subject {
        Some(subject) => format!("{} ({subject})", outcome.attack.name()),
        None => outcome.attack.name().to_owned(),
    }
}

fn figure(outcome: &Outcome) -> String {
    value(outcome.figure.value, outcome.figure.unit)
}

fn bound(outcome: &Outcome) -> String {
    outcome.bound.as_ref().map_or_else(|| "none".to_owned(), |bound| value(bound.value, outcome.figure.unit))
}

fn value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => format!("{} %", short((value * 10_000.0).round() / 100.0)),
        Unit::Count => short(value),
        Unit::Factor => short((value * 100.0).round() / 100.0),
    }
}

fn learn(number: u64) -> String {
    if number == 1 { "1 attack learns".to_owned() } else { format!("{number} attacks learn") }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn painted(table: &str, paint: Paint) -> String {
    let line = |line: &str| {
        let paint_word = |word: &str, paint: &dyn Fn(&str) -> String| {
            line.replacen(&format!("  {word} "), &format!("  {} ", paint(word)), 1)
        };
        match line {
            line if line.contains("  broken ") => paint_word("broken", &|word| paint.bad(word)),
            line if line.contains("  not compared ") => paint_word("not compared", &|word| paint.bad(word)),
            line if line.contains("  residual ") => paint_word("residual", &|word| paint.careful(word)),
            line => line.replacen("  covered ", &format!("  {} ", paint.good("covered")), 1),
        }
    };
    table.lines().map(|text| line(text) + "\n").collect()
}

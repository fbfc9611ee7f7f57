//! A rewritten plan as text and as JSON.

use crate::layout::{count, counted, wrapped};
use crate::paint::Paint;
use paravent_algebra::rules::{Application, Choice, Cost, Kind, Refusal, Safe, Way, rewriter_name};
use paravent_algebra::session::Rewriting;
use serde_json::{Value, json};

/// Characters per line, for reasons.
const WIDTH: usize = 110;

/// The rules that were named one by one.
#[derive(Debug)]
pub struct Asked {
    /// In the order they were named.
    pub rules: Vec<Choice>,
    /// Whether they are applied wherever they fit, or only where they pay.
    pub exactly: bool,
}

/// A rule that was asked for and neither used nor refused anywhere.
struct Idle {
    rule: &'static str,
    /// A rule that does not hold: it is refused all the same.
    refused: bool,
    because: String,
}

impl Asked {
    fn idle(&self, done: &Rewriting) -> Vec<Idle> {
        let seen = |id: &str| {
            done.trace.applied().any(|step| step.rule == id)
                || done.trace.refused().any(|refusal| refusal.rule == id)
        };
        let mut idle: Vec<Idle> = Vec::new();
        for Choice { rule, way, .. } in &self.rules {
            let card = rule.card();
            if seen(card.id) || idle.iter().any(|other| other.rule == card.id) {
                continue;
            }
            let refused = card.kind == Kind::None;
            let because = match (refused, self.exactly) {
                (true, _) => format!("{} does not hold. Counter-example: {}", card.statement, card.example),
                (false, true) => {
                    let way = way.or(card.direction.ways().first().copied());
                    let way = way.map_or_else(String::new, |way| format!(", {way}"));
                    format!("fits nowhere in this plan{way}: {}", card.statement)
                }
                (false, false) => {
                    format!("fits nowhere, or does not make the plan cheaper: {}", card.statement)
                }
            };
            idle.push(Idle { rule: card.id, refused, because });
        }
        idle
    }
}

/// The document of `--json`.
pub fn document(done: &Rewriting, asked: &Asked) -> Value {
    let steps = done.trace.applied().map(|step| {
        let mut step_json = json!(step);
        step_json["name"] = json!(rewriter_name(step.rule, step.way));
        step_json
    });
    let refused = done.trace.refused().map(|refusal| json!(refusal));
    let idle = asked.idle(done);
    let never = idle.iter().filter(|idle| idle.refused).map(
        |idle| json!({ "rule": idle.rule, "way": null, "place": null, "before": null, "because": idle.because }),
    );
    let unused: Vec<Value> = idle
        .iter()
        .filter(|idle| !idle.refused)
        .map(|idle| json!({ "rule": idle.rule, "because": idle.because }))
        .collect();
    let cost = done.cost.map(|(before, after)| json!({ "before": before, "after": after }));
    let (xml, problem) = match &done.xml {
        Ok(xml) => (Some(xml), None),
        Err(problem) => (None, Some(problem.to_string())),
    };
    let (sql, sql_problem) = match &done.sql {
        Ok(sql) => (Some(sql), None),
        Err(problem) => (None, Some(problem.to_string())),
    };
    json!({
        "changed": done.changed(),
        "before": done.before,
        "after": done.after,
        "steps": steps.collect::<Vec<Value>>(),
        "refusals": refused.chain(never).collect::<Vec<Value>>(),
        "unused": unused,
        "verify_again": done.trace.rechecks,
        "cost": cost,
        "raw_rows_leave": done.leaving,
        "xml": xml,
        "xml_problem": problem,
        "sql": sql,
        "sql_problem": sql_problem,
    })
}

/// Both trees, then the log.
pub fn text(done: &Rewriting, asked: &Asked, paint: Paint) -> String {
    let mut text = format!("{}\n{}", paint.strong("Before"), indented(&done.before));
    match done.changed() {
        true => text.push_str(&format!("\n{}\n{}", paint.strong("After"), indented(&done.after))),
        false => text.push_str("\nThe plan stays as it is.\n"),
    }
    let steps: Vec<String> =
        done.trace.applied().enumerate().map(|(i, step)| applied(i + 1, step, paint)).collect();
    let idle = asked.idle(done);
    let never = idle.iter().filter(|idle| idle.refused).map(|idle| {
        let because = wrapped(&idle.because, 5, WIDTH);
        format!("  {}, anywhere\n     {because}\n", paint.careful(idle.rule))
    });
    let refusals = done.trace.refused().map(|refusal| refused(refusal, paint)).chain(never);
    let unused = idle.iter().filter(|idle| !idle.refused);
    let unused = unused.map(|idle| format!("  {} {}\n", idle.rule, wrapped(&idle.because, 5, WIDTH)));
    let verify = done.trace.rechecks.iter().map(|recheck| format!("  {recheck}\n"));
    section(&mut text, "Applied", steps, paint);
    section(&mut text, "Refused", refusals.collect(), paint);
    section(&mut text, "Not used", unused.collect(), paint);
    section(&mut text, "To be verified on the result, before it is released", verify.collect(), paint);
    let leaving = done.leaving.iter().map(|leaving| {
        format!("  {} (of {}), at {}\n", leaving.site, leaving.relations.join(", "), leaving.place)
    });
    section(&mut text, "Raw rows leave these places", leaving.collect(), paint);
    if let (Some((before, after)), true) = (done.cost, done.changed()) {
        let title = paint.strong("Cost, estimated");
        text.push_str(&format!("\n{title}\n  {} → {}\n", price(before), price(after)));
    }
    if !done.changed() && done.trace.events.is_empty() && idle.is_empty() {
        text.push_str("\nNo rule fits, or none makes the plan cheaper.\n");
    }
    text
}

fn section(text: &mut String, title: &str, entries: Vec<String>, paint: Paint) {
    if !entries.is_empty() {
        text.push_str(&format!("\n{}\n{}", paint.strong(title), entries.concat()));
    }
}

fn applied(number: usize, step: &Application, paint: Paint) -> String {
    let safe = match step.safe {
        Safe::Yes => "the guarantee holds",
        Safe::AfterCheck => "the guarantee must be verified again",
        Safe::No => "the guarantee does not hold",
    };
    let Application { rule, way, place, before, after, kind, because, .. } = step;
    let rule = paint.good(named(rule, *way));
    let mut lines = vec![
        format!("  {number}. {rule}, {way}, at {place}: {}, {safe}", kind.in_words()),
        format!("     from {before}"),
        format!("     to   {after}"),
        format!("     {}", wrapped(because, 5, WIDTH)),
    ];
    if let Some((before, after)) = step.cost {
        lines.push(format!("     {} → {}", price(before), price(after)));
    }
    lines.join("\n") + "\n"
}

fn refused(refusal: &Refusal, paint: Paint) -> String {
    let Refusal { rule, way, place, before, because } = refusal;
    let rule = paint.careful(named(rule, *way));
    format!("  {rule}, {way}, at {place}\n     for  {before}\n     {}\n", wrapped(because, 5, WIDTH))
}

/// `D9 (DP04)`
fn named(rule: &str, way: Way) -> String {
    rewriter_name(rule, way).map_or_else(|| rule.to_owned(), |name| format!("{rule} ({name})"))
}

/// `6,000 cells in 1 operator`
fn price(cost: Cost) -> String {
    let here = format!("{} cells in {}", count(cost.cells), counted(cost.operators, "operator"));
    match cost.raw_cells {
        0 => here,
        raw => format!("{} raw cells leave their places, {here}", count(raw)),
    }
}

fn indented(tree: &str) -> String {
    tree.lines().map(|line| format!("  {line}\n")).collect()
}

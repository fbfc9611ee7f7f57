//! Who was left out, group by group: whether suppression hits some people more than others.

use super::escape::{label, name};
use super::facts::Facts;
use super::number::{count, percent};
use super::page::{NUMBER, row, table};
use crate::LeftOutGroup;

/// Groups on the page.
const MOST_SHOWN: usize = 8;

/// The groups that lose the largest shares; empty where nobody was left out, or on the page that is handed out.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(left_out) = facts.document.suppressed.as_ref().filter(|_| !facts.is_external()) else {
        return String::new();
    };
    let mut groups: Vec<&LeftOutGroup> =
        left_out.groups.iter().filter(|group| group.suppressed > 0).collect();
    groups.sort_by(|a, b| b.share().total_cmp(&a.share()).then_with(|| b.suppressed.cmp(&a.suppressed)));
    if groups.is_empty() {
        return String::new();
    }
    let whole: Vec<String> = groups
        .iter()
        .filter(|group| group.suppressed == group.rows)
        .map(|group| {
            format!(
                "{} {}",
                name(&group.column),
                group.label.as_deref().map_or_else(|| "<i>missing</i>".to_owned(), label)
            )
        })
        .collect();
    let alarm = match whole.len() {
        0 => String::new(),
        _ => format!(
            r#"<p class="remark">Left out altogether: {}.</p>"#,
            whole.iter().take(6).cloned().collect::<Vec<_>>().join(", ")
        ),
    };
    let lines: String = groups
        .iter()
        .take(MOST_SHOWN)
        .map(|group| {
            let shown = group.label.as_deref().map_or_else(|| "<i>missing</i>".to_owned(), label);
            let head = format!("{} · {shown}", name(&group.column));
            row(
                "",
                &head,
                &[
                    (NUMBER, count(group.suppressed)),
                    (NUMBER, count(group.rows)),
                    (NUMBER, percent(group.share())),
                ],
            )
        })
        .collect();
    let all = facts.share_of_rows(facts.document.solution.suppressed_rows);
    format!(
        r#"<h2 class="small">Who was left out</h2>{alarm}<p class="lead">Over all rows, {} were left out. These groups lose most:</p>{}"#,
        percent(all),
        table("compare groups", "Rows left out by group", &["Group", "Left out", "Of", "Share"], &lines)
    )
}

//! What taking part means for a party, in words.

use crate::layout::{Columns, counted};
use paravent_joint::flatness::NotFlat;
use paravent_joint::preview::Preview;
use serde_json::Value;

/// For the screen, before consent.
pub fn text(preview: &Preview) -> String {
    let mut text = format!(
        "Run           {}\nDigest        {}\nProtocol      {}, {} split\nThis party    {} ({})\nRelease goes  to {}\n",
        preview.run,
        preview.digest,
        preview.protocol,
        preview.split,
        preview.me.name,
        preview.me.part.name(),
        preview.receiver,
    );
    let mut parties = Columns::default();
    for party in &preview.parties {
        let address = party.address.as_deref().unwrap_or("no address yet");
        parties.row([party.name.as_str(), party.part.name(), address]);
    }
    text.push_str(&parties.render());
    let mut section = |title: &str, lines: Vec<String>| {
        text.push_str(&format!("\n{title}\n"));
        lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    };
    section("Promises", preview.promises.clone());
    section("This party's columns, each cell encrypted before it leaves", columns(preview));
    section("This party sends", preview.sends.iter().map(|(to, what)| format!("to {to}: {what}")).collect());
    section("Who learns what", preview.learns.iter().map(|(who, what)| format!("{who}: {what}")).collect());
    let conclusions = preview.conclusions.iter();
    section(
        "What could be concluded, and what stands against it",
        conclusions.map(|(who, what, against)| format!("{who}: {what}\n    against it: {against}")).collect(),
    );
    text
}

fn columns(preview: &Preview) -> Vec<String> {
    let mut lines: Vec<String> =
        preview.columns.iter().map(|(name, role)| format!("{name} ({role})")).collect();
    if lines.is_empty() {
        lines.push("none".to_owned());
    }
    if let Some(identifier) = &preview.identifier {
        lines.push(format!("{identifier} (to match rows; not released)"));
    }
    if let Some(column) = &preview.marks {
        lines.push(format!("{column} (marks the rows to release; not encrypted, not released)"));
    }
    lines.extend(preview.rows.map(|rows| counted(rows, "row")));
    let made_up = preview.made_up.map(|rows| counted(rows, "made-up row"));
    lines.extend(made_up.map(|rows| format!("{rows} besides, to hide how many there are")));
    lines.extend(preview.not_flat.iter().map(NotFlat::words));
    lines
}

/// Columns that the made-up rows agreed on do not hide: a line each, and a list for programs.
pub fn add_not_flat(not_flat: &[NotFlat], text: &mut String, json: &mut Value) {
    not_flat.iter().for_each(|column| text.push_str(&format!("{}\n", column.words())));
    json["not_flat"] = not_flat.iter().map(NotFlat::to_json).collect();
}

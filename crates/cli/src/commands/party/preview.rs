//! What taking part means for a party, before it consents.

use super::agreement::{Agreement, Part, split_name};
use crate::layout::counted;
use paravent_federation::leaks::LeakTable;
use paravent_federation::{Plan, Protocol, Split};
use serde_json::{Value, json};

/// Who a role of the leak table is, in this run.
fn is_meant(agreement: &Agreement, me: usize, role: &str) -> bool {
    let part = agreement.parties[me].part;
    let helper = part == Part::Helper;
    match role {
        "the helper" => helper,
        "every primary party" => !helper,
        "the first party" | "the master" | "the master (the first party)" => me == 0,
        "the party that marks the rows" => !helper && agreement.is_marked_by(&agreement.parties[me].name),
        "the party where the release arrives" => agreement.parties[me].name == agreement.receiver,
        "everybody" => true,
        _ => false,
    }
}

/// Names in place of roles, where one party is meant.
fn named(agreement: &Agreement, role: &str) -> String {
    let meant: Vec<&str> = (0..agreement.parties.len())
        .filter(|&party| is_meant(agreement, party, role))
        .map(|party| agreement.parties[party].name.as_str())
        .collect();
    match meant.as_slice() {
        [one] => format!("{role} ({one})"),
        _ => role.to_owned(),
    }
}

/// The preview for one party.
pub fn text(agreement: &Agreement, plan: &Plan, me: usize, rows: Option<usize>) -> String {
    let table = LeakTable::of(plan);
    let own = &agreement.parties[me];
    let mut text = format!(
        "Run           {}\nDigest        {}\nProtocol      {}, {} split\nThis party    {} ({})\nRelease goes  to {}\n",
        agreement.run,
        agreement.digest_text(),
        agreement.protocol.letter(),
        split_name(agreement.split),
        own.name,
        own.part.name(),
        agreement.receiver,
    );
    for party in &agreement.parties {
        let address = party.address.as_deref().unwrap_or("no address yet");
        text.push_str(&format!("  {:<14} {:<13} {address}\n", party.name, party.part.name()));
    }
    text.push_str("\nPromises\n");
    for line in agreement.terms.to_toml().lines().filter(|line| !line.is_empty() && !line.starts_with('[')) {
        text.push_str(&format!("  {}\n", line.split(" # ").next().unwrap_or(line).trim_end()));
    }
    text.push_str("\nThis party's columns, each cell encrypted before it leaves\n");
    let mine = |owner: Option<&str>| {
        own.part == Part::Primary && (agreement.split == Split::Horizontal || owner == Some(&own.name))
    };
    let columns: Vec<String> = agreement
        .columns
        .iter()
        .filter(|column| mine(column.owner.as_deref()))
        .map(|column| format!("  {} ({})\n", column.name, column.role.name()))
        .collect();
    match columns.is_empty() {
        true => text.push_str("  none\n"),
        false => text.extend(columns),
    }
    if let (Split::Vertical, Some(identifier), Part::Primary) =
        (agreement.split, &agreement.identifier, own.part)
    {
        text.push_str(&format!("  {identifier} (to match rows; not released)\n"));
    }
    if let (Some(column), Part::Primary, true) =
        (agreement.marks(), own.part, agreement.is_marked_by(&own.name))
    {
        text.push_str(&format!("  {column} (marks the rows to release; not encrypted, not released)\n"));
    }
    if let Some(rows) = rows {
        text.push_str(&format!("  {}\n", counted(rows as u64, "row")));
        if let Protocol::C(pseudo) = agreement.protocol {
            let made_up = (rows * usize::from(pseudo.percent)).div_ceil(100) as u64;
            text.push_str(&format!(
                "  {} besides, to hide how many there are\n",
                counted(made_up, "made-up row")
            ));
        }
    }
    text.push_str("\nThis party sends\n");
    for entry in table.sends.iter().filter(|entry| is_meant(agreement, me, entry.from)) {
        text.push_str(&format!("  to {}: {}\n", named(agreement, entry.to), entry.what));
    }
    text.push_str("\nWho learns what\n");
    for entry in &table.learns {
        text.push_str(&format!("  {}: {}\n", named(agreement, entry.who), entry.what));
    }
    text.push_str("\nWhat could be concluded, and what stands against it\n");
    for entry in &table.leaks {
        text.push_str(&format!(
            "  {}: {}\n    against it: {}\n",
            named(agreement, entry.who),
            entry.what,
            entry.against
        ));
    }
    text
}

/// What each party learned, for reports and programs.
pub fn json(agreement: &Agreement, plan: &Plan) -> Value {
    let table = LeakTable::of(plan);
    let named = |role: &str| named(agreement, role);
    let mut learned = Vec::new();
    for (position, party) in agreement.parties.iter().enumerate() {
        for entry in table.learns.iter().filter(|entry| is_meant(agreement, position, entry.who)) {
            learned.push(json!({ "party": party.name, "learned": entry.what }));
        }
    }
    json!({
        "what_was_sent": table.sends.iter().map(|s| json!({ "from": named(s.from), "to": named(s.to), "what": s.what })).collect::<Vec<_>>(),
        "what_each_party_learned": learned,
        "what_could_be_concluded": table.leaks.iter().map(|l| json!({ "who": named(l.who), "what": l.what, "against": l.against })).collect::<Vec<_>>(),
    })
}

//! What taking part means for a party, before it consents.

use crate::agreement::{Agreement, ColumnEntry, Part, PartyEntry, split_name};
use crate::flatness::{NotFlat, not_flat};
use paravent_federation::leaks::LeakTable;
use paravent_federation::{PartyId, PartyTable, Plan, Protocol, Split};
use paravent_report::{ConclusionFacts, LearnedFacts, SentFacts, ToldFacts};

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

/// What one party sends and learns.
#[derive(Debug, Clone)]
pub struct Preview {
    /// What the run is called.
    pub run: String,
    /// Of everything that was agreed on.
    pub digest: String,
    /// `A`, `B` or `C`.
    pub protocol: char,
    /// `horizontal` or `vertical`.
    pub split: &'static str,
    /// The party that looks.
    pub me: PartyEntry,
    /// Where the release arrives.
    pub receiver: String,
    /// Everybody.
    pub parties: Vec<PartyEntry>,
    /// The promises and the search, a line each.
    pub promises: Vec<String>,
    /// The party's columns with their roles.
    pub columns: Vec<(String, &'static str)>,
    /// The column that rows are matched by.
    pub identifier: Option<String>,
    /// The column that marks the rows to release.
    pub marks: Option<String>,
    /// Rows of this party, where it holds any.
    pub rows: Option<u64>,
    /// Made-up rows besides.
    pub made_up: Option<u64>,
    /// Columns of this party that these do not make flat.
    pub not_flat: Vec<NotFlat>,
    /// To whom, and what.
    pub sends: Vec<(String, &'static str)>,
    /// Who learns what by design.
    pub learns: Vec<(String, &'static str)>,
    /// Who could conclude what, and what stands against it.
    pub conclusions: Vec<(String, &'static str, &'static str)>,
}

impl Preview {
    /// For the party at position `me`, with its rows where it holds data.
    pub fn of(agreement: &Agreement, plan: &Plan, me: usize, part: Option<&PartyTable>) -> Preview {
        let rows = part.map(|part| part.rows);
        let table = LeakTable::of(plan);
        let own = &agreement.parties[me];
        let has_data = own.part == Part::Primary;
        let mine = |column: &&ColumnEntry| {
            has_data && (agreement.split == Split::Horizontal || column.is_held_by(&own.name))
        };
        let columns = agreement.columns.iter().filter(mine);
        let made_up = match agreement.protocol {
            Protocol::C(pseudo) => rows.map(|rows| (rows * usize::from(pseudo.percent)).div_ceil(100) as u64),
            Protocol::A | Protocol::B => None,
        };
        let is_mine = |role: &str| is_meant(agreement, me, role);
        let named = |role: &str| named(agreement, role);
        Preview {
            run: agreement.run.clone(),
            digest: agreement.digest_text(),
            protocol: agreement.protocol.letter(),
            split: split_name(agreement.split, agreement.holders),
            me: own.clone(),
            receiver: agreement.receiver.clone(),
            parties: agreement.parties.clone(),
            promises: promises(agreement),
            columns: columns.map(|column| (column.name.clone(), column.role.name())).collect(),
            identifier: agreement.identifier.clone().filter(|_| has_data && plan.identifies_rows()),
            marks: agreement
                .marks()
                .filter(|_| has_data && agreement.is_marked_by(&own.name))
                .map(str::to_owned),
            rows: rows.map(|rows| rows as u64),
            made_up,
            not_flat: part.map(|part| not_flat(plan, PartyId(me as u16), part)).unwrap_or_default(),
            sends: (table.sends.iter().filter(|entry| is_mine(entry.from)))
                .map(|entry| (named(entry.to), entry.what))
                .collect(),
            learns: table.learns.iter().map(|entry| (named(entry.who), entry.what)).collect(),
            conclusions: (table.leaks.iter())
                .map(|entry| (named(entry.who), entry.what, entry.against))
                .collect(),
        }
    }
}

/// What a run tells whom, with names in place of roles.
#[derive(Debug, Clone)]
pub struct Told {
    /// From whom, to whom, and what.
    pub sent: Vec<(String, String, &'static str)>,
    /// By party: what it learns by design.
    pub learned: Vec<(String, &'static str)>,
    /// Who could conclude what, and what stands against it.
    pub concluded: Vec<(String, &'static str, &'static str)>,
}

/// The leak table of a run, for all parties.
pub fn told(agreement: &Agreement, plan: &Plan) -> Told {
    let table = LeakTable::of(plan);
    let named = |role: &str| named(agreement, role);
    let mut learned = Vec::new();
    for (position, party) in agreement.parties.iter().enumerate() {
        let own = table.learns.iter().filter(|entry| is_meant(agreement, position, entry.who));
        learned.extend(own.map(|entry| (party.name.clone(), entry.what)));
    }
    Told {
        sent: table.sends.iter().map(|entry| (named(entry.from), named(entry.to), entry.what)).collect(),
        learned,
        concluded: (table.leaks.iter()).map(|entry| (named(entry.who), entry.what, entry.against)).collect(),
    }
}

/// The promises and the search, a line each.
pub fn promises(agreement: &Agreement) -> Vec<String> {
    let terms = agreement.terms.to_toml();
    let lines = terms.lines().filter(|line| !line.is_empty() && !line.starts_with('['));
    lines.map(|line| line.split(" # ").next().unwrap_or(line).trim_end().to_owned()).collect()
}

/// What each party learned, for reports and programs.
pub fn told_facts(agreement: &Agreement, plan: &Plan) -> ToldFacts {
    let Told { sent, learned, concluded } = told(agreement, plan);
    let (sent, learned, concluded) = (sent.into_iter(), learned.into_iter(), concluded.into_iter());
    ToldFacts {
        what_was_sent: sent.map(|(from, to, what)| SentFacts { from, to, what }).collect(),
        what_each_party_learned: learned.map(|(party, learned)| LearnedFacts { party, learned }).collect(),
        what_could_be_concluded: concluded
            .map(|(who, what, against)| ConclusionFacts { who, what, against })
            .collect(),
    }
}

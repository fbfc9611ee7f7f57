//! What a listener sees: no cell, no hash of one; and what it does see.

use super::equality::hybrid;
use super::random::table;
use super::*;
use crate::crypto::{DeterministicCipher, Domain, GroupKey, NotAToken, Token};
use crate::protocols::{Blunder, Ciphers, Conduct, Siv};
use crate::wire::{EncryptedPart, Frame, Message, MessageKind};
use crate::{JointColumn, PartyTable, Recorded, SimulationError, label};
use paravent_core::exact::Fraction;
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use std::collections::BTreeSet;

/// Looks for cells and unkeyed hashes of cells in messages, as sent and decompressed.
struct Listener {
    needles: Vec<Vec<u8>>,
    found: BTreeSet<(PartyId, MessageKind)>,
}

impl Listener {
    fn new(table: &JointTable) -> Listener {
        let labels = table.columns.iter().flat_map(JointColumn::all_labels);
        let texts: BTreeSet<String> = labels.filter(|text| text.len() >= 5).collect();
        let mut needles = Vec::new();
        for text in texts {
            for bytes in [text.as_bytes().to_vec(), label::encode(Some(&text))] {
                needles.push(Sha1::digest(&bytes).to_vec());
                needles.push(Sha256::digest(&bytes).to_vec());
                needles.push(Sha512::digest(&bytes)[..32].to_vec());
            }
            needles.push(text.into_bytes());
        }
        Listener { needles, found: BTreeSet::new() }
    }

    fn hear(&mut self, message: &Recorded) {
        let (_, _, body) = Frame::body(&message.bytes, 1 << 30).unwrap();
        let contains = |text: &[u8], needle: &[u8]| text.windows(needle.len()).any(|window| window == needle);
        let leaks = |needle: &Vec<u8>| contains(&body, needle) || contains(&message.bytes, needle);
        if self.needles.iter().any(leaks) {
            self.found.insert((message.from, message.kind));
        }
    }
}

impl JointColumn {
    fn all_labels(&self) -> impl Iterator<Item = String> + '_ {
        let on_levels =
            self.data.ladder.iter().flat_map(|ladder| ladder.rungs()).flat_map(|rung| &rung.labels);
        self.data.cells.iter().chain(on_levels).flatten().cloned()
    }
}

pub(super) fn some_table() -> JointTable {
    let mut runner = TestRunner::deterministic();
    table(16..17).new_tree(&mut runner).unwrap().current()
}

/// What is heard of a run, and how it ended: a party that encrypts in its own way can make it fail, and what it sent before counts.
fn listen(
    plan: &Plan,
    table: &JointTable,
    simulation: Simulation<'_>,
) -> (Listener, Result<Run, SimulationError>) {
    let mut listener = Listener::new(table);
    let ended = simulation.tapped(|message| listener.hear(message)).run(plan, table.deal(plan));
    (listener, ended)
}

/// The run comes to its end, and a listener hears no cell.
pub(super) fn assert_nothing_is_heard(plan: &Plan, table: &JointTable) {
    let (listener, ended) = listen(plan, table, Simulation::seeded(4));
    assert!(ended.is_ok(), "{:?} {:?}: {:?}", plan.protocol, plan.split, ended.err());
    assert!(listener.found.is_empty(), "{:?}", listener.found);
}

/// The same plan with rows that may be suppressed, and a search that uses losses.
fn columns_first(plan: Plan) -> Plan {
    Plan { algorithm: Algorithm::BestFirst, suppression_limit: Fraction::new(1, 4).unwrap(), ..plan }
}

/// Every protocol and split, with and without suppression and keys of one's own, and rows and columns at once.
pub(super) fn all_plans(table: &JointTable) -> Vec<Plan> {
    let mut plans = vec![hybrid(table), columns_first(hybrid(table))];
    for protocol in [Protocol::A, Protocol::B, COPIES, BLOCKS, FLAT] {
        for split in [Split::Horizontal, Split::Vertical] {
            let plan = table.plan(protocol, split, 3);
            plans.extend([plan.clone(), columns_first(plan.clone())]);
            // On a ring a column has the keys of all.
            plans.extend((protocol != Protocol::A && split == Split::Vertical).then(|| private(plan)));
        }
    }
    plans
}

#[test]
fn no_cell_and_no_hash_of_one_leaves_a_party() {
    for table in [some_table(), JointTable::example()] {
        for plan in all_plans(&table) {
            assert_nothing_is_heard(&plan, &table);
        }
    }
}

/// A cipher that is none.
enum Careless {
    Plain,
    Hash,
}

impl DeterministicCipher for Careless {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        let seal = |label: &Vec<u8>| match self {
            Careless::Plain => Token(label.clone().into()),
            Careless::Hash => Token(Sha256::digest(label).to_vec().into()),
        };
        Ok(labels.iter().map(seal).collect())
    }

    fn open(&self, _: &Token) -> Result<Vec<u8>, NotAToken> {
        Err(NotAToken)
    }
}

/// Forgets to encrypt one column.
struct Forgetful(u16, bool);

impl Ciphers for Forgetful {
    fn level(&self, key: &GroupKey, column: u16, level: u8) -> Box<dyn DeterministicCipher> {
        match (column == self.0, self.1) {
            (true, true) => Box::new(Careless::Hash),
            (true, false) => Box::new(Careless::Plain),
            (false, _) => Box::new(key.cipher(Domain::Level(column, level))),
        }
    }
}

#[test]
fn a_party_that_forgets_to_encrypt_is_heard() {
    let table = some_table();
    // Where columns are split the second party holds the second one.
    for (split, column) in [(Split::Horizontal, 0), (Split::Vertical, 1)] {
        for protocol in [Protocol::B, COPIES, FLAT] {
            for hashes in [false, true] {
                let plan = table.plan(protocol, split, 3);
                let ciphers = |id| -> Box<dyn Ciphers> {
                    if id == party(1) { Box::new(Forgetful(column, hashes)) } else { Box::new(Siv) }
                };
                let (heard, _) = listen(&plan, &table, Simulation::seeded(4).with_ciphers(ciphers));
                let told = heard.found.contains(&(party(1), MessageKind::Part));
                assert!(told, "{protocol:?} {split:?} {hashes}");
            }
        }
    }
}

/// The labels of the first column, sealed by nothing.
fn careless(table: &PartyTable, mut part: EncryptedPart, cipher: &Careless) -> EncryptedPart {
    let cells = table.columns[0].cells.iter().map(|cell| label::encode(cell.as_deref()));
    let labels: Vec<Vec<u8>> = cells.collect();
    let plain = cipher.seal(&labels).unwrap();
    part.columns[0].tokens.iter_mut().zip(plain).for_each(|(token, plain)| *token = plain);
    part
}

#[test]
fn a_party_of_a_ring_that_forgets_to_encrypt_is_heard() {
    let table = some_table();
    let blunders: [Blunder; 2] = [
        |table, part| careless(table, part, &Careless::Plain),
        |table, part| careless(table, part, &Careless::Hash),
    ];
    for split in [Split::Horizontal, Split::Vertical] {
        for blunder in blunders {
            let plan = table.plan(Protocol::A, split, 3);
            let conduct =
                |id| Conduct { blunders: (id == party(1)).then_some(blunder), ..Conduct::default() };
            let (heard, ended) = listen(&plan, &table, Simulation::seeded(4).with_conduct(conduct));
            assert!(heard.found.contains(&(party(1), MessageKind::Part)), "{split:?}");
            // What is no ciphertext goes no further.
            assert_eq!(heard.found.len(), 1, "{split:?}");
            assert!(ended.is_err(), "{split:?}");
        }
    }
}

#[test]
fn the_helper_sees_equality_and_sizes_and_that_is_admitted() {
    let table = JointTable::example();
    let plan = table.plan(Protocol::B, Split::Horizontal, 3);
    let mut sexes: Vec<Token> = Vec::new();
    let tap = |message: &Recorded| {
        if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
            let column = &part.columns[0];
            sexes.extend(
                column.cells.iter().map(|&cell| column.tokens[column.values[cell as usize] as usize].clone()),
            );
        }
    };
    Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
    let distinct: BTreeSet<&Token> = sexes.iter().collect();
    assert_eq!((sexes.len(), distinct.len()), (8, 2));
    let admitted = crate::leaks::LeakTable::of(&plan);
    assert!(
        admitted
            .learns
            .iter()
            .any(|learns| learns.who == "the helper" && learns.what.contains("equality of cells"))
    );
    assert!(admitted.leaks.iter().any(|leak| leak.what.contains("frequency")));
}

#[test]
fn the_helper_hears_what_single_columns_lose_and_that_is_admitted() {
    let table = JointTable::example();
    for split in [Split::Horizontal, Split::Vertical] {
        let plan = columns_first(table.plan(COPIES, split, 3));
        let (mut asked, mut answers) = (Vec::new(), Vec::new());
        let tap = |message: &Recorded| match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
            Message::Check(check) if message.to == party(0) => asked.push(check.node),
            Message::Answer(answer) => answers.push(answer.loss),
            _ => {}
        };
        Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
        let different: BTreeSet<&Vec<u8>> = asked.iter().collect();
        assert_eq!(different.len(), asked.len(), "no node is asked about twice");
        // The top, then one column at a time; whatever else holds loses what these say together.
        let top = &asked[0];
        let losses = || asked.iter().zip(&answers).filter_map(|(node, loss)| Some((node, (*loss)?)));
        let lowered = |node: &[u8]| (0..node.len()).filter(|&column| node[column] < top[column]).collect();
        let whole = answers[0].unwrap();
        let saved = |column: usize, level: u8| {
            let alone = losses().find(|(node, _)| {
                let lowered: Vec<usize> = lowered(node);
                lowered == [column] && node[column] == level
            });
            whole - alone.unwrap().1
        };
        let mut concluded = 0;
        for (node, loss) in losses() {
            let columns: Vec<usize> = lowered(node);
            let sum: f64 = columns.iter().map(|&column| saved(column, node[column])).sum();
            assert!((whole - sum - loss).abs() < 1e-9 * whole);
            concluded += usize::from(columns.len() > 1);
        }
        assert!(concluded > 0);
        let admits = |plan: &Plan| {
            let table = crate::leaks::LeakTable::of(plan);
            let learns = table.learns.iter().any(|learns| learns.what.contains("alone loses at each"));
            (learns, table.leaks.iter().any(|leak| leak.what.contains("differ in one column")))
        };
        assert_eq!(admits(&plan), (true, true));
        assert_eq!(admits(&Plan { algorithm: Algorithm::Flash, ..plan.clone() }), (false, true));
        assert_eq!(admits(&Plan { metric: Metric::Height, ..plan }), (false, false));
    }
}

#[test]
fn made_up_rows_hide_true_sizes_and_leave_no_class_all_made_up() {
    let table = some_table();
    let plan = Plan { protocol: BLOCKS, ..table.plan(COPIES, Split::Horizontal, 2) };
    for (plan, expected) in [(table.plan(COPIES, Split::Horizontal, 2), 16 + 2 * 2), (plan, 16 + 2 * 8)] {
        let mut visible = 0;
        let tap = |message: &Recorded| {
            if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
                assert_eq!(part.counters.0.len(), part.rows as usize);
                let different: BTreeSet<_> = part.counters.0.iter().collect();
                assert_eq!(different.len(), part.rows as usize, "counters can be told apart by nothing");
                visible += part.rows;
            }
        };
        let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
        assert_eq!(visible, expected);
        if let Some(release) = run.release {
            assert_eq!(release.rows, 16);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn made_up_rows_are_copies_or_come_in_blocks(table in table(4..20), shape in 0usize..3, vertical in any::<bool>(), seed in any::<u64>()) {
        use rand::SeedableRng;
        let split = if vertical { Split::Vertical } else { Split::Horizontal };
        let plan = table.plan([COPIES, BLOCKS, FLAT][shape], split, 2);
        let mut rng = rand::rngs::ChaCha20Rng::seed_from_u64(seed);
        let key = GroupKey::private(&mut rng);
        let Protocol::C(pseudo) = plan.protocol else { unreachable!() };
        let part = &table.deal(&plan)[0];
        let made_up = crate::pseudo::rows(pseudo, part, &key, (&plan, party(0)), &mut rng);
        prop_assert_eq!(made_up.len(), (part.rows * usize::from(pseudo.percent)).div_ceil(100));
        // What the helper sees of the quasi-identifiers: real combinations, or at least as many as a class must have.
        let quasi = plan.quasi_identifiers();
        let columns: Vec<(u16, &crate::PartyColumn)> =
            plan.columns_of(party(0)).into_iter().zip(&part.columns).filter(|(at, _)| quasi.contains(at)).collect();
        let real = |row: usize| columns.iter().map(|(_, column)| column.rows[row]).collect::<Vec<u32>>();
        let real: BTreeSet<Vec<u32>> = (0..part.rows).map(real).collect();
        let mut counts = std::collections::BTreeMap::new();
        for row in &made_up {
            let code = |(at, column): &(u16, &crate::PartyColumn)| column.rows[row.sources[usize::from(*at)] as usize];
            *counts.entry(columns.iter().map(code).collect::<Vec<u32>>()).or_insert(0u64) += 1;
        }
        prop_assert!(counts.iter().all(|(codes, count)| real.contains(codes) || (shape > 0 && *count >= 2)));
        if vertical {
            // The other party chooses alike, from the rows of the same persons.
            let other = crate::pseudo::rows(pseudo, &table.deal(&plan)[1], &key, (&plan, party(1)), &mut rng);
            let same = made_up.iter().zip(&other).all(|(a, b)| {
                (shape == 2 || a.sources == b.sources) && a.identifier == b.identifier
            });
            prop_assert!(same && made_up.len() == other.len());
        }
    }
}

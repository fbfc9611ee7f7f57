//! Protocol A: a ring of parties, commutative encryption, no helper. First half: encrypt and integrate.
//!
//! Result  the encrypted table at the master (the first party).
//! Trust   semi-honest; horizontally at least two parties beside the master bring rows.
//! Leaks   to the master: equality of cells, hence frequencies, per column.
//! Cost    n(n−1) parts to encrypt, n(n−1)/2 to integrate; per party n·d operations, vertically n·(r + d/n).
//!
//! Every part goes once round the ring, to the right, and is encrypted and shuffled by everybody; then every party holds the n-fold
//! encrypted part of its right neighbour. From the last party to the master, to the left, the parts become one table: horizontally
//! appended and shuffled, so that the master gets its own rows mixed with others'; vertically put side by side in the order of
//! the encrypted identifiers, which are then dropped.

use super::home::{Home, Searching};
use crate::crypto::{CommutativeLayer, Domain, GroupHash, GroupKey, NotAToken, RistrettoLayer, Token};
use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::label;
use crate::parties::PartyId;
use crate::plan::{Plan, Role, Split};
use crate::protocols::fit::{self, Carries};
use crate::protocols::sealing::membership;
use crate::protocols::{Context, Outbox, Phase, State, Stepped, next, unexpected};
use crate::table::{Sealer, concatenate, distinct_labels, seal_column, sort_by_identifier};
use crate::wire::{EncryptedColumn, EncryptedPart, Message};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A party's keys: a layer per column and level, and one for identifiers.
pub(in crate::protocols) struct RingKeys {
    pub(in crate::protocols) group: GroupKey,
    /// By column and level.
    layers: Vec<Vec<RistrettoLayer>>,
    identifiers: RistrettoLayer,
    /// What this party can decode: by column and level, hash → label.
    pub(in crate::protocols) known: BTreeMap<(u16, u8), BTreeMap<Token, Vec<u8>>>,
    /// Rows of all parties: every part passes every party.
    pub(in crate::protocols) rows: u64,
}

impl RingKeys {
    pub(in crate::protocols) fn layer(&self, column: u16, level: u8) -> Result<&RistrettoLayer, NotAToken> {
        self.layers
            .get(usize::from(column))
            .and_then(|levels| levels.get(usize::from(level)))
            .ok_or(NotAToken)
    }

    /// Adds to every token the layer of its level.
    fn add_layers(&self, part: EncryptedPart, plan: &Plan) -> Result<EncryptedPart, NotAToken> {
        let layered = |column: EncryptedColumn| {
            let level_of = column.level_of_tokens(plan.lowest_level(column.column)).ok_or(NotAToken)?;
            let position = column.column;
            column.with_tokens(|tokens| {
                let mut added = tokens.to_vec();
                for level in 0..=plan.columns[usize::from(position)].height() {
                    let at: Vec<usize> =
                        (0..tokens.len()).filter(|&token| level_of[token] == level).collect();
                    let below: Vec<Token> = at.iter().map(|&token| tokens[token].clone()).collect();
                    for (&token, above) in at.iter().zip(self.layer(position, level)?.add(&below)?) {
                        added[token] = above;
                    }
                }
                Ok(added)
            })
        };
        Ok(EncryptedPart {
            identifiers: self.identifiers.add(&part.identifiers)?,
            columns: part.columns.into_iter().map(layered).collect::<Result<_, _>>()?,
            ..part
        })
    }
}

pub(in crate::protocols) fn left(context: &Context<'_>) -> PartyId {
    let n = context.plan.primaries();
    PartyId((context.me.0 + n - 1) % n)
}

pub(in crate::protocols) fn right(context: &Context<'_>) -> PartyId {
    PartyId((context.me.0 + 1) % context.plan.primaries())
}

/// Hashes and encrypts the party's own part, and sends it to the right.
pub(in crate::protocols) fn start(group: GroupKey, table: PartyTable, context: &mut Context<'_>) -> Stepped {
    let mut layers = Vec::new();
    for column in &context.plan.columns {
        layers.push((0..=column.height()).map(|_| RistrettoLayer::random(context.rng)).collect());
    }
    let identifiers = RistrettoLayer::random(context.rng);
    let rows = table.rows as u64;
    let mut keys = RingKeys { group, layers, identifiers, known: BTreeMap::new(), rows };
    let mut columns = Vec::new();
    for (position, column) in context.plan.columns_of(context.me).into_iter().zip(&table.columns) {
        if context.plan.columns[usize::from(position)].role == Role::Membership {
            columns.push(membership(position, column));
            continue;
        }
        let (plan, lowest) = (context.plan, context.plan.lowest_level(position));
        let height = plan.columns[usize::from(position)].height();
        let hash = |level| keys.group.group_hash(Domain::Level(position, level));
        let hashes: Vec<GroupHash> = (0..=height).map(hash).collect();
        columns.push(seal_column(position, column, lowest, plan.sends_shares(position), &hashes)?);
        for (level, labels) in distinct_labels(column, lowest) {
            let hashed = hashes.seal(level, &labels)?;
            keys.known.insert((position, level), hashed.into_iter().zip(labels).collect());
        }
    }
    let identifiers: Vec<Vec<u8>> = table.identifiers.iter().map(|text| label::encode(Some(text))).collect();
    let hashed = EncryptedPart { rows: table.rows as u32, columns, ..EncryptedPart::default() };
    let hash = keys.group.group_hash(Domain::Identifiers);
    let part = EncryptedPart {
        identifiers: hash.hash_under(&keys.identifiers, &identifiers)?,
        ..keys.add_layers(hashed, context.plan)?
    };
    let part = context.conduct.brings(&table, part.shuffled(context.rng));
    let outbox = vec![(right(context), Message::Part(part))];
    next(Encrypting { keys, hops: 0 }, outbox)
}

/// Adds a layer to every part that comes from the left.
struct Encrypting {
    keys: RingKeys,
    hops: u16,
}

impl State for Encrypting {
    fn phase(&self) -> Phase {
        Phase::Encrypt
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Part(part))) = message else { return Err(unexpected(message, context.me)) };
        let n = context.plan.primaries();
        let hops = self.hops + 1;
        let whose = PartyId((context.me.0 + n - hops) % n);
        fit::part(context, from, &part, &context.plan.columns_of(whose), Carries::Identifiers)?;
        if context.plan.split == Split::Horizontal {
            self.keys.rows += u64::from(part.rows);
        }
        let no_token = |_| ProtocolError::Unfit { from, why: "a token is not a ciphertext of this run" };
        let part = self.keys.add_layers(part, context.plan).map_err(no_token)?.shuffled(context.rng);
        if hops < n - 1 {
            return next(Encrypting { hops, ..*self }, vec![(right(context), Message::Part(part))]);
        }
        // Now this party holds what its right neighbour brought.
        let held = Held::new(part, context)?;
        let integrating = Integrating { keys: self.keys, held, received: Vec::new() };
        if context.me.0 == n - 1 { integrating.pass_on(context) } else { next(integrating, Vec::new()) }
    }
}

/// The right neighbour's part; vertically sorted, with a digest of the identifiers instead of them.
struct Held {
    part: EncryptedPart,
    identifiers: [u8; 32],
}

impl Held {
    fn new(part: EncryptedPart, context: &Context<'_>) -> Result<Held, ProtocolError> {
        if context.plan.split == Split::Horizontal {
            return Ok(Held { part, identifiers: [0; 32] });
        }
        let sorted = sort_by_identifier(&part)?;
        let mut digest = Sha256::new();
        for token in &sorted.identifiers {
            digest.update((token.0.len() as u64).to_le_bytes());
            digest.update(&token.0);
        }
        Ok(Held {
            part: EncryptedPart { identifiers: Vec::new(), ..sorted },
            identifiers: digest.finalize().into(),
        })
    }
}

/// Takes in what comes from the right, adds what is held, passes it to the left.
struct Integrating {
    keys: RingKeys,
    held: Held,
    received: Vec<EncryptedPart>,
}

impl Integrating {
    /// Parts that reach this party: one of each party to its right but the next, and the master's.
    fn expected(context: &Context<'_>) -> usize {
        usize::from(context.plan.primaries() - 1 - context.me.0)
    }

    fn pass_on(self, context: &mut Context<'_>) -> Stepped {
        let Held { part, identifiers } = self.held;
        let count = self.received.len() + 1;
        let parts: Vec<EncryptedPart> = match context.plan.split {
            Split::Horizontal => {
                let all = concatenate(context.plan, self.received.into_iter().chain([part]).collect())?;
                all.shuffled(context.rng).dealt(count)
            }
            Split::Vertical => self.received.into_iter().chain([part]).collect(),
        };
        let to_left = left(context);
        let outbox: Outbox =
            parts.into_iter().map(|part| (to_left, Message::Integrated { part, identifiers })).collect();
        next(Home::new(self.keys), outbox)
    }
}

impl State for Integrating {
    fn phase(&self) -> Phase {
        Phase::Integrate
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![right(context)]
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Integrated { part, identifiers })) = message else {
            return Err(unexpected(message, context.me));
        };
        if identifiers != self.held.identifiers
            || (context.plan.split == Split::Vertical && part.rows != self.held.part.rows)
        {
            return Err(ProtocolError::Identifiers("their encrypted lists differ"));
        }
        let columns = match context.plan.split {
            Split::Horizontal => context.plan.columns_of(context.me),
            // The master's part comes first, then those of the parties from the end of the ring.
            Split::Vertical => {
                let n = context.plan.primaries();
                let whose = match self.received.len() as u16 {
                    0 => PartyId(0),
                    nth => PartyId(n - nth),
                };
                context.plan.columns_of(whose)
            }
        };
        fit::part(context, from, &part, &columns, Carries::RowsOnly)?;
        self.received.push(part);
        if self.received.len() < Integrating::expected(context) {
            return next(*self, Vec::new());
        }
        if context.me.0 > 0 {
            return self.pass_on(context);
        }
        let parts: Vec<EncryptedPart> = self.received.into_iter().chain([self.held.part]).collect();
        let table = match context.plan.split {
            Split::Horizontal => concatenate(context.plan, parts)?,
            Split::Vertical => side_by_side(parts),
        };
        next(Searching { table, keys: self.keys }, Vec::new())
    }
}

/// Columns of parts whose rows are in the same order.
fn side_by_side(parts: Vec<EncryptedPart>) -> EncryptedPart {
    let rows = parts.first().map_or(0, |part| part.rows);
    let mut columns: Vec<EncryptedColumn> = parts.into_iter().flat_map(|part| part.columns).collect();
    columns.sort_by_key(|column| column.column);
    EncryptedPart { rows, columns, ..EncryptedPart::default() }
}

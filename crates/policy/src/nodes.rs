//! `[[nodes]]`: machines that work on a question, what they hold and what they can do.

use crate::choice::words;
use crate::tables::names;
use paravent_job::keys::{self, Key, Takes, key, needed};
use paravent_job::walk::{Item, Walk};
use std::path::PathBuf;

pub(crate) const KEYS: &[Key] = &[
    needed("name", Takes::Text, "Name of the node, as in `ask --at`"),
    needed("zone", Takes::Choice(keys::words::<Zone>), "How far it is from the people"),
    key("tables", Takes::List(&Takes::Text), "The tables that are there"),
    key("can", Takes::List(&Takes::Choice(keys::words::<Operation>)), "What it is able to do"),
    key("address", Takes::Text, "Where it takes parts of answers: host and port"),
    key("certificate", Takes::Text, "File of its certificate, which the others pin"),
];

/// How far a node is from the people: each zone is larger than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// A flat, or a room.
    Flat,
    /// A house, or a ward.
    House,
    /// A town, or a hospital.
    Region,
    /// Anywhere.
    Cloud,
}
words!(Zone { Flat: "flat", House: "house", Region: "region", Cloud: "cloud" });

/// What a node is able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Choose rows.
    Select,
    /// Compute columns from others of a row: the division of a mean.
    Project,
    /// Join tables of the same people.
    Join,
    /// Counts and sums of groups.
    Group,
    /// Figures with noise.
    Private,
    /// Coarser labels.
    Generalize,
    /// Column groups permuted inside buckets.
    Slice,
}
words!(Operation {
    Select: "select",
    Project: "project",
    Join: "join",
    Group: "group",
    Private: "private",
    Generalize: "generalize",
    Slice: "slice"
});

/// A machine that works on a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name.
    pub name: String,
    /// How far it is from the people.
    pub zone: Zone,
    /// The tables that are there.
    pub tables: Vec<String>,
    /// What it is able to do.
    pub can: Vec<Operation>,
    /// Where it takes parts of answers.
    pub address: Option<String>,
    /// File of its certificate.
    pub certificate: Option<PathBuf>,
}

impl Node {
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Node> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let name = section.require(walk, "name", "\"ward-server\"").and_then(|item| item.name(walk));
        let zone = section.require(walk, "zone", "\"house\"").and_then(|item| item.choice(walk, "a zone"));
        let tables = match section.get(walk, "tables", "[\"patients\"]") {
            Some(item) => names(walk, &item),
            None => Some(Vec::new()),
        };
        let can = match section.get(walk, "can", "[\"select\", \"group\"]") {
            Some(item) => {
                item.list(walk, 0, |walk, entry| entry.choice::<Operation>(walk, "an operation of a node"))
            }
            None => Some(Vec::new()),
        };
        let address = match section.get(walk, "address", "\"10.0.0.2:7000\"") {
            Some(item) => item.name(walk).map(|address| Some(address.to_owned())),
            None => Some(None),
        };
        let certificate = match section.get(walk, "certificate", "\"ward-server.pem\"") {
            Some(item) => item.path(walk).map(Some),
            None => Some(None),
        };
        Some(Node {
            name: name?.to_owned(),
            zone: zone?,
            tables: tables?,
            can: can?,
            address: address?,
            certificate: certificate?,
        })
    }
}

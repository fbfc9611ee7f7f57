//! Taking part in a joint release: everything that a party does around the protocols of `paravent-federation`.
//!
//! In the order of a run: [`keys`] makes a certificate, [`setup`] brings a federation file about ([`agreement`]; [`bundle`] is an
//! invitation as one file, [`merge`] puts answers together, [`status`] says what is next, [`folder`] what lies where), [`matching`] counts the people that parties have in common, [`union`] puts values together, [`part`] reads the party's
//! own table, [`flatness`] asks how many made-up rows it takes, [`preview`] says what taking part means, [`take_part`] runs, [`release`] writes what arrives. [`comparison`] runs all parties
//! in one process and compares the release with that of a single place.

pub mod agreement;
mod aside;
pub mod bundle;
pub mod comparison;
mod error;
pub mod flatness;
pub mod folder;
pub mod keys;
pub mod matching;
pub mod merge;
pub mod part;
pub mod preview;
pub mod promises;
pub mod release;
pub mod setup;
pub mod status;
pub mod take_part;
pub mod union;

pub use error::JointError;

//! Messages as bytes: one canonical form, strict reading, nothing believed before it is checked.
//!
//! A frame is a fixed header (magic, version, digest of the plan, sender, receiver, number, kind, length, checksum) and a body
//! compressed with zstd. The body has one form only: whole numbers little-endian in fixed width, lists with their length in front,
//! dictionaries sorted, no bytes left over. A length is compared with the bytes at hand before anything is allocated.

mod codec;
mod counted;
mod frame;
mod message;
mod packing;
mod part;
mod phase;
mod release;

pub use codec::{DecodeError, Reader, Writer};
pub use counted::{ClassCounters, CounterBytes, CounterList, ProfileColumn, ShareSums, Totals};
pub use frame::{Frame, Header, VERSION};
pub use message::{Answer, Check, Message, MessageKind};
pub use packing::Packing;
pub use part::{EncryptedColumn, EncryptedPart};
pub use phase::Phase;
pub use release::{SealedColumn, SealedRelease};

#[cfg(test)]
mod tests;

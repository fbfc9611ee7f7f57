//! Parties as processes: mutual TLS between every two of them.
//!
//! Every party knows the fingerprint of every other party's certificate; there is no authority to trust and no name to check. TLS 1.3
//! only. Of two parties the one with the lower number dials. After the TLS handshake both say which version, which agreement and
//! which party they are; only then the protocol starts. A party that stops says so, with a reason and no data; the others end with it.
//! How all come to know that there is a release is told in `ending`.
//!
//! Nothing is allocated on the word of a peer: a frame grows as its bytes arrive, up to the limit.

mod channel;
mod connect;
mod door;
mod ending;
mod error;
mod frame;
mod identity;
mod parcel;
mod pinned;
mod session;
#[cfg(test)]
mod tests;
mod transcript;
mod waiting;

pub use ending::Ending;
pub use error::{Cause, Reason, TransportError};
pub use identity::{Fingerprint, Identity, IdentityError};
pub use session::{Concluded, Keeper, Observer, Patience, Peer, Session};
pub use transcript::{ChannelDigests, JointDigest};

//! Questions under a policy over the PostgreSQL wire protocol.
//!
//! A connection is a user of the file beside the policy ([`Users`]), and through it a recipient of the policy. Every statement about a table of
//! the policy goes through the same processor as `paravent ask`. What tools ask of the catalog is answered from the policy alone, by an
//! interpreter that has no way to a table of people (`catalog`).
//!
//! ```text
//! accept ─► TLS ─► SCRAM-SHA-256 ─► statement ─┬─► processor ─► rows, annotation
//!                                              ├─► catalog   ─► what the recipient may know
//!                                              └─► session   ─► purpose, transactions, settings of clients
//! ```
//!
//! The messages are those of the crate `pgwire`. Its server side is not used: see docs/decisions/0040-server.md.

mod answer;
mod catalog;
mod connection;
mod fault;
mod limits;
mod negotiation;
mod notice;
mod parameters;
mod prepared;
mod scram;
mod server;
mod session;
mod shared;
mod statement;
mod users;
mod wire;

pub use limits::Limits;
pub use server::{Options, Server, ServerError, Tls};
pub use users::{Found, User, Users, UsersError};

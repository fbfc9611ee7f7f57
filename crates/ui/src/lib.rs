//! The page of Paravent: a server on this machine that shows a job and its table in a browser, and a page inside the program.
//!
//! The job file in the project folder stays the one source of truth. The page changes it key by key ([`edit`]), reads it again
//! whenever somebody else has changed it, and calls the same libraries as the command line. A release that is made here has the bytes
//! that `paravent anonymize` writes.
//!
//! - [`wire`]: what goes over the wire, as types; the page's TypeScript is made from them by a test.
//! - [`project`]: the folder with the job file, its history, and the table that was named or dropped.
//! - [`runs`]: work that takes a while, with progress and a way to stop.
//! - [`work`]: what can be run: look at the columns, search, explore, compare, measure, attack, release; ask under a policy (feature `sql`); look at a joint run.
//! - [`guard`]: who may talk to the server. Every request passes it before anything else is looked at.
//! - [`server`]: the addresses, and the loop around them.
//!
//! What the page is sent are counts and labels that many rows share. Cells are sent where somebody asked for a preview, and are in no
//! address, log or message.

mod api;
pub mod edit;
pub mod fault;
pub mod guard;
mod page;
pub mod project;
pub mod runs;
pub mod server;
mod shared;
mod token;
pub mod upload;
pub mod wire;
pub mod work;

pub use project::{Opened, Project};
pub use server::{Server, ServerOptions};
pub use token::Token;

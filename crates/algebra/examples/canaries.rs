//! Random statements at length: `cargo run --release -p paravent-algebra --example canaries [STATEMENTS [SEED]]`.
//!
//! Asks ten thousand random questions (or as many as asked for) over random tables whose cells can be recognised, and looks for identifying cells, cells of rows that are not
//! shown, numbers of the data and small classes in everything that comes back. Then plants mistakes, and expects to notice them. Ends with 1 where
//! something was given away or a mistake was not noticed.

#[path = "../tests/canary/mod.rs"]
mod canary;

use canary::{FAULTS, Fault, statements};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let number = arguments.next().and_then(Result::ok).unwrap_or(10_000);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1);
    let outcome = statements(number as usize, seed, Fault::None);
    println!(
        "{} statements: {} answered ({} with classes that were counted), {} refused; {} leaks",
        outcome.statements,
        outcome.answers,
        outcome.counted,
        outcome.refusals,
        outcome.leaks.len()
    );
    outcome.leaks.iter().for_each(|(what, sql)| println!("  {what}\n    {sql}"));
    let mut missed = 0;
    for fault in FAULTS {
        let noticed = statements(200, seed, fault).leaks.len();
        missed += usize::from(noticed == 0);
        println!("planted {fault:?}: {}", if noticed > 0 { "noticed" } else { "MISSED" });
    }
    if outcome.leaks.is_empty() && missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

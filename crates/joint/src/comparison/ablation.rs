//! What threads and compression bring: the same run without them.

use super::modelled::Network;
use paravent_federation::{Packing, PartyTable, Plan, Run, Simulation, SimulationError};
use serde_json::{Value, json};

/// One way to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ablated {
    /// Threads of encryption and counting; none: as many as there are cores.
    pub threads: Option<usize>,
    /// Whether messages were compressed.
    pub packing: Packing,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Seconds that all parties computed, one after the other.
    pub seconds: f64,
    /// Seconds of the processor, all threads together.
    pub processor_seconds: f64,
    /// Seconds for the bytes in the given network.
    pub transfer_seconds: Option<f64>,
}

/// Threads and compression, each with and without.
const WAYS: [(Option<usize>, Packing); 4] = [
    (None, Packing::Compressed),
    (Some(1), Packing::Compressed),
    (None, Packing::Plain),
    (Some(1), Packing::Plain),
];

/// Runs the plan in all ways. The release does not depend on them.
pub(super) fn ablate(
    plan: &Plan,
    parts: &[PartyTable],
    seed: u64,
    network: Option<Network>,
) -> Result<Vec<Ablated>, SimulationError> {
    let run = |(threads, packing)| {
        let run: Run = Simulation::with_means(plan, parts.to_vec(), seed, threads, packing)?;
        let bytes = run.phases.values().map(|cost| cost.bytes).sum();
        Ok(Ablated {
            threads,
            packing,
            bytes,
            seconds: run.phases.values().map(|cost| cost.time.as_secs_f64()).sum(),
            processor_seconds: run.party_times.values().map(|time| time.processor.as_secs_f64()).sum(),
            transfer_seconds: network.map(|network| bytes as f64 * 8.0 / network.bandwidth),
        })
    };
    WAYS.into_iter().map(run).collect()
}

/// For programs.
pub(super) fn to_json(ablated: &[Ablated]) -> Value {
    let entry = |way: &Ablated| {
        json!({ "threads": way.threads, "compressed": way.packing == Packing::Compressed, "bytes": way.bytes,
                "seconds": way.seconds, "processor_seconds": way.processor_seconds, "transfer_seconds": way.transfer_seconds })
    };
    ablated.iter().map(entry).collect()
}

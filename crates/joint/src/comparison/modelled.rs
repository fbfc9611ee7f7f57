//! The study's cost model beside the measurement, and what a network would add.

use paravent_federation::baselines::Central;
use paravent_federation::cost::{Constants, Predicted, Shape, predict};
use paravent_federation::{JointTable, Plan, Protocol, Run};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use serde_json::{Value, json};

/// A network between the parties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// Bits per second.
    pub bandwidth: f64,
    /// Seconds that a message is under way, however short.
    pub latency: f64,
}

/// What the study's model says of the run, and what a network would add to it.
#[derive(Debug, Clone, Copy)]
pub struct Modelled {
    /// Operations, bits and seconds.
    pub predicted: Predicted,
    /// Rates of this machine.
    pub constants: Constants,
    /// Seconds for the bytes that were sent, one channel at a time.
    pub transfer_seconds: f64,
    /// Seconds for the messages, all one after the other.
    pub latency_seconds: f64,
}

impl Modelled {
    /// For programs.
    pub fn to_json(self) -> Value {
        let Modelled { predicted, constants, transfer_seconds, latency_seconds } = self;
        json!({
            "operations": predicted.operations, "bytes": predicted.bits / 8.0, "seconds": predicted.seconds,
            "constants": { "commutative_per_second": constants.commutative_per_second, "symmetric_per_second": constants.symmetric_per_second,
                           "homomorphic_per_second": constants.homomorphic_per_second, "bits_per_second": constants.bandwidth },
            "transfer_seconds": transfer_seconds, "latency_seconds": latency_seconds,
        })
    }
}

/// The model of a run that was made, with rates measured here.
pub(super) fn model(
    plan: &Plan,
    table: &JointTable,
    run: &Run,
    central: &Central,
    network: Network,
) -> Modelled {
    let constants = Constants::measured(network.bandwidth, &mut ChaCha20Rng::from_seed([1; 32]));
    let rows = table.rows as f64;
    let made_up = match plan.protocol {
        Protocol::C(pseudo) => rows * f64::from(pseudo.percent) / 100.0,
        Protocol::A | Protocol::B => 0.0,
    };
    let classes = central.release.multiset().len();
    let shape = Shape {
        parties: plan.members.len() as f64,
        rows,
        made_up,
        columns: plan.columns.len() as f64,
        distinct: table.columns.iter().map(|column| column.data.cells.len() as f64).sum(),
        checks: run.round_trips as f64,
        classes: classes as f64,
    };
    let (messages, bytes) = run
        .phases
        .values()
        .fold((0, 0), |(messages, bytes), cost| (messages + cost.messages, bytes + cost.bytes));
    Modelled {
        predicted: predict(plan.protocol, plan.split, &shape, &constants),
        constants,
        transfer_seconds: bytes as f64 * 8.0 / network.bandwidth,
        latency_seconds: messages as f64 * network.latency,
    }
}

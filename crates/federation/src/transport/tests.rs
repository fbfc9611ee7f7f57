//! Sessions between threads, over real sockets.

use super::*;
use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::party::{Limits, Party, Watch};
use crate::protocols::Phase;
use crate::{JointTable, Plan, Protocol, Split};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use std::net::TcpListener;
use std::time::Duration;

struct Nobody;

impl Watch for Nobody {
    fn begins(&mut self, _: Phase) {}
}

impl Observer for Nobody {
    fn connected(&mut self, _: PartyId) {}
}

impl Keeper for Nobody {
    fn accept(&mut self, _: &Outcome) -> bool {
        true
    }

    fn publish(&mut self, _: &Concluded) -> bool {
        true
    }
}

const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(40),
    idle: Duration::from_secs(12),
    phase: Duration::from_secs(9),
};

/// What every party of protocol B says at the end, when one of them takes so long before it sends anything.
fn ended(hanging: PartyId, how_long: Duration) -> Vec<Result<Concluded, TransportError>> {
    let table = JointTable::example();
    let plan: Plan = table.plan(Protocol::B, Split::Horizontal, 3);
    let mut tables = table.deal(&plan).into_iter();
    let identities: Vec<Identity> = (0..4)
        .map(|_| Identity::generate().unwrap())
        .map(|(certificate, key)| Identity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap())
        .collect();
    // All at once, so that they are different; free again before they are needed.
    let doors: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let peers: Vec<Peer> = (doors.iter().zip(&identities).zip(0..))
        .map(|((door, identity), number)| Peer {
            id: PartyId(number),
            address: door.local_addr().unwrap().to_string(),
            fingerprint: identity.fingerprint(),
        })
        .collect();
    drop(doors);
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for (me, identity) in (0..).map(PartyId).zip(&identities) {
            let (mut own, plan, peers) = (tables.next(), &plan, &peers);
            running.push(scope.spawn(move || {
                let session = Session {
                    me,
                    agreement: [7; 32],
                    identity,
                    listen: peers[usize::from(me.0)].address.clone(),
                    peers: peers.iter().filter(|peer| peer.id != me).cloned().collect(),
                    receiver: PartyId(0),
                    patience: PATIENCE,
                    limits: Limits::default(),
                };
                let mut begin = |watch: &mut dyn Watch| {
                    if me == hanging {
                        std::thread::sleep(how_long);
                    }
                    let rng = Box::new(ChaCha20Rng::from_seed([me.0 as u8; 32]));
                    match own.take() {
                        Some(table) => Party::primary(plan, me, table, rng, watch),
                        None => Party::helper(plan, rng, watch),
                    }
                };
                session.run(&mut begin, &mut Nobody, &mut Nobody)
            }));
        }
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn a_party_that_lives_and_says_nothing_is_named_by_all_that_wait() {
    let hanging = PartyId(1);
    let ended = ended(hanging, PATIENCE.phase + Duration::from_secs(3));
    for (number, ended) in ended.iter().enumerate().filter(|(number, _)| *number != 1) {
        let error = ended.as_ref().unwrap_err();
        // The helper waits for all three, and two of them for the second.
        let cause = error.cause(PartyId(number as u16));
        assert_eq!(
            (cause.reason, cause.about),
            (Reason::Waited, Some(hanging)),
            "party {}: {error}",
            number + 1
        );
        assert!(error.to_string().contains("party 2"), "{error}");
    }
    assert!(ended[1].is_err());
}

#[test]
fn a_party_that_takes_its_time_is_waited_for() {
    assert!(ended(PartyId(1), Duration::from_secs(1)).iter().all(Result::is_ok));
}

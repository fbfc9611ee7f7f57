//! Who may knock at the same time. Handshakes run in parallel; who says nothing must not keep others out.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Handshakes of one address at the same time.
const MOST_OF_ONE: usize = 16;
/// Handshakes at the same time.
const MOST: usize = 128;

/// The handshakes under way. A newcomer always gets in: where there are too many of its address, or too many altogether, the one that has waited
/// longest is sent away. A party that knows what to say is through long before its turn would come.
#[derive(Default)]
pub(super) struct Door {
    visits: Mutex<Visits>,
}

#[derive(Default)]
struct Visits {
    next: u64,
    /// In the order of arrival.
    here: BTreeMap<u64, (IpAddr, TcpStream)>,
}

impl Visits {
    fn of(&self, address: IpAddr) -> impl Iterator<Item = u64> + '_ {
        self.here.iter().filter(move |(_, (known, _))| *known == address).map(|(visit, _)| *visit)
    }

    /// The address with the most visits.
    fn busiest(&self) -> Option<IpAddr> {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        self.here.values().for_each(|(address, _)| *counts.entry(*address).or_insert(0) += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
    }

    fn send_away_the_oldest_of(&mut self, address: IpAddr) {
        let oldest = self.of(address).next();
        if let Some((_, socket)) = oldest.and_then(|visit| self.here.remove(&visit)) {
            // Its thread wakes up and ends.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl Door {
    fn visits(&self) -> MutexGuard<'_, Visits> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts a connection; `None` where the system has no handle left for it.
    pub(super) fn enter(&self, address: IpAddr, socket: &TcpStream) -> Option<u64> {
        let socket = socket.try_clone().ok()?;
        let mut visits = self.visits();
        if visits.of(address).count() >= MOST_OF_ONE {
            visits.send_away_the_oldest_of(address);
        }
        if visits.here.len() >= MOST
            && let Some(busiest) = visits.busiest()
        {
            visits.send_away_the_oldest_of(busiest);
        }
        let visit = visits.next;
        visits.next += 1;
        visits.here.insert(visit, (address, socket));
        Some(visit)
    }

    /// The visit is over, well or not; whether it had not been ended before.
    pub(super) fn leave(&self, visit: u64) -> bool {
        self.visits().here.remove(&visit).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{Ipv4Addr, TcpListener};

    fn address(last: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
    }

    /// Both ends of a connection.
    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    #[test]
    fn a_newcomer_gets_in_and_the_longest_silent_of_its_address_goes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let door = Door::default();
        let (mut silent, far) = pair(&listener);
        let first = door.enter(address(1), &far).unwrap();
        let others: Vec<_> = (1..MOST_OF_ONE).map(|_| pair(&listener)).collect();
        let visits: Vec<u64> = others.iter().map(|(_, far)| door.enter(address(1), far).unwrap()).collect();
        // Another address is no matter of theirs.
        let (_near, elsewhere) = pair(&listener);
        let elsewhere = door.enter(address(2), &elsewhere).unwrap();
        let (_near, newcomer) = pair(&listener);
        let newcomer = door.enter(address(1), &newcomer).unwrap();
        assert!(!door.leave(first), "the first was sent away");
        assert_eq!(silent.read(&mut [0; 1]).unwrap(), 0);
        assert!(visits.iter().all(|&visit| door.leave(visit)));
        assert!(door.leave(elsewhere) && door.leave(newcomer));
    }

    #[test]
    fn altogether_the_busiest_address_makes_room() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let door = Door::default();
        let mut kept = Vec::new();
        let mut enter = |last: u8| {
            let (near, far) = pair(&listener);
            let visit = door.enter(address(last), &far).unwrap();
            kept.push((near, far));
            visit
        };
        let lonely = enter(200);
        for knock in 0..MOST as u8 {
            enter(knock / 8);
        }
        assert!(door.visits().here.len() <= MOST);
        assert!(door.leave(lonely));
    }
}

//! Keys for each purpose from one group key.

use super::{GroupHash, Secret, SivCipher};
use hkdf::Hkdf;
use sha2::Sha512;

/// What all primary parties share after the agreement. Every key is derived from it for one purpose, one column and one level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupKey(Secret<64>);

/// What a derived key is for. Each value of this type gives an independent key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Labels of a column on a level, by its position in the plan: what opens one level opens no other.
    Level(u16, u8),
    /// Tuple identifiers.
    Identifiers,
    /// Released labels on their way round the ring.
    Release,
    /// Tuple identifiers, where people are only counted.
    People,
    /// The key of the counters, which all primary parties read.
    Counters,
    /// Choices that all parties make alike: which rows are copied as pseudo tuples.
    Choices,
}

impl Domain {
    fn info(self) -> [u8; 4] {
        let ([low, high], level) = match self {
            Domain::Level(column, level) => (column.to_le_bytes(), level),
            _ => ([0, 0], 0),
        };
        let kind = match self {
            Domain::Level(..) => 0,
            Domain::Identifiers => 1,
            Domain::Release => 2,
            Domain::Choices => 3,
            Domain::People => 4,
            Domain::Counters => 5,
        };
        [kind, low, high, level]
    }
}

impl GroupKey {
    /// Extracts a uniform key from shared secret material; `context` (the transcript) binds it to this run.
    pub(crate) fn extract(context: &[u8], material: &[u8]) -> GroupKey {
        GroupKey(expand(&Hkdf::<Sha512>::new(Some(context), material), b"paravent federation v1 group"))
    }

    /// A key that one party keeps to itself, for columns that no other party may decrypt.
    pub(crate) fn private(rng: &mut dyn rand_core::CryptoRng) -> GroupKey {
        let mut bytes = [0u8; 64];
        rng.fill_bytes(&mut bytes);
        GroupKey(Secret::new(bytes))
    }

    /// The deterministic cipher of a domain.
    pub fn cipher(&self, domain: Domain) -> SivCipher {
        SivCipher::new(self.derive(b"siv ", domain))
    }

    /// The hash to the group of a domain.
    pub fn group_hash(&self, domain: Domain) -> GroupHash {
        GroupHash::new(self.derive(b"hash", domain))
    }

    /// A seed for choices that all holders of the key make alike.
    pub(crate) fn seed(&self, domain: Domain) -> Secret<32> {
        self.derive(b"seed", domain)
    }

    fn derive<const N: usize>(&self, purpose: &[u8; 4], domain: Domain) -> Secret<N> {
        let hkdf = Hkdf::<Sha512>::new(Some(b"paravent federation v2 keys"), self.0.expose());
        let mut info = purpose.to_vec();
        info.extend(domain.info());
        expand(&hkdf, &info)
    }
}

fn expand<const N: usize>(hkdf: &Hkdf<Sha512>, info: &[u8]) -> Secret<N> {
    let mut bytes = [0u8; N];
    // HKDF with SHA-512 gives up to 16,320 bytes; ours are at most 64.
    let expanded = hkdf.expand(info, &mut bytes);
    debug_assert!(expanded.is_ok());
    Secret::new(bytes)
}

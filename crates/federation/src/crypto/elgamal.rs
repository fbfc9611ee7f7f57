//! Exponential ElGamal on ristretto255.
//!
//! `E(m) = (r·G, m·G + r·P)` with public key `P = s·G`; sums add component-wise; `m·G = c₂ − s·c₁`, and since counts are small,
//! `m` is found by baby-step giant-step. ElGamal 1985 in its lifted form; Cramer, Gennaro & Schoenmakers, EUROCRYPT 1997.

use super::discrete_log::DiscreteLog;
use super::{AdditiveCounters, NotACounter};
use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use rayon::prelude::*;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Counters that one core works on at a time.
const CHUNK: usize = 64;

/// The scheme.
#[derive(Debug, Clone, Copy)]
pub struct ElGamal;

/// The private scalar, with the logarithms that reading takes.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct ElGamalSecret {
    scalar: Scalar,
    /// Of public points; kept, because every question of a search needs them.
    #[zeroize(skip)]
    logarithms: Mutex<Arc<DiscreteLog>>,
}

/// The public point, with its multiples at hand.
pub struct ElGamalPublic {
    point: RistrettoPoint,
    multiples: Box<RistrettoBasepointTable>,
}

/// An encrypted count: two points, 64 bytes on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ElGamalCounter {
    mask: RistrettoPoint,
    body: RistrettoPoint,
}

impl fmt::Debug for ElGamalCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ElGamalCounter")
    }
}

impl ElGamalPublic {
    /// 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.point.compress().to_bytes()
    }

    /// From 32 bytes; the neutral element is no key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<ElGamalPublic, NotACounter> {
        let point = CompressedRistretto(*bytes).decompress().ok_or(NotACounter)?;
        if point == RistrettoPoint::identity() {
            return Err(NotACounter);
        }
        Ok(ElGamalPublic::of(point))
    }

    fn of(point: RistrettoPoint) -> ElGamalPublic {
        ElGamalPublic { point, multiples: Box::new(RistrettoBasepointTable::create(&point)) }
    }

    /// Fresh encryptions as they are sent. Points are made at half their size and doubled where they are written down: doubled points are
    /// compressed many at a time, with one inversion for all.
    pub fn encrypt_to_bytes(&self, counts: &[u64], rng: &mut dyn rand_core::CryptoRng) -> Vec<[u8; 64]> {
        let mut randomness = scalars(counts.len(), rng);
        let half = Scalar::from(2u8).invert();
        let half_g = RistrettoPoint::mul_base(&half);
        let only_bits = counts.iter().all(|&count| count <= 1);
        let halves = |(r, &count): (&Scalar, &u64)| {
            let count = match only_bits {
                true => bit(count, &half_g),
                false => RistrettoPoint::mul_base(&(half * Scalar::from(count))),
            };
            let ElGamalCounter { mask, body } = self.mask(r);
            [mask, body + count]
        };
        let chunk = |(randomness, counts): (&[Scalar], &[u64])| -> Vec<[u8; 64]> {
            let points: Vec<RistrettoPoint> = randomness.iter().zip(counts).flat_map(halves).collect();
            let written = RistrettoPoint::double_and_compress_batch(&points);
            written.chunks_exact(2).map(|pair| both(&pair[0], &pair[1])).collect()
        };
        let chunks = randomness.par_chunks(CHUNK).zip(counts.par_chunks(CHUNK));
        let written: Vec<Vec<[u8; 64]>> = chunks.map(chunk).collect();
        randomness.zeroize();
        written.concat()
    }

    /// `(r·G, r·P)`.
    fn mask(&self, randomness: &Scalar) -> ElGamalCounter {
        ElGamalCounter { mask: RistrettoPoint::mul_base(randomness), body: randomness * &*self.multiples }
    }
}

impl ElGamalCounter {
    /// 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        both(&self.mask.compress(), &self.body.compress())
    }

    /// From 64 bytes each; all cores share the work.
    pub fn read_all(bytes: &[[u8; 64]]) -> Result<Vec<ElGamalCounter>, NotACounter> {
        let point = |half: &[u8]| {
            let compressed = CompressedRistretto::from_slice(half).map_err(|_| NotACounter)?;
            compressed.decompress().ok_or(NotACounter)
        };
        let read =
            |both: &[u8; 64]| Ok(ElGamalCounter { mask: point(&both[..32])?, body: point(&both[32..])? });
        bytes.par_iter().with_min_len(64).map(read).collect()
    }

    /// The bytes of many; all cores share the work.
    pub fn write_all(counters: &[ElGamalCounter]) -> Vec<[u8; 64]> {
        counters.par_iter().with_min_len(64).map(ElGamalCounter::to_bytes).collect()
    }
}

impl ElGamalSecret {
    /// Logarithms that are quick to find up to the bound.
    fn logarithms(&self, bound: u64) -> Arc<DiscreteLog> {
        let mut known = self.logarithms.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.suffices(bound) {
            *known = Arc::new(DiscreteLog::up_to(bound));
        }
        Arc::clone(&known)
    }
}

/// Nothing or the point, in a time that does not depend on which.
fn bit(count: u64, point: &RistrettoPoint) -> RistrettoPoint {
    RistrettoPoint::conditional_select(&RistrettoPoint::identity(), point, Choice::from((count & 1) as u8))
}

fn both(mask: &CompressedRistretto, body: &CompressedRistretto) -> [u8; 64] {
    let mut bytes = [0u8; 64];
    bytes[..32].copy_from_slice(mask.as_bytes());
    bytes[32..].copy_from_slice(body.as_bytes());
    bytes
}

/// Scalars are drawn one after the other, so that the result does not depend on the number of threads.
fn scalars(count: usize, rng: &mut dyn rand_core::CryptoRng) -> Vec<Scalar> {
    (0..count).map(|_| Scalar::random(rng)).collect()
}

impl AdditiveCounters for ElGamal {
    type Public = ElGamalPublic;
    type Secret = ElGamalSecret;
    type Counter = ElGamalCounter;

    fn generate(rng: &mut dyn rand_core::CryptoRng) -> (ElGamalSecret, ElGamalPublic) {
        let mut secret = Scalar::random(rng);
        while secret == Scalar::ZERO {
            secret = Scalar::random(rng);
        }
        let public = ElGamalPublic::of(RistrettoPoint::mul_base(&secret));
        let logarithms = Mutex::new(Arc::new(DiscreteLog::up_to(0)));
        (ElGamalSecret { scalar: secret, logarithms }, public)
    }

    fn encrypt(
        public: &ElGamalPublic,
        counts: &[u64],
        rng: &mut dyn rand_core::CryptoRng,
    ) -> Vec<ElGamalCounter> {
        let mut randomness = scalars(counts.len(), rng);
        let only_bits = counts.iter().all(|&count| count <= 1);
        let encrypt = |(r, &count): (&Scalar, &u64)| {
            let mut counter = public.mask(r);
            counter.body += if only_bits {
                bit(count, &RISTRETTO_BASEPOINT_POINT)
            } else {
                RistrettoPoint::mul_base(&Scalar::from(count))
            };
            counter
        };
        let counters = randomness.par_iter().zip(counts).with_min_len(32).map(encrypt).collect();
        randomness.zeroize();
        counters
    }

    fn nothing() -> ElGamalCounter {
        ElGamalCounter { mask: RistrettoPoint::identity(), body: RistrettoPoint::identity() }
    }

    fn add(a: &ElGamalCounter, b: &ElGamalCounter) -> ElGamalCounter {
        ElGamalCounter { mask: a.mask + b.mask, body: a.body + b.body }
    }

    fn rerandomise(
        public: &ElGamalPublic,
        counters: &[ElGamalCounter],
        rng: &mut dyn rand_core::CryptoRng,
    ) -> Vec<ElGamalCounter> {
        let mut randomness = scalars(counters.len(), rng);
        let again = |(r, counter): (&Scalar, &ElGamalCounter)| ElGamal::add(counter, &public.mask(r));
        let counters = randomness.par_iter().zip(counters).with_min_len(32).map(again).collect();
        randomness.zeroize();
        counters
    }

    fn decrypt(
        secret: &ElGamalSecret,
        counters: &[ElGamalCounter],
        bound: u64,
    ) -> Result<Vec<u64>, NotACounter> {
        let logarithms = secret.logarithms(bound);
        let decrypt = |counters: &[ElGamalCounter]| {
            let open = |counter: &ElGamalCounter| counter.body - secret.scalar * counter.mask;
            logarithms.of_all(counters.iter().map(open).collect(), bound).ok_or(NotACounter)
        };
        let counts: Result<Vec<Vec<u64>>, NotACounter> = counters.par_chunks(CHUNK).map(decrypt).collect();
        Ok(counts?.concat())
    }
}

//! Group key agreement among the primary parties.
//!
//! Two rounds on ristretto255: every party publishes `z_i = x_i·G`, then `X_i = x_i·(z_{i+1} − z_{i−1})`; all compute
//! `K = Σ_j x_j·x_{j+1}·G`. Every party contributes and nobody chooses the key. Secure against whoever only listens; the channels
//! authenticate the parties. Burmester & Desmedt, "A secure and efficient conference key distribution system", EUROCRYPT 1994.

use super::GroupKey;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The first message of a party, `z_i`.
pub type Contribution = [u8; 32];
/// The second message of a party, `X_i`.
pub type Confirmation = [u8; 32];

/// A message that is not a point of the group, or that would fix the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a contribution to the group key is not a valid point")]
pub struct AgreementError;

/// One party's side of the agreement.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Agreement {
    exponent: Scalar,
    #[zeroize(skip)]
    me: usize,
}

impl Agreement {
    /// Draws the exponent of the party at position `me` of the ring; gives its first message.
    pub fn start(me: usize, rng: &mut dyn rand_core::CryptoRng) -> (Agreement, Contribution) {
        let mut exponent = Scalar::random(rng);
        while exponent == Scalar::ZERO {
            exponent = Scalar::random(rng);
        }
        let contribution = RistrettoPoint::mul_base(&exponent).compress().to_bytes();
        (Agreement { exponent, me }, contribution)
    }

    /// The second message, from the first messages of all parties in ring order.
    pub fn confirm(&self, contributions: &[Contribution]) -> Result<Confirmation, AgreementError> {
        let n = contributions.len();
        let next = contribution(&contributions[(self.me + 1) % n])?;
        let previous = contribution(&contributions[(self.me + n - 1) % n])?;
        Ok((self.exponent * (next - previous)).compress().to_bytes())
    }

    /// The key, from both messages of all parties in ring order. The run and the whole transcript go into it.
    pub fn finish(
        &self,
        run: &[u8],
        contributions: &[Contribution],
        confirmations: &[Confirmation],
    ) -> Result<GroupKey, AgreementError> {
        let n = contributions.len();
        let previous = contribution(&contributions[(self.me + n - 1) % n])?;
        // K = n·x_i·z_{i−1} + (n−1)·X_i + (n−2)·X_{i+1} + … + X_{i−2}
        let mut shared = Scalar::from(n as u64) * self.exponent * previous;
        for step in 0..n.saturating_sub(1) {
            let confirmation = point(&confirmations[(self.me + step) % n])?;
            shared += Scalar::from((n - 1 - step) as u64) * confirmation;
        }
        let mut transcript = Sha512::new();
        transcript.update(run);
        contributions.iter().chain(confirmations).for_each(|message| transcript.update(message));
        let mut material = shared.compress().to_bytes();
        let key = GroupKey::extract(&transcript.finalize(), &material);
        material.zeroize();
        shared.zeroize();
        Ok(key)
    }
}

fn contribution(bytes: &Contribution) -> Result<RistrettoPoint, AgreementError> {
    let point = point(bytes)?;
    if point == RistrettoPoint::identity() { Err(AgreementError) } else { Ok(point) }
}

fn point(bytes: &[u8; 32]) -> Result<RistrettoPoint, AgreementError> {
    CompressedRistretto(*bytes).decompress().ok_or(AgreementError)
}

//! Commutative deterministic encryption on ristretto255.
//!
//! A label is hashed to a point `H(x)` of a group of prime order; a layer multiplies by a secret scalar: `E_a(E_b(x)) = a·b·H(x) =
//! E_b(E_a(x))`. A layer is removed by the inverse scalar. Hashing to the group leaves no values 0 or 1 and no subgroup to
//! recognise. Pohlig & Hellman 1978; Agrawal, Evfimievski & Srikant, "Information sharing across private databases", SIGMOD 2003.

use super::{NotAToken, Secret, Token};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use rayon::prelude::*;
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// One party's layer of an encryption whose layers commute.
pub trait CommutativeLayer: Send + Sync {
    /// Adds the layer.
    fn add(&self, tokens: &[Token]) -> Result<Vec<Token>, NotAToken>;
    /// Removes the layer again, whatever was added since.
    fn remove(&self, tokens: &[Token]) -> Result<Vec<Token>, NotAToken>;
}

/// A secret scalar, one per party and column.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct RistrettoLayer {
    scalar: Scalar,
    inverse: Scalar,
}

impl RistrettoLayer {
    /// A new layer; the scalar is never 0, so it can be removed.
    pub fn random(rng: &mut dyn rand_core::CryptoRng) -> RistrettoLayer {
        loop {
            let scalar = Scalar::random(rng);
            if scalar != Scalar::ZERO {
                return RistrettoLayer { scalar, inverse: scalar.invert() };
            }
        }
    }
}

impl CommutativeLayer for RistrettoLayer {
    fn add(&self, tokens: &[Token]) -> Result<Vec<Token>, NotAToken> {
        multiply(tokens, &self.scalar)
    }

    fn remove(&self, tokens: &[Token]) -> Result<Vec<Token>, NotAToken> {
        multiply(tokens, &self.inverse)
    }
}

fn multiply(tokens: &[Token], scalar: &Scalar) -> Result<Vec<Token>, NotAToken> {
    tokens.par_iter().with_min_len(16).map(|token| Ok(to_token(&(point(token)? * scalar)))).collect()
}

fn point(token: &Token) -> Result<RistrettoPoint, NotAToken> {
    let compressed = CompressedRistretto::from_slice(&token.0).map_err(|_| NotAToken)?;
    let point = compressed.decompress().ok_or(NotAToken)?;
    // The neutral element stays what it is under every layer: no honest label is hashed there.
    if point == RistrettoPoint::identity() { Err(NotAToken) } else { Ok(point) }
}

fn to_token(point: &RistrettoPoint) -> Token {
    Token(Box::new(point.compress().to_bytes()))
}

/// Labels to points of the group, under a key of this run and column: without the key nobody can hash a guess and compare.
pub struct GroupHash(Secret<32>);

impl GroupHash {
    pub(super) fn new(key: Secret<32>) -> GroupHash {
        GroupHash(key)
    }

    /// `H(label)` for each label.
    pub fn hash(&self, labels: &[Vec<u8>]) -> Vec<Token> {
        let hash = |label: &Vec<u8>| {
            let mut hasher = Sha512::new();
            hasher.update(b"paravent federation v1 hash to ristretto255");
            hasher.update(self.0.expose());
            hasher.update(label);
            let mut wide: [u8; 64] = hasher.finalize().into();
            let token = to_token(&RistrettoPoint::from_uniform_bytes(&wide));
            wide.zeroize();
            token
        };
        labels.par_iter().with_min_len(16).map(hash).collect()
    }
}

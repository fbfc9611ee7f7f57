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

/// A secret scalar, one per party, column and level.
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
    multiply_all(tokens, scalar, point)
}

/// The products of the points behind some items, as tokens.
fn multiply_all<T: Sync>(
    items: &[T],
    scalar: &Scalar,
    point_of: impl Fn(&T) -> Result<RistrettoPoint, NotAToken> + Sync,
) -> Result<Vec<Token>, NotAToken> {
    // s·P = 2·(s/2)·P, and doubled points can be compressed many at a time, with one inversion for all.
    let mut half = scalar * Scalar::from(2u8).invert();
    let chunk = |items: &[T]| {
        let products = items.iter().map(|item| Ok(point_of(item)? * half));
        let products = products.collect::<Result<Vec<RistrettoPoint>, NotAToken>>()?;
        let compressed = RistrettoPoint::double_and_compress_batch(&products);
        Ok(compressed.iter().map(|point| Token(Box::new(point.to_bytes()))).collect())
    };
    let chunks: Result<Vec<Vec<Token>>, NotAToken> = items.par_chunks(64).map(chunk).collect();
    half.zeroize();
    Ok(chunks?.concat())
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
        labels.par_iter().with_min_len(16).map(|label| to_token(&self.point(label))).collect()
    }

    /// `H(label)` for each label, with a layer on it: nothing is written down between the two.
    pub fn hash_under(&self, layer: &RistrettoLayer, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        multiply_all(labels, &layer.scalar, |label| Ok(self.point(label)))
    }

    fn point(&self, label: &[u8]) -> RistrettoPoint {
        let mut hasher = Sha512::new();
        hasher.update(b"paravent federation v1 hash to ristretto255");
        hasher.update(self.0.expose());
        hasher.update(label);
        let mut wide: [u8; 64] = hasher.finalize().into();
        let point = RistrettoPoint::from_uniform_bytes(&wide);
        wide.zeroize();
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    /// One point at a time.
    fn multiply_slowly(tokens: &[Token], scalar: &Scalar) -> Result<Vec<Token>, NotAToken> {
        tokens.iter().map(|token| Ok(to_token(&(point(token)? * scalar)))).collect()
    }

    #[test]
    fn points_compressed_together_are_those_compressed_alone() {
        let layer = RistrettoLayer::random(&mut ChaCha20Rng::from_seed([5; 32]));
        let hash = GroupHash::new(Secret::new([9; 32]));
        for count in [0u32, 1, 63, 64, 65, 200] {
            let labels: Vec<Vec<u8>> = (0..count).map(|label| label.to_le_bytes().to_vec()).collect();
            let tokens = hash.hash(&labels);
            let added = layer.add(&tokens).unwrap();
            assert_eq!(added, multiply_slowly(&tokens, &layer.scalar).unwrap());
            assert_eq!(layer.remove(&added).unwrap(), tokens);
            assert_eq!(hash.hash_under(&layer, &labels).unwrap(), added);
        }
    }
}

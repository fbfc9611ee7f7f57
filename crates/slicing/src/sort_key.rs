//! Permutations for engines that can only sort.

use crate::permute::Operator;
use crate::secret::{Secret, stream};
use rand::Rng;

/// A random number for the row of that rank in that group. Ordering the rows of a bucket by it is a uniform permutation, independent for every
/// group, unless two of the 128-bit numbers are equal, which has a chance below rows² / 2^129.
pub fn sort_key(secret: &Secret, operator: Operator, group: u32, rank: u64) -> [u8; 16] {
    // Streams of the kernel are numbered by bucket and group; these are told apart by a key of their own.
    let key = secret.derive(operator.0 ^ (1 << 63));
    let mut own = stream(&key, u64::from(group));
    let mut group_key = [0; 32];
    own.fill_bytes(&mut group_key);
    let mut bytes = [0; 16];
    stream(&group_key, rank).fill_bytes(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_rank_group_operator_and_secret() {
        let secret = Secret::from_seed(1);
        let key = sort_key(&secret, Operator(1), 1, 1);
        assert_eq!(key, sort_key(&secret, Operator(1), 1, 1));
        assert_ne!(key, sort_key(&secret, Operator(1), 1, 2));
        assert_ne!(key, sort_key(&secret, Operator(1), 2, 1));
        assert_ne!(key, sort_key(&secret, Operator(2), 1, 1));
        assert_ne!(key, sort_key(&Secret::from_seed(2), Operator(1), 1, 1));
    }
}

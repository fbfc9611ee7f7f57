//! The permutations of a database: rows of a bucket in the order of a keyed digest.
//!
//! The place of a row in a group of its bucket is its rank by
//!
//! ```text
//! SHA-256( key (32 bytes) ‖ group, from 1 (4) ‖ number of the row, from 1 (8) )        numbers big-endian
//! ```
//!
//! so that any database with SHA-256 repeats it ([`crate::statement`] writes the text), whatever it does with the rows. Digests are as good as random
//! without the key, so every order of a bucket is as likely as another, unless two digests are equal, which nobody has seen. The kernel in
//! [`mod@crate::permute`] is faster, and draws other orders.

use crate::buckets::Layout;
use crate::permute::{Gathers, Operator};
use crate::secret::Secret;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The key of a slicing, for an engine that draws by it. Who has it can undo the permutations.
pub fn key_of(secret: &Secret, operator: Operator) -> Zeroizing<[u8; 32]> {
    secret.derive(operator.0)
}

/// The permutations of all buckets and groups. The rows come out bucket by bucket: sort them before they are released.
pub fn permute_by_digest(layout: &Layout, groups: usize, key: &[u8; 32]) -> Gathers {
    let ordered = |group: u32| -> Vec<u32> {
        let buckets = layout.iter().flat_map(|bucket| {
            let mut rows: Vec<([u8; 32], u32)> =
                bucket.iter().map(|&row| (digest(key, group, row), row)).collect();
            rows.sort_unstable();
            rows.into_iter().map(|(_, row)| row)
        });
        buckets.collect()
    };
    Gathers::by_bucket((1..=groups as u32).into_par_iter().map(ordered).collect())
}

fn digest(key: &[u8; 32], group: u32, row: u32) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update(group.to_be_bytes());
    hash.update((u64::from(row) + 1).to_be_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MinimumSize, Windows};

    fn layout(rows: usize) -> Layout {
        Layout::by_rank(rows, Windows::Size(7), MinimumSize::TWO).unwrap()
    }

    #[test]
    fn every_group_has_the_rows_of_every_bucket_in_an_order_of_its_own() {
        let layout = layout(100);
        let key = key_of(&Secret::from_seed(3), Operator(1));
        let gathers = permute_by_digest(&layout, 3, &key);
        for group in 0..3 {
            for (bucket, rows) in layout.iter().enumerate() {
                let (start, end) = (layout.offsets()[bucket] as usize, layout.offsets()[bucket + 1] as usize);
                let mut own = gathers.group(group)[start..end].to_vec();
                own.sort_unstable();
                assert_eq!(own, rows);
            }
            assert_ne!(gathers.group(group), layout.order());
        }
        assert_ne!(gathers.group(0), gathers.group(1));
        assert_eq!(gathers, permute_by_digest(&layout, 3, &key));
        assert_ne!(gathers, permute_by_digest(&layout, 3, &key_of(&Secret::from_seed(4), Operator(1))));
    }

    #[test]
    fn orders_of_a_bucket_are_equally_likely() {
        // Three rows have six orders; 6,000 keys.
        let layout = Layout::by_rank(3, Windows::Count(1), MinimumSize::TWO).unwrap();
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            let key = key_of(&Secret::from_seed(seed), Operator(1));
            *seen.entry(permute_by_digest(&layout, 1, &key).into_groups().remove(0)).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        // Five standard deviations.
        assert!(seen.values().all(|&times| times.abs_diff(1000) < 145), "{seen:?}");
    }
}

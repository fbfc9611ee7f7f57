//! The laws of the primitives.

use super::*;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn group_key(seed: u64) -> GroupKey {
    GroupKey::private(&mut rng(seed))
}

fn labels() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..6)
}

/// The keys of a ring of `n` parties.
fn agree(n: usize, seed: u64) -> Vec<GroupKey> {
    let mut rng = rng(seed);
    let (sides, first): (Vec<_>, Vec<_>) = (0..n).map(|me| Agreement::start(me, &mut rng)).unzip();
    let second: Vec<_> = sides.iter().map(|side| side.confirm(&first).unwrap()).collect();
    sides.iter().map(|side| side.finish(b"run", &first, &second).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn layers_commute_and_come_off_in_any_order(labels in labels(), seed in any::<u64>()) {
        let mut rng = rng(seed);
        let (a, b) = (RistrettoLayer::random(&mut rng), RistrettoLayer::random(&mut rng));
        let points = group_key(seed).group_hash(Domain::Level(0, 0)).hash(&labels);
        let both = a.add(&b.add(&points).unwrap()).unwrap();
        prop_assert_eq!(&both, &b.add(&a.add(&points).unwrap()).unwrap());
        prop_assert_eq!(&a.remove(&b.remove(&both).unwrap()).unwrap(), &points);
        prop_assert_eq!(&b.remove(&a.remove(&both).unwrap()).unwrap(), &points);
        prop_assert_ne!(&a.add(&points).unwrap(), &points);
    }

    #[test]
    fn sealed_labels_open_and_equal_labels_look_equal(labels in labels(), seed in any::<u64>()) {
        let cipher = group_key(seed).cipher(Domain::Level(3, 0));
        let tokens = cipher.seal(&labels).unwrap();
        for (i, token) in tokens.iter().enumerate() {
            prop_assert_eq!(&cipher.open(token).unwrap(), &labels[i]);
            for (j, other) in tokens.iter().enumerate() {
                prop_assert_eq!(token == other, labels[i] == labels[j]);
            }
        }
        let other = group_key(seed).cipher(Domain::Level(4, 0));
        prop_assert!(other.open(&tokens[0]).is_err());
        let mut damaged = tokens[0].clone();
        damaged.0[0] ^= 1;
        prop_assert!(cipher.open(&damaged).is_err());
    }

    #[test]
    fn sums_of_counters_are_counters_of_sums(counts in prop::collection::vec(0u64..5000, 1..8), seed in any::<u64>()) {
        let mut rng = rng(seed);
        let (secret, public) = ElGamal::generate(&mut rng);
        let counters = ElGamal::encrypt(&public, &counts, &mut rng);
        let sum = counters.iter().fold(ElGamal::nothing(), |sum, counter| ElGamal::add(&sum, counter));
        let total: u64 = counts.iter().sum();
        let again = ElGamal::rerandomise(&public, &[sum], &mut rng);
        prop_assert_ne!(again[0], sum);
        prop_assert_eq!(ElGamal::decrypt(&secret, &[sum, again[0]], 40_000), Ok(vec![total, total]));
        prop_assert_eq!(ElGamal::decrypt(&secret, &counters, 5000), Ok(counts.clone()));
        if total > 0 {
            prop_assert_eq!(ElGamal::decrypt(&secret, &[sum], total - 1), Err(NotACounter));
        }
        let read = ElGamalCounter::read_all(&ElGamalCounter::write_all(&counters)).unwrap();
        prop_assert_eq!(read, counters);
        // Written down at once, many together, bits and larger counts.
        for counts in [counts.clone(), counts.iter().map(|count| count % 2).collect(), vec![1; 130]] {
            let sent = ElGamalCounter::read_all(&public.encrypt_to_bytes(&counts, &mut rng)).unwrap();
            prop_assert_eq!(ElGamal::decrypt(&secret, &sent, 5000), Ok(counts));
        }
    }

    #[test]
    fn permutations_lose_nothing(n in 0usize..200, seed in any::<u64>()) {
        let mut order = permutation(n, &mut rng(seed));
        order.sort_unstable();
        prop_assert_eq!(order, (0..n as u32).collect::<Vec<_>>());
    }
}

#[test]
fn all_parties_of_a_ring_agree_on_one_key() {
    for n in 2..=5 {
        let keys = agree(n, 7);
        assert!(keys.iter().all(|key| *key == keys[0]));
    }
    assert_ne!(agree(3, 7)[0], agree(3, 8)[0]);
}

#[test]
fn equal_counts_have_different_counters() {
    let mut rng = rng(1);
    let (_, public) = ElGamal::generate(&mut rng);
    let counters = ElGamal::encrypt(&public, &[1, 1, 0, 0], &mut rng);
    assert_ne!(counters[0], counters[1]);
    assert_ne!(counters[2], counters[3]);
    let sent = public.encrypt_to_bytes(&[1, 1, 0, 0], &mut rng);
    assert_ne!(sent[0], sent[1]);
    assert_ne!(sent[2], sent[3]);
}

#[test]
fn another_key_reads_nothing() {
    let mut rng = rng(2);
    let (_, public) = ElGamal::generate(&mut rng);
    let (other, _) = ElGamal::generate(&mut rng);
    let counters = ElGamal::encrypt(&public, &[3], &mut rng);
    assert_eq!(ElGamal::decrypt(&other, &counters, 1000), Err(NotACounter));
}

#[test]
fn columns_and_runs_have_keys_of_their_own() {
    let label = vec![b"cell".to_vec()];
    let hash = |seed, column| group_key(seed).group_hash(Domain::Level(column, 0)).hash(&label);
    assert_ne!(hash(1, 0), hash(1, 1));
    assert_ne!(hash(1, 0), hash(2, 0));
    let seal = |domain| group_key(1).cipher(domain).seal(&label).unwrap();
    assert_ne!(seal(Domain::Level(1, 0)), seal(Domain::Identifiers));
    assert_ne!(seal(Domain::Release), seal(Domain::Identifiers));
}

#[test]
fn what_is_no_point_is_refused() {
    let layer = RistrettoLayer::random(&mut rng(3));
    let bad = [Token(Box::new([0xff; 32])), Token(Box::new([0; 32])), Token(Box::new([1; 5]))];
    for token in bad {
        assert_eq!(layer.add(&[token]), Err(NotAToken));
    }
    assert!(ElGamalPublic::from_bytes(&[0; 32]).is_err());
    assert!(ElGamalCounter::read_all(&[[0xff; 64]]).is_err());
    let (side, mine) = Agreement::start(0, &mut rng(4));
    assert_eq!(side.confirm(&[mine, [0; 32]]), Err(AgreementError));
    assert_eq!(side.confirm(&[mine, [0xff; 32]]), Err(AgreementError));
}

#[test]
fn secrets_do_not_print_themselves() {
    let secret = Secret::new([0x41u8; 8]);
    assert_eq!(format!("{secret:?}"), "Secret(..)");
    assert!(!format!("{:?}", group_key(1)).contains("65"));
    assert_eq!(format!("{:?}", Token(Box::new(*b"cell"))), "Token(4 bytes)");
}

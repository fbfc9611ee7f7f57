//! Does every attack work? Each is run on a planted weak release, and on a strong one.

use super::definetti::{Bucketized, definetti};
use super::finer::Recoding;
use super::games::{Descriptions, Players, inference, linkability, singling_out};
use super::linking::linking;
use super::membership::membership;
use super::planted::{self, K, Plant};
use super::row_order::{OrderPromise, row_order};
use super::{
    Attack, Grouping, Outcome, Released, background_knowledge, classes, composition, disclosure, downcoding,
    homogeneity, minimality, noise_inversion, proximity, query_differencing, release_difference, relinking,
    similarity, skewness, unsorted_matching,
};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;

/// One attack on both releases.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Which attack.
    pub attack: Attack,
    /// Its outcome on the release made to be broken.
    pub planted: Outcome,
    /// Its outcome on the strong one.
    pub strong: Outcome,
}

impl Trial {
    /// The attack succeeds where it must and fails where it must.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.planted.succeeded() && !self.strong.succeeded()
    }
}

/// Runs every attack on both releases; the same seed gives the same trials.
#[must_use]
pub fn self_test(seed: u64) -> Vec<Trial> {
    let trial = |attack: Attack| {
        let planted = run(attack, Plant::Weak, &mut ChaCha20Rng::seed_from_u64(seed));
        let strong = run(attack, Plant::Strong, &mut ChaCha20Rng::seed_from_u64(seed));
        Trial { attack, planted, strong }
    };
    Attack::ALL.into_iter().map(trial).collect()
}

/// The outcome that says most.
fn worst(outcomes: Vec<Outcome>) -> Outcome {
    let worst = outcomes.into_iter().max_by_key(|outcome| outcome.severity);
    worst.expect("the attack has an outcome")
}

fn run(attack: Attack, plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let promises = planted::promises();
    // Weak about secrets: classes of K with one illness each. Weak about identity: classes of one.
    let secrets =
        || if plant == Plant::Weak { planted::homogeneous() } else { planted::people(Plant::Strong) };
    let identities = || planted::people(plant);
    match attack {
        Attack::Homogeneity => homogeneity(&secrets(), 2, &promises),
        Attack::BackgroundKnowledge => background_knowledge(&secrets(), 2, &promises),
        Attack::PositiveDisclosure => disclosure::positive_disclosure(&secrets(), 2, &promises, 0.8),
        Attack::NegativeDisclosure => {
            let outcome = disclosure::negative_disclosure(&secrets(), 2, &promises, &[]);
            outcome.expect("the planted releases show the protected value")
        }
        Attack::Skewness => skewness(&secrets(), 2, &promises, None),
        Attack::Similarity => {
            let released = secrets();
            let group = |label: &String| u32::from(planted::ILLNESSES[3..].contains(&label.as_str()));
            let group_of = released.column(2).labels().iter().map(group).collect();
            let names = vec!["lungs".to_owned(), "stomach".to_owned()];
            similarity(
                &released,
                2,
                classes::Missing::NoValue,
                &Grouping { level: "organ".to_owned(), group_of, names },
            )
        }
        Attack::Proximity => salaries(plant),
        Attack::Linking => {
            let released = identities();
            linking(&released, &planted::list(&released, 1), None, &promises)
        }
        Attack::Membership => {
            let released = identities();
            let copies = if plant == Plant::Weak { 1 } else { 2 };
            membership(&released, &planted::list(&released, copies), &promises)
                .expect("the list has every column")
        }
        Attack::RowOrder => order(plant, random),
        Attack::UnsortedMatching => {
            let (one, two) = planted::two_releases(plant, random);
            unsorted_matching::unsorted_matching(&planted::pair(&one, &two), &promises, random)
        }
        Attack::Composition => match plant {
            Plant::Weak => {
                // Another release in which each class kept one of its people and got others.
                let (one, two) = (planted::people(Plant::Strong), planted::homogeneous());
                worst(composition::composition(&planted::same_labels(&one, &two), &promises))
            }
            Plant::Strong => {
                let (one, two) = (planted::people(Plant::Strong), planted::people(Plant::Strong));
                worst(composition::composition(&planted::same_labels(&one, &two), &promises))
            }
        },
        Attack::ReleaseDifference => {
            let (one, two) = planted::grown(if plant == Plant::Weak { 1 } else { K as usize });
            release_difference::release_difference(&planted::same_labels(&one, &two), &promises)
        }
        Attack::Minimality => {
            let (released, people, finer) = planted::generalized(plant);
            let recoding = if plant == Plant::Weak { Recoding::Local } else { Recoding::FullDomain };
            let requirement = minimality::Requirement { l: 2.0, smallest: 2, tolerated: 0 };
            minimality::minimality(&released, 1, requirement, &people, &[finer], recoding)
        }
        Attack::Downcoding => {
            let (released, people, finer) = planted::clustered(plant);
            downcoding::downcoding(&released, &people, &[finer], &promises, Recoding::Local)
        }
        Attack::DeFinetti => {
            let (buckets, known, released, truth) = planted::bucketized(plant, random);
            let table = Bucketized { buckets: &buckets, known: vec![(&known, 4)], secret: (&released, 4) };
            definetti(&table, "illness", Some(&truth))
        }
        Attack::SinglingOut => {
            let released = identities();
            let inside = planted::list(&released, 1);
            let players = Players { inside: &inside, outside: None };
            singling_out(&released, players, Descriptions::QuasiIdentifiers, &promises, 500, random)
        }
        Attack::Linkability => {
            let released = identities();
            let inside = planted::list(&released, 1);
            let outside = match plant {
                Plant::Weak => planted::strangers(&released, 200, random),
                // Whoever shares a class with others has doubles outside the table too.
                Plant::Strong => planted::list(&released, 1),
            };
            let players = Players { inside: &inside, outside: Some(&outside) };
            linkability(&released, players, &promises, 150, random).expect("there are two quasi-identifiers")
        }
        Attack::Inference => {
            let released = secrets();
            let (inside, outside) = (planted::list(&released, 1), planted::strangers(&released, 200, random));
            let players = Players { inside: &inside, outside: Some(&outside) };
            inference(&released, 2, players, &promises, 150, random).expect("the lists have the secret")
        }
        Attack::Relinking => {
            let buckets: Vec<u32> = (0..60).map(|row| row / 3).collect();
            let key: Vec<u32> = (0..60).map(|row| if plant == Plant::Weak { row % 3 } else { 0 }).collect();
            let mut shuffled = key.clone();
            shuffled.chunks_mut(3).for_each(|bucket| bucket.shuffle(random));
            relinking::relinking(&buckets, &key, &shuffled, "zip", 0.5)
        }
        Attack::NoiseInversion => {
            let keep = if plant == Plant::Weak { 0.95 } else { 0.25 };
            let labels: Vec<String> = planted::ILLNESSES.iter().map(|&label| label.to_owned()).collect();
            noise_inversion::noise_inversion("illness", &labels, &[20; 5], keep, 0.8)
        }
        Attack::QueryDifferencing => {
            let step = if plant == Plant::Weak { 1 } else { K as u32 };
            query_differencing::query_differencing(&[(0..100).collect(), (step..100).collect()], K, None)
        }
    }
}

/// Salaries that are nearly equal in each class (weak), or spread.
fn salaries(plant: Plant) -> Outcome {
    let released = planted::salaries(plant);
    let numbers: Vec<Option<f64>> =
        released.column(1).labels().iter().map(|label| label.parse().ok()).collect();
    proximity(&released, 1, &numbers, 0.8).expect("the planted releases have many numbers")
}

/// A release in the order of its source (weak), or shuffled.
fn order(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let mut places: Vec<u32> = (0..120).map(|row| row * 7 % 120).collect();
    let source: Vec<u32> = places.clone();
    if plant == Plant::Strong {
        places.shuffle(random);
    }
    let cells = places.iter().map(|place| format!("v{place:03}"));
    let released = Released::new(
        crate::microdata::Microdata::new(vec![planted::column("q", cells)]),
        vec![0],
        Vec::new(),
    );
    let list = super::projection::Projection::new(vec![0], vec![source.into_iter().map(Some).collect()]);
    row_order(&released, &list, OrderPromise::Hidden, random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attack_succeeds_on_the_planted_release_and_fails_on_the_strong_one() {
        for seed in [1, 2, 3] {
            for trial in self_test(seed) {
                let name = trial.attack.name();
                assert!(trial.planted.succeeded(), "{name}, seed {seed}: {}", trial.planted.result);
                assert!(!trial.strong.succeeded(), "{name}, seed {seed}: {}", trial.strong.result);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_trials() {
        assert_eq!(self_test(7), self_test(7));
    }
}

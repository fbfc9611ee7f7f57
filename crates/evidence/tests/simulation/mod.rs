//! Populations with a known number of unique people, and samples of them.

use paravent_evidence::risk::ClassSizes;
use paravent_evidence::risk::population::{PopulationUniques, Sampling, estimate};

/// Steele, Lea & Flood's SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// How a population is made.
#[derive(Clone, Copy, Debug)]
pub enum Population {
    /// Four columns of 100, 20, 8 and 2 values, each with shares that fall like 1/rank.
    Columns,
    /// Pitman's own scheme.
    Pitman { theta: f64, alpha: f64 },
    /// Cells whose shares fall like 1/rank^1.2.
    Zipf { cells: usize },
    /// Cells that are equally likely.
    Uniform { cells: usize },
}

impl Population {
    /// The cell of every person.
    fn people(self, count: usize, random: &mut Random) -> Vec<u32> {
        match self {
            Population::Columns => {
                let columns = [100, 20, 8, 2].map(|values| cumulative(values, 1.0));
                let person = |_| {
                    columns.iter().fold(0, |cell, shares| cell * shares.len() as u32 + draw(shares, random))
                };
                (0..count).map(person).collect()
            }
            Population::Pitman { theta, alpha } => {
                let (mut people, mut classes): (Vec<u32>, u32) = (Vec::new(), 0);
                let mut sizes: Vec<u32> = Vec::new();
                for n in 0..count {
                    let fresh = (theta + alpha * f64::from(classes)) / (theta + n as f64);
                    if n == 0 || random.unit() < fresh {
                        people.push(classes);
                        sizes.push(1);
                        classes += 1;
                        continue;
                    }
                    // A class of size s is joined with probability ∝ s − α: pick a person, and reject with α/s.
                    loop {
                        let class = people[(random.next() % n as u64) as usize];
                        if random.unit() >= alpha / f64::from(sizes[class as usize]) {
                            people.push(class);
                            sizes[class as usize] += 1;
                            break;
                        }
                    }
                }
                people
            }
            Population::Zipf { cells } => {
                let shares = cumulative(cells, 1.2);
                (0..count).map(|_| draw(&shares, random)).collect()
            }
            Population::Uniform { cells } => {
                (0..count).map(|_| (random.next() % cells as u64) as u32).collect()
            }
        }
    }
}

fn cumulative(values: usize, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=values).map(|rank| (rank as f64).powf(-exponent)).collect();
    let all: f64 = weights.iter().sum();
    weights
        .iter()
        .scan(0.0, |sum, weight| {
            *sum += weight / all;
            Some(*sum)
        })
        .collect()
}

fn draw(shares: &[f64], random: &mut Random) -> u32 {
    let at = random.unit();
    shares.partition_point(|&share| share < at).min(shares.len() - 1) as u32
}

fn sizes(people: &[u32]) -> ClassSizes {
    let mut counts = vec![0u64; people.iter().max().map_or(0, |&cell| cell as usize + 1)];
    people.iter().for_each(|&cell| counts[cell as usize] += 1);
    ClassSizes::of(counts)
}

/// One sample of one population: who is unique in truth, and what the estimators say.
pub struct Trial {
    pub truth: f64,
    pub people: f64,
    pub found: PopulationUniques,
}

/// Draws a population and a simple random sample without replacement.
pub fn trial(population: Population, people: usize, fraction: f64, seed: u64) -> Trial {
    let mut random = Random(seed);
    let mut everybody = population.people(people, &mut random);
    let truth = sizes(&everybody).classes_of(1) as f64;
    let sample = (people as f64 * fraction).round() as usize;
    for place in 0..sample {
        let other = place + (random.next() % (people - place) as u64) as usize;
        everybody.swap(place, other);
    }
    let sampling = Sampling::of_population(sample as u64, people as u64).unwrap();
    Trial { truth, people: people as f64, found: estimate(&sizes(&everybody[..sample]), &sampling) }
}

/// Bias, error and coverage of one estimator over some trials.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// Trials with an estimate, as a share.
    pub available: f64,
    /// Mean of (estimated − true), in percentage points of the population.
    pub bias: f64,
    /// Share of the estimates that are off by at most a factor of two, or by at most one percentage point.
    pub covered: f64,
}

pub fn quality(trials: &[Trial], estimate: impl Fn(&Trial) -> Option<f64>) -> Quality {
    let errors: Vec<(f64, bool)> = trials
        .iter()
        .filter_map(|trial| {
            let found = estimate(trial)?;
            let points = 100.0 * (found - trial.truth) / trial.people;
            let factor = (found + 1.0) / (trial.truth + 1.0);
            Some((points, points.abs() <= 1.0 || (0.5..=2.0).contains(&factor)))
        })
        .collect();
    let n = errors.len().max(1) as f64;
    Quality {
        available: errors.len() as f64 / trials.len() as f64,
        bias: errors.iter().map(|(points, _)| points).sum::<f64>() / n,
        covered: errors.iter().filter(|(_, covered)| *covered).count() as f64 / n,
    }
}

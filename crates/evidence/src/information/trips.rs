//! Where do people go? Location privacy of trips.

use super::entropy::{NotProbabilities, ROUNDING, bits, check};
use serde::Serialize;

/// What an observer of trips knows about one individual.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// `p(i, o_j)`: the individual starts at origin `j`. The rest to 1 is staying at home.
    pub starts: Vec<f64>,
    /// `p(o_j, d_k)`: a trip from origin `j` ends at destination `k`; every row sums to 1.
    pub trips: Vec<Vec<f64>>,
    /// `p(d_k, i)`: who arrives at destination `k` is the individual.
    pub arrivals: Vec<f64>,
}

/// What that leaves open.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LocationPrivacy {
    /// Entropy of the individual's trip, in bits.
    pub entropy: f64,
    /// `log₂(m·n + 1)` for `m` origins and `n` destinations: all trips and staying at home equally likely.
    pub most: f64,
    /// Their ratio in percent.
    pub percent: f64,
    /// Probability of having stayed at home.
    pub at_home: f64,
    /// By origin and destination: probability of the trip.
    pub trips: Vec<Vec<f64>>,
}

/// Why numbers are no observation.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TripError {
    /// A number is at fault.
    #[error("{table}: {problem}")]
    NotProbabilities {
        /// Which table.
        table: &'static str,
        /// What is wrong.
        problem: NotProbabilities,
    },
    /// The tables do not go together.
    #[error(
        "{origins} origins and {destinations} destinations need a table of trips with as many rows and columns, and as many arrivals"
    )]
    Shape {
        /// Origins.
        origins: usize,
        /// Destinations.
        destinations: usize,
    },
    /// The probabilities of starting sum to more than 1.
    #[error("starts: the probabilities sum to {sum}, more than 1")]
    Starts {
        /// The sum.
        sum: f64,
    },
    /// Nothing can have happened.
    #[error("no trip and no stay has a probability above 0")]
    Impossible,
}

/// The measure of Ma, Kargl & Weber ("Measuring location privacy in V2X communication systems with accumulated information",
/// MASS 2009), with all weights normalised alike: `w_jk = p(i,o_j) p(o_j,d_k) p(d_k,i)`, home `w_c = 1 − Σ_j p(i,o_j)`,
/// `Z = Σ w_jk + w_c`, `H = −Σ (w/Z) log₂ (w/Z)`.
///
/// # Errors
/// If the numbers are not probabilities or the tables do not go together.
pub fn location_privacy(observation: &Observation) -> Result<LocationPrivacy, TripError> {
    let Observation { starts, trips, arrivals } = observation;
    let fault = |table| move |problem| TripError::NotProbabilities { table, problem };
    check(starts).map_err(fault("starts"))?;
    check(arrivals).map_err(fault("arrivals"))?;
    let (origins, destinations) = (starts.len(), arrivals.len());
    if trips.len() != origins || trips.iter().any(|row| row.len() != destinations) {
        return Err(TripError::Shape { origins, destinations });
    }
    for row in trips {
        super::entropy(row).map_err(fault("trips"))?;
    }
    let sum: f64 = starts.iter().sum();
    if sum > 1.0 + ROUNDING {
        return Err(TripError::Starts { sum });
    }
    let home = (1.0 - sum).max(0.0);
    let weight = |(start, row): (&f64, &Vec<f64>)| -> Vec<f64> {
        row.iter().zip(arrivals).map(|(trip, arrival)| start * trip * arrival).collect()
    };
    let weights: Vec<Vec<f64>> = starts.iter().zip(trips).map(weight).collect();
    let all = weights.iter().flatten().sum::<f64>() + home;
    if all <= 0.0 {
        return Err(TripError::Impossible);
    }
    let trips: Vec<Vec<f64>> =
        weights.iter().map(|row| row.iter().map(|weight| weight / all).collect()).collect();
    let at_home = home / all;
    let every: Vec<f64> = trips.iter().flatten().copied().chain([at_home]).collect();
    let (entropy, most) = (bits(&every), (every.len() as f64).log2());
    Ok(LocationPrivacy { entropy, most, percent: 100.0 * entropy / most, at_home, trips })
}

impl LocationPrivacy {
    /// The same as a degree of unlinkability: one individual is related to one of the trips, or to staying at home. Its degree is
    /// [`percent`](Self::percent) / 100, so the measure of trips is the unlinkability of a set of one from the set of all trips.
    #[must_use]
    pub fn ways(&self) -> Vec<(Vec<usize>, f64)> {
        let every = self.trips.iter().flatten().chain([&self.at_home]);
        every.enumerate().map(|(trip, &probability)| (vec![trip], probability)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::information::unlinkability::between_sets;

    #[test]
    fn where_somebody_went_is_a_matter_of_unlinkability() {
        for starts in [vec![0.4, 0.4], vec![1.0, 0.0], vec![0.5, 0.5], vec![0.0, 0.1]] {
            let found = location_privacy(&Observation { starts, ..observation() }).unwrap();
            let ways = found.ways();
            let degree = between_sets(&ways, ways.len()).unwrap();
            assert_eq!(degree.relations, 5);
            assert!((degree.entropy - found.entropy).abs() < 1e-12);
            assert!((100.0 * degree.degree - found.percent).abs() < 1e-9, "{degree:?} {found:?}");
        }
    }

    fn observation() -> Observation {
        Observation {
            starts: vec![0.4, 0.4],
            trips: vec![vec![0.5, 0.5], vec![0.25, 0.75]],
            arrivals: vec![0.5, 1.0],
        }
    }

    #[test]
    fn the_example_with_two_places() {
        let found = location_privacy(&observation()).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
        assert!(near(found.entropy, 2.1163) && near(found.most, 2.321_928) && near(found.percent, 91.144_06));
        assert!(near(found.at_home, 0.235_294));
        let expected = [[0.117_647, 0.235_294], [0.058_824, 0.352_941]];
        assert!(found.trips.iter().flatten().zip(expected.iter().flatten()).all(|(&a, &b)| near(a, b)));
        let sum: f64 = found.trips.iter().flatten().sum::<f64>() + found.at_home;
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn staying_at_home_for_certain_is_known() {
        let found = location_privacy(&Observation { starts: vec![0.0, 0.0], ..observation() }).unwrap();
        assert_eq!((found.entropy, found.at_home), (0.0, 1.0));
    }

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let wrong = [
            Observation { starts: vec![0.7, 0.7], ..observation() },
            Observation { starts: vec![0.4], ..observation() },
            Observation { arrivals: vec![0.5, 1.5], ..observation() },
            Observation { trips: vec![vec![0.5, 0.4], vec![0.25, 0.75]], ..observation() },
            Observation { starts: vec![0.5, 0.5], arrivals: vec![0.0, 0.0], ..observation() },
        ];
        for observation in wrong {
            assert!(location_privacy(&observation).is_err(), "{observation:?}");
        }
    }
}

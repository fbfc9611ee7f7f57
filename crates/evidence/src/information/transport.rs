//! The work it takes to turn one distribution into another: the earth mover's distance.
//!
//! Amounts at places are moved to where they are wanted; moving one unit from i to j costs the ground distance `d(i,j)`. The distance is
//! the least total cost, `min Σ d(i,j) f(i,j)`, in the units of the ground distance: not divided by its largest value. On a line
//! it is the area between the cumulated amounts. The ground distance must be a metric, or moving by a detour would be cheaper.
//! Rubner, Tomasi and Guibas, "The earth mover's distance as a metric for image retrieval", IJCV 40(2), 2000.

use super::entropy::ROUNDING;
use serde::Serialize;

/// What moving takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Work {
    /// `Σ d(i,j) f(i,j)`.
    pub work: f64,
    /// The amount there is, equal on both sides.
    pub amount: f64,
    /// Work by amount.
    pub mean: f64,
    /// Work by amount and the largest ground distance: from 0 to 1, as in t-closeness.
    pub normalised: f64,
    /// What is moved: from, to, how much.
    pub moves: Vec<(usize, usize, f64)>,
}

/// Why there is no distance.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TransportError {
    /// Amounts that are negative or not finite.
    #[error("amount {position} is not a number from 0 on")]
    Amount {
        /// Which, from 1.
        position: usize,
    },
    /// More on one side than on the other.
    #[error("the amounts before sum to {before}, those after to {after}; they must be equal")]
    Unequal {
        /// The sum before.
        before: f64,
        /// The sum after.
        after: f64,
    },
    /// The table of distances has another size.
    #[error("{places} places need a table of distances with as many rows and columns")]
    Shape {
        /// How many.
        places: usize,
    },
    /// A place is not at distance 0 from itself, or another one is; or a distance is negative or none.
    #[error("the distance from place {from} to place {to} must be {}", if from == to { "0" } else { "above 0" })]
    NotPositive {
        /// From, counted from 1.
        from: usize,
        /// To.
        to: usize,
    },
    /// There and back are not equally far.
    #[error("the distance between places {from} and {to} is not the same both ways")]
    NotSymmetric {
        /// From, counted from 1.
        from: usize,
        /// To.
        to: usize,
    },
    /// A detour is shorter.
    #[error(
        "the way from place {from} to place {to} is shorter over place {over}: the triangle inequality does not hold"
    )]
    Detour {
        /// From, counted from 1.
        from: usize,
        /// To.
        to: usize,
        /// Over.
        over: usize,
    },
}

/// Distances of places on a line.
#[must_use]
pub fn on_a_line(places: &[f64]) -> Vec<Vec<f64>> {
    places.iter().map(|a| places.iter().map(|b| (a - b).abs()).collect()).collect()
}

/// Whether a table of distances is a metric.
///
/// # Errors
/// The first axiom that fails, with the places.
pub fn check_metric(ground: &[Vec<f64>]) -> Result<(), TransportError> {
    let places = ground.len();
    if ground.iter().any(|row| row.len() != places) {
        return Err(TransportError::Shape { places });
    }
    for (from, row) in ground.iter().enumerate() {
        for (to, &distance) in row.iter().enumerate() {
            let fits = if from == to { distance == 0.0 } else { distance > 0.0 && distance.is_finite() };
            if !fits {
                return Err(TransportError::NotPositive { from: from + 1, to: to + 1 });
            }
            if distance != ground[to][from] {
                return Err(TransportError::NotSymmetric { from: from + 1, to: to + 1 });
            }
        }
    }
    for from in 0..places {
        for to in 0..places {
            let shorter =
                |&over: &usize| ground[from][over] + ground[over][to] < ground[from][to] * (1.0 - 1e-12);
            if let Some(over) = (0..places).find(shorter) {
                return Err(TransportError::Detour { from: from + 1, to: to + 1, over: over + 1 });
            }
        }
    }
    Ok(())
}

/// The least work that turns `before` into `after`.
///
/// # Errors
/// If the amounts are not comparable or the distances are no metric.
pub fn work(before: &[f64], after: &[f64], ground: &[Vec<f64>]) -> Result<Work, TransportError> {
    let places = before.len();
    if after.len() != places || ground.len() != places {
        return Err(TransportError::Shape { places });
    }
    check_metric(ground)?;
    for side in [before, after] {
        if let Some(place) = side.iter().position(|amount| !amount.is_finite() || *amount < 0.0) {
            return Err(TransportError::Amount { position: place + 1 });
        }
    }
    let (amount, wanted): (f64, f64) = (before.iter().sum(), after.iter().sum());
    if (amount - wanted).abs() > ROUNDING * amount.max(1.0) {
        return Err(TransportError::Unequal { before: amount, after: wanted });
    }
    let moves = cheapest(before, after, ground);
    let work: f64 = moves.iter().map(|&(from, to, moved)| ground[from][to] * moved).sum();
    let farthest = ground.iter().flatten().copied().fold(0.0, f64::max);
    let mean = if amount > 0.0 { work / amount } else { 0.0 };
    let normalised = if farthest > 0.0 { mean / farthest } else { 0.0 };
    Ok(Work { work, amount, mean, normalised, moves })
}

/// Amounts below this are rounding.
const NOTHING: f64 = 1e-12;

/// Successive cheapest paths from a place with too much to one with too little. With a metric what stays where it is costs nothing, so
/// only the differences move. A path may take back what an earlier one moved.
fn cheapest(before: &[f64], after: &[f64], ground: &[Vec<f64>]) -> Vec<(usize, usize, f64)> {
    let places = before.len();
    let mut surplus: Vec<f64> = before.iter().zip(after).map(|(a, b)| (a - b).max(0.0)).collect();
    let mut lack: Vec<f64> = before.iter().zip(after).map(|(a, b)| (b - a).max(0.0)).collect();
    // moved[i][j]: from a place with surplus to one that lacks.
    let mut moved = vec![vec![0.0f64; places]; places];
    while surplus.iter().sum::<f64>() > NOTHING && lack.iter().sum::<f64>() > NOTHING {
        // Bellman and Ford over both sides: sources are places, sinks are places + n.
        let mut cost = vec![f64::INFINITY; 2 * places];
        let mut over = vec![usize::MAX; 2 * places];
        (0..places).filter(|&place| surplus[place] > NOTHING).for_each(|place| cost[place] = 0.0);
        for _ in 0..2 * places {
            let mut changed = false;
            for from in 0..places {
                for to in 0..places {
                    let there = cost[from] + ground[from][to];
                    if there < cost[places + to] - NOTHING {
                        (cost[places + to], over[places + to], changed) = (there, from, true);
                    }
                    let back = cost[places + to] - ground[from][to];
                    if moved[from][to] > NOTHING && back < cost[from] - NOTHING {
                        (cost[from], over[from], changed) = (back, places + to, true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let sinks = (0..places).filter(|&place| lack[place] > NOTHING && cost[places + place].is_finite());
        let Some(sink) = sinks.min_by(|&a, &b| cost[places + a].total_cmp(&cost[places + b])) else { break };
        let mut path = vec![places + sink];
        while let Some(&at) = path.last() {
            if over[at] == usize::MAX || path.len() > 4 * places {
                break;
            }
            path.push(over[at]);
        }
        let source = path[path.len() - 1];
        let steps: Vec<(usize, usize)> = path.windows(2).map(|pair| (pair[1], pair[0])).collect();
        let can_take_back =
            steps.iter().filter(|(from, _)| *from >= places).map(|&(from, to)| moved[to][from - places]);
        let much = can_take_back.fold(surplus[source].min(lack[sink]), f64::min);
        for (from, to) in steps {
            if from < places {
                moved[from][to - places] += much;
            } else {
                moved[to][from - places] -= much;
            }
        }
        surplus[source] -= much;
        lack[sink] -= much;
    }
    let listed = (0..places).flat_map(|from| (0..places).map(move |to| (from, to)));
    listed.map(|(from, to)| (from, to, moved[from][to])).filter(|moved| moved.2 > NOTHING).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_the_lecture() {
        // 1 over 1, 0.2 over 4, 0.5 over 3: 1 + 0.8 + 1.5.
        let places = on_a_line(&[0.0, 1.0, 10.0, 14.0, 20.0, 23.0]);
        let found = work(&[1.0, 0.0, 0.2, 0.0, 0.5, 0.0], &[0.0, 1.0, 0.0, 0.2, 0.0, 0.5], &places).unwrap();
        assert!((found.work - 3.3).abs() < 1e-9, "{found:?}");
        assert!((found.mean - 3.3 / 1.7).abs() < 1e-9);
    }

    #[test]
    fn a_distance_that_is_no_metric_is_refused() {
        let refused =
            |ground: [[f64; 3]; 3]| check_metric(&ground.map(|row| row.to_vec())).unwrap_err().to_string();
        assert!(
            refused([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]]).contains("shorter over place 2")
        );
        assert!(refused([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [2.0, 1.0, 0.0]]).contains("both ways"));
        assert!(refused([[0.0, 0.0, 2.0], [0.0, 0.0, 1.0], [2.0, 1.0, 0.0]]).contains("above 0"));
        assert!(refused([[1.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]).contains("must be 0"));
        let line = on_a_line(&[0.0, 1.0]);
        assert!(work(&[1.0, 0.0], &[0.0, 0.5], &line).is_err());
        assert!(work(&[1.0, -1.0], &[0.0, 0.0], &line).is_err());
    }

    #[test]
    fn ordered_and_hierarchical_distances_of_the_literature() {
        // Uniform over nine salaries, and the classes {3,4,5} and {6,8,11}: 3/8 and 1/6 after division by the longest way.
        let line = on_a_line(&(0..9).map(f64::from).collect::<Vec<_>>());
        let uniform = [1.0 / 9.0; 9];
        let third = 1.0 / 3.0;
        let low = [third, third, third, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let wide = [0.0, 0.0, 0.0, third, 0.0, third, 0.0, 0.0, third];
        assert!((work(&low, &uniform, &line).unwrap().normalised - 0.375).abs() < 1e-9);
        assert!((work(&wide, &uniform, &line).unwrap().normalised - 1.0 / 6.0).abs() < 1e-9);
        // Two branches of two leaves.
        let d = |a: usize, b: usize| {
            if a == b {
                0.0
            } else if a / 2 == b / 2 {
                0.5
            } else {
                1.0
            }
        };
        let tree: Vec<Vec<f64>> = (0..4).map(|a| (0..4).map(|b| d(a, b)).collect()).collect();
        let quarter = [0.25; 4];
        for (class, distance) in
            [([0.5, 0.5, 0.0, 0.0], 0.5), ([0.5, 0.0, 0.5, 0.0], 0.25), ([1.0, 0.0, 0.0, 0.0], 0.625)]
        {
            assert!((work(&class, &quarter, &tree).unwrap().work - distance).abs() < 1e-9, "{class:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// On a line the work is the area between the cumulated amounts.
        #[test]
        fn on_a_line_the_work_is_the_area(
            gaps in prop::collection::vec(1u32..9, 4), before in prop::collection::vec(0u32..9, 5), after in prop::collection::vec(0u32..9, 5)
        ) {
            let total = |amounts: &[u32]| f64::from(amounts.iter().sum::<u32>());
            prop_assume!(total(&before) > 0.0 && total(&after) > 0.0);
            let mut places = vec![0.0];
            gaps.iter().for_each(|&gap| places.push(places[places.len() - 1] + f64::from(gap)));
            let share = |amounts: &[u32]| -> Vec<f64> { amounts.iter().map(|&amount| f64::from(amount) / total(amounts)).collect() };
            let (before, after) = (share(&before), share(&after));
            let (mut area, mut sum) = (0.0, 0.0);
            for place in 0..4 {
                sum += before[place] - after[place];
                area += f64::abs(sum) * (places[place + 1] - places[place]);
            }
            let found = work(&before, &after, &on_a_line(&places)).unwrap();
            prop_assert!((found.work - area).abs() < 1e-9, "{} {}", found.work, area);
        }

        /// The same both ways, and no shorter over a third distribution.
        #[test]
        fn it_is_a_metric_itself(
            points in prop::collection::vec((0u32..9, 0u32..9), 4), masses in prop::collection::vec(prop::collection::vec(1u32..6, 4), 3)
        ) {
            let distance = |a: &(u32, u32), b: &(u32, u32)| f64::from(a.0.abs_diff(b.0) + a.1.abs_diff(b.1));
            let ground: Vec<Vec<f64>> = points.iter().map(|a| points.iter().map(|b| distance(a, b)).collect()).collect();
            prop_assume!(check_metric(&ground).is_ok());
            let share = |amounts: &Vec<u32>| -> Vec<f64> {
                let total: u32 = amounts.iter().sum();
                amounts.iter().map(|&amount| f64::from(amount) / f64::from(total)).collect()
            };
            let all: Vec<Vec<f64>> = masses.iter().map(share).collect();
            let d = |a: usize, b: usize| work(&all[a], &all[b], &ground).unwrap().work;
            prop_assert!((d(0, 1) - d(1, 0)).abs() < 1e-9);
            prop_assert!(d(0, 2) <= d(0, 1) + d(1, 2) + 1e-9);
        }
    }
}

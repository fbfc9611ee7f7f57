//! Values put together by their distance.

use hashbrown::HashMap;

use super::{TOP, TableError, TableHierarchy, TableLines};
use crate::values::{Decimal, ValueType};

/// Most texts that are compared with each other.
pub const MOST_CLUSTERED_TEXTS: usize = 1_000;

/// Why values cannot be clustered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Numbers of clusters that do not descend, or fewer than two.
    #[error("numbers of clusters must descend, and be at least 2")]
    Sizes,
    /// Too many texts.
    #[error("more than {MOST_CLUSTERED_TEXTS} different texts; group them by codes or a file instead")]
    TooMany,
    /// No value, or one twice.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Agglomerative clustering: the two nearest clusters are joined until as many are left as each level asks for.
///
/// Numbers, dates and times lie on a line; neighbours are joined whose join adds least to the sum of squared distances from the
/// mean (Ward 1963), every value counted as often as it occurs. Texts are joined by the average edit distance of their members,
/// divided by the longer length. Ties go to the clusters that come first. A cluster is called `first..last`; callers
/// whose labels must not name rare values rename them.
///
/// ```
/// # use paravent_core::hierarchy::cluster;
/// # use paravent_core::values::ValueType;
/// let table = cluster(&["1", "2", "30", "31", "90"], &[1, 1, 1, 1, 1], ValueType::Integer, &[3, 2]).unwrap();
/// let labels: Vec<&str> = table.lines().iter().filter_map(|line| line.labels().next()).collect();
/// assert_eq!(labels, ["1..2", "1..2", "30..31", "30..31", "90"]);
/// ```
pub fn cluster(
    values: &[&str],
    rows: &[u64],
    ty: ValueType,
    sizes: &[usize],
) -> Result<TableHierarchy, ClusterError> {
    let descends =
        sizes.windows(2).all(|pair| pair[0] > pair[1]) && sizes.last().is_some_and(|&last| last >= 2);
    if !descends {
        return Err(ClusterError::Sizes);
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| ty.compare(values[a], values[b]));
    let sorted: Vec<&str> = order.iter().map(|&at| values[at]).collect();
    let weights: Vec<f64> = order.iter().map(|&at| rows[at].max(1) as f64).collect();
    let levels = match places(&sorted, ty) {
        Some(places) => on_a_line(&places, &weights, sizes),
        None if sorted.len() > MOST_CLUSTERED_TEXTS => return Err(ClusterError::TooMany),
        None => by_edits(&sorted, sizes),
    };
    let ends: Vec<HashMap<usize, (usize, usize)>> = levels.iter().map(|level| ends(level)).collect();
    let mut lines = TableLines::default();
    for (at, value) in sorted.iter().enumerate() {
        let labels = levels.iter().zip(&ends).map(|(cluster_of, ends)| match ends[&cluster_of[at]] {
            (first, last) if first != last => format!("{}..{}", sorted[first], sorted[last]),
            _ => (*value).to_owned(),
        });
        lines.push(Some(value), labels.chain([TOP.to_owned()]));
    }
    Ok(TableHierarchy::from_lines(lines)?)
}

/// The first and the last member of each cluster.
fn ends(cluster_of: &[usize]) -> HashMap<usize, (usize, usize)> {
    let mut ends: HashMap<usize, (usize, usize)> = HashMap::new();
    for (at, &cluster) in cluster_of.iter().enumerate() {
        ends.entry(cluster).or_insert((at, at)).1 = at;
    }
    ends
}

/// Where values lie on a line, if they do.
fn places(sorted: &[&str], ty: ValueType) -> Option<Vec<f64>> {
    let place = |text: &&str| match ty {
        ValueType::Integer | ValueType::Decimal => text.parse::<Decimal>().ok().map(Decimal::to_f64),
        ValueType::Date | ValueType::DateTime => super::super::values::Moment::parse(text).map(|moment| {
            let days = jiff::civil::date(1, 1, 1).until(moment.date).map_or(0, |span| span.get_days());
            let minutes = moment.time.map_or(0, |time| 60 * u32::from(time.hour) + u32::from(time.minute));
            f64::from(days) + f64::from(minutes) / 1440.0
        }),
        ValueType::String | ValueType::Boolean => None,
    };
    sorted.iter().map(place).collect()
}

/// Neighbours are joined. The cluster of each value, level by level.
fn on_a_line(places: &[f64], weights: &[f64], sizes: &[usize]) -> Vec<Vec<usize>> {
    // A cluster: first value, weight, mean.
    let mut clusters: Vec<(usize, f64, f64)> =
        (0..places.len()).map(|at| (at, weights[at], places[at])).collect();
    let cost =
        |a: &(usize, f64, f64), b: &(usize, f64, f64)| a.1 * b.1 / (a.1 + b.1) * (a.2 - b.2) * (a.2 - b.2);
    let mut levels = Vec::new();
    for &size in sizes {
        while clusters.len() > size {
            let cheapest = (1..clusters.len())
                .map(|at| (cost(&clusters[at - 1], &clusters[at]), at))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, at)) = cheapest else { break };
            let ((first, left, low), (_, right, high)) = (clusters[at - 1], clusters.remove(at));
            clusters[at - 1] = (first, left + right, (left * low + right * high) / (left + right));
        }
        let starts: Vec<usize> = clusters.iter().map(|cluster| cluster.0).collect();
        levels.push((0..places.len()).map(|at| starts.partition_point(|start| *start <= at)).collect());
    }
    levels
}

/// Average linkage over edit distances.
fn by_edits(sorted: &[&str], sizes: &[usize]) -> Vec<Vec<usize>> {
    let texts: Vec<Vec<char>> = sorted.iter().map(|text| text.to_lowercase().chars().collect()).collect();
    let count = texts.len();
    let mut distance: Vec<Vec<f64>> = vec![vec![0.0; count]; count];
    for one in 0..count {
        for other in 0..one {
            let longer = texts[one].len().max(texts[other].len()).max(1);
            let apart = edits(&texts[one], &texts[other]) as f64 / longer as f64;
            distance[one][other] = apart;
            distance[other][one] = apart;
        }
    }
    let mut members: Vec<usize> = vec![1; count];
    let mut cluster_of: Vec<usize> = (0..count).collect();
    let mut alive: Vec<usize> = (0..count).collect();
    let mut levels = Vec::new();
    for &size in sizes {
        while alive.len() > size {
            let mut nearest = (f64::INFINITY, 0, 0);
            for (position, &one) in alive.iter().enumerate() {
                for &other in &alive[..position] {
                    if distance[one][other] < nearest.0 {
                        nearest = (distance[one][other], other, one);
                    }
                }
            }
            let (_, keep, gone) = nearest;
            let (a, b) = (members[keep] as f64, members[gone] as f64);
            for &third in &alive {
                let mean = (a * distance[keep][third] + b * distance[gone][third]) / (a + b);
                distance[keep][third] = mean;
                distance[third][keep] = mean;
            }
            members[keep] += members[gone];
            alive.retain(|&cluster| cluster != gone);
            cluster_of.iter_mut().filter(|cluster| **cluster == gone).for_each(|cluster| *cluster = keep);
        }
        levels.push(cluster_of.clone());
    }
    levels
}

/// Levenshtein's distance: characters put in, taken out or exchanged.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first_labels(table: &TableHierarchy) -> Vec<String> {
        table.lines().iter().map(|line| line.labels().next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn texts_are_joined_by_their_spelling() {
        let values = ["asthma", "asthma bronchiale", "asthmaa", "gout", "gouty"];
        let table = cluster(&values, &[1; 5], ValueType::String, &[2]).unwrap();
        assert_eq!(first_labels(&table)[3], first_labels(&table)[4]);
        assert_ne!(first_labels(&table)[0], first_labels(&table)[3]);
        assert_eq!(edits(&['a', 'b'], &['b']), 1);
    }

    #[test]
    fn dates_lie_on_a_line() {
        let values = ["2024-01-01", "2024-01-03", "2020-06-01", "2020-06-05"];
        let table = cluster(&values, &[1; 4], ValueType::Date, &[2]).unwrap();
        assert_eq!(first_labels(&table)[0], "2020-06-01..2020-06-05");
    }

    #[test]
    fn numbers_of_clusters_descend() {
        assert_eq!(cluster(&["1"], &[1], ValueType::Integer, &[2, 2]), Err(ClusterError::Sizes));
        assert_eq!(cluster(&["1"], &[1], ValueType::Integer, &[1]), Err(ClusterError::Sizes));
        assert!(matches!(cluster(&[], &[], ValueType::Integer, &[2]), Err(ClusterError::Table(_))));
    }

    proptest! {
        /// The twin: every pair of neighbours is tried anew, with sums written out.
        #[test]
        fn joining_neighbours_is_wards_rule(numbers in prop::collection::btree_set(-40i64..40, 2..9), size in 2usize..5) {
            let places: Vec<f64> = numbers.iter().map(|number| *number as f64).collect();
            let fast = on_a_line(&places, &vec![1.0; places.len()], &[size]);
            let spread = |group: &[f64]| {
                let mean = group.iter().sum::<f64>() / group.len() as f64;
                group.iter().map(|place| (place - mean) * (place - mean)).sum::<f64>()
            };
            let mut groups: Vec<Vec<f64>> = places.iter().map(|place| vec![*place]).collect();
            while groups.len() > size {
                let joined = |at: usize| [groups[at - 1].as_slice(), groups[at].as_slice()].concat();
                let added = |at: usize| spread(&joined(at)) - spread(&groups[at - 1]) - spread(&groups[at]);
                let mut best = 1;
                for at in 2..groups.len() {
                    if added(at) < added(best) - 1e-9 {
                        best = at;
                    }
                }
                let both = joined(best);
                groups.splice(best - 1..=best, [both]);
            }
            let slow: Vec<usize> = groups.iter().enumerate().flat_map(|(at, group)| vec![at + 1; group.len()]).collect();
            prop_assert_eq!(&fast[0], &slow);
        }

        #[test]
        fn clusters_nest(values in prop::collection::btree_set("[a-d]{1,5}", 3..12)) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            prop_assert!(cluster(&values, &vec![1; values.len()], ValueType::String, &[4, 2]).is_ok());
        }
    }
}

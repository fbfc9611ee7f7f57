//! What an attacker who knows a person's values in one group reads off the sliced table, without knowing a bucket.
//!
//! The attacker knows people who are alone with their values in the known group. In the sliced table each of them is one row, and beside it stands a value of another
//! group. Buckets are hidden, so there are two ways to guess the true one:
//! - *beside*: the value that stands in the row. It is right for one of `size` rows of a bucket, and for those whose bucket repeats the value.
//! - *around*: the commonest value among the rows with the nearest known values. Where buckets follow the order of the known values, neighbours come from the same bucket.
//!
//! Judged by the original, against the guess that needs no table: the commonest value of all.

use super::{frequencies, numbered, runs};
use crate::share::Share;

/// How far an attacker gets who knows one group.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOff {
    /// People who are alone with their values in the known group.
    pub people: usize,
    /// Of them, those whose value the row beside them shows.
    pub beside: usize,
    /// Of them, those whose value is the commonest around them, in the best of the neighbourhoods tried.
    pub around: usize,
    /// Rows of that neighbourhood.
    pub neighbourhood: usize,
    /// Of them, those who have the commonest value of all.
    pub chance: usize,
}

impl ReadOff {
    /// The most that either way finds.
    pub fn most(&self) -> usize {
        self.beside.max(self.around)
    }

    /// Is more read off beyond chance than this share of the people, by more than the guesses of so few people vary? (Two standard errors at most.)
    pub fn exceeds(&self, limit: Share) -> bool {
        let noise = (self.people as f64).sqrt().ceil() as usize;
        limit.is_exceeded_by(self.most().saturating_sub(self.chance + noise), self.people)
    }

    /// Rightly guessed beyond chance, as a share of the people.
    pub fn gain(&self) -> f64 {
        (self.most() as f64 - self.chance as f64).max(0.0) / self.people.max(1) as f64
    }
}

/// Rows of the neighbourhoods that are tried.
const NEIGHBOURHOODS: [usize; 4] = [3, 9, 25, 75];
/// More people than this are not tried: every so-many-th is.
const MOST_PEOPLE: usize = 5_000;

/// What an attacker knows: people who are alone with their values in some columns, and where these values stand in the sliced table.
#[derive(Debug)]
pub struct Knowledge {
    /// Rows before of the people who are tried, and the place of each in `order`.
    people: Vec<(usize, usize)>,
    /// The released rows in the order of the known values.
    order: Vec<u32>,
}

impl Knowledge {
    /// The known columns before and after slicing, with equal codes for equal values; codes follow the order of values.
    pub fn of(before: &[&[u32]], after: &[&[u32]]) -> Knowledge {
        let rows = before.first().map_or(0, |column| column.len());
        // One numbering for both tables, in the order of values.
        let both: Vec<Vec<u32>> = before.iter().zip(after).map(|(old, new)| [*old, *new].concat()).collect();
        let both: Vec<&[u32]> = both.iter().map(Vec::as_slice).collect();
        let all: Vec<u32> = (0..both.first().map_or(0, |column| column.len()) as u32).collect();
        let (numbers, distinct) = numbered(&both, &all);
        let (old, new) = numbers.split_at(rows);
        let (old_counts, new_counts) = (frequencies(old, distinct), frequencies(new, distinct));
        let mut order: Vec<u32> = (0..new.len() as u32).collect();
        order.sort_unstable_by_key(|&row| (new[row as usize], row));
        let mut place = vec![0; distinct];
        order.iter().enumerate().for_each(|(at, &row)| place[new[row as usize] as usize] = at);
        let alone = |row: &usize| {
            let number = old[*row] as usize;
            old_counts[number] == 1 && new_counts[number] == 1
        };
        let people: Vec<usize> = (0..rows).filter(alone).collect();
        let step = people.len().div_ceil(MOST_PEOPLE).max(1);
        let people = people.into_iter().step_by(step).map(|row| (row, place[old[row] as usize])).collect();
        Knowledge { people, order }
    }

    /// Runs the attack on a column of another group, given before and after slicing.
    pub fn read_off(&self, before: &[u32], after: &[u32]) -> ReadOff {
        let order = &self.order;
        let value_at = |at: usize| after[order[at] as usize];
        let beside = self.people.iter().filter(|&&(person, at)| value_at(at) == before[person]).count();
        let guess = |at: usize, width: usize| {
            let start = at.saturating_sub(width / 2).min(order.len().saturating_sub(width));
            let end = (start + width).min(order.len());
            commonest((start..end).map(value_at))
        };
        let tried = NEIGHBOURHOODS.into_iter().filter(|&width| width < order.len()).map(|width| {
            let right = |&&(person, at): &&(usize, usize)| guess(at, width) == Some(before[person]);
            (self.people.iter().filter(right).count(), width)
        });
        let most = tried.max_by_key(|&(right, width)| (right, usize::MAX - width));
        let (around, neighbourhood) = most.unwrap_or((0, 0));
        let usual = commonest(after.iter().copied());
        let chance = self.people.iter().filter(|&&(person, _)| Some(before[person]) == usual).count();
        ReadOff { people: self.people.len(), beside, around, neighbourhood, chance }
    }
}

/// The commonest value, the smallest of several.
fn commonest(values: impl Iterator<Item = u32>) -> Option<u32> {
    let mut sorted: Vec<u32> = values.collect();
    sorted.sort_unstable();
    runs(&sorted).max_by_key(|&(value, count)| (count, std::cmp::Reverse(value))).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColumnGroups, Draw, Layout, MinimumSize, Operator, RowOrder, Secret, Windows, permute};

    /// 600 people, each alone with a known value, and eight secrets. With `sorted`, neighbours share secrets more often.
    fn attack(size: u32, sorted: bool) -> ReadOff {
        let known: Vec<u32> = (0..600).collect();
        let secret: Vec<u32> = (0..600_u32)
            .map(|row| if sorted { row / 75 } else { row.wrapping_mul(2_654_435_761) >> 29 })
            .collect();
        let groups = ColumnGroups::each_alone(&["a", "b"]).unwrap();
        let layout = Layout::by_rank(600, Windows::Size(size), MinimumSize::TWO).unwrap();
        let key = Secret::from_seed(5);
        let draw = Draw { secret: &key, operator: Operator(1), order: RowOrder::Random };
        let after = permute(&layout, 2, &draw).gather(&groups, &[&known, &secret]);
        Knowledge::of(&[&known], &[&after[0]]).read_off(&secret, &after[1])
    }

    #[test]
    fn small_buckets_are_read_off_and_large_ones_are_not() {
        let small = attack(2, false);
        assert_eq!(small.people, 600);
        let (right, chance) = (small.beside as f64 / 600.0, small.chance as f64 / 600.0);
        // Half stay, the others meet their own value by chance.
        assert!((0.48..0.65).contains(&right) && chance < 0.25, "{small:?}");
        let large = attack(200, false);
        assert!(large.gain() < 0.1, "{large:?}");
        assert!(small.exceeds(Share::FIFTH) && !large.exceeds(Share::NONE));
        let few = ReadOff { people: 3, beside: 1, around: 0, neighbourhood: 0, chance: 0 };
        assert!(!few.exceeds(Share::FIFTH), "three people are no proof");
    }

    #[test]
    fn buckets_in_the_order_of_what_is_known_are_read_off_around() {
        let sorted = attack(20, true);
        assert!(sorted.around > 550 && sorted.chance < 100, "{sorted:?}");
    }
}

//! Which groups leave, and which are folded into the remainder.

use super::linear::{Partition, tells_of_few};
use super::rows::Row;
use crate::adapt::Threshold;
use crate::refusal::AskError;
use crate::state::State;
use crate::state::people::{Exact, Family};
use paravent_job::DecimalText;
use std::collections::{HashMap, HashSet};

/// Rows that one row of the answer is about.
pub(super) struct Group {
    /// Its labels; none: the remainder.
    pub(super) key: Option<Vec<Option<String>>>,
    /// Its rows.
    pub(super) members: Vec<usize>,
    /// By measured column: how many values there are, and their sum; none where it is too large.
    pub(super) totals: Vec<(u64, Option<i128>)>,
    people: usize,
}

impl Group {
    pub(super) fn of(
        key: Option<Vec<Option<String>>>,
        members: Vec<usize>,
        rows: &[Row],
        measures: usize,
    ) -> Group {
        let total = |measure: usize| {
            let values = members.iter().filter_map(|row| rows[*row].values[measure]);
            let sum = values.clone().try_fold(0_i128, i128::checked_add);
            (values.count() as u64, sum)
        };
        let people: HashSet<u64> = members.iter().map(|row| rows[*row].person).collect();
        Group { totals: (0..measures).map(total).collect(), people: people.len(), key, members }
    }

    /// Enough people, also of those who have a value, and nobody who makes most of a sum.
    fn fits(&self, rows: &[Row], threshold: &Threshold) -> bool {
        let enough = |people: usize| people >= threshold.people as usize;
        let measure = |measure: usize| {
            let mut shares: HashMap<u64, i128> = HashMap::new();
            for row in &self.members {
                if let Some(value) = rows[*row].values[measure] {
                    let share = shares.entry(rows[*row].person).or_insert(0);
                    *share = share.saturating_add(value);
                }
            }
            let dominated = threshold.dominance.as_ref().is_some_and(|most| dominated(&shares, most));
            enough(shares.len()) && !dominated
        };
        enough(self.people) && (0..self.totals.len()).all(measure)
    }
}

/// Whether somebody's part of a sum is beyond the largest share. What is too large to be worked out counts as beyond.
fn dominated(shares: &HashMap<u64, i128>, most: &DecimalText) -> bool {
    let sizes = || shares.values().map(|share| share.unsigned_abs());
    let all = sizes().try_fold(0_u128, u128::checked_add);
    let largest =
        sizes().max().and_then(|largest| largest.checked_mul(DecimalText::from(1).scaled().unsigned_abs()));
    match (all.and_then(|all| all.checked_mul(most.scaled().unsigned_abs())), largest) {
        (Some(allowed), Some(largest)) => largest > allowed,
        (_, None) => !shares.is_empty(),
        (None, Some(_)) => true,
    }
}

/// What the recipient's group knows of the rows, per kind of figure: the rows themselves, and the sum of each measured column.
pub(super) struct Known {
    families: Vec<Family>,
    /// By family and row: its place in the list; none where it has no value.
    places: Vec<Vec<Option<usize>>>,
    /// The whole table, as far as it exists for the recipient.
    whole: Partition,
    /// What the conditions leave.
    selection: Partition,
}

impl Known {
    pub(super) fn open(
        register: &Exact<'_>,
        group: &str,
        table: &str,
        rows: &[Row],
        measured: &[&str],
        state: &State,
    ) -> Result<Known, AskError> {
        let mut families = vec![register.family(group, table, "rows")?];
        for column in measured {
            families.push(register.family(group, table, &format!("sum of {column}"))?);
        }
        let mut places = Vec::new();
        for (number, family) in families.iter_mut().enumerate() {
            let place = |row: &Row| {
                let mut parts = vec!["row".to_owned(), row.person.to_string(), row.place.to_string()];
                if number > 0 {
                    // Another value is another row: what changed between two answers is a difference like any other.
                    parts.push(row.values[number - 1]?.to_string());
                }
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                Some(family.place(state.number(&parts), row.person))
            };
            places.push(rows.iter().map(place).collect::<Vec<Option<usize>>>());
        }
        let mut known = Known { families, places, whole: Vec::new(), selection: Vec::new() };
        known.whole = known.partition(0, rows.len(), |_| 1);
        known.selection = known.partition(0, rows.len(), |row| u32::from(rows[row].is_selected));
        Ok(known)
    }

    /// Earlier answers about the rows.
    pub(super) fn compared(&self) -> usize {
        self.families.iter().map(|family| family.earlier.len()).sum()
    }

    /// The groups that leave, in their order, and the remainder.
    pub(super) fn releasable(
        &self,
        groups: Vec<Group>,
        rows: &[Row],
        threshold: &Threshold,
        has_groups: bool,
    ) -> (Vec<Group>, Option<Group>) {
        let measures = self.families.len() - 1;
        let earlier: Vec<Vec<&Partition>> =
            self.families.iter().map(|family| family.earlier.iter().collect()).collect();
        // That a table grew by few people since an earlier answer is no fault of this one.
        let people = &self.families[0].people;
        let with_whole: Vec<&Partition> = earlier[0].iter().copied().chain([&self.whole]).collect();
        let base = match tells_of_few(people, &with_whole, threshold.people) {
            true => earlier[0].clone(),
            false => with_whole,
        };
        let (mut kept, folded): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| group.fits(rows, threshold));
        if !has_groups && !folded.is_empty() {
            return (Vec::new(), None);
        }
        let mut rest: Vec<usize> = folded.into_iter().flat_map(|group| group.members).collect();
        let mut step = 1;
        loop {
            let mut remainder = Group::of(None, rest.clone(), rows, measures);
            while !rest.is_empty() && !remainder.fits(rows, threshold) {
                let Some(smallest) = smallest(&kept) else { return (Vec::new(), None) };
                rest.extend(kept.remove(smallest).members);
                remainder = Group::of(None, rest.clone(), rows, measures);
            }
            let remainder = (!rest.is_empty()).then_some(remainder);
            let sets = self.sets(kept.iter().chain(&remainder), rows);
            if self.are_safe(&sets, &base, &earlier, threshold.people) {
                rest.sort_unstable();
                return (kept, remainder);
            }
            if kept.is_empty() || !has_groups {
                return (Vec::new(), None);
            }
            for _ in 0..step {
                let Some(smallest) = smallest(&kept) else { break };
                rest.extend(kept.remove(smallest).members);
            }
            step *= 2;
        }
    }

    fn are_safe(
        &self,
        sets: &[(usize, Partition)],
        base: &[&Partition],
        earlier: &[Vec<&Partition>],
        least: u32,
    ) -> bool {
        (0..self.families.len()).all(|family| {
            let people = &self.families[family].people;
            let own: Vec<&Partition> =
                sets.iter().filter(|(of, _)| *of == family).map(|(_, partition)| partition).collect();
            let before = if family == 0 { base } else { &earlier[family] };
            let alone = family > 0 || {
                let with: Vec<&Partition> =
                    [&self.whole, &self.selection].into_iter().chain(own.iter().copied()).collect();
                !tells_of_few(people, &with, least)
            };
            let with: Vec<&Partition> = before.iter().copied().chain(own).collect();
            alone && !tells_of_few(people, &with, least)
        })
    }

    /// The sets of an answer: all rows of each group, those that have a value, and the values themselves.
    fn sets<'g>(&self, groups: impl Iterator<Item = &'g Group>, rows: &[Row]) -> Vec<(usize, Partition)> {
        let mut number: HashMap<usize, u32> = HashMap::new();
        for (group, set) in groups.zip(1..) {
            number.extend(group.members.iter().map(|row| (*row, set)));
        }
        let set = |row: usize| number.get(&row).copied().unwrap_or(0);
        let mut sets = vec![(0, self.partition(0, rows.len(), set))];
        for family in 1..self.families.len() {
            let has_value = |row: usize| if rows[row].values[family - 1].is_some() { set(row) } else { 0 };
            if rows.iter().any(|row| row.is_selected && row.values[family - 1].is_none()) {
                sets.push((0, self.partition(0, rows.len(), has_value)));
            }
            sets.push((family, self.partition(family, rows.len(), has_value)));
        }
        sets
    }

    fn partition(&self, family: usize, rows: usize, set: impl Fn(usize) -> u32) -> Partition {
        let mut partition = vec![0; self.families[family].people.len()];
        for row in 0..rows {
            if let Some(place) = self.places[family][row] {
                partition[place] = set(row);
            }
        }
        partition
    }

    /// Writes down what the answer is about.
    pub(super) fn register(
        &mut self,
        register: &mut Exact<'_>,
        name: &str,
        group: &str,
        table: &str,
        groups: &[Group],
        rows: &[Row],
    ) -> Result<(), AskError> {
        let sets = self.sets(groups.iter(), rows);
        register.add(name, group, table, &mut self.families, &sets)
    }
}

/// The group with the fewest people; of equal ones the first.
fn smallest(groups: &[Group]) -> Option<usize> {
    (0..groups.len()).min_by_key(|place| groups[*place].people)
}

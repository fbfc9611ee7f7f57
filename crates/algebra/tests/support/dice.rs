//! Random choices that a seed repeats on every machine.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A number from low to high, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    /// Yes in so many of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some things.
    pub fn of<T: Clone>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())].clone()
    }

    /// The things in another order.
    pub fn shuffled<T: Clone>(&mut self, things: &[T]) -> Vec<T> {
        let mut things = things.to_vec();
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
        things
    }

    /// So many of the things, in their order.
    pub fn some<T: Clone>(&mut self, things: &[T], number: usize) -> Vec<T> {
        let places: Vec<usize> = (0..things.len()).collect();
        let mut chosen = self.shuffled(&places);
        chosen.truncate(number);
        chosen.sort_unstable();
        chosen.into_iter().map(|place| things[place].clone()).collect()
    }

    /// The things in groups.
    pub fn partition<T: Clone>(&mut self, things: &[T]) -> Vec<Vec<T>> {
        let mut groups: Vec<Vec<T>> = Vec::new();
        for thing in things {
            match self.below(groups.len() + 1) {
                new if new == groups.len() => groups.push(vec![thing.clone()]),
                old => groups[old].push(thing.clone()),
            }
        }
        groups
    }
}

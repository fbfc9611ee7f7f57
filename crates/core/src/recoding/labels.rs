//! The labels that one column may show, as a forest: from the values up to the coarsest allowed level.

use crate::hierarchy::Ladder;

/// Cells of one label cost at most this much: 1 stands for a column that tells nothing and has all the weight.
pub(super) const CELL_SCALE: f64 = (1u32 << 30) as f64;

/// A box with a cell of this cost does not exist: no allowed label covers both values.
pub(super) const FORBIDDEN: u32 = 1 << 31;

const NONE: u32 = u32::MAX;

/// Largest number of entries in a table of all pairs of labels.
const MOST_PAIRS: usize = 1 << 20;

/// The labels of one column. A label is a number; those of a level are neighbours.
#[derive(Debug)]
pub(super) struct Labels {
    /// The next coarser label; `NONE` on the coarsest level.
    parent: Vec<u32>,
    level: Vec<u8>,
    /// Number of the group on its level.
    group: Vec<u32>,
    /// What a cell with this label costs.
    cost: Vec<u32>,
    /// Equal for labels that read the same.
    text: Vec<u32>,
    /// By code of a value: its finest label.
    finest: Vec<u32>,
    /// By level, from the second on, and finest label: the label on the level below.
    ancestors: Vec<Vec<u32>>,
    /// By level: its first label, and their number.
    first: Vec<u32>,
    pairs: Option<Pairs>,
}

/// For every two labels: the finest one that covers both.
#[derive(Debug)]
struct Pairs {
    joint: Vec<u32>,
    cost: Vec<u32>,
}

impl Labels {
    /// The labels of the `levels` (ascending) of a ladder; `cost` is told level and group and answers with a share of 1.
    pub(super) fn new(ladder: &Ladder, levels: &[u8], cost: impl Fn(u8, usize) -> f64) -> Labels {
        let mut labels = Labels {
            parent: Vec::new(),
            level: Vec::new(),
            group: Vec::new(),
            cost: Vec::new(),
            text: Vec::new(),
            finest: ladder.rung(levels[0]).group_of.clone(),
            ancestors: Vec::new(),
            first: Vec::new(),
            pairs: None,
        };
        let mut texts = hashbrown::HashMap::new();
        for (position, &level) in levels.iter().enumerate() {
            let rung = ladder.rung(level);
            labels.first.push(labels.level.len() as u32);
            let above = (labels.level.len() + rung.labels.len()) as u32;
            match levels.get(position + 1) {
                Some(&next) => {
                    labels.parent.extend(ladder.step(level, next).into_iter().map(|group| above + group))
                }
                None => labels.parent.extend(rung.labels.iter().map(|_| NONE)),
            }
            for (group, text) in rung.labels.iter().enumerate() {
                let next = texts.len() as u32;
                labels.text.push(*texts.entry(text.as_deref()).or_insert(next));
                labels.level.push(level);
                labels.group.push(group as u32);
                // Rounded down, so that sums of costs bound the loss from below.
                labels.cost.push((cost(level, group).clamp(0.0, 1.0) * CELL_SCALE).floor() as u32);
            }
        }
        labels.climb_all();
        labels.tabulate();
        labels
    }

    fn climb_all(&mut self) {
        let finest = self.first.get(1).copied().unwrap_or(self.level.len() as u32);
        let mut at: Vec<u32> = (0..finest).collect();
        for _ in 1..self.first.len() {
            let above = at.iter().map(|&label| self.parent[label as usize]).collect();
            self.ancestors.push(std::mem::replace(&mut at, above));
        }
    }

    fn tabulate(&mut self) {
        let labels = self.level.len();
        if labels * labels > MOST_PAIRS {
            return;
        }
        let mut pairs = Pairs { joint: Vec::new(), cost: Vec::new() };
        for left in 0..labels as u32 {
            for right in 0..labels as u32 {
                let joint = self.climb(left, right);
                pairs.joint.push(joint);
                pairs.cost.push(self.cost_of(joint));
            }
        }
        self.pairs = Some(pairs);
    }

    fn cost_of(&self, label: u32) -> u32 {
        self.cost.get(label as usize).copied().unwrap_or(FORBIDDEN)
    }

    /// Labels of a column are numbered from the finest level up, so the smaller number is never the coarser label.
    fn climb(&self, mut left: u32, mut right: u32) -> u32 {
        while left != right {
            if left < right {
                left = self.parent[left as usize];
            } else {
                right = self.parent[right as usize];
            }
            if left == NONE || right == NONE {
                return NONE;
            }
        }
        left
    }

    /// The finest label of a value.
    pub(super) fn finest(&self, code: u32) -> u32 {
        self.finest[code as usize]
    }

    /// The finest label that covers both; the result of no label is no label.
    pub(super) fn joint(&self, left: u32, right: u32) -> u32 {
        match &self.pairs {
            Some(pairs) if left != NONE && right != NONE => {
                pairs.joint[left as usize * self.level.len() + right as usize]
            }
            _ if left == NONE || right == NONE => NONE,
            _ => self.climb(left, right),
        }
    }

    /// What a cell with this label costs.
    pub(super) fn cost(&self, label: u32) -> u64 {
        u64::from(self.cost_of(label))
    }

    /// The costs of the joint labels with this one, by the other label, where they are tabulated.
    pub(super) fn costs_with(&self, label: u32) -> Option<&[u32]> {
        let labels = self.level.len();
        self.pairs.as_ref().map(|pairs| &pairs.cost[label as usize * labels..][..labels])
    }

    /// The next coarser label.
    pub(super) fn parent(&self, label: u32) -> Option<u32> {
        let parent = self.parent[label as usize];
        (parent != NONE).then_some(parent)
    }

    /// The coarsest label that covers a label.
    pub(super) fn coarsest(&self, label: u32) -> u32 {
        std::iter::successors(Some(label), |&label| self.parent(label)).last().unwrap_or(label)
    }

    /// The label that covers a label on a level; `None` where the level is not allowed, or below it.
    pub(super) fn at_level(&self, label: u32, level: u8) -> Option<u32> {
        let mut path = std::iter::successors(Some(label), |&label| self.parent(label));
        path.find(|&label| self.level[label as usize] == level)
    }

    /// By finest label: the label on the level below this one's; `None` for a finest label.
    pub(super) fn finer(&self, label: u32) -> Option<&[u32]> {
        let position = self.first.partition_point(|&first| first <= label) - 1;
        position.checked_sub(1).map(|below| &self.ancestors[below][..])
    }

    /// How many labels the finest level has.
    pub(super) fn finest_count(&self) -> u32 {
        self.first.get(1).copied().unwrap_or(self.level.len() as u32)
    }

    /// How many levels there are.
    pub(super) fn height(&self) -> usize {
        self.first.len()
    }

    /// Whether one label covers everything.
    pub(super) fn has_one_top(&self) -> bool {
        self.first.last().is_some_and(|&first| first as usize + 1 == self.level.len())
    }

    /// The levels, ascending.
    pub(super) fn levels(&self) -> Vec<u8> {
        self.first.iter().map(|&first| self.level[first as usize]).collect()
    }

    /// The label that covers a finest label on one of the levels, counted from the finest.
    pub(super) fn on(&self, position: usize, finest: u32) -> u32 {
        match self.ancestors.get(position) {
            Some(labels) => labels[finest as usize],
            None => self.coarsest(finest),
        }
    }

    /// The label of a group on a level.
    pub(super) fn label(&self, level: u8, group: u32) -> Option<u32> {
        let on_level = |first: &&u32| self.level[**first as usize] == level;
        let first = *self.first.iter().find(on_level)?;
        let label = first.checked_add(group)?;
        (self.level.get(label as usize) == Some(&level)).then_some(label)
    }

    /// Level and group of a label.
    pub(super) fn place(&self, label: u32) -> (u8, u32) {
        (self.level[label as usize], self.group[label as usize])
    }

    /// Equal for labels that read the same.
    pub(super) fn text(&self, label: u32) -> u32 {
        self.text[label as usize]
    }
}

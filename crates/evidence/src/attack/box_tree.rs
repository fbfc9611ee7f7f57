//! Rows of codes in a tree: below each node those with the same first codes. All nodes of one depth lie one after the other in memory.
//!
//! Boxes overlap, so a record may lie in many of them, and two boxes of two releases may have people in common. Looking at each box takes
//! too long where there are a hundred thousand.

/// Different rows of codes by number, and the tree in which those with certain codes are found.
#[derive(Debug)]
pub struct BoxTree {
    width: usize,
    shown: Vec<u32>,
    boxes: usize,
    /// The columns by depth.
    order: Vec<usize>,
    /// By depth: the nodes' codes; those with one parent are neighbours, ascending.
    codes: Vec<Vec<u32>>,
    /// By depth but the last: where the children of each node begin on the next depth, and where those of the last one end.
    children: Vec<Vec<u32>>,
    /// By node of the last depth: its rows, as a part of `numbers`, and where those of the last one end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

/// Neighbours that are looked at one by one.
const FEW: usize = 8;

impl BoxTree {
    /// The rows of codes in `shown`, one after the other, in a tree of the columns in this order.
    #[must_use]
    pub fn new(shown: Vec<u32>, boxes: usize, order: Vec<usize>) -> BoxTree {
        let width = order.len();
        let code = |number: u32, depth: usize| shown[number as usize * width + order[depth]];
        let mut numbers: Vec<u32> = (0..boxes as u32).collect();
        numbers.sort_unstable_by(|&a, &b| {
            let differing = (0..width).map(|depth| code(a, depth).cmp(&code(b, depth)));
            differing.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(&b))
        });
        let (mut codes, mut children) = (vec![Vec::new(); width], vec![Vec::new(); width.saturating_sub(1)]);
        let (mut starts, mut before): (Vec<u32>, Option<u32>) = (Vec::new(), None);
        for (at, &number) in numbers.iter().enumerate() {
            let is_new =
                |&depth: &usize| before.is_none_or(|other| code(other, depth) != code(number, depth));
            let first = (0..width).find(is_new).unwrap_or(width);
            for depth in first..width {
                codes[depth].push(code(number, depth));
                match children.get_mut(depth) {
                    Some(children) => children.push(codes[depth + 1].len() as u32),
                    None => starts.push(at as u32),
                }
            }
            before = Some(number);
        }
        for (depth, children) in children.iter_mut().enumerate() {
            children.push(codes[depth + 1].len() as u32);
        }
        starts.push(boxes as u32);
        BoxTree { width, shown, boxes, order, codes, children, starts, numbers }
    }

    /// How many rows of codes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boxes == 0
    }

    /// The codes of a row, by column.
    #[must_use]
    pub fn shown(&self, number: u32) -> &[u32] {
        &self.shown[number as usize * self.width..][..self.width]
    }

    /// Tells the numbers of the rows that have one of these codes in every column, in no order. Codes must be ascending.
    pub fn each_with(&self, codes: &[&[u32]], mut found: impl FnMut(u32)) {
        match self.codes.first() {
            Some(first) => self.descend(codes, 0, 0..first.len(), &mut found),
            None => (0..self.boxes as u32).for_each(found),
        }
    }

    fn descend(
        &self,
        wanted: &[&[u32]],
        depth: usize,
        nodes: std::ops::Range<usize>,
        found: &mut impl FnMut(u32),
    ) {
        let (from, codes) = (nodes.start, &self.codes[depth][nodes]);
        let these = wanted[self.order[depth]];
        // The fewer are looked up among the more.
        if these.len() > codes.len() {
            for (at, code) in codes.iter().enumerate() {
                if these.binary_search(code).is_ok() {
                    self.below(wanted, depth, from + at, found);
                }
            }
            return;
        }
        for code in these {
            let at = match codes.len() <= FEW {
                true => codes.iter().position(|known| known == code),
                false => codes.binary_search(code).ok(),
            };
            if let Some(at) = at {
                self.below(wanted, depth, from + at, found);
            }
        }
    }

    fn below(&self, wanted: &[&[u32]], depth: usize, node: usize, found: &mut impl FnMut(u32)) {
        match self.children.get(depth) {
            Some(children) => {
                self.descend(wanted, depth + 1, children[node] as usize..children[node + 1] as usize, found);
            }
            None => {
                let rows = self.starts[node] as usize..self.starts[node + 1] as usize;
                self.numbers[rows].iter().for_each(|&number| found(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_found_as_by_looking_at_each(
            rows in vec(vec(0u32..12, 3), 0..40),
            wanted in vec(proptest::collection::btree_set(0u32..12, 0..12), 3),
            width in 0usize..4,
            turned: bool,
        ) {
            let shown = rows.iter().flat_map(|row| row[..width].to_vec()).collect();
            let order = if turned { (0..width).rev().collect() } else { (0..width).collect() };
            let tree = BoxTree::new(shown, rows.len(), order);
            let wanted: Vec<Vec<u32>> = wanted[..width].iter().map(|codes| codes.iter().copied().collect()).collect();
            let mut found = Vec::new();
            tree.each_with(&wanted.iter().map(Vec::as_slice).collect::<Vec<_>>(), |number| found.push(number));
            found.sort_unstable();
            let has = |number: &u32| {
                tree.shown(*number).iter().zip(&wanted).all(|(code, wanted)| wanted.contains(code))
            };
            let slow: Vec<u32> = (0..tree.len() as u32).filter(has).collect();
            prop_assert_eq!(found, slow);
        }
    }
}

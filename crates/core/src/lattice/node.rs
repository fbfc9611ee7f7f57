//! A point of the lattice.

use std::fmt;

/// One level per quasi-identifier, in column order: a point of the lattice.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(Box<[u8]>);

impl Node {
    /// The node with these levels.
    pub fn new(levels: impl Into<Box<[u8]>>) -> Node {
        Node(levels.into())
    }

    /// The levels, in column order.
    pub fn levels(&self) -> &[u8] {
        &self.0
    }

    /// Sum of the levels.
    pub fn height(&self) -> u32 {
        self.0.iter().map(|&level| u32::from(level)).sum()
    }

    /// Whether every level is at least that of `other` (a node generalizes itself).
    pub fn generalizes(&self, other: &Node) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine >= theirs)
    }

    /// The same node with one level changed.
    pub fn with_level(&self, column: usize, level: u8) -> Node {
        let mut levels = self.0.clone();
        levels[column] = level;
        Node(levels)
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, level) in self.0.iter().enumerate() {
            write!(f, "{}{level}", if i > 0 { "," } else { "" })?;
        }
        f.write_str(")")
    }
}

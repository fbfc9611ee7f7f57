//! The boxes of a local recoding.

/// Which box the rows of every tuple show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boxes {
    /// No two of them read the same.
    pub boxes: Vec<LabelBox>,
    /// By tuple: the number of its box; `None` where its rows are suppressed, and for tuples without rows.
    pub box_of: Vec<Option<u32>>,
}

/// One label per column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelBox {
    /// By column: the level.
    pub levels: Box<[u8]>,
    /// By column: the group on that level.
    pub groups: Box<[u32]>,
    /// Rows that show the box.
    pub rows: u64,
}

impl Boxes {
    /// The box that the rows of a tuple show.
    pub fn of(&self, tuple: usize) -> Option<&LabelBox> {
        self.box_of.get(tuple).copied().flatten().map(|number| &self.boxes[number as usize])
    }

    /// By column and level: released cells; `heights` are the highest levels of the columns.
    pub fn cells_by_level(&self, heights: impl IntoIterator<Item = u8>) -> Vec<Vec<u64>> {
        let of_column = |(column, height): (usize, u8)| {
            let mut cells = vec![0; usize::from(height) + 1];
            self.boxes.iter().for_each(|shown| cells[usize::from(shown.levels[column])] += shown.rows);
            cells
        };
        heights.into_iter().enumerate().map(of_column).collect()
    }
}

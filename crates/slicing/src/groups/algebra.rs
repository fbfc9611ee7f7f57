//! What the rewrite rules of slicing ask of column groups. Klein, "Anonymization operators in the relational algebra", 2020.

use std::collections::BTreeSet;

use super::{ColumnGroups, GroupError, Overlap};

impl ColumnGroups {
    /// The refinement product `{A ∩ B ≠ ∅ : A ∈ outer, B ∈ inner}`, `self` being the outer groups: the groups into which two slicings, one
    /// after the other, cut the columns. Ordered by the outer group, then by the inner one; columns in the order of `self`.
    pub fn refine(&self, inner: &ColumnGroups) -> Result<ColumnGroups, GroupError> {
        let cells = self.cells(inner)?;
        let groups = cells.into_iter().map(|(_, _, columns)| columns).collect();
        Ok(ColumnGroups { columns: self.columns.clone(), groups, overlap: Overlap::Forbidden })
    }

    /// Is the overlap graph a forest? Its vertices are the groups of both sides, with an edge for each non-empty intersection.
    ///
    /// The inner slicing moves group `B` by a permutation `π_B`, the outer one group `A` by `ρ_A`, so the cell `A ∩ B` ends at `ρ_A ∘ π_B`. Only in a
    /// forest are these independent; on a cycle they are tied together, and slicing by the product removes more than the two did. Hence two
    /// slicings with the same buckets equal one by [`refine`](ColumnGroups::refine) exactly if this holds.
    pub fn overlap_graph_is_forest(&self, inner: &ColumnGroups) -> Result<bool, GroupError> {
        let mut trees = UnionFind::new(self.groups.len() + inner.groups.len());
        let cells = self.cells(inner)?;
        Ok(cells.iter().all(|(outer, inner, _)| trees.join(*outer, self.groups.len() + inner)))
    }

    /// The groups after a projection: the non-empty `A ∩ Z`, columns in the order of `projected`.
    pub fn restrict<C: AsRef<str>>(&self, projected: &[C]) -> Result<ColumnGroups, GroupError> {
        for name in projected {
            self.position(name.as_ref())?;
        }
        let kept: BTreeSet<&str> = projected.iter().map(AsRef::as_ref).collect();
        let mut groups = self.names();
        groups.iter_mut().for_each(|group| group.retain(|name| kept.contains(name)));
        groups.retain(|group| !group.is_empty());
        ColumnGroups::new(projected, &groups, self.overlap)
    }

    /// The groups over more columns: those that `self` does not have, if any, become one more group, the last.
    pub fn extend_to<C: AsRef<str>>(&self, columns: &[C]) -> Result<ColumnGroups, GroupError> {
        let mut groups = self.names();
        let own: BTreeSet<&str> = self.columns.iter().map(String::as_str).collect();
        let rest: Vec<&str> = columns.iter().map(AsRef::as_ref).filter(|name| !own.contains(name)).collect();
        if !rest.is_empty() {
            groups.push(rest);
        }
        ColumnGroups::new(columns, &groups, self.overlap)
    }

    /// The first group that has all of these columns.
    pub fn group_with<C: AsRef<str>>(&self, columns: &[C]) -> Result<Option<usize>, GroupError> {
        let wanted =
            columns.iter().map(|name| self.position(name.as_ref())).collect::<Result<Vec<_>, _>>()?;
        Ok(self.groups.iter().position(|group| wanted.iter().all(|column| group.contains(column))))
    }

    /// The same groups of the same columns, in whatever order?
    pub fn same_groups(&self, other: &ColumnGroups) -> bool {
        let sorted = |groups: &ColumnGroups| -> Vec<Vec<String>> {
            let mut names: Vec<Vec<String>> = groups
                .names()
                .iter()
                .map(|group| group.iter().map(|&name| name.to_owned()).collect())
                .collect();
            names.iter_mut().for_each(|group| group.sort());
            names.sort();
            names
        };
        sorted(self) == sorted(other)
    }

    /// The non-empty intersections: outer group, inner group, columns of `self`.
    fn cells(&self, inner: &ColumnGroups) -> Result<Vec<(usize, usize, Vec<usize>)>, GroupError> {
        let (ours, theirs) = (self.group_by_column()?, inner.group_by_column()?);
        if let Some(column) = inner.columns.iter().find(|name| !self.columns.contains(name)) {
            return Err(GroupError::DifferentColumns { column: column.clone() });
        }
        let mut cells: Vec<(usize, usize, Vec<usize>)> = Vec::new();
        for (column, name) in self.columns.iter().enumerate() {
            let Some(other) = inner.columns.iter().position(|candidate| candidate == name) else {
                return Err(GroupError::DifferentColumns { column: name.clone() });
            };
            let (outer, inner) = (ours[column], theirs[other]);
            match cells.iter_mut().find(|cell| (cell.0, cell.1) == (outer, inner)) {
                Some(cell) => cell.2.push(column),
                None => cells.push((outer, inner, vec![column])),
            }
        }
        cells.sort();
        Ok(cells)
    }

    /// The one group of each column.
    fn group_by_column(&self) -> Result<Vec<usize>, GroupError> {
        let mut group_of = vec![None; self.columns.len()];
        for (group, members) in self.groups.iter().enumerate() {
            for &column in members {
                if group_of[column].replace(group).is_some() {
                    return Err(GroupError::Overlapping { column: self.columns[column].clone() });
                }
            }
        }
        Ok(group_of.into_iter().flatten().collect())
    }
}

/// Which vertices hang together.
struct UnionFind {
    parent: Vec<usize>,
}

impl UnionFind {
    fn new(vertices: usize) -> UnionFind {
        UnionFind { parent: (0..vertices).collect() }
    }

    fn root(&mut self, mut vertex: usize) -> usize {
        while self.parent[vertex] != vertex {
            self.parent[vertex] = self.parent[self.parent[vertex]];
            vertex = self.parent[vertex];
        }
        vertex
    }

    /// Joins two trees; false if both ends were in the same one, so that the edge closes a cycle.
    fn join(&mut self, first: usize, second: usize) -> bool {
        let (first, second) = (self.root(first), self.root(second));
        self.parent[first] = second;
        first != second
    }
}

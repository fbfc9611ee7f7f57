//! Random tables with cells that would be noticed in a transcript.

use crate::{JointColumn, JointTable, PartyColumn, Role, Shares};
use paravent_core::hierarchy::Ladder;
use proptest::prelude::*;

/// A column: values, per level a merging of groups, and the code of each row.
#[derive(Debug, Clone)]
struct Draft {
    merges: Vec<Vec<usize>>,
    codes: Vec<u32>,
}

fn draft(rows: usize) -> impl Strategy<Value = Draft> {
    let merges = prop::collection::vec(prop::collection::vec(0usize..3, 5), 0..2);
    (merges, prop::collection::vec(0u32..5, rows)).prop_map(|(merges, codes)| Draft { merges, codes })
}

impl Draft {
    /// The column over the values that occur, with the labels of the merged groups and `*` on top.
    fn column(&self, name: &str) -> PartyColumn {
        let mut used = self.codes.clone();
        used.sort_unstable();
        used.dedup();
        let labels = |&value: &u32| {
            let mut group = value as usize;
            let mut labels = vec![Some(format!("cell of {name} no {value}"))];
            for (level, merge) in self.merges.iter().enumerate() {
                group = merge[group % merge.len()];
                labels.push(Some(format!("label of {name} on {level} no {group}")));
            }
            labels.push(Some("*".to_owned()));
            labels
        };
        let rows: Vec<Vec<Option<String>>> = used.iter().map(labels).collect();
        let code = |value: &u32| used.partition_point(|known| known < value) as u32;
        PartyColumn::with_ladder(Ladder::from_labels(&rows).unwrap(), self.codes.iter().map(code).collect())
    }
}

/// Two or three quasi-identifiers and a sensitive column with a hierarchy.
pub(super) fn table(rows: std::ops::Range<usize>) -> impl Strategy<Value = JointTable> {
    (rows, 2usize..4).prop_flat_map(|(rows, columns)| {
        (prop::collection::vec(draft(rows), columns + 1), Just(rows)).prop_map(|(drafts, rows)| {
            let last = drafts.len() - 1;
            let column = |(number, draft): (usize, &Draft)| {
                let name = if number == last { "illness".to_owned() } else { format!("q{number}") };
                let data = draft.column(&name);
                let height = data.ladder.as_ref().unwrap().max_level();
                let role = if number == last {
                    Role::Sensitive { height }
                } else {
                    Role::QuasiIdentifier {
                        height,
                        lowest: 0,
                        highest: height,
                        weight: 1.0,
                        shares: Shares::FromLeaves,
                    }
                };
                JointColumn { name, role, data, hierarchy: None }
            };
            JointTable { columns: drafts.iter().enumerate().map(column).collect(), rows, sizes: None }
        })
    })
}

/// Position of the sensitive column.
pub(super) fn sensitive(table: &JointTable) -> u16 {
    table.columns.len() as u16 - 1
}

/// The same table with marks: a row with 1 is to be released, the others are population. The first is always marked.
pub(super) fn marked(mut table: JointTable, bits: &[u32]) -> JointTable {
    let mut rows = bits[..table.rows].to_vec();
    rows[0] = 1;
    let cells = vec![Some("0".to_owned()), Some("1".to_owned())];
    let data = PartyColumn::plain(cells, rows);
    table.columns.push(JointColumn {
        name: "in study".into(),
        role: Role::Membership,
        data,
        hierarchy: None,
    });
    table
}

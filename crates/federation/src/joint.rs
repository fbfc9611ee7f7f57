//! A whole table, to be dealt to parties: for simulations, examples and comparisons.

use crate::data::{PartyColumn, PartyTable};
use crate::parties::{Holds, Member, PartyId};
use crate::plan::{
    ColumnKeys, Criterion, Gaps, Guarantee, Participants, Plan, PlanColumn, Protocol, Role, RunId,
    SamePerson, Shares, Split,
};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{Hierarchy, Ladder, Rung};
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;

/// A table that one place holds in full.
#[derive(Debug, Clone)]
pub struct JointTable {
    /// All columns.
    pub columns: Vec<JointColumn>,
    /// Number of rows.
    pub rows: usize,
    /// Rows of each party that holds data, where they are not as equal as can be.
    pub sizes: Option<Vec<usize>>,
}

/// A column with its name and role. Every cell of its dictionary occurs.
#[derive(Debug, Clone)]
pub struct JointColumn {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Its cells.
    pub data: PartyColumn,
    /// What its levels come from, where that is known: every party then climbs it with the values it holds itself.
    pub hierarchy: Option<Hierarchy>,
}

impl JointTable {
    /// Eight persons with sex, age and zip code: the running example of Kohlmayer's thesis, chapter 4.
    pub fn example() -> JointTable {
        let age = |age: &str| match age.parse::<u8>() {
            Ok(..=19) => vec![age.to_owned(), "<=19".to_owned(), "*".to_owned()],
            Ok(..=60) => vec![age.to_owned(), "20-60".to_owned(), "*".to_owned()],
            _ => vec![age.to_owned(), ">=61".to_owned(), "*".to_owned()],
        };
        let zip = |zip: &str| (0..=5).map(|n| format!("{}{}", &zip[..5 - n], "*".repeat(n))).collect();
        let sex = |sex: &str| vec![sex.to_owned(), "*".to_owned()];
        let column = |cells: [&str; 8], labels: &dyn Fn(&str) -> Vec<String>| {
            let mut values = cells.to_vec();
            values.sort_unstable();
            values.dedup();
            let rows: Vec<Vec<Option<String>>> =
                values.iter().map(|value| labels(value).into_iter().map(Some).collect()).collect();
            // The labels above are monotone and distinct.
            let ladder = Ladder::from_labels(&rows).ok()?;
            let code = |cell: &&str| values.partition_point(|value| value < cell) as u32;
            Some(PartyColumn::with_ladder(ladder, cells.iter().map(code).collect()))
        };
        let columns = [
            ("sex", 1, column(["M", "F", "M", "M", "F", "M", "F", "F"], &sex)),
            ("age", 2, column(["34", "45", "66", "70", "35", "21", "18", "17"], &age)),
            (
                "zip",
                5,
                column(["82676", "81775", "81925", "81825", "81774", "82669", "82453", "82451"], &zip),
            ),
        ];
        let columns = columns.into_iter().filter_map(|(name, height, data)| {
            let role = Role::QuasiIdentifier {
                height,
                lowest: 0,
                highest: height,
                weight: 1.0,
                shares: Shares::FromLeaves,
            };
            Some(JointColumn { name: name.to_owned(), role, data: data?, hierarchy: None })
        });
        JointTable { columns: columns.collect(), rows: 8, sizes: None }
    }

    /// A plan for this number of parties: 2-anonymity, no suppression, NUEM. Columns go to the parties in turn.
    pub fn plan(&self, protocol: Protocol, split: Split, parties: u16) -> Plan {
        let member = |number: u16| Member { name: format!("party {}", number + 1), holds: Holds::Data };
        let columns = self.columns.iter().enumerate().map(|(position, column)| PlanColumn {
            name: column.name.clone(),
            role: column.role.clone(),
            owner: PartyId((position % usize::from(parties.max(1))) as u16),
            sharers: Vec::new(),
        });
        Plan {
            run: RunId([0; 16]),
            protocol,
            split,
            members: (0..parties).map(member).collect(),
            columns: columns.collect(),
            criteria: vec![Criterion::KAnonymity { k: 2 }],
            metric: Metric::NonUniformEntropy,
            algorithm: Algorithm::Flash,
            guarantee: Guarantee::Needed,
            suppression_limit: Fraction::ZERO,
            participants: Participants::Trusted,
            column_keys: ColumnKeys::Common,
            gaps: Gaps::Refused,
            same_person: SamePerson::CountedTwice,
        }
    }

    /// The parts of the parties: rows in blocks, of nearly equal size unless sizes are given, or columns by owner. Each party's hierarchies cover the values it
    /// holds, no more.
    pub fn deal(&self, plan: &Plan) -> Vec<PartyTable> {
        let holding = plan.members.iter().filter(|member| member.holds == Holds::Data).count().max(1);
        let size = self.rows.div_ceil(holding).max(1);
        let all: Vec<u32> = (0..self.rows as u32).collect();
        let mut rest = &all[..];
        let mut sizes = self.sizes.iter().flatten();
        let mut block = || {
            let (block, later) = rest.split_at(sizes.next().copied().unwrap_or(size).min(rest.len()));
            rest = later;
            block
        };
        let mut tables = Vec::new();
        for (number, member) in (0u16..).zip(&plan.members) {
            let shared = persons_of(plan, PartyId(number), &all);
            let rows: &[u32] = match (plan.split, member.holds) {
                (_, Holds::Nothing) => &[],
                (Split::Horizontal, Holds::Data) => block(),
                (Split::Vertical, Holds::Data) => &shared,
            };
            let columns = plan.columns_of(PartyId(number)).into_iter();
            let columns = columns.map(|column| self.columns[usize::from(column)].rows_at(rows)).collect();
            let identifiers = match plan.identifies_rows() {
                false => Vec::new(),
                true => rows.iter().map(|row| format!("person {row}")).collect(),
            };
            tables.push(PartyTable { columns, identifiers, rows: rows.len() });
        }
        tables
    }
}

impl JointColumn {
    /// The column over some rows, with the values these show.
    fn rows_at(&self, rows: &[u32]) -> PartyColumn {
        let cells: Vec<u32> = rows.iter().map(|&row| self.data.rows[row as usize]).collect();
        if self.role == Role::Membership {
            return PartyColumn { rows: cells, ..self.data.clone() };
        }
        let mut used = cells.clone();
        used.extend(self.data.placeholder);
        used.sort_unstable();
        used.dedup();
        let code = |cell: &u32| used.partition_point(|known| known < cell) as u32;
        let texts: Vec<Option<String>> =
            used.iter().map(|&value| self.data.cells[value as usize].clone()).collect();
        let rows = cells.iter().map(code).collect();
        let placeholder = self.data.placeholder.map(|value| code(&value));
        if let Some(hierarchy) = &self.hierarchy {
            let values: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            // All values have a place in it: the whole column has.
            if let Ok(ladder) = hierarchy.ladder(&values) {
                return PartyColumn { placeholder, ..PartyColumn::with_hierarchy(hierarchy, ladder, rows) };
            }
        }
        let ladder = self.data.ladder.as_ref().and_then(|ladder| restricted(ladder, &used));
        PartyColumn { rows, cells: texts, ladder, leaves: self.data.leaves, placeholder }
    }
}

/// Vertical: everybody, or in turn the persons of each party that holds the same column.
fn persons_of(plan: &Plan, party: PartyId, all: &[u32]) -> Vec<u32> {
    let shared = plan.columns.iter().find(|column| !column.sharers.is_empty() && column.is_held_by(party));
    let Some(column) = shared else { return all.to_vec() };
    let holders = 1 + column.sharers.len();
    let place = column.sharers.iter().position(|&sharer| sharer == party).map_or(0, |at| at + 1);
    all.iter().copied().skip(place).step_by(holders).collect()
}

/// A ladder over some of its values; shares stay what they are.
fn restricted(ladder: &Ladder, values: &[u32]) -> Option<Ladder> {
    let rungs = ladder.rungs().iter().map(|rung| {
        let mut new_code = vec![None; rung.labels.len()];
        let mut kept = Vec::new();
        let group_of = (values.iter())
            .map(|&value| {
                let group = rung.group_of[value as usize] as usize;
                *new_code[group].get_or_insert_with(|| {
                    kept.push(group);
                    kept.len() as u32 - 1
                })
            })
            .collect();
        Rung {
            group_of,
            labels: kept.iter().map(|&group| rung.labels[group].clone()).collect(),
            loss: kept.iter().map(|&group| rung.loss[group]).collect(),
        }
    });
    // A part of a ladder is a ladder.
    Ladder::from_rungs(rungs.collect()).ok()
}

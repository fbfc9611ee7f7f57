//! The helper's table in protocol C: tokens, and counters it can add up and not read.

use super::tally::{Sums, Tallies, Tally};
use crate::crypto::{
    AdditiveCounters, ElGamal, ElGamalCounter, ElGamalPublic, permutation, permute, shuffle, sums_by_key,
};
use crate::engine::{CodedTable, View, VisibleRows, quasi_identifiers, views};
use crate::error::ProtocolError;
use crate::outcome::Facts;
use crate::plan::Plan;
use crate::protocols::Context;
use crate::protocols::sealing::{released_labels, seal_release};
use crate::table::equal_rows;
use crate::wire::{Check, ClassCounters, CounterList, EncryptedPart, ProfileColumn, SealedRelease};
use paravent_core::lattice::Node;
use paravent_core::table::FrequencyTable;

/// The encrypted table with its counters, ready for questions. Equal rows of one party are one row with the sum of their counters.
pub(in crate::protocols) struct CountedTable {
    key: ElGamalPublic,
    /// Different rows.
    part: EncryptedPart,
    /// By row of `part`: the sum of the counters.
    counters: Vec<ElGamalCounter>,
    tuple_of_row: Vec<u32>,
    /// The tuples of quasi-identifiers with their different rows and, as population, all rows that the helper sees.
    visible: FrequencyTable,
    /// All rows that the helper sees, made-up ones included.
    visible_rows: u32,
    tallies: Tallies,
}

impl CountedTable {
    /// From the rows of all parties, and whose they are.
    pub(in crate::protocols) fn new(
        plan: &Plan,
        part: EncryptedPart,
        origins: Option<Vec<u32>>,
        key: ElGamalPublic,
    ) -> Result<(CountedTable, CodedTable), ProtocolError> {
        let visible_rows = part.rows;
        let cells = part.columns.iter().map(|column| column.cells.as_slice());
        let columns: Vec<&[u32]> = cells.chain(origins.as_deref()).collect();
        let groups = equal_rows(part.rows as usize, &columns);
        let counters = ElGamalCounter::read_all(&part.counters.0)?;
        let (_, counters) = sums_by_key::<ElGamal, u32>(&groups.group_of, &counters);
        let origins = origins.map(|origins| permute(&origins, &groups.representatives));
        let part =
            EncryptedPart { counters: CounterList::default(), ..part }.rows_at(&groups.representatives);
        let coded = CodedTable::of_tokens(plan, &part, origins)?;
        let (different, tuple_of_row, _) = coded.frequencies(plan, &[])?;
        let mut all = vec![0u32; different.tuple_count()];
        groups.group_of.iter().for_each(|&group| all[tuple_of_row[group as usize] as usize] += 1);
        let columns = (0..different.column_count()).map(|column| different.column(column).clone());
        let visible =
            FrequencyTable::new(columns.collect(), different.rows().to_vec(), Some(all), Vec::new())?;
        let by_view = sums_by_view(plan, &coded, &tuple_of_row, &counters);
        let ladders = quasi_identifiers(plan, &coded)?.ladders().to_vec();
        let tallies = Tallies::new(Tally::of_tuples(different, by_view), ladders);
        Ok((CountedTable { key, part, counters, tuple_of_row, visible, visible_rows, tallies }, coded))
    }

    /// What the helper can conclude without asking.
    pub(in crate::protocols) fn visible(&self, plan: &Plan) -> VisibleRows {
        VisibleRows {
            table: self.visible.clone(),
            least: plan.promised_class(),
            // There are at most as many real rows.
            most_left_out: plan.suppression_limit.floor_of(u64::from(self.visible_rows)),
        }
    }

    /// How often each value occurs, in random order, without labels.
    pub(in crate::protocols) fn profile(
        &self,
        coded: &CodedTable,
        context: &mut Context<'_>,
    ) -> Vec<ProfileColumn> {
        let mut columns = Vec::new();
        for position in context.plan.quasi_identifiers() {
            let position = usize::from(position);
            let (column, encrypted) = (&coded.columns[position], &self.part.columns[position]);
            let (_, sums) = sums_by_key::<ElGamal, u32>(&column.cells, &self.counters);
            let order = permutation(sums.len(), context.rng);
            let counters = self.masked(&permute(&sums, &order), context);
            let groups = column.ladder.iter().flat_map(|ladder| &ladder.rungs()[1..]);
            columns.push(ProfileColumn {
                levels: groups.map(|rung| permute(&rung.group_of, &order)).collect(),
                shares: encrypted.domain_shares().iter().map(|level| permute(level, &order)).collect(),
                counters,
            });
        }
        columns
    }

    /// The counters of the classes under a node, a share for each primary party.
    pub(in crate::protocols) fn question(&mut self, node: &Node, context: &mut Context<'_>) -> Vec<Check> {
        let tally = self.tallies.at(node);
        self.asked(node, &tally, context).0
    }

    /// The same, and by share the classes in the order in which they are asked about, numbered as [`release`](Self::release) expects it.
    pub(in crate::protocols) fn last_question(
        &self,
        node: &Node,
        context: &mut Context<'_>,
    ) -> (Vec<Check>, Vec<Vec<u32>>) {
        self.asked(node, &self.tallies.added_up_anew(node), context)
    }

    fn asked(&self, node: &Node, tally: &Tally, context: &mut Context<'_>) -> (Vec<Check>, Vec<Vec<u32>>) {
        let mut by_class: Vec<Vec<Vec<ElGamalCounter>>> =
            vec![vec![Vec::new(); tally.views.len()]; tally.classes()];
        for (view, sums) in tally.views.iter().enumerate() {
            for (&(class, _), &counter) in sums.keys.iter().zip(&sums.counters) {
                by_class[class as usize][view].push(counter);
            }
        }
        let order = permutation(tally.classes(), context.rng);
        let parties = usize::from(context.plan.primaries());
        let share = |party: usize| order.iter().copied().skip(party).step_by(parties).collect();
        let shares: Vec<Vec<u32>> = (0..parties).map(share).collect();
        let mut checks = Vec::new();
        for share in &shares {
            let (mut lengths, mut counters) = (Vec::new(), Vec::new());
            for &class in share {
                for list in &mut by_class[class as usize] {
                    shuffle(list, context.rng);
                    lengths.push(list.len() as u32);
                    counters.append(list);
                }
            }
            let counters = self.masked(&counters, context);
            let classes = ClassCounters { views: tally.views.len() as u8, lengths, counters };
            let node = node.levels().to_vec();
            checks.push(Check { node, visible_rows: self.visible_rows, classes });
        }
        (checks, shares)
    }

    /// Other counters of the same counts: a sum of known counters could be recognised.
    fn masked(&self, counters: &[ElGamalCounter], context: &mut Context<'_>) -> CounterList {
        let counters = ElGamal::rerandomise(&self.key, counters, context.rng);
        CounterList(ElGamalCounter::write_all(&counters))
    }

    /// The release: the different rows of the kept classes with the sums of their counters.
    pub(in crate::protocols) fn release(
        self,
        facts: Facts,
        kept: Option<&[bool]>,
        context: &mut Context<'_>,
    ) -> SealedRelease {
        let class_of = self.tallies.class_of_tuples(&Node::new(facts.node.clone()));
        let is_kept = |&row: &u32| {
            let class = class_of[self.tuple_of_row[row as usize] as usize];
            kept.is_none_or(|kept| kept[class as usize])
        };
        let rows: Vec<u32> = (0..self.part.rows).filter(is_kept).collect();
        let labels: Vec<Vec<u32>> = released_labels(context.plan, &self.part, &facts.node)
            .map(|(column, labels)| {
                rows.iter().map(|&row| labels[column.cells[row as usize] as usize]).collect()
            })
            .collect();
        let labels: Vec<&[u32]> = labels.iter().map(Vec::as_slice).collect();
        let groups = equal_rows(rows.len(), &labels);
        let (_, sums) = sums_by_key::<ElGamal, u32>(&groups.group_of, &permute(&self.counters, &rows));
        let order = permutation(sums.len(), context.rng);
        let counters = self.masked(&permute(&sums, &order), context);
        let rows = permute(&permute(&rows, &groups.representatives), &order);
        seal_release(context.plan, &self.part, facts, &rows, counters)
    }
}

/// Counters summed up by tuple and code of each view. Without views, all codes are 0.
fn sums_by_view(
    plan: &Plan,
    coded: &CodedTable,
    tuple_of_row: &[u32],
    counters: &[ElGamalCounter],
) -> Vec<Sums> {
    let codes: Vec<Vec<u32>> = match views(plan) {
        views if views.is_empty() => vec![vec![0; coded.rows]],
        views => views.iter().map(|view: &View| coded.codes_of(view).0).collect(),
    };
    let sum = |codes: &Vec<u32>| {
        let keys: Vec<(u32, u32)> = tuple_of_row.iter().copied().zip(codes.iter().copied()).collect();
        Sums::of(&keys, counters)
    };
    codes.iter().map(sum).collect()
}

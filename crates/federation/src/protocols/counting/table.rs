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
use crate::wire::{Check, ClassCounters, CounterList, EncryptedPart, ProfileColumn, SealedRelease, Totals};
use paravent_core::lattice::Node;
use paravent_core::table::FrequencyTable;

/// The encrypted table with its counters, ready for questions. Equal rows of one party are one row with the sum of their counters.
pub(in crate::protocols) struct CountedTable {
    key: ElGamalPublic,
    /// Different rows.
    part: EncryptedPart,
    /// By row of `part`: the sum of the counters.
    counters: Vec<ElGamalCounter>,
    /// By row of `part`, where a population is counted: the same of everybody's rows.
    population: Vec<ElGamalCounter>,
    /// By view whose values have numbers: code → number, in random order.
    numbers: Vec<Option<Vec<u32>>>,
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
        part: EncryptedPart,
        origins: Option<Vec<u32>>,
        key: ElGamalPublic,
        context: &mut Context<'_>,
    ) -> Result<(CountedTable, CodedTable), ProtocolError> {
        let plan = context.plan;
        let visible_rows = part.rows;
        let cells = part.columns.iter().map(|column| column.cells.as_slice());
        let columns: Vec<&[u32]> = cells.chain(origins.as_deref()).collect();
        let groups = equal_rows(part.rows as usize, &columns);
        let summed = |list: &CounterList| -> Result<Vec<ElGamalCounter>, ProtocolError> {
            let counters = ElGamalCounter::read_all(&list.0)?;
            Ok(sums_by_key::<ElGamal, u32>(&groups.group_of, &counters).1)
        };
        let counters = summed(&part.counters)?;
        let population = if plan.marks_rows() { summed(&part.population)? } else { Vec::new() };
        let origins = origins.map(|origins| permute(&origins, &groups.representatives));
        let without_counters =
            EncryptedPart { counters: CounterList::default(), population: CounterList::default(), ..part };
        let part = without_counters.rows_at(&groups.representatives);
        let coded = CodedTable::of_tokens(plan, &part, origins)?;
        let (different, tuple_of_row, _) = coded.frequencies(plan, &[])?;
        let mut all = vec![0u32; different.tuple_count()];
        groups.group_of.iter().for_each(|&group| all[tuple_of_row[group as usize] as usize] += 1);
        let columns = (0..different.column_count()).map(|column| different.column(column).clone());
        let visible =
            FrequencyTable::new(columns.collect(), different.rows().to_vec(), Some(all), Vec::new())?;
        let mut by_view = sums_by_view(plan, &coded, &tuple_of_row, &counters);
        if plan.marks_rows() {
            let keys: Vec<(u32, u32)> = tuple_of_row.iter().map(|&tuple| (tuple, 0)).collect();
            by_view.push(Sums::of(&keys, &population));
        }
        let numbers = views(plan).into_iter().map(|view| {
            let column = view.column().filter(|_| view.is_numbered(plan))?;
            Some(permutation(coded.columns[usize::from(column)].distinct, context.rng))
        });
        let numbers = numbers.collect();
        let ladders = quasi_identifiers(plan, &coded)?.ladders().to_vec();
        let tallies = Tallies::new(Tally::of_tuples(different, by_view), ladders);
        let table = CountedTable {
            key,
            part,
            counters,
            population,
            numbers,
            tuple_of_row,
            visible,
            visible_rows,
            tallies,
        };
        Ok((table, coded))
    }

    /// What the helper can conclude without asking.
    pub(in crate::protocols) fn visible(&self, plan: &Plan) -> VisibleRows {
        VisibleRows {
            table: self.visible.clone(),
            // In a population, what looks like rows of a small class may be nobody's who is in the table.
            least: if plan.marks_rows() { 0 } else { plan.promised_class() },
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

    /// How often each value of the columns with t-closeness occurs, by number; `None` where there is no such column.
    pub(in crate::protocols) fn totals(
        &self,
        coded: &CodedTable,
        context: &mut Context<'_>,
    ) -> Option<Totals> {
        let mut columns = Vec::new();
        for (view, numbers) in views(context.plan).iter().zip(&self.numbers) {
            let (Some(position), Some(numbers)) = (view.column(), numbers) else { continue };
            let mut codes = vec![0u32; numbers.len()];
            (0..).zip(numbers).for_each(|(code, &number)| codes[number as usize] = code);
            columns.push((position, self.totals_of(position, &codes, coded, context)));
        }
        columns.sort_by_key(|(position, _)| *position);
        let columns: Vec<ProfileColumn> = columns.into_iter().map(|(_, column)| column).collect();
        (!columns.is_empty()).then_some(Totals { visible_rows: self.visible_rows, columns })
    }

    /// How often these values of a column with t-closeness occur, and how its hierarchy groups them where a distance climbs it.
    fn totals_of(
        &self,
        position: u16,
        codes: &[u32],
        coded: &CodedTable,
        context: &mut Context<'_>,
    ) -> ProfileColumn {
        let column = &coded.columns[usize::from(position)];
        let height = context.plan.reference_height(position).unwrap_or(0);
        let (_, sums) = sums_by_key::<ElGamal, u32>(&column.cells, &self.counters);
        let rungs = (1..=height).filter_map(|level| Some(column.ladder.as_ref()?.rung(level)));
        ProfileColumn {
            levels: rungs.map(|rung| permute(&rung.group_of, codes)).collect(),
            shares: Vec::new(),
            counters: self.masked(&permute(&sums, codes), context),
        }
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
        let mut by_class: Vec<Vec<Vec<(u32, ElGamalCounter)>>> =
            vec![vec![Vec::new(); tally.views.len()]; tally.classes()];
        for (view, sums) in tally.views.iter().enumerate() {
            for (&(class, code), &counter) in sums.keys.iter().zip(&sums.counters) {
                by_class[class as usize][view].push((code, counter));
            }
        }
        let order = permutation(tally.classes(), context.rng);
        let parties = usize::from(context.plan.primaries());
        let share = |party: usize| order.iter().copied().skip(party).step_by(parties).collect();
        let shares: Vec<Vec<u32>> = (0..parties).map(share).collect();
        let mut checks = Vec::new();
        for share in &shares {
            let (mut lengths, mut numbers, mut counters) = (Vec::new(), Vec::new(), Vec::new());
            for &class in share {
                for (view, list) in by_class[class as usize].iter_mut().enumerate() {
                    shuffle(list, context.rng);
                    lengths.push(list.len() as u32);
                    if let Some(Some(number_of)) = self.numbers.get(view) {
                        numbers.extend(list.iter().map(|&(code, _)| number_of[code as usize]));
                    }
                    counters.extend(list.drain(..).map(|(_, counter)| counter));
                }
            }
            let counters = self.masked(&counters, context);
            let classes = ClassCounters { views: tally.views.len() as u8, lengths, numbers, counters };
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
    ) -> Result<SealedRelease, ProtocolError> {
        let plan = context.plan;
        let class_of = self.tallies.class_of_tuples(&Node::new(facts.node.clone()));
        let class_of_row = |row: u32| class_of[self.tuple_of_row[row as usize] as usize];
        let is_kept = |&row: &u32| kept.is_none_or(|kept| kept[class_of_row(row) as usize]);
        let rows: Vec<u32> = (0..self.part.rows).filter(is_kept).collect();
        let labels: Vec<Vec<u32>> = released_labels(plan, &self.part, &facts.node)
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
        let mut release = seal_release(plan, &self.part, facts, &rows, counters);
        if plan.marks_rows() {
            let class_of_rows: Vec<u32> = (0..self.part.rows).map(class_of_row).collect();
            let (_, sizes) = sums_by_key::<ElGamal, u32>(&class_of_rows, &self.population);
            let sizes: Vec<ElGamalCounter> =
                rows.iter().map(|&row| sizes[class_of_row(row) as usize]).collect();
            release.class_sizes = self.masked(&sizes, context);
        }
        let close = plan.close_columns();
        if !close.is_empty() {
            let coded = CodedTable::of_tokens(plan, &self.part, None)?;
            for position in close {
                // Labels of a sensitive column are in the order of their codes, as those of the release.
                let column = &coded.columns[usize::from(position)];
                let mut shown = vec![false; column.distinct];
                rows.iter().for_each(|&row| shown[column.cells[row as usize] as usize] = true);
                let (mut codes, mut withheld): (Vec<u32>, Vec<u32>) =
                    (0..column.distinct as u32).partition(|&code| shown[code as usize]);
                shuffle(&mut withheld, context.rng);
                codes.append(&mut withheld);
                release.totals.push(self.totals_of(position, &codes, &coded, context));
            }
        }
        Ok(release)
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

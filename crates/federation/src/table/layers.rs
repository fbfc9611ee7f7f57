//! Rearranging encrypted columns without looking into tokens.

use crate::crypto::{NotAToken, Token, permutation, permute};
use crate::wire::{CounterList, EncryptedColumn, EncryptedPart};
use paravent_core::hierarchy::categorical_loss;

impl EncryptedColumn {
    /// Sorts the dictionary and the values by token; two equal tokens in it are an error, since labels were distinct.
    pub(crate) fn in_token_order(self) -> Result<EncryptedColumn, NotAToken> {
        let mut order: Vec<u32> = (0..self.tokens.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.tokens[a as usize].cmp(&self.tokens[b as usize]));
        if order.windows(2).any(|pair| self.tokens[pair[0] as usize] == self.tokens[pair[1] as usize]) {
            return Err(NotAToken);
        }
        let new_token = inverse(&order);
        let renamed =
            |positions: &[u32]| positions.iter().map(|&at| new_token[at as usize]).collect::<Vec<u32>>();
        let values = renamed(&self.values);
        let mut by_token: Vec<u32> = (0..values.len() as u32).collect();
        by_token.sort_unstable_by_key(|&value| values[value as usize]);
        let new_value = inverse(&by_token);
        let has_dictionary = !self.tokens.is_empty();
        let cells = if has_dictionary {
            self.cells.iter().map(|&cell| new_value[cell as usize]).collect()
        } else {
            self.cells
        };
        Ok(EncryptedColumn {
            column: self.column,
            tokens: permute(&self.tokens, &order),
            values: permute(&values, &by_token),
            levels: self.levels.iter().map(|level| permute(&renamed(level), &by_token)).collect(),
            shares: self.shares.iter().map(|level| permute(level, &by_token)).collect(),
            leaves: self.leaves,
            placeholder: self.placeholder.map(|value| new_value[value as usize]),
            cells,
        })
    }

    /// The column with its tokens replaced.
    pub(crate) fn with_tokens(
        self,
        replace: impl FnOnce(&[Token]) -> Result<Vec<Token>, NotAToken>,
    ) -> Result<EncryptedColumn, NotAToken> {
        let tokens = replace(&self.tokens)?;
        EncryptedColumn { tokens, ..self }.in_token_order()
    }

    /// By token: the level it belongs to, the values being labels of the level `lowest`. `None` where a token has two levels or none, or
    /// values are not the labels of the levels up to `lowest`.
    pub(crate) fn level_of_tokens(&self, lowest: u8) -> Option<Vec<u8>> {
        let mut level_of: Vec<Option<u8>> = vec![None; self.tokens.len()];
        self.values.iter().for_each(|&token| level_of[token as usize] = Some(lowest));
        for (level, labels) in (1u8..).zip(&self.levels) {
            if level <= lowest {
                if *labels != self.values {
                    return None;
                }
                continue;
            }
            for &token in labels {
                if *level_of[token as usize].get_or_insert(level) != level {
                    return None;
                }
            }
        }
        level_of.into_iter().collect()
    }

    /// As `shares`, as shares of the domain.
    pub(crate) fn domain_shares(&self) -> Vec<Vec<f64>> {
        match self.leaves as usize {
            0 => self.shares.clone(),
            all => {
                let share = |&leaves: &f64| categorical_loss(leaves as usize, all);
                self.shares.iter().map(|level| level.iter().map(share).collect()).collect()
            }
        }
    }

    /// The column over these rows only; values no row shows are left out, and labels no value has.
    pub(crate) fn rows_at(&self, rows: &[u32]) -> EncryptedColumn {
        let cells = permute(&self.cells, rows);
        if self.tokens.is_empty() {
            return EncryptedColumn { column: self.column, cells, ..EncryptedColumn::default() };
        }
        let mut used = vec![false; self.values.len()];
        cells.iter().chain(&self.placeholder).for_each(|&value| used[value as usize] = true);
        let kept: Vec<u32> = (0..used.len() as u32).filter(|&value| used[value as usize]).collect();
        let new_value = inverse_of(&kept, used.len());
        let mut needed = vec![false; self.tokens.len()];
        let labels = std::iter::once(&self.values).chain(&self.levels);
        labels
            .clone()
            .for_each(|level| kept.iter().for_each(|&value| needed[level[value as usize] as usize] = true));
        let tokens: Vec<u32> = (0..needed.len() as u32).filter(|&token| needed[token as usize]).collect();
        let new_token = inverse_of(&tokens, needed.len());
        let restricted = |level: &Vec<u32>| {
            kept.iter().map(|&value| new_token[level[value as usize] as usize]).collect::<Vec<u32>>()
        };
        EncryptedColumn {
            column: self.column,
            tokens: permute(&self.tokens, &tokens),
            values: restricted(&self.values),
            levels: self.levels.iter().map(restricted).collect(),
            shares: self.shares.iter().map(|level| permute(level, &kept)).collect(),
            leaves: if kept.is_empty() { 0 } else { self.leaves },
            placeholder: self.placeholder.map(|value| new_value[value as usize]),
            cells: cells.iter().map(|&value| new_value[value as usize]).collect(),
        }
    }
}

impl EncryptedPart {
    /// These rows in this order, each column with the values it needs.
    pub(crate) fn rows_at(&self, rows: &[u32]) -> EncryptedPart {
        let some = |present: bool| if present { rows } else { &[][..] };
        EncryptedPart {
            rows: rows.len() as u32,
            identifiers: permute(&self.identifiers, some(!self.identifiers.is_empty())),
            columns: self.columns.iter().map(|column| column.rows_at(rows)).collect(),
            counters: CounterList(permute(&self.counters.0, some(!self.counters.0.is_empty()))),
            population: CounterList(permute(&self.population.0, some(!self.population.0.is_empty()))),
        }
    }

    /// The rows in random order.
    pub(crate) fn shuffled(self, rng: &mut dyn rand_core::CryptoRng) -> EncryptedPart {
        let order = permutation(self.rows as usize, rng);
        self.in_order(&order)
    }

    /// The rows in an order. Counters go with places, so there are none before this.
    pub(crate) fn in_order(self, order: &[u32]) -> EncryptedPart {
        debug_assert!(self.counters.0.is_empty() && self.population.0.is_empty());
        EncryptedPart {
            rows: self.rows,
            identifiers: permute_any(&self.identifiers, order),
            columns: (self.columns.into_iter())
                .map(|column| EncryptedColumn { cells: permute(&column.cells, order), ..column })
                .collect(),
            ..EncryptedPart::default()
        }
    }

    /// The rows dealt into this number of parts of nearly equal size.
    pub(crate) fn dealt(&self, parts: usize) -> Vec<EncryptedPart> {
        let rows: Vec<u32> = (0..self.rows).collect();
        let size = rows.len().div_ceil(parts.max(1)).max(1);
        let mut chunks: Vec<EncryptedPart> = rows.chunks(size).map(|chunk| self.rows_at(chunk)).collect();
        chunks.resize_with(parts, || self.rows_at(&[]));
        chunks
    }
}

/// The items in an order; empty stays empty.
fn permute_any<T: Clone>(items: &[T], order: &[u32]) -> Vec<T> {
    if items.is_empty() { Vec::new() } else { permute(items, order) }
}

/// Position → place in `order`.
fn inverse(order: &[u32]) -> Vec<u32> {
    inverse_of(order, order.len())
}

fn inverse_of(order: &[u32], length: usize) -> Vec<u32> {
    let mut inverse = vec![u32::MAX; length];
    for (new, &old) in (0..).zip(order) {
        inverse[old as usize] = new;
    }
    inverse
}

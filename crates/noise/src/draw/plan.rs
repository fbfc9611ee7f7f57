//! A response in whole numbers: thresholds and cumulative weights over a common denominator.

use super::{COIN, TICKET, WORDS, Words};
use crate::distribution::Distribution;
use crate::exact::Ratio;
use crate::response::Response;

/// A response made ready for drawing.
///
/// A draw throws one integer below the denominator of p and, where that says so, another below the denominator of the weights;
/// the share of integers that lead to an answer *is* its probability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Redraw when the coin is below the first number; coins are below the second.
    redraw: u64,
    coins: u64,
    values: u32,
    tables: Tables,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tables {
    Same(Table),
    ByValue(Vec<Table>),
}

/// Codes of positive weight with the running sums of their weights; the last sum is the denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Table {
    codes: Vec<u32>,
    sums: Vec<u64>,
}

/// What a redrawn value becomes, as thresholds: `codes[i]` for integers below `sums[i]` and not below the sum before; the last sum is the bound of the
/// integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket<'a> {
    /// The codes that have a weight.
    pub codes: &'a [u32],
    /// The running sums of the weights.
    pub sums: &'a [u64],
}

/// The probabilities have no common denominator of 60 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the probabilities have no common denominator up to 2^60: write them with fewer digits")]
pub struct TooFine;

/// A code that the distribution does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cell has a value outside the {values} values of the noise distribution")]
pub struct OutsideDomain {
    /// Values of the distribution.
    pub values: u32,
}

impl Plan {
    /// Makes `response` ready for drawing.
    pub fn new(response: &Response) -> Result<Plan, TooFine> {
        let p = response.p.ratio();
        let coins = p.small_denominator().filter(|coins| *coins <= WORDS).ok_or(TooFine)?;
        let redraw = p.times_as_whole(coins).ok_or(TooFine)?;
        let tables = match &response.distribution {
            Distribution::Static(weights) => Tables::Same(Table::new((0..).zip(weights.as_slice()))?),
            Distribution::Dynamic(kernel) => {
                let table = |from| Table::new(kernel.row(from).iter().map(|(code, weight)| (*code, weight)));
                Tables::ByValue((0..response.domain()).map(table).collect::<Result<_, _>>()?)
            }
        };
        Ok(Plan { redraw, coins, values: response.domain(), tables })
    }

    /// The number of values; codes are `0..domain`.
    pub fn domain(&self) -> u32 {
        self.values
    }

    /// Whether every value stays as it is for certain.
    pub fn is_identity(&self) -> bool {
        self.redraw == 0
    }

    /// What `code` in row `row` is shown as, with the integers of that row.
    pub fn draw(&self, words: &mut Words, row: u64, code: u32) -> Result<u32, OutsideDomain> {
        self.check(code)?;
        Ok(self.outcome(code, &mut |number, below| words.below(row, number, below)))
    }

    /// The coin: a cell is redrawn when the integer with number [`COIN`] below the second figure is below the first.
    pub fn coin(&self) -> (u64, u64) {
        (self.redraw, self.coins)
    }

    /// The thresholds of a redrawn `code`, for the integer with number [`TICKET`]; `None` outside the domain.
    pub fn ticket(&self, code: u32) -> Option<Ticket<'_>> {
        self.check(code).ok()?;
        let Table { codes, sums } = self.table(code);
        Some(Ticket { codes, sums })
    }

    /// Whether a redraw ignores the old value, so that all tickets are equal.
    pub fn is_static(&self) -> bool {
        matches!(self.tables, Tables::Same(_))
    }

    fn table(&self, code: u32) -> &Table {
        match &self.tables {
            Tables::Same(table) => table,
            Tables::ByValue(tables) => &tables[code as usize],
        }
    }

    pub(super) fn check(&self, code: u32) -> Result<(), OutsideDomain> {
        if code < self.values { Ok(()) } else { Err(OutsideDomain { values: self.values }) }
    }

    /// What `code` becomes, given a source of uniform integers by number and bound.
    pub(super) fn outcome(&self, code: u32, uniform: &mut impl FnMut(u16, u64) -> u64) -> u32 {
        // A coin that always falls the same way is not thrown.
        if self.redraw < self.coins && (self.redraw == 0 || uniform(COIN, self.coins) >= self.redraw) {
            return code;
        }
        let table = self.table(code);
        table.code_at(uniform(TICKET, table.denominator()))
    }
}

impl Table {
    fn new<'a>(weights: impl Iterator<Item = (u32, &'a Ratio)> + Clone) -> Result<Table, TooFine> {
        let mut denominator = 1u64;
        for (_, weight) in weights.clone() {
            denominator =
                common_multiple(denominator, weight.small_denominator().ok_or(TooFine)?).ok_or(TooFine)?;
        }
        if denominator > WORDS {
            return Err(TooFine);
        }
        let (mut codes, mut sums, mut sum) = (Vec::new(), Vec::new(), 0u64);
        for (code, weight) in weights.filter(|(_, weight)| !weight.is_zero()) {
            sum += weight.times_as_whole(denominator).ok_or(TooFine)?;
            codes.push(code);
            sums.push(sum);
        }
        debug_assert_eq!(sum, denominator, "weights sum to 1");
        Ok(Table { codes, sums })
    }

    fn denominator(&self) -> u64 {
        self.sums[self.sums.len() - 1]
    }

    fn code_at(&self, ticket: u64) -> u32 {
        self.codes[self.sums.partition_point(|sum| *sum <= ticket)]
    }
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}

#[cfg(test)]
pub(super) mod enumeration {
    use super::*;

    /// The probability of every answer to `code`, by trying all integers that can be drawn: the slow twin of the sampler.
    pub(crate) fn answers(plan: &Plan, code: u32) -> Vec<Ratio> {
        let mut answers = vec![Ratio::zero(); plan.values as usize];
        // A path is the list of integers drawn so far; it grows until the sampler is satisfied.
        let mut open: Vec<Vec<u64>> = vec![vec![]];
        while let Some(path) = open.pop() {
            let (mut position, mut weight, mut asked) = (0, Ratio::one(), None);
            let answer = plan.outcome(code, &mut |_, below| {
                let number = path.get(position).copied();
                position += 1;
                weight = &weight / &Ratio::whole(u128::from(below));
                number.unwrap_or_else(|| {
                    asked = asked.or(Some((position - 1, below)));
                    0
                })
            });
            match asked {
                Some((at, below)) => {
                    assert_eq!(at, path.len());
                    open.extend((0..below).map(|number| [path.clone(), vec![number]].concat()));
                }
                None => answers[answer as usize] = &answers[answer as usize] + &weight,
            }
        }
        answers
    }
}

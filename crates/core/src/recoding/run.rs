//! From a task to its local recoding.

use super::apply::{solution, united};
use super::iterated::iterated;
use super::judge::Judge;
use super::node::best_node;
use super::random::Random;
use super::space::{Class, Space};
use super::start::{Groups, agglomerate};
use super::stopping::Stopping;
use super::{
    Recoding, RecodingError, blocks, bound, improve, measure, peel, population, reduce, suppression,
};
use crate::criteria::Suppression;
use crate::quality::Balance;
use crate::search::Flow;
use crate::solve;
use crate::task::Task;
use rayon::prelude::*;

/// What a recoding may cost. Nothing here but `moves` and `seed` changes a result.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Classes that are dissolved and clustered anew, with their neighbours; a number for each tuple where it is not given.
    pub moves: Option<u64>,
    /// Where chance starts.
    pub seed: u64,
    /// Is told about progress, and may stop the search.
    pub observer: &'a dyn Observer,
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { moves: None, seed: 0, observer: &Unobserved }
    }
}

impl std::fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Effort").field("moves", &self.moves).field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// Passes on a wish to stop, and nothing else: for recodings that are a step of another one.
pub(super) struct Quiet<'a>(pub(super) &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn after_round(&self, _: &Progress) -> Flow {
        Flow::Continue
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// Hears about progress.
pub trait Observer: Sync {
    /// After each round. The loss is that of the best recoding so far, so that it never grows, nor does the gap to the bound.
    fn after_round(&self, progress: &Progress) -> Flow;

    /// Whether to stop at once. Each step asks repeatedly; a stopped step finds nothing.
    fn stop(&self) -> bool {
        false
    }
}

/// How far a recoding has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Moves tried.
    pub moves: u64,
    /// Moves to try in all.
    pub of: u64,
    /// The loss so far.
    pub loss: f64,
    /// No local recoding has a lower loss.
    pub lower_bound: f64,
}

/// Nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn after_round(&self, _: &Progress) -> Flow {
        Flow::Continue
    }
}

/// Moves where their number is not given: six for each tuple, more for each of few, and fewer for each of very many.
pub(super) fn usual_moves(tuples: u64) -> u64 {
    let fewest = tuples.saturating_mul(160).min(8_000);
    let few = tuples.saturating_mul(64).clamp(fewest, 32_000);
    tuples.saturating_mul(6).clamp(few, few.max(350_000 + tuples / 4))
}

/// Number of rounds that the moves are spread over. Each round has its own blocks.
const ROUNDS: u64 = 12;

/// Tuples of a block.
const BLOCK: usize = 1000;

impl Task {
    /// A local recoding that holds, the best that was found; `None` when there is none within the suppression limit, or somebody
    /// asked to [stop](Observer::stop).
    pub fn recode(&self, effort: &Effort<'_>) -> Result<Option<Recoding>, RecodingError> {
        let ranges = self.lattice().lowest().iter().zip(self.lattice().highest());
        let levels: Vec<Vec<u8>> = ranges.map(|(&low, &high)| (low..=high).collect()).collect();
        self.recode_within(&levels, effort)
    }

    /// The same where each column shows labels of the given levels only, ascending.
    pub fn recode_within(
        &self,
        levels: &[Vec<u8>],
        effort: &Effort<'_>,
    ) -> Result<Option<Recoding>, RecodingError> {
        self.recode_between(levels, levels, effort)
    }

    /// The same with a lower bound for all recodings that show `bounded` levels.
    pub(super) fn recode_between(
        &self,
        levels: &[Vec<u8>],
        bounded: &[Vec<u8>],
        effort: &Effort<'_>,
    ) -> Result<Option<Recoding>, RecodingError> {
        require_levels(self, levels)?;
        let stop = || effort.observer.stop();
        let space = Space::new(self, levels)?.stopped_by(Stopping(&stop));
        let search = Search { space: &space, effort };
        let first = first_classes(&space, effort)?;
        // Its boxes do not overlap, and everybody of the population is counted.
        let split = population::split_node(&space)?;
        let Some(known) = first.as_ref().or(split.as_ref()) else { return Ok(None) };
        let lower_bound = match effort.moves {
            // Nobody asks for the bound of a look.
            Some(0) if levels != bounded => 0.0,
            _ if levels == bounded => search.lower_bound(known),
            _ => {
                let wider = Space::new(self, bounded)?.stopped_by(Stopping(&stop));
                // What each tuple reaches here it reaches there.
                Search { space: &wider, effort }.bound_from(&known_costs(&space, known))
            }
        };
        let (mut offers, mut moves, mut complete) = (Vec::new(), 0, true);
        if let Some(first) = first {
            let improved;
            (improved, moves, complete) = search.improve(first.clone(), lower_bound);
            if effort.observer.stop() {
                return Ok(None);
            }
            let mut more = improved.clone();
            suppression::release_more(&space, &mut more);
            // A few rows more may cost all others more than they are worth, and what is lowered is not the metric itself.
            offers.extend([more, improved, first]);
        }
        if effort.observer.stop() {
            return Ok(None);
        }
        offers.extend(split);
        if space.objective.suppressed_row().is_some() {
            // What lowers the sum over all cells may raise a metric that is no such sum: both are looked at.
            let mut leaner = offers.clone();
            leaner.iter_mut().for_each(|classes| suppression::leave_out_costly(&space, classes));
            leaner.append(&mut offers);
            offers = leaner;
        }
        Ok(best_of(&space, offers).map(|classes| {
            let (solution, loss) = solution(&space, classes);
            Recoding { solution, loss, lower_bound, moves, complete }
        }))
    }
}

/// The classes with the least loss, the first of equals.
fn best_of(space: &Space<'_>, offers: Vec<Vec<Class>>) -> Option<Vec<Class>> {
    let measured = offers.into_iter().map(|classes| (measured(space, &classes), classes));
    measured.reduce(|best, other| if other.0 < best.0 { other } else { best }).map(|(_, classes)| classes)
}

/// Every column has levels, ascending, that its hierarchy has.
pub(super) fn require_levels(task: &Task, levels: &[Vec<u8>]) -> Result<(), RecodingError> {
    for (column, ladder) in task.ladders().iter().enumerate() {
        let of = levels.get(column).map_or(&[][..], |levels| &levels[..]);
        if of.is_empty() || !of.is_sorted() || of.iter().any(|&level| level > ladder.max_level()) {
            return Err(RecodingError::Levels { column: task.columns().names()[column].clone() });
        }
    }
    Ok(())
}

/// Tuples times nodes, at most, where iterated full-domain recoding with every gs-factor is a start as well.
const MOST_ITERATED: u128 = 1 << 24;

/// The same for criteria that a part may keep where the whole does not: which rows go together counts for more there, and joining the
/// nearest ones is the poorer start. Also where peeling ends early, which is iterated recoding with a gs-factor of 0.
const MOST_ITERATED_IN_PARTS: u128 = 1 << 30;

/// Where there are more tuples and nothing may be suppressed, no full-domain release is tried as a start.
const MOST_SEARCHED: usize = 100_000;

/// The gs-factors of iterated full-domain recoding.
const GS_FACTORS: [f64; 5] = [0.0, 0.05, 0.1, 0.25, 0.5];

/// Classes that hold, the best of several starts: all tuples joined, or what is left over of cheap nodes; where there are few tuples,
/// iterated full-domain recoding; and the best full-domain release, so that a local recoding never loses more.
pub(super) fn first_classes(
    space: &Space<'_>,
    effort: &Effort<'_>,
) -> Result<Option<Vec<Class>>, RecodingError> {
    let search = Search { space, effort };
    let single = |&tuple: &u32| space.class(vec![tuple]);
    let (joined, peeled) = rayon::join(
        || search.agglomerated(space.tuples.iter().filter_map(single).collect()),
        || peel::peel(space).map(|peeled| (peeled.is_whole, search.agglomerated(peeled.classes))),
    );
    let (is_whole, peeled) = peeled.unwrap_or((true, None));
    let limit = space.task.suppression_limit();
    let mut starts: Vec<Vec<Class>> = Vec::new();
    if joined.is_none() && limit > 0 {
        starts.extend(
            reduce::reduced(space)
                .and_then(|kept| search.agglomerated(kept.iter().filter_map(single).collect())),
        );
    }
    starts.extend(joined.into_iter().chain(peeled));
    let tuples = space.tuples.len();
    let members = space.task.criteria().members();
    let in_parts = members.iter().any(|member| !member.is_monotone(Suppression::Allowed));
    let most = if in_parts { MOST_ITERATED_IN_PARTS } else { MOST_ITERATED };
    let visits = tuples as u128 * space.task.lattice().node_count();
    let counts_population = space.population().is_some();
    let factors = match counts_population {
        true => &[],
        false if visits <= most => &GS_FACTORS[..],
        false if visits <= MOST_ITERATED_IN_PARTS && !is_whole => &GS_FACTORS[..1],
        false => &[],
    };
    let found: Result<Vec<Vec<Vec<Class>>>, RecodingError> =
        factors.into_par_iter().map(|&factor| search.iterated(factor)).collect();
    starts.extend(found?.into_iter().flatten());
    if !counts_population && (starts.is_empty() || limit > 0 || tuples <= MOST_SEARCHED) {
        starts.extend(best_node(space)?.map(|(_, classes)| classes));
    }
    if space.stopping.asked() {
        return Ok(None);
    }
    Ok(best_of(space, starts))
}

/// Spends the moves on classes that hold; answers with the moves tried, and whether these were all.
pub(super) fn improved(
    space: &Space<'_>,
    effort: &Effort<'_>,
    classes: Vec<Class>,
    lower_bound: f64,
) -> (Vec<Class>, u64, bool) {
    Search { space, effort }.improve(classes, lower_bound)
}

struct Search<'a> {
    space: &'a Space<'a>,
    effort: &'a Effort<'a>,
}

impl Search<'_> {
    /// Classes of all rows that hold, joined from these; `None` where joining does not come to that end.
    fn agglomerated(&self, mut classes: Vec<Class>) -> Option<Vec<Class>> {
        let space = self.space;
        // Blocks first, as a pass over all groups for each group takes too long; then once more for what is left over.
        for (round, size) in [BLOCK, BLOCK, usize::MAX].into_iter().enumerate() {
            let mut random = Random::at(self.effort.seed, u64::MAX, round as u64);
            let parts: Vec<Groups> = blocks::cut(space, classes, size, &mut random)
                .into_par_iter()
                .map(|block| agglomerate(space, &mut Judge::new(space), block))
                .collect();
            let failing: usize = parts.iter().map(|groups| groups.failing.len()).sum();
            classes = parts
                .into_iter()
                .flat_map(|groups| groups.holding.into_iter().chain(groups.failing))
                .collect();
            if !space.merging_is_safe {
                classes = united(space, classes);
            }
            if failing == 0 && (space.merging_is_safe || all_hold(space, &classes)) {
                return Some(classes);
            }
        }
        None
    }

    /// Classes that hold by iterated full-domain recoding: with what is left over joined to them, one by one or as one class, and
    /// without it where it may be suppressed.
    fn iterated(&self, factor: f64) -> Result<Vec<Vec<Class>>, RecodingError> {
        let space = self.space;
        let Some(balance) = Balance::of_gs_factor(factor) else { return Ok(Vec::new()) };
        let (classes, left) = iterated(
            space,
            balance,
            &solve::Effort { observer: &space.stopping, ..solve::Effort::default() },
        )?;
        let suppressed: u64 = left.iter().map(|&tuple| space.rows(tuple)).sum();
        let united = united(space, classes.clone());
        let mut starts = Vec::new();
        if !united.is_empty()
            && !left.is_empty()
            && suppressed <= space.task.suppression_limit()
            && all_hold(space, &united)
        {
            starts.push(united);
        }
        let singles = left.iter().filter_map(|&tuple| space.class(vec![tuple]));
        starts.extend(self.agglomerated(classes.iter().cloned().chain(singles).collect()));
        // Where few of them keep the promise together with others, all of them as one class may lose less.
        if left.len() > 1
            && let Some(together) = space.class(left)
        {
            starts.extend(self.agglomerated(classes.into_iter().chain([together]).collect()));
        }
        Ok(starts)
    }

    /// The bound, given classes that hold.
    fn lower_bound(&self, classes: &[Class]) -> f64 {
        self.bound_from(&known_costs(self.space, classes))
    }

    fn bound_from(&self, known: &[u64]) -> f64 {
        let space = self.space;
        space.objective.bound(space.task, bound::row_costs(space, known, bound::budget(space.tuples.len())))
    }

    /// Spends the moves. Answers with the best classes of all rounds by the metric.
    fn improve(&self, mut classes: Vec<Class>, lower_bound: f64) -> (Vec<Class>, u64, bool) {
        let space = self.space;
        let is_the_sum = space.objective.is_the_metric();
        // The sum never grows from round to round; a metric that is no such sum may.
        let mut best = (!is_the_sum).then(|| (measured(space, &classes), classes.clone()));
        let of = self.effort.moves.unwrap_or_else(|| usual_moves(space.tuples.len() as u64));
        let (mut tried, mut complete) = (0, true);
        for round in 0..ROUNDS {
            let due =
                ((u128::from(of) * u128::from(round + 1) / u128::from(ROUNDS)) as u64).saturating_sub(tried);
            let mut random = Random::at(self.effort.seed, round, u64::MAX);
            let blocks = blocks::cut(space, classes, BLOCK, &mut random);
            let count = blocks.len() as u64;
            let before =
                if space.merging_is_safe { Vec::new() } else { blocks.iter().flatten().cloned().collect() };
            classes = (0u64..)
                .zip(blocks)
                .collect::<Vec<_>>()
                .into_par_iter()
                .flat_map_iter(|(number, block)| {
                    let share = due / count + u64::from(number < due % count);
                    let mut random = Random::at(self.effort.seed, round, number);
                    improve::improve(space, block, share, &mut random)
                })
                .collect();
            tried += due;
            if !space.merging_is_safe {
                // Blocks do not know each other's boxes: a round that makes equal ones is taken back unless they hold together.
                let after = united(space, classes);
                let better = cost_of(&after) <= cost_of(&before) && all_hold(space, &after);
                classes = if better { after } else { before };
            }
            let mut loss = measured(space, &classes);
            if let Some((least, of_best)) = &mut best {
                if loss <= *least {
                    (*least, *of_best) = (loss, classes.clone());
                }
                loss = *least;
            }
            let progress = Progress { moves: tried, of, loss, lower_bound };
            if self.effort.observer.after_round(&progress) == Flow::Stop {
                complete = tried >= of;
                break;
            }
        }
        (best.map_or(classes, |(_, classes)| classes), tried, complete)
    }
}

/// By tuple: what its rows cost in these classes; more than any box does for tuples that are in none.
pub(super) fn known_costs(space: &Space<'_>, classes: &[Class]) -> Vec<u64> {
    let mut known = vec![u64::from(u32::MAX); space.table.tuple_count()];
    for class in classes {
        let cost = space.row_cost(&class.labels).unwrap_or(u64::from(u32::MAX));
        class.tuples.iter().for_each(|&tuple| known[tuple as usize] = cost);
    }
    known
}

/// The task's metric on classes, those that read the same taken for one.
pub(super) fn measured(space: &Space<'_>, classes: &[Class]) -> f64 {
    let value =
        |classes: &[Class]| measure::measure(space, classes, space.task.balance()).value(space.task.metric());
    match space.objective.ignores_class_sizes() {
        true => value(classes),
        false => value(&united(space, classes.to_vec())),
    }
}

fn cost_of(classes: &[Class]) -> i64 {
    classes.iter().map(|class| class.cost).fold(0, i64::saturating_add)
}

fn all_hold(space: &Space<'_>, classes: &[Class]) -> bool {
    let mut judge = Judge::new(space);
    classes.iter().all(|class| judge.holds(class.rows, class.tuples.iter().copied()))
}

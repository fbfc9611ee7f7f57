//! Do these tests see an engine that counts wrongly? Each defect is planted in what the engine is given; on some random table it must
//! then judge a node otherwise than the definitions.

use super::definition::{Promise, Row, World};
use super::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A way to count wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// Every row is a person.
    RowsForPeople,
    /// Somebody in two tuples is two people: the relaxation, taken for the verdict.
    PresencesForPeople,
    /// Two people are taken for one.
    TwoForOne,
    /// Of several values of a person, the first is kept.
    OneValueEach,
    /// Others of a person's rows stay when one is left out.
    ApartForTogether,
    /// People need not be alike in all their rows.
    ApartForSet,
    /// The limit is held against rows.
    RowsAgainstTheLimit,
}

const DEFECTS: [Defect; 7] = [
    Defect::RowsForPeople,
    Defect::PresencesForPeople,
    Defect::TwoForOne,
    Defect::OneValueEach,
    Defect::ApartForTogether,
    Defect::ApartForSet,
    Defect::RowsAgainstTheLimit,
];

impl Defect {
    /// The world as the wrong engine sees it; `None` where the defect changes nothing by itself.
    fn planted(self, world: &World) -> Option<World> {
        let mut rows = world.rows.clone();
        let mut person_rows = world.people.person_rows();
        let first_row = |row: &Row| world.rows.iter().position(|other| other.person == row.person);
        for (number, row) in rows.iter_mut().enumerate() {
            match self {
                Defect::RowsForPeople => row.person = 100 + number as u32,
                Defect::PresencesForPeople => {
                    let same = |other: &Row| other.person == row.person && other.codes == row.codes;
                    row.person = 100 + world.rows.iter().position(same)? as u32;
                }
                Defect::TwoForOne => row.person /= 2,
                Defect::OneValueEach => row.values = world.rows[first_row(row)?].values,
                Defect::ApartForTogether | Defect::ApartForSet => {
                    let meant = match self {
                        Defect::ApartForTogether => PersonRows::Together,
                        _ => PersonRows::Set,
                    };
                    if person_rows != meant && number == 0 {
                        return None;
                    }
                    person_rows = PersonRows::Apart;
                }
                Defect::RowsAgainstTheLimit => {}
            }
        }
        let others = world.population[world.rows.len()..].to_vec();
        Some(World::new(world.ladders.clone(), rows, others, person_rows))
    }
}

/// Whether the engine, given the wrong world, judges a node otherwise than the definitions, given the right one.
fn is_seen(defect: Defect, world: &World, promises: &[Promise], limit: u64) -> bool {
    let Some(wrong) = defect.planted(world) else { return false };
    let criteria = Criteria::over_people(promises.iter().map(|&promise| wrong.criterion(promise)).collect());
    let relaxation = criteria.class_size_alone();
    let weights = vec![1.0; world.ladders.len()];
    let input = SearchInput {
        table: &wrong.table,
        ladders: &wrong.ladders,
        weights: &weights,
        balance: crate::quality::Balance::EVEN,
        criteria: &criteria,
        metric: Metric::Loss,
        suppression_limit: limit,
        history_bytes: 1 << 20,
    };
    let checker = PeopleChecker::new(input, &wrong.table, &wrong.people, &relaxation);
    let most = world.ladders.iter().map(Ladder::max_level).collect();
    let lattice = Lattice::new(vec![0; world.ladders.len()], most).unwrap();
    (0..lattice.enumerable(u64::MAX).unwrap()).any(|index| {
        let node = lattice.node(index);
        let judged = world.judge(&node, promises, limit);
        let verdict = checker.check(&node, Depth::Full).unwrap();
        let holds = match defect {
            Defect::RowsAgainstTheLimit => verdict.holds && verdict.suppressed_rows <= limit,
            _ => verdict.holds,
        };
        holds != judged.holds || (holds && verdict.suppressed_rows != judged.suppressed_rows)
    })
}

#[test]
fn every_way_to_count_wrongly_is_seen() {
    let mut runner = TestRunner::deterministic();
    let mut unseen: Vec<Defect> = DEFECTS.to_vec();
    for _ in 0..400 {
        let world = world().new_tree(&mut runner).unwrap().current();
        let promises = [Promise::K(2), Promise::Distinct(2)];
        let limit = 1.min(world.people.len() as u64 - 1);
        unseen.retain(|&defect| !is_seen(defect, &world, &promises, limit));
        if unseen.is_empty() {
            return;
        }
    }
    panic!("nobody saw {unseen:?}");
}

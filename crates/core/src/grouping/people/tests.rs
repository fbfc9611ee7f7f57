//! Who is where, on tables of a few lines.

use super::*;
use crate::table::FrequencyTable;

/// Rows (person, tuple) over so many tuples.
fn people(rows: &[(u32, u32)], tuples: u32) -> People {
    let counts = (0..tuples).map(|tuple| rows.iter().filter(|row| row.1 == tuple).count() as u32).collect();
    let table = FrequencyTable::new(vec![(0..tuples).collect::<Vec<u32>>()], counts, None, Vec::new());
    let persons: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let places: Vec<u32> = rows.iter().map(|row| row.1).collect();
    People::new(&table.unwrap(), &persons, &places, &[], &[]).unwrap()
}

fn sizes(found: &PeopleInClasses<'_>) -> Vec<u64> {
    let mut sizes = Vec::new();
    found.visit_sizes(|_, class| sizes.push(class.rows));
    sizes
}

#[test]
fn a_person_is_once_in_a_class() {
    let people = people(&[(0, 0), (0, 1), (0, 1), (1, 1), (1, 0), (2, 2)], 3);
    assert_eq!(sizes(&PeopleInClasses::new(&people, &[0, 1, 2], 3)), [2, 2, 1]);
    assert_eq!(sizes(&PeopleInClasses::new(&people, &[0, 0, 1], 2)), [2, 1]);
}

#[test]
fn whoever_is_left_out_is_in_no_class() {
    let people = people(&[(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], 3).with_person_rows(PersonRows::Together);
    let mut found = PeopleInClasses::new(&people, &[0, 1, 2], 3);
    assert_eq!(found.losing(&[true, false, false]), 1);
    assert_eq!(found.leave_out(&[true, false, false]), 1);
    assert_eq!(sizes(&found), [2, 1]);
    assert!(found.is_gone(0) && !found.is_gone(1));
    assert_eq!(found.kept_rows(&[false; 3], 3), [0, 2, 1]);
}

#[test]
fn people_are_alike_if_the_bags_of_their_rows_are_equal() {
    // 0 and 1 have the same rows; 2 has one of them twice; 3 has one of them only.
    let rows = [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1), (2, 1), (3, 0)];
    let people = people(&rows, 2).with_person_rows(PersonRows::Set);
    let found = PeopleInClasses::new(&people, &[0, 1], 2);
    assert_eq!(sizes(&found), [2, 2, 1, 1, 1]);
    // Generalized, 0 and 1 have a row twice, 2 three times.
    let found = PeopleInClasses::new(&people, &[0, 0], 1);
    assert_eq!(sizes(&found), [2, 1, 1]);
}

//! The running example of the literature.

use super::*;
use crate::baselines::anonymize_and_integrate;
use crate::crypto::{AdditiveCounters, ElGamal};
use rand::SeedableRng;

fn example_plan(protocol: Protocol, split: Split, parties: u16) -> Plan {
    let mut plan = with_enough_parties(JointTable::example().plan(protocol, split, parties));
    if split == Split::Vertical && parties == 3 {
        // As published: zip at the first party, age at the second, sex at the third.
        plan.columns.iter_mut().zip([2, 1, 0]).for_each(|(column, owner)| column.owner = party(owner));
    }
    plan
}

#[test]
fn every_protocol_finds_the_published_optimum() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES, BLOCKS] {
        for (split, parties) in
            [(Split::Horizontal, 2), (Split::Horizontal, 3), (Split::Vertical, 2), (Split::Vertical, 3)]
        {
            let plan = example_plan(protocol, split, parties);
            let run = run(&plan, &table);
            let release = run.release.as_ref().unwrap();
            assert_eq!(release.facts.node, [0, 1, 3], "{protocol:?} {split:?} {parties}");
            assert_eq!(release.facts.loss, 28.0);
            let classes: Vec<u64> = release.multiset().into_values().collect();
            assert_eq!(classes, [2, 2, 2, 2]);
            assert_equals_central(&plan, &table, &run);
        }
    }
}

#[test]
fn the_release_has_the_published_classes() {
    let table = JointTable::example();
    let run = run(&example_plan(Protocol::A, Split::Vertical, 3), &table);
    let release = run.release.unwrap();
    let expected =
        [["F", "20-60", "81***"], ["F", "<=19", "82***"], ["M", "20-60", "82***"], ["M", ">=61", "81***"]];
    let rows: Vec<Vec<&str>> =
        release.multiset().into_keys().map(|row| row.into_iter().flatten().collect()).collect();
    assert_eq!(rows, expected);
}

#[test]
fn the_published_made_up_rows_do_not_count() {
    // Two made-up rows: the helper sees classes of 3, 2, 2, 2 and 1 rows; read, their counters say 2, 2, 2, 2 and 0.
    let mut rng = rand::rngs::ChaCha20Rng::seed_from_u64(5);
    let (secret, public) = ElGamal::generate(&mut rng);
    let classes: [&[u64]; 5] = [&[1, 1, 0], &[1, 1], &[1, 1], &[1, 1], &[0]];
    let sums: Vec<_> = classes
        .iter()
        .map(|rows| {
            let counters = ElGamal::encrypt(&public, rows, &mut rng);
            counters.iter().fold(ElGamal::nothing(), |sum, counter| ElGamal::add(&sum, counter))
        })
        .collect();
    assert_eq!(ElGamal::decrypt(&secret, &sums, 10).unwrap(), [2, 2, 2, 2, 0]);
}

#[test]
fn parties_alone_lose_more() {
    let table = JointTable::example();
    let plan = example_plan(Protocol::B, Split::Horizontal, 3);
    let naive = anonymize_and_integrate(&table, &plan).unwrap();
    // Published as (age, sex, zip): (2,1,4), (2,1,4), (1,0,1); here (sex, age, zip).
    assert_eq!(naive.nodes, [Some(vec![1, 2, 4]), Some(vec![1, 2, 4]), Some(vec![0, 1, 1])]);
    let central = integrate_and_anonymize(&table, &plan).unwrap().unwrap();
    assert_eq!(central.hidden_bits, 28.0);
    assert!(naive.hidden_bits.unwrap() > central.hidden_bits);
}

#[test]
fn columns_anonymized_apart_and_joined_keep_nothing() {
    // zip {1,3},{2,5},{4,6},{7,8} and age, sex {1,6},{2,5},{3,4},{7,8} are 2-anonymous each; joined, rows stand alone.
    let zip = ["819**", "817**", "819**", "826**", "817**", "826**", "824**", "824**"];
    let rest = ["20-60 m", "20-60 f", ">=61 m", ">=61 m", "20-60 f", "20-60 m", "<=19 f", "<=19 f"];
    let smallest = |classes: Vec<String>| {
        let mut counts = std::collections::BTreeMap::new();
        classes.into_iter().for_each(|class| *counts.entry(class).or_insert(0) += 1);
        counts.into_values().min()
    };
    assert_eq!(smallest(zip.map(String::from).to_vec()), Some(2));
    assert_eq!(smallest(rest.map(String::from).to_vec()), Some(2));
    assert_eq!(smallest(zip.iter().zip(rest).map(|(a, b)| format!("{a} {b}")).collect()), Some(1));
}

//! Rules combine as a meet.

use crate::{Aggregate, Claim, Demand, Extent, Grain, Means, Noise, Rows, Zone};
use paravent_job::DecimalText;
use paravent_job::models::KAnonymity;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn extent() -> impl Strategy<Value = Option<Extent>> {
    prop_oneof![Just(None), Just(Some(Extent::Denied)), (0u8..4).prop_map(|level| Some(Extent::From(level)))]
}

fn decimal() -> impl Strategy<Value = DecimalText> {
    (1u32..5).prop_map(|tenths| DecimalText::new(&format!("0.{tenths}")).unwrap())
}

fn claim() -> impl Strategy<Value = Claim> {
    let figures = [Aggregate::Count, Aggregate::Sum, Aggregate::Avg];
    let aggregate =
        prop::option::of(prop::sample::subsequence(figures.to_vec(), 0..=3).prop_map(BTreeSet::from_iter));
    let noise =
        prop::option::of((decimal(), decimal()).prop_map(|(epsilon, delta)| Noise { epsilon, delta }));
    (prop::bool::weighted(0.1), extent(), extent(), extent(), aggregate, noise).prop_map(
        |(deny, show, filter, group, aggregate, noise)| Claim { deny, show, filter, group, aggregate, noise },
    )
}

fn rows() -> impl Strategy<Value = Rows> {
    let conditions =
        prop::collection::btree_set(prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned), 0..3);
    let grain = prop::sample::select(vec![Grain::Day, Grain::Month, Grain::Quarter, Grain::Year]);
    let times = prop::collection::btree_map(
        prop::sample::select(vec!["t", "u"]).prop_map(str::to_owned),
        grain,
        0..3,
    );
    (conditions, times).prop_map(|(conditions, times)| Rows { conditions, times })
}

fn demand() -> impl Strategy<Value = Demand> {
    let means = vec![Means::Generalize, Means::Slice, Means::Noise];
    let operators = prop::option::of((prop::sample::subsequence(means, 1..=3), any::<bool>()).prop_map(
        |(mut list, turned)| {
            if turned {
                list.reverse();
            }
            list
        },
    ));
    let models = prop::collection::vec((2u32..5).prop_map(|k| KAnonymity { k }.into()), 0..3);
    let zones = vec![Zone::Flat, Zone::House, Zone::Region, Zone::Cloud];
    let rest = (operators, prop::option::of(prop::sample::select(zones)));
    (prop::option::of(2u32..9), prop::option::of(decimal()), models, prop::option::of(decimal()), rest)
        .prop_map(|(min_people, dominance, models, suppression_limit, (operators, parts_to))| {
            // As every meet has them: sorted, each once.
            let metric = None;
            let read =
                Demand { min_people, dominance, models, suppression_limit, metric, operators, parts_to };
            read.meet(&Demand::default())
        })
}

macro_rules! meets {
    ($name:ident, $strategy:expr) => {
        proptest! {
            #[test]
            fn $name(a in $strategy, b in $strategy, c in $strategy) {
                prop_assert_eq!(a.meet(&a), a.clone(), "idempotent");
                prop_assert_eq!(a.meet(&b), b.meet(&a), "commutative");
                prop_assert_eq!(a.meet(&b).meet(&c), a.meet(&b.meet(&c)), "associative");
            }
        }
    };
}

meets!(claims_meet, claim());
meets!(rows_meet, rows());
meets!(demands_meet, demand());

proptest! {
    /// A further rule on a use that is already granted can only take away.
    #[test]
    fn a_further_rule_never_widens_what_a_rule_granted(a in claim(), b in claim()) {
        let (one, both) = (a.settled(), a.meet(&b).settled());
        let narrower = |wide: Extent, narrow: Extent| wide.meet(narrow) == narrow;
        prop_assert!(a.show.is_none() || narrower(one.show, both.show));
        prop_assert!(a.filter.is_none() || narrower(one.filter, both.filter));
        prop_assert!(a.group.is_none() || narrower(one.group, both.group));
        prop_assert!(a.aggregate.is_none() || both.aggregate.is_subset(&one.aggregate));
        prop_assert!(!a.deny || both.is_nothing());
    }

    /// The claim of a person can only take away, also where no rule said anything.
    #[test]
    fn a_person_cannot_grant(a in claim(), b in claim()) {
        let (before, after) = (a.settled(), a.settled().restricted(&b));
        prop_assert_eq!(before.show.meet(after.show), after.show);
        prop_assert_eq!(before.filter.meet(after.filter), after.filter);
        prop_assert_eq!(before.group.meet(after.group), after.group);
        prop_assert!(after.aggregate.is_subset(&before.aggregate));
    }
}

#[test]
fn what_nobody_mentions_is_denied() {
    assert!(Claim::default().settled().is_nothing());
    let grouped = Claim { group: Some(Extent::From(1)), ..Claim::default() };
    assert_eq!((grouped.settled().group, grouped.settled().show), (Extent::From(1), Extent::Denied));
}

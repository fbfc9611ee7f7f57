use super::*;

fn sample() -> ClassSizes {
    ClassSizes::of_counts([(1, 300), (2, 80), (3, 30), (4, 15), (9, 8), (30, 4)])
}

#[test]
fn a_sample_of_everybody_is_counted() {
    let sizes = sample();
    let sampling = Sampling::of_fraction(sizes.rows(), 1.0).unwrap();
    let found = estimate(&sizes, &sampling);
    assert_eq!((found.estimate, found.model), (300.0, Model::Counted));
}

#[test]
fn without_unique_rows_nobody_is_unique() {
    let sizes = ClassSizes::of_counts([(2, 10), (5, 3)]);
    let found = estimate(&sizes, &Sampling::of_fraction(sizes.rows(), 0.3).unwrap());
    assert_eq!((found.estimate, found.model), (0.0, Model::Counted));
}

#[test]
fn the_rule_follows_the_sampling_fraction() {
    let sizes = sample();
    let at = |fraction| estimate(&sizes, &Sampling::of_fraction(sizes.rows(), fraction).unwrap());
    assert_eq!((at(0.05).model, Some(at(0.05).estimate)), (Model::Pitman, at(0.05).pitman));
    assert_eq!(at(0.1).model, Model::Pitman, "one tenth itself is still Pitman's");
    let large = at(0.4);
    assert_eq!(Some(large.estimate), [large.snb, large.zayatz].into_iter().flatten().reduce(f64::min));
}

#[test]
fn where_pitman_has_no_maximum_the_rule_falls_back() {
    let sizes = ClassSizes::of_counts([(7, 50), (8, 40), (6, 30), (1, 1)]);
    let found = estimate(&sizes, &Sampling::of_fraction(sizes.rows(), 0.05).unwrap());
    assert_eq!((found.pitman, found.model), (None, Model::Zayatz));
}

#[test]
fn estimates_lie_between_nobody_and_everybody() {
    for ones in [1, 10, 1000] {
        for twos in [0, 5, 500] {
            for large in [0, 3, 200] {
                let sizes = ClassSizes::of_counts([(1, ones), (2, twos), (50, large)]);
                for fraction in [0.001, 0.05, 0.1, 0.3, 0.9, 0.999] {
                    let sampling = Sampling::of_fraction(sizes.rows(), fraction).unwrap();
                    let found = estimate(&sizes, &sampling);
                    for value in
                        [found.pitman, found.snb, found.zayatz, Some(found.estimate)].into_iter().flatten()
                    {
                        assert!(
                            (0.0..=sampling.population()).contains(&value),
                            "{ones} {twos} {large} {fraction}: {value}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_no_sample_is_refused() {
    for fraction in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(Sampling::of_fraction(10, fraction).is_err());
    }
    assert!(Sampling::of_population(10, 9).is_err());
    assert_eq!(Sampling::of_population(10, 40).unwrap().fraction(), 0.25);
}

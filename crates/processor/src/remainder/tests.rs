//! Plans over parts, and figures of any size.

use super::*;

#[test]
fn figures_of_any_size_are_read_as_they_are() {
    let one = 1_000_000_000_000;
    for (cell, expected) in [
        (json!(17), Some(17 * one)),
        (json!(-2.5), Some(-25 * one / 10)),
        (json!("10000000000000000000000"), Some(10_i128.pow(22) * one)),
        (json!("0.000000000001"), Some(1)),
        (json!(1e-12), Some(1)),
        (json!("-9000000000000000000000.5"), Some(-90_000_000_000_000_000_000_005 * one / 10)),
        (Value::Null, None),
    ] {
        assert_eq!(units(&cell), Ok(expected), "{cell}");
    }
    assert_eq!(units(&json!("1".repeat(30))), Err(NoSum::TooLarge));
    for text in ["n17", "", "-", "1.2.3", "1.0000000000001", "1.+5"] {
        assert_eq!(units(&json!(text)), Err(NoSum::Figure), "{text}");
    }
    assert_eq!(units(&json!(true)), Err(NoSum::Figure));
}

#[test]
fn a_mean_without_noise_needs_a_value_and_one_with_noise_shows_no_gap() {
    let exact =
        Mean { distances: String::new(), values: String::new(), middle: 0, bounds: None, decimals: 12 };
    assert_eq!(exact.of(0, 0), None);
    assert_eq!(exact.of(3_000_000_000_000, 2), Some(1.5));
    let noisy = Mean { middle: 100, bounds: Some((0, 200)), decimals: 0, ..exact };
    assert_eq!(noisy.of(50, -3), Some(150.0));
    assert_eq!(noisy.of(5_000, 1), Some(200.0));
}

/// A plan over a group and a mean, with a change.
fn plan(change: &dyn Fn(&mut Value)) -> Remainder {
    let mut plan = json!({
        "operator": "project",
        "columns": [
            { "name": "sex", "group": "sex" },
            { "name": "mean", "mean": { "distances": "distances_x", "values": "values_x", "middle": 0, "bounds": [0, 9], "decimals": 0 } },
            { "name": "n", "figure": "count" },
        ],
        "input": { "operator": "group", "by": ["sex"], "sum": ["count", "distances_x", "values_x"], "input": { "operator": "union-of-parts" } }
    });
    change(&mut plan);
    serde_json::from_value(plan).unwrap()
}

#[test]
fn plans_that_cannot_be_carried_out_are_found_before() {
    assert_eq!(plan(&|_| ()).check(), Ok(()));
    let mean = |plan: &mut Value, key: &str, value: Value| plan["columns"][1]["mean"][key] = value;
    let wrong: [&dyn Fn(&mut Value); 9] = [
        &|plan| mean(plan, "bounds", json!([9, 0])),
        &|plan| mean(plan, "decimals", json!(200)),
        &|plan| mean(plan, "values", json!("distances_x")),
        &|plan| mean(plan, "values", json!("sex")),
        &|plan| plan["columns"][0]["group"] = json!("count"),
        &|plan| plan["columns"][2]["figure"] = json!("sex"),
        &|plan| plan["columns"][2]["figure"] = json!("values_x"),
        &|plan| plan["input"]["sum"][0] = json!("values_x"),
        &|plan| plan["input"]["by"] = json!(["sex", "sex"]),
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        assert_eq!(plan(change).check(), Err(NoSum::Plan), "{number}");
    }
}

/// Sums of 10^15 and more, in units of 10^-12, alone and in two halves.
#[test]
fn halves_of_means_are_whole_numbers_of_any_size() {
    let plan = plan(&|plan| {
        plan["columns"][1]["mean"]["bounds"] = Value::Null;
        plan["columns"][1]["mean"]["decimals"] = json!(12);
    });
    let part = |total: i128| Part {
        columns: ["sex", "count", "distances_x", "values_x"].map(str::to_owned).to_vec(),
        rows: vec![vec![json!("f"), json!(4), json!((total * 1_000_000_000_000).to_string()), json!("4")]],
    };
    let (one, other) = (part(10_i128.pow(15)), part(3 * 10_i128.pow(18)));
    let mean = |parts: &[Part]| plan.finish(parts).unwrap()[0][1].as_f64();
    assert_eq!(mean(std::slice::from_ref(&one)), Some(2.5e14));
    assert_eq!(mean(&[one, other]), Some(3.001e18 / 8.0));
}

//! A realistic view: the register of a hospital.

use crate::{
    AttributeView, Audience, Bar, Document, InputFacts, LatticeFacts, LevelView, OutputFacts, PromiseFacts,
    SearchFacts, SolutionFacts, View,
};
use paravent_assess::risk::{ColumnFacts, RiskBeforeAfter, RiskSummary, SensitiveSummary};
use paravent_evidence::risk::disclosure::AttributeDisclosure;
use paravent_evidence::risk::identity::Attacker;
use serde_json::{Map, Value, json};

/// Admissions with five quasi-identifiers and two sensitive columns.
pub fn patients() -> View {
    View {
        audience: Audience::House,
        lang: crate::Lang::En,
        document: document(),
        attributes: attributes(),
        class_sizes: class_sizes(),
        suppression_limit: "0.05".to_owned(),
        suppression_limit_rows: 1_508,
        row_order: "canonical",
        node_counts: (1_204, 2_916, 200),
    }
}

/// One or more kept promises of a model.
pub fn model(name: &str) -> Vec<PromiseFacts> {
    let t = |distance: &str, t: &str, reached: f64| {
        let required = json!({ "attribute": "diagnosis", "t": t, "distance": distance });
        promise("t-closeness", required, json!({ "t": reached }))
    };
    let multi = |base: Value, reached: Value| {
        let mut required = json!({ "attributes": ["diagnosis", "therapy"] });
        let fields = base.as_object().unwrap().iter();
        fields.for_each(|(key, value)| required[key] = value.clone());
        promise("multi-attribute-l-diversity", required, reached)
    };
    match name {
        "k-anonymity" => vec![promise("k-anonymity", json!({ "k": 5 }), json!({ "k": 6 }))],
        "distinct-l-diversity" => {
            let required = json!({ "attribute": "diagnosis", "l": 3 });
            vec![promise("distinct-l-diversity", required, json!({ "l": 4.0 }))]
        }
        "entropy-l-diversity" => {
            let required = json!({ "attribute": "diagnosis", "l": "2.5" });
            vec![promise("entropy-l-diversity", required, json!({ "l": 2.5361 }))]
        }
        "recursive-l-diversity" => {
            let required = json!({ "attribute": "diagnosis", "c": "3.0", "l": 4 });
            vec![promise("recursive-l-diversity", required, json!({ "c": 2.25 }))]
        }
        "pd-recursive-l-diversity" => {
            let required = json!({ "attribute": "diagnosis", "c": "2", "l": 3, "allowed": ["healthy"] });
            vec![promise("pd-recursive-l-diversity", required, json!({ "c": 0.0 }))]
        }
        "npd-recursive-l-diversity" => {
            let required = json!({ "attribute": "diagnosis", "c": "2", "c2": "5", "l": 3,
                                   "allowed": ["healthy", "cold"], "protected": ["HIV", "hepatitis", "tuberculosis"] });
            vec![promise("npd-recursive-l-diversity", required, json!({ "c": 1.5, "c2": 6.25 }))]
        }
        "multi-attribute-l-diversity" => vec![
            multi(json!({ "l": 2, "base": "distinct" }), json!({ "l": 2 })),
            multi(json!({ "l": "1.5", "base": "entropy" }), json!({ "l": 1.75 })),
            multi(json!({ "l": 2, "base": "recursive", "c": "4" }), json!({ "c": 3 })),
        ],
        "t-closeness" => vec![
            t("equal", "0.2", 0.1875),
            t("ordered", "0.3", 0.3),
            t("hierarchical", "0.25", 0.11),
            t("variation", "0.2", 0.02),
            t("kullback-leibler", "1.5", 0.7),
        ],
        "beta-likeness" => vec![
            promise(
                "beta-likeness",
                json!({ "attribute": "diagnosis", "beta": "1.5", "form": "enhanced" }),
                json!({ "beta": 1.25 }),
            ),
            promise(
                "beta-likeness",
                json!({ "attribute": "diagnosis", "beta": "2", "form": "basic" }),
                json!({ "beta": 0 }),
            ),
        ],
        "delta-presence" => vec![
            promise(
                "delta-presence",
                json!({ "min": "0", "max": "0.2" }),
                json!({ "min": 0.01, "max": 0.1833 }),
            ),
            promise(
                "delta-presence",
                json!({ "min": "0.05", "max": "0.15" }),
                json!({ "min": 0.05, "max": 0.15 }),
            ),
        ],
        "k-map" => vec![promise("k-map", json!({ "k": 20 }), json!({ "k": 131 }))],
        other => panic!("no example of {other}"),
    }
}

fn promise(model: &'static str, required: Value, achieved: Value) -> PromiseFacts {
    PromiseFacts { model, required, achieved, holds: true, loose: None }
}

fn document() -> Document {
    let object = |value: Value| value.as_object().unwrap().clone();
    let mut privacy = model("k-anonymity");
    privacy.extend(model("recursive-l-diversity"));
    privacy.push(model("t-closeness").swap_remove(2));
    Document {
        paravent: "0.1.0",
        about: None,
        job_sha256: "3b1f0c9a7d5e4c2288f6d1a0b9c3e57f6a4d2b10c8e9f7351d2c4b6a8e0f9175".to_owned(),
        input: InputFacts {
            rows: 30_162,
            distinct_tuples: 19_813,
            seconds: 0.08,
            spilled_bytes: None,
            received_bytes: None,
            sha256: None,
        },
        lattice: LatticeFacts { nodes: 4_320, levels: 19 },
        search: SearchFacts {
            moves: None,
            algorithm: "flash",
            case: 3,
            optimal: true,
            checks: 169,
            subset_tests: 97,
            bound: Some(0.42),
            gap_percent: Some(0.0),
            tagged: 4_151,
            rollups: 150,
            threads: 2,
            seconds: 0.012,
            peak_bytes: 1 << 20,
        },
        solution: SolutionFacts {
            recoding: None,
            labels: Map::new(),
            levels: Map::new(),
            lower_bound: None,
            gap: None,
            transformation: object(
                json!({ "age": 2, "sex": 0, "zip": 3, "admitted": 4, "marital status": 1 }),
            ),
            metric: "nuem",
            loss: 255_559.85,
            losses: object(json!({
                "height": 10, "precision": 0.4138, "precision-m": 0.4212, "loss": 0.3871, "loss-geometric": 0.3544,
                "aecs": 16.26, "discernibility": 8_612_204.0, "discernibility-m": 7_844_118.0, "entropy": 21_554.1,
                "nuem": 255_559.85, "nmnuem": 259_871.02
            })),
            suppressed_rows: 412,
            people: None,
            classes: 371,
            smallest_class: 6,
            most_known: None,
            average_class: 80.1887,
        },
        privacy,
        treatments: crate::TreatmentFacts::default(),
        risk: Some(risk()),
        unchanged: None,
        verdict: None,
        register: None,
        held_against: Vec::new(),
        unregistered: false,
        output: Some(OutputFacts {
            path: "release/data.csv".to_owned(),
            rows: 29_750,
            sha256: "9e2d47c1b0a8f3567712cc4e5d9b80a1f6e3d2c4b5a697886950a1b2c3d4e5f6".to_owned(),
            verified: true,
            seconds: 0.1,
            signed_by: None,
        }),
        warnings: Vec::new(),
        suppressed: None,
        opinion: None,
        utility: None,
    }
}

/// 371 classes with 29 750 rows.
fn class_sizes() -> Vec<(u64, u64)> {
    let mut sizes = vec![(6, 14), (7, 11), (8, 12), (9, 8), (11, 21), (14, 25), (17, 18), (21, 33), (27, 41)];
    sizes.extend([(38, 47), (55, 40), (71, 32), (98, 25), (140, 18), (205, 11), (310, 7), (433, 4)]);
    sizes.extend([(720, 2), (1_122, 1), (6_787, 1)]);
    sizes
}

fn attributes() -> Vec<AttributeView> {
    vec![
        column("patient number", "identifying", "string", false, vec![], vec![]),
        column("name", "identifying", "string", false, vec![], vec![]),
        column(
            "age",
            "quasi-identifier",
            "integer",
            true,
            ladder(
                2,
                &[(97, ""), (20, ""), (10, "0-9|10-19|20-29|30-39"), (5, "0-19|20-39|40-59"), (1, "*")],
            ),
            bars(&[
                ("60-69", 0.192, 0.194),
                ("50-59", 0.171, 0.173),
                ("70-79", 0.164, 0.162),
                ("40-49", 0.131, 0.133),
                ("30-39", 0.112, 0.113),
                ("20-29", 0.094, 0.096),
            ]),
        ),
        column(
            "sex",
            "quasi-identifier",
            "string",
            true,
            ladder(0, &[(2, "F|M"), (1, "*")]),
            bars(&[("F", 0.523, 0.524), ("M", 0.477, 0.476)]),
        ),
        column(
            "zip",
            "quasi-identifier",
            "string",
            true,
            ladder(
                3,
                &[
                    (2_418, ""),
                    (611, ""),
                    (94, ""),
                    (10, "80***|81***|82***|83***"),
                    (2, "8****|9****"),
                    (1, "*****"),
                ],
            ),
            bars(&[
                ("80***", 0.305, 0.307),
                ("81***", 0.284, 0.286),
                ("82***", 0.121, 0.12),
                ("85***", 0.083, 0.082),
            ]),
        ),
        column(
            "admitted",
            "quasi-identifier",
            "date",
            true,
            ladder(4, &[(730, ""), (105, ""), (24, ""), (8, ""), (2, "2023|2024"), (1, "*")]),
            bars(&[("2024", 0.512, 0.513), ("2023", 0.488, 0.487)]),
        ),
        column(
            "marital status",
            "quasi-identifier",
            "string",
            true,
            ladder(1, &[(7, ""), (2, "lives with a partner|lives alone"), (1, "*")]),
            bars(&[("lives with a partner", 0.566, 0.569), ("lives alone", 0.421, 0.42)]),
        ),
        column(
            "diagnosis",
            "sensitive",
            "string",
            true,
            vec![],
            bars(&[
                ("I10 essential hypertension", 0.143, 0.144),
                ("E11 type 2 diabetes mellitus", 0.112, 0.113),
                ("J18 pneumonia, organism unspecified", 0.071, 0.07),
                ("F32 depressive episode", 0.052, 0.052),
            ]),
        ),
        column(
            "therapy",
            "sensitive",
            "string",
            true,
            vec![],
            bars(&[("medication", 0.61, 0.612), ("surgery", 0.28, 0.279)]),
        ),
        column("length of stay", "insensitive", "integer", true, vec![], vec![]),
    ]
}

fn column(
    name: &str,
    role: &'static str,
    data_type: &'static str,
    released: bool,
    levels: Vec<LevelView>,
    distribution: Vec<Bar>,
) -> AttributeView {
    AttributeView { name: name.to_owned(), role, released, data_type, levels, distribution }
}

fn ladder(chosen: usize, levels: &[(usize, &str)]) -> Vec<LevelView> {
    let top = (levels.len() - 1) as f64;
    let level = |(level, &(groups, examples)): (usize, &(usize, &str))| LevelView {
        cells: None,
        level: level as u8,
        chosen: level == chosen,
        groups,
        released_groups: groups,
        examples: examples.split('|').filter(|text| !text.is_empty()).map(str::to_owned).collect(),
        relative_loss: (level as f64 / top).powf(1.4),
    };
    levels.iter().enumerate().map(level).collect()
}

fn bars(shares: &[(&str, f64, f64)]) -> Vec<Bar> {
    let rest = |share: fn(&(&str, f64, f64)) -> f64| 1.0 - shares.iter().map(share).sum::<f64>();
    let rest = Bar { label: None, is_rest: true, before: Some(rest(|bar| bar.1)), after: rest(|bar| bar.2) };
    let shown = shares.iter().map(|&(label, before, after)| Bar {
        label: Some(label.to_owned()),
        is_rest: false,
        before: Some(before),
        after,
    });
    shown.chain((rest.before > Some(1e-9)).then_some(rest.clone())).collect()
}

/// The register before and after.
fn risk() -> RiskBeforeAfter {
    let column = |name: &str, distinction: f64| ColumnFacts {
        column: name.to_owned(),
        distinction,
        separation: 0.9,
        unique_rows: 0,
        contribution: None,
    };
    let summary = |rows, classes, smallest_class, unique_rows, l| RiskSummary {
        rows,
        classes,
        smallest_class,
        unique_rows,
        prosecutor: Attacker {
            highest: 1.0 / smallest_class as f64,
            mean: classes as f64 / rows as f64,
            rows_above: unique_rows,
            share_above: unique_rows as f64 / rows as f64,
        },
        columns: vec![column("age", 0.002), column("sex", 0.0001)],
        sensitive: vec![SensitiveSummary {
            column: "diagnosis".to_owned(),
            disclosure: AttributeDisclosure {
                distinct_l: l,
                entropy_l: l as f64 * 0.8,
                mean_entropy_l: 7.3,
                highest_confidence: 1.0 / l as f64,
                mean_confidence: 0.2,
                confidence_without_classes: 0.12,
                homogeneous_classes: 0,
                homogeneous_rows: 0,
                t_equal: 0.3,
                mean_t_equal: 0.1,
                t_ordered: Some(0.2),
                highest_factor: 3.25,
            },
        }],
    };
    RiskBeforeAfter {
        threshold: 0.2,
        before: summary(30_162, 19_813, 1, 14_021, 1),
        after: summary(30_150, 371, 6, 0, 4),
    }
}

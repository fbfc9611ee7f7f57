//! Reports of slices, noise, answers and joint releases in German: no sentence may stay English.

use crate::html::{render_answer, render_joint, render_noise, render_slice};
use crate::wording::{Lang, missing};
use crate::{
    AnswerDocument, AnswerFacts, ChangedCells, JointDocument, JointOutput, JointSearch, JointSolution,
    KeptAnswer, KeptNoise, KeptOutput, Levels, Light, MeanEstimate, NoiseColumn, NoiseDocument,
    PrivateAnswer, ReadTable, RequiredModel, RowPromise, ShownColumn, SliceDiversity, SliceDocument,
    SliceGroup, SlicePair, ValueEstimate, VerdictFacts, WrittenFile, could_not_be_tried,
};
use serde_json::{Map, json};

const LAWS: [&str; 7] = ["uniform", "given", "steps", "kernel", "laplace", "geometric", "gaussian"];

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn written(verified: bool) -> Option<WrittenFile> {
    let kept = KeptOutput { path: "/house/data.csv".to_owned(), signed_by: None };
    Some(WrittenFile {
        file: "data.csv".to_owned(),
        rows: 60,
        sha256: "ab".repeat(32),
        verified,
        kept: Some(kept),
    })
}

/// A verdict of each colour, with reasons.
fn verdicts() -> [VerdictFacts; 4] {
    let of = |light, reasons: &[&str]| VerdictFacts { light, reasons: texts(reasons) };
    let untried = could_not_be_tried("release 7 and 2 more of the register above.jsonl");
    [
        of(Light::Green, &[]),
        of(
            Light::Yellow,
            &["9 of 60 people (15.0 %) are singled out by what is released as it is: Rows, sex"],
        ),
        of(Light::Yellow, &[&untried, crate::UNREGISTERED]),
        of(Light::Red, &["it was drawn from a seed, and whoever knows the seed can undo the draw"]),
    ]
}

fn slice(verdict: VerdictFacts) -> SliceDocument {
    let group = |columns: &[&str], unique_percent| SliceGroup { columns: texts(columns), unique_percent };
    let pair =
        |first: &str, second: &str, kept| SlicePair { columns: [first.to_owned(), second.to_owned()], kept };
    SliceDocument {
        paravent: "1.2.3",
        kind: "slice",
        rows: 60,
        groups: vec![group(&["age", "sex"], Some(1.5)), group(&["Value"], None)],
        unique_limit: "0.1".to_owned(),
        known: texts(&["ward"]),
        dropped: texts(&["name"]),
        smallest_bucket: 20,
        diversity: vec![SliceDiversity { attribute: "Value".to_owned(), l: 2, least: 3 }],
        pairs: vec![pair("age", "sex", true), pair("age", "Value", false)],
        seeded: false,
        promised: texts(&[
            "the columns of one group stand together as they did in the table: every figure over one group is exact",
            "every bucket has at least 2 different values of Value",
        ]),
        not_promised: texts(&["ward is known to every group: buckets were made by it"]),
        unchanged: None,
        verdict,
        warnings: texts(&[
            "about 12 of these rows were released before, as release 3 of the register; what both tell together was not tried",
        ]),
        output: written(true),
        register: None,
    }
}

fn noise_column(law: &'static str, number: usize) -> NoiseColumn {
    let added = matches!(law, "laplace" | "geometric" | "gaussian");
    let estimate = ValueEstimate { value: None, observed: 3, estimate: 2.5, standard_error: 0.5 };
    let mean = MeanEstimate { observed: 41.5, estimate: 40.25, standard_error: 0.75 };
    let bound = |text: &str| added.then(|| text.to_owned());
    NoiseColumn {
        column: format!("column {number}"),
        probability: (law != "kernel" && !added).then(|| "0.2".to_owned()),
        law,
        values: Some(3),
        epsilon: (law != "steps").then(|| "1.5".to_owned()),
        delta: (law == "gaussian").then(|| "0.000001".to_owned()),
        estimates: (!added && law != "given").then(|| vec![estimate; 42]),
        mean: added.then_some(mean),
        outside: "refuse",
        missing: "draw",
        other: None,
        by: (law == "kernel").then(|| "ward".to_owned()),
        min: bound("0"),
        max: bound("100"),
        step: bound("1"),
    }
}

fn noise(verdict: VerdictFacts) -> NoiseDocument {
    let columns: Vec<NoiseColumn> =
        LAWS.iter().enumerate().map(|(number, law)| noise_column(law, number)).collect();
    NoiseDocument {
        paravent: "1.2.3",
        kind: "noise",
        rows: 60,
        columns,
        exact: texts(&["ward"]),
        dropped: texts(&["name"]),
        epsilon: "1.5".to_owned(),
        delta: "0.000001".to_owned(),
        bounded: true,
        recipient: "anyone".to_owned(),
        seeded: false,
        promised: texts(&[
            "sex: no shown cell is more than e^ε times as likely for one true value as for another, ε = 1.5",
            "all cells of a person together, who has up to 3 rows: ε = 4.5, charged to the ledger of the data set",
        ]),
        not_promised: texts(&["columns without noise are as they were"]),
        output: written(true),
        rows_per_person: Some(3),
        verdict,
        unchanged: None,
        warnings: texts(&[crate::UNREGISTERED_WARNING]),
        kept: Some(KeptNoise {
            changed: vec![ChangedCells { column: "column 0".to_owned(), rows: 4 }],
            unmentioned: Vec::new(),
            spent: "1.5".to_owned(),
            left: "0.5".to_owned(),
            input: ReadTable { rows: 60, sha256: "cd".repeat(32) },
            seed: None,
        }),
        register: None,
    }
}

fn answer(verdict: VerdictFacts) -> AnswerDocument {
    let shown = ["generalized", "redrawn", "sliced", "noisy", "as it is", "computed"];
    let columns = shown.iter().map(|shown| ShownColumn { name: format!("{shown} one"), shown });
    let models = vec![RequiredModel { model: "k-anonymity".to_owned(), required: json!({ "k": 3 }) }];
    AnswerDocument {
        facts: AnswerFacts {
            paravent: "1.2.3",
            kind: "sql",
            columns: columns.collect(),
            dropped: texts(&["name"]),
            operators: texts(&["generalize"]),
            privacy: vec![RowPromise { quasi_identifiers: texts(&["age"]), models }],
            seeded: false,
            promised: texts(&[
                "generalized (k = 3): levels 1, 2",
                "redrawn: sex with probability 0.5; ε = 1 in all",
            ]),
            not_promised: texts(&["n was computed by the query and is exact"]),
        },
        rows: 60,
        notes: texts(&[
            "Rows are picked by diagnosis after generalize (k = 3); the classes of those shown were counted again.",
        ]),
        warnings: texts(&[
            "this table was released before, as release 3 of the register; what both tell together was not tried",
        ]),
        unchanged: None,
        verdict,
        output: written(true),
        register: None,
        kept: Some(KeptAnswer {
            private: PrivateAnswer { statement: "SELECT 1".to_owned(), figures: Map::new() },
            table: ReadTable { rows: 60, sha256: "cd".repeat(32) },
        }),
    }
}

fn joint(verdict: VerdictFacts) -> JointDocument {
    let levels =
        |levels: [u8; 3]| Levels(["age", "sex", "zip"].map(str::to_owned).into_iter().zip(levels).collect());
    JointDocument {
        paravent: "1.2.3",
        agreement_sha256: None,
        solution: JointSolution {
            transformation: levels([2, 0, 1]),
            highest: Some(levels([2, 1, 3])),
            metric: "loss",
            loss: Some(0.25),
            optimal: verdict.light == Light::Green,
            search: Some(JointSearch { algorithm: "flash", checks: 1, subset_tests: 0 }),
            suppressed_rows: 3,
            classes: if verdict.light == Light::Red { 1 } else { 24 },
            smallest_class: Some(7),
        },
        privacy: super::model("k-anonymity"),
        warnings: Some(texts(&[crate::UNREGISTERED_WARNING])),
        verdict,
        unchanged: None,
        output: JointOutput {
            path: "here.csv".to_owned(),
            rows: 28_778,
            sha256: "cd".repeat(32),
            verified: true,
        },
        federation: None,
        register: None,
    }
}

#[test]
fn every_sentence_of_the_other_kinds_has_a_german_one() {
    let mut pages = Vec::new();
    for verdict in verdicts() {
        pages.push(render_slice(&slice(verdict.clone()), Lang::En));
        pages.push(render_noise(&noise(verdict.clone()), Lang::En));
        pages.push(render_answer(&answer(verdict.clone()), Lang::En));
        pages.push(render_joint(&joint(verdict), Lang::En));
    }
    let [green, ..] = verdicts();
    for seeded in [false, true] {
        let output = written(seeded);
        pages.push(render_slice(
            &SliceDocument { seeded, output: output.clone(), ..slice(green.clone()) },
            Lang::En,
        ));
        let unbounded = NoiseDocument {
            seeded,
            output: output.clone(),
            bounded: false,
            exact: Vec::new(),
            rows_per_person: (!seeded).then_some(1),
            ..noise(green.clone())
        };
        pages.push(render_noise(&unbounded, Lang::En));
        pages.push(render_noise(
            &NoiseDocument { seeded: false, output: written(true), ..unbounded },
            Lang::En,
        ));
        let mut unchecked = AnswerDocument { output, ..answer(green.clone()) };
        unchecked.facts.seeded = seeded;
        unchecked.facts.privacy.clear();
        pages.push(render_answer(&unchecked, Lang::En));
        unchecked.facts.seeded = false;
        unchecked.output = written(true);
        pages.push(render_answer(&unchecked, Lang::En));
    }
    let mut stays: Vec<String> = pages.iter().flat_map(|page| missing(page, Lang::De)).collect();
    stays.sort();
    stays.dedup();
    assert!(stays.is_empty(), "{} sentences are missing:\n{}", stays.len(), stays.join("\n"));
}

#[test]
fn a_german_page_is_german_and_leaves_names_alone() {
    let [_, telling, ..] = verdicts();
    let page = render_slice(&slice(telling), Lang::De);
    for words in [
        "<html lang=\"de\">",
        "und macht doch Einzelne erkennbar",
        "durch unverändert freigegebene Spalten erkennbar: Rows, sex",
        "<bdi>Value</bdi>",
        "mindestens 2 verschiedene Werte von Value",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for tag in ["section", "table", "tr", "td", "th", "div", "span", "p", "ul", "li", "bdi", "strong"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

/// The guide has every line of every leak table; the federation holds it to that.
#[test]
fn every_line_of_the_leak_tables_is_german() {
    const GUIDE: &str = include_str!("../../../../../docs/guide/federation.md");
    let tables = ["| from | to | what is sent |", "| who | learns by design |", "| who | could conclude |"];
    let mut cells: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in GUIDE.lines() {
        inside = tables.iter().any(|head| line.starts_with(head)) || inside && line.starts_with('|');
        let is_head = tables.iter().any(|head| line.starts_with(head)) || line.starts_with("| ---");
        if inside && !is_head {
            cells.extend(line.trim_matches('|').split('|').map(str::trim));
        }
    }
    assert!(cells.len() > 150, "{} cells", cells.len());
    let page: String =
        cells.iter().map(|cell| format!("<td>{}</td>", crate::html::escape::escape(cell))).collect();
    let mut stays = missing(&page, Lang::De);
    stays.sort();
    stays.dedup();
    assert!(stays.is_empty(), "{} lines are missing:\n{}", stays.len(), stays.join("\n"));
}

use super::*;
use crate::{
    ConclusionFacts, JointOutput, JointSearch, LearnedFacts, Levels, PromiseFacts, PromisedModel, SentFacts,
    VerdictFacts,
};
use serde_json::json;

fn federation() -> FederationFacts {
    FederationFacts {
        run: "trial".to_owned(),
        agreement: "ab".repeat(32),
        protocol: "b".to_owned(),
        split: "horizontal",
        party: "<b>north".to_owned(),
        receiver: "<i>south".to_owned(),
        transcript: "ef".repeat(32),
        channels: vec![ChannelFacts {
            with: "south".to_owned(),
            messages_sent: 1,
            bytes_sent: 1192,
            messages_received: 2,
            bytes_received: 192,
            sent_sha256: "12".repeat(32),
            received_sha256: "34".repeat(32),
        }],
        told: ToldFacts {
            what_was_sent: vec![SentFacts {
                from: "everybody".to_owned(),
                to: "the helper".to_owned(),
                what: "ciphertexts",
            }],
            what_each_party_learned: vec![LearnedFacts {
                party: "<b>north".to_owned(),
                learned: "the release",
            }],
            what_could_be_concluded: vec![ConclusionFacts {
                who: "the helper".to_owned(),
                what: "frequencies",
                against: "protocol C",
            }],
        },
        released_by: None,
    }
}

fn document() -> JointDocument {
    let levels =
        |levels: [u8; 3]| Levels(["age", "sex", "zip"].map(str::to_owned).into_iter().zip(levels).collect());
    let promise =
        |model, required, achieved| PromiseFacts { model, required, achieved, holds: true, loose: None };
    JointDocument {
        paravent: "1.2.3",
        agreement_sha256: Some("ab".repeat(32)),
        solution: JointSolution {
            transformation: levels([2, 0, 1]),
            highest: Some(levels([2, 1, 3])),
            metric: "nuem",
            loss: Some(12.5),
            optimal: true,
            search: Some(JointSearch { algorithm: "best-first", checks: 29, subset_tests: 14 }),
            suppressed_rows: 3,
            classes: 24,
            smallest_class: Some(7),
        },
        privacy: vec![
            promise("k-anonymity", json!({ "k": 5 }), json!({ "k": 7 })),
            promise(
                "t-closeness",
                json!({ "attribute": "job", "t": "0.2", "distance": "equal" }),
                json!({ "t": 0.198_489_447_307_122_17 }),
            ),
        ],
        warnings: None,
        verdict: VerdictFacts { light: Light::Green, reasons: Vec::new() },
        unchanged: None,
        output: JointOutput {
            path: "/house/here.csv".to_owned(),
            rows: 28_778,
            sha256: "cd".repeat(32),
            verified: true,
        },
        federation: Some(federation()),
        register: None,
    }
}

fn participation() -> ParticipationDocument {
    ParticipationDocument {
        paravent: "1.2.3",
        agreement_sha256: "ab".repeat(32),
        rows: Some(1200),
        privacy: ["k-anonymity", "t-closeness"].map(|model| PromisedModel { model }).to_vec(),
        federation: federation(),
        register: None,
        warnings: Some(vec![
            "this table was released before, as release 1 of the register; no attack fits".to_owned(),
        ]),
    }
}

#[test]
fn every_fact_is_on_the_page_and_in_words() {
    let page = render_joint(&document(), Lang::En);
    for fact in [
        "keeps its promises",
        "28\u{202f}778",
        "24 classes",
        "k-anonymity, k = 5",
        "k = 7",
        "0.198",
        "2 of 2",
        "fully generalized",
        "1 of 3",
        "coarser",
        "as it was",
        "29 transformations",
        "14 combinations",
        "best-first: ",
        "ciphertexts",
        "1 message, 1\u{202f}192 bytes",
        "the release",
        "frequencies",
        "protocol C",
        "Signature",
    ] {
        assert!(page.contains(fact), "{fact} is missing");
    }
    for digest in ["ab", "cd", "ef", "12", "34"] {
        assert!(page.contains(&breakable(&digest.repeat(32))));
    }
    assert!(!page.contains("<b>"), "names are escaped");
}

#[test]
fn how_the_parties_worked_together_is_told_in_german() {
    // Words that no run says.
    let made_up = ["ciphertexts", "the release", "frequencies", "protocol C"];
    let mut pages = vec![render_participation(&participation(), Lang::En)];
    for (protocol, split) in [("a", "horizontal"), ("b", "vertical"), ("c", "horizontal")] {
        let federation = FederationFacts { protocol: protocol.to_owned(), split, ..federation() };
        let document = JointDocument { federation: Some(federation), ..document() };
        pages.push(render_joint(&document, Lang::En));
    }
    for algorithm in paravent_core::search::Algorithm::ALL {
        let search = Some(JointSearch { algorithm: algorithm.name(), checks: 2, subset_tests: 1 });
        let document = document();
        let solution = JointSolution { search, ..document.solution.clone() };
        pages.push(render_joint(&JointDocument { solution, ..document }, Lang::En));
    }
    for page in pages {
        let mut stays = crate::wording::missing(&page, Lang::De);
        stays.retain(|text| !made_up.contains(&text.as_str()));
        assert!(stays.is_empty(), "{stays:#?}");
    }
}

#[test]
fn what_is_handed_out_tells_nothing_of_the_parties() {
    let outside = document().external();
    let (page, json) = (render_joint(&outside, Lang::En), json!(outside).to_string());
    for secret in ["north", "trial", &"ab".repeat(32), &"ef".repeat(32), "/house", "highest", "ciphertexts"] {
        assert!(!json.contains(secret) && !page.contains(secret), "{secret} is told");
    }
    assert!(
        page.contains("Several parties released parts of one table together") && json.contains("here.csv")
    );
}

#[test]
fn who_does_not_hold_the_release_has_a_record() {
    let page = render_participation(&participation(), Lang::En);
    for fact in [
        "took part in a joint release",
        "1\u{202f}200 rows",
        "released before",
        "k-anonymity, t-closeness",
        "ciphertexts",
        "frequencies",
        &breakable(&"ef".repeat(32)),
    ] {
        assert!(page.contains(fact), "{fact} is missing");
    }
    assert!(!page.contains("<i>") && !page.contains("<b>"), "names are escaped");
    assert!(!page.contains("Data file"), "it has none");
}

#[test]
fn a_release_that_singles_people_out_is_not_called_good() {
    let mut document = document();
    let reason = "86 of 100 people (86.0 %) are singled out by what is released as it is: lab".to_owned();
    document.verdict = VerdictFacts { light: Light::Yellow, reasons: vec![reason.clone()] };
    document.warnings = Some(vec!["these rows were released before".to_owned()]);
    let page = render_joint(&document, Lang::En);
    assert!(page.contains("and yet singles people out") && page.contains(&reason));
    assert!(page.contains("these rows were released before"));
    assert!(page.contains(r#"class="verdict half""#));
    document.output.verified = false;
    assert!(render_joint(&document, Lang::En).contains("does not keep its promises"));
}

#[test]
fn a_release_that_was_not_verified_is_not_called_good() {
    let mut document = document();
    document.output.verified = false;
    assert!(render_joint(&document, Lang::En).contains("does not keep its promises"));
}

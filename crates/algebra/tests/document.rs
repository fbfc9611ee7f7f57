//! The catalogue: complete, in order, and as the page says.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::rules::{Direction, Kind, catalogue, document};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_page_is_the_catalogue() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("PARAVENT_BLESS").is_some() {
        std::fs::write(&path, document()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(
        page == document(),
        "docs/rules.md is old; run PARAVENT_BLESS=1 cargo test -p paravent-algebra --test document"
    );
}

#[test]
fn rules_stand_in_order_and_have_ids_of_their_own() {
    let ids: Vec<&str> = catalogue().iter().map(|rule| rule.card().id).collect();
    let place = |id: &str| -> (usize, u32) {
        let (family, number) = id.split_at(1);
        (["G", "S", "D", "C"].iter().position(|known| *known == family).unwrap(), number.parse().unwrap())
    };
    assert!(ids.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{ids:?}");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    let generalizations: Vec<String> = (1..=19).map(|number| format!("G{number}")).collect();
    assert_eq!(ids[..19], generalizations);
}

#[test]
fn every_card_is_complete() {
    for rule in catalogue() {
        let card = rule.card();
        for text in [card.statement, card.source, card.example] {
            assert!(!text.is_empty(), "{}", card.id);
        }
        let holds = card.kind != Kind::None;
        assert_eq!(
            holds,
            card.direction != Direction::None,
            "{}: a rule that does not hold has no direction",
            card.id
        );
        let partial = matches!(card.kind, Kind::PartiallyEquivalent | Kind::EquivalentOrPartially);
        assert!(!partial || !card.condition.is_empty(), "{} needs a condition", card.id);
    }
}

#[test]
fn the_page_has_a_line_and_a_section_for_every_rule() {
    let page = document();
    for rule in catalogue() {
        let id = rule.card().id;
        assert!(page.contains(&format!("| [{id}](#{}) |", id.to_lowercase())), "{id}");
        assert!(page.contains(&format!("\n## {id}\n")), "{id}");
    }
}

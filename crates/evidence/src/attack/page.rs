//! The page of attacks, made from their cards.

use super::Attack;
use std::fmt::Write;

/// `docs/attacks.md`.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Attacks\n\n\
         This page is made from the cards in `crates/evidence/src/attack`; a test holds the two together.\n\
         Rewrite it with `PARAVENT_BLESS=1 cargo test -p paravent-evidence the_page_of_attacks`.\n",
    );
    for attack in Attack::ALL {
        let card = attack.card();
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n{}\n\n- Needs: {}.\n\nSource: {}.\n",
            card.name, card.question, card.assumption, card.needs, card.source
        );
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_of_attacks_is_made_from_the_cards() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attacks.md");
        if std::env::var_os("PARAVENT_BLESS").is_some() {
            std::fs::write(&path, super::page()).unwrap();
        }
        assert!(
            std::fs::read_to_string(&path).unwrap() == super::page(),
            "docs/attacks.md is old; run PARAVENT_BLESS=1 cargo test -p paravent-evidence the_page_of_attacks"
        );
    }
}

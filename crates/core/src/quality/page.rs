//! The page of metrics, made from their cards.

use super::{Metric, Range, Reads};
use crate::criteria::Suppression;
use std::fmt::Write;

/// `docs/metrics.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Metrics\n\n\
         This page is made from the cards in `crates/core/src/quality`; a test holds the two together.\n\
         Rewrite it with `PARAVENT_BLESS=1 cargo test -p paravent-job the_page_of_metrics`.\n",
    );
    for metric in Metric::ALL {
        let card = metric.card();
        let range = match card.range {
            Range::Words(words) => words,
            Range::Heights => "0 – the height of the lattice",
            Range::Squares => "rows – rows²",
        };
        let reads = match metric.reads() {
            Reads::Levels => "levels",
            Reads::ClassSizes => "class sizes",
            Reads::Values => "how often values occur",
        };
        let monotone =
            match (metric.is_monotone(Suppression::Allowed), metric.is_monotone(Suppression::Forbidden)) {
                (true, _) => "always",
                (false, true) => "where nothing may be suppressed",
                (false, false) => "no",
            };
        let says = |yes: bool| if yes { "yes" } else { "no" };
        let otherwise = metric.differs_on_boxes().map_or_else(String::new, |how| format!("; {how}"));
        let balance = match (metric.has_balance(), metric.has_balance_on_boxes()) {
            (true, false) => "; not with local recoding",
            _ => "",
        };
        let _ = write!(
            page,
            "\n## {}\n\n{}: {}\n\n- From – to: {range}.\n- Reads: {reads}.\n- Monotone: {monotone}.\n\
             - Takes `gs_factor`: {}{balance}.\n- Local recoding: {}{otherwise}.\n\nSource: {}\n",
            card.name,
            card.title,
            card.meaning,
            says(metric.has_balance()),
            says(metric.is_defined_on_boxes()),
            card.source
        );
    }
    page
}

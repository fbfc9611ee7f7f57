//! The page of algorithms, made from their cards.

use super::Algorithm;
use crate::criteria::Monotonicity;
use crate::search::LossBy;
use crate::task::Case;
use std::fmt::Write;

/// `docs/algorithms.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Search algorithms\n\n\
         This page is made from the cards in `crates/core/src/search/algorithms`; a test holds the two together.\n\
         Rewrite it with `PARAVENT_BLESS=1 cargo test -p paravent-job the_page_of_algorithms`.\n\
         The six cases are in [the guide](guide/search.md).\n",
    );
    for algorithm in Algorithm::ALL {
        let card = algorithm.card();
        let _ = write!(
            page,
            "\n## {}\n\n{}: {}.\n\n- Guarantees the optimum in: {}.\n\nSource: {}\n",
            card.name,
            card.name,
            card.how,
            guaranteed(algorithm),
            card.source
        );
    }
    page
}

/// The cases in which the optimum is guaranteed, in words.
fn guaranteed(algorithm: Algorithm) -> String {
    let criteria = [Monotonicity::Full, Monotonicity::Partly, Monotonicity::None];
    let cases = criteria
        .into_iter()
        .flat_map(|criterion| [true, false].map(|monotone_metric| Case { criterion, monotone_metric }));
    let holds = |loss: LossBy| -> Vec<u8> {
        let sure = cases.clone().filter(|&case| algorithm.guarantees(case, loss).is_ok());
        let mut numbers: Vec<u8> = sure.map(Case::number).collect();
        numbers.sort_unstable();
        numbers
    };
    let (by_height, by_more) = (holds(LossBy::Height), holds(LossBy::More));
    let words = match by_height[..] {
        [1, .., last] if by_height.len() == usize::from(last) => match last {
            6 => "all cases".to_owned(),
            last => format!("cases 1 to {last}"),
        },
        _ => {
            let numbers: Vec<String> = by_height.iter().map(u8::to_string).collect();
            format!("case {}", numbers.join(", "))
        }
    };
    if by_height == by_more { words } else { format!("{words}, with `height` and equal weights") }
}

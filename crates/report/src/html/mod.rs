//! The page for people: one file that needs nothing else, prints on A4 and reads on a phone.
//!
//! It goes to those who sign, and in a shorter version to those who receive the data. It therefore shows released labels and rounded shares
//! only, and neither times nor places: the same job gives the same bytes. The external version shows nothing that was computed from
//! rows that were left out. Every text from the data passes through [`escape`]; a file per section puts strings together.

mod about;
mod answer_page;
mod attacks;
mod bins;
mod by_group;
mod changes;
mod classes;
mod closing;
mod engineer;
mod escape;
mod facts;
mod gauge;
mod joint_page;
mod left_out;
mod light;
mod losses;
mod noise_page;
mod number;
mod opinion;
mod page;
mod parts;
mod promise;
mod promises;
mod remaining;
mod risk_page;
mod search;
mod slice_page;
mod svg;
mod threats;
mod utility;
mod verdict;

#[cfg(test)]
mod tests;

pub use attacks::{AttackPages, attack_pages};

use super::{PromiseFacts, View, translated};
pub use answer_page::render_answer;
use facts::Facts;
pub use joint_page::{render_joint, render_participation};
pub use noise_page::render_noise;
use paravent_prepare::study::{Loose, Worth};
pub use risk_page::render_risk;
pub use slice_page::render_slice;

/// Whether a kept promise says more than every table keeps.
pub(super) fn promises_something(promises: &[PromiseFacts]) -> bool {
    let says_nothing = |loose: &Loose| loose.promises == Worth::Nothing;
    let telling = promises.iter().filter(|facts| !facts.loose.as_ref().is_some_and(says_nothing));
    let promises = telling.filter_map(promise::Promise::of);
    promises.into_iter().any(|promise| promise.holds && !promise.is_empty())
}

/// The report as one self-contained HTML page.
pub fn render(view: &View) -> String {
    let facts = Facts::of(view);
    let external = facts.is_external();
    let mut sections = vec![
        verdict::render(&facts),
        promises::render(&facts),
        threats::render(&facts),
        changes::render(&facts),
        classes::render(&facts),
        remaining::render(&facts),
        losses::render(&facts),
        utility::render(&facts),
    ];
    if !external {
        sections.push(search::render(&facts));
    }
    sections.push(engineer::render(&facts));
    sections.push(closing::render(&facts));
    let contents: Vec<_> = page::RELEASE_CONTENTS
        .into_iter()
        .filter(|(anchor, _)| {
            (!external || *anchor != "search")
                && (*anchor != "utility" || !external && view.document.utility.is_some())
        })
        .collect();
    let frame = page::Frame {
        title: if external { "Release report" } else { "Release report (internal)" },
        contents: &contents,
        version: &escape::escape(view.document.paravent),
        footer: match view.document.register {
            None => "The same job on the same data gives the same page.",
            Some(_) => "The same job on the same data, after the same earlier releases, gives the same page.",
        },
    };
    translated(&page::page(&frame, &sections), view.lang)
}

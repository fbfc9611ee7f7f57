//! The page for people: one file that needs nothing else, prints on A4 and reads on a phone.
//!
//! It goes to those who sign and to those who receive the data. It therefore shows released labels and rounded shares
//! only, and neither times nor places: the same job gives the same bytes. Every text from the data passes through
//! [`escape`]; a file per section puts strings together.

mod attacks;
mod bins;
mod changes;
mod classes;
mod closing;
mod engineer;
mod escape;
mod facts;
mod gauge;
mod joint_page;
mod losses;
mod number;
mod page;
mod promise;
mod promises;
mod remaining;
mod risk_page;
mod search;
mod slice_page;
mod svg;
mod threats;
mod verdict;
mod wording;

#[cfg(test)]
mod tests;

pub use attacks::{AttackPages, attack_pages};

use super::View;
use facts::Facts;
pub use joint_page::render_joint;
pub use risk_page::render_risk;
pub use slice_page::render_slice;

/// The report as one self-contained HTML page.
pub fn render(view: &View) -> String {
    let facts = Facts::of(view);
    let sections = [
        verdict::render(&facts),
        promises::render(&facts),
        threats::render(&facts),
        changes::render(&facts),
        classes::render(&facts),
        remaining::render(&facts),
        losses::render(&facts),
        search::render(&facts),
        engineer::render(&facts),
        closing::render(&facts),
    ];
    let frame = page::Frame {
        title: "Release report",
        contents: &page::RELEASE_CONTENTS,
        version: &escape::escape(view.document.paravent),
        footer: match view.document.register {
            None => "The same job on the same data gives the same page.",
            Some(_) => "The same job on the same data, after the same earlier releases, gives the same page.",
        },
    };
    page::page(&frame, &sections)
}

//! Charts that need nothing but a browser.

mod axis;
mod bars;
mod lines;
mod writer;

pub use bars::comparison;
pub use lines::scaling;

/// Colours that people who see fewer of them can tell apart, too. Okabe & Ito, "Color universal design", 2008.
const PALETTE: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a6a00"];
/// The other program's bars.
const REFERENCE: &str = "#8a8f98";

fn colour(position: usize) -> &'static str {
    PALETTE[position % PALETTE.len()]
}

/// The algorithms of some cases, each once, in the order in which they were asked for.
fn algorithms<'a>(cases: impl Iterator<Item = &'a crate::results::CaseResult>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for run in cases.flat_map(|case| &case.runs) {
        if !names.contains(&run.algorithm.as_str()) {
            names.push(&run.algorithm);
        }
    }
    names
}

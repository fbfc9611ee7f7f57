//! How the transformation was found.

use super::escape::escape;
use super::facts::Facts;
use super::number::{count, counted, figure, percent};
use super::page::section;
use super::svg::{Drawing, rect};
use paravent_core::search::Algorithm;

const WIDTH: f64 = 720.0;

/// Lattice, algorithm, and what is known of the transformations.
pub fn render(facts: &Facts<'_>) -> String {
    let (lattice, search) = (&facts.document.lattice, &facts.document.search);
    if facts.document.solution.recoding.is_some() {
        return local(facts);
    }
    let proof = if search.optimal {
        "Every one of them was checked or ruled out by proof, so none that keeps the promises loses less than the one \
         chosen. “Least” means least among transformations of this kind: one level per column for all rows, and whole \
         classes left out."
            .to_owned()
    } else {
        let how_much = search.gap_percent.map_or_else(String::new, |gap| {
            format!(", though proven to save at most {} of the loss", percent(gap / 100.0))
        });
        format!(
            "The search ended without a proof, so one that loses less may exist{how_much}. The promises do not depend on \
             it: they were checked on the chosen transformation."
        )
    };
    let lead = format!(
        "The levels of {} can be combined in {} ways, the <em>transformations</em>. {proof}",
        counted(facts.quasi_identifiers.len() as u64, "quasi-identifier", "quasi-identifiers"),
        count(lattice.nodes),
    );
    let terms = [
        ("Transformations", format!("{}, on {} heights", count(lattice.nodes), count(lattice.levels))),
        ("Fully checked", counted(search.checks, "transformation", "transformations")),
        ("Different combinations in the table", combinations(facts)),
        ("Algorithm", format!("{}: {}", escape(search.algorithm), algorithm(search.algorithm))),
        ("What one check tells about others", format!("{} (case {})", case(search.case), search.case)),
    ];
    section("search", "How it was found", &lead, &(states(facts) + &terms_list(&terms)))
}

/// Where every class has a box of its own.
fn local(facts: &Facts<'_>) -> String {
    let (solution, search) = (&facts.document.solution, &facts.document.search);
    let lead = match (solution.lower_bound, solution.gap) {
        (Some(bound), Some(gap)) => format!(
            "Every class has a box of labels of its own, so there are more releases than anybody can list. Classes that are near \
             each other were dissolved and clustered anew, and what lost less was kept. No release of this kind loses less than \
             {}, which is proven; this one loses {}, at most {} more than the best. The promises do not depend on it: they were \
             checked on the released rows.",
            figure(bound),
            figure(solution.loss),
            percent(gap),
        ),
        _ => "Every class has a box of labels of its own. Where the boxes of an earlier release were applied, every row shows the \
              finest box that covers it, and rows that none covers are left out."
            .to_owned(),
    };
    let mut terms = vec![
        ("Different combinations in the table", combinations(facts)),
        ("Boxes", count(solution.classes)),
    ];
    terms.extend(search.moves.map(|moves| ("Times that classes were clustered anew", count(moves))));
    section("search", "How it was found", &lead, &terms_list(&terms))
}

fn combinations(facts: &Facts<'_>) -> String {
    let input = &facts.document.input;
    let all = count(input.distinct_tuples);
    match input.spilled_bytes {
        None => all,
        Some(bytes) => {
            format!(
                "{all}, kept in a temporary file of {} MB as memory was limited",
                count(bytes.div_ceil(1_000_000))
            )
        }
    }
}

fn states(facts: &Facts<'_>) -> String {
    let (anonymous, not_anonymous, excluded) = facts.view.node_counts;
    let total = facts.document.lattice.nodes;
    let known = u128::from(anonymous) + u128::from(not_anonymous) + u128::from(excluded);
    let states = [
        ("keeps", "keep the promises", u128::from(anonymous)),
        ("breaks", "do not keep them", u128::from(not_anonymous)),
        ("excluded", "not checked, because they cannot be optimal", u128::from(excluded)),
        ("undecided", "left open", total.saturating_sub(known)),
    ];
    let all = total.max(known).max(1) as f64;
    let (mut shapes, mut legend, mut x) = (String::new(), String::new(), 0.0);
    for (class, name, nodes) in states.into_iter().filter(|(.., nodes)| *nodes > 0) {
        let width = WIDTH * nodes as f64 / all;
        shapes += &rect(class, x, 0.0, width.max(1.0), 20.0, 0.0);
        x += width;
        let share = percent(nodes as f64 / all);
        legend += &format!(
            r#"<li><span class="key {class}" aria-hidden="true"></span><b>{}</b> {name} <span class="what">{share}</span></li>"#,
            count(nodes),
        );
    }
    let drawing = Drawing {
        class: "states",
        size: (WIDTH as u32, 20),
        title: "What is known of the transformations",
        description: "One bar, divided by what is known; the list below has the figures.",
    };
    format!(r#"<figure>{}<ul class="legend">{legend}</ul></figure>"#, drawing.of(&shapes))
}

/// Terms and what they are here.
pub(super) fn terms_list(terms: &[(&str, String)]) -> String {
    let terms: String =
        terms.iter().map(|(term, text)| format!("<div><dt>{term}</dt><dd>{text}</dd></div>")).collect();
    format!(r#"<dl class="terms">{terms}</dl>"#)
}

pub(super) fn algorithm(name: &str) -> &'static str {
    Algorithm::by_name(name).map_or("chosen for this job", |algorithm| algorithm.card().how)
}

fn case(number: u8) -> &'static str {
    match number {
        1 => "coarser than a good one is good and loses more; finer than a bad one is bad",
        2 => "coarser than a good one is good, but may lose less; finer than a bad one is bad",
        3 => "coarser loses more; finer than one with too small classes is bad",
        4 => "finer than one with too small classes is bad; nothing else",
        5 => "coarser loses more; nothing else",
        _ => "nothing: each one has to be looked at",
    }
}

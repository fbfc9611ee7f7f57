//! What was done and what it gives away: figures for the owner of the table.

use paravent_pipeline::slice::{SliceUtility, SlicedTable};
use paravent_slicing::Limits;
use paravent_slicing::checks::ReadOff;
use serde_json::{Value, json};

/// What somebody who knows a group reads off for a column: group, column, figures.
pub(super) type Attacked = [(usize, String, ReadOff)];

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Names of two columns.
type Pair = (String, String);

/// Pairs of columns that are exact, and those that are blurred.
fn pairs(sliced: &SlicedTable) -> (Vec<Pair>, Vec<Pair>) {
    let names = sliced.groups.columns();
    let all = (0..names.len()).flat_map(|first| (first + 1..names.len()).map(move |second| (first, second)));
    let known = |column: usize| sliced.known.contains(&names[column]);
    let (kept, blurred): (Vec<_>, Vec<_>) = all.partition(|&(first, second)| {
        sliced.groups.together(first, second).is_some() || known(first) || known(second)
    });
    let named = |pairs: Vec<(usize, usize)>| {
        pairs.into_iter().map(|(first, second)| (names[first].clone(), names[second].clone())).collect()
    };
    (named(kept), named(blurred))
}

/// For people.
pub(super) fn remarks(sliced: &SlicedTable, attacked: &Attacked) -> String {
    let rows = sliced.rows();
    let groups: Vec<String> =
        sliced.groups.names().iter().map(|group| format!("{{{}}}", group.join(", "))).collect();
    let (kept, blurred) = pairs(sliced);
    let mut text = format!(
        "· slice: {rows} rows in {} buckets, the smallest of {}; groups {}; {} of {} pairs of columns are exact{}\n",
        sliced.buckets(),
        sliced.smallest,
        groups.join(" "),
        kept.len(),
        kept.len() + blurred.len(),
        if sliced.seeded { "; drawn from a seed: whoever knows it can undo the draw" } else { "" },
    );
    let names = sliced.groups.columns();
    for column in &sliced.known {
        text.push_str(&format!("· {column} is known to every group: the buckets are made by it\n"));
    }
    for found in sliced.findings.unique.iter().filter(|found| found.rows > 0) {
        let columns: Vec<&str> = found.columns.iter().map(|&column| names[column].as_str()).collect();
        text.push_str(&format!(
            "· group {}: {} of the rows are alone with their values of {}\n",
            found.group,
            percent(found.rows, rows),
            columns.join(", ")
        ));
    }
    for found in
        sliced.findings.constant.iter().filter(|found| found.rows > 0 && sliced.findings.mixed_groups > 1)
    {
        text.push_str(&format!(
            "· {}: {} of the rows are in buckets where it is constant, so that nothing is mixed there (by chance {:.1} %)\n",
            names[found.column],
            percent(found.rows, rows),
            100.0 * found.expected / rows.max(1) as f64
        ));
    }
    for link in &sliced.findings.links {
        let telling: Vec<&str> = link.determinant.iter().map(|&column| names[column].as_str()).collect();
        text.push_str(&format!(
            "· {} tells {} in another group: whoever knows how links {} of the rows again (by chance {})\n",
            telling.join(", "),
            names[link.dependent],
            percent(link.linked, rows),
            percent(link.chance, rows)
        ));
    }
    for found in &sliced.findings.diversity {
        text.push_str(&format!(
            "· every bucket has at least {} values of {}\n",
            found.least, names[found.column]
        ));
    }
    for (group, column, figures) in attacked.iter().filter(|(_, _, figures)| figures.most() > figures.chance)
    {
        text.push_str(&format!(
            "· attack: whoever knows group {group} reads {column} off rightly for {} of the {} people who are alone there (by chance {}){}\n",
            percent(figures.most(), figures.people),
            figures.people,
            percent(figures.chance, figures.people),
            if figures.exceeds(Limits::STANDARD.linked) { "; use larger buckets" } else { "" }
        ));
    }
    text
}

/// For programs.
pub(super) fn account(sliced: &SlicedTable, attacked: &Attacked, utility: Option<&SliceUtility>) -> Value {
    let names = sliced.groups.columns();
    let (kept, blurred) = pairs(sliced);
    let findings = &sliced.findings;
    let mut account = json!({
        "operator": "slice",
        "groups": sliced.groups.names(),
        "rows": sliced.rows(),
        "buckets": sliced.buckets(),
        "smallest_bucket": sliced.smallest,
        "kept_pairs": kept,
        "blurred_pairs": blurred,
        "known": sliced.known,
        "seeded": sliced.seeded,
        "unique": findings.unique.iter().map(|found| json!({ "group": found.group, "rows": found.rows })).collect::<Vec<_>>(),
        "constant": findings.constant.iter().map(|found| json!({
            "column": names[found.column], "rows": found.rows, "expected": found.expected,
        })).collect::<Vec<_>>(),
        "links": findings.links.iter().map(|link| json!({
            "determinant": link.determinant.iter().map(|&column| &names[column]).collect::<Vec<_>>(),
            "dependent": names[link.dependent],
            "linked": link.linked,
            "chance": link.chance,
        })).collect::<Vec<_>>(),
        "diversity": findings.diversity.iter().map(|found| json!({
            "column": names[found.column], "least": found.least,
        })).collect::<Vec<_>>(),
        "read_off": attacked.iter().map(|(group, column, figures)| json!({
            "group": group,
            "column": column,
            "people": figures.people,
            "right": figures.most(),
            "by_chance": figures.chance,
        })).collect::<Vec<_>>(),
    });
    if let Some(utility) = utility {
        account["utility"] = json!(utility);
    }
    account
}

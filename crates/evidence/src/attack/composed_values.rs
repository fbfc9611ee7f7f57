//! Which sensitive values two releases leave together; a part of [composition](super::composition).

use super::classes::Tally;
use super::composition::{Joined, finer_labels};
use super::outcome::percent;
use super::promises::ColumnPromise;
use super::releases::Pair;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Severity, Unit};
use paravent_core::words::counted;

/// What two classes leave of a sensitive column.
struct Left {
    pair: usize,
    /// Different values that both show.
    values: u64,
    /// Code in the second release and posterior of the likeliest of them.
    likeliest: (u32, f64),
    /// More is known than the promise allows, and than one release alone tells.
    too_much: bool,
    /// One value is left where both classes show several.
    certain: bool,
}

/// Which values of a sensitive column are left; `None` where no two classes share one.
pub(super) fn values(
    pair: &Pair<'_>,
    joined: &[Joined],
    (left, right): (usize, usize),
    promises: &Promises,
) -> Option<Outcome> {
    let column = pair.right.column(right);
    let promise = promises.of_column(column.name());
    let tally = |released: &super::Released, place: usize| {
        Tally::of_secrets(&released.classes, released.column(place), promise.missing)
    };
    let (ours, theirs) = (tally(pair.left, left), tally(pair.right, right));
    // Codes of the first release as codes of the second.
    let code_of: std::collections::HashMap<Option<&str>, u32> =
        (0..column.labels().len() as u32).map(|code| (column.cell(code), code)).collect();
    let old = pair.left.column(left);
    let new_code: Vec<Option<u32>> =
        (0..old.labels().len() as u32).map(|code| code_of.get(&old.cell(code)).copied()).collect();
    let rows: u64 = theirs.total().iter().sum();
    let overall = |code: u32| theirs.total()[code as usize] as f64 / rows.max(1) as f64;
    let promised = promise.distinct.is_some_and(|l| l > 1)
        || promise.confidence.is_some()
        || promise.variation.is_some();
    let is_told = |left: &Left| if promised { left.too_much } else { left.certain };
    // There may be millions of pairs; those that are told are kept.
    let (mut told, mut least, mut certain, mut most) = (Vec::new(), None::<u64>, 0usize, 0.0f64);
    for (number, joined) in joined.iter().enumerate() {
        let translated = ours.class(joined.left as usize).iter();
        let mut before: Vec<(u32, u64)> =
            translated.filter_map(|&(code, count)| Some((new_code[code as usize]?, count))).collect();
        before.sort_unstable();
        let after = theirs.class(joined.right as usize);
        let shown = (ours.class(joined.left as usize).len().min(after.len())) as u64;
        let before = (&before[..], ours.rows(joined.left as usize));
        let Some(left) = what_is_left(number, before, after, shown, &promise, &overall) else { continue };
        least = Some(least.map_or(left.values, |least| least.min(left.values)));
        certain += usize::from(left.certain);
        most = most.max(left.likeliest.1);
        told.extend(is_told(&left).then_some(left));
    }
    let least = least?;
    told.sort_by(|a, b| {
        (b.too_much, b.certain, a.values)
            .cmp(&(a.too_much, a.certain, b.values))
            .then(b.likeliest.1.total_cmp(&a.likeliest.1))
            .then(a.pair.cmp(&b.pair))
    });
    let bad = told.len() as u64;
    let bound = promise.distinct.map(|l| Bound {
        value: l as f64,
        from: format!("at least {l} values are left, also in two releases together, or as many as one release alone leaves"),
    });
    let result = match bad {
        0 => {
            format!("Both releases together leave at least {} of {}.", counted(least, "value"), column.name())
        }
        n => format!(
            "Both releases together leave as few as {} of {}, the likeliest with {}; too few or too sure in {}.",
            counted(least, "value"),
            column.name(),
            percent(most),
            if n == 1 { "1 pair of classes".to_owned() } else { format!("{n} pairs of classes") }
        ),
    };
    let findings = told.iter().map(|left| Finding {
        class: finer_labels(pair, &joined[left.pair]),
        value: left.values as f64,
        text: format!(
            "{} left, {} = {} with {}",
            counted(left.values, "value"),
            column.name(),
            column.cell(left.likeliest.0).unwrap_or("(missing)"),
            percent(left.likeliest.1)
        ),
    });
    let severity = Severity::of_finding(bad > 0, promised);
    let figure = Figure { what: "fewest sensitive values left", value: least as f64, unit: Unit::Count };
    let confidence = promise.confidence.map(|value| Bound {
        value: least as f64,
        from: format!("no value is likelier than {}, also in two releases together", percent(value)),
    });
    let variation = promise.variation.map(|t| Bound {
        value: least as f64,
        from: format!("no share rises by more than {t:.3}, also in two releases together"),
    });
    Some(
        Outcome::new(Attack::Composition, severity, figure, result)
            .about(column.name())
            .against(bound.or(confidence).or(variation))
            .with("pairs of classes with one value left", certain)
            .with("likeliest value left", percent(most))
            .at(findings),
    )
}

/// Intersects the values of two classes. `before` has the values of the first with the codes of the second, and its rows; `shown` is
/// the smaller number of values that one of the classes shows alone.
fn what_is_left(
    pair: usize,
    before: (&[(u32, u64)], u64),
    after: &[(u32, u64)],
    shown: u64,
    promise: &ColumnPromise,
    overall: &dyn Fn(u32) -> f64,
) -> Option<Left> {
    let count = |list: &[(u32, u64)], code: u32| {
        list.binary_search_by_key(&code, |entry| entry.0).map_or(0, |place| list[place].1)
    };
    let both: Vec<(u32, u64)> = before
        .0
        .iter()
        .map(|&(code, count_before)| (code, count_before.min(count(after, code))))
        .filter(|entry| entry.1 > 0)
        .collect();
    let total: u64 = both.iter().map(|entry| entry.1).sum();
    let rows_after: u64 = after.iter().map(|entry| entry.1).sum();
    let share = |count: u64, rows: u64| count as f64 / rows.max(1) as f64;
    let likeliest = both
        .iter()
        .map(|&(code, n)| (code, share(n, total)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    // What one release alone tells of a value.
    let told_alone =
        |code: u32| share(count(before.0, code), before.1).max(share(count(after, code), rows_after));
    let surer = |limit: &dyn Fn(u32) -> f64| {
        both.iter().any(|&(code, n)| share(n, total) > limit(code).max(told_alone(code)) + 1e-9)
    };
    let values = both.len() as u64;
    let too_few = promise.distinct.is_some_and(|l| values < l.min(shown));
    let too_sure = promise.confidence.is_some_and(|limit| surer(&|_| limit));
    let too_far = promise.variation.is_some_and(|t| surer(&|code| overall(code) + t));
    Some(Left {
        pair,
        values,
        likeliest,
        too_much: too_few || too_sure || too_far,
        certain: values == 1 && shown > 1,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Released;
    use super::super::composition::composition;
    use super::super::releases::Finer;
    use super::super::unsorted_matching::tests::{covers, pair};
    use super::*;
    use crate::attack::testing::table;

    fn release(text: &str) -> Released {
        Released::new(table(text), vec![0, 1], vec![2])
    }

    /// Classes of six with three illnesses each, twice each; `other` are those of the second release.
    fn two_diverse(other: [&str; 3]) -> (Released, Released) {
        let rows = |name: &str, illnesses: [&str; 3]| -> String {
            illnesses
                .iter()
                .map(|illness| format!("\n{name} 02130 {illness}\n{name} 02130 {illness}"))
                .collect()
        };
        let common = rows("Black", ["flu", "cold", "hiv"]);
        let one = release(&format!("race zip s{}{common}", rows("Asian", ["flu", "cold", "hiv"])));
        let two = release(&format!("race zip s{}{common}", rows("Asian", other)));
        (one, two)
    }

    #[test]
    fn secrets_that_both_show_are_what_is_left() {
        let mut promises = Promises { k: Some(2), ..Promises::default() };
        promises.column("s").distinct = Some(3);
        // Each class is 3-diverse, and two people have the one illness that both show: k says nothing.
        let (one, two) = two_diverse(["hiv", "ulcer", "gout"]);
        let mut both = pair(&one, &two, &[Finer::Right, Finer::Right], covers);
        both.others = vec![(2, 2)];
        let outcomes = composition(&both, &promises);
        assert_eq!(outcomes[0].severity, Severity::Covered, "{}", outcomes[0].result);
        assert_eq!(
            (outcomes[1].severity, outcomes[1].figure.value),
            (Severity::Broken, 1.0),
            "{}",
            outcomes[1].result
        );
        assert_eq!(outcomes[1].findings[0].text, "1 value left, s = hiv with 100 %");
        promises.column("s").distinct = None;
        promises.column("s").variation = Some(0.3);
        assert_eq!(composition(&both, &promises)[1].severity, Severity::Broken, "a rise of 83 points");
        promises.column("s").variation = None;
        assert_eq!(composition(&both, &promises)[1].severity, Severity::Residual);
        // The same look, but the illnesses stay.
        promises.column("s").distinct = Some(3);
        let (one, two) = two_diverse(["hiv", "flu", "cold"]);
        let mut both = pair(&one, &two, &[Finer::Right, Finer::Right], covers);
        both.others = vec![(2, 2)];
        assert_eq!(composition(&both, &promises)[1].severity, Severity::Covered);
    }
}

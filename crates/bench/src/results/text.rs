//! The results for people.

use super::numbers::{count, megabytes, three_digits, time, times};
use super::{
    CaseResult, EndToEnd, Outcome, RecodingResult, Results, RunResult, SavedResult, SettingResult,
    SettingsSummary, Summary,
};
use crate::case::share;
use paravent_core::words::{Columns, Lean};

/// Everything, as aligned text.
pub fn text(results: &Results) -> String {
    let mut parts = Vec::new();
    if results.build == "debug" {
        parts.push("Note: this is a debug build, whose times say little; build with --release\n".to_owned());
    }
    for dataset in results.datasets.iter().filter(|dataset| !dataset.notes.is_empty()) {
        parts.push(dataset.notes.iter().map(|note| format!("Note: {}: {note}\n", dataset.name)).collect());
    }
    if !results.cases.is_empty() {
        parts.push(cases(&results.cases));
    }
    if results.cases.iter().any(|case| case.comparison.is_some()) {
        parts.push(comparison(&results.cases));
    }
    if !results.end_to_end.is_empty() {
        parts.push(end_to_end(&results.end_to_end));
    }
    results.recoding.iter().for_each(|result| parts.push(recoding(result)));
    if !results.saved.is_empty() {
        parts.push(saved(&results.saved));
    }
    results.parts.iter().for_each(|result| parts.push(super::parts::text(result)));
    results.effort.iter().for_each(|result| parts.push(super::effort::text(result)));
    if !results.settings.is_empty() {
        parts.push(settings(&results.settings, results.settings_summary.as_ref()));
    }
    parts.push(summary(results));
    parts.retain(|part: &String| !part.is_empty());
    parts.join("\n")
}

fn cases(cases: &[CaseResult]) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("algorithm", Left),
        ("median", Right),
        ("min", Right),
        ("×fastest", Right),
        ("×aggregation", Right),
        ("rows/s", Right),
        ("checks", Right),
        ("tests", Right),
        ("roll-ups", Right),
        ("tagged", Right),
        ("memory", Right),
        ("", Left),
    ]);
    for case in cases {
        table.title(String::new());
        table.title(title(case));
        case.runs.iter().for_each(|run| table.row(cells(run)));
        if !case.agree {
            table.title(disagreement(case));
        }
    }
    table.render()
}

fn title(case: &CaseResult) -> String {
    let mut parts = vec![
        case.dataset.clone(),
        case.privacy.clone(),
        format!("{} suppressed at most", share(case.suppression)),
    ];
    parts.push(format!("{}, case {}", case.metric, case.case));
    parts.push(format!("{} rows, {} nodes", count(case.rows as u128), count(case.nodes)));
    if let Some(best) = case.best().filter(|_| case.agree) {
        parts.push(format!("optimum {}, loss {}", node(best), best.loss.map_or_else(String::new, loss)));
    }
    parts.join(" · ")
}

fn disagreement(case: &CaseResult) -> String {
    let claim = |run: &RunResult| match &run.node {
        Some(_) => format!("{}: {}, loss {}", run.algorithm, node(run), run.loss.unwrap_or(f64::NAN)),
        None => format!("{}: no solution", run.algorithm),
    };
    let claims = case.runs.iter().filter(|run| run.claims()).map(claim).collect::<Vec<_>>().join("; ");
    format!("  DISAGREEMENT about the optimum: {claims}")
}

fn cells(run: &RunResult) -> Vec<String> {
    let remark = match (&run.outcome, &run.reason) {
        (Outcome::Found, _) if run.optimal => String::new(),
        (Outcome::Found, _) => "not proven optimal".to_owned(),
        (Outcome::NoSolution, _) => "no solution".to_owned(),
        (Outcome::TimeLimit, _) => "stopped at the time limit".to_owned(),
        (Outcome::NotApplicable, reason) => {
            format!("not applicable: {}", reason.as_deref().unwrap_or("no reason given"))
        }
    };
    let shown = |figure: Option<f64>, show: fn(f64) -> String| figure.map_or_else(|| "-".to_owned(), show);
    let counted = |number: u64| match run.outcome {
        Outcome::NotApplicable => "-".to_owned(),
        _ => count(u128::from(number)),
    };
    vec![
        run.algorithm.clone(),
        shown(run.median_ms, time),
        shown(run.min_ms, time),
        shown(run.times_fastest, three_digits),
        shown(run.hash_aggregations, three_digits),
        shown(run.rows_per_second, three_digits),
        counted(run.checks),
        counted(run.subset_tests),
        counted(run.rollups),
        counted(run.tagged),
        if run.peak_bytes == 0 { "-".to_owned() } else { megabytes(run.peak_bytes as f64) },
        remark,
    ]
}

fn comparison(cases: &[CaseResult]) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("data set", Left),
        ("privacy", Left),
        ("suppression", Right),
        ("ours", Right),
        ("theirs", Right),
        ("faster", Right),
        ("their time", Right),
        ("our memory", Right),
        ("theirs", Right),
        ("less", Right),
        ("", Left),
    ]);
    let mut program = "";
    for case in cases {
        let Some(comparison) = &case.comparison else { continue };
        program = &comparison.program;
        let ours = case.runs.first().map_or(0.0, |run| run.peak_bytes as f64);
        table.row(vec![
            case.dataset.clone(),
            case.privacy.clone(),
            share(case.suppression),
            three_digits(comparison.hash_aggregations),
            three_digits(comparison.reference_hash_aggregations),
            times(comparison.times_faster),
            time(comparison.reference_ms),
            megabytes(ours),
            comparison.reference_peak_bytes.map_or_else(|| "-".to_owned(), megabytes),
            comparison.times_less_memory.map_or_else(|| "-".to_owned(), times),
            comparison.doubt.clone().unwrap_or_default(),
        ]);
    }
    format!("Against {program}, in plain hash aggregations of the same table\n{}", table.render())
}

fn end_to_end(runs: &[EndToEnd]) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("data set", Left),
        ("rows", Right),
        ("file", Right),
        ("anonymize", Right),
        ("read and write", Right),
        ("ratio", Right),
        ("rows/s", Right),
        ("plain rows/s", Right),
        ("suppressed", Right),
    ]);
    for run in runs {
        table.row(vec![
            run.dataset.clone(),
            count(u128::from(run.rows)),
            megabytes(run.bytes as f64),
            time(run.anonymize_ms),
            time(run.rewrite_ms),
            times(run.times_rewrite),
            three_digits(run.rows_per_second),
            three_digits(run.rewrite_rows_per_second),
            count(u128::from(run.suppressed_rows)),
        ]);
    }
    format!(
        "From the file to the verified release, against reading and writing the same file\n{}",
        table.render()
    )
}

fn settings(results: &[SettingResult], summary: Option<&SettingsSummary>) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("table", Left),
        ("promise", Left),
        ("counted", Left),
        ("may suppress", Right),
        ("iterated (LM)", Right),
        ("gs-factor", Right),
        ("local (LM)", Right),
        ("local / iterated", Right),
        ("×bound", Right),
        ("iterated", Right),
        ("local", Right),
    ]);
    let allowed = |share: &str| share.parse().map_or_else(|_| share.to_owned(), crate::case::share);
    for result in results {
        table.row(vec![
            result.dataset.clone(),
            result.privacy.clone(),
            result.counted.word().to_owned(),
            allowed(result.suppression),
            format!("{:.4}", result.iterated),
            result.gs_factor.to_string(),
            format!("{:.4}", result.local),
            format!("{:.3}", result.ratio()),
            times(result.local / result.lower_bound),
            time(result.ms.0),
            time(result.ms.1),
        ]);
    }
    let in_all = summary.map_or_else(String::new, |all| {
        format!(
            "\nlocal / iterated over {} settings: geometric mean {:.3}, largest {:.3} ({}, {}, {}, {} suppressed at most)\n",
            all.settings,
            all.geometric_mean,
            all.largest,
            all.dataset,
            all.privacy,
            all.counted.word(),
            allowed(all.suppression),
        )
    });
    table.render() + &in_all
}

/// Beside what was printed: Kohlmayer 2015, table 3.1.
fn saved(results: &[SavedResult]) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("table", Left),
        ("criteria", Left),
        ("metric", Left),
        ("loss without", Right),
        ("loss with", Right),
        ("share", Right),
        ("printed", Right),
    ]);
    for result in results {
        table.row(vec![
            result.dataset.clone(),
            result.criteria.to_owned(),
            result.metric.to_owned(),
            format!("{:.4}", result.without),
            format!("{:.4}", result.with),
            format!("{:.0} %", result.percent()),
            result.printed.map_or_else(|| "-".to_owned(), |printed| format!("{printed} %")),
        ]);
    }
    let compared = results.iter().filter_map(SavedResult::agrees);
    let (same, all) = compared.fold((0, 0), |(same, all), agrees| (same + u32::from(agrees), all + 1));
    let told = if all == 0 {
        String::new()
    } else {
        format!("{same} of {all} shares are as printed, give or take 1 %\n")
    };
    format!("Loss with 5 % suppression as a share of the loss without\n{}{told}", table.render())
}

fn recoding(result: &RecodingResult) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("method", Left),
        ("may suppress", Right),
        ("loss (LM)", Right),
        ("×bound", Right),
        ("suppressed", Right),
        ("classes", Right),
        ("time", Right),
    ]);
    for line in &result.lines {
        table.row(vec![
            line.method.clone(),
            line.suppression.to_owned(),
            format!("{:.4}", line.loss),
            line.times_bound.map_or_else(|| "-".to_owned(), times),
            count(u128::from(line.suppressed_rows)),
            count(u128::from(line.classes)),
            time(line.ms),
        ]);
    }
    let RecodingResult { dataset, privacy, .. } = result;
    let bound = result
        .lower_bound
        .map_or_else(String::new, |bound| format!("; no local recoding of all rows goes below {bound:.4}"));
    format!("{dataset}, {privacy}, LM over the values present{bound}\n{}", table.render())
}

fn summary(results: &Results) -> String {
    let Summary { by_dataset, checks, smallest_times_faster, compared, .. } = &results.summary;
    let mut lines = Vec::new();
    for mean in by_dataset.iter().filter(|mean| mean.cases > 1) {
        let (group, algorithm, cases) = (&mean.group, &mean.algorithm, mean.cases);
        lines.push(format!("{group}: {algorithm} takes {} (geometric mean of {cases} cases)", time(mean.ms)));
    }
    if let [first, others @ ..] = &checks[..]
        && !others.is_empty()
    {
        let of = |sum: &super::CheckSum| format!("{} {}", sum.algorithm, count(u128::from(sum.checks)));
        let all: Vec<String> = checks.iter().map(of).collect();
        let factors: Vec<String> = others
            .iter()
            .map(|other| {
                format!("{} of {}", times(other.checks as f64 / first.checks.max(1) as f64), other.algorithm)
            })
            .collect();
        lines.push(format!(
            "Full checks: {}; {} saves {}",
            all.join(", "),
            first.algorithm,
            factors.join(", ")
        ));
    }
    if let Some(mean) = results.summary.mean_times_faster {
        lines.push(format!(
            "Faster than the reference by {} (geometric mean of {compared} cases)",
            times(mean)
        ));
    }
    if let Some(smallest) = smallest_times_faster {
        lines.push(format!(
            "Smallest ratio among the {} cases above 100 ms: {} ({}, {}, {}); {} with the counting of rows into tuples",
            smallest.of,
            times(smallest.times_faster),
            smallest.dataset,
            smallest.privacy,
            share(smallest.suppression),
            times(smallest.times_faster_with_counting),
        ));
    }
    if let Some(mean) = results.summary.mean_times_less_memory {
        lines.push(format!("Less memory than the reference by {} (geometric mean)", times(mean)));
    }
    if !results.cases.is_empty() {
        let disagreements = results.cases.iter().filter(|case| !case.agree).count();
        let crossed =
            results.cases.iter().any(|case| case.runs.iter().filter(|run| run.claims()).count() > 1);
        lines.push(match disagreements {
            0 if !crossed => {
                "Only one algorithm claims each optimum: nothing could be cross-checked.".to_owned()
            }
            0 => "All algorithms agree on every optimum.".to_owned(),
            n => format!("THE ALGORITHMS DISAGREE in {n} cases: at least one of them is wrong."),
        });
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn node(run: &RunResult) -> String {
    let levels: Vec<String> = run.node.iter().flatten().map(u8::to_string).collect();
    format!("({})", levels.join(","))
}

fn loss(loss: f64) -> String {
    let decimals = if loss >= 1000.0 { 1 } else { 4 };
    format!("{loss:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{case, not_applicable, results, run};
    use super::*;

    #[test]
    fn a_disagreement_cannot_be_overlooked() {
        let text = text(&results(vec![case(vec![run("a", 1.0, &[0, 1], 7.0), run("b", 2.0, &[1, 0], 7.0)])]));
        assert!(
            text.contains("DISAGREEMENT about the optimum: a: (0,1), loss 7; b: (1,0), loss 7"),
            "{text}"
        );
        assert!(text.contains("THE ALGORITHMS DISAGREE in 1 cases"));
    }

    #[test]
    fn two_that_agree_are_worth_a_line() {
        let runs = vec![run("a", 1.0, &[0, 1], 7.0), run("b", 2.0, &[0, 1], 7.0)];
        assert!(text(&results(vec![case(runs)])).ends_with("All algorithms agree on every optimum.\n"));
    }

    #[test]
    fn an_algorithm_that_does_not_apply_says_why() {
        let text = text(&results(vec![case(vec![run("a", 1.5, &[0, 1], 7.0), not_applicable()])]));
        assert!(text.contains("people · k=5 · 5 % suppressed at most · nuem, case 1"), "{text}");
        assert!(text.contains("not applicable: works in case 1 only"), "{text}");
        assert!(text.contains("optimum (0,1), loss 7.0000"), "{text}");
        assert!(text.ends_with("nothing could be cross-checked.\n"), "{text}");
    }
}

//! What is said of a run: the document that `--json` prints and the report shows.

use paravent_core::release::Solution;
use paravent_job as job;
use paravent_prepare::study::{Exactness, Found, Study, achieved, gap, required, treatment_json};
use paravent_report::{
    AboutFacts, Document, InputFacts, LatticeFacts, PeopleFacts, PromiseFacts, SampleFacts, SearchFacts,
    SolutionFacts, TreatmentFacts, UNREGISTERED_WARNING, VerdictFacts,
};
use serde_json::{Map, json};

/// What is known once the search has ended.
pub(super) fn document(study: &Study, found: &Found, solution: &Solution, job_sha256: String) -> Document {
    let levels = study.task.lattice();
    let best_loss = best_loss(found);
    let promises = study.job.privacy.models.iter().zip(&solution.achieved).zip(study.loose());
    let mut warnings = study.warnings.clone();
    let gap_percent = if found.report.optimal { Some(0.0) } else { gap(Some(best_loss), found.report.bound) };
    if let Some(known) = study.job.privacy.most_known {
        warnings.push(format!(
            "the promises hold for whoever knows at most {known} of the {} quasi-identifiers of a person: whoever knows more may \
             single people out",
            study.task.ladders().len()
        ));
    }
    if !found.report.complete {
        let how_much =
            gap_percent.map_or_else(String::new, |gap| format!(", with at most {gap:.1} % less loss"));
        warnings.push(format!("the search ended before it was done: a better release may exist{how_much}"));
    }
    warnings.extend(many_left_out(study, solution));
    if let Some(doubt) = found.doubt {
        warnings.push(format!("{} may have missed a better release: {doubt}", found.algorithm.name()));
    }
    Document {
        paravent: env!("CARGO_PKG_VERSION"),
        job_sha256,
        about: AboutFacts::of(&study.job.about),
        input: InputFacts {
            rows: study.table.row_count(),
            distinct_tuples: study.table.tuple_count() as u64,
            seconds: study.elapsed.as_secs_f64(),
            spilled_bytes: Some(study.table.spilled_bytes()).filter(|&bytes| bytes > 0),
            received_bytes: study.input.engine().map(|table| table.engine().traffic().received),
            sha256: None,
        },
        lattice: LatticeFacts { nodes: levels.node_count(), levels: levels.level_count() },
        search: search_facts(found, gap_percent),
        solution: solution_facts(study, found, solution),
        privacy: promises
            .map(|((model, figures), loose)| PromiseFacts {
                model: model.name().name(),
                required: required(model, Exactness::Number),
                achieved: achieved(model, figures),
                holds: solution.holds,
                loose,
            })
            .collect(),
        treatments: treatments(study),
        risk: None,
        unchanged: None,
        verdict: None,
        output: None,
        suppressed: None,
        opinion: None,
        utility: None,
        register: None,
        held_against: Vec::new(),
        unregistered: false,
        warnings,
    }
}

/// Many metrics charge little or nothing for a row that is left out: they take the finest labels and leave out as many rows as they may.
fn many_left_out(study: &Study, solution: &Solution) -> Option<String> {
    let metric = study.job.search.metric;
    let (rows, left_out) = (study.table.row_count(), solution.suppressed_rows);
    (metric != job::Metric::Loss && left_out * 10 > rows).then(|| {
        format!(
            "{left_out} of {rows} rows ({:.0} %) are left out: that is best by the metric {}. metric = \"loss\" under [search] \
             charges a row that is left out like one that is hidden",
            100.0 * left_out as f64 / rows as f64,
            metric.name()
        )
    })
}

fn best_loss(found: &Found) -> f64 {
    found.report.best.as_ref().map_or(f64::NAN, |best| best.loss)
}

fn search_facts(found: &Found, gap_percent: Option<f64>) -> SearchFacts {
    SearchFacts {
        algorithm: match found.local {
            Some(_) => "large-neighbourhood",
            None => found.algorithm.name(),
        },
        moves: found.local.map(|local| local.moves),
        case: found.case,
        optimal: found.report.optimal,
        checks: found.report.checks,
        subset_tests: found.report.subset_tests,
        tagged: found.report.tagged(),
        bound: found.report.bound.filter(|bound| bound.is_finite()),
        gap_percent,
        rollups: found.rollups,
        threads: found.threads,
        seconds: found.elapsed.as_secs_f64(),
        peak_bytes: found.peak_bytes,
    }
}

fn solution_facts(study: &Study, found: &Found, solution: &Solution) -> SolutionFacts {
    let losses = solution.losses.iter().map(|(metric, value)| (metric.name().to_owned(), json!(value)));
    let released = study.table.row_count() - solution.suppressed_rows;
    SolutionFacts {
        recoding: solution.boxes.as_ref().map(|_| match study.job.search.recoding {
            job::Recoding::Cells if found.local.is_some_and(|local| local.lower_bound.is_some()) => "cells",
            _ => "local",
        }),
        transformation: match &solution.boxes {
            None => study.transformation(&solution.node),
            Some(_) => Map::new(),
        },
        labels: Map::new(),
        levels: solution.boxes.as_ref().map(|boxes| study.levels_shown(boxes)).unwrap_or_default(),
        metric: study.job.search.metric.name(),
        loss: best_loss(found),
        lower_bound: found.local.and_then(|local| local.lower_bound),
        gap: found.local.and_then(|local| local.gap),
        losses: losses.collect(),
        suppressed_rows: solution.suppressed_rows,
        people: solution.people.map(|people| PeopleFacts {
            read: people.people,
            losing: people.losing,
            limit: study.task.suppression_limit(),
            rows: study.job.privacy.person_rows.name(),
        }),
        classes: solution.classes,
        smallest_class: solution.smallest_class,
        most_known: study.job.privacy.most_known,
        average_class: match (solution.classes, solution.people) {
            (0, _) => 0.0,
            (classes, None) => released as f64 / classes as f64,
            (classes, Some(_)) => {
                let in_all: u64 = solution.class_sizes.iter().map(|(size, classes)| size * classes).sum();
                in_all as f64 / classes as f64
            }
        },
    }
}

/// What is done besides generalizing and suppressing.
fn treatments(study: &Study) -> TreatmentFacts {
    let job = &study.job;
    let told =
        |attribute: &job::Attribute| Some((attribute.name.clone(), treatment_json(&attribute.treatments)?));
    TreatmentFacts {
        sample: job.input.sample.as_ref().map(|sample| SampleFacts {
            share: sample.share.as_str().to_owned(),
            of: if job.privacy.person.is_empty() { "rows" } else { "people" },
            rows_of_table: study.input.sample().map(|sample| sample.rows_of_table()),
        }),
        gs_factor: job.search.gs_factor.as_ref().map(|factor| factor.as_str().to_owned()),
        columns: job.attributes.iter().filter_map(told).collect(),
    }
}

/// Tells how much aggregates lose, once that is known.
pub(super) fn settle_aggregates(document: &mut Document, lost: &[(String, Option<f64>)]) {
    for (column, lost) in lost {
        if let Some(treatment) = document.treatments.columns.get_mut(column) {
            treatment["lost"] = json!(lost);
        }
    }
}

/// The verdict over all that is known, and a warning for each column that passes on the owner's word.
pub(super) fn settle_verdict(document: &mut Document) {
    document.verdict = Some(VerdictFacts::of(document));
    document.warnings.extend(document.privacy.iter().filter_map(PromiseFacts::looseness));
    if document.unregistered {
        document.warnings.push(UNREGISTERED_WARNING.to_owned());
    }
    for column in document.unchanged.iter().flat_map(|unchanged| &unchanged.columns) {
        if let Some(looks) = column.looks {
            document.warnings.push(format!(
                "{} looks like {looks}, and leaves because the job says release = \"as it is\"",
                column.column
            ));
        }
    }
}

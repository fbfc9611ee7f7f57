//! A release of the protocol as the pipeline writes it.

use super::{JointColumn, JointCount, JointPopulation, JointReference, JointRelease};
use crate::agreement::Agreement;
use crate::part;
use paravent_federation::{Occurrence, Plan, Reference, Release};
use paravent_prepare::hierarchies::to_json;
use paravent_prepare::study::Study;
use paravent_report::JointSearch;

/// Hierarchies of the own columns are known.
pub fn joint_release(
    (agreement, plan): (&Agreement, &Plan),
    study: &Study,
    release: &Release,
) -> JointRelease {
    let mut levels = release.facts.node.iter();
    let columns = agreement.columns.iter().zip(&release.columns).map(|(column, released)| {
        let own = part::quasi_identifier(study, &column.name);
        JointColumn {
            name: column.name.clone(),
            role: column.role,
            data_type: column.data_type.name(),
            level: column.levels.as_ref().and_then(|known| Some((*levels.next()?, known.height))),
            hierarchy: own.map(|position| to_json(&study.hierarchies[position])),
            labels: released.labels.clone(),
            cells: released.cells.clone(),
            reference: released.reference.as_ref().map(reference),
        }
    });
    JointRelease {
        agreement: agreement.digest_text(),
        columns: columns.collect(),
        rows: release.rows,
        suppressed_rows: release.facts.suppressed_rows,
        models: agreement.terms.privacy.models.clone(),
        suppression_limit: agreement.terms.privacy.suppression_limit.clone(),
        metric: agreement.terms.search.metric.name(),
        loss: release.facts.loss,
        optimal: release.facts.optimal,
        search: JointSearch {
            algorithm: plan.algorithm.name(),
            checks: release.facts.checks,
            subset_tests: release.facts.subset_tests,
        },
        population: release.population.as_ref().map(|known| JointPopulation {
            rows: u64::from(known.rows),
            empty_classes: u64::from(known.empty_classes),
            of_row: known.of_row.clone(),
        }),
    }
}

fn reference(known: &Reference) -> JointReference {
    let counts = |values: &[Occurrence]| {
        let count =
            |value: &Occurrence| JointCount { rows: u64::from(value.rows), branches: value.branches.clone() };
        values.iter().map(count).collect()
    };
    JointReference { shown: counts(&known.shown), withheld: counts(&known.withheld) }
}

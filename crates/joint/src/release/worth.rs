//! What the promises of a joint release are worth: each criterion is asked about the rows that arrived.
//!
//! Nobody has the rows that were left out, so the receiver asks about the released ones. Where t-closeness is promised, the parties have counted
//! its column together, and that is what is asked about.

use super::{JointColumn, JointReference, JointRelease};
use paravent_core::criteria::{Distance, ValueTree};
use paravent_core::exact::Fraction;
use paravent_job::models::{Sensitive, TableFacts};
use paravent_job::{DecimalText, Distance as DistanceName, Model, Problem, Problems};
use paravent_prepare::study::Loose;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// By model: whether it says little or nothing about this table.
pub(super) fn loose(release: &JointRelease) -> Vec<Option<Loose>> {
    release.models.iter().map(|model| of_model(release, model)).collect()
}

fn of_model(release: &JointRelease, model: &Model) -> Option<Loose> {
    let table = AsReleased(release);
    let criterion = model.criterion(&table).ok()?;
    let (totals, missing) = match model.sensitive() {
        Sensitive::None => (Vec::new(), None),
        Sensitive::One(name) => {
            let missing =
                table.column(name).and_then(|column| column.labels.iter().position(Option::is_none));
            (table.totals(name), missing.map(|code| code as u32))
        }
        Sensitive::Joint(names) => {
            (table.combined(names).into_values().map(|(_, rows)| rows).collect(), None)
        }
    };
    Loose::of(model, &*criterion, &totals, missing)
}

/// A release as models see a table.
struct AsReleased<'a>(&'a JointRelease);

impl AsReleased<'_> {
    fn column(&self, name: &str) -> Option<&JointColumn> {
        self.0.columns.iter().find(|column| column.name == name)
    }

    fn reference(&self, name: &str) -> Option<&JointReference> {
        self.column(name)?.reference.as_ref()
    }

    /// The combinations of values that released rows show: numbered in their order, with their rows.
    fn combined(&self, names: &[String]) -> BTreeMap<Vec<u32>, (u32, u64)> {
        let columns: Vec<&JointColumn> = names.iter().filter_map(|name| self.column(name)).collect();
        let mut combined: BTreeMap<Vec<u32>, (u32, u64)> = BTreeMap::new();
        for row in 0..self.0.rows {
            combined.entry(columns.iter().map(|column| column.cells[row]).collect()).or_default().1 += 1;
        }
        combined.values_mut().zip(0u32..).for_each(|(found, number)| found.0 = number);
        combined
    }

    fn tree(&self, attribute: &str) -> Option<ValueTree> {
        let reference = self.reference(attribute)?;
        let values: Vec<&[u32]> = reference
            .shown
            .iter()
            .chain(&reference.withheld)
            .map(|count| count.branches.as_slice())
            .collect();
        let height = values.first()?.len();
        let step = |level: usize| -> Vec<u32> {
            if level == 0 {
                return values.iter().map(|branches| branches[0]).collect();
            }
            let groups = values.iter().map(|branches| branches[level - 1] + 1).max().unwrap_or(0);
            let mut parents = vec![0; groups as usize];
            values.iter().for_each(|branches| parents[branches[level - 1] as usize] = branches[level]);
            parents
        };
        (height > 0 && values.iter().all(|branches| branches.len() == height))
            .then(|| ValueTree::new((0..height).map(step).collect()))
    }
}

/// Nobody reads these: a promise that cannot be asked is not asked.
fn cannot_be_asked() -> Problems {
    Problem::new(PathBuf::new(), "the parties have not counted what this needs").into()
}

impl TableFacts for AsReleased<'_> {
    fn number(&self, _: &str, text: &DecimalText) -> Result<Fraction, Problems> {
        Fraction::parse(text.as_str()).map_err(|_| cannot_be_asked())
    }

    // Each model is asked alone, about the one histogram that it reads.
    fn histogram(&self, _: Sensitive<'_>) -> usize {
        0
    }

    fn totals(&self, attribute: &str) -> Vec<u64> {
        if let Some(reference) = self.reference(attribute) {
            return reference.shown.iter().chain(&reference.withheld).map(|count| count.rows).collect();
        }
        let Some(column) = self.column(attribute) else { return Vec::new() };
        let mut totals = vec![0; column.labels.len()];
        column.cells.iter().for_each(|&code| totals[code as usize] += 1);
        totals
    }

    fn values(&self, attribute: &str) -> usize {
        self.totals(attribute).len()
    }

    fn code(&self, attribute: &str, value: &str) -> Option<u32> {
        let labels = &self.column(attribute)?.labels;
        labels.iter().position(|label| label.as_deref() == Some(value)).map(|code| code as u32)
    }

    fn combinations(&self, attributes: &[String]) -> Vec<Box<[u32]>> {
        self.combined(attributes).into_keys().map(Vec::into_boxed_slice).collect()
    }

    fn distance(&self, attribute: &str, distance: DistanceName) -> Result<Distance, Problems> {
        match distance {
            DistanceName::Equal | DistanceName::Variation => Ok(Distance::Equal),
            DistanceName::KullbackLeibler => Ok(Distance::KullbackLeibler),
            DistanceName::Hierarchical => {
                self.tree(attribute).map(Distance::Hierarchical).ok_or_else(cannot_be_asked)
            }
            // The parties refuse it before they begin.
            DistanceName::Ordered => Err(cannot_be_asked()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::JointCount;
    use paravent_job::Role;
    use paravent_job::models::{DeltaPresence, Diversity, MultiAttributeLDiversity};
    use paravent_job::models::{DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveLDiversity};
    use paravent_job::models::{Population, TCloseness};
    use paravent_prepare::study::Worth;
    use paravent_report::JointSearch;

    fn decimal(text: &str) -> DecimalText {
        DecimalText::new(text).unwrap()
    }

    fn column(name: &str, values: u32, reference: Option<JointReference>) -> JointColumn {
        JointColumn {
            name: name.into(),
            role: Role::Sensitive,
            data_type: "string",
            level: None,
            hierarchy: None,
            labels: (0..values).map(|value| Some(format!("value {value}"))).collect(),
            cells: (0..60).map(|row| row % values).collect(),
            reference,
        }
    }

    /// Sixty rows; a column of four values, one of five, and one whose values are counted and have a hierarchy of two levels.
    fn worth(model: impl Into<Model>) -> Option<Worth> {
        let count = |value: u32| JointCount { rows: 15, branches: vec![value / 2, 0] };
        let reference = JointReference { shown: (0..4).map(count).collect(), withheld: Vec::new() };
        let release = JointRelease {
            agreement: String::new(),
            columns: vec![column("a", 4, None), column("b", 5, None), column("c", 4, Some(reference))],
            rows: 60,
            suppressed_rows: 0,
            models: vec![model.into()],
            suppression_limit: decimal("0"),
            metric: "loss",
            loss: 0.0,
            optimal: true,
            search: JointSearch { algorithm: "flash", checks: 1, subset_tests: 0 },
            population: None,
        };
        loose(&release)[0].as_ref().map(|loose| loose.promises)
    }

    #[test]
    fn every_model_of_a_joint_run_is_asked() {
        let attribute = || "a".to_owned();
        let close = |t, distance| TCloseness { attribute: "c".to_owned(), t: decimal(t), distance };
        let both = |base| MultiAttributeLDiversity { attributes: vec!["a".into(), "b".into()], base };
        let present = |max| DeltaPresence {
            min: decimal("0"),
            max: decimal(max),
            population: Population::Subset("in_study".into()),
        };
        assert_eq!(worth(KAnonymity { k: 1 }), Some(Worth::Nothing));
        assert_eq!(worth(KAnonymity { k: 2 }), None);
        assert_eq!(worth(DistinctLDiversity { attribute: attribute(), l: 1 }), Some(Worth::Nothing));
        assert_eq!(worth(DistinctLDiversity { attribute: attribute(), l: 2 }), None);
        let entropy = |l| worth(EntropyLDiversity { attribute: attribute(), l: decimal(l) });
        assert_eq!((entropy("1.01"), entropy("2")), (Some(Worth::Little), None));
        let recursive = |c| worth(RecursiveLDiversity { attribute: attribute(), c: decimal(c), l: 3 });
        assert_eq!((recursive("1000"), recursive("3")), (Some(Worth::Little), None));
        for distance in [DistanceName::Equal, DistanceName::Hierarchical] {
            assert_eq!(worth(close("0.99", distance)), Some(Worth::Nothing), "{distance:?}");
            assert_eq!(worth(close("0.3", distance)), None, "{distance:?}");
        }
        assert_eq!(worth(close("1000", DistanceName::KullbackLeibler)), Some(Worth::Nothing));
        assert_eq!(worth(both(Diversity::Recursive { c: decimal("1000"), l: 2 })), Some(Worth::Little));
        assert_eq!(worth(both(Diversity::Distinct { l: 2 })), None);
        assert_eq!(
            (worth(present("1")), worth(present("0.99"))),
            (Some(Worth::Nothing), Some(Worth::Little))
        );
        assert_eq!(worth(present("0.5")), None);
    }
}

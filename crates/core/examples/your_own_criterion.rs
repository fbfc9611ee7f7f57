//! A criterion that the engine does not have, used in a search: no value may be shown by more than half of a class.
//!
//! `cargo run -p paravent-core --example your_own_criterion`

use paravent_core::criteria::{Achieved, ClassCriterion, KAnonymity, Needs, Suppression};
use paravent_core::grouping::Class;
use paravent_core::hierarchy::Ladder;
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use paravent_core::solve::Effort;
use paravent_core::table::{FrequencyTable, Histograms, SensitiveColumn};
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use std::error::Error;
use std::sync::Arc;

/// At most half of a class shows the same value: (α,k)-anonymity with α = 1/2.
///
/// Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006.
#[derive(Debug)]
struct AtMostHalf {
    sensitive: usize,
}

impl ClassCriterion for AtMostHalf {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    // Merging two classes that hold gives one that holds. A class that holds and one that was suppressed may not.
    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    // One row alone shows its value in all of the class.
    fn implied_class_size(&self) -> u64 {
        2
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.distributions[self.sensitive].counts().all(|count| 2 * count <= class.rows)
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let most = class.distributions[self.sensitive].counts().max().unwrap_or(0);
        achieved.at_least("others", (class.rows - most) as f64);
    }
}

/// The best transformation that keeps these criteria, and the size of its smallest class.
fn best(diseases: [u32; 4], criteria: Vec<Box<dyn ClassCriterion>>) -> Result<(String, u64), Box<dyn Error>> {
    let labels = |line: [&str; 3]| line.iter().map(|label| Some(label.to_string())).collect();
    let age = Ladder::from_labels(
        &[["34", "30-39", "*"], ["36", "30-39", "*"], ["45", "40-49", "*"], ["47", "40-49", "*"]].map(labels),
    )?;
    // One row of each age.
    let mut histograms = Histograms::new();
    diseases.into_iter().for_each(|disease| histograms.push([(disease, 1)]));
    let disease = SensitiveColumn { cardinality: 3, histograms };
    let tuples = FrequencyTable::new(vec![vec![0, 1, 2, 3]], vec![1; 4], None, vec![disease])?;
    let columns = QuasiIdentifiers::new([QuasiIdentifier::new("age", age)])?;
    let task = Task::new(Arc::new(tuples), columns, criteria, Metric::Loss, SuppressionLimit::NONE)?;
    let solution = task.solve(Algorithm::BestFirst, &Effort::default())?;
    solution.map_or_else(
        || Err("nothing keeps them".into()),
        |solution| Ok((solution.node.to_string(), solution.smallest_class)),
    )
}

/// Searches with 2-anonymity alone, and with the new criterion beside it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let two = || Box::new(KAnonymity { k: 2 }) as Box<dyn ClassCriterion>;
    let alike = || Box::new(AtMostHalf { sensitive: 0 }) as Box<dyn ClassCriterion>;
    // Both people in their thirties have the flu: 2-anonymity does not mind, the new criterion needs the level above.
    let diseases = [0, 0, 1, 2];
    assert_eq!(best(diseases, vec![two()])?, ("(1)".to_owned(), 2));
    assert_eq!(best(diseases, vec![two(), alike()])?, ("(2)".to_owned(), 4));
    // Where three of four have it, no level helps.
    assert!(best([0, 0, 0, 1], vec![two(), alike()]).is_err());
    println!("2-anonymity: level 1; with at most half of a class alike: level 2");
    Ok(())
}

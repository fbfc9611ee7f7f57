//! Another job about a table that was counted already.

use super::count::CountedTable;
use super::models::Constrained;
use super::prepare::{Study, StudyError};
use paravent_job::{Attribute, Job, UnknownValues};
use std::time::Instant;

impl Study {
    /// The study of another job over the counts of this one. `None` where they are not the counts that it asks for, or the table has
    /// changed: then it must be [prepared](Study::prepare).
    pub fn again(&self, job: &Job) -> Option<Result<Study, StudyError>> {
        let started = Instant::now();
        let is_elsewhere = self.input.engine().is_some();
        if is_elsewhere
            || !counts_alike(&self.job, job)
            || self.input.unchanged_since(&self.fingerprint).is_err()
        {
            return None;
        }
        let counted = CountedTable {
            input: self.input.clone(),
            path: self.input_path.clone(),
            dialect: self.dialect.clone(),
            fingerprint: self.fingerprint.clone(),
            columns: self.columns.clone(),
            constrained: self.constrained.clone(),
            counted: self.counted.clone(),
            table: self.table.clone(),
            combinations: self.combinations.clone(),
            subset: self.subset.clone(),
            population_rows: self.population_rows,
            people: None,
        };
        Some(Study::of_counted(job.clone(), counted, None, false, started))
    }
}

/// Whether two jobs count the same cells of the same table in the same way. Where that also depends on other files, or on who the
/// people are, they do not.
fn counts_alike(one: &Job, other: &Job) -> bool {
    let depends_on_more = |job: &Job| {
        job.privacy.population().is_some() || !job.privacy.person.is_empty() || job.input.sample.is_some()
    };
    !depends_on_more(one)
        && !depends_on_more(other)
        && one.source.file() == other.source.file()
        && one.input == other.input
        && one.search.memory == other.search.memory
        && one.attributes.len() == other.attributes.len()
        && one
            .attributes
            .iter()
            .zip(&other.attributes)
            .all(|(one, other)| as_counted(one) == as_counted(other))
        && Constrained::of(&one.privacy.models) == Constrained::of(&other.privacy.models)
}

/// An attribute without what matters only once its cells are counted. Whatever is not taken away here counts as if it mattered.
fn as_counted(attribute: &Attribute) -> Attribute {
    Attribute {
        hierarchy: None,
        min_level: None,
        max_level: None,
        most_levels: None,
        weight: 1.0,
        unknown: UnknownValues::default(),
        ..attribute.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_tables::watch::Unwatched;
    use std::fs;

    const JOB: &str = r#"
        version = 1
        input.path = "table.csv"
        attributes = [
          { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10], min = 0, max = 100 } } },
          { name = "zip", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
          { name = "illness", role = "sensitive" },
          { name = "cost", role = "sensitive" },
        ]
        privacy.models = [{ model = "k-anonymity", k = 2 }, { model = "distinct-l-diversity", attribute = "illness", l = 2 }]
        privacy.suppression_limit = 0.1
    "#;

    fn found(study: &Study) -> String {
        let found = study.search(&Unwatched).unwrap();
        let solution = found.solution.unwrap();
        format!("{} {} {:?}", solution.node, solution.suppressed_rows, solution.losses)
    }

    #[test]
    fn counts_are_used_again_where_they_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let lines = (0..60).map(|n| format!("{},81{},{},{}\n", 20 + n * 7 % 50, n % 7, n % 3, n % 4));
        let table = folder.path().join("table.csv");
        fs::write(&table, format!("age,zip,illness,cost\n{}", lines.collect::<String>())).unwrap();
        let job = |changes: &[(&str, &str)]| {
            let text = changes.iter().fold(JOB.to_owned(), |text, (old, new)| {
                assert!(text.contains(old), "{old}");
                text.replace(old, new)
            });
            Job::parse(&text, &folder.path().join("paravent.toml")).unwrap()
        };
        let study = Study::prepare(job(&[]), None, false, &Unwatched).unwrap();
        for changes in [
            [("k = 2", "k = 7")].as_slice(),
            &[("l = 2", "l = 3")],
            &[("widths = [10]", "widths = [20, 40]"), ("from = \"right\"", "from = \"left\"")],
            &[("suppression_limit = 0.1", "suppression_limit = 0.0")],
            &[("{ name = \"zip\",", "{ name = \"zip\", weight = 3, min_level = 1,")],
            &[("version = 1", "version = 1\nsearch.metric = \"loss\"")],
        ] {
            let again = study.again(&job(changes)).expect("the same counts").unwrap();
            let anew = Study::prepare(job(changes), None, false, &Unwatched).unwrap();
            assert_eq!(found(&again), found(&anew), "{changes:?}");
        }
        for changes in [
            [("{ name = \"zip\", role = \"quasi-identifier\", hierarchy = { redact = { from = \"right\" } } }", "{ name = \"zip\", role = \"sensitive\" }")].as_slice(),
            &[("attribute = \"illness\"", "attribute = \"cost\"")],
            &[("{ name = \"zip\",", "{ name = \"zip\", type = \"string\",")],
            &[("table.csv\"", "table.csv\"\ninput.null = [\"3\"]")],
            &[("suppression_limit = 0.1", "suppression_limit = 0.1\nprivacy.person = [\"cost\"]")],
        ] {
            assert!(study.again(&job(changes)).is_none(), "{changes:?}");
        }
        fs::write(&table, "age,zip,illness,cost\n1,2,3,4\n").unwrap();
        assert!(study.again(&job(&[])).is_none(), "another table");
    }
}

use super::*;
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use std::fs;
use std::path::Path;

const JOB: &str = r#"version = 1
input.path = "people.csv"
attributes = [
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10], min = 0, max = 100 } } },
  { name = "zip", role = "quasi-identifier", type = "string", hierarchy = { redact = { from = "right" } } },
  { name = "illness", role = "sensitive" },
]
privacy.suppression_limit = 0.2
privacy.models = [{ model = "k-anonymity", k = 2 }, { model = "distinct-l-diversity", attribute = "illness", l = 2 }]
output.path = "release"
"#;

fn people(rows: usize) -> String {
    let row = |i: usize| {
        format!("p{i},{},{:02},{}\n", 20 + i * 7 % 50, i * 13 % 30, ["flu", "cold", "ache"][i * i % 3])
    };
    "name,age,zip,illness\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(200)).unwrap();
    fs::write(folder.path().join("job.toml"), JOB).unwrap();
    folder
}

fn request(folder: &Path) -> RiskRequest {
    RiskRequest { job: Some(folder.join("job.toml")), ..RiskRequest::default() }
}

#[test]
fn the_report_says_what_a_look_at_the_files_says() {
    let folder = folder();
    let finished = anonymize(&folder.path().join("job.toml"), &RunOptions::default(), &Unwatched).unwrap();
    let reported = finished.document.risk.unwrap();
    let table = assess_risk(&folder.path().join("people.csv"), &request(folder.path()), &Unwatched).unwrap();
    let release = assess_risk(&folder.path().join("release"), &RiskRequest::default(), &Unwatched).unwrap();
    assert_eq!((table.kind, release.kind), (Kind::Table, Kind::Release));
    for (summary, found) in [(&reported.before, &table), (&reported.after, &release)] {
        assert_eq!((summary.rows, summary.classes), (found.rows, found.classes.count));
        assert_eq!(
            (summary.smallest_class, summary.unique_rows),
            (found.classes.smallest, found.classes.unique_rows)
        );
        assert_eq!(summary.prosecutor, found.prosecutor);
        for (of_report, of_file) in summary.columns.iter().zip(&found.columns) {
            assert_eq!((&of_report.column, of_report.unique_rows), (&of_file.column, of_file.unique_rows));
            assert_eq!(
                (of_report.distinction, of_report.separation),
                (of_file.distinction, of_file.separation)
            );
        }
        let (of_report, of_file) = (&summary.sensitive[0].disclosure, &found.sensitive[0].disclosure);
        assert_eq!(
            (of_report.distinct_l, of_report.homogeneous_rows),
            (of_file.distinct_l, of_file.homogeneous_rows)
        );
        assert_eq!(
            (of_report.entropy_l, of_report.highest_confidence),
            (of_file.entropy_l, of_file.highest_confidence)
        );
    }
    assert!(release.classes.smallest >= 2 && release.sensitive[0].disclosure.distinct_l >= 2);
    assert!(reported.before.unique_rows > 0 && reported.after.unique_rows == 0);
}

#[test]
fn a_population_is_seen_through_the_release() {
    let folder = folder();
    anonymize(&folder.path().join("job.toml"), &RunOptions::default(), &Unwatched).unwrap();
    let population = folder.path().join("everybody.csv");
    fs::write(&population, people(1000)).unwrap();
    let request = RiskRequest { population_table: Some(population), ..RiskRequest::default() };
    let release = assess_risk(&folder.path().join("release"), &request, &Unwatched).unwrap();
    let journalist = release.journalist.unwrap();
    assert_eq!(journalist.source, JournalistSource::PopulationTable);
    let known = journalist.known.unwrap();
    assert_eq!(known.rows_not_covered, 0);
    assert!(journalist.attacker.mean < release.prosecutor.mean, "more people, less risk");
    assert!(known.smallest_class >= release.classes.smallest);
}

#[test]
fn a_sample_has_a_journalist_and_estimates() {
    let folder = folder();
    let sampling = Some(SamplingSpec::Population(4000));
    let request = RiskRequest { sampling, ..request(folder.path()) };
    let table = assess_risk(&folder.path().join("people.csv"), &request, &Unwatched).unwrap();
    let uniques = table.population_uniques.unwrap();
    assert_eq!((uniques.sampling_fraction, uniques.population), (0.05, 4000.0));
    assert!(uniques.share <= 1.0);
    assert_eq!(table.journalist.unwrap().source, JournalistSource::Estimate);
}

#[test]
fn figures_do_not_depend_on_the_order_of_the_rows() {
    let folder = folder();
    let json = |text: &str| {
        fs::write(folder.path().join("people.csv"), text).unwrap();
        let found =
            assess_risk(&folder.path().join("people.csv"), &request(folder.path()), &Unwatched).unwrap();
        serde_json::to_string(&found).unwrap()
    };
    let text = people(200);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    assert_eq!(json(&text), json(&(lines.join("\n") + "\n")));
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let folder = folder();
    let path = folder.path().join("people.csv");
    let with = |change: &dyn Fn(&mut RiskRequest)| {
        let mut request = request(folder.path());
        change(&mut request);
        assess_risk(&path, &request, &Unwatched).unwrap_err()
    };
    assert!(matches!(with(&|r| r.threshold = 0.0), RiskError::Threshold(_)));
    assert!(matches!(with(&|r| r.sampling = Some(SamplingSpec::Fraction(1.5))), RiskError::Sampling(_)));
    assert!(matches!(with(&|r| r.sampling = Some(SamplingSpec::Population(10))), RiskError::Sampling(_)));
    let unknown = with(&|r| r.quasi_identifiers = vec!["agee".into()]).to_string();
    assert!(unknown.contains("did you mean \"age\"?"), "{unknown}");
    let nothing = RiskRequest { job: None, ..request(folder.path()) };
    let error = assess_risk(&path, &nothing, &Unwatched).unwrap_err().to_string();
    assert!(error.contains("--quasi-identifiers"), "{error}");
}

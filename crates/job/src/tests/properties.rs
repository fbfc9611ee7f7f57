//! What holds for every job and every text.

use proptest::prelude::*;

use super::{RIGHT, parse, strategy};
use crate::Job;

/// Problems are sorted and each is fit to be shown on one line.
fn assert_well_told(text: &str) {
    let lines = text.lines().count().max(1);
    if let Err(problems) = parse(text) {
        assert!(!problems.is_empty());
        assert!(problems.0.is_sorted_by_key(|problem| problem.line));
        for problem in &problems {
            let shown = problem.to_string();
            assert!(!shown.contains('\n'), "{shown:?}");
            assert!(problem.line.is_some_and(|line| (1..=lines + 1).contains(&line)), "{shown}");
        }
    }
}

proptest! {
    #[test]
    fn a_job_written_and_read_is_the_same(job in strategy::job()) {
        let text = job.to_toml();
        let read = parse(&text).map_err(|problems| TestCaseError::fail(format!("{problems}\n{text}")))?;
        prop_assert_eq!(&read, &job, "{}", text);
        prop_assert_eq!(read.to_toml(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        assert_well_told(&text);
    }

    #[test]
    fn a_damaged_job_is_read_or_refused(
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        put in "[\\[\\]{}=\",.#\n a-z0-9-]{0,6}|\\PC{0,3}",
    ) {
        let chars: Vec<char> = RIGHT.chars().collect();
        let start = at.index(chars.len());
        let end = (start + length).min(chars.len());
        let text: String = chars[..start].iter().copied().chain(put.chars()).chain(chars[end..].iter().copied()).collect();
        assert_well_told(&text);
    }

    #[test]
    fn a_damaged_long_job_is_read_or_refused(
        job in strategy::job(),
        at in any::<prop::sample::Index>(),
        length in 0_usize..10,
        put in "[\\[\\]{}=\",.#\n a-z0-9-]{0,3}",
    ) {
        let chars: Vec<char> = job.to_toml().chars().collect();
        let start = at.index(chars.len());
        let end = (start + length).min(chars.len());
        let text: String = chars[..start].iter().copied().chain(put.chars()).chain(chars[end..].iter().copied()).collect();
        assert_well_told(&text);
    }

    #[test]
    fn values_of_the_wrong_kind_are_refused(
        key in "version|input|attributes|privacy|search|output|input.path|privacy.models|search.memory|output.seed",
        value in "[0-9]{1,40}|-1|1.5|true|\"x\"|\\[\\]|\\{\\}|\\[\\[1\\]\\]|\\[\\{\\}\\]|1979-05-27|nan|0x1f",
    ) {
        assert_well_told(&format!("{key} = {value}\n"));
    }
}

#[test]
fn a_written_job_is_pleasant_to_read() {
    let text = Job::parse(RIGHT, "job.toml".as_ref()).unwrap().to_toml();
    let expected = r#"#:schema paravent-job.schema.json
# An editor that reads the line above checks this file: paravent schema > paravent-job.schema.json
version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "age"
role = "quasi-identifier"          # identifying | quasi-identifier | sensitive | insensitive
type = "integer"                   # string | integer | decimal | date | datetime | boolean

[[attributes]]
name = "diagnosis"
role = "sensitive"

[privacy]
suppression_limit = 0.05           # share of rows that may be left out
models = [
  { model = "k-anonymity", k = 5 },
  { model = "distinct-l-diversity", attribute = "diagnosis", l = 3 },
]

[search]
# metric:    height precision precision-m loss loss-geometric aecs discernibility discernibility-m entropy nuem nmnuem distortion loss-maximum
# algorithm: auto best-first flash flash-parallel flash-two-phase flash-dfs ola incognito samarati bfs dfs top-down exhaustive
metric = "nuem"                    # what counts as loss
algorithm = "auto"
threads = 0                        # 0: all cores
seconds = 0                        # above 0: the best solution found in that time

[output]
path = "release"                   # a directory
format = "csv"                     # csv | parquet | arrow | xlsx
order = "canonical"                # canonical | shuffled | input
"#;
    assert_eq!(text, expected);
}

//! The page of `paravent risk`.

use crate::render_risk;
use paravent_assess::risk::{RiskRequest, SamplingSpec, assess_risk};
use paravent_tables::watch::Unwatched;

fn page(header: &str, rows: usize, change: impl FnOnce(&mut RiskRequest)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let row = |i: usize| format!("{},{},{}\n", i % 17, i * i % 11, i % 3);
    std::fs::write(&path, format!("{header}\n{}", (0..rows).map(row).collect::<String>())).unwrap();
    let names: Vec<String> = header.split(',').map(str::to_owned).collect();
    let mut request = RiskRequest {
        quasi_identifiers: names[..2].to_vec(),
        sensitive: names[2..].to_vec(),
        ..RiskRequest::default()
    };
    change(&mut request);
    render_risk(&assess_risk(&path, &request, &Unwatched).unwrap())
}

#[test]
fn all_sections_are_there_and_closed() {
    for fraction in [None, Some(SamplingSpec::Fraction(0.05)), Some(SamplingSpec::Population(1_000))] {
        let html = page("a,b,c", 150, |request| request.sampling = fraction);
        for id in ["classes", "threshold", "population", "columns", "values", "practice"] {
            assert_eq!(html.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
            assert!(html.contains(&format!("href=\"#{id}\"")), "{id}");
        }
        for tag in ["section", "table", "svg", "dl", "tr", "td", "th", "div", "span", "p", "aside", "figure"]
        {
            let opened =
                html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert_eq!(fraction.is_some(), html.contains("picked by the rule") || html.contains("no estimate"));
    }
}

#[test]
fn it_needs_nothing_from_outside_and_names_are_inert() {
    let html = page("<script>x</script>,b'onload=,c&d", 40, |_| {});
    for reference in
        ["http://", "https://", "src=", "url(", "@import", "<script", "<link", "<img", "b'onload"]
    {
        assert!(!html.contains(reference), "{reference}");
    }
    assert!(html.contains("&lt;script&gt;"));
}

#[test]
fn a_table_of_one_row_and_a_strict_threshold_are_drawn() {
    let html = page("a,b,c", 1, |request| request.threshold = 0.001);
    assert!(html.contains("100% of the rows are at high risk"));
    assert!(!html.contains("NaN") && !html.contains('∞'));
}

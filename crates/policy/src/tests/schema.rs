//! The schema knows what the parser knows.

use crate::schema;

#[test]
fn every_key_of_the_guide_is_in_the_schema() {
    let text = schema().to_string();
    for key in [
        "contribution",
        "links",
        "purposes",
        "min_people",
        "dominance",
        "regression",
        "conflict",
        "per_day",
        "grain",
    ] {
        assert!(text.contains(&format!("\"{key}\"")), "{key}");
    }
    assert_eq!(schema()["properties"]["rules"]["items"]["additionalProperties"], false);
}

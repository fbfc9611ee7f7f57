//! Releases in which every class has a box of labels of its own.

use paravent_verify::verify;
use serde_json::{Value, json};

use crate::builder::{Release, rows, violated};

/// Eight rows in three boxes whose labels overlap: `82***` beside `8****`, `20-60` beside `*`.
fn example() -> Release {
    let mut release = Release::example();
    release.rows = rows(
        "* F 8**** gastritis\n* F 8**** pneumonia\n* F 8**** pneumonia\n20-60 M 82*** gastritis\n20-60 M 82*** pneumonia\n\
         >=61 * 81*** gastritis\n>=61 * 81*** pneumonia\n>=61 * 81*** pneumonia",
    );
    let levels = [json!([1, 2]), json!([0, 1]), json!([3, 4])];
    for (position, levels) in levels.iter().enumerate() {
        for attributes in [
            &mut release.manifest["attributes"][position],
            &mut release.transform["attributes"][position + 1],
        ] {
            let attribute = attributes.as_object_mut().unwrap();
            attribute.remove("level");
            attribute.insert("levels".to_owned(), levels.clone());
        }
    }
    release.manifest["output"]["rows"] = json!(8);
    release.manifest["suppression"]["rows"] = json!(0);
    release.manifest["solution"]["recoding"] = json!("local");
    release.transform["recoding"] = json!("local");
    release.transform["boxes"] = json!([
        boxed(&[2, 0, 4], &["*", "F", "8****"], 3),
        boxed(&[1, 0, 3], &["20-60", "M", "82***"], 2),
        boxed(&[1, 1, 3], &[">=61", "*", "81***"], 3),
    ]);
    release.promising(
        json!({ "model": "k-anonymity", "required": { "k": 2 }, "achieved": { "k": 2 }, "holds": true }),
    )
}

fn boxed(levels: &[u8], labels: &[&str], rows: u64) -> Value {
    json!({ "levels": levels, "labels": labels, "rows": rows })
}

#[test]
fn labels_of_several_levels_are_accepted() {
    let found = example().verify();
    assert!(found.holds(), "{:?}", violated(&found));
    assert!(found.checks.iter().any(|check| check.name == "boxes"));
    for format in ["parquet", "arrow"] {
        assert!(example().in_format(format).verify().holds());
    }
}

#[test]
fn a_label_that_does_not_cover_its_row_is_no_box() {
    // Another label of the same hierarchy, in a class that stays large enough.
    let moved = example().with_cell(2, 0, ">=61").with_cell(2, 1, "*").with_cell(2, 2, "81***").sorted();
    assert!(violated(&moved.verify()).contains("boxes"));
    // A combination that nobody was put into.
    let strange = example().with_cell(2, 1, "M").sorted();
    let found = violated(&strange.verify());
    assert!(found.contains("boxes") && found.contains("k-anonymity"), "{found:?}");
}

#[test]
fn a_label_of_a_level_that_no_box_may_show() {
    let raw = example().with_cell(3, 2, "82451").sorted();
    let found = violated(&raw.verify());
    assert!(found.contains("labels zip") && found.contains("boxes"), "{found:?}");
    let mut other = example();
    other.transform["boxes"][1]["levels"][2] = json!(4);
    assert_eq!(violated(&other.verify()), ["boxes".to_owned()].into());
    other.transform["boxes"][1]["levels"][2] = json!(5);
    assert_eq!(violated(&other.verify()), ["boxes".to_owned()].into());
}

#[test]
fn boxes_that_read_the_same_are_one_class() {
    let mut release = example();
    // Two boxes of different levels with equal labels, which the file shows as one class without diversity.
    release.transform["boxes"].as_array_mut().unwrap().push(boxed(&[2, 0, 4], &["*", "F", "8****"], 0));
    assert_eq!(violated(&release.verify()), ["boxes".to_owned()].into());
    let diverse = json!({ "model": "distinct-l-diversity", "required": { "attribute": "diagnosis", "l": 3 },
                          "achieved": { "l": 3 }, "holds": true });
    assert!(violated(&example().promising(diverse).verify()).contains("distinct-l-diversity diagnosis"));
}

#[test]
fn a_class_that_is_too_small_is_found_without_the_boxes() {
    let strong =
        json!({ "model": "k-anonymity", "required": { "k": 3 }, "achieved": { "k": 3 }, "holds": true });
    assert_eq!(violated(&example().promising(strong).verify()), ["k-anonymity".to_owned()].into());
}

#[test]
fn documents_that_disagree_about_boxes() {
    let mut one = example();
    one.transform.as_object_mut().unwrap().remove("recoding");
    assert!(one.try_verify().is_err(), "the transformation has no level then");
    let other = example().with("/attributes/0/levels", json!([0, 2]));
    assert_eq!(violated(&other.verify()), ["transform".to_owned()].into());
    for wrong in [json!([2, 1]), json!([1]), json!("1"), json!([0, 9999])] {
        assert!(example().with("/attributes/0/levels", wrong).try_verify().is_err());
    }
    let dir = example().with("/solution/recoding", "sideways").write();
    assert!(verify(dir.path()).is_err());
}

/// The boxes of [`example`], promised to somebody who knows any two of the three columns.
fn known(k: u64) -> Release {
    let mut release = example().promising(
        json!({ "model": "k-anonymity", "required": { "k": k }, "achieved": { "k": k }, "holds": true }),
    );
    release.manifest["solution"]["most_known"] = json!(2);
    release
}

#[test]
fn every_choice_of_known_columns_is_counted() {
    let found = known(2).verify();
    assert!(found.holds(), "{:?}", violated(&found));
    // A row that shows a label of its own: three rows read alike in the other columns, but none in it.
    let single = known(2).with_cell(2, 1, "*").sorted();
    assert!(violated(&single.verify()).contains("k-anonymity"));
    // The smallest class of all columns may be smaller than what is promised for two of them.
    let mut apart = known(2);
    apart.rows = rows(
        "* F 8**** gastritis\n* F 8**** pneumonia\n* M 8**** gastritis\n* M 8**** pneumonia\n20-60 F 8**** gastritis\n\
         20-60 F 82*** pneumonia\n20-60 F 82*** pneumonia\n20-60 M 8**** pneumonia\n20-60 M 8**** gastritis",
    );
    let found = violated(&apart.verify());
    assert!(!found.contains("k-anonymity"), "{found:?}");
    apart.manifest["solution"].as_object_mut().unwrap().remove("most_known");
    assert!(violated(&apart.verify()).contains("k-anonymity"), "all columns tell single rows apart");
}

#[test]
fn diversity_is_counted_for_every_choice_too() {
    let diverse = |l: u64| {
        let promise = json!({ "model": "distinct-l-diversity", "required": { "attribute": "diagnosis", "l": l },
                              "achieved": { "l": 2 }, "holds": true });
        let mut release = example().promising(promise);
        release.manifest["solution"]["most_known"] = json!(1);
        release
    };
    assert!(diverse(2).verify().holds());
    assert!(violated(&diverse(3).verify()).contains("distinct-l-diversity diagnosis"));
    let alike = diverse(2).with_cell(3, 3, "pneumonia").sorted();
    assert!(
        violated(&alike.verify()).contains("distinct-l-diversity diagnosis"),
        "two rows show 82*** and M"
    );
}

#[test]
fn what_is_not_counted_by_choices_is_not_accepted() {
    let entropy = json!({ "model": "entropy-l-diversity", "required": { "attribute": "diagnosis", "l": "1.5" },
                          "achieved": { "l": 1.5 }, "holds": true });
    let mut release = example().promising(entropy);
    release.manifest["solution"]["most_known"] = json!(2);
    assert!(violated(&release.verify()).contains("entropy-l-diversity"));
    for wrong in [json!(0), json!("2"), json!(-1), json!(100_000)] {
        let mut release = known(2);
        release.manifest["solution"]["most_known"] = wrong;
        assert!(release.try_verify().is_err());
    }
}

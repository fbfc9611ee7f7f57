//! What people do first: an export of their system, `init`, `anonymize`, without a look at the job.

use crate::support::Place;
use paravent_bench::exports::{Country, hospital};
use std::collections::BTreeSet;

/// Runs both commands and gives the labels of two columns, and the mean loss.
fn tried(
    place: &Place,
    options: &[&str],
    delimiter: char,
    columns: [&str; 2],
) -> ([BTreeSet<String>; 2], f64) {
    let init: Vec<&str> = ["init", "export.csv", "--force"].iter().chain(options).copied().collect();
    let told = place.run(&init).expect(0).out;
    let document = place.run(&["anonymize", "paravent.toml", "--force", "--json"]).expect(0).json();
    place.run(&["verify", "release"]).expect(0);
    assert_eq!(document["privacy"][0]["achieved"]["k"].as_u64().map(|k| k >= 5), Some(true));
    // Columns that are left out are told by init, with the loss that counts them, and by every run; nobody takes them for people.
    assert!(told.contains("with the others, which are lost altogether, it would be 0."), "{told}");
    let warnings: Vec<&str> =
        document["warnings"].as_array().unwrap().iter().filter_map(|warning| warning.as_str()).collect();
    assert!(
        warnings.iter().any(|warning| warning.contains("so they are left out; losses do not count them")),
        "{warnings:?}"
    );
    assert!(!warnings.iter().any(|warning| warning.contains("rows are counted, not people")), "{warnings:?}");
    assert!(place.read("paravent.toml").contains("\n# [[attributes]]\n# name = "));
    let page = place.read("release.private/report.html");
    assert!(
        page.contains("losses do not count the others")
            && page.contains("left out: the job does not mention it")
    );
    let bytes = place.bytes("release/data.csv");
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let header: Vec<&str> = text.lines().next().unwrap().split(delimiter).collect();
    let labels = columns.map(|column| {
        let at = header
            .iter()
            .position(|name| *name == column)
            .unwrap_or_else(|| panic!("{column} is not released: {header:?}"));
        text.lines().skip(1).map(|line| line.split(delimiter).nth(at).unwrap().to_owned()).collect()
    });
    (labels, document["solution"]["losses"]["loss"].as_f64().unwrap())
}

#[test]
fn a_german_export_gives_a_useful_release_unedited() {
    let place = Place::new();
    place.write("export.csv", hospital(Country::Germany, 20_000, 7));
    let ([sex, born], loss) = tried(&place, &[], ';', ["Geschlecht", "Geburtsdatum"]);
    assert!(sex.contains("m") && sex.contains("w"), "{sex:?}");
    assert!(born.len() >= 8, "{born:?}");
    assert!(loss <= 0.45, "{loss}");
    let job = place.read("paravent.toml");
    for told in [
        "metric = \"loss\"",
        "format = \"dd.MM.yyyy\"",
        "encoding = \"windows-1252\"",
        "codes = \"icd-10\"",
        "age = { on = \"2024-12-31\" }",
        "\"NA\"",
    ] {
        assert!(job.contains(told), "{told}: {job}");
    }
    assert!(!place.read("paravent.toml").contains("name = \"Bemerkung\"\nrole = \"sensitive\""));
}

#[test]
fn an_american_export_gives_a_useful_release_unedited() {
    let place = Place::new();
    place.write("export.csv", hospital(Country::UnitedStates, 20_000, 7));
    let ([sex, born], loss) = tried(&place, &[], ',', ["sex", "birth_date"]);
    assert!(sex.contains("M") && sex.contains("F"), "{sex:?}");
    assert!(born.len() >= 8, "{born:?}");
    assert!(loss <= 0.45, "{loss}");
    assert!(place.read("paravent.toml").contains("format = \"MM/dd/yyyy\""));
}

#[test]
fn every_column_stays_where_classes_have_labels_of_their_own() {
    let place = Place::new();
    place.write("export.csv", hospital(Country::Germany, 20_000, 7));
    let told = place.run(&["init", "export.csv", "--recoding", "local", "--force"]).expect(0).out;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("recoding = \"local\"") && told.contains("downcoding"), "{told}");
    assert!(!told.contains("would hide it in every row"), "{told}");
    let document = place.run(&["anonymize", "paravent.toml", "--force", "--json"]).expect(0).json();
    place.run(&["verify", "release"]).expect(0);
    let loss = document["solution"]["losses"]["loss"].as_f64().unwrap();
    assert!(loss <= 0.45, "{loss}");
    // Told beforehand, in three digits.
    assert!(told.contains(&format!("the mean loss of all columns is {loss:.3}.")), "{loss}: {told}");
    place
        .run(&["anonymize", "paravent.toml", "--node", "Geschlecht=0"])
        .expect(2)
        .says(&["recoding = \"global\""]);
    place
        .run(&["init", "export.csv", "--recoding", "both", "--force"])
        .expect(2)
        .says(&["one of: global, local"]);
}

#[test]
fn purposes_change_what_is_proposed() {
    let place = Place::new();
    place.write("export.csv", hospital(Country::UnitedStates, 4_000, 3));
    place.run(&["init", "export.csv", "--for", "open-data", "--force"]).expect(0);
    let job = place.read("paravent.toml");
    assert!(job.contains("k = 20"), "{job}");
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    assert!(!place.read("release/data.csv").contains("/2022"), "dates are no finer than years");
    place
        .run(&["init", "export.csv", "--for", "nobody", "--force"])
        .expect(2)
        .says(&["one of: general, health, research, open-data"]);
    place.run(&["init", "export.csv", "--ask", "--force"]).expect(2).says(&["--ask needs a terminal"]);
}

#[test]
fn a_census_loses_little_under_a_job_that_nobody_edits() {
    let place = Place::new();
    let made = place.run(&["bench", "--generate", "adult", "--write", "census", "--json"]).expect(0).json();
    place.run(&["init", made["table"].as_str().unwrap(), "--force"]).expect(0);
    let set = ["--set", "privacy.suppression_limit=0.05", "--json"];
    let document = place.anonymize(&set).expect(0).json();
    place.run(&["verify", "release"]).expect(0);
    let loss = document["solution"]["losses"]["loss"].as_f64().unwrap();
    assert!(loss <= 0.37, "{loss}: {}", place.read("paravent.toml"));
}

#[test]
fn what_it_costs_to_see_ages_is_told() {
    let place = Place::new();
    // Columns that have nothing to do with each other (splitmix, without its last step).
    let chance = |n: u64, column: u64, end: u64| {
        let mixed = (n * 6 + column + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % end
    };
    let row = |n: u64| {
        let others = [2, 3, 4, 5].map(|column| ["x", "y", "z"][chance(n, column, 3) as usize]).join(",");
        format!("{},{},{others}\n", 20 + chance(n, 0, 60), ["f", "m"][chance(n, 1, 2) as usize])
    };
    place.write(
        "patients.csv",
        "age,sex,one,two,three,four\n".to_owned() + &(0..600).map(row).collect::<String>(),
    );
    let told = place.run(&["init", "patients.csv", "--force"]).expect(0).out;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("will be seen in the release (max_level), since most analyses need"), "{told}");
    assert!(told.contains("Without max_level the best release would show `"), "{told}");
    assert!(told.contains("instead and hide `age`, and the mean loss of all columns would be 0."), "{told}");
}

#[test]
fn hierarchies_beside_the_table_are_taken_up() {
    let place = Place::new();
    let rows: String = (0..400)
        .map(|i| format!("{},{},{}\n", 20 + i % 40, ["f", "m"][i % 2], ["flu", "gout", "cold"][i % 3]))
        .collect();
    place.write("patients.csv", format!("age,sex,diagnosis\n{rows}"));
    std::fs::create_dir(place.path("hierarchies")).unwrap();
    let lines: String =
        (0..100).map(|age| format!("{age};{};*\n", if age < 40 { "young" } else { "old" })).collect();
    place.write("hierarchies/age.csv", lines);
    place.write("hierarchies/sex.csv", "f;*\n");
    place.write("hierarchies/diagnosis.ahs", [0xAC, 0xED, 0, 5]);
    let told = place.run(&["init", "patients.csv", "--force"]).expect(0);
    assert!(place.read("paravent.toml").contains("file = \"hierarchies/age.csv\""));
    assert!(
        told.out.contains("sex.csv is not used for `sex`: it lacks lines for some of the 2 values"),
        "{}",
        told.out
    );
    assert!(told.out.contains("serialized Java objects"), "{}", told.out);
    place.anonymize(&[]).expect(0);
}

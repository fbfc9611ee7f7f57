//! What an officer reads before signing, and what a release is still good for.

use crate::support::{JOB, Place, table};

const ABOUT: &str = "version = 1\n\n[about]\ntitle = \"Stays 2024\"\npurpose = \"Study\"\nrecipient = \"Institute\"\nlegal_basis = \"Art. 89\"\nauthor = \"Centre\"\ndate = 2026-03-09\nagreement = \"Contract 7\"\n";

/// A table in which everybody of one sex is left out.
fn with_few() -> Place {
    let mut rows = table(300);
    for i in 0..4 {
        rows.push_str(&format!("rare {i},{},d,9{i}000,flu\n", 21 + 9 * i));
    }
    let job = JOB
        .replace("version = 1\n", ABOUT)
        .replace("path = \"release\"", "path = \"release\"\nlang = \"de\"");
    let place = Place::with(&job, rows);
    place.anonymize(&["--set", "search.metric=loss"]).expect(0);
    place
}

#[test]
fn the_report_says_what_it_is_about_and_who_was_left_out() {
    let place = with_few();
    let document = place.json("release.private/report.json");
    assert_eq!(document["about"]["title"], "Stays 2024");
    assert_eq!(document["about"]["date"], "2026-03-09");
    assert!(
        place.read("release/report.html").contains("Nutzungsvereinbarung")
            && place.read("release/report.html").contains("Contract 7")
    );
    let groups = document["suppressed"]["groups"].as_array().unwrap();
    let d = groups.iter().find(|group| group["column"] == "sex" && group["label"] == "d").unwrap();
    assert_eq!((&d["rows"], &d["suppressed"]), (&4.into(), &4.into()));
    // Singling out, linkability and inference are measured, since the original is there.
    let tried: Vec<&str> = document["opinion"]["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attack| attack["attack"].as_str().unwrap())
        .collect();
    for attack in ["singling-out", "linkability", "inference"] {
        assert!(tried.contains(&attack), "{tried:?} {}", document["opinion"]);
    }
    assert!(document["utility"]["learned"][0]["original"].is_f64(), "{}", document["utility"]);
    let page = place.read("release.private/report.html");
    for told in
        ["<html lang=\"de\">", "Stays 2024", "Herausgreifen", "Ganz ausgelassen:", "Wozu die Freigabe taugt"]
    {
        assert!(page.contains(told), "{told}");
    }
    // What is handed out says what it is about, and nothing of the original.
    let (outside, external) = (place.read("release/report.html"), place.json("release/report.json"));
    assert!(outside.contains("Stays 2024") && outside.contains("externe Fassung"));
    assert_eq!(external["about"]["recipient"], "Institute");
    for key in ["opinion", "utility", "suppressed"] {
        assert!(external.get(key).is_none(), "{key}");
    }
    assert!(!outside.contains("Ganz ausgelassen") && !outside.contains("Herausgreifen</h3>"));
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn what_a_release_is_good_for_is_told() {
    let place = with_few();
    let run = place
        .run(&[
            "utility",
            "release",
            "--against",
            "patients.csv",
            "--job",
            "paravent.toml",
            "--target",
            "diagnosis",
        ])
        .expect(0);
    for told in ["Numbers", "Pairs of columns", "Who was left out", "Predicted from the other columns"] {
        assert!(run.out.contains(told), "{told}: {}", run.out);
    }
    let unknown = ["utility", "release", "--against", "patients.csv", "--target", "nothing"];
    place.run(&unknown).expect(2).says(&["--target names the column \"nothing\"", "Its columns are"]);
    let document = place.run(&["utility", "release", "--against", "patients.csv", "--json"]).expect(0).json();
    assert_eq!(document["rows"], 304);
    let age = &document["numbers"][0];
    assert_eq!(age["column"], "age");
    let (before, after) = (age["before"]["mean"].as_f64().unwrap(), age["after"]["mean"].as_f64().unwrap());
    assert!((before - after).abs() < 2.0, "{before} {after}");
    let d = document["suppressed"].as_array().unwrap().iter().find(|group| group["label"] == "d").unwrap();
    assert_eq!(d["suppressed"], 4);
    place.run(&["utility", "release", "--against", "nowhere.csv"]).expect(4);
    place.run(&["utility", "patients.csv", "--against", "patients.csv"]).expect(4);
}

#[test]
fn what_attackers_find_with_earlier_releases_is_told_in_german() {
    let place = Place::new();
    place.anonymize(&["--set", "output.lang=de"]).expect(0);
    let again = ["--set", "output.lang=de", "--set", "privacy.models[0].k=6", "--output", "second"];
    let run = place.anonymize(&again);
    assert!(matches!(run.code, Some(0 | 6)), "{}", run.err);
    let page = place.read("second.private/report.html");
    let from = page.find("Zusammen mit früheren Freigaben").unwrap();
    let section = &page[from..page[from..].find("</table>").unwrap() + from];
    assert!(section.contains("Wer angreift"), "{section}");
    for english in ["The attacker", "releases", "fewest", "Bound"] {
        assert!(!section.contains(english), "{english}: {section}");
    }
}

#[test]
fn a_transformation_that_was_picked_is_not_called_optimal() {
    let place = Place::new();
    let run = place.anonymize(&["--node", "age=3,sex=1,zip=2"]).expect(0);
    assert!(run.out.contains("the only transformation that was allowed"), "{}", run.out);
    for page in ["release/report.html", "release.private/report.html"] {
        let page = place.read(page);
        assert!(page.contains("the only one that the job and the command allowed"));
        assert!(!page.contains("provably the least"));
    }
}

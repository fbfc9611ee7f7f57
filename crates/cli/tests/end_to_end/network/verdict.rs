//! The verdict on a joint release is that of a single place.

use super::federation::{Federation, Pooled, Split};
use crate::support::JOB;

/// 60 people, so many of them with a value that nobody else has.
fn pooled(alone: usize) -> Pooled {
    let mut table = String::from("name,age,sex,zip,diagnosis,ferritin\n");
    for i in 0..60 {
        let mixed = i * 7919 % 10_007;
        let (age, zip) = (20 + mixed % 40, 81_660 + mixed / 3 % 7);
        let (sex, diagnosis) = (["f", "m"][mixed / 2 % 2], ["flu", "gout"][mixed % 2]);
        let ferritin = if i < alone { 300 + i } else { 120 };
        table.push_str(&format!("person {i},{age},{sex},{zip},{diagnosis},{ferritin}\n"));
    }
    let more = "[[attributes]]\nname = \"ferritin\"\nrole = \"insensitive\"\n\n[privacy]";
    let job = JOB.replace("[privacy]", more).replace("[output]", "[search]\nmetric = \"nuem\"\n\n[output]");
    Pooled { job, table, hierarchy: None, files: Vec::new() }
}

#[test]
fn a_joint_release_is_green_up_to_one_in_ten() {
    for (protocol, alone, light) in [("a", 6, "green"), ("b", 12, "yellow")] {
        let federation = Federation::of(&pooled(alone), protocol, Split::Horizontal, &[]);
        let central = federation.place.json("release.private/report.json");
        let outcomes = federation.run_all(&["--json"]);
        let documents: Vec<_> =
            outcomes.into_iter().map(|(name, run)| (name, run.expect(0).json())).collect();
        let release = format!("{}/release", federation.receiver());
        let (_, document) = documents.iter().find(|(name, _)| name == federation.receiver()).unwrap();
        let kept = federation.place.json(&format!("{release}.private/report.json"));
        assert_eq!(document["verdict"]["light"], light, "{protocol}");
        for key in ["verdict", "unchanged"] {
            assert_eq!(document[key], central[key], "{protocol}: {key}");
            assert_eq!(kept[key], central[key], "{protocol}: {key}");
            assert_eq!(federation.place.json(&format!("{release}/report.json"))[key], central[key]);
        }
        for page in [format!("{release}/report.html"), format!("{release}.private/report.html")] {
            let html = federation.read(&page);
            assert_eq!(html.contains("and yet singles people out"), light == "yellow", "{page}");
        }
    }
}

#[test]
fn a_joint_release_that_breaks_a_promise_with_an_earlier_one_is_not_silent() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let receiver = federation.receiver();
    // The receiver has released its own rows before, for itself. Further up is the register of the central release of all rows.
    let (job, earlier) = (format!("{receiver}/paravent.toml"), format!("{receiver}/earlier"));
    federation.place.run(&["anonymize", &job, "--output", &earlier]).expect(6);
    for (name, run) in federation.run_all(&[]) {
        if name == receiver {
            run.expect(6).says(&["more than was promised", "release 1 of the register"]);
        } else {
            run.expect(0);
        }
    }
    let kept = federation.place.json(&format!("{receiver}/release.private/report.json"));
    assert_eq!(kept["verdict"]["light"], "red");
    let attacks = kept["register"]["earlier"][0]["attacks"].as_array().unwrap();
    assert!(attacks.iter().any(|attack| attack["severity"] == "broken"), "{attacks:?}");
    // Where nobody has the earlier one, the same run is fine.
    federation.place.run(&["register", "withdraw", "1", receiver]).expect(0);
    for (_, run) in federation.run_all(&["--force"]) {
        run.expect(0);
    }
}

/// The promises of the job replaced by others.
fn promising(models: &str) -> Pooled {
    let mut pooled = pooled(0);
    let (start, end) = (pooled.job.find("models = [").unwrap(), pooled.job.find("\n]\n").unwrap());
    pooled.job.replace_range(start..end, &format!("models = [ {models}"));
    pooled
}

#[test]
fn a_joint_promise_that_says_little_is_not_green() {
    let k = "{ model = \"k-anonymity\", k = 3 }";
    let loose = "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 1000, l = 2 }";
    let vacuous = "{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 1 }";
    for (protocol, models, light, says) in [
        ("b", format!("{k}, {loose}"), "yellow", "promises little on this table"),
        ("a", vacuous.to_owned(), "red", "promises nothing on this table"),
    ] {
        let federation = Federation::of(&promising(&models), protocol, Split::Horizontal, &[]);
        let outcomes = federation.run_all(&["--json"]);
        let receiver = federation.receiver();
        let run = outcomes.into_iter().find(|(name, _)| name == receiver).unwrap().1;
        let document = run.expect(0).json();
        assert_eq!(document["verdict"]["light"], light, "{document}");
        assert!(document["verdict"]["reasons"].to_string().contains(says), "{document}");
        assert!(document["warnings"].to_string().contains(says), "{document}");
        let outside = federation.place.json(&format!("{receiver}/release/report.json"));
        assert_eq!(outside["verdict"]["light"], light, "what is handed out says the same");
        let page = federation.read(&format!("{receiver}/release.private/report.html"));
        assert!(page.contains(says));
    }
}

#[test]
fn a_joint_release_without_a_register_is_not_green() {
    let mut pooled = pooled(0);
    pooled.job = pooled.job.replace("[output]\n", "[output]\nregister = false\n");
    let federation = Federation::of(&pooled, "b", Split::Horizontal, &[]);
    for (name, run) in federation.run_all(&["--json"]) {
        let document = run.expect(0).json();
        if name == federation.receiver() {
            assert_eq!(document["verdict"]["light"], "yellow", "{document}");
            assert!(document["verdict"]["reasons"].to_string().contains("no register has a line of it"));
        }
    }
}

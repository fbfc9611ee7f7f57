//! `noise`: what must not leave, whom it costs how much, and who signed.

use super::noise::{NOISY_JOB, noise, released, rich};
use super::support::Place;

/// Without a job the cells and names of columns tell which of them name people: these never leave.
#[test]
fn columns_that_look_identifying_are_left_out_of_a_bare_table() {
    let place = Place::new();
    rich(&place);
    let sex = "sex=0.5:uniform('f', 'm')";
    let told = place.run(&["noise", "patients.csv", "--column", sex, "--output", "n.csv"]).expect(0).out;
    assert!(told.contains("Left out: name (") && told.contains("release = \"as it is\""), "{told}");
    assert!(place.read("n.csv").starts_with("age,sex,zip,diagnosis\n"));
    assert!(!place.read("n.csv").contains("person"));
    let printed = place.run(&["noise", "patients.csv", "--column", sex, "--output", "-"]).expect(0).out;
    assert!(!printed.contains("person"), "{printed}");
    // Noise does not make a name another name than one of the table's.
    for column in ["name=0.9", "name=0.9:learnt"] {
        let told = noise(&place, &["--column", column, "--output", "no.csv"]).expect(2).json().to_string();
        assert!(told.contains("never leaves") && !told.contains("person 1"), "{told}");
    }
    // Cells speak under any name.
    let mails = super::support::patients().lines().enumerate().fold(String::new(), |text, (row, line)| {
        let cell = if row == 0 { "remark".to_owned() } else { format!("someone{row}@example.org") };
        text + line + "," + &cell + "\n"
    });
    place.write("patients.csv", &mails);
    let told = place.run(&["noise", "patients.csv", "--column", sex, "--output", "m.csv"]).expect(0).out;
    assert!(told.contains("Left out: remark (its cells look like e-mail addresses)"), "{told}");
    assert!(!place.read("m.csv").contains('@'));
}

#[test]
fn a_job_that_calls_names_harmless_is_refused_unless_the_owner_says_the_word() {
    let job = NOISY_JOB.replacen("role = \"identifying\"", "role = \"insensitive\"", 1);
    let place = Place::with(&job, super::support::patients());
    let before = place.names();
    released(&place, &[]).expect(2);
    let told = place.run(&["noise", "patients.csv", "--job", "paravent.toml", "--output", "n.csv"]).expect(2);
    told.says(&["name is released as it is, but", "release = \"as it is\""]);
    assert_eq!(place.names(), before, "nothing is written and nothing is paid");
    let word = job.replacen("role = \"insensitive\"", "role = \"insensitive\"\nrelease = \"as it is\"", 1);
    place.write("paravent.toml", word);
    released(&place, &[]).expect(0);
    assert!(place.read("noisy/data.csv").contains("person 1"));
}

/// Each row of a person is drawn for by itself, so three rows tell three times as much.
#[test]
fn somebody_with_several_rows_costs_as_many_times() {
    let job = NOISY_JOB
        .replace("epsilon = \"5\"", "epsilon = \"8\"")
        .replace("[privacy]\n", "[privacy]\nperson = \"name\"\n");
    let mut table = super::support::patients();
    table.push_str("person 7,33,f,81661,flu\nperson 7,34,f,81661,gout\n");
    let place = Place::with(&job, &table);
    let document = released(&place, &["--column", "sex=epsilon(1):uniform('f', 'm')"]).expect(0).json();
    assert_eq!(document["operators"][0]["rows_per_person"], 3);
    let manifest = place.json("noisy/manifest.json");
    assert_eq!(manifest["rows_per_person"], 3);
    let epsilon: f64 = manifest["epsilon"].as_str().unwrap().parse().unwrap();
    assert!(epsilon > 6.5 && epsilon < 6.6, "three times 2.19: {epsilon}");
    assert!(manifest["promised"].to_string().contains("up to 3 rows"), "{manifest}");
    assert!(!manifest["not_promised"].to_string().contains("several rows"), "{manifest}");
    assert!(place.read("noisy/report.html").contains("ε of a person"));
    place.run(&["verify", "noisy"]).expect(0);
    let list = place.run(&["--json", "ledger", "list", "--job", "paravent.toml"]).expect(0).json();
    assert_eq!(list["recipients"][0]["epsilon"], manifest["epsilon"]);
    // Who claims that nobody has more than one row is found out: the sums no longer fit.
    let text = place.read("noisy/manifest.json");
    place.write("noisy/manifest.json", text.replace("\"rows_per_person\": 3", "\"rows_per_person\": 1"));
    place.run(&["verify", "noisy"]).expect(1);
    place.write("noisy/manifest.json", text);
    // A statement for a database is written without a row: it says what one costs.
    let column = [
        "--column",
        "sex=epsilon(1):uniform('f', 'm')",
        "--column",
        "age=epsilon(1):laplace(min => 0, max => 100)",
    ];
    let sql = [
        "--json",
        "noise",
        "clinic.patients",
        "--sql",
        "postgres",
        "--row-key",
        "name",
        "--job",
        "paravent.toml",
    ];
    place.run(&[&sql[..], &column].concat()).expect(0);
    // A second one is beyond the limit, and a row that is nobody's is refused.
    released(&place, &["--force"]).expect(2);
    place.write("patients.csv", table + ",40,m,81661,flu\n");
    let told = released(&place, &["--force"]).expect(2).json().to_string();
    assert!(told.contains("row 63") && told.contains("whose row"), "{told}");
}

#[test]
fn a_noisy_release_is_signed_and_the_signature_covers_every_file() {
    let place = Place::with(NOISY_JOB, super::support::patients());
    place.run(&["keygen"]).expect(0);
    place.run(&["keygen", "other.key"]).expect(0);
    released(&place, &["--sign", "absent.key"]).expect(4);
    assert!(!place.names().contains(&"paravent.ledger.jsonl".to_owned()), "a missing key costs nothing");
    let document = released(&place, &[]).expect(0).json();
    let public = document["release"]["output"]["signed_by"].as_str().unwrap().to_owned();
    let verified = place.run(&["--json", "verify", "noisy", "--key", "paravent.key.pub"]).expect(0).json();
    assert_eq!(verified["signer"].as_str(), Some(public.as_str()));
    place.run(&["verify", "noisy"]).expect(0);
    place.run(&["verify", "noisy", "--key", "other.key.pub"]).expect(1);
    for file in ["noisy/manifest.json", "noisy/report.json", "noisy/report.html", "noisy/data.csv"] {
        let text = place.read(file);
        place.write(file, text.replacen("0", "1", 1));
        let code = place.run(&["verify", "noisy", "--key", "paravent.key.pub"]).code;
        assert!(matches!(code, Some(1 | 4)), "{file} was changed: {code:?}");
        place.write(file, text);
    }
    std::fs::remove_file(place.path("noisy/manifest.sig")).unwrap();
    place.run(&["verify", "noisy"]).expect(0);
    place.run(&["verify", "noisy", "--key", "paravent.key.pub"]).expect(1);
}

/// Figures about classes would be figures about nothing.
#[test]
fn attack_and_risk_say_what_to_do_with_a_noisy_release() {
    let place = Place::with(NOISY_JOB, super::support::patients());
    released(&place, &[]).expect(0);
    for command in ["attack", "risk"] {
        let told = place.run(&[command, "noisy"]).expect(2);
        let advice = "paravent risk noisy/data.csv --quasi-identifiers zip";
        told.says(&["a noisy release", "paravent verify noisy", advice]);
    }
    place.run(&["risk", "noisy/data.csv", "--quasi-identifiers", "zip"]).expect(0);
}

/// `PARAVENT_RACERS=2000` lets more processes race; so many at a time that the writers of the ledger wait for each other.
#[test]
fn racing_noise_does_not_spend_more_than_the_limit() {
    let place = Place::new();
    let racers: usize =
        std::env::var("PARAVENT_RACERS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let (mut running, mut codes) = (std::collections::VecDeque::new(), Vec::new());
    let ended = |child: std::process::Child| child.wait_with_output().unwrap().status.code();
    for _ in 0..racers {
        if running.len() == 20 {
            codes.extend(running.pop_front().map(ended));
        }
        let column = "sex=epsilon(0.1):uniform('f', 'm')";
        let args = ["--json", "noise", "patients.csv", "--column", column, "--output", "-"];
        running.push_back(place.command(&args).spawn().unwrap());
    }
    codes.extend(running.into_iter().map(ended));
    let answered = codes.iter().filter(|code| **code == Some(0)).count();
    let refused = codes.iter().filter(|code| **code == Some(2)).count();
    assert_eq!((answered, refused), (10, racers - 10), "ten tenths are one: {codes:?}");
    place.run(&["ledger", "verify", "patients.csv"]).expect(0);
    let list = place.run(&["--json", "ledger", "list", "patients.csv"]).expect(0).json();
    let spent: f64 = list["recipients"][0]["epsilon"].as_str().unwrap().parse().unwrap();
    assert!(spent <= 1.0, "{list}");
}

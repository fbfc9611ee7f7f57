use super::*;
use paravent_evidence::attack::{Attack, Outcome, Severity};
use paravent_pipeline::demo;
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// The demo's release with its table.
struct Demo {
    folder: TempDir,
    release: PathBuf,
    table: PathBuf,
}

fn demo() -> Demo {
    let folder = tempfile::tempdir().unwrap();
    let files = demo::write(folder.path()).unwrap();
    anonymize(&files.job, &RunOptions::default(), &Unwatched).unwrap();
    Demo { release: folder.path().join("release"), table: files.table, folder }
}

fn options(demo: &Demo) -> AttackOptions {
    AttackOptions {
        release: Some(demo.release.clone()),
        threshold: 0.8,
        attempts: 400,
        seed: 1,
        ..AttackOptions::default()
    }
}

fn of(attacked: &Attacked, attack: Attack) -> &Outcome {
    attacked
        .outcomes
        .iter()
        .find(|outcome| outcome.attack == attack)
        .unwrap_or_else(|| panic!("{} was not run", attack.name()))
}

/// The lines of a table from `start` on, with its header.
fn part(demo: &Demo, name: &str, keep: impl Fn(usize) -> bool) -> PathBuf {
    let text = fs::read_to_string(&demo.table).unwrap();
    let lines = text.lines().enumerate().filter(|(line, _)| *line == 0 || keep(*line));
    let path = demo.folder.path().join(name);
    fs::write(&path, lines.map(|(_, line)| format!("{line}\n")).collect::<String>()).unwrap();
    path
}

#[test]
fn no_attack_goes_beyond_the_promise_of_a_default_release() {
    let demo = demo();
    let list = part(&demo, "list.csv", |line| line % 3 == 0);
    let all = AttackOptions {
        original: Some(demo.table.clone()),
        external: Some(list),
        population: Some(demo.table.clone()),
        key: Some("patient_id".into()),
        ..options(&demo)
    };
    let attacked = attack(&all, &Unwatched).unwrap();
    for outcome in &attacked.outcomes {
        assert_ne!(outcome.severity, Severity::Broken, "{}: {}", outcome.attack.name(), outcome.result);
    }
    assert!(attacked.holds());
    let linking = of(&attacked, Attack::Linking);
    assert!(linking.figure.value > 0.0 && linking.figure.value <= 1.0 / 5.0, "{}", linking.result);
    assert!(
        linking.details.iter().any(|(name, _)| name.contains("judged by the original")),
        "{:?}",
        linking.details
    );
    assert_eq!(of(&attacked, Attack::SinglingOut).figure.value, 0.0);
    assert_eq!(of(&attacked, Attack::RowOrder).severity, Severity::Covered);
    for attack in [
        Attack::Homogeneity,
        Attack::BackgroundKnowledge,
        Attack::Minimality,
        Attack::Downcoding,
        Attack::Linkability,
    ] {
        let outcome = of(&attacked, attack);
        assert!(!outcome.succeeded(), "{}: {}", attack.name(), outcome.result);
    }
    let again = attack(&all, &Unwatched).unwrap();
    assert_eq!(again.outcomes, attacked.outcomes, "the same seed gives the same outcomes");
}

#[test]
fn a_release_that_claims_more_than_it_keeps_is_broken() {
    let demo = demo();
    let path = demo.release.join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for promise in manifest["privacy"].as_array_mut().unwrap() {
        match promise["model"].as_str().unwrap() {
            "k-anonymity" => promise["required"]["k"] = 50.into(),
            _ => promise["required"]["l"] = 20.into(),
        }
    }
    fs::write(&path, manifest.to_string()).unwrap();
    let given = AttackOptions { original: Some(demo.table.clone()), ..options(&demo) };
    let attacked = attack(&given, &Unwatched).unwrap();
    assert!(!attacked.holds());
    for broken in [Attack::Linking, Attack::BackgroundKnowledge] {
        assert_eq!(of(&attacked, broken).severity, Severity::Broken);
    }
}

#[test]
fn two_releases_of_the_same_people_are_joined_and_subtracted() {
    let demo = demo();
    // The same job on nearly the same people, repeated with the same transformation.
    let fewer = part(&demo, "fewer.csv", |line| line % 100 != 0);
    let job = demo.folder.path().join("paravent.toml");
    let again = RunOptions {
        input: Some(fewer),
        output: Some(demo.folder.path().join("before")),
        apply: Some(demo.release.clone()),
        ..RunOptions::default()
    };
    anonymize(&job, &again, &Unwatched).unwrap();
    let given = AttackOptions { previous: vec![demo.folder.path().join("before")], ..options(&demo) };
    let attacked = attack(&given, &Unwatched).unwrap();
    let difference = of(&attacked, Attack::ReleaseDifference);
    assert_eq!(difference.severity, Severity::Broken, "{}", difference.result);
    assert_eq!(of(&attacked, Attack::UnsortedMatching).severity, Severity::Covered, "both are sorted");
    // A release beside itself tells nothing.
    let given = AttackOptions { previous: vec![demo.release.clone()], ..options(&demo) };
    let attacked = attack(&given, &Unwatched).unwrap();
    for quiet in [Attack::ReleaseDifference, Attack::Composition, Attack::UnsortedMatching] {
        assert_eq!(of(&attacked, quiet).severity, Severity::Covered, "{}", of(&attacked, quiet).result);
    }
}

#[test]
fn tables_that_do_not_go_together_are_refused_in_one_sentence() {
    let demo = demo();
    let file = |name: &str, text: &str| {
        let path = demo.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let refused = |options: AttackOptions| attack(&options, &Unwatched).unwrap_err().to_string();
    let strange = file("strange.csv", "colour,size\nred,1\n");
    let message = refused(AttackOptions { external: Some(strange.clone()), ..options(&demo) });
    assert!(message.contains("has no quasi-identifier of the release"), "{message}");
    let message = refused(AttackOptions { original: Some(strange.clone()), ..options(&demo) });
    assert!(message.contains("not the table this release was made from"), "{message}");
    let message = refused(AttackOptions { population: Some(strange), ..options(&demo) });
    assert!(message.contains("needs every quasi-identifier"), "{message}");
    let nowhere = file("nowhere.csv", "zip\nmars\n");
    let message = refused(AttackOptions { external: Some(nowhere), ..options(&demo) });
    assert!(message.contains("none of its records fits") && !message.contains("mars"), "{message}");
    let message = refused(AttackOptions { only: vec![Attack::Membership], ..options(&demo) });
    assert!(message.contains("--population"), "{message}");
    let list = part(&demo, "people.csv", |line| line < 30);
    let text = fs::read_to_string(&list)
        .unwrap()
        .lines()
        .enumerate()
        .map(|(line, text)| {
            let rest = text.split_once(',').map_or("", |(_, rest)| rest);
            if line == 0 { format!("{text}\n") } else { format!("stranger {line},{rest}\n") }
        })
        .collect::<String>();
    fs::write(&list, text).unwrap();
    let named = AttackOptions {
        original: Some(demo.table.clone()),
        external: Some(list),
        key: Some("patient_id".into()),
        ..options(&demo)
    };
    let message = refused(named);
    assert!(
        message.contains("no value of the column \"patient_id\"") && !message.contains("stranger"),
        "{message}"
    );
}

#[test]
fn sliced_tables_and_query_logs_need_no_release() {
    let folder = tempfile::tempdir().unwrap();
    let mut sliced = String::from("bucket,zip,zip@2,illness\n");
    for bucket in 0..20 {
        for (left, right) in [(1, 3), (2, 1), (3, 2)] {
            sliced.push_str(&format!("{bucket},{left},{right},s{right}\n"));
        }
    }
    let table = folder.path().join("sliced.csv");
    fs::write(&table, sliced).unwrap();
    let log = folder.path().join("queries.txt");
    fs::write(&log, "1,2,3,4,5,6\n1 2 3 4 5\n").unwrap();
    let groups = vec![vec!["zip".to_owned()], vec!["zip@2".to_owned(), "illness".to_owned()]];
    let sliced = Sliced { table, bucket: "bucket".into(), groups };
    let given = AttackOptions {
        sliced: Some(sliced),
        queries: Some(log.clone()),
        k: Some(3),
        threshold: 0.8,
        ..AttackOptions::default()
    };
    let attacked = attack(&given, &Unwatched).unwrap();
    let relinking = of(&attacked, Attack::Relinking);
    assert_eq!(
        (relinking.severity, relinking.figure.value),
        (Severity::Residual, 1.0),
        "{}",
        relinking.result
    );
    assert_eq!(of(&attacked, Attack::QueryDifferencing).severity, Severity::Broken);
    assert_eq!(of(&attacked, Attack::DeFinetti).severity, Severity::Covered);
    fs::write(&log, "1,2\nall of them\n").unwrap();
    let message = attack(&given, &Unwatched).unwrap_err().to_string();
    assert!(
        message.contains("queries.txt:2: write one query per line") && !message.contains("all of them"),
        "{message}"
    );
}

#[test]
fn an_attack_alone_says_what_it_says_among_all() {
    let folder = tempfile::tempdir().unwrap();
    let files = demo::write(folder.path()).unwrap();
    let job = fs::read_to_string(&files.job).unwrap();
    fs::write(&files.job, job.replace("algorithm = \"auto\"", "recoding = \"local\"\nmoves = 200")).unwrap();
    anonymize(&files.job, &RunOptions::default(), &Unwatched).unwrap();
    assert!(fs::read_to_string(folder.path().join("release/manifest.json")).unwrap().contains("local"));
    let local = Demo { release: folder.path().join("release"), table: files.table, folder };
    for demo in [demo(), local] {
        let all = AttackOptions { original: Some(demo.table.clone()), ..options(&demo) };
        let together = attack(&all, &Unwatched).unwrap();
        assert!(together.outcomes.len() > 8, "{}", together.outcomes.len());
        for known in Attack::ALL {
            let Ok(alone) = attack(&AttackOptions { only: vec![known], ..all.clone() }, &Unwatched) else {
                continue;
            };
            let among: Vec<&Outcome> =
                together.outcomes.iter().filter(|outcome| outcome.attack == known).collect();
            assert!(alone.outcomes.iter().eq(among), "{}", known.name());
        }
    }
}

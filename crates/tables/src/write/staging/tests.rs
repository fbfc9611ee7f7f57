use std::io::Write;
use std::os::unix::fs::symlink;

use super::*;

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

/// A release in the making whose data is `text`.
fn staged(target: &Path, text: &str) -> Staging {
    let staging = Staging::beside(target).unwrap();
    staging.create("data.csv").unwrap().write_all(text.as_bytes()).unwrap();
    let manifest = format!("{{\"format\": 2, \"paravent\": \"0.1.0\", \"data\": \"{text}\"}}");
    staging.create("manifest.json").unwrap().write_all(manifest.as_bytes()).unwrap();
    let digest = folders::manifest_digest(staging.path()).unwrap();
    let transform =
        format!("{{\"paravent\": \"0.1.0\", \"release\": {{\"manifest_sha256\": \"{digest}\"}}}}");
    staging.create_private("transform.json").unwrap().write_all(transform.as_bytes()).unwrap();
    staging
}

/// Whether the private folder beside a release is its own.
fn belongs(target: &Path) -> bool {
    folders::release_named(&private_of(target)) == folders::manifest_digest(target)
}

/// Leaves a run as it is when it is killed: nothing is tidied up, and its lock is gone.
fn killed(mut staging: Staging) {
    staging.published = true;
}

fn data(target: &Path) -> String {
    fs::read_to_string(target.join("data.csv")).unwrap()
}

#[test]
fn nothing_shows_before_it_is_published() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let staging = staged(&target, "a");
    assert!(!target.exists());
    assert_eq!(mode(staging.path()), 0o700);
    assert_eq!(mode(&staging.path().join("data.csv")), 0o600);

    staging.publish(Replace::Refuse).unwrap();
    assert_eq!(names(parent.path()), ["release", "release.private"]);
    assert_eq!(names(&target), ["data.csv", "manifest.json"]);
    let private = private_of(&target);
    assert_eq!((mode(&private), mode(&private.join("transform.json"))), (0o700, 0o600));
    let fresh = parent.path().join("fresh");
    fs::write(&fresh, "").unwrap();
    assert_eq!(mode(&target.join("data.csv")), mode(&fresh) & 0o644);
    assert_eq!(mode(&target) & 0o700, 0o700);
}

#[test]
fn what_is_not_published_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    drop(staged(&parent.path().join("release"), "a"));
    assert!(names(parent.path()).is_empty());
}

#[test]
fn a_release_is_replaced_by_force_only() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();

    assert!(matches!(Staging::check(&target, Replace::Refuse), Err(WriteError::Exists { .. })));
    assert!(matches!(staged(&target, "new").publish(Replace::Refuse), Err(WriteError::Exists { .. })));
    assert_eq!(data(&target), "old");

    Staging::check(&target, Replace::Force).unwrap();
    staged(&target, "new").publish(Replace::Force).unwrap();
    assert!(data(&target) == "new" && belongs(&target));
    assert_eq!(names(parent.path()), ["release", "release.private"]);
}

#[test]
fn steps_replace_a_release_too() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    let staging = staged(&target, "new");
    swap_in_steps(&staging.private, &private_of(&target)).unwrap();
    let old = swap_in_steps(&staging.path, &target).unwrap();
    killed(staging);
    assert_eq!((data(&target), data(&old)), ("new".into(), "old".into()));
    drop(Staging::beside(&target).unwrap());
    assert!(belongs(&target));
    assert_eq!(names(parent.path()), ["release", "release.private"]);
}

#[test]
fn what_is_no_release_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("thing");
    fs::write(&target, "precious").unwrap();
    for replace in [Replace::Refuse, Replace::Force] {
        assert!(matches!(staged(&target, "x").publish(replace), Err(WriteError::NotADirectory { .. })));
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    fs::remove_file(&target).unwrap();

    fs::create_dir(&target).unwrap();
    for content in ["photo.jpg", "manifest.json"] {
        fs::write(target.join(content), "{\"name\": \"another program's\"}").unwrap();
        for replace in [Replace::Refuse, Replace::Force] {
            assert!(matches!(Staging::check(&target, replace), Err(WriteError::NotARelease { .. })));
            assert!(matches!(staged(&target, "x").publish(replace), Err(WriteError::NotARelease { .. })));
        }
        assert!(target.join(content).exists());
    }
    assert_eq!(names(parent.path()), ["thing"]);
}

#[test]
fn an_empty_directory_may_be_filled() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    fs::create_dir(&target).unwrap();
    staged(&target, "a").publish(Replace::Refuse).unwrap();
    assert_eq!(data(&target), "a");
}

#[test]
fn a_target_that_comes_meanwhile_is_kept() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let late = staged(&target, "late");
    staged(&target, "early").publish(Replace::Refuse).unwrap();
    assert!(matches!(put(&late.path, &target, Replace::Refuse), Err(WriteError::Exists { .. })));
    assert!(matches!(late.publish(Replace::Refuse), Err(WriteError::Exists { .. })));
    assert!(data(&target) == "early" && belongs(&target));
}

#[test]
fn leftovers_of_killed_runs_are_removed_and_others_are_not() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let running = staged(&target, "running");
    let unlike =
        [".release.paravent-0123", ".other.paravent-0123456789abcdef", ".release.paravent-0123456789abcdeg"];
    for name in unlike {
        fs::create_dir(parent.path().join(name)).unwrap();
    }
    let dead = parent.path().join(".release.paravent-0123456789abcdef");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("data.csv"), "half").unwrap();

    let second = Staging::beside(&target).unwrap();
    assert!(!dead.exists());
    assert!(running.path().exists());
    assert!(unlike.iter().all(|name| parent.path().join(name).exists()));
    drop(second);
    running.publish(Replace::Refuse).unwrap();
    assert_eq!(data(&target), "running");
}

#[test]
fn an_old_release_is_put_back_if_its_place_is_empty() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let old = parent.path().join(".release.paravent-old-0123456789abcdef");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    fs::rename(&target, &old).unwrap();
    drop(Staging::beside(&target).unwrap());
    assert_eq!(data(&target), "old");

    // With a release in place it is only in the way.
    fs::create_dir(&old).unwrap();
    drop(Staging::beside(&target).unwrap());
    assert_eq!(names(parent.path()), ["release", "release.private"]);
}

#[test]
fn a_run_killed_between_the_two_renames_is_undone() {
    for replaced in [false, true] {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("release");
        if replaced {
            staged(&target, "old").publish(Replace::Refuse).unwrap();
        }
        let staging = staged(&target, "new");
        put(&staging.private, &private_of(&target), Replace::Force).unwrap();
        // As long as the run lives, nobody interferes.
        drop(Staging::beside(&target).unwrap());
        assert_eq!(folders::release_named(&private_of(&target)), folders::manifest_digest(&staging.path));
        if replaced {
            assert!(!belongs(&target), "the old release has the new private folder beside it");
            let right = folders::find_private(&target).unwrap();
            assert_eq!(
                folders::release_named(&right),
                folders::manifest_digest(&target),
                "but its own is found"
            );
        }
        killed(staging);
        Staging::check(&target, if replaced { Replace::Force } else { Replace::Refuse }).unwrap();
        match replaced {
            true => {
                assert!(data(&target) == "old" && belongs(&target));
                assert_eq!(names(parent.path()), ["release", "release.private"]);
            }
            false => assert!(names(parent.path()).is_empty(), "no release, no private folder"),
        }
        staged(&target, "next").publish(Replace::Force).unwrap();
        assert!(data(&target) == "next" && belongs(&target));
        assert_eq!(names(parent.path()), ["release", "release.private"]);
    }
}

#[test]
fn steps_that_were_not_finished_are_undone() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let private = private_of(&target);
    for step in 0..4 {
        staged(&target, "old").publish(Replace::Force).unwrap();
        let staging = staged(&target, "new");
        let old_private = leftovers::old_name(&staging.private);
        fs::rename(&private, &old_private).unwrap();
        if step > 0 {
            fs::rename(&staging.private, &private).unwrap();
        }
        if step > 1 {
            fs::rename(&target, leftovers::old_name(&staging.path)).unwrap();
        }
        if step > 2 {
            fs::rename(&staging.path, &target).unwrap();
        }
        killed(staging);
        drop(Staging::beside(&target).unwrap());
        assert_eq!(data(&target), if step > 2 { "new" } else { "old" }, "step {step}");
        assert!(belongs(&target), "step {step}");
        assert_eq!(names(parent.path()), ["release", "release.private"], "step {step}");
    }
}

#[test]
fn a_private_folder_without_its_release_is_kept_unless_forced() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    fs::rename(&target, parent.path().join("handed-out")).unwrap();
    assert!(matches!(Staging::check(&target, Replace::Refuse), Err(WriteError::Exists { .. })));
    assert!(matches!(staged(&target, "new").publish(Replace::Refuse), Err(WriteError::Exists { .. })));
    assert_eq!(names(parent.path()), ["handed-out", "release.private"]);
    fs::write(private_of(&target).join("notes.txt"), "mine").unwrap();
    assert!(matches!(staged(&target, "new").publish(Replace::Force), Err(WriteError::NotARelease { .. })));
    fs::remove_file(private_of(&target).join("notes.txt")).unwrap();
    staged(&target, "new").publish(Replace::Force).unwrap();
    assert!(data(&target) == "new" && belongs(&target));
}

#[test]
fn who_has_nothing_to_keep_gets_no_private_folder() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    let staging = Staging::beside(&target).unwrap();
    staging.create("data.csv").unwrap().write_all(b"a").unwrap();
    staging.publish(Replace::Refuse).unwrap();
    assert_eq!(names(parent.path()), ["release"]);
}

#[test]
fn a_release_that_cannot_appear_leaves_the_old_private_folder() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    let staging = staged(&target, "new");
    let old = put(&staging.private, &private_of(&target), Replace::Force).unwrap();
    assert!(!belongs(&target));
    take_back(&staging.private, &private_of(&target), old.as_deref());
    assert!(belongs(&target));
    drop(staging);
    assert_eq!(names(parent.path()), ["release", "release.private"]);
}

#[test]
fn links_are_followed() {
    let parent = tempfile::tempdir().unwrap();
    let (target, link) = (parent.path().join("v1"), parent.path().join("latest"));
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    symlink(&target, &link).unwrap();
    assert!(matches!(Staging::check(&link, Replace::Refuse), Err(WriteError::Exists { .. })));
    staged(&link, "new").publish(Replace::Force).unwrap();
    assert_eq!(data(&target), "new");
    assert_eq!(names(parent.path()), ["latest", "v1", "v1.private"]);
    assert!(belongs(&target));
}

#[test]
fn a_place_must_exist() {
    assert!(matches!(Staging::beside(Path::new("/")), Err(WriteError::NoPlace { .. })));
    assert!(matches!(Staging::beside(Path::new("..")), Err(WriteError::NoPlace { .. })));
    let parent = tempfile::tempdir().unwrap();
    assert!(matches!(Staging::beside(&parent.path().join("no/release")), Err(WriteError::Io { .. })));
}

#[test]
fn a_disk_that_fails_before_the_release_is_in_place_leaves_the_old_one() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    let failing = faults::fail(parent.path());
    let error = staged(&target, "new").publish(Replace::Force).unwrap_err();
    assert!(matches!(error, WriteError::Io { .. }), "{error}");
    assert_eq!(
        (data(&target).as_str(), belongs(&target)),
        ("old", true),
        "the private folder is the old one, too"
    );
    drop(failing);
    assert_eq!(names(parent.path()), ["release", "release.private"]);
}

#[test]
fn a_disk_that_fails_behind_the_rename_leaves_the_outcome_open() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join("release");
    staged(&target, "old").publish(Replace::Refuse).unwrap();
    let failing = faults::fail(&target);
    let error = staged(&target, "new").publish(Replace::Force).unwrap_err();
    assert!(matches!(error, WriteError::Unsettled { .. }), "{error}");
    assert_eq!((data(&target).as_str(), belongs(&target)), ("new", true));
    drop(failing);
    staged(&target, "newer").publish(Replace::Force).unwrap();
    assert_eq!((data(&target).as_str(), belongs(&target)), ("newer", true));
    assert_eq!(names(parent.path()), ["release", "release.private"], "the next run clears away");
}

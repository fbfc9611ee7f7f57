use super::*;
use crate::keys;
use crate::merge::merge;
use crate::setup::{Invitation, Joining, approve, invite, join};
use paravent_pipeline::demo;
use paravent_tables::watch::Unwatched;
use std::path::PathBuf;
use tempfile::TempDir;

/// The demo's folder, with an invitation to a run of protocol B.
fn invited() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    demo::write(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name);
    let parties = ["clinic-a", "clinic-b"];
    let invitation = Invitation {
        bundle: Some(at("invitation.toml")),
        ..Invitation::with_helper(at("paravent.toml"), "registry", &parties, "trustee", at("federation.toml"))
    };
    invite(&invitation, &Unwatched).unwrap();
    folder
}

fn joined(folder: &Path, me: &str, has_data: bool) -> PathBuf {
    let key = keys::generate(me, folder).unwrap();
    let answer = folder.join(format!("{me}.answer.toml"));
    let joining = Joining {
        federation: folder.join("federation.toml"),
        job: has_data.then(|| folder.join("paravent.toml")),
        me: me.to_owned(),
        address: format!("{me}.example:7001"),
        certificate: key.certificate,
        answer: Some(answer.clone()),
    };
    join(&joining, &Unwatched).unwrap();
    answer
}

fn look(folder: &Path) -> Folder {
    Folder::look(folder, None).unwrap().unwrap()
}

fn words(folder: &Folder) -> Vec<(&'static str, &'static str)> {
    folder.steps("paravent.toml").iter().map(|step| (step.kind.word(), step.state.word())).collect()
}

#[test]
fn steps_follow_the_files() {
    let folder = invited();
    let path = folder.path();
    let begun = look(path);
    assert_eq!((begun.me.clone(), begun.packed, begun.steps("paravent.toml").len()), (None, false, 0));
    let answer = joined(path, "clinic-a", true);
    let answered = look(path);
    assert_eq!(answered.me.as_deref(), Some("clinic-a"), "the certificate says who this is");
    assert_eq!(words(&answered)[..3], [("keygen", "done"), ("join", "done"), ("merge", "next")]);
    let merging = &answered.steps("paravent.toml")[2].command;
    assert_eq!(merging.join(" "), "paravent party merge federation.toml clinic-a.answer.toml");
    let answers = [answer, joined(path, "clinic-b", true), joined(path, "trustee", false)];
    // Three certificates are here now, so somebody has to say which party this is.
    assert_eq!(look(path).me, None);
    merge(&path.join("federation.toml"), &answers).unwrap();
    let whole = Folder::look(path, Some("clinic-b")).unwrap().unwrap();
    assert!(whole.status.complete && whole.answers.iter().all(|answer| answer.merged));
    assert_eq!(
        words(&whole)[2..],
        [("merge", "done"), ("approve", "next"), ("preview", "later"), ("run", "later")]
    );
    approve(&path.join("federation.toml"), Some(&path.join("paravent.toml")), "clinic-b", &Unwatched)
        .unwrap();
    let approved = Folder::look(path, Some("clinic-b")).unwrap().unwrap();
    assert_eq!(words(&approved)[3..], [("approve", "done"), ("preview", "next"), ("run", "next")]);
    let run = approved.steps("paravent.toml").pop().unwrap().command.join(" ");
    assert_eq!(
        run,
        "paravent party run federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem"
    );
    let helper = Folder::look(path, Some("trustee")).unwrap().unwrap();
    assert!(
        !helper.steps("paravent.toml").iter().any(|step| step.command.contains(&"paravent.toml".to_owned()))
    );
}

#[test]
fn an_invitation_that_is_packed_is_shown_as_it_is() {
    let folder = invited();
    std::fs::remove_file(folder.path().join("federation.toml")).unwrap();
    let packed = Folder::look(folder.path(), Some("clinic-b")).unwrap().unwrap();
    assert!(packed.packed);
    assert_eq!(words(&packed)[0], ("unpack", "next"));
    std::fs::remove_file(folder.path().join("invitation.toml")).unwrap();
    assert!(Folder::look(folder.path(), None).unwrap().is_none());
}

#[test]
fn answers_to_another_invitation_are_named() {
    let (here, there) = (invited(), invited());
    let answer = joined(there.path(), "clinic-b", true);
    std::fs::copy(answer, here.path().join("clinic-b.answer.toml")).unwrap();
    std::fs::write(here.path().join("x.answer.toml"), "run = 1").unwrap();
    let seen = look(here.path());
    assert_eq!(seen.answers[0].problem.as_deref(), Some("answers another invitation"));
    assert!(seen.answers[1].problem.is_some() && seen.answers[1].parties.is_empty());
    assert!(matches!(Folder::look(here.path(), Some("nobody")), Err(JointError::Problems(_))));
}

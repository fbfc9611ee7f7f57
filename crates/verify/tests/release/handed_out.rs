//! Releases of format 2: one folder to hand out, one that stays.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use ed25519_dalek::{Signer, SigningKey};
use paravent_verify::{PublicKey, Verification, VerifyError, verify, verify_signed};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::builder::{Release, digest, put, violated};
use crate::canonical;

/// The example as it is handed out, with its private folder, in a directory of its own.
pub struct HandedOut {
    pub release: Release,
    pub parent: TempDir,
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap();
    bytes.push(b'\n');
    bytes
}

impl HandedOut {
    pub fn example() -> HandedOut {
        HandedOut::of(Release::example())
    }

    pub fn of(mut release: Release) -> HandedOut {
        let manifest = release.manifest.as_object_mut().unwrap();
        manifest.insert("format".into(), json!(2));
        manifest.insert("paravent".into(), json!(env!("CARGO_PKG_VERSION")));
        manifest.shift_remove("job");
        manifest.shift_remove("transform");
        manifest["input"].as_object_mut().unwrap().shift_remove("sha256");
        manifest["output"].as_object_mut().unwrap().shift_remove("seed");
        for attribute in manifest["attributes"].as_array_mut().unwrap() {
            attribute.as_object_mut().unwrap().shift_remove("max_level");
        }
        let reports =
            ["report.html", "report.json"].map(|file| json!({ "file": file, "sha256": digest(b"report") }));
        manifest.insert("reports".into(), json!(reports));
        let made = HandedOut { release, parent: tempfile::tempdir().unwrap() };
        fs::create_dir(made.dir()).unwrap();
        fs::create_dir(made.private()).unwrap();
        put(&made.dir(), "report.html", b"report");
        put(&made.dir(), "report.json", b"report");
        made.write();
        made
    }

    pub fn dir(&self) -> PathBuf {
        self.parent.path().join("release")
    }

    pub fn private(&self) -> PathBuf {
        self.parent.path().join("release.private")
    }

    pub fn file(&self) -> String {
        self.release.manifest["output"]["file"].as_str().unwrap().to_owned()
    }

    /// Writes everything, digests included.
    pub fn write(&self) {
        let data = canonical::data(&self.release);
        self.write_with(&data);
    }

    /// The same with these bytes as data file.
    pub fn write_with(&self, data: &[u8]) {
        put(&self.dir(), &self.file(), data);
        let mut manifest = self.release.manifest.clone();
        manifest["output"]["sha256"] = digest(data).into();
        self.write_manifest(&pretty(&manifest));
    }

    /// The same with these bytes as manifest.
    pub fn write_manifest(&self, manifest: &[u8]) {
        put(&self.dir(), "manifest.json", manifest);
        let mut transform = self.release.transform.clone();
        transform["release"] = json!({ "manifest_sha256": digest(manifest) });
        put(&self.private(), "transform.json", &pretty(&transform));
    }

    pub fn manifest(&self) -> Vec<u8> {
        fs::read(self.dir().join("manifest.json")).unwrap()
    }

    pub fn verify(&self) -> Verification {
        verify(&self.dir()).unwrap()
    }

    /// As the recipient has it.
    pub fn alone(self) -> HandedOut {
        fs::remove_dir_all(self.private()).unwrap();
        self
    }

    pub fn sign(&self, key: &SigningKey) {
        let signature = key.sign(&[b"paravent manifest 1\n".as_slice(), &self.manifest()].concat());
        let public = hexadecimal(key.verifying_key().as_bytes());
        let line = format!("paravent-signature-1 {public} {}\n", hexadecimal(&signature.to_bytes()));
        put(&self.dir(), "manifest.sig", line.as_bytes());
    }
}

pub fn key(number: u8) -> (SigningKey, PublicKey) {
    let key = SigningKey::from_bytes(&[number; 32]);
    let public = PublicKey::parse(&hexadecimal(key.verifying_key().as_bytes())).unwrap();
    (key, public)
}

fn not_checked(verification: &Verification) -> Vec<String> {
    let about = |open: &paravent_verify::NotChecked| match &open.subject {
        Some(subject) => format!("{} {subject}", open.name),
        None => open.name.clone(),
    };
    verification.not_checked.iter().map(about).collect()
}

#[test]
fn both_folders_together_leave_only_the_signature_open() {
    for format in ["csv", "parquet", "arrow"] {
        let release = match format {
            "csv" => Release::example(),
            other => Release::example().in_format(other),
        };
        let verification = HandedOut::of(release).verify();
        assert!(verification.holds(), "{format}: {:#?}", verification.violations().collect::<Vec<_>>());
        assert_eq!(not_checked(&verification), ["signature"]);
    }
}

#[test]
fn the_handed_out_folder_alone_says_what_it_could_not_check() {
    let verification = HandedOut::example().alone().verify();
    assert!(verification.holds(), "{:#?}", verification.violations().collect::<Vec<_>>());
    assert_eq!(not_checked(&verification), ["labels age", "labels zip", "transform", "signature"]);
    let text = verification.text("release");
    for told in [
        "Not checked",
        "labels (age)",
        "private folder",
        "not signed",
        "k-anonymity (k = 2)",
        "quasi-identifying: age, sex, zip",
        "8 rows were read",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn what_is_taken_on_trust_is_named_with_its_values() {
    let trusted = HandedOut::example().alone().verify().trusted;
    let said = |what: &str| &trusted.iter().find(|trusted| trusted.what == what).unwrap().said;
    assert_eq!(said("roles")["sex"], "quasi-identifier");
    assert_eq!(said("required")[0], json!({ "model": "k-anonymity", "required": { "k": 2 } }));
    assert_eq!(said("rows"), &json!({ "read": 8, "suppressed": 2, "population": null }));
    assert_eq!(said("reference"), &json!(["t-closeness"]));
    assert_eq!(said("levels"), &json!({ "age": 1, "sex": 0, "zip": 3 }));
    // A lowered k, and quasi-identifiers that are none any more, cannot be found; they are there to be read.
    let mut lowered = HandedOut::example();
    lowered.release.manifest["privacy"] =
        json!([{ "model": "k-anonymity", "required": { "k": 1 }, "achieved": { "k": 6 }, "holds": true }]);
    for attribute in lowered.release.manifest["attributes"].as_array_mut().unwrap() {
        *attribute = json!({ "name": attribute["name"], "role": "insensitive", "type": "string" });
    }
    lowered.release.manifest["solution"]["classes"] = json!(1);
    lowered.release.manifest["solution"]["smallest_class"] = json!(6);
    lowered.write();
    assert!(!lowered.verify().holds(), "the private folder knows better");
    let text = lowered.alone().verify().text("release");
    assert!(text.contains("k-anonymity (k = 1)") && text.contains("no quasi-identifying column"), "{text}");
}

#[test]
fn a_manifest_of_another_release_is_found() {
    let made = HandedOut::example();
    let bytes = made.manifest();
    put(&made.dir(), "manifest.json", &[&bytes[..], b" "].concat());
    assert_eq!(violated(&made.verify()), ["digest manifest.json".to_owned(), "manifest".to_owned()].into());
    let unnamed = HandedOut::example();
    put(&unnamed.private(), "transform.json", &pretty(&unnamed.release.transform));
    assert_eq!(violated(&unnamed.verify()), ["digest manifest.json".to_owned()].into());
}

#[test]
fn a_private_folder_that_waits_under_a_hidden_name_is_found() {
    let made = HandedOut::example();
    let hidden = made.parent.path().join(".release.paravent-0123456789abcdef.private");
    fs::rename(made.private(), &hidden).unwrap();
    assert_eq!(not_checked(&made.verify()), ["signature"]);
    fs::create_dir(made.private()).unwrap();
    let mut other = made.release.transform.clone();
    other["release"] = json!({ "manifest_sha256": "of another release" });
    put(&made.private(), "transform.json", &pretty(&other));
    assert!(made.verify().holds());
    fs::remove_dir_all(hidden).unwrap();
    assert_eq!(violated(&made.verify()), ["digest manifest.json".to_owned()].into());
}

#[test]
fn only_plain_files_are_looked_at() {
    for file in ["data.csv", "manifest.json"] {
        let made = HandedOut::example();
        fs::rename(made.dir().join(file), made.parent.path().join(file)).unwrap();
        symlink(made.parent.path().join(file), made.dir().join(file)).unwrap();
        assert!(matches!(verify(&made.dir()), Err(VerifyError::Io { .. })), "{file}");
    }
    let linked = HandedOut::example();
    fs::hard_link(linked.dir().join("data.csv"), linked.parent.path().join("other")).unwrap();
    assert_eq!(violated(&linked.verify()), ["files".to_owned()].into());
    for report in ["report.html", "report.json"] {
        let folder = HandedOut::example();
        fs::remove_file(folder.dir().join(report)).unwrap();
        fs::create_dir(folder.dir().join(report)).unwrap();
        assert_eq!(violated(&folder.verify()), [format!("digest {report}"), "files".to_owned()].into());
        let link = HandedOut::example();
        fs::rename(link.dir().join(report), link.parent.path().join(report)).unwrap();
        symlink(link.parent.path().join(report), link.dir().join(report)).unwrap();
        assert!(violated(&link.verify()).contains("files"));
    }
    let stranger = HandedOut::example();
    put(&stranger.dir(), "notes.txt", b"names");
    assert_eq!(violated(&stranger.verify()), ["files".to_owned()].into());
}

#[test]
fn a_signature_shows_every_edit_and_who_made_it() {
    let (ours, public) = key(1);
    let (_, stranger) = key(2);
    let made = HandedOut::example().alone();
    assert!(violated(&verify_signed(&made.dir(), Some(&public)).unwrap()).contains("signature manifest.sig"));
    made.sign(&ours);
    let signed = verify_signed(&made.dir(), Some(&public)).unwrap();
    assert!(signed.holds());
    assert_eq!(signed.signer, Some(public.to_string()));
    assert!(!verify_signed(&made.dir(), Some(&stranger)).unwrap().holds());
    let open = verify(&made.dir()).unwrap();
    assert!(open.holds() && not_checked(&open).contains(&"signature".to_owned()));
    // Without a key an edit shows all the same, unless it is signed anew; then the key is another one.
    let mut lowered = made.release.manifest.clone();
    lowered["privacy"][0]["required"]["k"] = json!(1);
    lowered["output"]["sha256"] = digest(&canonical::data(&made.release)).into();
    put(&made.dir(), "manifest.json", &pretty(&lowered));
    assert_eq!(violated(&made.verify()), ["signature manifest.sig".to_owned()].into());
    made.sign(&key(2).0);
    assert!(made.verify().holds());
    assert_eq!(
        violated(&verify_signed(&made.dir(), Some(&public)).unwrap()),
        ["signature manifest.sig".to_owned()].into()
    );
    for garbage in ["", "hello", "paravent-signature-1 00 00\n"] {
        put(&made.dir(), "manifest.sig", garbage.as_bytes());
        assert!(violated(&made.verify()).contains("signature manifest.sig"));
    }
}

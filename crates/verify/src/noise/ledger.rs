//! What was paid: the line of the ledger that the manifest names, and that the private folder has a copy of.

use serde_json::Value;

use super::exact::Rational;
use super::stated::Noisy;
use crate::folder::Folder;
use crate::{Check, NotChecked, data, json};

/// Whether a line is named, and where the private folder is there, whether it is the one and pays for the release.
pub(super) fn check(dir: &Folder<'_>, noisy: &Noisy, manifest: &str) -> (Check, Option<NotChecked>) {
    let mut problems = Vec::new();
    let free = noisy.epsilon.is_zero() && noisy.delta.is_zero() && noisy.bounded;
    if noisy.lines.is_empty() && !free {
        problems.push("no line of a ledger is named".to_owned());
    }
    let is_hash = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if noisy.lines.iter().any(|(line, hash)| *line < 2 || !is_hash(hash)) {
        problems.push("a line of a ledger is named that cannot be one".to_owned());
    }
    let fine = match noisy.lines.len() {
        0 => "it costs nothing".to_owned(),
        lines => format!("{lines} lines of ledgers are named"),
    };
    let kept = copies(dir, manifest);
    let open = kept.is_none().then(|| NotChecked {
        name: "ledger".to_owned(),
        subject: None,
        why: "what the line of the ledger says is in the private folder, which is not here".to_owned(),
    });
    if let Some(copies) = kept {
        for (line, hash) in &noisy.lines {
            match copies.iter().find(|copy| copy["hash"] == hash.as_str()) {
                Some(copy) => problems.extend(judge(copy, *line, hash, noisy)),
                None => problems.push(format!("line {line} of the ledger is not in the private folder")),
            }
        }
    }
    (Check::new("ledger", None, &problems, fine), open)
}

/// The lines that the private folder keeps, if it belongs to this manifest.
fn copies(dir: &Folder<'_>, manifest: &str) -> Option<Vec<Value>> {
    let private = match dir {
        Folder::Directory(path) => {
            let mut private = std::fs::canonicalize(path).ok()?.into_os_string();
            private.push(".private");
            Folder::Directory(private.into())
        }
        Folder::Handed(held) => Folder::Private(held.private?),
        Folder::Private(_) => return None,
    };
    let bytes = private.read("transform.json").ok()?;
    let document = json::parse("transform.json", &bytes).ok()?;
    let own = document["release"]["manifest_sha256"].as_str() == Some(manifest);
    own.then(|| document["ledger"].as_array().cloned().unwrap_or_default())
}

/// What is wrong with a line.
fn judge(copy: &Value, line: u64, hash: &str, noisy: &Noisy) -> Option<String> {
    let text = copy["text"].as_str().unwrap_or_default();
    let (open, end) = text.rsplit_once(",\"hash\":\"")?;
    let body = format!("{open}}}");
    if end.strip_suffix("\"}") != Some(hash) || data::sha256(body.as_bytes()) != hash {
        return Some(format!("line {line} of the ledger was changed: its hash does not fit"));
    }
    let Ok(record) = serde_json::from_str::<Value>(&body) else {
        return Some(format!("line {line} of the ledger cannot be read"));
    };
    if record["kind"] == "unbounded" {
        return noisy.bounded.then(|| format!("line {line} of the ledger is of noise without a bound"));
    }
    let paid = |key: &str| record[key].as_str().and_then(Rational::parse);
    match (paid("epsilon"), paid("delta")) {
        (Some(epsilon), Some(delta)) if epsilon >= noisy.epsilon && delta >= noisy.delta => None,
        (Some(_), Some(_)) => {
            Some(format!("line {line} of the ledger paid for less than the release gives away"))
        }
        _ => Some(format!("line {line} of the ledger says nothing of a cost")),
    }
}

//! Archives with fixed times: ustar, gzip, and the `ar` of Debian packages.

use anyhow::Context;
use flate2::{Compression, GzBuilder};
use std::io::Write;

/// A file of an archive.
pub struct Entry {
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

impl Entry {
    /// A file that is read.
    pub fn file(path: impl Into<String>, bytes: Vec<u8>) -> Entry {
        Entry { path: path.into(), mode: 0o644, bytes }
    }

    /// A file that is run.
    pub fn program(path: impl Into<String>, bytes: Vec<u8>) -> Entry {
        Entry { path: path.into(), mode: 0o755, bytes }
    }
}

/// gzip without a name and a time.
pub fn compressed(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// A `.tar.gz` with all folders on the way.
pub fn tarball(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut tar = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    for entry in entries {
        for (at, _) in entry.path.match_indices('/') {
            let folder = format!("./{}/", &entry.path[..at]);
            if !folders.contains(&folder) {
                header(&folder, 0o755, 0, b'5', &mut tar)?;
                folders.push(folder);
            }
        }
        header(&format!("./{}", entry.path), entry.mode, entry.bytes.len(), b'0', &mut tar)?;
        tar.extend_from_slice(&entry.bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    compressed(&tar)
}

/// A block of POSIX ustar.
fn header(path: &str, mode: u32, size: usize, kind: u8, out: &mut Vec<u8>) -> anyhow::Result<()> {
    let mut block = [0_u8; 512];
    let mut put = |at: usize, text: &str, width: usize| -> anyhow::Result<()> {
        let place = block.get_mut(at..at + width).filter(|place| text.len() <= place.len());
        place.context("a name is too long for tar")?[..text.len()].copy_from_slice(text.as_bytes());
        Ok(())
    };
    put(0, path, 100)?;
    put(100, &format!("{mode:07o}"), 8)?;
    put(108, "0000000", 8)?;
    put(116, "0000000", 8)?;
    put(124, &format!("{size:011o}"), 12)?;
    put(136, "00000000000", 12)?;
    put(148, "        ", 8)?;
    put(257, "ustar\u{0}00", 8)?;
    put(265, "root", 32)?;
    put(297, "root", 32)?;
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\u{0} ").as_bytes());
    out.extend_from_slice(&block);
    Ok(())
}

/// A Debian package, deb(5): an `ar` of three members.
pub fn debian(entries: &[Entry], version: &str) -> anyhow::Result<Vec<u8>> {
    let size: usize = entries.iter().map(|entry| entry.bytes.len()).sum::<usize>().div_ceil(1024);
    let control = format!(
        "Package: paravent\nVersion: {version}\nArchitecture: amd64\nSection: science\nPriority: optional\nInstalled-Size: {size}\n\
         Maintainer: The Paravent authors <paravent@localhost>\nDescription: anonymize tables about people, and prove it on the result\n \
         Finds the best table that keeps k-anonymity and its relatives, writes it,\n and has a second program check every promise on the finished file.\n"
    );
    let control = tarball(&[Entry::file("control", control.into_bytes())])?;
    let data = tarball(entries)?;
    let mut ar = b"!<arch>\n".to_vec();
    for (name, bytes) in
        [("debian-binary", &b"2.0\n"[..]), ("control.tar.gz", &control), ("data.tar.gz", &data)]
    {
        writeln!(ar, "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`", 0, 0, 0, "100644", bytes.len())?;
        ar.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            ar.push(b'\n');
        }
    }
    Ok(ar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::program("usr/bin/tool", b"#!/bin/sh\n".to_vec()),
            Entry::file("usr/share/doc/tool/copyright", b"free\n".to_vec()),
        ]
    }

    #[test]
    fn the_same_files_give_the_same_bytes_and_tar_reads_them() {
        let one = tarball(&entries()).unwrap();
        assert_eq!(one, tarball(&entries()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar.gz");
        std::fs::write(&path, one).unwrap();
        let told = Command::new("tar").arg("-tzvf").arg(&path).output().unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        assert!(told.contains("-rwxr-xr-x root/root") && told.contains("./usr/bin/tool"), "{told}");
        assert!(told.contains("drwxr-xr-x"), "{told}");
    }

    #[test]
    fn debian_tools_read_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool.deb");
        std::fs::write(&path, debian(&entries(), "1.2.3").unwrap()).unwrap();
        // Elsewhere than on Debian and its relatives there is no such tool.
        let Ok(told) = Command::new("dpkg-deb").arg("--info").arg(&path).output() else { return };
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.status.success() && text.contains("Version: 1.2.3"), "{text}");
        let listed = Command::new("dpkg-deb").arg("--contents").arg(&path).output().unwrap();
        assert!(String::from_utf8_lossy(&listed.stdout).contains("./usr/bin/tool"));
    }
}

//! What the operating system says, in plain words.

/// Its sentences as Rust shows them, by number, and what people are told instead.
const WORDS: [(&str, &str); 12] = [
    ("Operation not permitted (os error 1)", "that is not permitted"),
    ("No such file or directory (os error 2)", "no such file or folder"),
    ("Permission denied (os error 13)", "no permission"),
    ("File exists (os error 17)", "is there already"),
    ("Not a directory (os error 20)", "a part of the path is a file, not a folder"),
    ("Is a directory (os error 21)", "it is a folder, not a file"),
    ("Too many open files (os error 24)", "too many files are open"),
    ("File too large (os error 27)", "the file would become too large"),
    ("No space left on device (os error 28)", "the disk is full"),
    ("Read-only file system (os error 30)", "nothing can be written there"),
    ("File name too long (os error 36)", "the name is too long"),
    ("Directory not empty (os error 39)", "the folder is not empty"),
];

/// A message without numbers of the operating system.
pub fn plain(message: &str) -> String {
    let mut text = message.to_owned();
    for (said, told) in WORDS {
        text = text.replace(said, told);
    }
    // What is not in the list keeps its words and loses its number.
    while let Some(start) = text.find(" (os error ") {
        let Some(length) = text[start..].find(')') else { break };
        text.replace_range(start..=start + length, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_not_shown() {
        assert_eq!(plain("a: No such file or directory (os error 2)"), "a: no such file or folder");
        assert_eq!(plain("a: Broken pipe (os error 32). Again"), "a: Broken pipe. Again");
        assert_eq!(plain("nothing to do"), "nothing to do");
    }

    /// The list is what this system says.
    #[cfg(target_os = "linux")]
    #[test]
    fn sentences_are_those_of_the_system() {
        for (said, _) in WORDS {
            let number = said.rsplit(' ').next().unwrap().trim_end_matches(')').parse().unwrap();
            assert_eq!(std::io::Error::from_raw_os_error(number).to_string(), said);
        }
    }
}

//! A small table whose cells can be recognised wherever they turn up, and a job about it.

/// Fifty people in two large classes, and one that must be left out. Every cell of a row can be recognised.
pub fn fifty_people() -> String {
    let mut text = String::from("name,age,illness,note\n");
    for row in 0..50 {
        let age = if row % 2 == 0 { 31 } else { 42 };
        text += &format!("name-{row}-end,{age},illness-{},note-{row}-end\n", row % 3);
    }
    text += "name-alone-end,77,illness-9,note-alone-end\n";
    text
}

/// A job about that table. Notes are released as they are, so they are read for the rows that stay.
pub fn job(url: &str, table: &str, note: &str) -> String {
    format!(
        r#"version = 1
[input]
url = "{url}"
table = "{table}"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
max_level = 0
[[attributes]]
name = "illness"
role = "sensitive"
[[attributes]]
name = "note"
role = "{note}"
release = "as it is"
[privacy]
suppression_limit = 0.1
models = [ {{ model = "k-anonymity", k = 5 }} ]
[output]
path = "release"
"#
    )
}

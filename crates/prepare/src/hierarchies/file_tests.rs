use super::*;

fn parse(bytes: &[u8]) -> Result<TableHierarchy, String> {
    let lines = HierarchyLines::parse(bytes, Path::new("age.csv"), &FileOptions::default());
    lines.and_then(|lines| lines.table()).map_err(|problems| problems.to_string())
}

fn labels(bytes: &[u8]) -> Vec<String> {
    let table = parse(bytes).unwrap();
    let cells = table
        .lines()
        .iter()
        .map(|line| std::iter::once(line.value().unwrap_or("(null)")).chain(line.labels()));
    cells.map(|cells| cells.collect::<Vec<_>>().join(">")).collect()
}

#[test]
fn a_file_is_read_however_it_is_stored() {
    let expected = ["34>20-60>*", "66>61-99>*"];
    for text in [
        "34;20-60;*\n66;61-99;*\n",
        "34;20-60;*\r\n66;61-99;*",
        "\u{feff}34,20-60,*\r\n\r\n66,61-99,*\r\n",
        "34\t20-60\t*\n66\t61-99\t*\n",
        "\"34\"|\"20-60\"|\"*\"\n66|61-99|*\n",
    ] {
        assert_eq!(labels(text.as_bytes()), expected, "{text:?}");
    }
    let wide: Vec<u8> =
        "\u{feff}34;20-60;*\n66;61-99;*\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(labels(&wide), expected);
}

#[test]
fn older_files_are_latin_1() {
    assert_eq!(labels(b"M\xFCnchen;Bayern;*\nK\xF6ln;NRW;*\n"), ["München>Bayern>*", "Köln>NRW>*"]);
    assert_eq!(labels("München;Bayern;*\n".as_bytes()), ["München>Bayern>*"]);
}

#[test]
fn the_null_texts_of_the_table_start_the_missing_values_line() {
    assert_eq!(labels(b"a;x;*\n;unknown;*\n"), ["a>x>*", "(null)>unknown>*"]);
    let options = FileOptions { null: vec!["NA".into()], ..FileOptions::default() };
    let lines = HierarchyLines::parse(b";x;*\nNA;y;*\n", Path::new("a.csv"), &options).unwrap();
    let values: Vec<_> = lines.rows.iter().map(|row| row.value()).collect();
    assert_eq!(values, [Some(""), None]);
    assert_eq!(lines.null, "NA");
}

#[test]
fn all_problems_are_told_with_their_physical_lines() {
    let text = b"\n34;20-60;*\n45;20-60;all\n\n\"6\n6\";61-99\n34;20-60;*\n";
    let expected = "\
        age.csv:3: equals line 2 on level 1, but not on level 2. Write the same label on level 2 or \
        different ones on level 1\n\
        age.csv:5: has 2 columns, but most lines have 3. Write a label for each level\n\
        age.csv:7: repeats the value of line 2. Delete one of the two lines";
    assert_eq!(parse(text).unwrap_err(), expected);
}

#[test]
fn what_is_no_hierarchy_is_refused_with_advice() {
    for (bytes, expected) in [
        (&b""[..], "age.csv: has no lines. Write one line for each value, such as 34;20-60;*"),
        (b"\xEF\xBB\xBF\r\n\n", "age.csv: has no lines. Write one line for each value, such as 34;20-60;*"),
        (
            b"34\n45\n",
            "age.csv: has only one column: no line has a semicolon. \
             Write the value and its labels on each line, such as 34;20-60;*",
        ),
        (
            b"34;\"20-60;*\n45;20-60;*\n",
            "age.csv:1: opens a quote that is never closed. \
             Close it, or write \"\" for a quote that is part of the text",
        ),
        (
            b"34;20-60;\n",
            "age.csv:1: has an empty label on level 2. \
             Write a label, such as *, or remove the semicolon at the end of the line",
        ),
        (b"34;;*\n", "age.csv:1: has an empty label on level 1. Write a label, such as *"),
        (
            b"34;x;*\n;;*\n",
            "age.csv:2: has an empty label on level 1. \
             Leave the line out: a missing value stays missing below the top",
        ),
        (
            b";x;*\n34;x;*\n;x;*\n",
            "age.csv:3: is the missing value's, as is line 1. Delete one of the two lines",
        ),
        (
            b"PK\x03\x04\n\0\0",
            "age.csv:2: is not plain text. Export the hierarchy as CSV in the encoding UTF-8",
        ),
        (
            b"\xEF\xBB\xBF34;*\n\xFC;*\n",
            "age.csv:2: is not plain text. Export the hierarchy as CSV in the encoding UTF-8",
        ),
    ] {
        assert_eq!(parse(bytes).unwrap_err(), expected);
    }
    let tall = format!("34{}\n", ";x".repeat(256));
    assert!(parse(tall.as_bytes()).unwrap_err().starts_with("age.csv:1: has more than 256 columns. "));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |path: &Path| HierarchyLines::read(path, &FileOptions::default()).unwrap_err().to_string();
    let missing = folder.path().join("age.csv");
    assert_eq!(shown(&missing), format!("{}: cannot be read: no such file", missing.display()));
    assert_eq!(
        shown(folder.path()),
        format!("{}: cannot be read: it is a directory", folder.path().display())
    );
}

#[test]
fn of_very_many_problems_the_first_are_told() {
    let text = "a;x;*\n".repeat(100);
    let told = parse(text.as_bytes()).unwrap_err();
    assert_eq!(told.lines().count(), 1 + TOLD);
    assert!(told.starts_with("age.csv: has 99 problems; here are the first 20\nage.csv:2: repeats"));
}

#[test]
fn problems_show_no_cell() {
    let text = b"secret-a;secret-b;secret-c\nsecret-a;secret-b;secret-d\nsecret-e;\nsecret-f;;\n\"secret-g";
    let told = parse(text).unwrap_err();
    assert_eq!(told.lines().count(), 7, "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn a_delimiter_may_be_given() {
    let options = FileOptions { delimiter: Some(b':'), ..FileOptions::default() };
    let lines = HierarchyLines::parse(b"a:x;y:*\n", Path::new("a.csv"), &options).unwrap();
    assert_eq!(lines.table().unwrap().lines().to_rows()[0].labels, ["x;y", "*"]);
    let lines = HierarchyLines::parse(b"a;x;*\n", Path::new("a.csv"), &options).unwrap();
    assert!(lines.table().unwrap_err().to_string().contains("no line has a `:`"));
}

#[test]
fn an_empty_first_cell_means_missing_whatever_the_table_says() {
    for null in [vec!["NA".to_owned()], vec![String::new()], vec!["NA".to_owned(), String::new()], Vec::new()]
    {
        let options = FileOptions { null, ..FileOptions::default() };
        let lines = HierarchyLines::parse(b"a;x;*\n;none;*\n", Path::new("a.csv"), &options).unwrap();
        let table = lines.table().unwrap();
        let missing: Vec<_> = table.lines().to_rows().into_iter().filter(|row| row.value.is_none()).collect();
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].labels, ["none", "*"]);
    }
    // A line of its own says otherwise.
    let options = FileOptions { null: vec!["NA".to_owned()], ..FileOptions::default() };
    let lines = HierarchyLines::parse(b"a;x;*\n;none;*\nNA;y;*\n", Path::new("a.csv"), &options).unwrap();
    let rows = lines.table().unwrap().lines().to_rows();
    assert_eq!(rows.iter().find(|row| row.value.is_none()).unwrap().labels, ["y", "*"]);
}

use super::*;

fn csv(text: impl Into<Vec<u8>>) -> Input {
    input("t.csv", text)
}

fn csv_with(text: impl Into<Vec<u8>>, change: impl FnOnce(&mut ReadOptions)) -> Input {
    let mut options = ReadOptions::new("t.csv");
    change(&mut options);
    Input::from_bytes(text, options)
}

#[test]
fn plain_tables() {
    for (text, expected) in [
        ("a,b\n1,2\n3,4\n", "a|b/1|2/3|4"),
        ("a;b\r\n1;2\r\n3;4", "a|b/1|2/3|4"),
        ("a\tb\r1\t2\r", "a|b/1|2"),
        ("a,b\n,\n\"\",x\n", "a|b/?|?/?|x"),
        ("a,b\n\"1,\"\"x\"\"\ny\",2\n", "a|b/1,\"x\"\ny|2"),
        ("a,b\n 1 , 2\t\n", "a|b/ 1 | 2\t"),
        ("\n\na,b\n\n1,2\n\n", "a|b/1|2"),
        ("a,b\n", "a|b"),
        ("a", "a"),
        ("a\n\"\"\nx\n", "a/?/x"),
        ("\u{FEFF}a,b\n1,2\n", "a|b/1|2"),
        ("ä,b\nö,€\n", "ä|b/ö|€"),
        (",a,b\n0,x,y\n", "row_number|a|b/0|x|y"),
    ] {
        assert_eq!(shown(&csv(text)), expected, "{text:?}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, expected) in [
        ("", "t.csv is empty"),
        ("\n\r\n", "t.csv has no header row"),
        ("a,,b\n", "t.csv, line 1: the header's column 2 has no name; write one there"),
        (",,b\n", "t.csv, line 1: the header's column 1 has no name; write one there"),
        (",row_number\n", "t.csv, line 1: the header's column 1 has no name; write one there"),
        ("\na,b,a\n", "t.csv, line 2: the header's columns 1 and 3 have the same name; rename one of them"),
        ("a,b\n1,2\n1\n", "t.csv, line 3: 1 cells, but the header has 2"),
        ("a,b\n1,2,3\n", "t.csv, line 2: 3 cells, but the header has 2"),
        ("a,b\n1,2,3,4,5,6,7\n", "t.csv, line 2: 7 cells, but the header has 2"),
        ("a,b\n\"x\n\ny\",2\n1\n", "t.csv, line 5: 1 cells, but the header has 2"),
        ("a,b\r\n\r\n1,2\r\n1\r\n", "t.csv, line 4: 1 cells, but the header has 2"),
        ("a,b\r\r1,2\r1\r", "t.csv, line 4: 1 cells, but the header has 2"),
        ("a,b\n1,2\n3,\"4\n5,6\n", "t.csv, line 3: the quote opened in this row is never closed"),
        ("a,b\n1,\"", "t.csv, line 2: the quote opened in this row is never closed"),
        (
            "a,b\n1,2\n3,x\0\n",
            "t.csv, line 3, column `b`: a NUL byte; this is not plain text (or it is UTF-16: encoding = \"utf-16\")",
        ),
    ] {
        let told = shown(&csv(text));
        assert!(told.starts_with(expected), "{text:?}: {told}");
    }
    assert_eq!(
        shown(&csv(b"\x1F\x8B\x08\x00")),
        "t.csv is a gzip archive, not a table; unpack or export it first"
    );
    for page in ["<!DOCTYPE html><p>", "\n <HTML><table>", "<table>\n<tr><td>age"] {
        let told = shown(&csv(page));
        assert!(told.starts_with("t.csv is a web page") && told.contains("save it as CSV"), "{told}");
    }
    assert_eq!(
        shown(&csv("%PDF-1.7\n1,2\n")),
        "t.csv is a PDF document, not a table; unpack or export it first"
    );
    assert_eq!(shown(&csv("<age>,b\n1,2\n")), "<age>|b/1|2");
}

#[test]
fn an_umlaut_beyond_the_first_megabyte_tells_the_encoding() {
    let rows = |last: &[u8]| {
        let mut bytes = b"town,age\n".to_vec();
        bytes.extend(b"Bonn,34\n".repeat(150_000));
        bytes.extend(last);
        bytes
    };
    let last = |bytes: Vec<u8>| {
        let table = csv(bytes);
        let told = shown(&table);
        told.rsplit('/').next().unwrap_or_default().to_owned()
    };
    assert_eq!(last(rows(b"K\xF6ln,34\n")), "Köln|34");
    assert_eq!(last(rows("Köln,34\n".as_bytes())), "Köln|34");
    assert_eq!(last(rows(b"Bonn,34\n")), "Bonn|34");
    // Between the two nothing is guessed.
    let both = [rows("Köln,34\n".as_bytes()), b"K\xF6ln,34\n".to_vec()].concat();
    assert!(shown(&csv(both)).contains("not UTF-8"));
}

#[test]
fn options_are_obeyed() {
    let table = csv_with("a;b\n'1;2';NA\n-;x\n", |options| {
        options.quote = Some(b'\'');
        options.null = Some(vec!["NA".into(), "-".into()]);
    });
    assert_eq!(shown(&table), "a|b/1;2|?/?|x");

    let table = csv_with("a,b;c\n1,2;3\n", |options| options.delimiter = Some(b';'));
    assert_eq!(shown(&table), "a,b|c/1,2|3");

    let table = csv_with("1,2\n3,4\n", |options| options.header = Header::Absent);
    assert_eq!(shown(&table), "1|2/1|2/3|4");
    let table = csv_with("1,1\n", |options| options.header = Header::Absent);
    assert_eq!(shown(&table), "1|2/1|1");

    let same = csv_with("a,b\n", |options| options.delimiter = Some(b'"'));
    assert!(matches!(same.open(), Err(ReadError::Options { .. })));
    let line_end = csv_with("a,b\n", |options| options.quote = Some(b'\n'));
    assert!(matches!(line_end.open(), Err(ReadError::Options { .. })));

    assert_eq!(shown(&input("t.tsv", "a,x\tb\n1,y\t2\n")), "a,x|b/1,y|2");
    assert_eq!(shown(&input("t.data", "a|b\n1|2\n")), "a|b/1|2");
}

#[test]
fn encodings_are_found() {
    let latin = csv(b"name,city\nJ\xFCrgen,K\xF6ln\n".to_vec());
    assert_eq!(shown(&latin), "name|city/Jürgen|Köln");
    assert_eq!(latin.open().unwrap().dialect().encoding, Some(Encoding::Latin1));

    for (encode, encoding) in [
        ((|unit: u16| unit.to_le_bytes()) as fn(u16) -> [u8; 2], Encoding::Utf16Le),
        (u16::to_be_bytes, Encoding::Utf16Be),
    ] {
        let bytes: Vec<u8> = "\u{FEFF}name;x\nŁódź;😀\n".encode_utf16().flat_map(encode).collect();
        let source = csv(bytes.clone()).open().unwrap();
        let expected = Dialect {
            format: Format::Csv,
            delimiter: Some(b';'),
            quote: Some(b'"'),
            encoding: Some(encoding),
            byte_order_mark: true,
        };
        assert_eq!(*source.dialect(), expected);
        assert_eq!(shown(&csv(bytes.clone())), "name|x/Łódź|😀");
        let told = csv_with(bytes, |options| options.encoding = Encoding::from_name("utf-16"));
        assert_eq!(shown(&told), "name|x/Łódź|😀");
    }

    let lone = csv(b"\xFF\xFEa\0\n\0\x00\xD8b\0".to_vec());
    assert_eq!(shown(&lone), "t.csv, line 2: not utf-16le");
}

#[test]
fn latin_1_behind_utf_8_is_refused_with_advice() {
    let mut text = "a,b\n1,Köln\n".as_bytes().to_vec();
    text.extend(b"1,2\n".repeat(299_999));
    text.extend(b"1,M\xFCller\n");
    let advice = "t.csv, line 300002, column `b`: not UTF-8; if the file is from an older system, say encoding = \"latin-1\"";
    assert_eq!(shown(&csv(text.clone())), advice);

    let told = csv_with(text.clone(), |options| options.encoding = Some(Encoding::Latin1));
    assert_eq!(read(&told).unwrap().1.last().unwrap()[1].as_deref(), Some("Müller"));

    // A column that is not selected is not looked at.
    let mut source = csv(text).open().unwrap();
    source.select(&[0]).unwrap();
    assert_eq!(rows(&mut source).unwrap().len(), 300_001);

    let fixed = csv_with(b"a\n\xFC\n", |options| options.encoding = Some(Encoding::Utf8));
    assert!(shown(&fixed).starts_with("t.csv, line 2, column `a`: not UTF-8"));
    let fixed = csv_with(b"\xFC\n", |options| options.encoding = Some(Encoding::Utf8));
    assert!(shown(&fixed).starts_with("t.csv, line 1: not UTF-8"));
}

#[test]
fn memory_is_bounded_by_the_field_limit() {
    for (text, column) in [("a,b\n1,\"", "b"), ("a,b\n\"", "a"), ("a,b\n", "a")] {
        let bytes = [text.as_bytes(), &b"xy\n"[..2].repeat(1 << 20)].concat();
        let table = csv_with(bytes, |options| options.field_limit = 1000);
        let expected = format!(
            "t.csv, line 2, column `{column}`: a cell larger than 1000 bytes; is a quote never closed?"
        );
        assert_eq!(shown(&table), expected);
    }
    // Also where the buffer is large enough by chance, behind the last column, and in the header.
    let table = csv_with(format!("a,b\n1,{}\n", "x".repeat(1001)), |options| options.field_limit = 1000);
    assert!(shown(&table).contains("line 2, column `b`: a cell larger"));
    let table =
        csv_with(format!("a,b\n1,2,3,{}\n", "x".repeat(1 << 20)), |options| options.field_limit = 1000);
    assert!(shown(&table).contains("line 2: a cell larger"));
    let table = csv_with("x".repeat(1 << 20), |options| options.field_limit = 1000);
    assert!(shown(&table).contains("a cell larger"));
    let table = csv_with(format!("a,b\n1,{}\n", "x".repeat(1000)), |options| options.field_limit = 1000);
    assert_eq!(read(&table).unwrap().1.len(), 1);
    assert!(matches!(csv(",".repeat(1 << 17)).open(), Err(ReadError::TooManyColumns { .. })));
}

#[test]
fn columns_are_selected_in_any_order() {
    let table = csv("a,b,c\n1,2,3\n4,5,6\n");
    let mut source = table.open().unwrap();
    source.select(&[2, 0]).unwrap();
    assert_eq!(source.selected_columns(), ["c", "a"]);
    let cells = rows(&mut source).unwrap();
    assert_eq!(cells, [[Some("3".to_owned()), Some("1".into())], [Some("6".into()), Some("4".into())]]);

    let mut source = csv("a,b\n1,2\n3\n").open().unwrap();
    source.select(&[]).unwrap();
    assert!(matches!(rows(&mut source), Err(ReadError::RaggedRow { .. })));

    let mut source = csv("a,b\n1,2\n3,4\n").open().unwrap();
    source.select(&[]).unwrap();
    assert_eq!(rows(&mut source).unwrap().len(), 2);
}

#[test]
fn lines_of_rows_are_known() {
    let mut source = csv("a,b\n1,\"x\n\"\n\n2,y\n3,z\n").open().unwrap();
    let mut batch = Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    assert_eq!((0..3).map(|row| batch.line(row).unwrap()).collect::<Vec<_>>(), [2, 5, 6]);
}

#[test]
fn after_an_error_there_is_no_end() {
    let mut source = csv("a,b\n1\n").open().unwrap();
    let mut batch = Batch::default();
    assert!(matches!(source.next_batch(&mut batch), Err(ReadError::RaggedRow { .. })));
    assert!(source.next_batch(&mut batch).is_err());
}

#[test]
fn a_line_that_announces_the_delimiter_is_no_row() {
    assert_eq!(shown(&input("a.csv", "sep=;\na;b\n1;2,5\n")), "a|b/1|2,5");
    assert_eq!(shown(&input("a.csv", "sep=|\r\na|b\r\n1|2\r\n")), "a|b/1|2");
    assert_eq!(shown(&input("a.csv", "sep=\n1\n")), "sep=/1");
    let mut source = input("a.csv", "sep=;\na;b\n1\n").open().unwrap();
    let told = source.next_batch(&mut Batch::default()).unwrap_err().to_string();
    assert!(told.starts_with("a.csv, line 3: 1 cells, but the header has 2"), "{told}");
}

#[test]
fn an_empty_column_at_the_end_is_none() {
    assert_eq!(shown(&csv("a;b;\n1;2;\n3;4;\n")), "a|b/1|2/3|4");
    assert_eq!(shown(&csv("a;b\n1;2;\n3;4\n")), "a|b/1|2/3|4");
    assert_eq!(shown(&csv("a;b;;\n1;2;;\n3;4\n")), "a|b/1|2/3|4");
    // A cell without a name is no mistake of nobody.
    assert!(shown(&csv("a;b;\n1;2;\n3;4;5\n")).starts_with("t.csv, line 3: 3 cells, but the header has 2"));
    assert!(shown(&csv("a;b\n1;2;3\n")).starts_with("t.csv, line 2: 3 cells, but the header has 2"));
    assert!(shown(&csv(";;\n1;2;3\n")).starts_with("t.csv, line 1: the header's column 1 has no name"));
}

#[test]
fn what_is_around_the_table_is_left_out_on_request() {
    let text = "Export of 2024\nby nobody, at all\n\na;b\n1;2\n3;4\n\nRows: 2\nend\n";
    let table = csv_with(text, |options| (options.skip, options.footer) = (3, 2));
    assert_eq!(shown(&table), "a|b/1|2/3|4");
    let mut source = table.open().unwrap();
    let mut batch = Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    assert_eq!([batch.line(0), batch.line(1)], [Some(5), Some(6)]);
    let table = csv_with(text.replace('\n', "\r\n"), |options| (options.skip, options.footer) = (3, 2));
    assert_eq!(shown(&table), "a|b/1|2/3|4");
    // Which key helps is told.
    assert!(shown(&csv(text)).contains("skip = LINES"), "{}", shown(&csv(text)));
    let below = csv_with(text, |options| options.skip = 3);
    assert!(shown(&below).contains("line 8: 1 cells") && shown(&below).contains("footer = ROWS"));
    let all = csv_with("a;b\n1;2\n", |options| options.footer = 7);
    assert_eq!(shown(&all), "a|b");
    let beyond = csv_with("a;b\n1;2\n", |options| options.skip = 7);
    assert_eq!(shown(&beyond), "t.csv has no header row");
}

#[test]
fn blanks_and_empty_rows_are_left_out_on_request() {
    let mut options = ReadOptions::new("a.csv");
    options.blanks = Blanks::Trim;
    options.null = Some(vec![String::new(), "NA".into()]);
    let text = " a ;b\n x ; NA\n;;\n ; \nz;\" q \"\n;;;\n";
    let trimmed = Input::from_bytes(text.as_bytes().to_vec(), options);
    assert_eq!(shown(&trimmed), "a|b/x|?/z|q");
    let mut options = ReadOptions::new("a.csv");
    options.blanks = Blanks::Trim;
    options.null = Some(vec![String::new(), "NA".into()]);
    let trimmed = Input::from_bytes(b" a ;b\n x ; NA\n;\n ; \nz;\" q \"\n".to_vec(), options);
    assert_eq!(shown(&trimmed), "a|b/x|?/z|q");
}

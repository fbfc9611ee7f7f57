use super::*;

fn json(text: &str) -> String {
    shown(&input("t.jsonl", text))
}

#[test]
fn lines_and_arrays() {
    let expected = "age|name|smoker/34|Ann \"A\"|true/?|?|?/1.50e3|ü|false";
    let objects = [
        r#"{"age": 34, "name": "Ann \"A\"", "smoker": true}"#,
        r#"{"name": null}"#,
        r#"{"smoker":false,"age":1.50e3,"name":"\u00fc"}"#,
    ];
    assert_eq!(json(&objects.join("\n")), expected);
    assert_eq!(json(&format!("[\n{}\n]\n", objects.join(",\n"))), expected);
    assert_eq!(shown(&input("unknown", format!("\u{FEFF}{}", objects.join("\r\n\r\n")))), expected);
}

#[test]
fn big_numbers_keep_their_digits() {
    assert_eq!(
        json(r#"{"a": 123456789012345678901234567890.10, "b": -0}"#),
        "a|b/123456789012345678901234567890.10|-0"
    );
}

#[test]
fn texts_are_not_taken_for_missing_unless_told() {
    assert_eq!(json(r#"{"a": "", "b": "NA"}"#), "a|b/|NA");
    let mut options = ReadOptions::new("t.json");
    options.null = Some(vec!["NA".into()]);
    assert_eq!(shown(&Input::from_bytes(r#"{"a": "", "b": "NA"}"#, options)), "a|b/|?");
}

#[test]
fn errors_name_the_place() {
    for (text, expected) in [
        (" \n", "t.jsonl has no header row"),
        ("[]", "t.jsonl has no header row"),
        ("{}", "t.jsonl has no header row"),
        ("{\"a\":1}\n{\"a\":2,\"b\":3}", "t.jsonl, line 2: a key that the first object does not have"),
        (
            "{\"a\":1}\n{\"a\":[2]}",
            "t.jsonl, line 2, column `a`: a list or object inside a cell; flatten the table first",
        ),
        (
            "{\"a\":{}}",
            "t.jsonl, line 1, column `a`: a list or object inside a cell; flatten the table first",
        ),
        ("{\"a\":1}\n\n{\"a\":1,\"a\":2}", "t.jsonl, line 3, column `a`: the key occurs twice in one object"),
        (
            "{\"a\":1,\"a\":2}",
            "t.jsonl, line 1: the header's columns 1 and 2 have the same name; rename one of them",
        ),
        ("{\"\":1}", "t.jsonl, line 1: the header's column 1 has no name; write one there"),
        ("{\"a\":1}\n{\"a\":x}", "t.jsonl, line 2: not a valid JSON object"),
        ("{\"a\":1}\n{\"a\" 2}", "t.jsonl, line 2: not a valid JSON object"),
        ("{\"a\":1}\n5", "t.jsonl, line 2: an object is expected, like {\"age\": 34}"),
        ("[{\"a\":1}\n", "t.jsonl, line 3: the array is never closed"),
        ("[{\"a\":1},\n]", "t.jsonl, line 2: an object is expected behind the comma"),
        ("[{\"a\":1}{\"a\":1}]", "t.jsonl, line 1: a comma is expected between objects"),
        ("[{\"a\":1}] x", "t.jsonl, line 1: text behind the end of the array"),
        ("{\"a\":1}\n{\"a\":\"x\n\n", "t.jsonl, line 2: the object is never closed"),
        ("{\"a\":\"\\ud800\"}", "t.jsonl, line 1, column `a`: a text with an impossible escape"),
    ] {
        assert_eq!(json(text), expected, "{text:?}");
    }
    assert!(json("{\"a\":\"x\\u0000\"}").starts_with("t.jsonl, line 1, column `a`: a NUL byte"));
    assert_eq!(json(""), "t.jsonl is empty");
}

#[test]
fn an_endless_object_is_refused() {
    let mut options = ReadOptions::new("t.jsonl");
    options.field_limit = 1000;
    let text = format!("{{\"a\":1}}\n{{\"a\":\"{}", "x".repeat(1 << 20));
    let expected = "t.jsonl, line 2: an object larger than a cell may be; is a text never closed?";
    assert_eq!(shown(&Input::from_bytes(text, options)), expected);
}

#[test]
fn columns_are_selected_in_any_order() {
    let table = input("t.jsonl", "{\"a\":1,\"b\":2,\"c\":3}\n{\"c\":6}\n");
    let mut source = table.open().unwrap();
    source.select(&[2, 0]).unwrap();
    assert_eq!(
        rows(&mut source).unwrap(),
        [[Some("3".to_owned()), Some("1".into())], [Some("6".into()), None]]
    );
}

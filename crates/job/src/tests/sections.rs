//! Problems of input, attributes, hierarchies, search and output.

use super::*;
use crate::InputFormat;

#[test]
fn names_out_of_a_list_are_listed() {
    assert_problem(
        &with("\"quasi-identifier\"", "\"quasi_identifer\""),
        "job.toml:6: attributes[0].role: \"quasi_identifer\" is not a role. Did you mean \"quasi-identifier\"? \
         Possible: identifying, quasi-identifier, sensitive, insensitive",
    );
    assert_problem(
        &with("type = \"integer\"", "type = \"int\""),
        "job.toml:7: attributes[0].type: \"int\" is not a type. Did you mean \"integer\"? \
         Possible: string, integer, decimal, date, datetime, boolean",
    );
    assert_problem(
        &and("[search]\nmetric = \"entropie\""),
        "job.toml:18: search.metric: \"entropie\" is not a metric. Did you mean \"entropy\"? Possible: height, \
         precision, precision-m, loss, loss-geometric, aecs, discernibility, discernibility-m, entropy, nuem, nmnuem, \
         distortion, loss-maximum",
    );
    assert_problem(
        &and("[search]\nalgorithm = \"magic\""),
        "job.toml:18: search.algorithm: \"magic\" is not an algorithm. Possible: auto, best-first, flash, \
         flash-parallel, flash-two-phase, flash-dfs, ola, incognito, samarati, bfs, dfs, top-down, exhaustive",
    );
    assert_problem(
        &and("[output]\nformat = \"CSV\""),
        "job.toml:18: output.format: \"CSV\" is not an output format. Did you mean \"csv\"? \
         Possible: csv, parquet, arrow, xlsx",
    );
    assert_problem(
        &and("[output]\norder = \"random\""),
        "job.toml:18: output.order: \"random\" is not an order of rows. Possible: canonical, shuffled, input",
    );
}

#[test]
fn input_is_a_file_or_a_database() {
    let input = |lines: &str| with("path = \"patients.csv\"", lines);
    assert_problem(
        &input("path = \"a.csv\"\nurl = \"postgres://h/d\"\ntable = \"t\""),
        "job.toml:4: input.url: cannot be together with path. Keep one of the two",
    );
    assert_problem(
        &input("url = \"postgres://h/d\""),
        "job.toml:2: input.table: is missing. Write e.g. table = \"patients\"",
    );
    assert_problem(
        &input("url = \"mysql://h/d\"\ntable = \"t\""),
        "job.toml:3: input.url: must start with postgres:// or sc://. Write e.g. url = \"postgres://host/database\"",
    );
    assert_problem(
        &input("path = \"a.csv\"\ntable = \"t\""),
        "job.toml:4: input.table: goes with url, not with path. \
         Leave it out, or write url = \"postgres://…\" instead of path",
    );
    assert_problem(
        &input("path = \"a.XLSB\""),
        "job.toml:3: input.path: files of this kind cannot be read. \
         Export the table as CSV or Parquet first, or say what the file is with format = \"csv\"",
    );
    assert_eq!(problems(&input("path = \"a.XLSB\"\nformat = \"csv\"")), [] as [String; 0]);
    for format in InputFormat::ALL {
        let path = format!("path = \"a.{}\"", format.name());
        assert_eq!(problems(&input(&path)), [] as [String; 0], "{path}");
    }
    assert_eq!(problems(&input("path = \"-\"")), [] as [String; 0]);
}

#[test]
fn delimiters_are_single_characters() {
    let input = |line: &str| with("\"patients.csv\"", &format!("\"patients.csv\"\n{line}"));
    for right in ["delimiter = \"\\t\"", "delimiter = 'tab'", "delimiter = ';'\nquote = \"'\""] {
        assert_eq!(problems(&input(right)), [] as [String; 0], "{right}");
    }
    for wrong in ["';;'", "''", "'ä'", "\"\\n\""] {
        assert_problem(
            &input(&format!("delimiter = {wrong}")),
            "job.toml:4: input.delimiter: must be a single ASCII character or \"tab\". Write e.g. delimiter = \";\"",
        );
    }
    assert_problem(
        &input("quote = 'none'"),
        "job.toml:4: input.quote: must be a single ASCII character or \"tab\". Write e.g. quote = '\"'",
    );
    let advice = "Write e.g. delimiter = \",\" and quote = '\"'";
    assert_problem(
        &input("delimiter = '\"'"),
        &format!("job.toml:4: input.delimiter: delimiter and quote must differ. {advice}"),
    );
    assert_problem(
        &input("delimiter = ';'\nquote = ';'"),
        &format!("job.toml:5: input.quote: delimiter and quote must differ. {advice}"),
    );
    assert_problem(
        &input("encoding = 'utf8bom'"),
        "job.toml:4: input.encoding: \"utf8bom\" is not an encoding. \
         Write e.g. encoding = \"utf-8\" or encoding = \"windows-1252\"",
    );
    assert_problem(
        &input("null = ['', 'NA', 'NA']"),
        "job.toml:4: input.null[2]: \"NA\" is listed twice. List each value once",
    );
}

#[test]
fn attributes_are_checked() {
    let twice = with("[privacy]", "[[attributes]]\nname = \"age\"\nrole = \"insensitive\"\n[privacy]");
    assert_problem(
        &twice,
        "job.toml:12: attributes[2].name: \"age\" is declared twice, first on line 5. \
         Keep one [[attributes]] block for each column",
    );
    assert_problem(
        &age_with("min_level = 3\nmax_level = 2"),
        "job.toml:9: attributes[0].max_level: must not be below min_level, which is 3. Write e.g. max_level = 3",
    );
    assert_problem(
        &age_with("max_level = 256"),
        "job.toml:8: attributes[0].max_level: must be between 0 and 255. Write e.g. max_level = 3",
    );
    for wrong in ["-0.5", "inf", "nan", "1e999"] {
        assert_problem(
            &age_with(&format!("weight = {wrong}")),
            "job.toml:8: attributes[0].weight: must be a finite number, at least 0 and at most 1000000000. Write e.g. weight = 1.0",
        );
    }
    assert_problem(
        &age_with("release = \"as its\""),
        "job.toml:8: attributes[0].release: \"as its\" is not a way to release a column. \
         Did you mean \"as it is\"? Possible: as it is",
    );
    let released = parse(&age_with("release = \"as it is\"")).unwrap();
    assert_eq!(released.attributes[0].release, Some(crate::Release::AsItIs));
    assert!(released.to_toml().contains("release = \"as it is\""));
    assert_problem(
        &age_with("order = [1, 2, \"1\"]"),
        "job.toml:8: attributes[0].order[2]: \"1\" is listed twice. List each value once",
    );
    assert_problem(
        &with("\"quasi-identifier\"", "\"insensitive\""),
        "job.toml:4: attributes: no attribute is a quasi-identifier. \
         Write role = \"quasi-identifier\" for the columns that others may know about a person",
    );
    assert_problem(
        &with("\"age\"", "\"\""),
        "job.toml:5: attributes[0].name: must not be empty. Write e.g. name = \"age\"",
    );
}

#[test]
fn hierarchies_have_one_builder() {
    let of = |spec: &str| age_with(&format!("hierarchy = {spec}"));
    assert_problem(
        &of("{ file = 'a.csv', redact = { from = 'left' } }"),
        "job.toml:8: attributes[0].hierarchy.redact: a hierarchy has one builder, and this is another one. \
         Keep one of them, or put one on top of the other with chain = [{ … }, { … }]",
    );
    assert_problem(
        &of("{}"),
        "job.toml:8: attributes[0].hierarchy: needs one of: file, intervals, redact, breaks, codes, age, lump, cluster, dates, order, ordering, parts, chain. \
         Write e.g. hierarchy = { file = \"age.csv\" }",
    );
    assert_problem(
        &of("{ interval = { widths = [5] } }"),
        "job.toml:8: attributes[0].hierarchy.interval: unknown key. Did you mean intervals? \
         Allowed here: file, intervals, redact, breaks, codes, age, lump, cluster, dates, order, ordering, parts, chain, delimiter",
    );
    assert_problem(
        &of("{ redact = {}, delimiter = ';' }"),
        "job.toml:8: attributes[0].hierarchy.delimiter: goes with file only. Leave it out",
    );
    let chain = "Write e.g. chain = [{ intervals = { widths = [5], min = 0, max = 100 } }, \
                 { file = \"age-groups.csv\" }]";
    assert_problem(
        &of("{ chain = ['a.csv'] }"),
        &format!("job.toml:8: attributes[0].hierarchy.chain: must have at least 2 entries. {chain}"),
    );
    assert_problem(
        &of("{ chain = ['a.csv', { chain = ['b.csv', 'c.csv'] }] }"),
        "job.toml:8: attributes[0].hierarchy.chain[1]: a chain cannot hold a chain. \
         Write its parts directly into the outer chain",
    );
}

#[test]
fn builders_are_checked() {
    let of = |spec: &str| age_with(&format!("hierarchy = {spec}"));
    let check = |spec: &str, expected: &str| {
        assert_problem(&of(spec), &format!("job.toml:8: attributes[0].hierarchy{expected}"));
    };
    let widths = "Write e.g. widths = [5, 10, 20]";
    let intervals = |inside: &str| format!("{{ intervals = {{ {inside} }} }}");
    check(
        &intervals("widths = [5, 12], min = 0, max = 9"),
        &format!(".intervals.widths[1]: must be a multiple of the width before it, 5. {widths}"),
    );
    check(
        &intervals("widths = [5, 5], min = 0, max = 9"),
        &format!(".intervals.widths[1]: must be larger than the width before it, 5. {widths}"),
    );
    check(
        &intervals("widths = [0.0], min = 0, max = 9"),
        &format!(".intervals.widths[0]: must be above 0. {widths}"),
    );
    check(
        &intervals("widths = [], min = 0, max = 9"),
        &format!(".intervals.widths: must not be empty. {widths}"),
    );
    check(
        &intervals("widths = [5], min = 9, max = 9.0"),
        ".intervals.max: must be above min, which is 9. Write e.g. max = 100",
    );
    check(&intervals("widths = [5], max = 9.0"), ".intervals.min: is missing. Write e.g. min = 0");
    check(
        &intervals("widths = [5], min = 0, max = 9, outliers = 'clip'"),
        ".intervals.outliers: \"clip\" is not a way to treat outliers. Possible: label, clamp, refuse",
    );
    check(
        "{ redact = { char = 'xx' } }",
        ".redact.char: must be a single visible character. Write e.g. char = \"*\"",
    );
    check("{ redact = { alphabet = 1 } }", ".redact.alphabet: must be at least 2. Write e.g. alphabet = 10");
    check("{ redact = { length = 0 } }", ".redact.length: must be between 1 and 255. Write e.g. length = 5");
    check(
        "{ ordering = { sizes = [2, 1] } }",
        ".ordering.sizes[1]: must be at least 2. Write e.g. sizes = [2, 3]",
    );
    check(
        "{ dates = ['year'] }",
        ": dates do not fit the type integer. Write type = \"date\" or type = \"datetime\"",
    );
    let order = "Write e.g. order = [[\"single\", \"divorced\"], [\"married\"]]";
    check("{ order = ['a', 'b'] }", &format!(".order: must be a list of groups, not of values. {order}"));
    check(
        "{ order = [['a'], ['b', 'a']] }",
        ".order[1][1]: \"a\" is listed twice. Put each value into one group",
    );
    check(
        "{ order = [['a'], 'b'] }",
        ".order[1]: values and groups cannot be in one list. \
         Put single values into a group of their own, as in [[\"a\", \"b\"], [\"c\"]]",
    );
    check(
        "{ order = [['a'], [['b']]] }",
        ".order[1]: has 2 levels of groups, but its first neighbour has 1. \
         Nest all values equally deep, as in [[\"c\"]]",
    );
    check(
        "{ order = [{ label = 'x', of = ['a'] }, { label = 'x', of = ['b'] }] }",
        ".order[1].label: \"x\" is the label of another group of this level. Give each group its own label",
    );
}

#[test]
fn dates_are_checked() {
    let of = |units: &str, data_type: &str| {
        let line = format!("type = \"{data_type}\"\nhierarchy = {{ dates = [{units}] }}");
        with("type = \"integer\"", &line)
    };
    let check = |units, data_type, expected: &str| {
        assert_problem(&of(units, data_type), &format!("job.toml:8: attributes[0].hierarchy{expected}"));
    };
    let advice = "Write e.g. dates = [\"month\", \"quarter\", \"year\"]";
    check(
        "'year', 'month'",
        "date",
        &format!(".dates[1]: month must come before year: list fine units first. {advice}"),
    );
    check(
        "'week', 'month'",
        "date",
        ".dates[1]: a week can lie in two units of the kind month. Leave out \"week\", or \"month\" and what follows",
    );
    check(
        "'hour', 'day'",
        "date",
        ": the type date has no time of day. Write type = \"datetime\", or leave out \"hour\"",
    );
    assert_eq!(problems(&of("'hour', 'day', 'week'", "datetime")), [] as [String; 0]);
}

#[test]
fn search_and_output_are_checked() {
    let search = |line: &str, expected: &str| {
        assert_problem(&and(&format!("[search]\n{line}")), &format!("job.toml:18: search.{expected}"));
    };
    search("threads = 1025", "threads: must be between 0 and 1024. Write e.g. threads = 0");
    search("threads = -1", "threads: must be between 0 and 1024. Write e.g. threads = 0");
    search(
        "seconds = -1",
        "seconds: must be a finite number, at least 0 and at most 1000000000. Write e.g. seconds = 60",
    );
    search("memory = 'lots'", "memory: \"lots\" is not an amount of memory. Write e.g. memory = \"4GiB\"");
    search("memory = 4", "memory: must be at least 1MiB. Write e.g. memory = \"4GiB\"");
    let output = |line: &str, expected: &str| {
        assert_problem(&and(&format!("[output]\n{line}")), &format!("job.toml:18: output.{expected}"));
    };
    output("path = ''", "path: must not be empty. Write e.g. path = \"release\"");
    output(
        "seed = 1",
        "seed: only a shuffled order needs a seed. Write order = \"shuffled\", or leave the seed out",
    );
    output("delimiter = '\"'", "delimiter: must differ from the quote. Write e.g. delimiter = \";\"");
    let memory = |text: &str| {
        parse(&and(&format!("[search]\nmemory = {text}"))).unwrap().search.memory.unwrap().bytes()
    };
    assert_eq!([memory("'2g'"), memory("'512 MB'"), memory("4194304")], [2 << 30, 512_000_000, 4 << 20]);
}

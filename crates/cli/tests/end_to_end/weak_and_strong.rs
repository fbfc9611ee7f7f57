//! Every attack on tables of other tools: a weak one made in another way than the attack's own self-test thinks of, and a strong one that looks alike.

mod second_looks;
mod trials;

use super::support::Place;
use std::fmt::Write;
use trials::{Judge, noted, strong, tried_by, weak};

const ILLNESSES: [&str; 6] = ["flu", "gout", "hiv", "ulcer", "asthma", "cold"];

/// A table as text.
fn csv(header: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    rows.into_iter().fold(format!("{header}\n"), |mut text, row| {
        let cells: Vec<String> = row.iter().map(|cell| format!("\"{cell}\"")).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
        text
    })
}

/// The rows of so many classes of so many rows each.
fn classes(classes: usize, size: usize, secret: impl Fn(usize, usize) -> String) -> Vec<Vec<String>> {
    let places = (0..classes).flat_map(|class| (0..size).map(move |row| (class, row)));
    places.map(|(class, row)| vec![format!("a{class}"), format!("z{class}"), secret(class, row)]).collect()
}

/// The rows with whose each is.
fn owned(rows: Vec<Vec<String>>, owner: impl Fn(usize) -> String) -> Vec<Vec<String>> {
    let with = |(number, mut row): (usize, Vec<String>)| {
        row.push(owner(number));
        row
    };
    rows.into_iter().enumerate().map(with).collect()
}

/// An order that is none, the same every time.
fn mixed(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut keyed: Vec<(u32, Vec<String>)> = (0u32..).zip(rows).map(|(n, row)| (scatter(n), row)).collect();
    keyed.sort();
    keyed.into_iter().map(|(_, row)| row).collect()
}

fn scatter(number: u32) -> u32 {
    let mut hash = (number + 1).wrapping_mul(0x9e37_79b9);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^ (hash >> 12)
}

fn illness(number: usize) -> String {
    ILLNESSES[number % 6].to_owned()
}

const HEADER: &str = "age,zip,s";

#[test]
fn lists_of_names_fit_however_the_release_writes_its_labels() {
    // Codes that begin with a zero, and raw ages beside intervals and masks.
    let release = |size: usize| {
        csv(HEADER, (0..40).map(|n| vec!["x".into(), format!("0{}", 1000 + n / size), illness(n)]))
    };
    let list =
        csv("name,age,zip", (0..40).map(|n| vec![format!("n{n}"), "x".into(), format!("0{}", 1000 + n)]));
    weak("linking", &[("t.csv", &release(1)), ("l.csv", &list)], &["--external", "l.csv"]);
    let list =
        csv("name,age,zip", (0..40).map(|n| vec![format!("n{n}"), "x".into(), format!("0{}", 1000 + n / 5)]));
    strong("linking", &[("t.csv", &release(5)), ("l.csv", &list)], &["--external", "l.csv"]);
    // Intervals in signs and in words; towns in capital letters.
    for (write, town, typed) in [
        ((|low, high| format!("[{low}, {}[", high + 1)) as fn(usize, usize) -> String, "0****", "01007"),
        (|low, high| format!("{low} to {high}"), "Z\u{fc}rich", " Z\u{dc}RICH"),
    ] {
        let intervals = |width: usize| {
            let low = |n: usize| (20 + n) / width * width;
            let label = |n: usize| vec![write(low(n), low(n) + width - 1), town.to_owned(), illness(n)];
            csv(HEADER, (0..40).map(label))
        };
        let person = |n: usize| vec![format!("n{n}"), (20 + n).to_string(), typed.to_owned()];
        let list = csv("name,age,zip", (0..40).map(person));
        weak("linking", &[("t.csv", &intervals(2)), ("l.csv", &list)], &["--external", "l.csv"]);
        strong("linking", &[("t.csv", &intervals(20)), ("l.csv", &list)], &["--external", "l.csv"]);
    }
}

#[test]
fn columns_that_are_unique_together_single_out_and_link() {
    let more = ["--against", "o.csv"];
    let run = |judge: Judge, attack: &str, people: Vec<Vec<String>>| {
        let (original, release) = (csv(HEADER, people.clone()), csv(HEADER, mixed(people)));
        judge(attack, &[("t.csv", &release), ("o.csv", &original)], &more);
    };
    // No age and no zip is rare; the pair is.
    let people = |zips: usize| {
        let person = |n: usize| vec![format!("{}", n % 20), format!("z{}", n / 20 % zips), illness(n % 20)];
        (0..200).map(person).collect::<Vec<_>>()
    };
    run(weak, "singling-out", people(10));
    run(strong, "singling-out", people(2));
    // Everybody has a double, but an age goes with one zip only.
    let doubles = (0..200).map(|n| vec![format!("{}", n / 2), format!("z{}", n / 2), illness(n)]).collect();
    run(weak, "linkability", doubles);
    run(strong, "linkability", people(10));
}

#[test]
fn values_of_one_person_are_no_diversity() {
    // Five rows and five illnesses in every class; weak: of one person.
    let rows = |people_per_class: usize| {
        owned(classes(20, 5, |class, row| illness(class + row)), move |n| {
            format!("p{}-{}", n / 5, n % 5 % people_per_class)
        })
    };
    let header = "age,zip,s,pid";
    for attack in ["homogeneity", "background-knowledge"] {
        weak(attack, &[("t.csv", &csv(header, rows(1)))], &["--person", "pid"]);
        strong(attack, &[("t.csv", &csv(header, rows(5)))], &["--person", "pid"]);
    }
    // Everybody has an illness of his own, and in one class everybody is positive besides.
    let twice = |class: usize| {
        let rows = classes(20, 10, move |at, row| match row % 2 {
            0 if at == class => "hiv".to_owned(),
            _ => ["flu", "gout", "ulcer", "asthma", "cold"][row / 2].to_owned(),
        });
        csv(header, owned(rows, |n| format!("p{}", n / 2)))
    };
    weak("positive-disclosure", &[("t.csv", &twice(3))], &["--person", "pid"]);
    strong("positive-disclosure", &[("t.csv", &twice(99))], &["--person", "pid"]);
}

#[test]
fn a_protected_value_may_be_spelled_otherwise() {
    let table = |instead: &str| {
        csv(
            HEADER,
            classes(12, 6, |class, row| match (class, illness(class + row)) {
                (4, secret) if secret == "hiv" => instead.to_owned(),
                (_, secret) => secret,
            }),
        )
    };
    weak("negative-disclosure", &[("t.csv", &table("flu"))], &["--protect", "s=hiv"]);
    strong("negative-disclosure", &[("t.csv", &table("HIV "))], &["--protect", "s=hiv"]);
}

#[test]
fn a_class_without_the_common_value_accuses() {
    // Nine of ten are negative; nobody in one class is.
    let table = |odd: usize| {
        csv(
            HEADER,
            classes(30, 10, |class, row| if class == odd || row == 0 { "pos" } else { "neg" }.to_owned()),
        )
    };
    weak("skewness", &[("t.csv", &table(7))], &[]);
    strong("skewness", &[("t.csv", &table(99))], &[]);
}

#[test]
fn secrets_that_begin_alike_or_share_a_category_are_similar() {
    let table = |class: [&str; 3], others: [&str; 6]| {
        csv(
            HEADER,
            classes(12, 6, |at, row| match at {
                4 => class[row % 3].to_owned(),
                _ => others[(at + row) % 6].to_owned(),
            }),
        )
    };
    let plain = ["Gicht", "Fraktur", "Grippe", "Asthma", "Ulkus", "Migräne"];
    let diabetes = ["Diabetes mellitus Typ 1", "Diabetes mellitus Typ 2", "Diabetes, n. n. bez."];
    weak("similarity", &[("t.csv", &table(diabetes, plain))], &[]);
    strong("similarity", &[("t.csv", &table([diabetes[0], diabetes[1], "Gicht"], plain))], &[]);
    let cancers = ["lung cancer", "Colon cancer", "skin cancer"];
    weak("similarity", &[("t.csv", &table(cancers, plain))], &[]);
    strong("similarity", &[("t.csv", &table([cancers[0], cancers[1], "Gicht"], plain))], &[]);
    let codes = ["E110", "I10", "K291", "J459", "C509", "F329"];
    weak("similarity", &[("t.csv", &table(["E110", "E119", "E115"], codes))], &[]);
    strong("similarity", &[("t.csv", &table(["E110", "E119", "I109"], codes))], &[]);
}

#[test]
fn moments_and_intervals_may_lie_close_together() {
    let spread = |class: usize, row: usize| scatter((class * 6 + row) as u32) as usize % 20_000;
    let moment = |hours: usize| {
        format!("2024-{:02}-{:02}T{:02}:00:00", 1 + hours / 672 % 12, 1 + hours / 24 % 28, hours % 24)
    };
    let interval = |number: usize| format!("[{}, {}[", number, number + 10);
    let writers: [&dyn Fn(usize) -> String; 2] = [&moment, &interval];
    for write in writers {
        let table = |odd: usize| {
            csv(
                HEADER,
                classes(20, 6, |class, row| {
                    write(if class == odd { 3000 + row } else { spread(class, row) })
                }),
            )
        };
        weak("proximity", &[("t.csv", &table(4))], &[]);
        strong("proximity", &[("t.csv", &table(99))], &[]);
    }
}

#[test]
fn bets_win_where_a_class_has_a_favourite() {
    // Strong: every class has every illness as often.
    let table = |favourite: bool| {
        (0..600usize)
            .map(|n| vec![format!("{}", n / 12), "z".to_owned(), illness(if favourite { n / 12 } else { n })])
            .collect::<Vec<_>>()
    };
    let outside = csv(HEADER, (0..600usize).map(|n| vec![format!("{}", n / 12), "z".to_owned(), illness(n)]));
    let more = ["--against", "o.csv", "--holdout", "h.csv"];
    let files = |favourite| (csv(HEADER, mixed(table(favourite))), csv(HEADER, table(favourite)));
    let (release, original) = files(true);
    weak("inference", &[("t.csv", &release), ("o.csv", &original), ("h.csv", &outside)], &more);
    let (release, original) = files(false);
    strong("inference", &[("t.csv", &release), ("o.csv", &original), ("h.csv", &outside)], &more);
}

#[test]
fn many_rows_of_a_person_are_no_population() {
    let release =
        csv("age,zip,s,pid", owned(classes(20, 5, |class, row| illness(class + row)), |n| format!("p{n}")));
    // Ten records for everybody in the table: of the same person, or of ten people.
    let population = |of_one: bool| {
        let record = move |n: usize| {
            let person =
                if of_one || n.is_multiple_of(10) { format!("p{}", n / 10) } else { format!("q{n}") };
            vec![format!("a{}", n / 50), format!("z{}", n / 50), person]
        };
        csv("age,zip,pid", (0..1000).map(record))
    };
    let more = ["--population", "p.csv", "--person", "pid"];
    weak("membership", &[("t.csv", &release), ("p.csv", &population(true))], &more);
    strong("membership", &[("t.csv", &release), ("p.csv", &population(false))], &more);
}

#[test]
fn an_order_shows_through_cuts_and_a_sorted_table_has_none() {
    let source: Vec<Vec<String>> = (0..300u32)
        .map(|n| {
            vec![
                format!("{}", 20 + scatter(n) % 60),
                format!("z{}", scatter(n + 999) % 40),
                illness(scatter(n + 5000) as usize),
            ]
        })
        .collect();
    let blocks: Vec<Vec<String>> = mixed((0..30).map(|n| vec![n.to_string()]).collect())
        .iter()
        .flat_map(|block| source[block[0].parse::<usize>().unwrap() * 10..][..10].to_vec())
        .collect();
    let ends: Vec<Vec<String>> =
        (0..300).map(|n| source[if n % 2 == 0 { n / 2 } else { 299 - n / 2 }].clone()).collect();
    let more = ["--against", "o.csv"];
    let original = csv(HEADER, source.clone());
    for release in [source.iter().rev().cloned().collect(), blocks, ends] {
        weak("row-order", &[("t.csv", &csv(HEADER, release)), ("o.csv", &original)], &more);
    }
    strong("row-order", &[("t.csv", &csv(HEADER, mixed(source.clone()))), ("o.csv", &original)], &more);
    // From the oldest to the youngest, as numbers; the source is sorted, too.
    let mut sorted = source;
    sorted.sort_by_key(|row| (row[0].parse::<u32>().unwrap(), row[1].clone(), row[2].clone()));
    let down: Vec<Vec<String>> = sorted.iter().rev().cloned().collect();
    strong("row-order", &[("t.csv", &csv(HEADER, down)), ("o.csv", &csv(HEADER, sorted))], &more);
}

#[test]
fn two_releases_are_laid_side_by_side_whatever_is_missing() {
    let people: Vec<(u32, u32)> = (0..120).map(|n| (scatter(n) % 3, 30 + scatter(n + 500) % 20)).collect();
    let one: Vec<Vec<String>> =
        people.iter().map(|(_, zip)| vec!["*".into(), format!("021{zip}"), "-".into()]).collect();
    let two: Vec<Vec<String>> = people
        .iter()
        .map(|(race, zip)| {
            vec![["asian", "black", "white"][*race as usize].into(), format!("021{}*", zip / 10), "-".into()]
        })
        .collect();
    let run = |judge: Judge, one: &[Vec<String>], two: &[Vec<String>]| {
        let (one, two) = (csv(HEADER, one.to_vec()), csv(HEADER, two.to_vec()));
        judge("unsorted-matching", &[("t.csv", &two), ("a.csv", &one)], &["--previous", "a.csv"]);
    };
    let without = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
        rows.iter().enumerate().filter(|(n, _)| n % 10 != 3).map(|(_, row)| row.clone()).collect()
    };
    run(weak, &one, &two);
    run(weak, &one, &two.iter().rev().cloned().collect::<Vec<_>>());
    run(weak, &one, &without(&two));
    run(strong, &one, &mixed(two.clone()));
    let sorted = |rows: &[Vec<String>]| {
        let mut rows = rows.to_vec();
        rows.sort_by_key(|row| (row[1].clone(), row[0].clone()));
        rows
    };
    run(strong, &sorted(&one), &sorted(&two));
}

#[test]
fn releases_by_different_columns_meet() {
    // One is exact in age, one in zip, and each class shows six secrets: together they leave one, or all six.
    let pairs = || (0..72usize).map(|n| (n / 12, n / 2 % 6));
    let by_age = |secret: &dyn Fn(usize, usize) -> String| {
        csv(HEADER, pairs().map(|(a, b)| vec![format!("a{a}"), "*".into(), secret(a, b)]))
    };
    let by_zip = |secret: &dyn Fn(usize, usize) -> String| {
        csv(HEADER, pairs().map(|(a, b)| vec!["*".into(), format!("z{b}"), secret(a, b)]))
    };
    let own = |a: usize, b: usize| format!("s{a}{b}");
    let shared = |a: usize, b: usize| illness(a + b);
    weak("composition", &[("t.csv", &by_zip(&own)), ("a.csv", &by_age(&own))], &["--previous", "a.csv"]);
    strong(
        "composition",
        &[("t.csv", &by_zip(&shared)), ("a.csv", &by_age(&shared))],
        &["--previous", "a.csv"],
    );
    // Rows of the same people once more.
    let rows = owned(classes(6, 6, |class, row| illness(class + row)), |n| format!("p{n}"));
    let table = csv("age,zip,s,pid", rows);
    let more = ["--previous", "a.csv", "--person", "pid"];
    strong("composition", &[("t.csv", &table), ("a.csv", &table)], &more);
}

#[test]
fn four_rows_of_a_newcomer_are_one_person() {
    let before = || owned(classes(10, 6, |class, row| illness(class + row)), |n| format!("p{n}"));
    let after = |people: usize| {
        let mut rows = before();
        rows.extend(
            (0..4).map(|n| vec!["a1".into(), "z1".into(), illness(n), format!("new {}", n % people)]),
        );
        csv("age,zip,s,pid", rows)
    };
    let (before, more) = (csv("age,zip,s,pid", before()), ["--previous", "a.csv", "--person", "pid"]);
    weak("release-difference", &[("t.csv", &after(1)), ("a.csv", &before)], &more);
    strong("release-difference", &[("t.csv", &after(4)), ("a.csv", &before)], &more);
    // Four who leave and were all positive.
    let mut sick = classes(10, 6, |class, row| illness(class + row));
    let healthy = csv(HEADER, sick.clone());
    sick.extend((0..4).map(|_| vec!["a1".into(), "z1".into(), "hiv".to_owned()]));
    weak(
        "release-difference",
        &[("t.csv", &healthy), ("a.csv", &csv(HEADER, sick))],
        &["--previous", "a.csv"],
    );
}

#[test]
fn columns_that_tell_together_and_columns_under_two_names_undo_a_slicing() {
    // The secret is whether two known cells differ; neither tells it alone.
    let xor = |tells: bool| {
        let row = move |n: u32| {
            let (one, two) = (scatter(n) % 2, scatter(n + 7000) % 2);
            (one, two, if tells { one ^ two } else { scatter(n + 90_000) % 2 })
        };
        let bucket = move |bucket: u32| {
            let (first, second) = (row(2 * bucket), row(2 * bucket + 1));
            let secrets = if scatter(bucket + 300).is_multiple_of(2) {
                [first.2, second.2]
            } else {
                [second.2, first.2]
            };
            [(first, secrets[0]), (second, secrets[1])].map(|(row, secret)| {
                vec![bucket.to_string(), row.0.to_string(), row.1.to_string(), format!("s{secret}")]
            })
        };
        csv("b,k,m,s", (0..300).flat_map(bucket))
    };
    let more = ["--sliced", "s.csv", "--bucket", "b", "--group", "k,m", "--group", "s"];
    weak("definetti", &[("s.csv", &xor(true))], &more);
    strong("definetti", &[("s.csv", &xor(false))], &more);
    // The same codes under another name, in another order inside the bucket.
    let more = ["--sliced", "s.csv", "--bucket", "b", "--group", "zip", "--group", "plz,s"];
    let twice = |zips: usize| {
        let row = move |n: usize| {
            let (bucket, place) = (n / 3, n % 3);
            let zip = |place: usize| format!("z{}", (bucket * 3 + place) / zips);
            vec![bucket.to_string(), zip(place), zip((place + 1) % 3), illness(n)]
        };
        csv("b,zip,plz,s", (0..180).map(row))
    };
    weak("relinking", &[("s.csv", &twice(1))], &more);
    strong("relinking", &[("s.csv", &twice(3))], &more);
}

#[test]
fn a_common_value_is_believed_whatever_the_noise() {
    let table = |common: usize| {
        csv(
            HEADER,
            (0..200)
                .map(|n| vec!["a".into(), "z".into(), if n < common { "flu".into() } else { illness(n) }]),
        )
    };
    weak("noise-inversion", &[("t.csv", &table(190))], &["--noise", "s=0.5"]);
    strong("noise-inversion", &[("t.csv", &table(0))], &["--noise", "s=0.2"]);
}

#[test]
fn answers_are_combined_in_any_number() {
    // A query is a list of stretches of rows: the first, and the one behind the last.
    type Query<'a> = &'a [(u32, u32)];
    let log = |queries: &[Query<'_>]| {
        let line = |query: &Query<'_>| {
            let rows = query.iter().flat_map(|&(from, to)| from..to).map(|row| row.to_string());
            rows.collect::<Vec<_>>().join(" ")
        };
        queries.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
    };
    let run = |judge: Judge, queries: &[Query<'_>], more: &[&str]| {
        judge("query-differencing", &[("q.txt", &log(queries))], &[&["--queries", "q.txt"], more].concat());
    };
    run(weak, &[&[(0, 40)], &[(39, 60)], &[(60, 100)], &[(0, 100)]], &[]);
    run(strong, &[&[(0, 40)], &[(40, 60)], &[(60, 100)], &[(0, 100)]], &[]);
    run(weak, &[&[(0, 1), (10, 20)], &[(0, 1), (20, 30)], &[(10, 30)]], &[]);
    run(weak, &[&[(0, 98)]], &["--rows", "100"]);
    run(strong, &[&[(0, 95)]], &["--rows", "100"]);
    // Two halves that share a row: with the answer about everybody, it is about that row.
    run(weak, &[&[(0, 51)], &[(50, 100)]], &["--rows", "100"]);
    run(strong, &[&[(0, 55)], &[(50, 100)]], &["--rows", "100"]);
}

/// A release of six people in two towns, and what an attack says of it.
fn of_two_towns(k: u64, recoding: &str, attack: &[&str], word: &str) {
    if noted(attack[0], word == "covered") {
        return;
    }
    let job = format!(
        "version = 1\n[input]\npath = \"patients.csv\"\n[[attributes]]\nname = \"zip\"\nrole = \"quasi-identifier\"\ntype = \"string\"\n\
         hierarchy = {{ redact = {{ from = \"right\" }} }}\n[[attributes]]\nname = \"s\"\nrole = \"sensitive\"\n\
         [privacy]\nmodels = [{{ model = \"k-anonymity\", k = {k} }}, {{ model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }}]\n\
         [search]\nmetric = \"loss\"\nrecoding = \"{recoding}\"\n[output]\npath = \"release\"\nregister = false\n"
    );
    let table = "zip,s\n8201,hiv\n8201,hiv\n8202,flu\n8202,gout\n8202,ulcer\n8202,cold\n";
    let place = Place::with(&job, table);
    let town =
        |share: usize| (0..100).map(|n| if n < share { "8201\n" } else { "8202\n" }).collect::<String>();
    place.write("uneven.csv", format!("zip\n{}", town(99)));
    place.write("even.csv", format!("zip\n{}", town(50)));
    place.anonymize(&[]).expect(0);
    let run = place.run(&[&["attack", "release", "--seed", "1", "--json", "--only"], attack].concat());
    assert_eq!(run.json()["attacks"][0]["severity"], word, "{recoding}, k = {k}");
}

#[test]
fn a_level_that_was_needed_tells_why_it_was() {
    let attack = ["minimality", "--against", "patients.csv"];
    for recoding in ["global", "local"] {
        // Two people are enough for k, so the town was hidden because both have the same illness; for k = 3 they were too few.
        of_two_towns(2, recoding, &attack, "residual");
        of_two_towns(3, recoding, &attack, "covered");
    }
}

#[test]
fn a_label_hides_nothing_where_nearly_everybody_has_one_value_behind_it() {
    let with = |population: &'static str| ["downcoding", "--population", population];
    of_two_towns(2, "local", &with("uneven.csv"), "broken");
    of_two_towns(2, "local", &with("even.csv"), "covered");
}

/// Whoever adds an attack adds a test with its weak and its strong table, and the test here.
const TESTS: [fn(); 21] = [
    lists_of_names_fit_however_the_release_writes_its_labels,
    columns_that_are_unique_together_single_out_and_link,
    values_of_one_person_are_no_diversity,
    a_protected_value_may_be_spelled_otherwise,
    a_class_without_the_common_value_accuses,
    secrets_that_begin_alike_or_share_a_category_are_similar,
    moments_and_intervals_may_lie_close_together,
    bets_win_where_a_class_has_a_favourite,
    many_rows_of_a_person_are_no_population,
    an_order_shows_through_cuts_and_a_sorted_table_has_none,
    two_releases_are_laid_side_by_side_whatever_is_missing,
    releases_by_different_columns_meet,
    four_rows_of_a_newcomer_are_one_person,
    columns_that_tell_together_and_columns_under_two_names_undo_a_slicing,
    a_common_value_is_believed_whatever_the_noise,
    answers_are_combined_in_any_number,
    a_level_that_was_needed_tells_why_it_was,
    a_label_hides_nothing_where_nearly_everybody_has_one_value_behind_it,
    second_looks::spellings_of_one_secret_are_one_secret,
    second_looks::paths_that_begin_alike_are_similar,
    second_looks::intervals_that_cross_give_away_who_is_between_their_limits,
];

#[test]
fn every_attack_is_tried_on_a_weak_and_on_a_strong_table() {
    let trials = Place::with("", "").run(&["attack", "--self-test", "--json"]).expect(0).json();
    let trials = trials["trials"].as_array().unwrap_or_else(|| panic!("{trials}")).clone();
    assert!(trials.len() > 20);
    let tried = tried_by(&TESTS);
    for trial in &trials {
        let name = trial["attack"].as_str().unwrap().to_owned();
        assert!(tried.contains(&(name.clone(), false)), "{name} has no weak table");
        assert!(tried.contains(&(name.clone(), true)), "{name} has no strong table");
    }
}

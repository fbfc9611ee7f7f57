//! Weak tables of which every single figure looks well: spellings of one value, paths, and intervals that cross.

use super::trials::{Judge, strong, weak};
use super::{HEADER, classes, csv, illness, mixed};

#[test]
pub(super) fn spellings_of_one_secret_are_one_secret() {
    // Nine of ten people of a class have hiv, in four spellings: the eye sees three of them, a program all.
    let spellings = ["hiv", "HIV", "h\u{200b}iv", "Hiv "];
    let table = |spellings: &[&str]| {
        csv(
            HEADER,
            classes(10, 10, |class, row| match (class, row) {
                (3, 0..9) => spellings[row % spellings.len()].to_owned(),
                _ => illness(class + row),
            }),
        )
    };
    weak("similarity", &[("t.csv", &table(&spellings))], &[]);
    let mut diverse = spellings.to_vec();
    diverse.extend(["gout", "cold", "ulcer"]);
    strong("similarity", &[("t.csv", &table(&diverse))], &[]);
    // An accent in two ways.
    let accents = |other: &'static str| {
        csv(
            HEADER,
            classes(12, 6, |class, row| match class {
                4 => ["Migr\u{e4}ne", other][row % 2].to_owned(),
                _ => ["Gicht", "Migr\u{e4}ne", "Ulkus", "Migra\u{308}ne", "Grippe", "Asthma"]
                    [(class + row) % 6]
                    .to_owned(),
            }),
        )
    };
    weak("similarity", &[("t.csv", &accents("Migra\u{308}ne"))], &[]);
    strong("similarity", &[("t.csv", &accents("Gicht"))], &[]);
}

#[test]
pub(super) fn paths_that_begin_alike_are_similar() {
    for between in ["/", " > "] {
        let path = |parts: [&str; 3]| parts.join(between);
        let others = [
            ["inj", "arm", "left"],
            ["neo", "colon", "end"],
            ["inf", "ear", "left"],
            ["psy", "fear", "mild"],
        ];
        let table = |class: [[&str; 3]; 3]| {
            csv(
                HEADER,
                classes(12, 6, |at, row| match at {
                    4 => path(class[row % 3]),
                    _ => path(others[(at + row) % 4]),
                }),
            )
        };
        weak(
            "similarity",
            &[(
                "t.csv",
                &table([["neo", "lung", "left"], ["neo", "lung", "right"], ["neo", "colon", "end"]]),
            )],
            &[],
        );
        strong(
            "similarity",
            &[("t.csv", &table([["neo", "lung", "left"], ["inj", "arm", "left"], ["neo", "colon", "end"]]))],
            &[],
        );
    }
}

#[test]
pub(super) fn intervals_that_cross_give_away_who_is_between_their_limits() {
    // Tens from 0 on, and tens from 9 on: only ages that end with nine are in both of two that cross.
    let run = |judge: Judge, of_each_age: usize| {
        let release = |first: usize| {
            let label = |age: usize| match age < first {
                true => format!("0-{}", first - 1),
                false => {
                    let low = (age - first) / 10 * 10 + first;
                    format!("{low}-{}", low + 9)
                }
            };
            let row = |n: usize| vec![label(n / of_each_age), "*".to_owned(), illness(n)];
            csv(HEADER, mixed((0..99 * of_each_age).map(row).collect()))
        };
        judge("composition", &[("t.csv", &release(9)), ("a.csv", &release(0))], &["--previous", "a.csv"]);
    };
    run(weak, 1);
    run(strong, 18);
}

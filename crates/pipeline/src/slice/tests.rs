use super::*;
use paravent_slicing::{Limits, Refusal, Share};
use paravent_tables::read::{Input, ReadOptions};
use paravent_tables::write::Replace;
use std::fmt::Write;

fn mixed(row: u32, salt: u32) -> u32 {
    let mut hash = (row + 1).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^= hash >> 12;
    hash.wrapping_mul(0x297a_2d39) >> 8
}

/// People with a town, its zip code, an age, a sex and a disease.
fn people(rows: u32) -> String {
    let mut text = String::from("name,town,zip,age,sex,disease\n");
    for row in 0..rows {
        let town = mixed(row, 1) % 12;
        let (age, sex) = (30 + mixed(row, 2) % 20, ["f", "m"][(mixed(row, 3) % 2) as usize]);
        let disease = ["flu", "gout", "asthma", "angina", ""][(mixed(row, 4) % 5) as usize];
        let _ = writeln!(text, "p{row},town {town},{},{age},{sex},{disease}", 18_000 + 7 * town);
    }
    text
}

fn table(text: &str) -> CodedTable {
    CodedTable::read(&Input::from_bytes(text, ReadOptions::new("people.csv"))).unwrap()
}

fn groups(text: &str) -> Vec<Vec<String>> {
    text.split(';').map(|group| group.split(',').map(str::to_owned).collect()).collect()
}

fn request(grouped: &str, buckets: Buckets) -> Request {
    Request { seed: Some(7), ..Request::new(groups(grouped), buckets) }
}

fn refused(table: &CodedTable, request: &Request) -> Vec<Refusal> {
    match slice(table, None, request) {
        Err(SliceError::Refused(refusals)) => refusals,
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_come_in_the_order_of_the_table_and_rows_in_that_of_their_text() {
    let table = table(&people(300));
    let sliced = slice(&table, None, &request("disease;sex,age", Buckets::Size(10))).unwrap();
    let names: Vec<&str> = sliced.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "sex", "disease"]);
    let text = String::from_utf8(sliced.text(b',').unwrap()).unwrap();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(rows, sorted);
}

#[test]
fn slicing_by_what_another_group_holds_is_refused() {
    let table = table(&people(300));
    let told = refused(&table, &request("age,sex;disease", Buckets::By("disease".to_owned())));
    assert!(matches!(told[0], Refusal::NothingMixed { .. }), "{told:?}");
    // By a column that is not released but fixes one that is.
    let told = refused(&table, &request("age,sex;zip", Buckets::By("town".to_owned())));
    assert!(matches!(&told[0], Refusal::Constant { column, .. } if column == "zip"), "{told:?}");
}

#[test]
fn a_table_that_is_sorted_by_a_column_is_shuffled_on_request() {
    let text = people(300);
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_by_key(|line| line.rsplit(',').next());
    let table = table(&format!("name,town,zip,age,sex,disease\n{}\n", lines.join("\n")));
    let mut sorted = request("age,sex;disease", Buckets::Size(6));
    let told = refused(&table, &sorted);
    assert!(matches!(&told[0], Refusal::Constant { column, .. } if column == "disease"), "{told:?}");
    sorted.shuffle = true;
    slice(&table, None, &sorted).unwrap();
}

#[test]
fn groups_that_tell_each_other_are_refused() {
    let told = refused(&table(&people(300)), &request("town,age;zip,disease", Buckets::Size(6)));
    assert!(told.iter().any(|refusal| matches!(refusal, Refusal::Linked { .. })), "{told:?}");
}

#[test]
fn identifying_sets_are_found_without_a_job_and_the_limit_can_be_set() {
    let table = table(&people(300));
    let told = refused(&table, &request("town,age,sex;disease", Buckets::Size(10)));
    let Refusal::Unique { rows, all: 300, .. } = told[0] else { panic!("{told:?}") };
    assert!(rows > 150);
    let mut lenient = request("town,age,sex;disease", Buckets::Size(10));
    lenient.limits.unique = Share::ALL;
    slice(&table, None, &lenient).unwrap();
}

#[test]
fn diversity_is_reached_by_merging() {
    let table = table(&people(300));
    let mut small = request("age,sex;disease", Buckets::Size(2));
    small.sensitive = Some(vec!["disease".to_owned()]);
    small.limits = Limits { diversity: 3, ..small.limits };
    assert!(matches!(refused(&table, &small)[0], Refusal::Diversity { l: 3, .. }));
    small.merge = true;
    let sliced = slice(&table, None, &small).unwrap();
    assert!(sliced.findings.diversity[0].least >= 3 && sliced.buckets() > 20);
}

#[test]
fn classes_of_a_generalization_are_buckets() {
    let table = table(&people(300));
    let buckets = Buckets::Within { k: 5, quasi: Some(vec!["sex".to_owned(), "age".to_owned()]) };
    let sliced = slice(&table, None, &request("age,sex;disease", buckets)).unwrap();
    assert!(sliced.smallest >= 5);
}

#[test]
fn a_release_is_verified_and_holds_no_digest_of_the_original() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table(&people(300)));
    let request = request("age,sex;disease", Buckets::Size(10));
    let sliced = slice(&table, None, &request).unwrap();
    let target = folder.path().join("sliced");
    let to = Destination {
        sign: None,
        target: target.clone(),
        replace: Replace::Refuse,
        register: Some(folder.path().to_owned()),
        job: None,
    };
    write_release(&table, &sliced, &request, None, &to).unwrap();
    for name in ["manifest.json", "report.json", "report.html"] {
        let text = std::fs::read_to_string(target.join(name)).unwrap();
        assert!(!text.contains(&table.sha256), "{name}");
    }
    assert!(paravent_verify::verify(&target).unwrap().holds());
    let again = Destination { replace: Replace::Force, ..to };
    let document = write_release(&table, &sliced, &request, None, &again).unwrap();
    assert!(document["warnings"][0].as_str().unwrap().contains("was released before"));
}

#[test]
fn a_foreign_slicing_is_judged_by_the_two_tables() {
    let before = table(&people(600));
    let grouped = groups("age,sex;disease");
    let limits = (Share::TENTH, Share::FIFTH);
    let judge = |after: &CodedTable| check(&before, after, &grouped, &[], limits).unwrap();
    let good = slice(&before, None, &request("age,sex;disease", Buckets::Size(30))).unwrap();
    let good = table(&String::from_utf8(good.text(b',').unwrap()).unwrap());
    let judgement = judge(&good);
    assert!(judgement.holds(), "{:?}", judgement.problems);
    assert!(judgement.pairs.iter().all(|pair| pair.together == pair.unchanged));
    // The table itself is no slicing.
    assert!(judge(&before).problems.iter().any(|problem| problem.contains("came out unchanged")));
    // A changed cell, and a lost row.
    let text = people(600).replacen("flu", "gout", 1);
    assert!(judge(&table(&text)).problems[0].contains("group 2 has other rows"));
    assert!(judge(&table(&people(599))).problems[0].contains("600 rows, the sliced one 599"));
}

#[test]
fn a_plan_keeps_pairs_and_says_what_it_cannot_keep() {
    let table = table(&people(600));
    let pair = |text: &str| text.split_once(',').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let planned =
        plan(&table, None, &[pair("age,disease"), pair("name,age")], &groups("town,sex"), Share::TENTH)
            .unwrap();
    let of = |name: &str| planned.groups.iter().find(|group| group.iter().any(|own| own == name)).unwrap();
    assert!(of("age").contains(&"disease".to_owned()) && of("town").contains(&"zip".to_owned()));
    assert!(!of("town").contains(&"sex".to_owned()));
    assert_eq!((planned.lost[0].0.as_str(), planned.lost[0].1.as_str()), ("name", "age"));
    // What it proposes is let through, but for the column that names people.
    let request = |groups| Request { seed: Some(1), ..Request::new(groups, Buckets::Size(30)) };
    let refused = slice(&table, None, &request(planned.groups.clone())).unwrap_err();
    assert!(refused.to_string().contains("column \"name\" leaves as it is"), "{refused}");
    let mut groups = planned.groups.clone();
    groups.iter_mut().for_each(|group| group.retain(|name| name != "name"));
    groups.retain(|group| !group.is_empty());
    slice(&table, None, &request(groups)).unwrap();
}

#[test]
fn buckets_count_people_where_the_job_names_the_person() {
    // Forty people with six rows each, one after the other.
    let mut text = String::from("id,age,event\n");
    for row in 0..240 {
        let _ = writeln!(text, "{},{},e{}", row / 6, 30 + row / 6 % 9, mixed(row, 6) % 5);
    }
    let (folder, table) = (tempfile::tempdir().unwrap(), table(&text));
    let path = folder.path().join("paravent.toml");
    let job = "version = 1\n[input]\npath = \"t.csv\"\n[[attributes]]\nname = \"id\"\nrole = \"identifying\"\n\
               [[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\n\
               [privacy]\nmodels = [{ model = \"k-anonymity\", k = 2 }]\nperson = \"id\"\n[output]\npath = \"out\"\n";
    std::fs::write(&path, job).unwrap();
    let job = paravent_job::Job::load(&path).unwrap();
    let mut six = request("age;event", Buckets::Size(6));
    six.limits = Limits { constant: Share::ALL, ..six.limits };
    let told = slice(&table, Some(&job), &six).unwrap_err().to_string();
    assert!(told.contains("people, not rows"), "{told}");
    six.merge = true;
    assert_eq!(slice(&table, Some(&job), &six).unwrap().smallest, 12);
}

use super::*;

fn groups(columns: &str, groups: &[&str]) -> Result<ColumnGroups, GroupError> {
    with_overlap(columns, groups, Overlap::Forbidden)
}

fn with_overlap(columns: &str, groups: &[&str], overlap: Overlap) -> Result<ColumnGroups, GroupError> {
    let columns: Vec<String> = columns.chars().map(String::from).collect();
    let groups: Vec<Vec<String>> =
        groups.iter().map(|group| group.chars().map(String::from).collect()).collect();
    ColumnGroups::new(&columns, &groups, overlap)
}

fn spelled(groups: &ColumnGroups) -> Vec<String> {
    groups.names().iter().map(|group| group.concat()).collect()
}

#[test]
fn every_column_stands_in_exactly_one_group_and_errors_name_it() {
    assert!(groups("ABC", &["A", "BC"]).is_ok());
    let message = |result: Result<ColumnGroups, GroupError>| result.unwrap_err().to_string();
    assert!(message(groups("ABC", &["A", "B"])).contains("column `C` stands in no group"));
    assert!(message(groups("ABC", &["AB", "BC"])).contains("column `B` stands in group 1 and in group 2"));
    assert!(
        message(groups("ABC", &["AB", "CX"])).contains("group 2 names the column `X`, which is not released")
    );
    assert!(message(groups("ABC", &["AAB", "C"])).contains("group 1 names the column `A` twice"));
    assert!(message(groups("ABC", &["ABC", ""])).contains("group 2 is empty"));
    assert!(message(groups("ABA", &["AB"])).contains("column `A` is released twice"));
    assert!(message(groups("", &[])).contains("no column"));
}

#[test]
fn copies_are_numbered_and_follow_the_columns() {
    let groups = with_overlap("ABC", &["BC", "AB", "B"], Overlap::Copies).unwrap();
    let released: Vec<(String, usize)> =
        groups.released().into_iter().map(|column| (column.name, column.group)).collect();
    let expected = [("A", 1), ("B", 0), ("C", 0), ("B@2", 1), ("B@3", 2)];
    assert_eq!(released, expected.map(|(name, group)| (name.to_owned(), group)));
    assert_eq!(groups.released_groups(), [vec![1, 2], vec![0, 3], vec![4]]);
    let crossed = with_overlap("ABC", &["AC", "AB"], Overlap::Copies).unwrap();
    assert_eq!(crossed.groups()[1], [0, 1]);
    assert_eq!(crossed.released_groups(), [vec![0, 2], vec![3, 1]], "A@2 before B");
}

#[test]
fn a_copy_does_not_take_the_name_of_a_column() {
    let columns = ["age", "age@2"];
    let error = ColumnGroups::new(&columns, &[vec!["age"], vec!["age", "age@2"]], Overlap::Copies);
    assert!(error.unwrap_err().to_string().contains("`age@2`"));
}

#[test]
fn the_product_of_two_groupings_is_their_intersections() {
    let outer = groups("ABCDEFG", &["AB", "CDE", "FG"]).unwrap();
    let inner = groups("ABCDEFG", &["ABC", "DE", "FG"]).unwrap();
    let product = outer.refine(&inner).unwrap();
    assert_eq!(spelled(&product), ["AB", "C", "DE", "FG"]);
    assert!(outer.overlap_graph_is_forest(&inner).unwrap());
    assert!(product.same_groups(&inner.refine(&outer).unwrap()));
}

#[test]
fn a_square_of_overlaps_is_a_cycle() {
    let outer = groups("ABCD", &["AB", "CD"]).unwrap();
    let inner = groups("ABCD", &["AC", "BD"]).unwrap();
    assert!(!outer.overlap_graph_is_forest(&inner).unwrap());
    assert_eq!(spelled(&outer.refine(&inner).unwrap()), ["A", "B", "C", "D"]);
    let chain = groups("ABCD", &["A", "BC", "D"]).unwrap();
    assert!(outer.overlap_graph_is_forest(&chain).unwrap());
}

#[test]
fn products_need_the_same_columns_once() {
    let abc = groups("ABC", &["AB", "C"]).unwrap();
    assert!(abc.refine(&groups("AB", &["AB"]).unwrap()).unwrap_err().to_string().contains("column `C`"));
    assert!(groups("AB", &["AB"]).unwrap().refine(&abc).unwrap_err().to_string().contains("column `C`"));
    let copies = with_overlap("ABC", &["AB", "BC"], Overlap::Copies).unwrap();
    assert!(abc.refine(&copies).unwrap_err().to_string().contains("column `B` stands in several groups"));
}

#[test]
fn projection_restricts_groups_and_a_wider_table_extends_them() {
    let four = groups("ABCD", &["A", "BC", "D"]).unwrap();
    let restricted = four.restrict(&["A", "B"]).unwrap();
    assert_eq!(spelled(&restricted), ["A", "B"]);
    assert!(four.restrict(&["A", "X"]).unwrap_err().to_string().contains("no column `X`"));
    assert_eq!(spelled(&restricted.extend_to(&["A", "B", "C", "D"]).unwrap()), ["A", "B", "CD"]);
    assert_eq!(restricted.extend_to(&["A", "B"]).unwrap(), restricted);
    assert_eq!(four.group_with(&["C", "B"]).unwrap(), Some(1));
    assert_eq!(four.group_with(&["A", "B"]).unwrap(), None);
}

#[test]
fn a_group_with_a_whole_quasi_identifier_is_refused() {
    let four = groups("ABCD", &["ABC", "D"]).unwrap();
    let declared = IdentifyingSets::declared(&[vec!["A", "C"], vec!["A", "D"]]);
    let error = four.guard(&declared, Guard::Refuse).unwrap_err();
    assert_eq!(
        error.to_string(),
        "group 1 contains the quasi-identifier `A`, `C`; spread these columns over several groups"
    );
    let found = four.guard(&declared, Guard::Override).unwrap();
    assert_eq!(found, [IdentifyingGroup { group: 1, columns: vec!["A".into(), "C".into()] }]);
    assert!(four.guard(&IdentifyingSets::none(), Guard::Refuse).unwrap().is_empty());
}

#[test]
fn roles_alone_make_one_identifying_set() {
    let roles = IdentifyingSets::from_roles(&["A", "B", "C"]);
    assert!(groups("ABCD", &["AB", "CD"]).unwrap().guard(&roles, Guard::Refuse).is_ok());
    assert!(groups("ABCD", &["ABC", "D"]).unwrap().guard(&roles, Guard::Refuse).is_err());
    let detected = roles.with(&[vec!["A", "B"]]);
    assert!(groups("ABCD", &["AB", "CD"]).unwrap().guard(&detected, Guard::Refuse).is_err());
}

#[test]
fn a_column_that_identifies_alone_must_stand_alone() {
    let alone = IdentifyingSets::from_roles(&["A"]);
    assert!(groups("AB", &["A", "B"]).unwrap().guard(&alone, Guard::Refuse).is_ok());
    assert!(groups("AB", &["AB"]).unwrap().guard(&alone, Guard::Refuse).is_err());
}

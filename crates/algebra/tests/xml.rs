//! Documents: what they mean, how they are written, and what is wrong with the others.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Distinct, LogicalPlan};
use paravent_algebra::operator::{Distribution, Operator};
use paravent_algebra::rules::{Attempt, NoFacts, Rule, Way, rewriter_rule};
use paravent_algebra::xml::{XmlError, read, write};
use proptest::prelude::*;
use serde_json::Value;

const DONORS: &str = r#"<baseRelation name="donors"><attributes>
  <attribute>id</attribute><attribute>day</attribute><attribute>rhFaktor</attribute><attribute type="integer">age</attribute>
</attributes></baseRelation>"#;
const BLOOD: &str = r#"<baseRelation name="blood"><attributes><attribute>id</attribute><attribute>group</attribute></attributes></baseRelation>"#;

/// Reads, writes, and makes sure that what was written stays as it is.
#[track_caller]
fn canonical(document: &str) -> String {
    let once = write(&read(document).unwrap()).unwrap();
    assert_eq!(write(&read(&once).unwrap()).unwrap(), once, "a written document stays as it is");
    once
}

#[track_caller]
fn problem(document: &str) -> String {
    read(document).unwrap_err().to_string()
}

/// Tries a rule at every node from the root down, until it rewrites. A projection or union that drops duplicates is one node.
fn apply_first(plan: &LogicalPlan, rule: &dyn Rule, way: Way) -> Option<LogicalPlan> {
    let mut done = false;
    let result = plan.clone().transform_down(|node| {
        if done {
            return Ok(Transformed::new(node, false, TreeNodeRecursion::Stop));
        }
        if let Attempt::Rewritten(rewrite) = rule.attempt(&node, way, &NoFacts)? {
            done = true;
            return Ok(Transformed::new(rewrite.plan, true, TreeNodeRecursion::Stop));
        }
        let jump = match &node {
            LogicalPlan::Distinct(Distinct::All(_)) => TreeNodeRecursion::Stop,
            _ => TreeNodeRecursion::Continue,
        };
        Ok(Transformed::new(node, false, jump))
    });
    done.then(|| result.unwrap().data)
}

#[test]
fn the_rewriter_does_to_documents_what_it_should() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/rewriter-dp.json")).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 10);
    for case in cases {
        let name = case["rule"].as_str().unwrap();
        let (rule, way) = rewriter_rule(name).unwrap();
        let before = read(case["before"].as_str().unwrap()).unwrap();
        canonical(case["before"].as_str().unwrap());
        let after = apply_first(&before, rule, way).map(|plan| write(&plan).unwrap());
        assert_eq!(after, case["after"].as_str().map(canonical), "{name}");
    }
}

#[test]
fn a_document_is_written_with_noise_sorted_and_two_spaces_per_level() {
    let document = r#"<?xml version="1.0"?>
      <projection><!-- order does not matter -->
        <attributes><attribute>rhFaktor</attribute><attribute>day</attribute></attributes>
        <differentialPrivacy>
          <noiseAttributes>
            <noiseAttribute noiseProbability="0.5" attribute="rhFaktor" />
            <noiseAttribute attribute="day" noiseProbability="0.16"></noiseAttribute>
          </noiseAttributes>
          <baseRelation name="donors"><attributes><attribute>day</attribute><attribute type="text">rhFaktor</attribute>
            <attribute type="integer">age</attribute></attributes></baseRelation>
        </differentialPrivacy>
      </projection>"#;
    let expected = r#"<projection isDistinct="false">
  <differentialPrivacy>
    <baseRelation name="donors">
      <attributes>
        <attribute>day</attribute>
        <attribute>rhFaktor</attribute>
        <attribute type="integer">age</attribute>
      </attributes>
    </baseRelation>
    <noiseAttributes>
      <noiseAttribute attribute="day" noiseProbability="0.16"/>
      <noiseAttribute attribute="rhFaktor" noiseProbability="0.5"/>
    </noiseAttributes>
  </differentialPrivacy>
  <attributes>
    <attribute>rhFaktor</attribute>
    <attribute>day</attribute>
  </attributes>
</projection>
"#;
    assert_eq!(canonical(document), expected);
}

#[test]
fn every_element_means_its_operator() {
    let cases = [
        (
            format!("<selection>{DONORS}<condition>rhFaktor &lt;> '+' AND age > 30</condition></selection>"),
            "
            Filter: donors.rhFaktor != Utf8(\"+\") AND donors.age > Int64(30)
              TableScan: donors",
        ),
        (
            format!(
                "<grouping>{DONORS}<attributes><attribute>day</attribute></attributes><aggregates><aggregate function=\"count\" as=\"n\"/><aggregate function=\"max\" attribute=\"age\"/></aggregates></grouping>"
            ),
            "
            Aggregate: groupBy=[[donors.day]], aggr=[[count(Int64(1)) AS n, max(donors.age)]]
              TableScan: donors",
        ),
        (
            format!("<naturalJoin>{DONORS}{BLOOD}</naturalJoin>"),
            "
            Inner Join: Using donors.id = blood.id
              TableScan: donors
              TableScan: blood",
        ),
        (
            format!("<join>{DONORS}{BLOOD}<condition>blood.id = donors.id AND age > 17</condition></join>"),
            "
            Inner Join: donors.id = blood.id Filter: donors.age > Int64(17)
              TableScan: donors
              TableScan: blood",
        ),
        (
            format!("<view name=\"d\">{DONORS}</view>"),
            "
            SubqueryAlias: d
              TableScan: donors",
        ),
        (
            format!("<union isDistinct=\"true\">{BLOOD}{BLOOD}{BLOOD}</union>"),
            "
            Distinct:
              Union
                TableScan: blood
                TableScan: blood
                TableScan: blood",
        ),
        (
            format!(
                "<generalization k=\"3\">{DONORS}<generalizationAttributes><attribute>age</attribute><attribute>day</attribute></generalizationAttributes></generalization>"
            ),
            "
            Generalize: [day, age], k = 3
              TableScan: donors",
        ),
        (
            format!(
                "<slicing bucketSize=\"3\">{BLOOD}<columnGroups><columnGroup><attribute>id</attribute></columnGroup><columnGroup><attribute>group</attribute></columnGroup></columnGroups></slicing>"
            ),
            "
            Slice: {id} {group}, buckets of 3
              TableScan: blood",
        ),
        (
            format!(
                "<slicing>{BLOOD}<columnGroups><columnGroup><attribute>id</attribute><attribute>group</attribute></columnGroup></columnGroups></slicing>"
            ),
            "
            Slice: {id, group}, 1 buckets
              TableScan: blood",
        ),
        (
            format!(
                "<slicing>{BLOOD}<bucketClasses k=\"2\"><attribute>group</attribute></bucketClasses><columnGroups><columnGroup><attribute>id</attribute></columnGroup><columnGroup><attribute>group</attribute></columnGroup></columnGroups></slicing>"
            ),
            "
            Slice: {id} {group}, classes of [group], k = 2
              TableScan: blood",
        ),
    ];
    for (document, expected) in cases {
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let plan = read(&document).unwrap();
        let shown = plan.display_indent().to_string();
        assert_eq!(shown.lines().map(str::trim).collect::<Vec<_>>(), expected);
        let again = read(&canonical(&document)).unwrap();
        assert_eq!(again.display_indent().to_string(), shown, "what is written means the same");
        assert_eq!(again.schema(), plan.schema());
    }
}

#[test]
fn what_a_slicing_is_held_to_is_kept() {
    let slicing = |more: &str| {
        format!(
            "<slicing bucketSize=\"3\"{more}>{BLOOD}<columnGroups><columnGroup><attribute>id</attribute></columnGroup><columnGroup><attribute>group</attribute></columnGroup></columnGroups></slicing>"
        )
    };
    for kept in ["limits=\"none\"", "diversity=\"3\"", "sensitive=\"group\""] {
        let written = canonical(&slicing(&format!(" {kept}")));
        assert!(written.contains(kept), "{written}");
        assert_eq!(canonical(&written), written);
    }
    assert!(!canonical(&slicing(" limits=\"standard\"")).contains("limits"), "the standard is not written");
    assert!(problem(&slicing(" limits=\"all\"")).contains("standard or none"));
    assert!(problem(&slicing(" diversity=\"1\"")).contains("2 or more"));
}

#[test]
fn set_operations_are_read_and_written_with_and_without_duplicates() {
    let other = BLOOD.replace("blood", "more");
    for element in ["intersect", "difference"] {
        for distinct in ["true", "false"] {
            let written =
                canonical(&format!("<{element} isDistinct=\"{distinct}\">{BLOOD}{other}</{element}>"));
            assert!(written.starts_with(&format!("<{element} isDistinct=\"{distinct}\">")), "{written}");
        }
        canonical(&format!("<{element}>{BLOOD}{BLOOD}</{element}>"));
    }
}

#[test]
fn attributes_with_the_same_name_are_told_apart_by_their_relation() {
    let joined = format!("<join>{DONORS}{BLOOD}<condition>donors.id = blood.id</condition></join>");
    let project = |relation: &str, attribute: &str| {
        format!(
            "<projection>{relation}<attributes><attribute>{attribute}</attribute></attributes></projection>"
        )
    };
    assert!(
        problem(&project(&joined, "id")).contains("there are several attributes \"id\"; write relation.id")
    );
    assert!(canonical(&project(&joined, "blood.id")).contains("<attribute>blood.id</attribute>"));
    let natural = format!("<naturalJoin>{DONORS}{BLOOD}</naturalJoin>");
    assert!(canonical(&project(&natural, "id")).contains("<attribute>id</attribute>"));
    assert!(canonical(&project(&natural, "blood.id")).contains("<attribute>blood.id</attribute>"));
}

#[test]
fn conditions_keep_the_case_of_names_and_their_markup() {
    let condition = |text: &str| format!("<selection>{DONORS}<condition>{text}</condition></selection>");
    let written =
        canonical(&condition("(\"rhFaktor\" = 'a &amp; b' OR rhFaktor IS NULL) AND NOT age &lt;= 3"));
    assert!(
        written.contains("&amp;") && written.contains("&lt;") && written.contains("rhFaktor"),
        "{written}"
    );
    canonical(&condition("<![CDATA[ age < 3 ]]>"));
    canonical(&condition("day IN ('01.01.', '05.01.') AND day LIKE '0%'"));
    assert!(problem(&condition("rhfaktor = '+'")).contains("the condition cannot be read"));
    assert!(problem(&condition("age >")).contains("the condition cannot be read"));
    assert!(problem(&condition("age > 3; DROP TABLE donors")).contains("condition"));
    assert!(problem(&condition("age > 3 AS x")).contains("condition"));
    assert!(problem(&condition("age + 3")).contains("line 3"), "not a truth value");
    assert!(problem(&condition("")).contains("the condition is empty"));
    assert!(problem(&condition("EXISTS (SELECT 1 FROM donors)")).contains("condition"));
    let long = format!("age > 3{}", " OR age > 3".repeat(400));
    assert!(problem(&condition(&long)).contains("at most 4000 are read"));
    let many = format!("age > 3{}", " OR age > 3".repeat(170));
    assert!(problem(&condition(&many)).contains("at most 128 are read"));
    canonical(&condition(&format!("age > 3{}", " OR age > 3".repeat(42))));
    canonical(&condition(&format!("day = day{}", " OR true".repeat(62))));
    canonical(&condition(&format!("age IN (3{})", ", 3".repeat(1_000))));
    assert!(
        problem(&condition(&format!("{}age > 3{}", "(".repeat(900), ")".repeat(900)))).contains("condition")
    );
}

#[test]
fn distributions_are_kept_and_without_one_it_is_declared_elsewhere() {
    let noise = |distribution: &str| {
        format!(
            "<differentialPrivacy>{DONORS}<noiseAttributes><noiseAttribute attribute=\"day\" noiseProbability=\"0.5\">{distribution}</noiseAttribute></noiseAttributes></differentialPrivacy>"
        )
    };
    let of = |document: &str| match Operator::of(&read(document).unwrap()) {
        Some(Operator::Randomize(node)) => node.what().noise[0].1.distribution.clone(),
        _ => panic!("no noise"),
    };
    assert_eq!(of(&noise("")), Distribution::Declared);
    assert_eq!(of(&noise("<learnt/>")), Distribution::Learnt);
    assert_eq!(of(&noise("<uniform/>")), Distribution::Uniform { domain: None });
    let missing = "<given><value probability=\"0.5\">x</value><missing probability=\"0.5\"/></given>";
    assert!(matches!(of(&noise(missing)), Distribution::GivenOrMissing { values, .. } if values.len() == 1));
    for distribution in [
        "",
        "<learnt/>",
        "<uniform><value>b</value><value>a</value></uniform>",
        "<given><value probability=\"0.85\">+</value><value probability=\"0.15\">-</value></given>",
        "<given><value probability=\"4/1461\">x</value><value probability=\"1457/1461\">y</value></given>",
        "<steps tails=\"cyclic\"><value>1</value><value>2</value><step by=\"-1\" probability=\"0.5\"/><step by=\"1\" probability=\"0.5\"/></steps>",
    ] {
        assert_eq!(of(&canonical(&noise(distribution))), of(&noise(distribution)));
    }
    for (wrong, why) in [
        ("<given><value probability=\"0.85\">+</value></given>", "do not sum to 1"),
        ("<given><value>+</value></given>", "<value> needs probability"),
        ("<uniform><value>a</value><value>a</value></uniform>", "named twice"),
        ("<uniform>a</uniform>", "has a text"),
        ("<learnt how=\"well\"/>", "has no attribute how"),
        ("<gauss/>", "<gauss> is no distribution"),
        ("<steps tails=\"cyclic\"><step by=\"1\" probability=\"1\"/></steps>", "needs the values"),
        ("<learnt/><learnt/>", "one distribution"),
    ] {
        assert!(problem(&noise(wrong)).contains(why), "{}", problem(&noise(wrong)));
    }
}

#[test]
fn hostile_documents_give_one_error_with_its_place() {
    let attributes = "<attributes><attribute>a</attribute></attributes>";
    let base = format!("<baseRelation name=\"r\">{attributes}</baseRelation>");
    let noise = |inside: &str| {
        format!(
            "<differentialPrivacy>{base}<noiseAttributes>{inside}</noiseAttributes></differentialPrivacy>"
        )
    };
    let cases: Vec<(String, &str)> = vec![
        (String::new(), "line 1, column 1: there is no element"),
        ("plain text".to_owned(), "text outside of the elements"),
        ("<projection>".to_owned(), "<projection> is not closed"),
        ("<a></b>".to_owned(), "line 1"),
        ("</a>".to_owned(), "line 1"),
        (format!("{base}{base}"), "a document is one plan"),
        (format!("{base}x"), "text outside"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>".to_owned(), "a document type is not read"),
        ("<baseRelation name=\"r\"><attributes><attribute>&b;</attribute></attributes></baseRelation>".to_owned(), "unknown entity"),
        ("<baseRelation name=\"&b;\"/>".to_owned(), "in attribute name"),
        ("<baseRelation name=\"r\"><attributes><attribute>&#0;</attribute></attributes></baseRelation>".to_owned(), "line 1"),
        ("<baseRelation name=\"r\"><attributes><attribute>&#1;</attribute></attributes></baseRelation>".to_owned(), "control character"),
        ("<?php echo ?><a/>".to_owned(), "processing instructions"),
        ("<x:projection/>".to_owned(), "without prefix"),
        (format!("<projection xmlns=\"urn:x\">{base}{attributes}</projection>"), "namespaces are not read"),
        (format!("<projection x:isDistinct=\"true\">{base}{attributes}</projection>"), "namespaces are not read"),
        (format!("<projection isDistinct=\"true\" isDistinct=\"false\">{base}{attributes}</projection>"), "in <projection>"),
        (format!("<projection isDistinct=\"maybe\">{base}{attributes}</projection>"), "isDistinct is true or false"),
        (format!("<projection sorted=\"yes\">{base}{attributes}</projection>"), "<projection> has no attribute sorted"),
        (format!("<projection>{attributes}</projection>"), "<projection> needs one relation, and has 0"),
        (format!("<projection>{base}{base}{attributes}</projection>"), "needs one relation, and has 2"),
        (format!("<projection>{base}</projection>"), "<projection> needs <attributes>"),
        (format!("<projection>{base}{attributes}{attributes}</projection>"), "a second <attributes>"),
        (format!("<projection>{base}text{attributes}</projection>"), "text between its elements"),
        (format!("<projection>{base}<attributes/></projection>"), "at least one attribute"),
        (format!("<projection>{base}<attributes>a</attributes></projection>"), "has a text"),
        (format!("<projection>{base}<attributes><attribute>b</attribute></attributes></projection>"), "there is no attribute \"b\"; the attributes are a"),
        (format!("<projection>{base}<attributes><column>a</column></attributes></projection>"), "<column> stands where an attribute should"),
        (format!("<sort>{base}</sort>"), "<sort> is no relation"),
        (format!("<union>{base}</union>"), "needs two or more relations, and has 1"),
        (format!("<difference>{base}</difference>"), "needs two relations, and has 1"),
        (format!("<naturalJoin>{base}<baseRelation name=\"s\"><attributes><attribute>b</attribute></attributes></baseRelation></naturalJoin>"), "share no attribute"),
        (format!("<join>{base}{base}</join>"), "another name with <view>"),
        (format!("<naturalJoin>{base}{base}</naturalJoin>"), "another name with <view>"),
        (format!("<union>{base}<baseRelation name=\"s\"><attributes><attribute type=\"integer\">a</attribute></attributes></baseRelation></union>"), "different type"),
        ("<baseRelation name=\"r\"/>".to_owned(), "<baseRelation> needs <attributes>"),
        (format!("<baseRelation>{attributes}</baseRelation>"), "needs a name"),
        ("<baseRelation name=\"r\"><attributes><attribute type=\"blob\">a</attribute></attributes></baseRelation>".to_owned(), "write text, integer"),
        ("<baseRelation name=\"r\"><attributes><attribute>a</attribute><attribute>a</attribute></attributes></baseRelation>".to_owned(), "named twice"),
        (format!("<generalization>{base}<generalizationAttributes/></generalization>"), "needs k"),
        (format!("<generalization k=\"0\">{base}<generalizationAttributes/></generalization>"), "at least 1"),
        (format!("<slicing>{base}</slicing>"), "<slicing> needs <columnGroups>"),
        (format!("<slicing leastRows=\"1\">{base}<columnGroups><columnGroup><attribute>a</attribute></columnGroup></columnGroups></slicing>"), "released as it is"),
        (format!("<slicing bucketSize=\"2\" bucketCount=\"2\">{base}<columnGroups/></slicing>"), "several kinds of buckets"),
        (noise("<noiseAttribute attribute=\"a\" noiseProbability=\"1.5\"/>"), "not a probability"),
        (noise("<noiseAttribute attribute=\"a\"/>"), "needs noiseProbability"),
        (noise("<noiseAttribute attribute=\"z\" noiseProbability=\"0.5\"/>"), "there is no attribute \"z\""),
        (noise("<noiseAttribute attribute=\"a\" noiseProbability=\"0.5\"/><noiseAttribute attribute=\"a\" noiseProbability=\"0.5\"/>"), "named twice"),
        (format!("<baseRelation {}/>", (0..40).map(|n| format!("a{n}=\"\" ")).collect::<String>()), "too many attributes"),
    ];
    for (document, why) in cases {
        let found = problem(&document);
        assert!(found.contains(why), "{document}\n{found}");
        assert!(found.starts_with("line ") && !found.contains('\n'), "{found}");
    }
}

#[test]
fn the_place_of_an_error_is_line_and_character() {
    let document = "<projection>\n  <!-- größer -->\n  ä";
    assert!(matches!(read(document), Err(XmlError::Unreadable { line: 1, column: 1, .. })));
    let document = "<view name=\"größe\">\n  <!-- ä --><sort/>\n</view>";
    assert!(
        matches!(read(document), Err(XmlError::Unreadable { line: 2, column: 13, .. })),
        "{:?}",
        read(document)
    );
}

#[test]
fn deep_documents_are_refused_and_the_deepest_allowed_are_read() {
    let nested =
        |levels: usize| format!("{}{BLOOD}{}", "<view name=\"v\">".repeat(levels), "</view>".repeat(levels));
    for levels in [1_000, 5_000] {
        assert!(problem(&nested(levels)).contains("nested deeper than 200 levels"));
    }
    assert!(problem(&"<view>".repeat(20_000)).contains("nested deeper than 200 levels"));
    let deepest = nested(197);
    assert_eq!(canonical(&deepest).lines().count(), 197 * 2 + 6);
    assert!(problem(&nested(198)).contains("nested deeper"));
    let filters = 197;
    let condition = "<condition>id = 'x'</condition></selection>";
    canonical(&format!("{}{BLOOD}{}", "<selection>".repeat(filters), condition.repeat(filters)));
    let long = format!("<view name=\"{}\"/>", "x".repeat(300_000));
    assert!(matches!(read(&long), Err(XmlError::TooLong { .. })));
}

#[test]
fn a_plan_without_an_element_is_not_written() {
    use datafusion::logical_expr::{LogicalPlanBuilder, lit};
    let donors = || LogicalPlanBuilder::from(read(DONORS).unwrap());
    let computed = donors().project([lit(1).alias("one")]).unwrap().build().unwrap();
    assert!(write(&computed).unwrap_err().to_string().contains("computes or renames"));
    let limited = donors().limit(0, Some(3)).unwrap().build().unwrap();
    assert!(write(&limited).unwrap_err().to_string().contains("there is no element for Limit"));
    let distinct = donors().distinct().unwrap().build().unwrap();
    assert!(write(&distinct).unwrap().starts_with("<projection isDistinct=\"true\">"));
}

/// Any plan over the donors that the elements can make, as a document.
fn document() -> impl Strategy<Value = String> {
    let p = prop::sample::select(vec!["0", "0.16", "0.5", "1"]);
    Just(BLOOD.to_owned()).prop_recursive(5, 24, 2, move |inner| {
        let noise = (inner.clone(), p.clone(), p.clone()).prop_map(|(relation, p, q)| {
            format!("<differentialPrivacy><noiseAttributes><noiseAttribute attribute=\"id\" noiseProbability=\"{p}\"/><noiseAttribute attribute=\"group\" noiseProbability=\"{q}\"/></noiseAttributes>{relation}</differentialPrivacy>")
        });
        let project = (inner.clone(), any::<bool>()).prop_map(|(relation, distinct)| {
            format!("<projection isDistinct=\"{distinct}\">{relation}<attributes><attribute>group</attribute><attribute>id</attribute></attributes></projection>")
        });
        let union = (inner.clone(), inner.clone(), any::<bool>())
            .prop_map(|(left, right, distinct)| format!("<union isDistinct=\"{distinct}\">{left}{right}</union>"));
        let slicing = (inner.clone(), 1u8..4).prop_map(|(relation, size)| {
            format!("<slicing bucketSize=\"{size}\">{relation}<columnGroups><columnGroup><attribute>group</attribute></columnGroup><columnGroup><attribute>id</attribute></columnGroup></columnGroups></slicing>")
        });
        let select = inner.clone().prop_map(|relation| {
            format!("<selection>{relation}<condition>\"group\" &lt;> 'A0' OR id IS NULL</condition></selection>")
        });
        let general = inner.clone().prop_map(|relation| {
            format!("<generalization k=\"3\">{relation}<generalizationAttributes><attribute>group</attribute></generalizationAttributes></generalization>")
        });
        let view = inner.prop_map(|relation| format!("<view name=\"v\">{relation}</view>"));
        prop_oneof![noise, project, union, slicing, select, general, view]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn writing_and_reading_comes_to_rest(document in document()) {
        let once = write(&read(&document).unwrap()).unwrap();
        let again = read(&once).unwrap();
        prop_assert_eq!(&write(&again).unwrap(), &once);
        prop_assert_eq!(again.display_indent().to_string(), read(&document).unwrap().display_indent().to_string());
    }

    #[test]
    fn a_damaged_document_never_panics(document in document(), at in any::<prop::sample::Index>(), with in "[<>&;/\"'a-z \u{0}é]{0,6}", cut in 0usize..12) {
        let mut at = at.index(document.len());
        while !document.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + cut).min(document.len());
        while !document.is_char_boundary(end) {
            end += 1;
        }
        let damaged = format!("{}{with}{}", &document[..at], &document[end..]);
        if let Ok(plan) = read(&damaged) {
            let _ = write(&plan);
        }
    }
}

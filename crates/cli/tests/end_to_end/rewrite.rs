//! `rewrite`: plans in, plans out, and why.

use super::support::{Outcome, Place};
use serde_json::Value;

/// A rule per document: before, after; no `after` means that it must refuse.
const DOCUMENTS: &str = include_str!("../../../algebra/tests/vectors/rewriter-dp.json");

/// π_{group, day}(α^D(donors))
const NOISY: &str = r#"<projection>
  <differentialPrivacy>
    <baseRelation name="donors">
      <attributes>
        <attribute type="integer">id</attribute>
        <attribute>day</attribute>
        <attribute>group</attribute>
        <attribute>rhesus</attribute>
      </attributes>
    </baseRelation>
    <noiseAttributes>
      <noiseAttribute attribute="group" noiseProbability="0.33"/>
      <noiseAttribute attribute="day" noiseProbability="0.16"/>
      <noiseAttribute attribute="rhesus" noiseProbability="0.5"/>
    </noiseAttributes>
  </differentialPrivacy>
  <attributes><attribute>group</attribute><attribute>day</attribute></attributes>
</projection>
"#;

/// σ_{group <> 'B0'}(α^G_{day, 3}(donors))
const LATE: &str = r#"<selection>
  <generalization k="3">
    <baseRelation name="donors">
      <attributes><attribute>day</attribute><attribute>group</attribute></attributes>
    </baseRelation>
    <generalizationAttributes><attribute>day</attribute></generalizationAttributes>
  </generalization>
  <condition>"group" &lt;&gt; 'B0'</condition>
</selection>
"#;

const DONORS: &str = "day,group\n01.01.,00\n05.01.,00\n31.01.,B0\n20.03.,A0\n25.03.,A0\n31.03.,B0\n";

fn rewrite(place: &Place, args: &[&str]) -> Outcome {
    place.run(&["rewrite"].into_iter().chain(args.iter().copied()).collect::<Vec<_>>())
}

fn json(place: &Place, args: &[&str]) -> Value {
    rewrite(place, &args.iter().copied().chain(["--json"]).collect::<Vec<_>>()).expect(0).json()
}

fn texts(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_documents_of_every_rule_become_what_they_must() {
    let place = Place::new();
    let documents: Value = serde_json::from_str(DOCUMENTS).unwrap();
    for case in documents["cases"].as_array().unwrap() {
        let name = case["rule"].as_str().unwrap();
        place.write("plan.xml", case["before"].as_str().unwrap());
        let done = json(&place, &["plan.xml", "--rule", name]);
        match case["after"].as_str() {
            Some(after) => {
                assert_eq!(texts(&done["steps"], "name"), [name]);
                // Without a rule the canonical form of the same plan comes out.
                place.write("after.xml", after);
                let expected =
                    rewrite(&place, &["after.xml", "--only", "none", "--xml", "--quiet"]).expect(0);
                assert_eq!(done["xml"], expected.out, "{name}");
            }
            None => {
                assert_eq!(done["changed"], false, "{name}");
                assert_eq!(done["before"], done["after"]);
                let nothing =
                    done["refusals"].as_array().unwrap().len() + done["unused"].as_array().unwrap().len();
                assert_eq!(nothing, 1, "{name}: {done}");
            }
        }
    }
}

#[test]
fn a_written_plan_is_read_and_written_without_change() {
    let place = Place::new();
    for plan in [NOISY, LATE] {
        place.write("plan.xml", plan);
        let first = rewrite(&place, &["plan.xml", "--only", "none", "--xml", "-q"]).expect(0).out;
        place.write("first.xml", &first);
        let again = rewrite(&place, &["first.xml", "--only", "none", "--xml", "-q"]).expect(0).out;
        assert_eq!(first, again);
    }
    place.write("plan.xml", NOISY);
    rewrite(&place, &["plan.xml", "--rule", "DP04", "--output", "new.xml"]).expect(0);
    let printed = place.run_with(&["rewrite", "-", "--rule", "DP04", "-o", "-"], NOISY.as_bytes()).expect(0);
    assert_eq!(place.read("new.xml"), printed.out);
    assert!(printed.err.contains("D9 (DP04)"), "{}", printed.err);
    rewrite(&place, &["new.xml", "--rule", "DP03", "--xml", "-q"]).expect(0);
    rewrite(&place, &["plan.xml", "-o", "new.xml"]).expect(4).says(&["new.xml", "is there already"]);
    rewrite(&place, &["plan.xml", "-o", "new.xml", "--force"]).expect(0);
    rewrite(&place, &["plan.xml", "-o", "absent/new.xml"]).expect(4).says(&["absent/new.xml"]);
}

#[test]
fn people_see_both_trees_and_every_step() {
    let place = Place::new();
    place.write("plan.xml", NOISY);
    let text = rewrite(&place, &["plan.xml", "--rule", "DP04"]).expect(0).out;
    let expected = "\
Before
  π[group, day]
  └─ α^D[day 0.16, group 0.33, rhesus 0.5]
     └─ donors

After
  α^D[day 0.16, group 0.33]
  └─ π[group, day]
     └─ donors

Applied
  1. D9 (DP04), right to left, at root: equivalent, the guarantee holds
     from π[group, day](α^D[day 0.16, group 0.33, rhesus 0.5](donors))
     to   α^D[day 0.16, group 0.33](π[group, day](donors))
";
    assert!(text.starts_with(expected), "{text}");
    // The default looks for what is cheaper, and finds the same.
    let cheaper = json(&place, &["plan.xml"]);
    assert_eq!(texts(&cheaper["steps"], "rule"), ["D9"]);
    assert_eq!(cheaper["cost"]["before"]["cells"], 4000);
    assert_eq!(cheaper["cost"]["after"]["cells"], 2000);
    assert_eq!(json(&place, &["plan.xml", "--without", "D9"])["changed"], false);
    assert_eq!(json(&place, &["plan.xml", "--only", "G,S"])["changed"], false);
    assert_eq!(rewrite(&place, &["plan.xml", "--quiet"]).expect(0).out, "");
}

#[test]
fn rules_are_applied_in_the_order_they_are_named() {
    let place = Place::new();
    place.write("plan.xml", NOISY);
    let order = |rules: &str| texts(&json(&place, &["plan.xml", "--rule", rules])["steps"], "name");
    assert_eq!(order("DP04,DP03"), ["DP04", "DP03"]);
    assert_eq!(order("DP03,DP04"), ["DP04"]);
}

#[test]
fn partial_rewrites_need_consent_and_rows_to_count() {
    let place = Place::new();
    place.write("late.xml", LATE);
    place.write("donors.csv", DONORS);
    let without_rows = json(&place, &["late.xml", "--rule", "G14", "--allow-partial"]);
    assert_eq!(texts(&without_rows["refusals"], "rule"), ["G14"]);
    let tables = ["late.xml", "--file", "donors.csv", "--rule", "G14"];
    let refused = json(&place, &tables);
    assert!(texts(&refused["refusals"], "because")[0].contains("--allow-partial"), "{refused}");
    let done = json(&place, &[&tables[..], &["--allow-partial"]].concat());
    assert_eq!(done["steps"][0]["kind"], "partially-equivalent");
    assert_eq!(done["after"], "α^G[day; k = 3]\n└─ σ[\"group\" <> 'B0']\n   └─ donors\n");
    assert_eq!(done["cost"], Value::Null, "with rows it would tell how many there are");
    // Five rows are too few for the four that remain and k = 5.
    place.write("five.xml", LATE.replace("k=\"3\"", "k=\"5\""));
    let few = json(&place, &["five.xml", "--file", "donors.csv", "--rule", "G14", "--allow-partial"]);
    assert_eq!(few["changed"], false);
    let wrong = LATE
        .replace("<attribute>group</attribute>", "<attribute>group</attribute><attribute>grupp</attribute>");
    place.write("wrong.xml", wrong);
    rewrite(&place, &["wrong.xml", "--file", "donors.csv"]).expect(2).says(&[
        "wrong.xml",
        "grupp",
        "day, group",
    ]);
}

#[test]
fn what_must_be_verified_again_is_said() {
    let place = Place::new();
    place.write("r1.csv", "day,v\n01.01.,1\n05.01.,1\n31.01.,2\n20.03.,2\n25.03.,3\n31.03.,3\n");
    place.write("r2.csv", "v,group\n1,00\n1,A0\n2,B0\n3,A0\n");
    place.write(
        "join.xml",
        r#"<generalization k="3"><naturalJoin>
             <baseRelation name="r1"><attributes><attribute>day</attribute><attribute>v</attribute></attributes></baseRelation>
             <baseRelation name="r2"><attributes><attribute>v</attribute><attribute>group</attribute></attributes></baseRelation>
           </naturalJoin><generalizationAttributes><attribute>day</attribute></generalizationAttributes></generalization>"#,
    );
    let args = ["join.xml", "--file", "r1.csv", "--file", "r2.csv", "--rule", "G16", "--allow-partial"];
    let done = json(&place, &args);
    assert_eq!(done["verify_again"][0]["rule"], "G16", "{done}");
    let text = rewrite(&place, &args).expect(0).out;
    assert!(text.contains("To be verified on the result, before it is released\n  G16: "), "{text}");
}

#[test]
fn rules_that_do_not_hold_are_refused_with_their_counter_example() {
    let place = Place::new();
    place.write("plan.xml", NOISY);
    for rule in ["G18", "G19", "S7", "S10", "S11", "D4", "D14", "D15", "D17"] {
        for option in ["--rule", "--only"] {
            let done = json(&place, &["plan.xml", option, rule]);
            assert_eq!(done["changed"], false);
            let because = &texts(&done["refusals"], "because");
            assert_eq!(texts(&done["refusals"], "rule"), [rule]);
            assert!(!because[0].is_empty());
            if option == "--only" {
                assert!(because[0].contains("Counter-example"), "{because:?}");
            }
        }
    }
    // Where it fits, too, whichever side is found.
    place.write("late.xml", LATE.replace("<generalization k=\"3\">", "<slicing>").replace("</generalization>", "</slicing>").replace(
        "<generalizationAttributes><attribute>day</attribute></generalizationAttributes>",
        "<columnGroups><columnGroup><attribute>day</attribute></columnGroup><columnGroup><attribute>group</attribute></columnGroup></columnGroups>",
    ));
    let done = json(&place, &["late.xml", "--rule", "S7"]);
    assert_eq!(done["refusals"][0]["way"], "right-to-left", "{done}");
}

#[test]
fn a_query_is_rewritten_and_written_as_xml() {
    let place = Place::new();
    place.write(
        "query.sql",
        "SELECT age, sex FROM generalize((SELECT age, sex, zip FROM patients), quasi => (age, sex), k => 3)",
    );
    let done = json(&place, &["query.sql", "--file", "patients.csv", "--job", "paravent.toml"]);
    assert_eq!(texts(&done["steps"], "rule"), ["G10", "C1"]);
    let xml = done["xml"].as_str().unwrap();
    assert!(xml.starts_with("<generalization k=\"3\" metric=\"nuem\">\n"), "{xml}");
    place.write("query.xml", xml);
    let read = rewrite(&place, &["query.xml", "--only", "none", "--xml", "-q"]).expect(0).out;
    assert_eq!(read, xml);
    let piped = place.run_with(
        &["rewrite", "-", "--format", "sql", "--job", "paravent.toml", "--json"],
        b"SELECT count(*) + 1 FROM patients",
    );
    let piped = piped.expect(0).json();
    assert_eq!(piped["xml"], Value::Null);
    assert!(piped["xml_problem"].as_str().unwrap().contains("cannot be written as XML"), "{piped}");
    place.write("sum.sql", "SELECT count(*) + 1 FROM patients");
    let unwritten = ["sum.sql", "--file", "patients.csv", "-o", "sum.xml"];
    rewrite(&place, &unwritten).expect(2).says(&["sum.sql", "cannot be written as XML"]);
    assert!(!place.names().contains(&"sum.xml".to_owned()));
    rewrite(&place, &["sum.sql"]).expect(2).says(&["sum.sql", "--file"]);
}

#[test]
fn the_catalogue_has_every_rule_in_order() {
    let place = Place::new();
    let list = place.run(&["rewrite", "--rules", "--json"]).expect(0).json();
    let family =
        |letter: &str, last: u32| (1..=last).map(|number| format!("{letter}{number}")).collect::<Vec<_>>();
    assert_eq!(
        texts(&list, "id"),
        [family("G", 19), family("S", 12), family("D", 17), family("C", 7)].concat()
    );
    let not_rules = ["G18", "G19", "S7", "S10", "S11", "D4", "D14", "D15", "D17"];
    for card in list.as_array().unwrap() {
        let id = card["id"].as_str().unwrap();
        for key in ["kind", "direction", "safe", "statement", "condition"] {
            assert!(card[key].is_string(), "{id} {key}");
        }
        let none = not_rules.contains(&id);
        assert_eq!(card["kind"] == "none", none, "{id}");
        assert_eq!(card["direction"] == "none", none, "{id}");
        assert_eq!(card["counter_example"].is_string(), none, "{id}");
        assert_eq!(card["example"].is_string(), !none, "{id}");
    }
    let text = rewrite(&place, &["--rules"]).expect(0).out;
    assert!(list.as_array().unwrap().iter().all(|card| text.contains(card["statement"].as_str().unwrap())));
    let one = rewrite(&place, &["--rules", "G14"]).expect(0).out;
    assert!(one.starts_with("G14  ") && one.contains("\n  Condition") && !one.contains("G15"), "{one}");
    let other = rewrite(&place, &["--rules", "dp04"]).expect(0).out;
    assert!(other.starts_with("D9  ") && other.contains("DP04 (right to left)"), "{other}");
    assert_eq!(rewrite(&place, &["--rules", "S", "--json"]).expect(0).json().as_array().unwrap().len(), 12);
}

#[test]
fn the_page_of_rules_is_what_the_program_prints() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md")).unwrap();
    let printed = rewrite(&Place::new(), &["--rules", "--markdown"]).expect(0).out;
    assert!(printed == page, "docs/rules.md is old: paravent rewrite --rules --markdown > docs/rules.md");
}

#[test]
fn mistakes_are_named_with_their_place() {
    let place = Place::new();
    place.write("plan.xml", NOISY);
    let rule = |option: &str, name: &str| rewrite(&place, &["plan.xml", option, name]).expect(2);
    rule("--rule", "G20").says(&["--rule", "\"G20\" is no rule; did you mean G19?"]);
    rule("--rule", "DP6").says(&["did you mean DP05?"]);
    rule("--rule", "G9:up").says(&["left-to-right or right-to-left"]);
    rule("--only", "Q9").says(&["--only", "did you mean G9?"]);
    rule("--without", "S13").says(&["--without", "did you mean S12?"]);
    rewrite(&place, &["--rules", "G77"]).expect(2).says(&["did you mean G19?"]);
    rewrite(&place, &["plan.xml", "--rule", "G9", "--only", "G10"]).expect(2);
    rewrite(&place, &[]).expect(2);
    rewrite(&place, &["absent.xml"]).expect(4).says(&["absent.xml"]);
    let broken = |name: &str, document: &[u8], says: &[&str]| {
        place.write(name, document);
        let outcome = rewrite(&place, &[name]).expect(2).says(&[name]).says(says);
        assert!(!outcome.err.contains("panicked"), "{}", outcome.err);
    };
    broken("a.xml", b"<projektion/>", &["line 1, column 1", "did you mean <projection>?"]);
    let inside = NOISY.replace("baseRelation", "baseRelatoin");
    broken(
        "b.xml",
        inside.as_bytes(),
        &["line 3, column 5", "<baseRelatoin>", "did you mean <baseRelation>?"],
    );
    let bomb = format!("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n{NOISY}");
    broken("c.xml", bomb.as_bytes(), &["line 1, column 1", "document type"]);
    broken("d.xml", NOISY.replace(">day<", ">&day;<").as_bytes(), &["line 6, column", "entity"]);
    let deep = format!("{}{}", "<selection>".repeat(5000), "</selection>".repeat(5000));
    broken("e.xml", deep.as_bytes(), &["deeper than 200 levels"]);
    broken("f.xml", format!("<!--{}-->", "x".repeat(300_000)).as_bytes(), &["at most 262144"]);
    broken("g.xml", &vec![b' '; 3 << 20], &["longer than 2 MiB"]);
    broken("h.xml", b"<union>\xff</union>", &["no UTF-8 text (byte 8)"]);
    broken("i.xml", b"", &["there is no element"]);
    broken("j.xml", b"<union>", &["<union> is not closed"]);
    broken("k.sql", b"SELEC 1", &[]);
    let failed = place.run(&["--json", "rewrite", "a.xml"]).expect(2).json();
    assert_eq!(failed["error"]["kind"], "usage");
}

#[test]
fn shells_offer_the_names_of_rules_and_help_does_not_list_them() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&["completions", shell]).expect(0).out;
        assert!(script.contains("DP04") && script.contains("allow-partial"), "{shell}");
    }
    let help = rewrite(&place, &["--help"]).expect(0).out;
    assert!(help.contains("Examples:") && !help.contains("G17"), "{help}");
}

/// α^D over two parts of a table.
const PARTS: &str = r#"<differentialPrivacy>
  <union isDistinct="false">
    <baseRelation name="north"><attributes><attribute>day</attribute><attribute>group</attribute></attributes></baseRelation>
    <baseRelation name="south"><attributes><attribute>day</attribute><attribute>group</attribute></attributes></baseRelation>
  </union>
  <noiseAttributes><noiseAttribute attribute="group" noiseProbability="0.5"/></noiseAttributes>
</differentialPrivacy>
"#;

#[test]
fn operators_go_where_relations_live() {
    let place = Place::new();
    place.write("plan.xml", PARTS);
    assert_eq!(json(&place, &["plan.xml"])["changed"], false, "in one place it does not pay");
    let sites = ["plan.xml", "--at", "north=hospital", "--at", "south=the clinic"];
    let done = json(&place, &sites);
    assert_eq!(texts(&done["steps"], "name"), ["DP01"]);
    assert_eq!(done["raw_rows_leave"], serde_json::json!([]));
    assert_eq!(done["cost"]["before"]["raw_cells"], 4000);
    assert_eq!(done["cost"]["after"]["raw_cells"], 0);
    place.write("parts.xml", done["xml"].as_str().unwrap());
    let back =
        json(&place, &["parts.xml", "--rule", "DP02", "--at", "north=hospital", "--at", "south=clinic"]);
    assert_eq!(back["changed"], false);
    assert!(texts(&back["refusals"], "because")[0].contains("raw rows would leave the place"), "{back}");
    assert_eq!(json(&place, &["parts.xml", "--rule", "DP02"])["changed"], true);
    let told = rewrite(&place, &[&sites[..], &["--only", "none"]].concat()).expect(0).out;
    assert!(told.contains("Raw rows leave these places\n  hospital (of north), at root.0.0\n"), "{told}");
    rewrite(&place, &["plan.xml", "--at", "nroth=hospital"]).expect(2).says(&["nroth", "north, south"]);
    rewrite(&place, &["plan.xml", "--at", "north"]).expect(2).says(&["north=hospital"]);
}

//! A policy for jobs that are there, for their owner to change.

use crate::columns::is_made_from_data;
use paravent_job::{Job, Role, quoted};
use std::collections::BTreeMap;

/// What a proposal is made of: a table, its job, and from which level on its quasi-identifiers may be used.
#[derive(Debug)]
pub struct Proposed<'j> {
    /// What the table is called in questions.
    pub table: String,
    /// The job file as the policy names it.
    pub path: String,
    /// The job.
    pub job: &'j Job,
    /// By column: the level that hides it well enough. Columns without one are denied.
    pub levels: BTreeMap<String, u8>,
}

/// The text of a policy that allows noisy counts by quasi-identifiers, each from its level on, to one recipient, and denies all else.
pub fn propose(name: &str, all: &[Proposed<'_>]) -> String {
    let mut text = format!(
        "# Proposed by `paravent policy init`. What no rule allows is denied.\n# See docs/guide/policy.md, and check it with: paravent policy check FILE\nversion = 1\nname = {}\n",
        quoted(name)
    );
    for one in all {
        let person = &one.job.privacy.person;
        text.push_str(&format!("\n[[tables]]\nname = {}\njob = {}\n", quoted(&one.table), quoted(&one.path)));
        if person.is_empty() {
            text.push_str("# The job names no person. Name the column that says whose row it is:\nperson = \"CHANGE-ME\"\n");
        } else {
            text.push_str(&format!("person = {}\n", list(person)));
        }
        text.push_str("contribution = 1                 # most rows of one person that count in an answer\n");
    }
    text.push_str(
        "\n[[recipients]]\nrole = \"research\"                # `paravent ask --as research --purpose statistics`\npurposes = [\"statistics\"]\ntrust = \"untrusted\"              # every figure has noise\nbudget = { epsilon = \"1\", delta = \"1e-6\", renew = \"never\" }\n",
    );
    for one in all {
        rules(one, &mut text);
    }
    text
}

fn rules(one: &Proposed<'_>, text: &mut String) {
    let table = quoted(&one.table);
    text.push_str(&format!(
        "\n[[rules]]\nid = \"{0}-rows\"\ntable = {table}\naggregate = [\"count\"]            # how many rows there are\nnoise = {{ epsilon = \"0.1\", delta = \"1e-8\" }}   # of one answer at most\n",
        one.table
    ));
    let mut denied: Vec<String> = Vec::new();
    for attribute in &one.job.attributes {
        let usable = attribute.role == Role::QuasiIdentifier
            && !one.job.privacy.person.contains(&attribute.name)
            && !attribute.hierarchy.as_ref().is_some_and(|spec| is_made_from_data(spec, attribute));
        // Without a hierarchy there is only the value as it is.
        let level =
            one.levels.get(&attribute.name).filter(|&&level| level == 0 || attribute.hierarchy.is_some());
        match level.filter(|_| usable) {
            Some(level) => {
                let level = if *level == 0 { "true".to_owned() } else { level.to_string() };
                text.push_str(&format!(
                    "\n[[rules]]\nid = {}\ntable = {table}\ncolumns = [{}]\nfilter = {level}\ngroup = {level}\naggregate = [\"count\"]\n",
                    quoted(&format!("{}-{}", one.table, attribute.name)),
                    quoted(&attribute.name)
                ));
            }
            None => denied.push(attribute.name.clone()),
        }
    }
    if !denied.is_empty() {
        text.push_str(&format!(
            "\n[[rules]]\nid = \"{}-denied\"\ntable = {table}\ncolumns = {}\ndeny = true                      # beats every other rule\n",
            one.table,
            list(&denied)
        ));
    }
    text.push_str(&format!("\n[[demands]]\ntable = {table}\nmin_people = 10\n"));
}

fn list(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

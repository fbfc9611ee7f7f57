//! Random policies for a ward, and people who can be recognised.

use super::dice::Dice;

pub const COLUMNS: [&str; 7] = ["id", "name", "age", "sex", "zip", "diagnosis", "salary"];

/// What the policy says of a column, for the test to remember.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Right {
    None,
    Denied,
    Level(u8),
}

/// A policy, and what it says of each column.
pub fn policy(dice: &mut Dice) -> (String, Vec<Right>) {
    let mut text = String::from(
        "version = 1\nname = \"random\"\n[[tables]]\nname = \"patients\"\njob = \"patients.toml\"\nperson = \"id\"\n[tables.domain]\nsalary = { min = 0, max = 20000 }\n[[recipients]]\nrole = \"research\"\npurposes = [\"statistics\"]\nbudget = { epsilon = \"1000\", delta = \"0.1\" }\n[[rules]]\nid = \"rows\"\ntable = \"patients\"\naggregate = [\"count\"]\nnoise = { epsilon = \"20\", delta = \"1e-4\" }\n",
    );
    // A third of the policies trust the recipient with exact figures and show rows.
    let trusts = dice.below(3) == 0;
    if trusts {
        text = text
            .replace("noise = { epsilon = \"20\", delta = \"1e-4\" }\n", "")
            .replace("role = \"research\"\n", "role = \"research\"\ntrust = \"trusted\"\n");
        text.push_str("[[demands]]\ntable = \"patients\"\nmin_people = 5\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n");
    }
    let mut rights = Vec::new();
    for column in COLUMNS {
        let right = match dice.below(4) {
            0 => Right::None,
            1 => Right::Denied,
            // The person is never allowed; a policy that tries is no policy.
            _ if column == "id" => Right::None,
            _ if ["age", "zip"].contains(&column) => Right::Level(dice.below(3) as u8),
            _ => Right::Level(0),
        };
        rights.push(right);
        let head = format!("[[rules]]\nid = \"{column}\"\ntable = \"patients\"\ncolumns = [\"{column}\"]\n");
        match right {
            Right::None => {}
            Right::Denied => text.push_str(&format!("{head}deny = true\n")),
            Right::Level(level) => {
                text.push_str(&format!(
                    "{head}group = {level}\nfilter = {level}\naggregate = [\"count\", \"sum\"]\n"
                ));
                if trusts {
                    text.push_str(&format!("show = {level}\n"));
                }
            }
        }
    }
    (text, rights)
}

/// People whose names, numbers and postcodes can be recognised.
pub fn table(people: usize) -> String {
    let mut text = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..people {
        text.push_str(&format!(
            "CANARY-ID{i},CANARY{i},{},f,{:05},flu,1000,medicine,2026-01-01\n",
            20 + i % 3,
            54_321 + i % 2
        ));
    }
    text
}

//! Writes `federation.toml` in its one canonical form.

use super::{Agreement, Amount, Levels, SAME_PERSON, Spelling, Tree, split_name};
use paravent_federation::{ColumnKeys, Gaps, Participants, Protocol, PseudoShape, Split};

impl Agreement {
    /// The file, in its one canonical form.
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = String::from(
            "# What the parties of a joint release agree on. Made by `paravent party invite`; see docs/guide/federation.md\nversion = 1\n",
        );
        let mut line = |entry: String| {
            text.push_str(&entry);
            text.push('\n');
        };
        line(format!("run = {}", quoted(&self.run)));
        line(format!("nonce = {}", quoted(&self.nonce)));
        line(format!("protocol = \"{}\"", self.protocol.letter().to_ascii_lowercase()));
        line(format!("split = \"{}\"", split_name(self.split, self.holders)));
        line(format!("receiver = {}", quoted(&self.receiver)));
        if let Some(identifier) = &self.identifier {
            line(format!("identifier = {}", quoted(identifier)));
        }
        let choice = SAME_PERSON.iter().find(|(_, choice)| *choice == self.same_person);
        if let (Split::Horizontal, Some(_), Some((name, _))) = (self.split, &self.identifier, choice) {
            line(format!("same_person = \"{name}\""));
        }
        if self.spelling != Spelling::AsWritten {
            line(format!("identifier_spelling = \"{}\"", self.spelling.name()));
        }
        if let Protocol::C(pseudo) = self.protocol {
            line(format!("pseudo_percent = {}", pseudo.percent));
            line(format!("pseudo_shape = \"{}\"", shape_name(pseudo.shape)));
            if self.pseudo_amount == Amount::Counted {
                line("pseudo_counted = true".to_owned());
            }
        }
        if let Some(party) = &self.marked_by {
            line(format!("marked_by = {}", quoted(party)));
        }
        line(format!("m_privacy = {}", self.participants == Participants::Curious));
        line(format!("private_keys = {}", self.column_keys == ColumnKeys::Private));
        if self.gaps == Gaps::Placeholders {
            line("fill_gaps = true".to_owned());
        }
        for party in &self.parties {
            line(format!("\n[[parties]]\nname = {}\nrole = \"{}\"", quoted(&party.name), party.part.name()));
            if let Some(address) = &party.address {
                line(format!("address = {}", quoted(address)));
            }
            if let Some(fingerprint) = party.fingerprint {
                line(format!("fingerprint = \"{fingerprint}\""));
            }
            if let Some(matched) = &party.matched {
                line(format!("matched = {}", quoted(matched)));
            }
            if let Some(approved) = &party.approved {
                line(format!("approved = {}", quoted(approved)));
            }
        }
        for column in &self.columns {
            line(format!(
                "\n[[columns]]\nname = {}\nrole = \"{}\"\ntype = \"{}\"",
                quoted(&column.name),
                column.role.name(),
                column.data_type.name()
            ));
            if let Some(owner) = &column.owner {
                line(format!("owner = {}", quoted(owner)));
            }
            if !column.sharers.is_empty() {
                let sharers: Vec<String> = column.sharers.iter().map(|name| quoted(name)).collect();
                line(format!("also_held_by = [{}]", sharers.join(", ")));
            }
            if let Some(Levels { height, lowest, highest, weight, hierarchy, shares }) = &column.levels {
                line(format!(
                    "height = {height}\nmin_level = {lowest}\nmax_level = {highest}\nweight = {weight:?}\nhierarchy = {}\nshares = \"{}\"",
                    quoted(hierarchy),
                    shares.name()
                ));
            }
            if let Some(Tree { height, hierarchy }) = &column.tree {
                line(format!("height = {height}\nhierarchy = {}", quoted(hierarchy)));
            }
        }
        text.push_str(&self.terms.to_toml());
        text
    }
}

fn shape_name(shape: PseudoShape) -> &'static str {
    match shape {
        PseudoShape::Copies => "copies",
        PseudoShape::Blocks => "blocks",
        PseudoShape::Flat => "flat",
    }
}

//! Reads `federation.toml`; whatever is wrong is told together, with line and key.

use super::{
    Agreement, Amount, ColumnEntry, Holders, Levels, Part, PartyEntry, SAME_PERSON, SPLITS, Spelling, Tree,
    protocol_of,
};
use paravent_federation::transport::Fingerprint;
use paravent_federation::{ColumnKeys, Gaps, Participants, PseudoShape, SamePerson, Shares, Split};
use paravent_job::{DataType, Problems, Role, Source, Terms};
use std::collections::BTreeSet;
use std::path::Path;
use toml::{Table, Value};

const KEYS: [&str; 17] = [
    "version",
    "run",
    "nonce",
    "protocol",
    "split",
    "receiver",
    "identifier",
    "identifier_spelling",
    "same_person",
    "marked_by",
    "pseudo_percent",
    "pseudo_shape",
    "pseudo_counted",
    "m_privacy",
    "private_keys",
    "fill_gaps",
    "parties",
];

/// Reads the text of a federation file.
pub fn parse(text: &str, file: &Path) -> Result<Agreement, Problems> {
    let keys: Vec<&'static str> = KEYS.into_iter().chain(["columns"]).collect();
    let read = Terms::read(text, file, &keys, |table, source, problems| {
        let mut walk = Walk { source, problems };
        walk.document(table)
    });
    let (terms, agreement, source) = read?;
    Ok(agreement(terms, source))
}

struct Walk<'a> {
    source: &'a Source,
    problems: &'a mut Problems,
}

impl Walk<'_> {
    fn report(&mut self, key: &str, message: impl Into<String>, advice: &str) {
        self.problems.push(self.source.problem(key, message).advise(advice));
    }

    fn text(&mut self, table: &Table, path: &str, key: &str, example: &str) -> Option<String> {
        match table.get(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            Some(_) => {
                self.report(
                    &at(path, key),
                    "must be a text that is not empty",
                    &format!("Write e.g. {key} = \"{example}\""),
                );
                None
            }
            None => {
                self.report(&at(path, key), "is missing", &format!("Write e.g. {key} = \"{example}\""));
                None
            }
        }
    }

    fn optional(&mut self, table: &Table, path: &str, key: &str, example: &str) -> Option<String> {
        table.contains_key(key).then(|| self.text(table, path, key, example)).flatten()
    }

    fn choice<T: Copy>(&mut self, table: &Table, path: &str, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(table, path, key, choices[0].0)?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.report(
                &at(path, key),
                format!("{text:?} is not possible"),
                &format!("Possible: {}", names.join(", ")),
            );
        }
        found
    }

    fn whole(&mut self, table: &Table, path: &str, key: &str, most: i64) -> Option<i64> {
        match table.get(key) {
            Some(Value::Integer(number)) if (0..=most).contains(number) => Some(*number),
            _ => {
                self.report(
                    &at(path, key),
                    format!("must be a whole number from 0 to {most}"),
                    &format!("Write e.g. {key} = 1"),
                );
                None
            }
        }
    }

    fn truth(&mut self, table: &Table, key: &str) -> Option<bool> {
        match table.get(key) {
            None => Some(false),
            Some(Value::Boolean(truth)) => Some(*truth),
            Some(_) => {
                self.report(key, "must be true or false", &format!("Write {key} = false"));
                None
            }
        }
    }

    fn allow(&mut self, table: &Table, path: &str, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.as_str())) {
            self.report(&at(path, key), "unknown key", &format!("Allowed here: {}", keys.join(", ")));
        }
    }

    fn entries<'t>(&mut self, table: &'t Table, key: &str) -> Vec<&'t Table> {
        match table.get(key) {
            Some(Value::Array(entries)) if entries.iter().all(Value::is_table) => {
                entries.iter().filter_map(Value::as_table).collect()
            }
            Some(_) => {
                self.report(key, "must be a list of tables", &format!("Write [[{key}]], once for each"));
                Vec::new()
            }
            None => {
                self.report(key, "is missing", &format!("Write [[{key}]], once for each"));
                Vec::new()
            }
        }
    }

    /// The agreement, but for its terms.
    fn document(&mut self, table: &Table) -> Option<impl FnOnce(Terms, Source) -> Agreement + use<>> {
        match table.get("version") {
            Some(Value::Integer(1)) => {}
            Some(_) => self.report(
                "version",
                "is not known here",
                "Write version = 1, or run a newer release of paravent",
            ),
            None => self.report("version", "is missing", "Write version = 1"),
        }
        let run = self.text(table, "", "run", "registry 2026");
        let nonce = self.text(table, "", "nonce", "32 hexadecimal digits");
        let letter = self.choice(table, "", "protocol", &[("a", "a"), ("b", "b"), ("c", "c")]);
        let chosen = self.choice(table, "", "split", &SPLITS);
        let (split, holders) = (chosen.map(|chosen| chosen.0), chosen.map(|chosen| chosen.1));
        let receiver = self.text(table, "", "receiver", "clinic-a");
        let identifier = self.optional(table, "", "identifier", "patient_id");
        let spellings = Spelling::ALL.map(|spelling| (spelling.name(), spelling));
        let spelling = match table.contains_key("identifier_spelling") {
            true => self.choice(table, "", "identifier_spelling", &spellings),
            false => Some(Spelling::AsWritten),
        };
        let same_person = self.same_person(table, split, identifier.is_some());
        let marked_by = self.optional(table, "", "marked_by", "clinic-a");
        let (percent, shape) = match letter {
            Some("c") => (
                self.whole(table, "", "pseudo_percent", 5000),
                self.choice(
                    table,
                    "",
                    "pseudo_shape",
                    &[
                        ("flat", PseudoShape::Flat),
                        ("copies", PseudoShape::Copies),
                        ("blocks", PseudoShape::Blocks),
                    ],
                ),
            ),
            _ => (Some(0), Some(PseudoShape::Copies)),
        };
        let counted = self.truth(table, "pseudo_counted");
        let m_privacy = self.truth(table, "m_privacy");
        let private_keys = self.truth(table, "private_keys");
        let fill_gaps = self.truth(table, "fill_gaps");
        let parties: Vec<Option<PartyEntry>> = self
            .entries(table, "parties")
            .into_iter()
            .enumerate()
            .map(|(index, entry)| self.party(entry, index))
            .collect();
        let parties: Option<Vec<PartyEntry>> = parties.into_iter().collect();
        let columns: Vec<Option<ColumnEntry>> = self
            .entries(table, "columns")
            .into_iter()
            .enumerate()
            .map(|(index, entry)| self.column(entry, index))
            .collect();
        let columns: Option<Vec<ColumnEntry>> = columns.into_iter().collect();
        if let (Some(parties), Some(columns), Some(split), Some(letter)) = (&parties, &columns, split, letter)
        {
            self.consistent(parties, columns, split, letter, identifier.as_deref());
            self.held_in_turn(parties, columns, holders);
            let known = |name: &String| parties.iter().any(|p| p.name == *name && p.part == Part::Primary);
            if marked_by.as_ref().is_some_and(|name| split == Split::Horizontal || !known(name)) {
                let advice =
                    "Vertical: write the party whose table has the column; horizontal: leave it out, all do";
                self.report("marked_by", "must name a primary party of a vertical split", advice);
            }
        }
        let protocol = protocol_of(letter?, percent? as u16, shape?)?;
        let (run, nonce, split, holders, receiver, parties, columns) =
            (run?, nonce?, split?, holders?, receiver?, parties?, columns?);
        let participants = if m_privacy? { Participants::Curious } else { Participants::Trusted };
        let column_keys = if private_keys? { ColumnKeys::Private } else { ColumnKeys::Common };
        let (spelling, same_person) = (spelling?, same_person?);
        let pseudo_amount = if counted? { Amount::Counted } else { Amount::Given };
        let gaps = if fill_gaps? { Gaps::Placeholders } else { Gaps::Refused };
        Some(move |terms, source| Agreement {
            gaps,
            same_person,
            spelling,
            run,
            nonce,
            protocol,
            pseudo_amount,
            split,
            holders,
            receiver,
            identifier,
            marked_by,
            participants,
            column_keys,
            parties,
            columns,
            terms,
            source,
        })
    }

    /// Without an identifier nobody looks.
    fn same_person(&mut self, table: &Table, split: Option<Split>, identifies: bool) -> Option<SamePerson> {
        let is_given = table.contains_key("same_person");
        match (split, identifies, is_given) {
            (Some(Split::Horizontal), true, true) => self.choice(table, "", "same_person", &SAME_PERSON),
            (Some(Split::Horizontal), true, false) => Some(SamePerson::Refused),
            (_, _, true) => {
                let advice = "Leave it out, or name the identifying column: identifier = \"patient_id\"";
                self.report("same_person", "goes with a horizontal split and an identifier", advice);
                Some(SamePerson::CountedTwice)
            }
            (_, _, false) => Some(SamePerson::CountedTwice),
        }
    }

    fn party(&mut self, table: &Table, index: usize) -> Option<PartyEntry> {
        let path = format!("parties[{index}]");
        self.allow(table, &path, &["name", "role", "address", "fingerprint", "matched", "approved"]);
        let name = self.text(table, &path, "name", "clinic-a");
        let parts =
            [("primary", Part::Primary), ("without-data", Part::WithoutData), ("helper", Part::Helper)];
        let part = self.choice(table, &path, "role", &parts);
        let address = self.optional(table, &path, "address", "clinic-a.example:7001");
        let fingerprint = self.optional(table, &path, "fingerprint", "64 hexadecimal digits");
        let parsed = fingerprint.as_deref().map(Fingerprint::parse);
        if parsed == Some(None) {
            self.report(
                &at(&path, "fingerprint"),
                "must be 64 hexadecimal digits",
                "`paravent party keygen` prints it",
            );
            return None;
        }
        let matched = self.optional(table, &path, "matched", "240 people here");
        let approved = self.optional(table, &path, "approved", "64 hexadecimal digits");
        Some(PartyEntry {
            name: name?,
            part: part?,
            address,
            fingerprint: parsed.flatten(),
            matched,
            approved,
        })
    }

    fn column(&mut self, table: &Table, index: usize) -> Option<ColumnEntry> {
        let path = format!("columns[{index}]");
        let keys = [
            "name",
            "role",
            "type",
            "owner",
            "also_held_by",
            "height",
            "min_level",
            "max_level",
            "weight",
            "hierarchy",
            "shares",
        ];
        self.allow(table, &path, &keys);
        let name = self.text(table, &path, "name", "age");
        let roles: Vec<(&str, Role)> = [Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive]
            .map(|role| (role.name(), role))
            .to_vec();
        let role = self.choice(table, &path, "role", &roles);
        let types: Vec<(&str, DataType)> = DataType::ALL.iter().map(|&kind| (kind.name(), kind)).collect();
        let data_type = self.choice(table, &path, "type", &types);
        let owner = self.optional(table, &path, "owner", "clinic-a");
        let sharers = self.names(table, &path, "also_held_by");
        let levels = match role {
            Some(Role::QuasiIdentifier) => {
                let height = self.whole(table, &path, "height", 254);
                let lowest = self.whole(table, &path, "min_level", 254);
                let highest = self.whole(table, &path, "max_level", 254);
                let weight = match table.get("weight") {
                    Some(Value::Float(weight)) if weight.is_finite() && *weight >= 0.0 => Some(*weight),
                    _ => {
                        self.report(
                            &at(&path, "weight"),
                            "must be a decimal number, at least 0",
                            "Write weight = 1.0",
                        );
                        None
                    }
                };
                let hierarchy = self.text(table, &path, "hierarchy", "its SHA-256");
                let kinds =
                    [Shares::FromLeaves, Shares::Travel, Shares::Lines].map(|kind| (kind.name(), kind));
                let shares = self.choice(table, &path, "shares", &kinds);
                if let (Some(height), Some(lowest), Some(highest)) = (height, lowest, highest)
                    && (lowest > highest || highest > height)
                {
                    self.report(
                        &at(&path, "max_level"),
                        "levels must satisfy min_level ≤ max_level ≤ height",
                        "Correct the levels",
                    );
                }
                Some(Levels {
                    height: height? as u8,
                    lowest: lowest? as u8,
                    highest: highest? as u8,
                    weight: weight?,
                    hierarchy: hierarchy?,
                    shares: shares?,
                })
            }
            _ => None,
        };
        let has_tree = table.contains_key("height") || table.contains_key("hierarchy");
        let tree = match role {
            Some(Role::Sensitive) if has_tree => {
                let height = self.whole(table, &path, "height", 254);
                let hierarchy = self.text(table, &path, "hierarchy", "its SHA-256");
                Some(Tree { height: height? as u8, hierarchy: hierarchy? })
            }
            _ => None,
        };
        let sharers = sharers?;
        Some(ColumnEntry { name: name?, role: role?, data_type: data_type?, owner, sharers, levels, tree })
    }

    /// Names of parties; none where the key is not there.
    fn names(&mut self, table: &Table, path: &str, key: &str) -> Option<Vec<String>> {
        let Some(value) = table.get(key) else { return Some(Vec::new()) };
        let texts = value.as_array().map(|list| list.iter().map(|name| name.as_str().map(str::to_owned)));
        let names: Option<Vec<String>> = texts.and_then(Iterator::collect);
        if names.is_none() {
            self.report(&at(path, key), "must be a list of parties", "Write [\"clinic-b\"]");
        }
        names
    }

    /// Who else holds a column: in a hybrid split, primary parties, each once and in the order of the parties.
    fn held_in_turn(&mut self, parties: &[PartyEntry], columns: &[ColumnEntry], holders: Option<Holders>) {
        for (index, column) in columns.iter().enumerate().filter(|(_, column)| !column.sharers.is_empty()) {
            let place = |name: &String| {
                parties.iter().position(|party| party.name == *name && party.part == Part::Primary)
            };
            let places: Option<Vec<usize>> = column.holders().map(place).collect();
            let in_order = places.is_some_and(|places| places.windows(2).all(|pair| pair[0] < pair[1]));
            if !in_order || holders != Some(Holders::Several) {
                self.report(
                    &format!("columns[{index}].also_held_by"),
                    "must name primary parties of a hybrid split, after the owner and in their order",
                    "Let every party that holds the column run: paravent party join",
                );
            }
        }
    }

    fn consistent(
        &mut self,
        parties: &[PartyEntry],
        columns: &[ColumnEntry],
        split: Split,
        letter: &str,
        identifier: Option<&str>,
    ) {
        let mut names = BTreeSet::new();
        let mut prints = BTreeSet::new();
        let mut addresses = BTreeSet::new();
        for (index, party) in parties.iter().enumerate() {
            if party.name.contains(|letter: char| letter.is_control() || "/\\".contains(letter)) {
                self.report(
                    &format!("parties[{index}].name"),
                    "has a slash or a character that cannot be printed",
                    "Write a plain name, e.g. name = \"clinic-a\"",
                );
            }
            if !names.insert(&party.name) {
                self.report(
                    &format!("parties[{index}].name"),
                    "is there twice",
                    "Give each party a name of its own",
                );
            }
            if party.address.as_ref().is_some_and(|address| !addresses.insert(address)) {
                self.report(
                    &format!("parties[{index}].address"),
                    "is that of another party, too",
                    "Every party listens at an address of its own",
                );
            }
            if party.fingerprint.is_some_and(|print| !prints.insert(print)) {
                self.report(
                    &format!("parties[{index}].fingerprint"),
                    "is there twice",
                    "Every party makes a key of its own: paravent party keygen",
                );
            }
        }
        let helpers = parties.iter().filter(|party| party.part == Part::Helper).count();
        let last = parties.last().is_some_and(|party| party.part == Part::Helper);
        match letter {
            "a" if helpers > 0 => {
                self.report("parties", "protocol A has no helper", "Leave it out, or use protocol b")
            }
            "b" | "c" if helpers != 1 || !last => self.report(
                "parties",
                "protocols B and C have one helper, the last of the list",
                "Write role = \"helper\" for the last party (paravent party invite --helper NAME)",
            ),
            _ => {}
        }
        if parties.len() > 64 {
            self.report("parties", "there are more than 64", "Use fewer");
        }
        let mut seen = BTreeSet::new();
        for (index, column) in columns.iter().enumerate() {
            if !seen.insert(&column.name) {
                self.report(&format!("columns[{index}].name"), "is there twice", "Name each column once");
            }
            let known = column.owner.as_ref().is_some_and(|owner| {
                parties.iter().any(|party| party.name == *owner && party.part == Part::Primary)
            });
            if split == Split::Vertical && !known {
                self.report(
                    &format!("columns[{index}].owner"),
                    "must name a primary party",
                    "Write owner = the party that holds it",
                );
            }
        }
        if split == Split::Vertical && identifier.is_none() {
            self.report(
                "identifier",
                "is missing",
                "Name the column by which rows are matched, e.g. identifier = \"patient_id\" (paravent party invite --identifier patient_id)",
            );
        }
    }
}

fn at(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

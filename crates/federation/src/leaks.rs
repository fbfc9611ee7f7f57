//! Who learns what: for people who decide whether to take part, and for previews.

use crate::plan::{ColumnKeys, Criterion, Participants, Plan, Protocol, PseudoShape, SamePerson, Split};
use crate::wire::MessageKind as Kind;
use paravent_core::exact::Fraction;

/// What each role sends, learns, and could find out beyond the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakTable {
    /// Who sends what to whom.
    pub sends: Vec<Sends>,
    /// Who learns what by design.
    pub learns: Vec<Learns>,
    /// What a curious party could conclude, and what stands against it.
    pub leaks: Vec<Leak>,
}

/// A kind of message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sends {
    /// Sender.
    pub from: &'static str,
    /// Receiver.
    pub to: &'static str,
    /// What.
    pub what: &'static str,
    /// The messages that carry it.
    pub carried_by: &'static [Kind],
}

/// Knowledge by design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learns {
    /// Who.
    pub who: &'static str,
    /// What.
    pub what: &'static str,
}

/// Knowledge by conclusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// Who could.
    pub who: &'static str,
    /// What.
    pub what: &'static str,
    /// What stands against it.
    pub against: &'static str,
}

const PRIMARY: &str = "every primary party";
const HELPER: &str = "the helper";
const FIRST: &str = "the first party";
const MASTER: &str = "the master (the first party)";
const LAST: &str = "the last primary party";
const MARKING: &str = "the party that marks the rows";
const RECEIVER: &str = "the party where the release arrives";

impl LeakTable {
    /// The table of a plan.
    pub fn of(plan: &Plan) -> LeakTable {
        let mut table = LeakTable { sends: vec![agreed_on_a_key()], learns: Vec::new(), leaks: Vec::new() };
        match plan.protocol {
            Protocol::A => table.ring(plan),
            Protocol::B => table.helper(plan),
            Protocol::C(pseudo) => {
                table.counted(plan, pseudo.shape);
                table.frequencies_of_made_up_rows(pseudo.shape, plan.split);
            }
        }
        if plan.same_person == SamePerson::Refused {
            table.matched();
        }
        table.learns.push(learns(RECEIVER, "the release, before it is published"));
        table.distributions(plan);
        table.marks(plan);
        table.leaks.push(Leak {
            who: "whoever sees several runs over nearly the same rows",
            what: "differences between the runs",
            against: "keys of their own for every run, so that only sizes can be compared",
        });
        table
    }

    /// The table of parties that only count the people they have in common.
    pub fn of_matching() -> LeakTable {
        let mut table = LeakTable { sends: vec![agreed_on_a_key()], learns: Vec::new(), leaks: Vec::new() };
        table.matched();
        table
    }

    /// The table of parties that only put values of a column together.
    pub fn of_union() -> LeakTable {
        let sends = vec![
            sends(
                &[Kind::Values, Kind::Opening],
                PRIMARY,
                "its right neighbour",
                "encrypted values, each once, a layer more each time, sorted by ciphertext; later those of all, a layer less each time",
            ),
            sends(
                &[Kind::Union],
                PRIMARY,
                "its left neighbour",
                "the values of several parties put together, each once, all layers on",
            ),
            sends(&[Kind::Opening], LAST, "the other primary parties", "the values of all, each once"),
        ];
        let learns = vec![
            learns(
                PRIMARY,
                "every value of the column that some party has, and nobody's rows, nor how often it occurs",
            ),
            learns(
                PRIMARY,
                "how many different values each party has, and how many of its right neighbour's were there before",
            ),
        ];
        let leaks = vec![Leak {
            who: PRIMARY,
            what: "that a value which it does not have is at one of the others; of two parties, at the other",
            against: "three parties or more; lowest levels, below which no value is sent; --least, which leaves out values of few rows",
        }];
        LeakTable { sends, learns, leaks }
    }

    fn matched(&mut self) {
        self.sends.extend([
            sends(
                &[Kind::People],
                PRIMARY,
                "its right neighbour",
                "encrypted identifiers, a layer more each time, sorted by ciphertext",
            ),
            sends(
                &[Kind::Everyone],
                PRIMARY,
                "the other primary parties",
                "the identifiers of one party with the layers of all",
            ),
        ]);
        self.learns.push(learns(
            PRIMARY,
            "how many people each party has, how many every group of parties has in common, and nobody's identifier",
        ));
        self.leaks.push(Leak {
            who: PRIMARY,
            what: "whether another party knows a person, if it brings a list made for the purpose",
            against: "nothing in the protocol; an agreement, and the numbers of people, which all see",
        });
    }

    fn ring(&mut self, plan: &Plan) {
        self.sends.extend([
            sends(
                &[Kind::Part, Kind::Release, Kind::Decoding],
                PRIMARY,
                "its right neighbour",
                "encrypted parts, shuffled; later the release, a layer less each time",
            ),
            sends(&[Kind::Integrated], PRIMARY, "its left neighbour", "the integrated table, all layers on"),
        ]);
        self.learns.extend([
            learns(
                MASTER,
                "number of rows, number of distinct values, equality of cells within each column, and how hierarchies group them",
            ),
            learns(PRIMARY, "number of rows, of distinct values, equality of cells within each column and how hierarchies group them, of every part as it passes; which labels are released"),
        ]);
        self.leaks.push(match plan.split {
            Split::Horizontal => Leak {
                who: "the master",
                what: "recognises its own rows by rare combinations, and so the plaintext of equal cells of others",
                against: "its rows come mixed with those of at least one other party; a helper (B) closes it",
            },
            Split::Vertical => Leak {
                who: "the master",
                what: "recognises rows by the combinations of its own columns, and so learns others' cells of them up to encryption",
                against: "nothing: columns stay columns; prefer B or C for vertical data",
            },
        });
        self.leaks.push(frequency_analysis("the master"));
    }

    fn helper(&mut self, plan: &Plan) {
        self.sends.extend([
            sends(&[Kind::Part], PRIMARY, HELPER, "its encrypted part, shuffled"),
            sends(&[Kind::Release], HELPER, FIRST, "the encrypted release"),
        ]);
        self.learns.push(learns(
            HELPER,
            "number of rows of each party, distinct values, equality of cells within each column, and how hierarchies group them; length of labels in steps of 32 bytes",
        ));
        if plan.is_hybrid() {
            self.learns.push(learns(
                HELPER,
                "which rows of the parties are of one person, as ciphertexts, and at which party of several each person is known",
            ));
        }
        self.leaks.push(frequency_analysis(HELPER));
        self.collusion(plan);
    }

    fn counted(&mut self, plan: &Plan, shape: PseudoShape) {
        self.sends.extend([
            sends(&[Kind::CounterKey], FIRST, HELPER, "the public key of the counters"),
            match plan.split {
                Split::Horizontal => {
                    sends(&[Kind::Part], PRIMARY, HELPER, "its encrypted part with made-up rows and encrypted counters, shuffled")
                }
                Split::Vertical => sends(
                    &[Kind::Part],
                    PRIMARY,
                    HELPER,
                    "its encrypted part with made-up rows, shuffled, and encrypted counters of its share of the persons",
                ),
            },
            sends(
                &[Kind::Check],
                HELPER,
                PRIMARY,
                "for every node asked: encrypted counters of its share of the classes, without labels, in random order",
            ),
            sends(
                &[Kind::Sums],
                PRIMARY,
                FIRST,
                "for every node asked: sums over its share of the classes: rows, rows left out, classes, squares of sizes",
            ),
            sends(&[Kind::Answer], FIRST, HELPER, "for every node asked: whether the promise holds, and the loss"),
            sends(&[Kind::Searched], HELPER, PRIMARY, "that the search is over; the first party hears it with the release"),
            sends(&[Kind::Release], HELPER, FIRST, "the encrypted release, equal rows once, with encrypted counters"),
        ]);
        self.learns.extend([
            learns(
                HELPER,
                "sizes with made-up rows, equality of cells within each column and how hierarchies group them, the answers and losses",
            ),
            learns(PRIMARY, "for every node asked: the true sizes of its share of the classes, without labels"),
            learns(FIRST, "for every node asked: the sums over the shares of the others"),
        ]);
        if plan.metric_reads_values() {
            self.sends.push(sends(&[Kind::Profile], HELPER, FIRST, "encrypted counters of the values of each quasi-identifier, without labels, and how they are grouped"));
            self.learns.push(learns(FIRST, "for each quasi-identifier: how often its values occur and how they are grouped, without saying which value is which"));
        }
        if plan.asks_about_columns() {
            self.learns.push(learns(HELPER, "what each quasi-identifier alone loses at each of its levels"));
        }
        if plan.criteria.iter().any(|criterion| !criterion.columns().is_empty()) {
            self.learns.push(learns(
                PRIMARY,
                "for every class of its share of a node asked: counts of its sensitive values, without saying which",
            ));
        }
        if !plan.close_columns().is_empty() {
            self.sends.push(sends(&[Kind::Totals], HELPER, PRIMARY, "encrypted counters of the values of each column with t-closeness, by number, and how its hierarchy groups them"));
            self.learns.push(learns(
                PRIMARY,
                "how often each value of a column with t-closeness occurs in all rows, and how often in every class of its share of a node asked, values by number",
            ));
            self.leaks.push(Leak {
                who: PRIMARY,
                what: "which number is which value of a column with t-closeness: how often each occurs is published with the release",
                against: "nothing where values occur differently often; no quasi-identifier goes with the numbers",
            });
        }
        if plan.participants == Participants::Curious {
            self.learns.push(learns(
                PRIMARY,
                "for every class of its share of a node asked: how its rows spread over the parties, without saying which",
            ));
        }
        if plan.metric_reads_values() {
            self.leaks.push(Leak {
                who: HELPER,
                what: "from losses of nodes that differ in one column, what that column loses; where it has few values, how often they really occur",
                against: "nothing where values are few; metrics of levels or class sizes (height, precision, aecs, discernibility) tell no such losses",
            });
        }
        if plan.suppression_limit > Fraction::ZERO || plan.marks_rows() {
            self.kept_classes(shape);
        }
        self.leaks.extend([
            Leak {
                who: HELPER,
                what: "a class too small to its eyes in a node reported as safe must be made up",
                against: "made-up rows are copies of real ones, so no class is all made up (copies), or come in blocks no smaller than a class must be (flat, blocks)",
            },
            Leak { who: HELPER, what: "the sequence of answers bounds class sizes from one side", against: "made-up rows blur the other side" },
            Leak { who: PRIMARY, what: "number and size profile of its share of the classes of every node asked", against: "no labels, random order, counters masked anew; the more parties, the smaller the share" },
            Leak { who: "the helper together with any primary party", what: "all counters: true sizes, and which rows are made up", against: "an agreement not to collude" },
            Leak { who: FIRST, what: "values by their frequency, where it knows the distribution of a column", against: "metrics of levels or class sizes (height, precision, aecs, discernibility) send no value counts" },
        ]);
        self.collusion(plan);
    }

    /// Where some classes of the chosen node are not released.
    fn kept_classes(&mut self, shape: PseudoShape) {
        self.sends.extend([
            sends(&[Kind::Finish], HELPER, PRIMARY, "encrypted counters of its share of the classes of the chosen node, without labels, in random order"),
            sends(&[Kind::Fates], PRIMARY, HELPER, "which classes of its share of the chosen node are kept"),
        ]);
        self.leaks.push(match shape {
            PseudoShape::Copies => Leak {
                who: HELPER,
                what: "which classes of the chosen node are suppressed, as ciphertexts",
                against: "nothing; in return nobody ever sees the labels of a suppressed row",
            },
            PseudoShape::Blocks | PseudoShape::Flat => Leak {
                who: HELPER,
                what: "which classes of the chosen node are not kept, as ciphertexts",
                against: "suppressed ones look like made-up ones; in return nobody ever sees the labels of a suppressed row",
            },
        });
    }

    /// What counting tokens tells, made-up rows or not.
    fn frequencies_of_made_up_rows(&mut self, shape: PseudoShape, split: Split) {
        match shape {
            PseudoShape::Copies | PseudoShape::Blocks => self.leaks.push(Leak {
                who: HELPER,
                what: "values by their frequency, where it knows the distribution of a column: made-up rows follow the real frequencies",
                against: "nothing, however many made-up rows there are; use the shape flat, and generalize such columns before the run",
            }),
            PseudoShape::Flat => {
                self.leaks.push(Leak {
                    who: HELPER,
                    what: "values that are more frequent than made-up rows can hide",
                    against: "as many made-up rows as `party simulate --leaks` says are needed; lowest levels with fewer values",
                });
                if split == Split::Horizontal {
                    self.leaks.push(Leak {
                        who: HELPER,
                        what: "horizontally, at how many parties a value occurs: every part shows the values that its party holds",
                        against: "lowest levels whose labels occur everywhere",
                    });
                }
                self.leaks.push(Leak {
                    who: HELPER,
                    what: "values by their frequency, where it counts different combinations of quasi-identifiers instead of rows: real rows are seldom equal, made-up ones come in blocks",
                    against: "lowest levels at which real combinations occur several times, too; `party simulate --leaks` gives the figure",
                });
            }
        }
    }

    /// t-closeness: the distribution of the whole table goes home with the release, and is published with it.
    fn distributions(&mut self, plan: &Plan) {
        if !plan.criteria.iter().any(|criterion| matches!(criterion, Criterion::TCloseness { .. })) {
            return;
        }
        let what = "with the release, as plain numbers: how often each value of a column with t-closeness occurs in all rows";
        self.sends.push(match plan.protocol {
            Protocol::A => sends(&[Kind::Release, Kind::Decoding], PRIMARY, "its right neighbour", what),
            Protocol::B => sends(&[Kind::Release], HELPER, FIRST, what),
            Protocol::C(_) => sends(
                &[Kind::Release],
                HELPER,
                FIRST,
                "with the release, encrypted: how often each value of a column with t-closeness occurs in all rows",
            ),
        });
        self.learns.push(learns(
            release_passes(plan),
            "how often each value of a column with t-closeness occurs in all rows, suppressed ones included; of a value that no released row shows how often and in which branch of the hierarchy, not which value; it is published with the release",
        ));
        if plan.suppression_limit > Fraction::ZERO {
            self.leaks.push(Leak {
                who: "whoever has the release",
                what: "how often sensitive values occur among the suppressed rows together; a party takes away its own, and has those of the others",
                against: "nothing ties them to quasi-identifiers; suppress nothing, or promise ℓ-diversity instead",
            });
        }
    }

    /// δ-presence and k-map: marks tell table and population apart, and class sizes in the population are published.
    fn marks(&mut self, plan: &Plan) {
        if !plan.marks_rows() {
            return;
        }
        self.learns.push(learns(
            release_passes(plan),
            "how many rows of the population every released class has; it is published with the release",
        ));
        if let Protocol::C(_) = plan.protocol {
            self.counted_marks(plan.split);
            return;
        }
        let to = if plan.protocol == Protocol::A { "its right neighbour" } else { HELPER };
        let mark = "with its part: a mark on every row that is to be released, not encrypted";
        self.sends.push(match plan.split {
            Split::Horizontal => sends(&[Kind::Part], PRIMARY, to, mark),
            Split::Vertical => sends(&[Kind::Part], MARKING, to, mark),
        });
        let marked = "which rows, as ciphertexts, are to be released and which are only in the population";
        match plan.protocol {
            Protocol::A => self.learns.extend([
                learns(MASTER, marked),
                learns(PRIMARY, "which rows of every part that passes, as ciphertexts, are to be released"),
            ]),
            Protocol::B | Protocol::C(_) => self.learns.push(learns(HELPER, marked)),
        }
        if plan.protocol == Protocol::A {
            self.leaks.push(Leak {
                who: "the master",
                what: "whether the rows it recognises are to be released",
                against: "nothing; a helper (B) closes it",
            });
        }
    }

    /// The same in protocol C: counters say which rows are to be released.
    fn counted_marks(&mut self, split: Split) {
        self.sends.push(sends(
            &[Kind::Part],
            if split == Split::Vertical { MARKING } else { PRIMARY },
            HELPER,
            "with its part: a second encrypted counter per row, so that rows to release and rows of the population are counted apart",
        ));
        self.sends.push(sends(
            &[Kind::Release],
            HELPER,
            FIRST,
            "with the release, encrypted: how many rows of the population the class of every row has",
        ));
        self.learns.push(learns(
            PRIMARY,
            "for every class of its share of a node asked: how many rows of the population it has, without labels",
        ));
        self.leaks.push(Leak {
            who: FIRST,
            what: "in a released class, cells of the other columns in rows that are not to be released: with the class come all its different rows, and counters say which count nothing",
            against: "made-up rows show such cells, too, and cannot be told from rows of the population (flat, blocks); copies are refused",
        });
    }

    fn collusion(&mut self, plan: &Plan) {
        if plan.column_keys == ColumnKeys::Private {
            self.sends.push(sends(
                &[Kind::Decoding],
                PRIMARY,
                "its right neighbour",
                "the release, more of its columns decoded each time, encrypted for the primary parties",
            ));
            self.learns.push(learns(PRIMARY, "the labels decoded so far, as the release passes"));
        }
        self.leaks.push(match plan.column_keys {
            ColumnKeys::Common => Leak {
                who: "the helper together with any primary party",
                what: "everything: the party has the keys, the helper the ciphertexts",
                against: "an agreement not to collude; vertically, private column keys",
            },
            ColumnKeys::Private => Leak {
                who: "the helper together with a primary party",
                what: "that party's columns next to the encrypted columns of the others",
                against: "an agreement not to collude",
            },
        });
    }
}

/// Who sees what goes home with the release.
fn release_passes(plan: &Plan) -> &'static str {
    match (plan.protocol, plan.column_keys) {
        (Protocol::A, _) | (_, ColumnKeys::Private) => PRIMARY,
        (Protocol::B | Protocol::C(_), ColumnKeys::Common) => RECEIVER,
    }
}

fn sends(carried_by: &'static [Kind], from: &'static str, to: &'static str, what: &'static str) -> Sends {
    Sends { from, to, what, carried_by }
}

fn agreed_on_a_key() -> Sends {
    let what = "two points of the key agreement";
    sends(&[Kind::Contribution, Kind::Confirmation], PRIMARY, "the other primary parties", what)
}

fn learns(who: &'static str, what: &'static str) -> Learns {
    Learns { who, what }
}

fn frequency_analysis(who: &'static str) -> Leak {
    Leak {
        who,
        what: "values by their frequency, where it knows the distribution of a column",
        against: "generalize such columns before the run, or use protocol C with flat made-up rows",
    }
}

#[cfg(test)]
mod tests;

//! The one rule that holds for a recipient, a purpose, a table and a column.

use crate::access::{Access, Claim};
use crate::demands::Demand;
use crate::people::Conflict;
use crate::policy::Policy;
use crate::recipients::Recipient;
use crate::rules::{Rows, Rule};
use crate::tables::Whose;
use paravent_job::closest;

/// A recipient with a purpose that is theirs.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'p> {
    /// Who asks.
    pub recipient: &'p Recipient,
    /// What for.
    pub purpose: &'p str,
}

/// What a policy says to somebody who may not ask at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// What is not known to the policy.
    pub message: String,
    /// What to do.
    pub advice: String,
}

/// What may be done with a column, and by which rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective<'p> {
    /// What may be done.
    pub access: Access,
    /// The rules that apply, in the order of the file.
    pub rules: Vec<&'p Rule>,
}

/// Which rows of a table exist, and whether they may be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveRows<'p> {
    /// Conditions and times.
    pub rows: Rows,
    /// What rules about rows say of figures and noise.
    pub access: Access,
    /// Nothing of the table may be used.
    pub denied: bool,
    /// The rules that apply, in the order of the file.
    pub rules: Vec<&'p Rule>,
}

impl Policy {
    /// A recipient with one of their purposes.
    ///
    /// # Errors
    /// If the policy does not know the recipient, or the purpose is not theirs.
    pub fn asker<'p>(&'p self, role: &str, purpose: &str) -> Result<Asker<'p>, Denied> {
        let Some(recipient) = self.recipients.iter().find(|recipient| recipient.role == role) else {
            let roles: Vec<&str> = self.recipients.iter().map(|recipient| recipient.role.as_str()).collect();
            return Err(Denied {
                message: "the policy knows no recipient of that name".to_owned(),
                advice: meant(role, &roles, "Recipients"),
            });
        };
        match recipient.purposes.iter().find(|own| *own == purpose) {
            Some(purpose) => Ok(Asker { recipient, purpose }),
            None => {
                let own: Vec<&str> = recipient.purposes.iter().map(String::as_str).collect();
                Err(Denied {
                    message: format!("this is no purpose of the recipient {role}"),
                    advice: meant(purpose, &own, "Purposes"),
                })
            }
        }
    }

    /// What may be done with a column. Columns of the person are denied whatever the rules say: they never leave the house.
    pub fn column<'p>(&'p self, asker: &Asker<'_>, table: &str, column: &str) -> Effective<'p> {
        let about_rows = self.rows(asker, table);
        let rules: Vec<&Rule> = self
            .applying(asker, table)
            .filter(|rule| {
                rule.is_about_rows() && rule.claim.deny || rule.columns.iter().any(|own| own == column)
            })
            .collect();
        let claims = rules.iter().map(|rule| &rule.claim);
        let mut claim = claims.fold(Claim::default(), |all, claim| all.meet(claim));
        // Noise of a rule about rows holds for every answer about them.
        if let Some(noise) = &about_rows.access.noise {
            claim = claim.meet(&Claim { noise: Some(noise.clone()), ..Claim::default() });
        }
        let mut access = claim.settled();
        for subject in self.subjects.iter().filter(|subject| subject.conflict == Conflict::Strictest) {
            for (_, claim) in
                subject.claims.iter().filter(|(columns, _)| columns.iter().any(|own| own == column))
            {
                access = access.restricted(&claim.of_person());
            }
        }
        let known = self.table(table);
        if about_rows.denied
            || known.is_none()
            || known.is_some_and(|table| names_people(&table.whose, column))
        {
            access = Access::nothing();
        }
        Effective { access, rules }
    }

    /// Which rows of a table exist.
    pub fn rows<'p>(&'p self, asker: &Asker<'_>, table: &str) -> EffectiveRows<'p> {
        let rules: Vec<&Rule> = self.applying(asker, table).filter(|rule| rule.is_about_rows()).collect();
        let rows = rules.iter().fold(Rows::default(), |all, rule| all.meet(&rule.rows));
        let claim = rules.iter().fold(Claim::default(), |all, rule| all.meet(&rule.claim));
        EffectiveRows {
            rows,
            access: claim.settled(),
            denied: claim.deny || self.table(table).is_none(),
            rules,
        }
    }

    /// What every answer about a table must keep.
    pub fn demand(&self, table: &str) -> Demand {
        let own = self.demands.iter().filter(|(name, _)| name == table);
        own.fold(Demand::default(), |all, (_, demand)| all.meet(demand))
    }

    fn applying<'p>(&'p self, asker: &Asker<'_>, table: &str) -> impl Iterator<Item = &'p Rule> {
        let (role, purpose) = (asker.recipient.role.clone(), asker.purpose.to_owned());
        let table = table.to_owned();
        self.rules.iter().filter(move |rule| rule.table == table && rule.whom.covers(&role, &purpose))
    }
}

impl Access {
    /// The same, taken back by a claim. A claim of a person can only take away: what was denied stays denied.
    #[must_use]
    pub fn restricted(&self, claim: &Claim) -> Access {
        let granted = Claim {
            deny: false,
            show: Some(self.show),
            filter: Some(self.filter),
            group: Some(self.group),
            aggregate: Some(self.aggregate.clone()),
            noise: self.noise.clone(),
        };
        granted.meet(claim).settled()
    }
}

/// Whether a column is part of the person's key.
pub(crate) fn names_people(whose: &Whose, column: &str) -> bool {
    match whose {
        Whose::Nobody => false,
        Whose::Person(columns) => columns.iter().any(|own| own == column),
        Whose::Links(links) => links.contains_key(column),
    }
}

/// "Did you mean …?", else all of them.
pub(crate) fn meant(written: &str, known: &[&str], what: &str) -> String {
    match closest(written, known.iter().copied()) {
        Some(meant) => format!("Did you mean \"{meant}\"? {what}: {}", known.join(", ")),
        None => format!("{what}: {}", known.join(", ")),
    }
}

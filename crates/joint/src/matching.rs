//! Counting the people that the parties have in common, after all have joined and before anybody approves.

use crate::agreement::{Agreement, Holders};
use crate::aside;
use crate::setup::{own_study, save};
use crate::{JointError, part};
use paravent_federation::transport::Observer;
use paravent_federation::{Gaps, Matches, Outcome, Party, PartyId, Plan, SamePerson, Split, Watch};
use paravent_tables::watch::Watch as Reading;

pub use crate::aside::Options;

/// A party that is ready to count.
pub struct Counting {
    /// What is agreed on so far.
    pub agreement: Agreement,
    /// Position of this party.
    pub me: usize,
    options: Options,
    identifiers: Vec<String>,
}

/// What the numbers mean for the run that was agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The run can go on as agreed.
    Fits,
    /// Some people are not everywhere, and nobody agreed to fill the gaps: the run would end.
    Gaps,
    /// Some people are at two parties, and it was agreed that nobody is: the run would end.
    SamePeople,
}

impl Counting {
    /// Reads the agreement and the party's own identifiers; refuses whatever can be told without the others.
    pub fn load(options: Options, watch: &dyn Reading) -> Result<Counting, JointError> {
        let helper = "the helper holds nobody: it takes no part in counting people";
        let (agreement, me) = aside::joined(&options, helper)?;
        if agreement.identifier.is_none() {
            let message = "nothing to match people by: no identifier was agreed on";
            let problem = agreement.source.problem("identifier", message);
            return Err(problem.advise("Invite again with --identifier COLUMN").into());
        }
        let identifiers = match own_study(&agreement, me, options.job.as_deref(), watch)? {
            Some(study) => {
                part::fits(&agreement, &study, &options.me)?;
                part::table(&agreement, &study, &options.me, watch)?.identifiers
            }
            None => Vec::new(),
        };
        Ok(Counting { agreement, me, options, identifiers })
    }

    /// People that this party brings.
    pub fn people(&self) -> usize {
        self.identifiers.len()
    }

    /// Names of the parties, by position.
    pub fn names(&self) -> Vec<String> {
        self.agreement.parties.iter().map(|party| party.name.clone()).collect()
    }

    /// Counts together with the others, and notes in this party's copy of the file that it was done.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<(Agreement, Matches), JointError> {
        let me = PartyId(self.me as u16);
        let mut identifiers = Some(std::mem::take(&mut self.identifiers));
        let mut begin = |plan: &Plan, rng: aside::Random, watch: &mut dyn Watch| {
            Party::matching(plan, me, identifiers.take().unwrap_or_default(), rng, watch)
        };
        let who = (&self.agreement, self.me);
        match aside::together(who, &self.options, "paravent party match", &mut begin, observer)? {
            Outcome::Matched(matches) => {
                let noted = format!(
                    "{} people here, {} at every party, {} in all",
                    matches.people.get(self.me).copied().unwrap_or(0),
                    matches.everywhere,
                    matches.all
                );
                self.agreement.parties[self.me].matched = Some(noted);
                save(&self.options.federation, &self.agreement.to_toml())?;
                Ok((self.agreement, matches))
            }
            _ => Err(JointError::Stopped),
        }
    }
}

/// What the numbers mean.
pub fn verdict(agreement: &Agreement, matches: &Matches) -> Verdict {
    if agreement.holders == Holders::Several {
        return hybrid_verdict(agreement, matches);
    }
    match agreement.split {
        Split::Vertical if !matches.is_complete() && agreement.gaps == Gaps::Refused => Verdict::Gaps,
        Split::Horizontal
            if agreement.same_person == SamePerson::Refused
                && matches.shared.values().any(|&people| people > 0) =>
        {
            Verdict::SamePeople
        }
        _ => Verdict::Fits,
    }
}

/// Parties that hold the same column have nobody in common, and together everybody.
fn hybrid_verdict(agreement: &Agreement, matches: &Matches) -> Verdict {
    let mut complete = true;
    for column in &agreement.columns {
        let place = |name: &String| agreement.parties.iter().position(|party| party.name == *name);
        let holders: Vec<usize> = column.holders().filter_map(place).collect();
        let both = |first: usize, second: usize| {
            let pair = (PartyId(first as u16), PartyId(second as u16));
            matches.shared.get(&pair).copied().unwrap_or(0)
        };
        for (at, &first) in holders.iter().enumerate() {
            if holders[at + 1..].iter().any(|&second| both(first, second) > 0) {
                return Verdict::SamePeople;
            }
        }
        let people = holders.iter().filter_map(|&holder| matches.people.get(holder));
        complete &= people.sum::<u64>() == matches.all;
    }
    if complete || agreement.gaps == Gaps::Placeholders { Verdict::Fits } else { Verdict::Gaps }
}

//! The plan's fingerprint: two parties with different plans notice at the first message.

use super::{
    ColumnKeys, Criterion, Gaps, Guarantee, Participants, Plan, Protocol, PseudoShape, Role, SamePerson,
    Shares, Split,
};
use crate::parties::Holds;
use crate::wire::Writer;
use paravent_core::criteria::Diversity;
use paravent_core::exact::Fraction;
use sha2::{Digest, Sha256};

impl Plan {
    /// The first 16 bytes of SHA-256 over a canonical encoding.
    pub fn digest(&self) -> [u8; 16] {
        let mut writer = Writer::default();
        self.write(&mut writer);
        let hash: [u8; 32] = Sha256::digest(writer.bytes()).into();
        let mut digest = [0u8; 16];
        digest.copy_from_slice(&hash[..16]);
        digest
    }

    fn write(&self, to: &mut Writer) {
        to.raw(b"paravent federation plan v3");
        to.raw(&self.run.0);
        to.u8(self.protocol.letter() as u8);
        if let Protocol::C(pseudo) = self.protocol {
            to.u16(pseudo.percent);
            to.u8(match pseudo.shape {
                PseudoShape::Copies => 0,
                PseudoShape::Blocks => 1,
                PseudoShape::Flat => 2,
            });
        }
        to.u8(match self.split {
            Split::Horizontal => 0,
            Split::Vertical => 1,
        });
        to.count(self.members.len());
        for member in &self.members {
            to.text(&member.name);
            to.u8(match member.holds {
                Holds::Data => 0,
                Holds::Nothing => 1,
            });
        }
        to.count(self.columns.len());
        for column in &self.columns {
            to.text(&column.name);
            to.u16(column.owner.0);
            to.count(column.sharers.len());
            column.sharers.iter().for_each(|sharer| to.u16(sharer.0));
            match &column.role {
                Role::QuasiIdentifier { height, lowest, highest, weight, shares } => {
                    to.raw(&[0, *height, *lowest, *highest]);
                    to.f64(*weight);
                    to.u8(match shares {
                        Shares::FromLeaves => 0,
                        Shares::Travel => 1,
                        Shares::Lines => 2,
                    });
                }
                Role::Sensitive { height } => to.raw(&[1, *height]),
                Role::Membership => to.u8(2),
            }
        }
        to.count(self.criteria.len());
        self.criteria.iter().for_each(|criterion| write_criterion(criterion, to));
        to.text(self.metric.name());
        to.text(self.algorithm.name());
        to.u8(match self.guarantee {
            Guarantee::Needed => 0,
            Guarantee::Waived => 1,
        });
        write_fraction(self.suppression_limit, to);
        to.u8(match self.participants {
            Participants::Trusted => 0,
            Participants::Curious => 1,
        });
        to.u8(match self.column_keys {
            ColumnKeys::Common => 0,
            ColumnKeys::Private => 1,
        });
        to.u8(match self.gaps {
            Gaps::Refused => 0,
            Gaps::Placeholders => 1,
        });
        to.u8(match self.same_person {
            SamePerson::CountedTwice => 0,
            SamePerson::Refused => 1,
        });
    }
}

fn write_criterion(criterion: &Criterion, to: &mut Writer) {
    to.text(criterion.name());
    let columns = criterion.columns();
    to.count(columns.len());
    columns.into_iter().for_each(|column| to.u16(column));
    match criterion {
        Criterion::KAnonymity { k } | Criterion::KMap { k } => to.u64(*k),
        Criterion::DistinctLDiversity { l, .. } => to.u64(*l),
        Criterion::EntropyLDiversity { l, .. } => write_fraction(*l, to),
        Criterion::RecursiveLDiversity { c, l, .. } => {
            write_fraction(*c, to);
            to.u64(*l);
        }
        Criterion::MultiAttributeLDiversity { diversity, .. } => match diversity {
            Diversity::Distinct { l } => {
                to.u8(0);
                to.u64(*l);
            }
            Diversity::Entropy { l } => {
                to.u8(1);
                write_fraction(*l, to);
            }
            Diversity::Recursive { c, l } => {
                to.u8(2);
                write_fraction(*c, to);
                to.u64(*l);
            }
        },
        Criterion::TCloseness { t, distance, .. } => {
            write_fraction(*t, to);
            to.u8(*distance as u8);
        }
        Criterion::DeltaPresence { min, max } => {
            write_fraction(*min, to);
            write_fraction(*max, to);
        }
        Criterion::OnValues { .. } => {}
    }
}

fn write_fraction(fraction: Fraction, to: &mut Writer) {
    to.raw(&fraction.numerator().to_le_bytes());
    to.raw(&fraction.denominator().to_le_bytes());
}

//! What the receiver of a joint run does with the release.

use super::Prepared;
use crate::release::{Published, StagedRelease, joint_release, stage};
use paravent_federation::Outcome;
use paravent_federation::transport::{Concluded, Keeper};
use paravent_pipeline::run::RunError;
use paravent_prepare::study::Study;
use paravent_tables::write::Replace;
use std::path::Path;

/// The release on its way: written and verified beside its place, and put there once everybody has confirmed.
pub(crate) struct Kept<'a> {
    taking_part: &'a Prepared,
    /// Where this party is the receiver.
    place: Option<(&'a Study, &'a Path)>,
    replace: Replace,
    staged: Option<StagedRelease>,
    /// Where it is, and what is said of it.
    pub(crate) published: Option<Published>,
    /// Why it could not be written, or not be put in its place.
    pub(crate) refused: Option<RunError>,
}

impl<'a> Kept<'a> {
    pub(crate) fn new(
        taking_part: &'a Prepared,
        place: Option<(&'a Study, &'a Path)>,
        replace: Replace,
    ) -> Kept<'a> {
        Kept { taking_part, place, replace, staged: None, published: None, refused: None }
    }
}

impl Keeper for Kept<'_> {
    fn accept(&mut self, outcome: &Outcome) -> bool {
        match (outcome, self.place) {
            (Outcome::Released(release), Some((study, target))) => {
                let Prepared { agreement, plan, .. } = self.taking_part;
                match stage(study, &joint_release((agreement, plan), study, release), target) {
                    Ok(ready) => self.staged = Some(ready),
                    Err(error) => self.refused = Some(error),
                }
                self.refused.is_none()
            }
            (Outcome::Released(_), None) => false,
            _ => true,
        }
    }

    fn publish(&mut self, concluded: &Concluded) -> bool {
        let Some(staged) = self.staged.take() else { return false };
        let Prepared { agreement, me, .. } = self.taking_part;
        let mut federation = self.taking_part.facts(concluded);
        federation.released_by = Some(agreement.parties[*me].name.clone());
        let Some((study, _)) = self.place else { return false };
        match staged.publish(study, (agreement, federation), self.replace) {
            Ok(published) => self.published = Some(published),
            Err(error) => self.refused = Some(error),
        }
        self.published.is_some()
    }
}

//! Reads states from channels: a scale or translation that is 1 or 0.

use inputanim::BooleanCurve;

use crate::scene::gltf::clock::to_recording;
use crate::scene::gltf::document::{Interpolation, Property};
use crate::scene::gltf::names::Role;
use crate::scene::gltf::states::{flips, steps};

use super::file::File;
use super::keys::Keys;
use crate::shared::Error;

impl File<'_> {
    /// Reads the curve of a tracking or pinching state from the channel of its node, or from the `extras` if both
    /// agree. Returns `None` if no node has the role.
    pub(super) fn state(&mut self, role: Role) -> Result<Option<BooleanCurve<'static>>, Error> {
        let Some(node) = self.role(role) else {
            return Ok(None);
        };
        let scale: Option<Keys<3>> = self.channel(node, Property::Scale)?;
        let keys = match scale {
            Some(keys) => Some(keys),
            None => self.channel(node, Property::Translation)?,
        };
        let found = keys.map_or(Vec::new(), |keys| of_keys(&keys));
        self.spend(found.len())?;
        let Some(own) = &self.own else {
            return Ok(Some(BooleanCurve::new(found)));
        };
        // The keys of the extras are exact. They are used unless another program has changed the animation.
        let (exact, offset) = (own.state(&role.to_string()), own.time_offset.0);
        Ok(Some(if steps(&exact, offset) == found {
            exact
        } else {
            let found = found.into_iter();
            BooleanCurve::new(found.map(|(time, is_on)| (to_recording(time, offset), is_on)))
        }))
    }
}

fn of_keys(keys: &Keys<3>) -> Vec<(f32, bool)> {
    let points = keys.times.iter().zip(&keys.values);
    let points = points.map(|(&time, value)| (time, value[0] > 0.5));
    match keys.interpolation {
        Interpolation::Step => points.collect(),
        // Some programs resample steps to linear keys, so only the keys at which the state changes are kept.
        Interpolation::Linear | Interpolation::Cubic => flips(points),
    }
}

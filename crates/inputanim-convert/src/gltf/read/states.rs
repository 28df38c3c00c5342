//! States from channels: a scale or a place that is 1 or 0.

use inputanim::BooleanCurve;

use crate::gltf::clock::put_back;
use crate::gltf::document::{Interpolation, Property};
use crate::gltf::names::Role;
use crate::gltf::states::{flips, steps};

use super::error::Error;
use super::file::File;
use super::keys::Keys;

impl File<'_, '_> {
    /// A state, if there is a node for it.
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
        self.take(found.len())?;
        let Some(own) = &self.own else {
            return Ok(Some(BooleanCurve::new(found)));
        };
        // To the bit, unless the animation was changed since.
        let (exact, offset) = (own.state(&role.to_string()), own.time_offset.0);
        Ok(Some(match steps(&exact, offset) == found {
            true => exact,
            false => {
                let found = found.into_iter();
                BooleanCurve::new(found.map(|(time, is_on)| (put_back(time, offset), is_on)))
            }
        }))
    }
}

fn of_keys(keys: &Keys<3>) -> Vec<(f32, bool)> {
    let points = keys.times.iter().zip(&keys.values);
    let points = points.map(|(&time, value)| (time, value[0] > 0.5));
    match keys.interpolation {
        Interpolation::Step => points.collect(),
        // Sampled, as by programs that know no other way.
        Interpolation::Linear | Interpolation::Cubic => flips(points),
    }
}

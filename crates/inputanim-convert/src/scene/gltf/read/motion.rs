//! The channels of a node, and its motion in the world.

use crate::scene::gltf::document::{Index, Property};
use crate::scene::gltf::quaternion::NEARER;

use super::file::File;
use super::keys::{self, Keys};
use super::world::{Link, Motion, Moved, moved, still, times};
use crate::scene::gltf::error::GltfError;
use crate::shared::Error;

impl<'d> File<'d> {
    /// Returns a node and its ancestors with their channels, the nearest first. Returns only the node for files of
    /// MRTK's exporter, whose poses are in world space. Fails if a channel is invalid or the node has too many
    /// ancestors.
    pub(super) fn chain(&mut self, node: Index) -> Result<Vec<Link<'d>>, Error> {
        let above = self.nodes.ancestors(node)?;
        let mut chain = vec![self.link(node)?];
        // The exporter that was proposed for MRTK writes poses in world space even for nested nodes.
        if !self.is_mrtk {
            for above in above {
                chain.push(self.link(above)?);
            }
        }
        Ok(chain)
    }

    /// Returns the positions and rotations of a node in world space, in the axes of the file and on the animation's
    /// clock. Subtracts their keys from the limit of keys, and fails if it is exceeded.
    pub(super) fn pose(&mut self, node: Index) -> Result<Moved, Error> {
        let mut chain = self.chain(node)?;
        let stays = chain[1..].iter().all(Link::only_shows) && chain[0].node.matrix.is_none();
        let moved = if stays {
            let Link { node, motion } = chain.swap_remove(0);
            let place = node.translation.filter(|place| *place != [0.0; 3]);
            let turn = node.rotation.filter(|turn| *turn != [0.0, 0.0, 0.0, 1.0]);
            // In a file of this library, a fixed pose is the rest pose of the hand and not recorded
            // content.
            let is_foreign = self.own.is_none() && !self.is_mrtk;
            let place = place.filter(|_| is_foreign).map(still);
            let turn = turn.filter(|_| is_foreign).map(still);
            Moved {
                position: motion.translation.or(place).unwrap_or_default(),
                rotation: motion.rotation.or(turn).unwrap_or_default(),
            }
        } else {
            // The keys are subtracted from the limit before the poses are computed, because a deep hierarchy multiplies
            // the work.
            self.spend(times(&chain).len() * 7 * chain.len())?;
            moved(&chain)
        };
        let rotation = match &self.own {
            // The writer of this library has already added the keys that linear interpolation needs.
            Some(_) => moved.rotation,
            None => moved.rotation.dense(NEARER),
        };
        self.spend(moved.position.times.len() * 3 + rotation.times.len() * 4)?;
        Ok(Moved { rotation, ..moved })
    }

    fn link(&mut self, node: Index) -> Result<Link<'d>, Error> {
        let missing = || GltfError::NoSuchNode {
            from: "a node".to_owned(),
            index: node,
        };
        Ok(Link {
            node: self.nodes.get(node).ok_or_else(missing)?,
            motion: Motion {
                translation: self.channel(node, Property::Translation)?,
                rotation: self.channel(node, Property::Rotation)?,
                scale: self.channel(node, Property::Scale)?,
            },
        })
    }

    pub(super) fn channel<const N: usize>(
        &mut self,
        node: Index,
        path: Property,
    ) -> Result<Option<Keys<N>>, Error> {
        let channel = self.channels.get(&(node, path));
        let Some((animation, channel)) = self.animation.zip(channel) else {
            return Ok(None);
        };
        if let Some(problem) = &channel.damage {
            return Err(GltfError::Node {
                node: self.nodes.name(node),
                problem: format!("a channel of its animation is damaged: {problem}"),
            }
            .into());
        }
        let most = self.keys_left;
        let keys = keys::read(animation, channel, most, &mut self.buffers, self.files);
        let keys = keys.map_err(|source| GltfError::Channel {
            node: self.nodes.name(node),
            path: path.to_string(),
            source,
        })?;
        match keys {
            Some(keys) => Ok(Some(keys)),
            None => Err(self.too_many()),
        }
    }

    /// Subtracts a number of keys from the keys that remain within the limit. Fails if fewer remain.
    pub(super) fn spend(&mut self, keys: usize) -> Result<(), Error> {
        match self.keys_left.checked_sub(keys as u64) {
            Some(left) => {
                self.keys_left = left;
                Ok(())
            }
            None => Err(self.too_many()),
        }
    }

    fn too_many(&self) -> Error {
        Error::Limit {
            limit: self.limits.max_keys,
            unit: "keys",
        }
    }
}

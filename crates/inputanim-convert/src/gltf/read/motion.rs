//! What moves a node, and where that takes it.

use crate::gltf::document::{Index, Property};
use crate::gltf::quaternion::NEARER;

use super::error::Error;
use super::file::File;
use super::keys::{self, Keys};
use super::world::{Link, Motion, Moved, moved, still, times};

impl<'d> File<'d, '_> {
    /// A node and, where they carry it, those that it hangs on, the nearest first.
    pub(super) fn chain(&mut self, node: Index) -> Result<Vec<Link<'d>>, Error> {
        let mut chain = vec![self.link(node)?];
        // There, nodes do not carry one another.
        if !self.is_mrtk {
            for above in self.nodes.ancestors(node)? {
                chain.push(self.link(above)?);
            }
        }
        Ok(chain)
    }

    /// Where a node goes in the world.
    pub(super) fn pose(&mut self, node: Index) -> Result<Moved, Error> {
        let mut chain = self.chain(node)?;
        let stays = chain[1..].iter().all(Link::only_shows) && chain[0].node.matrix.is_none();
        let moved = match stays {
            true => {
                let Link { node, motion } = chain.swap_remove(0);
                let place = node.translation.filter(|place| *place != [0.0; 3]);
                let turn = node.rotation.filter(|turn| *turn != [0.0, 0.0, 0.0, 1.0]);
                let is_foreign = self.own.is_none() && !self.is_mrtk;
                let place = place.filter(|_| is_foreign).map(still);
                let turn = turn.filter(|_| is_foreign).map(still);
                Moved {
                    position: motion.translation.or(place).unwrap_or_default(),
                    rotation: motion.rotation.or(turn).unwrap_or_default(),
                }
            }
            false => {
                self.take(times(&chain).len() * 7 * chain.len())?;
                moved(&chain)
            }
        };
        let rotation = match &self.own {
            // Its keys lie as they play.
            Some(_) => moved.rotation,
            None => moved.rotation.dense(NEARER),
        };
        self.take(moved.position.times.len() * 3 + rotation.times.len() * 4)?;
        Ok(Moved { rotation, ..moved })
    }

    fn link(&mut self, node: Index) -> Result<Link<'d>, Error> {
        let missing = || Error::NoSuchNode {
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
        let most = self.keys_left;
        let keys = keys::read(animation, channel, most, &mut self.buffers, self.beside);
        let keys = keys.map_err(|source| Error::Channel {
            node: self.nodes.name(node),
            path: path.to_string(),
            source,
        })?;
        match keys {
            Some(keys) => Ok(Some(keys)),
            None => Err(self.too_many()),
        }
    }

    /// Takes keys off those that may come.
    pub(super) fn take(&mut self, keys: usize) -> Result<(), Error> {
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
            things: "keys",
        }
    }
}

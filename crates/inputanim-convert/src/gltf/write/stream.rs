//! Channels: what moves a node.

use inputanim::{FloatCurve, Pose, PoseCurves, RayCurves, Space, Span};

use crate::gltf::document::{Animation, Channel, Index, Interpolation, Property, Sampler, Target};
use crate::gltf::quaternion::normalised;

use super::buffer::{Buffer, bytes};
use super::knots::Way;
use super::report::Told;
use super::room::Room;
use super::track::Track;
use super::{Error, gaze, knots, rotations};

/// Where a node goes, in glTF's axes.
pub(super) struct PoseTrack {
    position: Track<3>,
    rotation: Track<4>,
}

impl PoseTrack {
    /// The pose at a time of the animation. It is made of what is written, so that what is read
    /// gives the same again.
    pub(super) fn at(&self, time: f32) -> Pose {
        Pose {
            position: self.position.at(time).unwrap_or_default(),
            rotation: normalised(self.rotation.at(time).unwrap_or_default()),
        }
    }
}

/// The animation and all that it needs.
pub(super) struct Channels<'t> {
    pub(super) buffer: Buffer,
    pub(super) animation: Animation,
    pub(super) room: Room,
    pub(super) told: &'t mut Told,
}

impl Channels<'_> {
    /// The channels of a pose; keys are made only within `shown`, where that is given.
    pub(super) fn pose(
        &mut self,
        curves: &PoseCurves<'_>,
        name: &str,
        shown: Option<&[Span]>,
        node: Index,
    ) -> Result<PoseTrack, Error> {
        let position = self.position(&curves.position, &format!("{name}.position"), node)?;
        let name = format!("{name}.rotation");
        let mut track = self.track(&curves.rotation, &name)?;
        if track.interpolation == Interpolation::Cubic && !rotations::stays_cubic(&track) {
            track = self.lines(&curves.rotation, &name)?;
        }
        let track = rotations::turned(track, &name, shown, &mut self.room, self.told)?;
        let rotation = track.mapped(|rotation| Space::Gltf.rotation(rotation));
        self.add(node, Property::Rotation, &rotation);
        Ok(PoseTrack { position, rotation })
    }

    /// The channels of a ray: a node that is turned, and one whose place is the direction.
    pub(super) fn ray(
        &mut self,
        curves: &RayCurves<'_>,
        node: Index,
        direction: Index,
    ) -> Result<(), Error> {
        self.position(&curves.origin, "gaze.origin", node)?;
        let name = "gaze.direction";
        let track = self.track(&curves.direction, name)?;
        let track = track.mapped(|direction| Space::Gltf.position(direction));
        // Of what is written, so that what is read gives the same again.
        let turns = gaze::turns(&track, name, self.told.rate, &mut self.room)?;
        self.add(node, Property::Rotation, &turns);
        self.add(direction, Property::Translation, &track);
        Ok(())
    }

    fn position(
        &mut self,
        curves: &[FloatCurve<'_>; 3],
        name: &str,
        node: Index,
    ) -> Result<Track<3>, Error> {
        let track = self.track(curves, name)?;
        let track = track.mapped(|position| Space::Gltf.position(position));
        self.add(node, Property::Translation, &track);
        Ok(track)
    }

    fn track<const N: usize>(
        &mut self,
        curves: &[FloatCurve<'_>; N],
        name: &str,
    ) -> Result<Track<N>, Error> {
        knots::track(curves, name, self.way(true), &mut self.room)
    }

    /// Without cubics.
    fn lines<const N: usize>(
        &mut self,
        curves: &[FloatCurve<'_>; N],
        name: &str,
    ) -> Result<Track<N>, Error> {
        knots::track(curves, name, self.way(false), &mut self.room)
    }

    fn way(&self, keeps_cubics: bool) -> Way {
        Way {
            rate: self.told.rate,
            offset: self.told.shifted,
            keeps_cubics,
        }
    }

    /// A channel of a track, unless it has no key.
    fn add<const N: usize>(&mut self, node: Index, path: Property, track: &Track<N>) {
        self.told.left_out += track.left_out;
        self.told.sampled += u64::from(track.is_sampled);
        if track.times.is_empty() {
            return;
        }
        let values = track.values.iter().copied();
        let numbers = match track.interpolation {
            Interpolation::Cubic => {
                let keys = track.slopes.iter().zip(values);
                bytes(keys.flat_map(|(slopes, value)| {
                    [slopes[0], value, slopes[1]].into_iter().flatten()
                }))
            }
            _ => bytes(values.flatten()),
        };
        let sampler = self.sampler(&track.times, N, &numbers, track.interpolation);
        self.channel(sampler, node, path);
    }

    /// A sampler of vectors of `width` numbers.
    fn sampler(
        &mut self,
        times: &[f32],
        width: usize,
        numbers: &[u8],
        interpolation: Interpolation,
    ) -> Index {
        let shape = if width == 4 { "VEC4" } else { "VEC3" };
        let sampler = Sampler {
            input: self.buffer.add_times(times),
            output: self
                .buffer
                .add_keys(shape, numbers.len() / (4 * width), numbers),
            interpolation,
        };
        self.animation.samplers.push(sampler);
        self.animation.samplers.len() as Index - 1
    }

    pub(super) fn channel(&mut self, sampler: Index, node: Index, path: Property) {
        let node = Some(node);
        let target = Target { node, path };
        self.animation.channels.push(Channel { sampler, target });
    }

    /// A sampler of steps: the vector `on`, or 0.
    pub(super) fn steps(&mut self, steps: &[(f32, bool)], on: [f32; 3]) -> Option<Index> {
        if steps.is_empty() {
            return None;
        }
        let values = steps
            .iter()
            .map(|&(time, is_on)| (time, if is_on { on } else { [0.0; 3] }));
        Some(self.held(values))
    }

    /// A sampler of vectors that hold until the next.
    pub(super) fn held(&mut self, steps: impl Iterator<Item = (f32, [f32; 3])>) -> Index {
        let (times, values): (Vec<f32>, Vec<[f32; 3]>) = steps.unzip();
        let numbers = bytes(values.into_iter().flatten());
        self.sampler(&times, 3, &numbers, Interpolation::Step)
    }
}

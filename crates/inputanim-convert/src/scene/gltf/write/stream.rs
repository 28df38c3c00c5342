//! The channels of nodes.

use inputanim::{FloatCurve, Pose, PoseCurves, RayCurves, Space, TimeRange};

use crate::scene::gltf::document::{
    Animation, Channel, Index, Interpolation, Property, Sampler, Target,
};
use crate::scene::gltf::quaternion::normalized;

use super::budget::KeyBudget;
use super::buffer::{Buffer, bytes};
use super::report::Tally;
use super::track::Track;
use super::vector_keys::TrackOptions;
use super::{gaze, rotations, vector_keys};
use crate::shared::Error;

/// The motion of a node, in glTF's axes.
pub(super) struct PoseTrack {
    position: Track<3>,
    rotation: Track<4>,
}

impl PoseTrack {
    /// Returns the pose at a time of the animation. It is evaluated from the written keys, so that a file that was read
    /// and is written again has the same bytes.
    pub(super) fn at(&self, time: f32) -> Pose {
        Pose {
            position: self.position.at(time).unwrap_or_default(),
            rotation: normalized(self.rotation.at(time).unwrap_or_default()),
        }
    }
}

/// The animation and its buffer.
pub(super) struct Channels<'t> {
    pub(super) buffer: Buffer,
    pub(super) animation: Animation,
    pub(super) budget: KeyBudget,
    pub(super) tally: &'t mut Tally,
}

impl Channels<'_> {
    /// Adds the translation and rotation channels of a pose to a node, and returns their keys. Keys between the keys of
    /// the rotation are added only in the time ranges `shown`, or anywhere if it is `None`. `name` names the pose in
    /// errors.
    pub(super) fn pose(
        &mut self,
        curves: &PoseCurves<'_>,
        name: &str,
        shown: Option<&[TimeRange]>,
        node: Index,
    ) -> Result<PoseTrack, Error> {
        let position = self.position(&curves.position, &format!("{name}.position"), node)?;
        let name = format!("{name}.rotation");
        let mut track = self.track(&curves.rotation, &name)?;
        // Other cubics would change when their keys are normalized or aligned.
        if track.interpolation == Interpolation::Cubic && !rotations::stays_cubic(&track) {
            track = self.lines(&curves.rotation, &name)?;
        }
        let track = rotations::turned(track, &name, shown, &mut self.budget, self.tally)?;
        let rotation = track.mapped(|rotation| Space::Gltf.rotation(rotation));
        self.add(node, Property::Rotation, &rotation);
        Ok(PoseTrack { position, rotation })
    }

    /// Adds the channels of a ray: the origin and the direction as the translation and rotation of `node`, and the
    /// direction vector as the translation of the node `direction`.
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
        // The rotations are computed from the written directions, so that a file that was read is written
        // the same again.
        let turns = gaze::turns(&track, name, self.tally.rate, &mut self.budget)?;
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
        vector_keys::track(curves, name, self.track_options(true), &mut self.budget)
    }

    /// Joins the curves of a vector to a track in which cubic segments are sampled. `name` names the vector in errors.
    fn lines<const N: usize>(
        &mut self,
        curves: &[FloatCurve<'_>; N],
        name: &str,
    ) -> Result<Track<N>, Error> {
        vector_keys::track(curves, name, self.track_options(false), &mut self.budget)
    }

    fn track_options(&self, keeps_cubics: bool) -> TrackOptions {
        TrackOptions {
            rate: self.tally.rate,
            offset: self.tally.shifted,
            keeps_cubics,
        }
    }

    /// Adds a channel that animates the property `path` of a node with a track, unless the track has no keys.
    fn add<const N: usize>(&mut self, node: Index, path: Property, track: &Track<N>) {
        self.tally.dropped += track.dropped;
        self.tally.sampled += usize::from(track.is_sampled);
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

    /// Adds a sampler of keys whose values have `width` numbers, and returns its index. `numbers` are the bytes of all
    /// values as 32-bit floats.
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
            damage: None,
        };
        self.animation.samplers.push(sampler);
        self.animation.samplers.len() as Index - 1
    }

    pub(super) fn channel(&mut self, sampler: Index, node: Index, path: Property) {
        let node = Some(node);
        let target = Target { node, path };
        self.animation.channels.push(Channel {
            sampler,
            target,
            damage: None,
        });
    }

    /// Adds a sampler that has the value `on` while a state is on, and 0 while it is off, and returns its index.
    /// Returns `None` if there are no steps.
    pub(super) fn steps(&mut self, steps: &[(f32, bool)], on: [f32; 3]) -> Option<Index> {
        if steps.is_empty() {
            return None;
        }
        let values = steps
            .iter()
            .map(|&(time, is_on)| (time, if is_on { on } else { [0.0; 3] }));
        Some(self.held(values))
    }

    /// Adds a sampler of times and vectors, and returns its index. Each vector holds until the next time.
    pub(super) fn held(&mut self, steps: impl Iterator<Item = (f32, [f32; 3])>) -> Index {
        let (times, values): (Vec<f32>, Vec<[f32; 3]>) = steps.unzip();
        let numbers = bytes(values.into_iter().flatten());
        self.sampler(&times, 3, &numbers, Interpolation::Step)
    }
}

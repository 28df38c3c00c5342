//! The samplers, each with what it needs from frame to frame.

use inputanim::sampler::Cursor;
use inputanim::{Frame, Joints, Pose, Recording, Sampler, Side};

/// inputanim's.
pub(crate) struct Ours {
    pub(crate) sampler: Sampler,
    cursor: Cursor,
    frame: Frame,
}

impl Ours {
    /// All joints at all times: ozz knows no hand that is out of sight.
    pub(crate) fn new(recording: &Recording<'_>) -> Ours {
        let sampler = Sampler::new(recording).expect("the times of all keys are numbers");
        Ours {
            sampler: sampler.with_untracked_joints(),
            cursor: Cursor::default(),
            frame: Frame::default(),
        }
    }

    pub(crate) fn sample(&mut self, time: f32) -> &Frame {
        self.sampler.read(time, &mut self.cursor, &mut self.frame);
        &self.frame
    }
}

/// The poses of a frame in the order of ozz's tracks.
pub(crate) fn poses(frame: &Frame) -> impl Iterator<Item = Pose> {
    let joints = Side::BOTH.map(|side| &frame.hand(side).joints);
    let joints = joints.into_iter().flat_map(Joints::iter);
    let joints = joints.filter_map(|(_, pose)| *pose);
    frame.camera.into_iter().chain(joints)
}

/// ozz's, of either copy of the crate.
pub(crate) trait Ozz {
    /// Samples at a part of the take, from 0 to 1.
    fn sample(&mut self, part: f32);

    /// A pose of the last sample.
    fn pose(&self, track: usize) -> Pose;
}

macro_rules! ozz {
    ($(#[$doc:meta])* $player:ident of $library:ident) => {
        $(#[$doc])*
        pub(crate) struct $player {
            job: $library::SamplingJob<$library::Animation, Vec<$library::SoaTransform>>,
        }

        impl $player {
            pub(crate) fn new(archive: &[u8]) -> $player {
                use $library::{Animation, Archive, SamplingContext, SamplingJob, SoaTransform};

                let mut archive = Archive::from_slice(archive).expect("it has a first byte");
                let animation = Animation::from_archive(&mut archive).expect("a sound archive");
                let mut job = SamplingJob::default();
                job.set_context(SamplingContext::new(animation.num_tracks()));
                job.set_output(vec![SoaTransform::default(); animation.num_soa_tracks()]);
                job.set_animation(animation);
                $player { job }
            }
        }

        impl Ozz for $player {
            fn sample(&mut self, part: f32) {
                self.job.set_ratio(part);
                self.job.run().expect("the job has all that it needs");
            }

            fn pose(&self, track: usize) -> Pose {
                let groups = self.job.output().expect("the job has an output");
                let (group, lane) = (&groups[track / 4], track % 4);
                Pose {
                    position: group.translation.vec3(lane).to_array(),
                    rotation: group.rotation.quat(lane).to_array(),
                }
            }
        }
    };
}

ozz! {
    /// As published, but for the new name of a function that it calls.
    Published of ozz_animation_rs
}

ozz! {
    /// Unpacks the tracks that have new keys, and no others.
    Mended of ozz_mended
}

//! Episodes of EgoDex with known hands.

use glam::{DMat3, DQuat, DVec3};
use inputanim::{Frame, Joint, Pose, Side, Space};
use inputanim_convert::egodex::JOINT_NAMES;

use super::hdf5::{Address, Message, Writer, attribute, link};

/// The axes of ARKit's joints in OpenXR's axes of the same joint, as columns: see the table in the source of the reader.
pub(super) fn arkit(side: Side) -> DMat3 {
    match side {
        Side::Left => DMat3::from_cols(DVec3::NEG_Z, DVec3::NEG_Y, DVec3::NEG_X),
        Side::Right => DMat3::from_cols(DVec3::Z, DVec3::Y, DVec3::NEG_X),
    }
}

/// The axes of the camera in OpenXR's axes of the head.
pub(super) const CAMERA: DMat3 = DMat3::from_cols(DVec3::X, DVec3::NEG_Y, DVec3::NEG_Z);

/// The content of a file: matrices and confidences by name, and attributes.
#[derive(Clone, Default)]
pub(super) struct Episode {
    pub(super) transforms: Vec<(String, Vec<[f32; 16]>)>,
    pub(super) confidences: Vec<(String, Vec<f32>)>,
    pub(super) attributes: Vec<(&'static str, &'static str)>,
    /// The intrinsics of the camera, rows first.
    pub(super) intrinsic: Option<[f32; 9]>,
}

impl Episode {
    /// Returns the episode of frames in Unity's axes. Unknown poses become NaN.
    pub(super) fn of(frames: &[Frame]) -> Episode {
        let frames: Vec<Frame> = frames
            .iter()
            .map(|frame| Space::OpenXr.frame(frame.clone()))
            .collect();
        let mut episode = Episode::default();
        let head = frames.iter().map(|frame| matrix(frame.head, CAMERA));
        episode
            .transforms
            .push(("camera".to_owned(), head.collect()));
        for side in Side::BOTH {
            for (joint, name) in Joint::WEBXR.into_iter().zip(JOINT_NAMES) {
                let poses = frames.iter().map(|frame| frame.hand(side).joints[joint]);
                let matrices = poses.map(|pose| matrix(pose, arkit(side)));
                let name = format!("{side}{name}");
                episode.transforms.push((name, matrices.collect()));
            }
            let confidence = |frame: &Frame| if frame.hand(side).tracked { 0.8 } else { 0.3 };
            let confidences = frames.iter().map(confidence);
            episode
                .confidences
                .push((format!("{side}Hand"), confidences.collect()));
        }
        episode
    }

    /// Returns the matrices of a joint or of the camera.
    pub(super) fn transform(&mut self, name: &str) -> &mut Vec<[f32; 16]> {
        let mut transforms = self.transforms.iter_mut();
        &mut transforms.find(|(known, _)| known == name).unwrap().1
    }

    /// Writes the file.
    pub(super) fn write(&self) -> Vec<u8> {
        self.write_with(|_, _| None)
    }

    /// Writes the file. `replaced` may write another object for the dataset with a name, and returns its address.
    pub(super) fn write_with(
        &self,
        replaced: impl Fn(&mut Writer, &str) -> Option<Address>,
    ) -> Vec<u8> {
        let mut writer = Writer::new();
        let transforms: Vec<Message> = self
            .transforms
            .iter()
            .map(|(name, matrices)| {
                let shape = [matrices.len() as u64, 4, 4];
                let own = replaced(&mut writer, name);
                let floats = matrices.as_flattened();
                let address = own.unwrap_or_else(|| writer.floats(&shape, floats));
                link(name, address)
            })
            .collect();
        let confidences: Vec<Message> = self
            .confidences
            .iter()
            .map(|(name, floats)| {
                let own = replaced(&mut writer, &format!("confidence of {name}"));
                let shape = [floats.len() as u64];
                link(name, own.unwrap_or_else(|| writer.floats(&shape, floats)))
            })
            .collect();
        let mut root: Vec<Message> = self
            .attributes
            .iter()
            .map(|(name, text)| attribute(name, text))
            .collect();
        root.push(link("transforms", writer.object(&transforms)));
        if let Some(matrix) = &self.intrinsic {
            let matrix = link("intrinsic", writer.floats(&[3, 3], matrix));
            root.push(link("camera", writer.object(&[matrix])));
        }
        if !confidences.is_empty() {
            root.push(link("confidences", writer.object(&confidences)));
        }
        let root: Address = writer.object(&root);
        writer.finish(root)
    }
}

/// Returns the matrix of a pose in OpenXR's axes for a joint with other axes.
fn matrix(pose: Option<Pose>, axes: DMat3) -> [f32; 16] {
    let Some(pose) = pose else {
        return [f32::NAN; 16];
    };
    let rotation = DQuat::from_array(pose.rotation.map(f64::from)).normalize();
    let turned = DMat3::from_quat(rotation) * axes;
    let [x, y, z] = pose.position;
    let [a, b, c] = turned.transpose().to_cols_array_2d();
    let row = |[a, b, c]: [f64; 3], last: f32| [a as f32, b as f32, c as f32, last];
    let rows = [row(a, x), row(b, y), row(c, z), [0.0, 0.0, 0.0, 1.0]];
    std::array::from_fn(|index| rows[index / 4][index % 4])
}

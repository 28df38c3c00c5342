//! glTF 2.0 (<https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>), as one file: `.glb`, or
//! `.gltf` with its numbers embedded as text.
//!
//! Each joint is a node. All joints of a hand have the same parent, because recorded poses are in world
//! space. Keys are therefore preserved; in a hierarchy, a joint would need keys at the times of all its
//! ancestors. The node of the head has a camera that looks forward. The +Z axis of the gaze node is the
//! direction of the gaze. A skinned mesh makes each hand visible. [`Space::Gltf`](inputanim::Space::Gltf) describes the
//! axes.
//!
//! | recording | glTF |
//! |---|---|
//! | linear, held and cubic segments | LINEAR, STEP, CUBICSPLINE; keys are preserved |
//! | components with keys at different times | a key at each time of any component |
//! | rotations | normalized, in one hemisphere; keys are added where a LINEAR arc would differ |
//! | sign flips (D4) | the shorter arc, where MRTK passes near zero; a note |
//! | states | steps of the scale of separate nodes, and exactly in `extras` |
//! | an untracked hand | scaled to 0, which hides it in every viewer |
//! | markers | in `extras` of the animation; the number of past markers as steps of a node |
//! | layout, flags | in `extras` of the animation |
//! | keys before 0 | all times are shifted; `extras` hold the offset |
//!
//! The following content is lost: wrap modes, weights, tangents that glTF does not support, and numbers that are not
//! finite.
//!
//! The reader accepts the written files. Their recordings come back bit for bit, except for rotations that
//! were not normalized. It also accepts files of other programs: it finds nodes by their
//! [names](crate::NodeNames), and converts children of other nodes to world space at their keys.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let (glb, report) = write_bytes(Format::Glb, &recording, &WriteOptions::default())?;
//! assert!(report.losses.is_empty());
//! let (again, _) = read(Format::Glb, &glb, &ReadOptions::default())?;
//! assert_eq!(again, recording);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod clock;
mod container;
mod document;
mod error;
mod extras;
mod names;
mod quaternion;
mod read;
mod states;
mod write;

pub use container::NotGltf;
pub use error::{ChannelFault, GltfError};
pub(crate) use read::read;
pub(crate) use write::write;

//! glTF 2.0 (<https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>), as one file: `.glb`, or
//! `.gltf` with its numbers as text inside.
//!
//! A node for each joint, flat under one for each hand, since recorded poses are those of the world:
//! so keys stay keys, where a hierarchy would have to mix those of many joints. A node for the head
//! with a camera that looks where it does, and one for the gaze, whose +Z is where the eyes look. A
//! hand that can be seen, with a skin. Axes are those of [`Space::Gltf`](inputanim::Space::Gltf).
//!
//! | what | as |
//! |---|---|
//! | straight lines, held values, plain tangents | LINEAR, STEP, CUBICSPLINE: keys stay keys |
//! | components with keys at different times | a key at each time of any |
//! | rotations | of length 1, on one side; LINEAR is an arc in glTF, so that between keys 20° apart others are put |
//! | states | steps of the scale of nodes of their own, and in `extras` to the bit |
//! | a hand that is not tracked | scaled to 0, which is how glTF hides things |
//! | markers | in `extras` of the animation; how many were passed, as steps of a node |
//! | layout, flags | in `extras` of the animation |
//! | keys before 0 | the clock is put forward; `extras` have by how much |
//!
//! What is lost is in [`Loss`].
//!
//! `read` takes what was written, to the bit but for rotations that were not of length 1, and what
//! other programs write: nodes are known by their [names](NodeNames), and what hangs on other nodes
//! is brought into the world at its keys.

mod clock;
mod container;
mod document;
mod extras;
mod names;
mod quaternion;
mod read;
mod states;
mod write;

pub use container::{Container, NotGltf};
pub use names::{NodeNames, UnknownNodeNames};
pub use read::{ChannelFault, Error as ReadError, ReadOptions, is_gltf, read, read_with};
pub use write::{Error as WriteError, Loss, Note, Options, Report, write};

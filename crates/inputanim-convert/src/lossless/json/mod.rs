//! Lossless JSON: every bit of a recording as text.
//!
//! The text is one object. Each curve is on a line of its own, in file order, so that `diff` can compare two
//! recordings and `jq` can extract parts:
//!
//! ```json
//! {
//!   "format": "inputanim-json",
//!   "version": 1,
//!   "layout": "mrtk-1.1",
//!   "flags": {"head": 1, "hand": 0, "gaze": 0},
//!   "curves": [
//!     {"curve":"head.position.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.0,1.5]]}
//!   ],
//!   "markers": [
//!     {"time":0.5,"name":"start"}
//!   ]
//! }
//! ```
//!
//! - A key is an array: `[time, value]`, or for `"kind":"full"` `[time, value, inTangent,
//!   outTangent, inWeight, outWeight, weightedMode]`. Kinds are `simple`, `full` and `boolean`.
//! - A number has the fewest digits that read back as the same 32-bit float. A number that is not finite
//!   is a string: `"Infinity"`, `"-Infinity"`, `"NaN"`, and any other NaN with its bits,
//!   `"NaN(0xffc00001)"`.
//! - `flags` holds the file's flag bytes and is absent in version 1.0; `markers` is absent in a
//!   layout without a marker list. A missing curve has no keys.
//! - `devices` has the controllers, trackers and other devices, and is absent if there are none; otherwise the version is 3. Their
//!   curves are among `curves`: `right.controller.aim.position.x`, `right.controller.trigger.value`. A change of the profile is
//!   `[time, active, profile]`, and a haptic pulse `[time, output, duration, frequency, amplitude]`:
//!   `{"device":"right.controller","profiles":[[0.0,true,"/interaction_profiles/valve/index_controller"]],"haptics":[]}`.
//! - `gaps` has the times at which values are unknown, and is absent if there are none; otherwise the version is 2 or 3. A gap is
//!   the time between two known samples, in seconds; `"-Infinity"` is from the start, `"Infinity"` until the end:
//!   `{"element":"gaze","unknown":[[1.48,3.5]]}`. `left.tracked` is everything about the left hand.
//!
//! Nothing is lost in either direction. A curve, gap, device or marker that cannot be read costs only itself, and the report names it. If
//! the text is not JSON, because it is cut off for example, its lines are read one by one.

mod keys;
mod read;
mod write;

pub use crate::shared::number::{NotANumber, Number};
pub use read::JsonError;
pub(crate) use read::read;
pub(crate) use write::write;

/// The value of `"format"`.
pub(crate) const FORMAT: &str = "inputanim-json";
/// The values of `"version"` that are read: the first without gaps, texts and devices, the second without devices. A recording has
/// the lowest that it can have, so that older programs read it.
pub(crate) const VERSIONS: [u32; 3] = [1, 2, 3];

//! The scenes of a motion.

use std::fmt;
use std::str::FromStr;

/// The scene of a motion: the gestures of the hands.
///
/// ```
/// use inputanim_motion::Scene;
/// assert_eq!("pinch-drag".parse(), Ok(Scene::PinchDrag));
/// assert_eq!(Scene::TwoHands.name(), "two-hands");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scene {
    /// Both hands make all gestures at once and are sometimes out of view. First the right hand
    /// waves while the left one drags; then both reach; the seed determines the rest.
    TwoHands,
    /// The right hand waves; the left one is rarely in view.
    Wave,
    /// The right hand takes objects between thumb and index finger and drags them; the left one is
    /// rarely in view.
    PinchDrag,
    /// Both hands touch targets, one after the other and overlapping.
    Reach,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Scene; 4] = [Scene::TwoHands, Scene::Wave, Scene::PinchDrag, Scene::Reach];

    /// Returns the name, such as `two-hands`.
    pub const fn name(self) -> &'static str {
        match self {
            Scene::TwoHands => "two-hands",
            Scene::Wave => "wave",
            Scene::PinchDrag => "pinch-drag",
            Scene::Reach => "reach",
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An unknown name of a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scene \"{0}\"; expected two-hands, wave, pinch-drag or reach")]
pub struct UnknownScene(String);

impl FromStr for Scene {
    type Err = UnknownScene;

    fn from_str(text: &str) -> Result<Scene, UnknownScene> {
        Scene::ALL
            .into_iter()
            .find(|scene| scene.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownScene(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_parse_and_the_error_lists_all() {
        let error = "juggle".parse::<Scene>().unwrap_err().to_string();
        for scene in Scene::ALL {
            assert_eq!(scene.name().parse(), Ok(scene));
            assert!(error.contains(scene.name()), "{error}");
        }
    }
}

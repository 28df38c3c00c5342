//! What a motion shows.

use std::fmt;
use std::str::FromStr;

/// What a motion shows.
///
/// ```
/// use inputanim_motion::Scene;
/// assert_eq!("pinch-drag".parse(), Ok(Scene::PinchDrag));
/// assert_eq!(Scene::TwoHands.name(), "two-hands");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scene {
    /// Both hands busy at once with all the gestures, and out of view now and then: first the
    /// right waves while the left drags, then both reach, then whatever the seed says.
    TwoHands,
    /// Mostly the right hand waves; the left seldom comes up.
    Wave,
    /// Mostly the right hand takes things between thumb and index finger and drags them.
    PinchDrag,
    /// Both hands touch things, one after the other and overlapping.
    Reach,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Scene; 4] = [Scene::TwoHands, Scene::Wave, Scene::PinchDrag, Scene::Reach];

    /// The name on the command line, such as `two-hands`.
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

/// A text that names no scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scene: expected two-hands, wave, pinch-drag or reach")]
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
    fn a_scene_is_found_by_its_name_and_the_error_lists_them_all() {
        let error = "juggle".parse::<Scene>().unwrap_err().to_string();
        for scene in Scene::ALL {
            assert_eq!(scene.name().parse(), Ok(scene));
            assert!(error.contains(scene.name()), "{error}");
        }
    }
}

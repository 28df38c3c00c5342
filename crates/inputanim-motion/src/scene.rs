//! The scenes of a motion.

inputanim::named_enum! {
    /// The scene of a motion: the gestures of the hands.
    ///
    /// ```
    /// use inputanim_motion::Scene;
    /// assert_eq!("pinch-drag".parse(), Ok(Scene::PinchDrag));
    /// assert_eq!(Scene::TwoHands.name(), "two-hands");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Scene: "scene" {
        /// Both hands make all gestures at once and are sometimes out of view. First the right hand
        /// waves while the left one drags; then both reach; the seed determines the rest.
        TwoHands => "two-hands",
        /// The right hand waves; the left one is rarely in view.
        Wave => "wave",
        /// The right hand takes objects between thumb and index finger and drags them; the left one is
        /// rarely in view.
        PinchDrag => "pinch-drag",
        /// Both hands touch targets, one after the other and overlapping.
        Reach => "reach",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_parse_and_the_error_lists_all() {
        let error = "juggle".parse::<Scene>().unwrap_err().to_string();
        for &scene in Scene::ALL {
            assert_eq!(scene.name().parse(), Ok(scene));
            assert!(error.contains(scene.name()), "{error}");
        }
    }
}

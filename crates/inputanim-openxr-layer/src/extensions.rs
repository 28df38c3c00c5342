//! The extensions that the layer adds to those of the application.
//!
//! `XR_EXT_debug_utils` is not one of them: an application has labels only if it enables the extension itself.

use std::ffi::CStr;

/// An extension that the layer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Extension {
    HandTracking,
    /// The source of a tracked hand: cameras, or the state of a controller.
    HandDataSource,
    /// The profile of bare hands, with their pinches.
    HandInteraction,
    EyeGaze,
}

use Extension::{EyeGaze, HandDataSource, HandInteraction, HandTracking};

impl Extension {
    pub(crate) const ALL: [Extension; 4] = [HandTracking, HandDataSource, HandInteraction, EyeGaze];

    /// Returns the name of the extension in OpenXR, such as `XR_EXT_hand_tracking`.
    pub(crate) const fn name(self) -> &'static CStr {
        match self {
            HandTracking => c"XR_EXT_hand_tracking",
            HandDataSource => c"XR_EXT_hand_tracking_data_source",
            HandInteraction => c"XR_EXT_hand_interaction",
            EyeGaze => c"XR_EXT_eye_gaze_interaction",
        }
    }

    /// Returns `true` if this is the name of the extension in OpenXR.
    pub(crate) fn is(self, name: &str) -> bool {
        self.name().to_bytes() == name.as_bytes()
    }

    /// Returns `true` if the function with a name, such as `xrLocateHandJointsEXT`, belongs to the extension.
    pub(crate) fn has_function(self, name: &str) -> bool {
        let functions = [
            "xrCreateHandTrackerEXT",
            "xrDestroyHandTrackerEXT",
            "xrLocateHandJointsEXT",
        ];
        // The other extensions have no functions.
        self == HandTracking && functions.contains(&name)
    }
}

/// Returns the extensions to add to those that the application has `enabled`, one list for each attempt to create an
/// instance. The lists get shorter; the last one is empty. The next attempt follows if the runtime does not have an
/// extension. `offered` is the list of the runtime; `None` if another layer is between this layer and the runtime.
pub(crate) fn attempts(enabled: &[&str], offered: Option<&[String]>) -> Vec<Vec<Extension>> {
    // A layer in between may be older than the structures of `HandDataSource`, and report them as errors.
    let all: &[Extension] = match offered {
        Some(_) => &Extension::ALL,
        None => &[HandTracking, HandInteraction, EyeGaze],
    };
    let wishes: [&[Extension]; 6] = [
        all,
        &[HandTracking, HandInteraction],
        &[HandTracking, EyeGaze],
        &[HandTracking],
        &[EyeGaze],
        &[],
    ];
    let is_possible = |extension: Extension| {
        !enabled.iter().any(|&name| extension.is(name))
            && offered.is_none_or(|names| names.iter().any(|name| extension.is(name)))
    };
    let mut attempts: Vec<Vec<Extension>> = Vec::new();
    for wish in wishes {
        let possible: Vec<_> = wish
            .iter()
            .copied()
            .filter(|&one| is_possible(one))
            .collect();
        if !attempts.contains(&possible) {
            attempts.push(possible);
        }
    }
    attempts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_list_fewer_and_fewer_extensions_are_tried() {
        let attempts = attempts(&["XR_KHR_vulkan_enable2"], None);
        assert_eq!(attempts[0], [HandTracking, HandInteraction, EyeGaze]);
        assert!(attempts.is_sorted_by(|a, b| a.len() >= b.len()));
        assert_eq!(attempts.last(), Some(&Vec::new()));
    }

    #[test]
    fn only_extensions_that_are_offered_and_not_enabled_are_added() {
        let offered = ["XR_EXT_hand_tracking", "XR_EXT_eye_gaze_interaction"].map(str::to_owned);
        let some = attempts(&["XR_EXT_hand_tracking"], Some(&offered));
        // The last attempt has no extension of the layer.
        assert_eq!(some, [vec![EyeGaze], vec![]]);
        assert_eq!(attempts(&[], Some(&[])), [Vec::new()]);
    }

    #[test]
    fn the_functions_of_hand_tracking_belong_to_it() {
        assert!(HandTracking.has_function("xrLocateHandJointsEXT"));
        assert!(!EyeGaze.has_function("xrLocateHandJointsEXT"));
        assert!(!HandTracking.has_function("xrLocateSpace"));
    }
}

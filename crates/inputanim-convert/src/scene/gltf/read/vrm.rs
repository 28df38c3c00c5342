//! The bones that VRM names: models and animations of persons, whose nodes may have any name.
//!
//! Sources: the specifications `VRMC_vrm-1.0`, `VRMC_vrm_animation-1.0` and `VRM` 0.0 of the VRM Consortium. The first two have
//! `humanoid.humanBones` as an object of bones, the last as a list.

use std::collections::HashMap;

use serde_json::Value;

use crate::scene::gltf::document::{Document, Index};

/// Returns the names of the bones of hands, by their nodes.
pub(super) fn bones(document: &Document) -> HashMap<Index, String> {
    let Some(extensions) = &document.extensions else {
        return HashMap::new();
    };
    // An extension that is not well formed names nothing.
    let extensions: Value = serde_json::from_str(extensions.get()).unwrap_or_default();
    let humanoids = ["VRMC_vrm", "VRMC_vrm_animation", "VRM"];
    let mut bones = HashMap::new();
    for name in humanoids {
        let named = &extensions[name]["humanoid"]["humanBones"];
        let objects = named.as_object().into_iter().flatten();
        let objects = objects.map(|(bone, value)| (bone.as_str(), &value["node"]));
        let list = named.as_array().into_iter().flatten();
        let list = list.filter_map(|value| Some((value["bone"].as_str()?, &value["node"])));
        for (bone, node) in objects.chain(list) {
            let node = node.as_u64().and_then(|node| Index::try_from(node).ok());
            // The head of a person has other axes than the head of a recording.
            let is_of_hand = bone.starts_with("left") || bone.starts_with("right");
            if let Some(node) = node.filter(|_| is_of_hand) {
                bones.entry(node).or_insert_with(|| bone.to_owned());
            }
        }
    }
    bones
}

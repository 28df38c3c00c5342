//! An animation of glTF as another program writes it, for tests.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// The animation of a file while it is built. All its numbers are in one buffer.
#[derive(Default)]
pub(crate) struct Clip {
    pub(crate) bytes: Vec<u8>,
    pub(crate) accessors: Vec<Value>,
    pub(crate) samplers: Vec<Value>,
    pub(crate) channels: Vec<Value>,
}

impl Clip {
    fn accessor(&mut self, shape: &str, numbers: &[f32], width: usize) -> usize {
        self.accessors.push(json!({
            "bufferView": 0, "byteOffset": self.bytes.len(), "componentType": 5126,
            "count": numbers.len() / width, "type": shape,
        }));
        self.bytes
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.accessors.len() - 1
    }

    /// Adds a channel: the values of `path`, such as `rotation`, of a node at times in seconds.
    pub(crate) fn moves(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: &[f32],
        values: &[f32],
    ) -> &mut Clip {
        let (shape, width) = if path == "rotation" {
            ("VEC4", 4)
        } else {
            ("VEC3", 3)
        };
        let input = self.accessor("SCALAR", times, 1);
        let output = self.accessor(shape, values, width);
        self.samplers
            .push(json!({"input": input, "output": output, "interpolation": interpolation}));
        let sampler = self.samplers.len() - 1;
        self.channels
            .push(json!({"sampler": sampler, "target": {"node": node, "path": path}}));
        self
    }

    /// Returns a file with this animation, and with nodes and perhaps other members.
    pub(crate) fn file(&self, mut file: Value) -> Value {
        let text = BASE64_STANDARD.encode(&self.bytes);
        file["asset"] = json!({"version": "2.0", "generator": "a test"});
        file["animations"] = json!([{"samplers": self.samplers, "channels": self.channels}]);
        file["accessors"] = json!(self.accessors);
        file["bufferViews"] = json!([{"buffer": 0, "byteLength": self.bytes.len()}]);
        file["buffers"] = json!([{
            "byteLength": self.bytes.len(),
            "uri": format!("data:application/gltf-buffer;base64,{text}"),
        }]);
        file
    }
}

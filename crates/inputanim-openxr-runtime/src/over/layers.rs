//! The layers of a frame, which an application places in the space of the recording.

use inputanim::Pose;
use inputanim_openxr::{Scene, compose, inverse};
use openxr_sys as xr;

use crate::functions::locate::world;
use crate::objects::instance::Instance;
use crate::poses::{from_pose, to_pose};
use inputanim_openxr_ffi::In;

/// A pointer to a layer.
type Pointer = *const xr::CompositionLayerBaseHeader;

/// A layer in the space of the real head. Structures are boxed because others point to them.
enum Layer {
    Projection(
        Box<xr::CompositionLayerProjection>,
        // The structure points to the views.
        #[allow(dead_code)] Vec<xr::CompositionLayerProjectionView>,
    ),
    Quad(Box<xr::CompositionLayerQuad>),
    Cylinder(Box<xr::CompositionLayerCylinderKHR>),
    Equirect(Box<xr::CompositionLayerEquirectKHR>),
    Equirect2(Box<xr::CompositionLayerEquirect2KHR>),
    Cube(Box<xr::CompositionLayerCubeKHR>),
    /// A layer of another type, as the application gave it.
    Other(Pointer),
}

/// The layers of a frame, which the other runtime reads.
pub(super) struct Layers(Vec<Layer>);

impl Layers {
    /// Returns pointers to the layers, which are valid as long as the layers are.
    pub(super) fn pointers(&self) -> Vec<Pointer> {
        fn pointer<T>(layer: &T) -> Pointer {
            std::ptr::from_ref(layer).cast()
        }
        let pointers = self.0.iter().map(|layer| match layer {
            Layer::Projection(layer, _) => pointer(&**layer),
            Layer::Quad(layer) => pointer(&**layer),
            Layer::Cylinder(layer) => pointer(&**layer),
            Layer::Equirect(layer) => pointer(&**layer),
            Layer::Equirect2(layer) => pointer(&**layer),
            Layer::Cube(layer) => pointer(&**layer),
            Layer::Other(layer) => *layer,
        });
        pointers.collect()
    }
}

/// Returns the layers of a frame, moved from the recorded head to the real head `view`: they keep their poses relative
/// to the head. Layers in the space of a hand that is not tracked are omitted.
pub(super) fn moved(
    instance: &Instance,
    info: &In<xr::FrameEndInfo>,
    view: xr::Space,
) -> Result<Layers, xr::Result> {
    let session = instance.session.as_ref();
    let session = session.ok_or(xr::Result::ERROR_HANDLE_INVALID)?;
    let scene: Scene = instance.scene(info.display_time);
    let to_head = inverse(scene.head);
    let from_head = |space: xr::Space| -> Result<Option<Pose>, xr::Result> {
        let origin = world(instance, &scene, session.space(space)?);
        Ok(origin.map(|origin| compose(to_head, origin)))
    };
    let mut layers = Vec::new();
    for &layer in info.array(info.layers, info.layer_count)? {
        macro_rules! posed {
            ($variant:ident, $type:ident) => {
                if let Ok(found) = info.pointed(layer.cast::<xr::$type>()) {
                    if let Some(origin) = from_head(found.space)? {
                        let pose = from_pose(compose(origin, to_pose(found.pose)?));
                        let moved = xr::$type {
                            space: view,
                            pose,
                            ..*found
                        };
                        layers.push(Layer::$variant(Box::new(moved)));
                    }
                    continue;
                }
            };
        }
        posed!(Quad, CompositionLayerQuad);
        posed!(Cylinder, CompositionLayerCylinderKHR);
        posed!(Equirect, CompositionLayerEquirectKHR);
        posed!(Equirect2, CompositionLayerEquirect2KHR);
        if let Ok(found) = info.pointed(layer.cast::<xr::CompositionLayerProjection>()) {
            let Some(origin) = from_head(found.space)? else {
                continue;
            };
            let mut views = found.array(found.views, found.view_count)?.to_vec();
            for view in &mut views {
                view.pose = from_pose(compose(origin, to_pose(view.pose)?));
            }
            let moved = xr::CompositionLayerProjection {
                space: view,
                views: views.as_ptr(),
                ..*found
            };
            layers.push(Layer::Projection(Box::new(moved), views));
        } else if let Ok(found) = info.pointed(layer.cast::<xr::CompositionLayerCubeKHR>()) {
            let Some(origin) = from_head(found.space)? else {
                continue;
            };
            let turn = xr::Posef {
                orientation: found.orientation,
                position: xr::Vector3f::default(),
            };
            let moved = xr::CompositionLayerCubeKHR {
                space: view,
                orientation: from_pose(compose(origin, to_pose(turn)?)).orientation,
                ..*found
            };
            layers.push(Layer::Cube(Box::new(moved)));
        } else {
            layers.push(Layer::Other(layer));
        }
    }
    Ok(Layers(layers))
}

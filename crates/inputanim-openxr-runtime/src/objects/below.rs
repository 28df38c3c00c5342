//! The runtime over which a recording is played.

use inputanim_openxr_ffi::{Next, check};
use openxr_sys::{self as xr, Handle};

/// The runtime below a session.
#[derive(Clone, Copy)]
pub(crate) struct Below {
    pub(crate) next: Next,
    /// The real head.
    pub(crate) view: xr::Space,
    /// The session has no graphics. Some runtimes have no frames for such sessions, so this runtime makes them.
    pub(crate) is_headless: bool,
}

impl Below {
    /// Creates a reference space of the other runtime, and returns its handle. It has this kind, or is the space of the
    /// head if the kind is `None` or the other runtime does not have it.
    pub(crate) fn space(
        &self,
        session: xr::Session,
        kind: Option<xr::ReferenceSpaceType>,
    ) -> Result<xr::Space, xr::Result> {
        let kind = kind.unwrap_or(xr::ReferenceSpaceType::VIEW);
        reference_space(&self.next, session, kind)
            .or_else(|_| reference_space(&self.next, session, xr::ReferenceSpaceType::VIEW))
    }
}

/// Creates a reference space of this kind in the other runtime, and returns its handle. Fails with the error of that
/// runtime.
pub(crate) fn reference_space(
    next: &Next,
    session: xr::Session,
    kind: xr::ReferenceSpaceType,
) -> Result<xr::Space, xr::Result> {
    let info = xr::ReferenceSpaceCreateInfo {
        ty: xr::ReferenceSpaceCreateInfo::TYPE,
        next: std::ptr::null(),
        reference_space_type: kind,
        pose_in_reference_space: xr::Posef::IDENTITY,
    };
    let mut space = xr::Space::NULL;
    let result = next.create_reference_space(session, (&info).into(), (&mut space).into());
    check(result).map(|()| space)
}

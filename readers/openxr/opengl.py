"""An OpenXR application that draws with OpenGL: the upper half of each picture is red, the lower half is grey.

Arguments: the folder of the pictures that the runtime saves. The script checks the pictures at the end.
"""

import ctypes
import sys
from pathlib import Path

import glfw
import xr
from OpenGL import GL, GLX
from PIL import Image

STEREO = xr.ViewConfigurationType.PRIMARY_STEREO


def create_session(instance: xr.Instance, system: xr.SystemId) -> xr.Session:
    """Creates a session with the context of a hidden window."""
    glfw.init()
    glfw.window_hint(glfw.VISIBLE, False)
    glfw.make_context_current(glfw.create_window(64, 64, "client", None, None))
    # The package has no function for the requirements of OpenGL.
    function = xr.get_instance_proc_addr(instance, "xrGetOpenGLGraphicsRequirementsKHR")
    requirements = ctypes.cast(function, xr.PFN_xrGetOpenGLGraphicsRequirementsKHR)
    assert requirements(instance, system, ctypes.byref(xr.GraphicsRequirementsOpenGLKHR())) == 0
    binding = xr.GraphicsBindingOpenGLXlibKHR(
        x_display=GLX.glXGetCurrentDisplay(),
        glx_drawable=GLX.glXGetCurrentDrawable(),
        glx_context=GLX.glXGetCurrentContext(),
    )
    return xr.create_session(instance, xr.SessionCreateInfo(system_id=system, next=binding))


class Eye:
    """The pictures of one eye."""

    def __init__(self, session: xr.Session, view: xr.ViewConfigurationView, image_format: int) -> None:
        self.size = (view.recommended_image_rect_width, view.recommended_image_rect_height)
        width, height = self.size
        self.swapchain = xr.create_swapchain(
            session,
            xr.SwapchainCreateInfo(
                usage_flags=xr.SwapchainUsageFlags.COLOR_ATTACHMENT_BIT,
                format=image_format,
                sample_count=1,
                width=width,
                height=height,
                face_count=1,
                array_size=1,
                mip_count=1,
            ),
        )
        self.images = xr.enumerate_swapchain_images(self.swapchain, xr.SwapchainImageOpenGLKHR)

    def draw(self, view: xr.View) -> xr.CompositionLayerProjectionView:
        """Draws the next picture."""
        width, height = self.size
        index = xr.acquire_swapchain_image(self.swapchain, xr.SwapchainImageAcquireInfo())
        xr.wait_swapchain_image(self.swapchain, xr.SwapchainImageWaitInfo(timeout=xr.INFINITE_DURATION))
        GL.glFramebufferTexture2D(
            GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, self.images[index].image, 0
        )
        GL.glDisable(GL.GL_SCISSOR_TEST)
        GL.glClearColor(1, 0, 0, 0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        # The first row of OpenGL is at the bottom.
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glScissor(0, 0, width, height // 2)
        GL.glClearColor(0.5, 0.5, 0.5, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        xr.release_swapchain_image(self.swapchain, xr.SwapchainImageReleaseInfo())
        rectangle = xr.Rect2Di(xr.Offset2Di(0, 0), xr.Extent2Di(width, height))
        part = xr.SwapchainSubImage(self.swapchain, rectangle)
        return xr.CompositionLayerProjectionView(pose=view.pose, fov=view.fov, sub_image=part)


def play(image_format: int) -> int:
    """Draws until the runtime ends the session, and returns the number of frames."""
    application = xr.ApplicationInfo("client", 1, "", 0, xr.Version(1, 0, 0))
    names = [xr.KHR_OPENGL_ENABLE_EXTENSION_NAME]
    instance = xr.create_instance(xr.InstanceCreateInfo(enabled_extension_names=names, application_info=application))
    system = xr.get_system(instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
    session = create_session(instance, system)
    space = xr.create_reference_space(session, xr.ReferenceSpaceCreateInfo(xr.ReferenceSpaceType.LOCAL))
    views = xr.enumerate_view_configuration_views(instance, system, STEREO)
    assert image_format in xr.enumerate_swapchain_formats(session)
    eyes = [Eye(session, view, image_format) for view in views]
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, GL.glGenFramebuffers(1))
    GL.glEnable(GL.GL_FRAMEBUFFER_SRGB)
    frames = 0
    is_running = False
    state = xr.SessionState.IDLE
    while state != xr.SessionState.EXITING:
        try:
            event = xr.poll_event(instance)
        except xr.EventUnavailable:
            event = None
        if event is not None and event.type == xr.StructureType.EVENT_DATA_SESSION_STATE_CHANGED:
            change = ctypes.cast(ctypes.byref(event), ctypes.POINTER(xr.EventDataSessionStateChanged))
            state = xr.SessionState(change.contents.state)
            if state == xr.SessionState.READY:
                xr.begin_session(session, xr.SessionBeginInfo(STEREO))
                is_running = True
            if state == xr.SessionState.STOPPING:
                xr.end_session(session)
                is_running = False
        elif event is None and is_running:
            frame = xr.wait_frame(session)
            xr.begin_frame(session)
            _, located = xr.locate_views(
                session, xr.ViewLocateInfo(STEREO, frame.predicted_display_time, space)
            )
            drawn = [eye.draw(view) for eye, view in zip(eyes, located, strict=True)]
            layer = xr.CompositionLayerProjection(space=space, views=drawn)
            layers = [ctypes.byref(layer)]
            mode = xr.EnvironmentBlendMode.OPAQUE
            xr.end_frame(session, xr.FrameEndInfo(frame.predicted_display_time, mode, layers=layers))
            frames += 1
    for eye in eyes:
        xr.destroy_swapchain(eye.swapchain)
    xr.destroy_session(session)
    xr.destroy_instance(instance)
    glfw.terminate()
    return frames


def main() -> None:
    """Draws in one format, and checks the pictures."""
    folder, image_format = Path(sys.argv[1]), getattr(GL, sys.argv[2])
    frames = play(image_format)
    pictures = sorted(folder.glob("*.png"))
    assert frames > 100 and len(pictures) > 4, f"{frames} frames, {len(pictures)} pictures"
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.mode == "RGB"
            width, height = picture.size
            # Half of the light is 188 of 255 in sRGB.
            corners = [picture.getpixel((x, y)) for x in (0, width - 1) for y in (0, height - 1)]
            grey = tuple(corners[1])
            assert corners[0] == corners[2] == (255, 0, 0), corners
            assert corners[1] == corners[3] and all(abs(part - 188) <= 1 for part in grey), corners
    print(f"{sys.argv[2]}: {frames} frames, {len(pictures)} pictures")


main()

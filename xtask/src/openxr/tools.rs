//! Programs and libraries for tests with OpenXR, on a machine without a headset and without a graphics card.
//!
//! They are packages of Debian in the build folder: the loader of OpenXR with its sample programs and layers, a Vulkan
//! driver that uses the processor, and an X server that draws in memory. Nothing is installed.

use fs_err as fs;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::debian;
use crate::process::{run, target};

/// Debian's packages for OpenXR, Vulkan and OpenGL.
pub(crate) struct Tools {
    /// The folder of files that are made from files of the packages.
    folder: PathBuf,
    root: PathBuf,
    /// The manifests of the Vulkan driver, as a list of paths.
    drivers: OsString,
}

impl Tools {
    /// Downloads the packages of Debian if necessary, and prepares their files for use outside of the root of the file
    /// system.
    pub(crate) fn provide() -> Result<Tools> {
        // The list includes the packages whose files are used by their paths: manifests, OpenGL drivers, and the keyboard
        // of the X server.
        let packages = [
            "libopenxr-loader1",
            "libopenxr-utils",
            "openxr-layer-corevalidation",
            "openxr-layer-apidump",
            "libvulkan1",
            "mesa-vulkan-drivers",
            "vulkan-validationlayers",
            "libgl1",
            "libgl1-mesa-dri",
            "xvfb",
            "x11-xkb-utils",
            "xkb-data",
        ];
        let root = debian::extracted("openxr", &packages)?;
        let mut tools = Tools {
            folder: target().join("xtask/openxr"),
            root,
            drivers: OsString::new(),
        };
        tools.prepare_manifests()?;
        tools.prepare_server()?;
        Ok(tools)
    }

    /// Copies the manifests of the Vulkan driver and of the layers, with the paths of the extracted libraries, because
    /// the manifests in the packages name libraries in the root of the file system. Stores the manifests of the driver.
    fn prepare_manifests(&mut self) -> Result<()> {
        let share = self.root.join("usr/share");
        // The folder also has drivers for graphics cards. Lavapipe, the driver that uses the processor, is the only one
        // that works on every machine.
        let drivers = self.copy_manifests(
            &share.join("vulkan/icd.d"),
            "lvp_",
            &self.folder.join("vulkan-drivers"),
        )?;
        self.drivers = std::env::join_paths(drivers)?;
        self.copy_manifests(
            &share.join("vulkan/explicit_layer.d"),
            "VkLayer_khronos_",
            &self.vulkan_layers(),
        )?;
        self.copy_manifests(
            &share.join("openxr/1/api_layers/explicit.d"),
            "XrApiLayer_",
            &self.openxr_layers(),
        )?;
        Ok(())
    }

    /// Copies the manifests whose names start with `prefix` from the folder `from` to the folder `to`, and returns the
    /// paths of the copies. The copies contain the absolute paths of the extracted libraries.
    fn copy_manifests(&self, from: &Path, prefix: &str, to: &Path) -> Result<Vec<PathBuf>> {
        fs::create_dir_all(to)?;
        let mut copies = Vec::new();
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.to_string_lossy().starts_with(prefix) {
                continue;
            }
            let manifest = self.with_library(&fs::read(entry.path())?);
            let manifest = manifest.with_context(|| format!("in {}", entry.path().display()))?;
            let copy = to.join(name);
            // Copies are compared, because the folder may have been moved. Programs of another run may read the copies at
            // this moment, so they are written only if they differ.
            if fs::read_to_string(&copy).ok().as_ref() != Some(&manifest) {
                fs::write(&copy, manifest)?;
            }
            copies.push(copy);
        }
        ensure!(
            !copies.is_empty(),
            "no {prefix}*.json in {}",
            from.display()
        );
        Ok(copies)
    }

    /// Returns the text of a manifest in JSON, in which the path of the library is replaced by the absolute path of the
    /// extracted library.
    fn with_library(&self, manifest: &[u8]) -> Result<String> {
        let mut manifest: serde_json::Value = serde_json::from_slice(manifest)?;
        // The path is in an object whose name depends on the kind of manifest.
        let objects = manifest.as_object_mut().into_iter().flatten();
        let path = objects
            .filter_map(|(_, object)| object.get_mut("library_path"))
            .next()
            .context("no library_path")?;
        let named = Path::new(path.as_str().context("library_path is not a string")?);
        let library = match named.strip_prefix("/") {
            Ok(named) => self.root.join(named),
            Err(_) => debian::libraries(&self.root).join(named),
        };
        ensure!(library.exists(), "{} does not exist", library.display());
        *path = library.display().to_string().into();
        Ok(serde_json::to_string_pretty(&manifest)?)
    }

    /// Copies the X server, and changes a path in the copy so that it finds the extracted program that compiles
    /// keyboard maps.
    fn prepare_server(&self) -> Result<()> {
        let server = self.server();
        if server.exists() {
            return Ok(());
        }
        // The server has an option for the sources of keyboards, but no option for the compiler, without which it does not
        // start. The new path has the same length. It is relative to the folder in which the server runs, the root of the
        // packages.
        let [installed, extracted] = [b"\0/usr/bin\0", b"\0usr//bin\0"];
        let program = self.root.join("usr/bin/Xvfb");
        let mut bytes = fs::read(&program)?;
        let start = bytes
            .windows(installed.len())
            .position(|window| window == installed)
            .context("Xvfb does not contain the path of the compiler of keyboards")?;
        bytes[start..start + extracted.len()].copy_from_slice(extracted);
        // The first copy sets the permissions. The complete file gets its name last.
        let partial = self.folder.join("Xvfb.partial");
        fs::copy(&program, &partial)?;
        fs::write(&partial, bytes)?;
        Ok(fs::rename(partial, server)?)
    }

    fn vulkan_layers(&self) -> PathBuf {
        self.folder.join("vulkan-layers")
    }

    fn openxr_layers(&self) -> PathBuf {
        self.folder.join("openxr-layers")
    }

    fn server(&self) -> PathBuf {
        self.folder.join("Xvfb")
    }

    /// Sets the environment of a command so that it uses the extracted libraries: the loaders of OpenXR and Vulkan, one
    /// Vulkan driver, the layers, and OpenGL. `XR_RUNTIME_JSON` selects the runtime. `XR_ENABLE_API_LAYERS` and
    /// `VK_INSTANCE_LAYERS` enable layers.
    pub(crate) fn set_environment(&self, command: &mut Command) {
        command
            .env("LD_LIBRARY_PATH", self.libraries())
            .env(
                "LIBGL_DRIVERS_PATH",
                debian::libraries(&self.root).join("dri"),
            )
            .env("VK_DRIVER_FILES", &self.drivers)
            // Loaders before version 1.3.207, as in Ubuntu 22.04, know only this name.
            .env("VK_ICD_FILENAMES", &self.drivers)
            .env("VK_LAYER_PATH", self.vulkan_layers())
            .env("XR_API_LAYER_PATH", self.openxr_layers())
            // The drivers and the Vulkan layer would otherwise write caches of shaders into the home folder.
            .env("XDG_CACHE_HOME", self.folder.join("cache"));
    }

    /// Returns the folders of the extracted libraries, separated by colons.
    pub(crate) fn libraries(&self) -> OsString {
        libraries_of(&self.root)
    }

    /// Creates a folder that contains the loader of OpenXR under the name that the crate `openxr` opens, and returns
    /// its path. Debian has this name only in the package for developers.
    pub(crate) fn folder_of_rust_loader(&self) -> Result<PathBuf> {
        let folder = self.folder.join("rust-loader");
        fs::create_dir_all(&folder)?;
        let link = folder.join("libopenxr_loader.so");
        let loader = debian::libraries(&self.root).join("libopenxr_loader.so.1");
        // The folder may have been moved since an earlier run.
        if fs::read_link(&link).ok().as_ref() != Some(&loader) {
            fs::remove_file(&link).ok();
            symlink(loader, link)?;
        }
        Ok(folder)
    }

    /// Returns the command of Khronos' sample program `hello_xr`. It exits when its standard input ends, and it enables
    /// Vulkan's validation layer.
    pub(crate) fn hello_xr(&self) -> Command {
        self.program("hello_xr")
    }

    /// Returns the command of the program that prints the extensions and layers of the selected runtime.
    pub(crate) fn runtime_list(&self) -> Command {
        self.program("openxr_runtime_list")
    }

    /// Returns the command of a program of the packages, with the environment of [`Tools::set_environment`].
    fn program(&self, name: &str) -> Command {
        let mut program = Command::new(self.root.join("usr/bin").join(name));
        self.set_environment(&mut program);
        program
    }

    /// Starts an X server without a screen, for programs with OpenGL, and waits until it accepts connections.
    pub(crate) fn start_server(&self) -> Result<Server> {
        let mut xvfb = Command::new(self.server());
        self.set_environment(&mut xvfb);
        let process = xvfb
            // The server selects a free number, and prints it when it accepts connections.
            .args(["-displayfd", "1"])
            // By default, the server restarts after its last client, and a program that connects meanwhile fails.
            .arg("-noreset")
            .arg("-xkbdir")
            .arg(self.root.join("usr/share/X11/xkb"))
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run Xvfb")?;
        // From here on, an error ends the process too.
        let mut server = Server {
            process,
            display: ":".to_owned(),
        };
        let output = server.process.stdout.as_mut();
        let output = output.context("standard output is piped")?;
        let length = BufReader::new(output).read_line(&mut server.display)?;
        ensure!(length > 0, "Xvfb ended before it accepted connections");
        server.display.truncate(server.display.trim_end().len());
        Ok(server)
    }
}

/// Returns the folders of the libraries in `root`, the folder of extracted packages, separated by colons.
pub(crate) fn libraries_of(root: &Path) -> OsString {
    // Some libraries of Debian 12, such as Expat, are outside of `usr`.
    let outside = root.join("lib/x86_64-linux-gnu");
    let mut paths = debian::libraries(root).into_os_string();
    paths.push(":");
    paths.push(outside);
    paths
}

/// An X server that runs until this value is dropped.
pub(crate) struct Server {
    process: Child,
    /// The name of the display that clients connect to: `:0`.
    display: String,
}

impl Server {
    /// Sets the environment of a command so that its program opens windows in this server.
    pub(crate) fn set_environment(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.display)
            // On a desktop with Wayland, programs would open their windows there.
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_SESSION_TYPE", "x11");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // `Child::kill` would leave the socket of the server in /tmp.
        let id = self.process.id().to_string();
        run(Command::new("sh").args(["-c", "kill $0", &id])).ok();
        self.process.wait().ok();
    }
}

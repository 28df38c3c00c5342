//! Each kind of target keeps the properties that other programs rely on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::Path;

#[cfg(unix)]
use inputanim_output::is_same_file;
use inputanim_output::{Existing, OutputError, check, write};
use tempfile::tempdir;

fn replace(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    write(path, Existing::Replace, |file| Ok(file.write_all(content)?))
}

/// Returns the names in a folder, to find temporary files that were left behind.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_complete_or_does_not_exist() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("new");
    let failed = write(&path, Existing::Refuse, |file| {
        file.write_all(b"half")?;
        Err::<(), OutputError>(std::io::Error::other("no more").into())
    });
    assert_eq!(failed.unwrap_err().to_string(), "no more");
    assert_eq!(names(folder.path()), [""; 0]);
    write(&path, Existing::Refuse, |file| {
        Ok::<_, OutputError>(file.write_all(b"all")?)
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"all");
    let error = write(&path, Existing::Refuse, |_| Ok::<_, OutputError>(())).unwrap_err();
    assert!(matches!(error, OutputError::Exists(_)));
    assert_eq!(names(folder.path()), ["new"]);
}

#[test]
fn folders_and_missing_folders_are_refused() {
    let folder = tempdir().unwrap();
    let error = check(folder.path(), Existing::Replace).unwrap_err();
    assert!(matches!(error, OutputError::Folder(_)));
    let error = check(&folder.path().join("no/file"), Existing::Replace).unwrap_err();
    assert!(matches!(error, OutputError::NoFolder(_)));
}

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn the_file_behind_a_link_is_replaced_and_the_link_stays() {
        let folder = tempdir().unwrap();
        let other = tempdir().unwrap();
        let (target, link) = (other.path().join("target"), folder.path().join("link"));
        fs::write(&target, b"old").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["link"]);
        assert_eq!(names(other.path()), ["target"]);
        let dangling = folder.path().join("dangling");
        symlink(other.path().join("nothing"), &dangling).unwrap();
        let error = replace(&dangling, b"new").unwrap_err();
        assert!(matches!(error, OutputError::DanglingLink(_)));
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("private");
        fs::write(&path, b"old").unwrap();
        for wanted in [0o640, 0o600, 0o444, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            replace(&path, b"new").unwrap();
            assert_eq!(mode(&path), wanted);
        }
    }

    #[test]
    fn hard_links_stay_one_file_also_with_a_shorter_content() {
        let folder = tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&a, b"a long content").unwrap();
        fs::set_permissions(&a, fs::Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(&a, &b).unwrap();
        replace(&a, b"short").unwrap();
        assert_eq!(fs::read(&b).unwrap(), b"short");
        assert_eq!(
            fs::metadata(&a).unwrap().ino(),
            fs::metadata(&b).unwrap().ino()
        );
        assert_eq!(mode(&a), 0o640);
        assert_eq!(names(folder.path()), ["a", "b"]);
        let failed = write(&a, Existing::Replace, |_| {
            Err::<(), OutputError>(std::io::Error::other("no more").into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&b).unwrap(), b"short");
    }

    #[test]
    fn the_new_content_of_a_private_file_is_never_readable_by_others() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("private");
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, Existing::Replace, |file| {
            assert_eq!(file.metadata()?.mode() & 0o077, 0);
            Ok::<_, OutputError>(file.write_all(b"new")?)
        })
        .unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn hard_links_are_the_same_file() {
        let folder = tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&a, b"one").unwrap();
        fs::write(&c, b"one").unwrap();
        fs::hard_link(&a, &b).unwrap();
        assert!(is_same_file(&a, &b) && is_same_file(&a, &a) && !is_same_file(&a, &c));
        assert!(!is_same_file(&a, &folder.path().join("none")));
    }

    #[test]
    fn a_replaced_file_keeps_its_owner() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"old").unwrap();
        // Only root can give a file away; other users own all files that they can replace here.
        let owner = if std::os::unix::fs::chown(&path, Some(1234), Some(1234)).is_ok() {
            (1234, 1234)
        } else {
            let metadata = fs::metadata(&path).unwrap();
            (metadata.uid(), metadata.gid())
        };
        replace(&path, b"new").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), owner);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_fifo_gets_the_content_and_stays() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("fifo");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut content = Vec::new();
                fs::File::open(path)
                    .unwrap()
                    .read_to_end(&mut content)
                    .unwrap();
                content
            }
        });
        replace(&path, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["fifo"]);
    }

    #[test]
    fn a_device_stays_a_device() {
        replace(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
        // The same for a link to a device.
        let folder = tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        replace(&link, b"nothing").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}

#[cfg(windows)]
mod windows {
    use super::*;

    #[test]
    fn a_read_only_file_is_refused() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions.clone()).unwrap();
        let error = replace(&path, b"new").unwrap_err();
        assert!(matches!(error, OutputError::ReadOnly(_)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        #[allow(clippy::permissions_set_readonly_false, reason = "only for removal")]
        permissions.set_readonly(false);
        fs::set_permissions(&path, permissions).unwrap();
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_file_that_another_program_holds_open_is_refused_and_stays() {
        use std::os::windows::fs::OpenOptionsExt;
        let folder = tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"old").unwrap();
        // Other programs may only read the file while it is open.
        let held = fs::File::options()
            .read(true)
            .share_mode(1)
            .open(&path)
            .unwrap();
        let error = replace(&path, b"new").unwrap_err();
        assert!(matches!(error, OutputError::InUse { .. }), "{error}");
        drop(held);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["file"]);
    }
}

//! Files of other programs that are recognised and not read.

use std::path::Path;

use inputanim::{Corrections, Layout, Limits};
use inputanim_convert::{
    Error, Format, InputFile, ReadOptions, Remedy, UnreadFormat, WriteOptions, read, write_bytes,
};
use inputanim_motion::{Motion, Scene};

/// Returns the first bytes of files, with a word of the name of their kind.
fn files() -> Vec<(Vec<u8>, &'static str)> {
    let mut c3d = vec![2, 0x50];
    c3d.resize(1024, 0);
    c3d[512 + 3] = 84;
    let zip = |name: &str| {
        let length = (name.len() as u16).to_le_bytes();
        [
            b"PK\x03\x04",
            &[0; 22][..],
            &length,
            &[0; 2],
            name.as_bytes(),
        ]
        .concat()
    };
    let hdf5 = |content: &[u8]| [b"\x89HDF\r\n\x1a\n", &[0; 40][..], content].concat();
    let unity = |content: &str| {
        let tag = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\n";
        format!("{tag}{content}").into_bytes()
    };
    let utf16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>()
    };
    let texts: &[(&[u8], &str)] = &[
        (b"\x69\x3d\x2d\x44\x01\0\x05\0\0\x001.0.0", "BSOR"),
        (b"tilT\x10\0\x01\0\0\0\0\0\0\0\0\0PK\x03\x04", "Tilt Brush"),
        (b"Kaydara FBX Binary  \0\x1a\0\x84\x1c\0\0", "a binary FBX"),
        (b"; FBX 7.4.0 project file\n; ----\n\nFBXHeaderExtension:  {\n", "FBX file as text"),
        (b"UnityFS\0\0\0\0\x08", "asset bundle"),
        (b"HIERARCHY\r\nROOT Hips\r\n{\r\n", "BVH"),
        (b"\xef\xbb\xbf\nHIERARCHY\nROOT Hips", "BVH"),
        (b"#usda 1.0\n(\n)\n", "USD file as text"),
        (b"PXR-USDC\0\x08\0", "binary USD"),
        (b"\x93NUMPY\x01\0v\0{'descr': '<f8'", ".npy"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB"),
        (br#"{"codebase_version": "v3.0", "fps": 30}"#, "LeRobot"),
        (b"PAR1\0\0observation.state\0timestamp\0frame_index\0episode_index\0PAR1", "LeRobot"),
        (b"name\tcomponent\ttype\ttracked_point\tunits\nx\tx\tPOS\thead\tm\n", "Motion-BIDS"),
        (b"0.1\t0.2\tn/a\t1.0\n0.1\t0.2\t0.3\t1.0\n", "_motion.tsv"),
        (b"#ROSBAG V2.0\nE\0\0\0", "ROS 1 bag"),
        (b"\x89MCAP0\r\n\x01\0\0\0\0\0\0\0\0ros2msg", "ROS messages"),
        (b"SQLite format 3\0CREATE TABLE topics(serialization_format TEXT)", "ROS 2 bag"),
        (b"SQLite format 3\0", "SQLite"),
        (
            br#"{"camera": {"poses": [{"position": {"x": 1}, "rotation": {"x": 0}, "timestamp": 2}], "events": []}}"#,
            "A-Frame",
        ),
        (b"VisionRecord\0\0\0", "VRS"),
        (b"PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\n", "TRC"),
        (b"Format Version,1.23,Take Name,a,Capture Frame Rate,120.000000\n\n,Type,Marker\n", "OptiTrack"),
        (b"BLENDER-v300", "Blender"),
        (b"\x28\xb5\x2f\xfd\0", "compressed"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image"),
        (b"\0\0\0\x20ftypisom", "video"),
        (b"RIFF\0\0\0\0WAVEfmt ", "sound"),
        (b"%PDF-1.7\n", "PDF"),
        (b"<!DOCTYPE html>\n<html>", "web page"),
        (b"%YAML 1.2\n---\na: 1\n", "YAML"),
        (br#"{"poses": 1}"#, "JSON file of another program"),
        (b"[[1, 2], [3, 4]]", "JSON file of another program"),
        (b"notes about the study\nthe second line", "text file"),
    ];
    let mut files: Vec<_> = texts
        .iter()
        .map(|&(bytes, name)| (bytes.to_vec(), name))
        .collect();
    files.extend([
        (unity("AnimationClip:\n  m_Name: a\n"), "animation clip"),
        (
            unity("MonoBehaviour:\n  c: XRHandCaptureSequence\n"),
            "XRHandCaptureSequence",
        ),
        (unity("Transform:\n"), "asset or scene"),
        (zip("pose.npy"), ".npz"),
        (zip("data/a.bin"), "zip archive"),
        (hdf5(b"\0data\0demo_0\0"), "robomimic"),
        (hdf5(b"\0trajectory\0"), "another program than EgoDex"),
        (c3d, "C3D"),
        (utf16("HIERARCHY\nROOT Hips\n"), "BVH"),
    ]);
    files
}

#[test]
fn files_of_other_programs_are_named_with_the_nearest_way() {
    for (bytes, name) in files() {
        let found = UnreadFormat::detect(&bytes);
        let found = found.unwrap_or_else(|| panic!("{name} is unknown"));
        assert!(found.name().contains(name), "{name}: {}", found.name());
        assert!(!found.advice().is_empty(), "{name}");
    }
}

#[cfg(feature = "full")]
#[test]
fn readers_name_files_of_other_programs_at_any_extension() {
    // The readers of these formats say more about such content, or the format has no magic bytes.
    let general = ["JSON", "text file", "another program than EgoDex"];
    for (bytes, name) in files() {
        for path in ["a", "a.bin", "a.fbx", "a.bvh", "a.mcap"] {
            let file = InputFile {
                bytes: &bytes,
                path: Some(path.as_ref()),
                format: None,
            };
            let error = file.read(Corrections::default(), &file.options(Limits::default()));
            let error = error
                .err()
                .unwrap_or_else(|| panic!("{path} with {name} is read"));
            match &error {
                Error::Unread(kind) => {
                    assert!(kind.name().contains(name), "{path}: {error}");
                    assert_eq!(error.remedy(), Some(Remedy::Export(kind)));
                }
                _ => assert!(
                    general.iter().any(|kind| name.contains(kind)),
                    "{name}: {error}"
                ),
            }
            if let Err(Error::Unread(kind)) = file.check_format() {
                assert!(kind.name().contains(name), "{path}: {error}");
            }
        }
    }
}

#[test]
fn each_format_that_is_only_written_has_a_way_back() {
    for &format in Format::ALL.iter().filter(|format| !format.can_read()) {
        let error = read(format, b"", &ReadOptions::default()).unwrap_err();
        assert!(
            matches!(error.remedy(), Some(Remedy::Export(_))),
            "{format}"
        );
    }
}

#[test]
fn files_that_are_read_are_of_no_other_kind() {
    let recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    for &format in Format::ALL
        .iter()
        .filter(|format| format.is_in_build() && format.can_read())
    {
        if !format.can_write() {
            continue;
        }
        let (bytes, _) = write_bytes(format, &recording, &WriteOptions::default()).unwrap();
        let found = UnreadFormat::detect(&bytes);
        assert_eq!(found, None, "{format}");
        let file = InputFile {
            bytes: &bytes,
            path: None,
            format: None,
        };
        assert_eq!(file.check_format().unwrap(), format);
    }
}

#[test]
fn damaged_files_of_known_formats_keep_their_errors() {
    let recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let (json, _) = write_bytes(Format::Json, &recording, &WriteOptions::default()).unwrap();
    for bytes in [
        &json[..60],
        b"\x89HDF\r\n\x1a\n\0transforms",
        b"time_s,left.wrist\n0,1\n",
        b"",
    ] {
        let file = InputFile {
            bytes,
            path: None,
            format: None,
        };
        let error = file.read(Corrections::default(), &file.options(Limits::default()));
        assert!(!matches!(error, Ok(_) | Err(Error::Unread(_))), "{error:?}");
    }
}

#[test]
fn mappings_keep_the_error_about_columns() {
    let mut options = ReadOptions::default();
    options.mappings = vec!["time_s=Frame".parse().unwrap()];
    let text = b"Format Version,1.23,Take Name,a,Capture Frame Rate,120\n";
    let error = read(Format::Csv, text, &options).unwrap_err();
    assert!(!matches!(error, Error::Unread(_)), "{error}");
}

#[test]
fn folders_of_datasets_are_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unread-datasets");
    let dataset = folder.join("bids");
    std::fs::create_dir_all(&dataset).unwrap();
    assert_eq!(UnreadFormat::of_folder(&folder), None);
    std::fs::write(dataset.join("dataset_description.json"), "{}").unwrap();
    let (kind, name) = UnreadFormat::of_folder(&dataset).unwrap();
    assert_eq!(name, "a BIDS dataset");
    assert!(kind.advice().contains("_channels.tsv"));
}

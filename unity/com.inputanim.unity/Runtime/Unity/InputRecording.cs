using System;
using System.IO;
using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>
    /// A recording as an asset: the bytes of its file. The importer of the package makes it from files with the extension
    /// <c>.inputanim</c>, and from <c>.bin</c> files for which you select this importer.
    /// </summary>
    public sealed class InputRecording : ScriptableObject
    {
        [SerializeField]
        [HideInInspector]
        private byte[] file = new byte[0];

        private Recording recording;

        /// <summary>The bytes of the file.</summary>
        public byte[] Bytes
        {
            get { return file; }
        }

        /// <summary>Creates an asset from the bytes of a file. The bytes are not checked.</summary>
        public static InputRecording Create(byte[] bytes)
        {
            InputRecording asset = CreateInstance<InputRecording>();
            asset.file = bytes;
            return asset;
        }

        /// <summary>Reads a file, such as a recording that a device has saved.</summary>
        public static InputRecording Load(string path)
        {
            InputRecording asset = Create(File.ReadAllBytes(path));
            asset.name = Path.GetFileNameWithoutExtension(path);
            return asset;
        }

        /// <summary>Returns the recording. It is read once.</summary>
        /// <exception cref="RecordingFormatException">The file is damaged or is not a recording.</exception>
        public Recording Read()
        {
            recording = recording ?? RecordingReader.Read(file);
            return recording;
        }
    }
}

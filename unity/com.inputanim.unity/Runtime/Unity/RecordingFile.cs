using System;
using System.IO;
using System.Threading;
using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>
    /// A recording that is written on another thread, so that the application does not halt. <c>yield return</c> waits until
    /// the file is complete.
    /// </summary>
    public sealed class RecordingFile : CustomYieldInstruction
    {
        private readonly Recorder recorder;
        private readonly float seconds;
        private volatile bool isDone;

        private RecordingFile(Recorder copy, float lastSeconds, string path)
        {
            recorder = copy;
            seconds = lastSeconds;
            Path = path;
        }

        /// <summary>The path of the file.</summary>
        public string Path { get; private set; }

        /// <summary>The error; null if the file was written.</summary>
        public Exception Error { get; private set; }

        /// <summary>True when the file is complete, or could not be written.</summary>
        public bool IsDone
        {
            get { return isDone; }
        }

        /// <summary>True until the file is complete.</summary>
        public override bool keepWaiting
        {
            get { return !isDone; }
        }

        /// <summary>
        /// Copies the frames of a recorder, and writes them to a file while the recorder continues. 0 seconds write all
        /// frames.
        /// </summary>
        public static RecordingFile Save(Recorder recorder, string path, float lastSeconds = 0f)
        {
            RecordingFile file = new RecordingFile(recorder.Copy(), lastSeconds, path);
#if UNITY_WEBGL && !UNITY_EDITOR
            // A browser has no threads.
            file.Write();
#else
            Thread thread = new Thread(file.Write);
            thread.IsBackground = false;
            thread.Start();
#endif
            return file;
        }

        private void Write()
        {
            try
            {
                Recording recording = seconds > 0f ? recorder.SnapshotLast(seconds) : recorder.Snapshot();
                byte[] bytes = RecordingWriter.ToBytes(recording);
                string folder = System.IO.Path.GetDirectoryName(Path);
                if (!string.IsNullOrEmpty(folder))
                {
                    Directory.CreateDirectory(folder);
                }
                // The file gets its name when it is complete, so that no program reads a part of it.
                string partial = Path + ".partial";
                File.WriteAllBytes(partial, bytes);
                if (File.Exists(Path))
                {
                    File.Delete(Path);
                }
                File.Move(partial, Path);
            }
            catch (Exception error)
            {
                // An exception on this thread would end the application.
                Error = error;
            }
            isDone = true;
        }
    }
}

using System;
using System.Collections.Generic;
using System.IO;
using InputAnim.Unity;
using UnityEditor;
using UnityEngine;

namespace InputAnim.Editor
{
    /// <summary>The commands of the menu Assets.</summary>
    internal static class RecordingMenu
    {
        private const string Export = "Assets/Input Recording/Export as .bin";

        [MenuItem(Export)]
        private static void ExportSelected()
        {
            UnityEngine.Object selected = Selection.activeObject;
            string path = EditorUtility.SaveFilePanel("Export recording", "", selected.name + ".bin", "bin");
            if (string.IsNullOrEmpty(path))
            {
                return;
            }
            try
            {
                File.WriteAllBytes(path, BytesOf(selected));
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                Debug.LogError("cannot write " + path + ": " + error.Message);
            }
        }

        [MenuItem(Export, true)]
        private static bool CanExportSelected()
        {
            return Selection.activeObject is InputRecording || Selection.activeObject is AnimationClip;
        }

        /// <summary>Returns the bytes of a recording, or of the recording that a clip gives.</summary>
        internal static byte[] BytesOf(UnityEngine.Object asset)
        {
            InputRecording recording = asset as InputRecording;
            if (recording != null)
            {
                return recording.Bytes;
            }
            List<string> ignored = new List<string>();
            Recording converted = RecordingClips.FromClip((AnimationClip)asset, ignored);
            if (ignored.Count > 0)
            {
                Debug.LogWarning(
                    ignored.Count + " properties of the clip are not in the recording, such as " + ignored[0], asset);
            }
            if (converted.Layout == Layout.FullWithMarkers11)
            {
                Debug.LogWarning(
                    "the clip has tangents and a gaze: MRTK does not load the layout " + converted.Layout.Name(), asset);
            }
            return RecordingWriter.ToBytes(converted);
        }
    }
}

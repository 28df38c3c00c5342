using System.IO;
using InputAnim.Unity;
using UnityEditor.AssetImporters;
using UnityEngine;

namespace InputAnim.Editor
{
    /// <summary>
    /// Imports recordings: files with the extension <c>.inputanim</c>, and <c>.bin</c> files for which you select this
    /// importer in the Inspector. Other packages use <c>.bin</c> too, and Unity rejects importers that claim one extension
    /// twice.
    /// </summary>
    [ScriptedImporter(1, new[] { "inputanim" }, new[] { "bin" })]
    public sealed class InputRecordingImporter : ScriptedImporter
    {
        [SerializeField]
        [Tooltip("Also make an animation clip for Animator and Timeline.")]
        private bool createClip = true;

        /// <summary>True also makes an animation clip.</summary>
        public bool CreateClip
        {
            get { return createClip; }
            set { createClip = value; }
        }

        /// <summary>Makes the asset, and the clip if its curves can be evaluated.</summary>
        public override void OnImportAsset(AssetImportContext ctx)
        {
            InputRecording asset = InputRecording.Create(File.ReadAllBytes(ctx.assetPath));
            asset.name = Path.GetFileNameWithoutExtension(ctx.assetPath);
            // A damaged file is an asset too, so that the Inspector shows the damage and the command that helps.
            ctx.AddObjectToAsset("recording", asset);
            ctx.SetMainObject(asset);
            try
            {
                Recording recording = asset.Read();
                foreach (Finding finding in Doctor.Examine(recording))
                {
                    ctx.LogImportWarning(finding + ". Run: " + finding.Command(ctx.assetPath), asset);
                }
                if (createClip && recording.KeyCount > 0)
                {
                    AnimationClip clip = RecordingClips.ToClip(recording);
                    clip.name = asset.name;
                    ctx.AddObjectToAsset("clip", clip);
                }
            }
            catch (RecordingFormatException error)
            {
                ctx.LogImportError(error.Message + "; " + error.Advice(ctx.assetPath), asset);
            }
        }
    }
}

using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>Plays a recording into the input of the application, for tests and scripts.</summary>
    /// <example>
    /// <code>
    /// [UnityTest]
    /// public IEnumerator TheButtonIsPressed()
    /// {
    ///     yield return InputPlayback.Play("press-button");
    ///     Assert.IsTrue(button.wasPressed);
    /// }
    /// </code>
    /// </example>
    public sealed class InputPlayback : CustomYieldInstruction, IDisposable
    {
        private readonly GameObject owner;

        private InputPlayback(InputRecording recording, Action<InputPlayer> configure)
        {
            // A test must not pass because nothing was played.
            new Sampler(recording.Read());
            owner = new GameObject("Input playback of " + recording.name);
            // Inactive, so that components are complete before they are enabled.
            owner.SetActive(false);
            Player = owner.AddComponent<InputPlayer>();
            Player.Recording = recording;
            if (configure != null)
            {
                configure(Player);
            }
            foreach (Action<InputPlayer> output in Outputs)
            {
                output(Player);
            }
            owner.SetActive(true);
        }

        /// <summary>
        /// Functions that add the outputs of a player. With XR Hands in the project, the package adds one that plays into
        /// XR Hands, the head and <c>MetaAimHand</c>.
        /// </summary>
        public static readonly List<Action<InputPlayer>> Outputs = new List<Action<InputPlayer>>();

        /// <summary>The folders in which recordings are found by their names, besides resources and assets.</summary>
        public static readonly List<string> Folders = new List<string>();

        /// <summary>The player.</summary>
        public InputPlayer Player { get; private set; }

        /// <summary>True until the recording has ended. Then the player is removed.</summary>
        public override bool keepWaiting
        {
            get
            {
                bool isPlaying = Player != null && Player.IsPlaying;
                if (!isPlaying)
                {
                    Dispose();
                }
                return isPlaying;
            }
        }

        /// <summary>
        /// Plays a recording by its name: an asset in a folder <c>Resources</c>, a file in one of the <see cref="Folders"/>,
        /// or, in the editor, any asset. <c>yield return</c> waits for its end. <paramref name="configure"/> may change the
        /// player before it starts.
        /// </summary>
        /// <exception cref="FileNotFoundException">No recording has the name.</exception>
        /// <exception cref="RecordingFormatException">The recording is damaged and cannot be played.</exception>
        public static InputPlayback Play(string name, Action<InputPlayer> configure = null)
        {
            return Play(Find(name), configure);
        }

        /// <summary>Plays a recording. <c>yield return</c> waits for its end.</summary>
        /// <exception cref="RecordingFormatException">The recording is damaged and cannot be played.</exception>
        public static InputPlayback Play(InputRecording recording, Action<InputPlayer> configure = null)
        {
            if (recording == null)
            {
                throw new ArgumentNullException("recording");
            }
            return new InputPlayback(recording, configure);
        }

        /// <summary>
        /// Plays a recording in steps of a fixed rate, one step for each frame of the application. The result does not depend
        /// on the speed of the machine. Start it with <c>yield return</c> or <c>StartCoroutine</c>.
        /// </summary>
        public static IEnumerator Step(string name, float rate = 60f, Action<InputPlayer> configure = null)
        {
            InputPlayback playback = Play(name, player =>
            {
                player.Clock = InputPlayerClock.Stepped;
                if (configure != null)
                {
                    configure(player);
                }
            });
            using (playback)
            {
                while (playback.Player != null && playback.Player.IsPlaying)
                {
                    playback.Player.Step(1f / rate);
                    yield return null;
                }
            }
        }

        /// <summary>Ends playback, and removes the player.</summary>
        public void Dispose()
        {
            if (owner != null)
            {
                UnityEngine.Object.Destroy(owner);
            }
        }

        private static InputRecording Find(string name)
        {
            InputRecording asset = Resources.Load<InputRecording>(name);
            if (asset != null)
            {
                return asset;
            }
            foreach (string folder in Folders)
            {
                foreach (string extension in new[] { "", ".inputanim", ".bin" })
                {
                    string path = Path.Combine(folder, name + extension);
                    if (File.Exists(path))
                    {
                        return InputRecording.Load(path);
                    }
                }
            }
#if UNITY_EDITOR
            foreach (string guid in UnityEditor.AssetDatabase.FindAssets(name + " t:InputRecording"))
            {
                string path = UnityEditor.AssetDatabase.GUIDToAssetPath(guid);
                if (Path.GetFileNameWithoutExtension(path) == name)
                {
                    return UnityEditor.AssetDatabase.LoadAssetAtPath<InputRecording>(path);
                }
            }
#endif
            throw new FileNotFoundException(
                "no recording \"" + name + "\": expected an asset in a folder Resources, or a file in InputPlayback.Folders");
        }
    }
}

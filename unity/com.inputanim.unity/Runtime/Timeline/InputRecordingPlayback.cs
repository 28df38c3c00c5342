using InputAnim.Unity;
using UnityEngine;
using UnityEngine.Playables;

namespace InputAnim.Timeline
{
    /// <summary>
    /// Moves an <see cref="InputPlayer"/> to the time of its clip in each frame. While the clip is active, the clock of the player
    /// does not move it. Afterwards the player has its own recording and clock again.
    /// </summary>
    public sealed class InputRecordingPlayback : PlayableBehaviour
    {
        private InputPlayer player;
        private InputRecording recordingBefore;
        private InputPlayerClock clockBefore;

        /// <summary>The recording to play.</summary>
        public InputRecording Recording { get; set; }

        /// <summary>Moves the player, which is the object of the track.</summary>
        public override void ProcessFrame(Playable playable, FrameData info, object playerData)
        {
            InputPlayer bound = playerData as InputPlayer;
            if (bound == null || Recording == null)
            {
                return;
            }
            float time = (float)playable.GetTime();
            bool isFirst = player == null;
            if (isFirst)
            {
                player = bound;
                recordingBefore = player.Recording;
                clockBefore = player.Clock;
                player.Clock = InputPlayerClock.Stepped;
                player.Recording = Recording;
            }
            // A jump calls no events on the way, and the preview of the editor calls none.
            if (isFirst || info.seekOccurred || !Application.isPlaying)
            {
                player.Seek(time);
            }
            if (Application.isPlaying)
            {
                player.MoveTo(time);
            }
        }

        /// <summary>Gives the player its own recording and clock again.</summary>
        public override void OnBehaviourPause(Playable playable, FrameData info)
        {
            if (player == null)
            {
                return;
            }
            player.Pause();
            player.Recording = recordingBefore;
            player.Clock = clockBefore;
            player = null;
        }
    }
}

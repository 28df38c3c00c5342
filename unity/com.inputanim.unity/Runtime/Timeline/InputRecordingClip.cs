using InputAnim.Unity;
using UnityEngine;
using UnityEngine.Playables;
using UnityEngine.Timeline;

namespace InputAnim.Timeline
{
    /// <summary>A recording on an <see cref="InputRecordingTrack"/>. It can be trimmed, and played at another speed.</summary>
    public sealed class InputRecordingClip : PlayableAsset, ITimelineClipAsset
    {
        [SerializeField]
        [Tooltip("The recording to play.")]
        private InputRecording recording;

        /// <summary>The recording to play.</summary>
        public InputRecording Recording
        {
            get { return recording; }
            set { recording = value; }
        }

        /// <summary>What the editor of Timeline can do with the clip. Recordings cannot be mixed.</summary>
        public ClipCaps clipCaps
        {
            get { return ClipCaps.ClipIn | ClipCaps.SpeedMultiplier; }
        }

        /// <summary>The duration of the recording in seconds; that of other clips without a recording that can be read.</summary>
        public override double duration
        {
            get
            {
                try
                {
                    float end = recording == null ? 0f : new Sampler(recording.Read()).Duration;
                    return end > 0f ? end : base.duration;
                }
                catch (RecordingFormatException)
                {
                    return base.duration;
                }
            }
        }

        /// <summary>Creates the part of the graph that plays the recording.</summary>
        public override Playable CreatePlayable(PlayableGraph graph, GameObject owner)
        {
            ScriptPlayable<InputRecordingPlayback> playable = ScriptPlayable<InputRecordingPlayback>.Create(graph);
            playable.GetBehaviour().Recording = recording;
            return playable;
        }
    }
}

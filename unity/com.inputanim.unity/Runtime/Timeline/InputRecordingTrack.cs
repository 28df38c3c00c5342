using InputAnim.Unity;
using UnityEngine.Timeline;

namespace InputAnim.Timeline
{
    /// <summary>
    /// A track of a Timeline that plays recordings with an <see cref="InputPlayer"/>. Select the player as the object of the track.
    /// </summary>
    [TrackColor(0.2f, 0.6f, 0.9f)]
    [TrackClipType(typeof(InputRecordingClip))]
    [TrackBindingType(typeof(InputPlayer))]
    public sealed class InputRecordingTrack : TrackAsset
    {
    }
}

using InputAnim.Unity;
using InputAnim.XRHands;
using UnityEngine;

namespace InputAnim.Samples
{
    /// <summary>
    /// Plays a recording into the rig of a scene of the XR Interaction Toolkit. Open a scene with an XR origin for hands, such
    /// as the sample "Hands Interaction Demo", add this component to an empty object, and select the camera offset of the
    /// origin. It needs the sample "Recordings", or another recording.
    /// </summary>
    public sealed class XriSample : MonoBehaviour
    {
        [SerializeField]
        private InputRecording recording;

        [SerializeField]
        [Tooltip("The camera offset of the XR origin.")]
        private Transform cameraOffset;

        private void Start()
        {
            GameObject owner = new GameObject("Input player");
            // Inactive, so that the components are complete before they start.
            owner.SetActive(false);
            InputPlayer player = owner.AddComponent<InputPlayer>();
            player.Recording = recording != null ? recording : Resources.Load<InputRecording>("pinch-drag");
            player.Ending = EndAction.Loop;
            XRHandsPlayback playback = owner.AddComponent<XRHandsPlayback>();
            playback.Origin = cameraOffset;
            owner.SetActive(true);
        }
    }
}

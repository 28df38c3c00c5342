using System.Collections;
using InputAnim.Unity;
using InputAnim.XRHands;
using UnityEngine;

namespace InputAnim.Samples
{
    /// <summary>
    /// Plays a recording into the MRTK3 rig of a scene, records XR Hands at the same time, and saves the result. Add it to an
    /// empty object of a scene with the MRTK XR Rig, and select the camera offset of the rig. Disable the input simulation of
    /// MRTK3, which moves the camera too. It needs the sample "Recordings", or another recording.
    /// </summary>
    public sealed class Mrtk3Sample : MonoBehaviour
    {
        [SerializeField]
        private InputRecording recording;

        [SerializeField]
        [Tooltip("The camera offset of the MRTK XR Rig.")]
        private Transform cameraOffset;

        private IEnumerator Start()
        {
            XRHandsRecorder recorder = gameObject.AddComponent<XRHandsRecorder>();
            recorder.Origin = cameraOffset;
            InputRecording played = recording != null ? recording : Resources.Load<InputRecording>("pinch-drag");
            InputPlayback playback = InputPlayback.Play(played, player =>
            {
                player.OnPinchDown.AddListener(side => recorder.Mark(side + " pinch"));
            });
            playback.Player.GetComponent<XRHandsPlayback>().Origin = cameraOffset;
            yield return playback;
            RecordingFile file = recorder.Save();
            yield return file;
            Debug.Log(file.Error == null ? "saved " + file.Path : "cannot save " + file.Path + ": " + file.Error.Message);
        }
    }
}

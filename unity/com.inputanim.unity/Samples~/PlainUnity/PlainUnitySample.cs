using InputAnim.Unity;
using UnityEngine;

namespace InputAnim.Samples
{
    /// <summary>
    /// Shows the hands of a recording as spheres. Add it to an empty object of an empty scene, and press Play. It needs the
    /// sample "Recordings", or another recording.
    /// </summary>
    public sealed class PlainUnitySample : MonoBehaviour
    {
        [SerializeField]
        private InputRecording recording;

        private void Start()
        {
            InputPlayer player = gameObject.AddComponent<InputPlayer>();
            player.Recording = recording != null ? recording : Resources.Load<InputRecording>("pinch-drag");
            player.Ending = EndAction.Loop;
            player.OnMarker.AddListener(marker => Debug.Log("marker " + marker + " at " + player.Time + " s"));
            player.OnPinchDown.AddListener(side => Debug.Log(side + " pinches"));
            HandView view = gameObject.AddComponent<HandView>();
            view.Head = Camera.main != null ? Camera.main.transform : null;
            player.Play();
        }
    }
}

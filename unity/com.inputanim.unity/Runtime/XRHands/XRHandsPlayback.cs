using InputAnim.Unity;
using UnityEngine;
using UnityEngine.XR.Hands;

namespace InputAnim.XRHands
{
    /// <summary>
    /// Plays the frames of an <see cref="InputPlayer"/> into XR Hands, the head and <see cref="MetaAimHand"/>, so that XRI,
    /// MRTK3 and other users of XR Hands react to them as to a device.
    /// </summary>
    [RequireComponent(typeof(InputPlayer))]
    [DefaultExecutionOrder(-29500)]
    [AddComponentMenu("Input Recording/XR Hands Playback")]
    public sealed class XRHandsPlayback : MonoBehaviour
    {
        [SerializeField]
        [Tooltip("The XR origin's camera floor offset. A recording is in world space, and XR Hands expects joints relative "
            + "to this transform. Without it, the parent of the main camera is used.")]
        private Transform origin;

        [SerializeField]
        [Tooltip("Stop the hands of the device while the recording plays. MRTK3 uses the first running hands that it finds.")]
        private bool stopDeviceHands = true;

        [SerializeField]
        [Tooltip("Move the head with a recorded head-mounted device.")]
        private bool playHead = true;

        [SerializeField]
        [Tooltip("Drive MetaAimHand devices, with which XRI and MRTK3 point and select.")]
        private bool playAim = true;

        private readonly RecordedHands hands = new RecordedHands();
        private readonly RecordedDevices devices = new RecordedDevices();
        private InputPlayer player;
        private int lastUpdate = -1;

        /// <summary>The player whose frames are used.</summary>
        public InputPlayer Player
        {
            get { return player; }
        }

        /// <summary>The transform to which joints are relative: the camera floor offset of the XR origin.</summary>
        public Transform Origin
        {
            get { return origin; }
            set { origin = value; }
        }

        /// <summary>True stops the hands of the device while the recording plays.</summary>
        public bool StopDeviceHands
        {
            get { return stopDeviceHands; }
            set { stopDeviceHands = value; }
        }

        /// <summary>True moves the head with a recorded head-mounted device.</summary>
        public bool PlayHead
        {
            get { return playHead; }
            set { playHead = value; }
        }

        /// <summary>True drives <see cref="MetaAimHand"/> devices.</summary>
        public bool PlayAim
        {
            get { return playAim; }
            set { playAim = value; }
        }

        /// <summary>The subsystem with the recorded hands; null while the component is disabled.</summary>
        public XRHandSubsystem Subsystem
        {
            get { return hands.Subsystem; }
        }

        internal RecordedDevices Devices
        {
            get { return devices; }
        }

        private void OnEnable()
        {
            player = GetComponent<InputPlayer>();
            if (origin == null && Camera.main != null)
            {
                origin = Camera.main.transform.parent;
            }
            if (RecordedHandsProvider.Source != null && RecordedHandsProvider.Source != this)
            {
                Debug.LogWarning("inputanim: another recording plays into XR Hands; this one replaces it", this);
            }
            RecordedHandsProvider.Source = this;
            devices.Add(playHead, playAim);
            hands.Start(stopDeviceHands);
        }

        private void OnDisable()
        {
            if (RecordedHandsProvider.Source == this)
            {
                RecordedHandsProvider.Source = null;
            }
            hands.Stop();
            devices.Remove();
            hands.Destroy();
        }

        /// <summary>
        /// Moves the player to the present time, and passes its frame on to the devices. All but the first call in a frame of
        /// the application do nothing.
        /// </summary>
        internal void Tick()
        {
            player.Tick();
            if (lastUpdate != Time.frameCount && player.Frame != null)
            {
                lastUpdate = Time.frameCount;
                devices.Update(player.Frame, origin);
            }
        }

        private void Update()
        {
            Tick();
        }

        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.SubsystemRegistration)]
        private static void AddOutput()
        {
            InputPlayback.Outputs.Remove(Attach);
            InputPlayback.Outputs.Add(Attach);
        }

        private static void Attach(InputPlayer player)
        {
            player.gameObject.AddComponent<XRHandsPlayback>();
        }
    }
}

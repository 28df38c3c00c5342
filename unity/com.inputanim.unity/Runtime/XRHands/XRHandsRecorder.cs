using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using InputAnim.Unity;
using UnityEngine;
using UnityEngine.XR.Hands;

namespace InputAnim.XRHands
{
    /// <summary>
    /// Records the hands of any <see cref="XRHandSubsystem"/>, the head, a gaze and pinches. The last seconds can be saved at
    /// any time, without a halt of the application.
    /// </summary>
    [AddComponentMenu("Input Recording/XR Hands Recorder")]
    public sealed class XRHandsRecorder : MonoBehaviour
    {
        [SerializeField]
        [Tooltip("The XR origin's camera floor offset. Without it, the parent of the main camera is used.")]
        private Transform origin;

        [SerializeField]
        [Tooltip("The head. Without it, the main camera is used.")]
        private Transform head;

        [SerializeField]
        [Tooltip("A transform that follows the eye gaze; its forward axis is the direction. Without it, no gaze is recorded.")]
        private Transform gaze;

        [SerializeField]
        [Tooltip("The length of the rolling buffer in seconds. 0 keeps everything.")]
        private float keepLast = 30f;

        [SerializeField]
        [Tooltip("The maximum number of frames per second. 0 records all.")]
        private float maxRate;

        [SerializeField]
        [Tooltip("Start to record when the component is enabled.")]
        private bool recordOnEnable = true;

        private readonly Frame frame = new Frame();
        private readonly PinchDetector[] pinches = { new PinchDetector(), new PinchDetector() };
        private readonly List<XRHandSubsystem> subsystems = new List<XRHandSubsystem>();
        private XRHandSubsystem subsystem;
        private Recorder recorder;
        private Func<double> clock;
        private double start;
        private XRHandSubsystem.UpdateSuccessFlags flags;
        private bool isRecording;

        /// <summary>The transform to which the joints of XR Hands are relative: the camera floor offset of the XR origin.</summary>
        public Transform Origin
        {
            get { return origin; }
            set { origin = value; }
        }

        /// <summary>The head; by default the main camera.</summary>
        public Transform Head
        {
            get { return head; }
            set { head = value; }
        }

        /// <summary>A transform that follows the eye gaze; null records no gaze.</summary>
        public Transform Gaze
        {
            get { return gaze; }
            set { gaze = value; }
        }

        /// <summary>The length of the rolling buffer in seconds; 0 keeps everything. It counts from the next start on.</summary>
        public float KeepLast
        {
            get { return keepLast; }
            set { keepLast = value; }
        }

        /// <summary>The maximum number of frames per second; 0 records all. It counts from the next start on.</summary>
        public float MaxRate
        {
            get { return maxRate; }
            set { maxRate = value; }
        }

        /// <summary>True starts the recording when the component is enabled.</summary>
        public bool RecordOnEnable
        {
            get { return recordOnEnable; }
            set { recordOnEnable = value; }
        }

        /// <summary>
        /// The clock in seconds; null for the real time. Set it before the start, for example to the time of a player.
        /// </summary>
        public Func<double> Clock
        {
            get { return clock; }
            set { clock = value; }
        }

        /// <summary>The hands that are recorded; null takes the first running subsystem.</summary>
        public XRHandSubsystem Subsystem
        {
            get { return subsystem; }
            set { Listen(value); }
        }

        /// <summary>The recorder; null before the first start. Use it to read the number of frames and the length.</summary>
        public Recorder Recorder
        {
            get { return recorder; }
        }

        /// <summary>True while frames are recorded.</summary>
        public bool IsRecording
        {
            get { return isRecording; }
        }

        /// <summary>The error of the last frame that was not recorded; null if all frames were recorded.</summary>
        public string LastError { get; private set; }

        /// <summary>The number of frames that were not recorded because of an error.</summary>
        public int RefusedFrames { get; private set; }

        /// <summary>Starts a new recording. Frames that were recorded before are dropped.</summary>
        public void StartRecording()
        {
            recorder = new Recorder(new RecorderOptions { KeepLast = keepLast, MaxRate = maxRate, FromZero = true });
            start = Now();
            LastError = null;
            RefusedFrames = 0;
            isRecording = true;
        }

        /// <summary>Pauses or continues. The time of the pause is not in the recording.</summary>
        public void Pause(bool isPaused)
        {
            if (recorder == null)
            {
                return;
            }
            if (isPaused)
            {
                recorder.Pause();
            }
            else
            {
                recorder.Resume();
            }
        }

        /// <summary>Ends the recording. The frames can still be saved.</summary>
        public void StopRecording()
        {
            isRecording = false;
        }

        /// <summary>Adds a marker at the present time.</summary>
        public void Mark(string marker)
        {
            if (recorder != null)
            {
                recorder.Mark((float)(Now() - start), marker);
            }
        }

        /// <summary>
        /// Saves the last seconds on another thread; 0 saves everything. Without a path, the file gets the name of MRTK,
        /// <c>InputAnimation-yyyyMMdd-HHmmss.bin</c> with the time in UTC, in <c>Application.persistentDataPath</c>.
        /// </summary>
        public RecordingFile Save(string path = null, float lastSeconds = 0f)
        {
            if (recorder == null)
            {
                throw new InvalidOperationException("nothing was recorded: call StartRecording first");
            }
            if (path == null)
            {
                string time = DateTime.UtcNow.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture);
                path = Path.Combine(Application.persistentDataPath, "InputAnimation-" + time + ".bin");
            }
            return RecordingFile.Save(recorder, path, lastSeconds);
        }

        private void OnEnable()
        {
            if (origin == null && Camera.main != null)
            {
                origin = Camera.main.transform.parent;
            }
            // The first frame has hands if they run already.
            FindSubsystem();
            if (recordOnEnable)
            {
                StartRecording();
            }
        }

        private void OnDisable()
        {
            Listen(null);
            StopRecording();
        }

        private void Update()
        {
            if (subsystem == null || !subsystem.running)
            {
                FindSubsystem();
            }
        }

        private void LateUpdate()
        {
            // The hands are updated before the head of the same frame. Without running hands, the head and the gaze are still
            // recorded.
            Record();
            flags = XRHandSubsystem.UpdateSuccessFlags.None;
        }

        private void FindSubsystem()
        {
            subsystems.Clear();
            SubsystemManager.GetSubsystems(subsystems);
            XRHandSubsystem found = null;
            for (int index = 0; index < subsystems.Count && found == null; index++)
            {
                found = subsystems[index].running ? subsystems[index] : null;
            }
            Listen(found);
        }

        private void Listen(XRHandSubsystem next)
        {
            if (subsystem == next)
            {
                return;
            }
            if (subsystem != null)
            {
                subsystem.updatedHands -= OnUpdatedHands;
            }
            subsystem = next;
            if (subsystem != null)
            {
                subsystem.updatedHands += OnUpdatedHands;
            }
        }

        private void OnUpdatedHands(
            XRHandSubsystem updated, XRHandSubsystem.UpdateSuccessFlags updatedFlags, XRHandSubsystem.UpdateType type)
        {
            // The update before rendering is for drawing; input uses the dynamic update.
            if (type == XRHandSubsystem.UpdateType.Dynamic)
            {
                flags = updatedFlags;
            }
        }

        private void Record()
        {
            if (!isRecording || recorder == null || recorder.IsPaused)
            {
                return;
            }
            frame.Clear();
            frame.Time = (float)(Now() - start);
            Transform camera = head != null ? head : Camera.main != null ? Camera.main.transform : null;
            if (camera != null)
            {
                frame.HasHead = true;
                frame.Head = UnityPoses.From(camera.position, camera.rotation);
            }
            if (gaze != null)
            {
                frame.HasGaze = true;
                frame.Gaze = UnityPoses.ToRay(gaze.position, gaze.forward);
            }
            if (subsystem != null)
            {
                bool hasLeft = (flags & XRHandSubsystem.UpdateSuccessFlags.LeftHandJoints) != 0;
                bool hasRight = (flags & XRHandSubsystem.UpdateSuccessFlags.RightHandJoints) != 0;
                Add(frame.Left, subsystem.leftHand, hasLeft, MetaAimHand.left, pinches[0]);
                Add(frame.Right, subsystem.rightHand, hasRight, MetaAimHand.right, pinches[1]);
            }
            bool isRecorded;
            string error = recorder.TryAdd(frame, out isRecorded);
            if (error != null)
            {
                RefusedFrames++;
                LastError = error;
            }
        }

        private void Add(HandFrame hand, XRHand tracked, bool isTracked, MetaAimHand aim, PinchDetector pinch)
        {
            hand.IsTracked = isTracked && tracked.isTracked;
            if (!hand.IsTracked)
            {
                pinch.Add(double.NaN);
                return;
            }
            for (int id = (int)XRHandJointID.BeginMarker; id < (int)XRHandJointID.EndMarker; id++)
            {
                Pose pose;
                if (tracked.GetJoint((XRHandJointID)id).TryGetPose(out pose))
                {
                    hand.SetJoint((HandJoint)id, UnityPoses.ToWorld(pose, origin));
                }
            }
            bool isClosed = pinch.Add(PinchDetector.Aperture(hand));
            // A device that reports pinches knows better than the distance of the finger tips.
            hand.IsPinching = aim != null ? aim.indexPressed.isPressed : isClosed;
        }

        private double Now()
        {
            return clock != null ? clock() : Time.realtimeSinceStartupAsDouble;
        }
    }
}

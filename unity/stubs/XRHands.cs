// Declarations of subsystems, the Input System and XR Hands for tests without Unity: see README.md.
using System;
using System.Collections.Generic;
using Unity.Collections;
using UnityEngine.InputSystem;
using UnityEngine.InputSystem.Controls;
using UnityEngine.InputSystem.LowLevel;
using UnityEngine.SubsystemsImplementation;
using UnityEngine.XR.Hands.ProviderImplementation;

namespace Unity.Collections
{
    public enum Allocator
    {
        Invalid,
        None,
        Temp,
        TempJob,
        Persistent,
    }

    public struct NativeArray<T> : IDisposable where T : struct
    {
        private readonly T[] items;

        public NativeArray(int length, Allocator allocator)
        {
            items = new T[length];
        }

        public int Length
        {
            get { return items.Length; }
        }

        public T this[int index]
        {
            get { return items[index]; }
            set { items[index] = value; }
        }

        public void Dispose()
        {
        }
    }
}

namespace UnityEngine
{
    public static class SubsystemManager
    {
        internal static readonly List<XR.Hands.XRHandSubsystem> Hands = new List<XR.Hands.XRHandSubsystem>();
        internal static readonly List<XR.Hands.XRHandSubsystemDescriptor> Descriptors =
            new List<XR.Hands.XRHandSubsystemDescriptor>();

        public static void GetSubsystems<T>(List<T> subsystems) where T : class
        {
            subsystems.Clear();
            foreach (object subsystem in Hands)
            {
                subsystems.Add((T)subsystem);
            }
        }

        public static void GetSubsystemDescriptors<T>(List<T> descriptors) where T : class
        {
            descriptors.Clear();
            foreach (object descriptor in Descriptors)
            {
                descriptors.Add((T)descriptor);
            }
        }
    }
}

namespace UnityEngine.SubsystemsImplementation
{
    public abstract class SubsystemProvider
    {
    }

    public abstract class SubsystemProvider<TSubsystem> : SubsystemProvider
    {
        public abstract void Start();

        public abstract void Stop();

        public abstract void Destroy();
    }
}

namespace UnityEngine.XR
{
    [Flags]
    public enum InputDeviceCharacteristics : uint
    {
        None = 0,
        Left = 256,
        Right = 512,
    }
}

namespace UnityEngine.InputSystem
{
    public class InputControl
    {
    }

    public class InputControl<TValue> : InputControl where TValue : struct
    {
        internal TValue Value;

        public TValue ReadValue()
        {
            return Value;
        }
    }

    public class InputDevice : InputControl
    {
    }

    public class TrackedDevice : InputDevice
    {
        public IntegerControl trackingState { get; set; } = new IntegerControl();
        public ButtonControl isTracked { get; set; } = new ButtonControl();
        public Vector3Control devicePosition { get; set; } = new Vector3Control();
        public QuaternionControl deviceRotation { get; set; } = new QuaternionControl();
    }

    public static class InputSystem
    {
        internal static readonly List<InputDevice> Devices = new List<InputDevice>();

        public static TDevice AddDevice<TDevice>(string name = null) where TDevice : InputDevice
        {
            TDevice device = Activator.CreateInstance<TDevice>();
            Devices.Add(device);
            return device;
        }

        public static void RemoveDevice(InputDevice device)
        {
            Devices.Remove(device);
        }

        public static void QueueEvent(InputEventPtr eventPtr)
        {
            eventPtr.Apply();
        }
    }

    public static class InputControlExtensions
    {
        public static void WriteValueIntoEvent<TValue>(
            this InputControl<TValue> control, TValue value, InputEventPtr eventPtr) where TValue : struct
        {
            eventPtr.Add(() => control.Value = value);
        }
    }
}

namespace UnityEngine.InputSystem.Controls
{
    public class IntegerControl : InputControl<int>
    {
    }

    public class AxisControl : InputControl<float>
    {
    }

    public class ButtonControl : AxisControl
    {
        public bool isPressed
        {
            get { return Value >= 0.5f; }
        }
    }

    public class Vector3Control : InputControl<Vector3>
    {
    }

    public class QuaternionControl : InputControl<Quaternion>
    {
    }
}

namespace UnityEngine.InputSystem.LowLevel
{
    public struct InputEventPtr
    {
        private List<Action> changes;

        internal static InputEventPtr Create()
        {
            InputEventPtr created = default(InputEventPtr);
            created.changes = new List<Action>();
            return created;
        }

        internal void Add(Action change)
        {
            changes.Add(change);
        }

        internal void Apply()
        {
            changes.ForEach(change => change());
        }
    }

    public struct StateEvent
    {
        public static NativeArray<byte> From(
            InputDevice device, out InputEventPtr eventPtr, Allocator allocator = Allocator.Temp)
        {
            eventPtr = InputEventPtr.Create();
            return new NativeArray<byte>(0, allocator);
        }
    }
}

namespace UnityEngine.InputSystem.XR
{
    public class XRHMD : TrackedDevice
    {
        public Vector3Control centerEyePosition { get; set; } = new Vector3Control();
        public QuaternionControl centerEyeRotation { get; set; } = new QuaternionControl();
    }
}

namespace UnityEngine.XR.Hands
{
    public enum Handedness
    {
        Invalid,
        Left,
        Right,
    }

    public enum XRHandJointID
    {
        Invalid = 0,
        BeginMarker = 1,
        Wrist = 1,
        Palm = 2,
        ThumbMetacarpal = 3,
        ThumbTip = 6,
        IndexTip = 11,
        LittleTip = 26,
        EndMarker = 27,
    }

    public static class XRHandJointIDUtility
    {
        public static int ToIndex(this XRHandJointID jointId)
        {
            return (int)jointId - 1;
        }

        public static XRHandJointID FromIndex(int index)
        {
            return (XRHandJointID)(index + 1);
        }
    }

    [Flags]
    public enum XRHandJointTrackingState
    {
        None = 0,
        Radius = 1,
        Pose = 2,
        LinearVelocity = 4,
        AngularVelocity = 8,
    }

    public struct XRHandJoint
    {
        internal Pose Pose;
        internal XRHandJointTrackingState State;

        public bool TryGetPose(out Pose pose)
        {
            pose = Pose;
            return (State & XRHandJointTrackingState.Pose) != 0;
        }
    }

    public struct XRHand
    {
        internal NativeArray<XRHandJoint> Joints;

        public bool isTracked { get; internal set; }
        public Pose rootPose { get; internal set; }

        public XRHandJoint GetJoint(XRHandJointID id)
        {
            return Joints[id.ToIndex()];
        }
    }

    public class XRHandSubsystem
    {
        private readonly XRHandSubsystemProvider provider;
        private XRHand left;
        private XRHand right;

        internal XRHandSubsystem(XRHandSubsystemProvider handProvider)
        {
            provider = handProvider;
            left.Joints = new NativeArray<XRHandJoint>(26, Allocator.Persistent);
            right.Joints = new NativeArray<XRHandJoint>(26, Allocator.Persistent);
            SubsystemManager.Hands.Add(this);
        }

        public enum UpdateType
        {
            Dynamic,
            BeforeRender,
        }

        [Flags]
        public enum UpdateSuccessFlags
        {
            None = 0,
            LeftHandRootPose = 1,
            LeftHandJoints = 2,
            RightHandRootPose = 4,
            RightHandJoints = 8,
            All = 15,
        }

        public bool running { get; private set; }

        public XRHand leftHand
        {
            get { return left; }
        }

        public XRHand rightHand
        {
            get { return right; }
        }

        public event Action<XRHandSubsystem, UpdateSuccessFlags, UpdateType> updatedHands;

        public void Start()
        {
            running = true;
            provider.Start();
        }

        public void Stop()
        {
            running = false;
            provider.Stop();
        }

        public void Destroy()
        {
            Stop();
            provider.Destroy();
            SubsystemManager.Hands.Remove(this);
        }

        public UpdateSuccessFlags TryUpdateHands(UpdateType updateType)
        {
            if (!running)
            {
                return UpdateSuccessFlags.None;
            }
            Pose leftRoot = left.rootPose;
            Pose rightRoot = right.rootPose;
            UpdateSuccessFlags flags =
                provider.TryUpdateHands(updateType, ref leftRoot, left.Joints, ref rightRoot, right.Joints);
            left.rootPose = leftRoot;
            right.rootPose = rightRoot;
            left.isTracked = (flags & UpdateSuccessFlags.LeftHandRootPose) != 0;
            right.isTracked = (flags & UpdateSuccessFlags.RightHandRootPose) != 0;
            if (updatedHands != null)
            {
                updatedHands(this, flags, updateType);
            }
            return flags;
        }
    }

    public class XRHandSubsystemDescriptor
    {
        private Cinfo info;

        public struct Cinfo
        {
            public string id { get; set; }
            public Type providerType { get; set; }
            public Type subsystemTypeOverride { get; set; }
        }

        public string id
        {
            get { return info.id; }
        }

        public static void Register(Cinfo cinfo)
        {
            XRHandSubsystemDescriptor descriptor = new XRHandSubsystemDescriptor();
            descriptor.info = cinfo;
            SubsystemManager.Descriptors.Add(descriptor);
        }

        public XRHandSubsystem Create()
        {
            return new XRHandSubsystem((XRHandSubsystemProvider)Activator.CreateInstance(info.providerType));
        }
    }

    [Flags]
    public enum MetaAimFlags : ulong
    {
        None = 0,
        Computed = 1,
        Valid = 2,
        IndexPinching = 4,
    }

    public class MetaAimHand : TrackedDevice
    {
        internal MetaAimFlags Flags;

        public static MetaAimHand left { get; set; }
        public static MetaAimHand right { get; set; }

        public ButtonControl indexPressed { get; private set; } = new ButtonControl();
        public AxisControl pinchStrengthIndex { get; private set; } = new AxisControl();

        public static MetaAimHand CreateHand(InputDeviceCharacteristics extraCharacteristics)
        {
            MetaAimHand hand = new MetaAimHand();
            InputSystem.InputSystem.Devices.Add(hand);
            return hand;
        }

        public void UpdateHand(
            bool isHandRootTracked,
            MetaAimFlags aimFlags,
            Pose aimPose,
            float pinchIndex,
            float pinchMiddle,
            float pinchRing,
            float pinchLittle)
        {
            Flags = aimFlags;
            indexPressed.Value = (aimFlags & MetaAimFlags.IndexPinching) != 0 ? 1f : 0f;
            pinchStrengthIndex.Value = pinchIndex;
            devicePosition.Value = aimPose.position;
            deviceRotation.Value = aimPose.rotation;
        }
    }
}

namespace UnityEngine.XR.Hands.ProviderImplementation
{
    public abstract class XRHandSubsystemProvider : SubsystemProvider<XRHandSubsystem>
    {
        public abstract void GetHandLayout(NativeArray<bool> handJointsInLayout);

        public abstract XRHandSubsystem.UpdateSuccessFlags TryUpdateHands(
            XRHandSubsystem.UpdateType updateType,
            ref Pose leftHandRootPose,
            NativeArray<XRHandJoint> leftHandJoints,
            ref Pose rightHandRootPose,
            NativeArray<XRHandJoint> rightHandJoints);
    }

    public static class XRHandProviderUtility
    {
        public static XRHandJoint CreateJoint(
            Handedness handedness,
            XRHandJointTrackingState trackingState,
            XRHandJointID id,
            Pose pose,
            float radius = 0f,
            Vector3 linearVelocity = default(Vector3),
            Vector3 angularVelocity = default(Vector3))
        {
            XRHandJoint joint = default(XRHandJoint);
            joint.State = trackingState;
            joint.Pose = pose;
            return joint;
        }

        public class SubsystemUpdater
        {
            internal static readonly List<XRHandSubsystem> Running = new List<XRHandSubsystem>();
            private readonly XRHandSubsystem subsystem;

            public SubsystemUpdater(XRHandSubsystem handSubsystem)
            {
                subsystem = handSubsystem;
            }

            public void Start()
            {
                Running.Add(subsystem);
            }

            public void Stop()
            {
                Running.Remove(subsystem);
            }

            public void Destroy()
            {
                Running.Remove(subsystem);
            }
        }
    }
}

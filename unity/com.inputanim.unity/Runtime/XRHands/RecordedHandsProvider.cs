using InputAnim.Unity;
using Unity.Collections;
using UnityEngine;
using UnityEngine.Scripting;
using UnityEngine.XR.Hands;
using UnityEngine.XR.Hands.ProviderImplementation;

namespace InputAnim.XRHands
{
    /// <summary>Gives the hands of a player to an <see cref="XRHandSubsystem"/>.</summary>
    /// <remarks>
    /// The subsystem creates the provider, so the source is static: there is one such subsystem at a time. The code of Unity
    /// creates this type by reflection, so it must be preserved.
    /// </remarks>
    [Preserve]
    public sealed class RecordedHandsProvider : XRHandSubsystemProvider
    {
        /// <summary>The name of the subsystem.</summary>
        public const string Id = "inputanim-recorded-hands";

        /// <summary>The hands of one frame with all joints.</summary>
        private readonly HandFrame hand = new HandFrame();

        /// <summary>The component that plays.</summary>
        internal static XRHandsPlayback Source;

        /// <summary>Does nothing: the component that plays is ready.</summary>
        public override void Start()
        {
        }

        /// <summary>Does nothing: the component that plays continues.</summary>
        public override void Stop()
        {
        }

        /// <summary>Does nothing: the provider has no resources.</summary>
        public override void Destroy()
        {
        }

        /// <summary>Announces all joints, because missing joints are filled.</summary>
        public override void GetHandLayout(NativeArray<bool> handJointsInLayout)
        {
            for (int index = 0; index < handJointsInLayout.Length; index++)
            {
                handJointsInLayout[index] = true;
            }
        }

        /// <summary>Gives the joints of the present frame, relative to the XR origin.</summary>
        public override XRHandSubsystem.UpdateSuccessFlags TryUpdateHands(
            XRHandSubsystem.UpdateType updateType,
            ref Pose leftHandRootPose,
            NativeArray<XRHandJoint> leftHandJoints,
            ref Pose rightHandRootPose,
            NativeArray<XRHandJoint> rightHandJoints)
        {
            XRHandsPlayback source = Source;
            if (source == null || source.Player == null)
            {
                return XRHandSubsystem.UpdateSuccessFlags.None;
            }
            if (updateType == XRHandSubsystem.UpdateType.Dynamic)
            {
                // The hands are updated before the components, so the player moves now. Events of devices that are queued here
                // belong to the same frame as the hands.
                source.Tick();
            }
            Frame frame = source.Player.Frame;
            XRHandSubsystem.UpdateSuccessFlags flags = XRHandSubsystem.UpdateSuccessFlags.None;
            if (frame == null)
            {
                return flags;
            }
            if (Fill(frame.Left, Handedness.Left, source.Origin, ref leftHandRootPose, leftHandJoints))
            {
                flags |= XRHandSubsystem.UpdateSuccessFlags.LeftHandRootPose
                    | XRHandSubsystem.UpdateSuccessFlags.LeftHandJoints;
            }
            if (Fill(frame.Right, Handedness.Right, source.Origin, ref rightHandRootPose, rightHandJoints))
            {
                flags |= XRHandSubsystem.UpdateSuccessFlags.RightHandRootPose
                    | XRHandSubsystem.UpdateSuccessFlags.RightHandJoints;
            }
            return flags;
        }

        private bool Fill(
            HandFrame recorded, Handedness handedness, Transform origin, ref Pose root, NativeArray<XRHandJoint> joints)
        {
            if (!recorded.IsTracked)
            {
                return false;
            }
            Copy(recorded, hand);
            if (HandCompletion.Fill(hand) < 0)
            {
                return false;
            }
            for (int index = 0; index < joints.Length; index++)
            {
                XRHandJointID id = XRHandJointIDUtility.FromIndex(index);
                InputPose pose;
                hand.TryGetJoint((HandJoint)(int)id, out pose);
                Pose local = pose.ToLocal(origin);
                joints[index] = XRHandProviderUtility.CreateJoint(
                    handedness, XRHandJointTrackingState.Pose, id, local);
                if (id == XRHandJointID.Wrist)
                {
                    root = local;
                }
            }
            return true;
        }

        private static void Copy(HandFrame from, HandFrame to)
        {
            to.Clear();
            for (int joint = (int)HandJoint.Wrist; joint <= (int)HandJoint.PinkyTip; joint++)
            {
                InputPose pose;
                if (from.TryGetJoint((HandJoint)joint, out pose))
                {
                    to.SetJoint((HandJoint)joint, pose);
                }
            }
        }

        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.SubsystemRegistration)]
        private static void Register()
        {
            if (RecordedHands.FindDescriptor() != null)
            {
                // Without a reload of the domain, the descriptor of the last run still exists.
                return;
            }
            XRHandSubsystemDescriptor.Register(new XRHandSubsystemDescriptor.Cinfo
            {
                id = Id,
                providerType = typeof(RecordedHandsProvider),
            });
        }
    }
}

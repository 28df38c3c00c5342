using InputAnim.Unity;
using UnityEngine;
using UnityEngine.InputSystem;
using UnityEngine.InputSystem.LowLevel;
using UnityEngine.InputSystem.XR;
using UnityEngine.XR;
using UnityEngine.XR.Hands;

namespace InputAnim.XRHands
{
    /// <summary>
    /// The devices of the Input System that a recording drives: the head, and <see cref="MetaAimHand"/> for both hands, which
    /// the default bindings of XRI and MRTK3 read to point and to select.
    /// </summary>
    internal sealed class RecordedDevices
    {
        /// <summary>The state of a pose with a position (1) and a rotation (2).</summary>
        private const int PositionAndRotation = 3;
        /// <summary>A shoulder relative to the head: to the side, and below.</summary>
        private const float ShoulderSide = 0.18f;
        private const float ShoulderBelow = 0.2f;

        private readonly MetaAimHand[] hands = new MetaAimHand[2];
        private readonly bool[] isOwn = new bool[2];
        private readonly PinchDetector[] pinches = { new PinchDetector(), new PinchDetector() };
        private XRHMD head;
        private bool hasHead;

        internal XRHMD Head
        {
            get { return head; }
        }

        internal void Add(bool drivesHead, bool hasHands)
        {
            hasHead = drivesHead;
            for (int side = 0; side < 2 && hasHands; side++)
            {
                hands[side] = side == 0 ? MetaAimHand.left : MetaAimHand.right;
                isOwn[side] = hands[side] == null;
                if (!isOwn[side])
                {
                    continue;
                }
                InputDeviceCharacteristics characteristics =
                    side == 0 ? InputDeviceCharacteristics.Left : InputDeviceCharacteristics.Right;
                hands[side] = MetaAimHand.CreateHand(characteristics);
                SetShared(side, hands[side]);
            }
        }

        internal void Remove()
        {
            hasHead = false;
            if (head != null)
            {
                InputSystem.RemoveDevice(head);
                head = null;
            }
            for (int side = 0; side < 2; side++)
            {
                if (hands[side] != null && isOwn[side])
                {
                    InputSystem.RemoveDevice(hands[side]);
                    SetShared(side, null);
                }
                hands[side] = null;
            }
        }

        private static void SetShared(int side, MetaAimHand hand)
        {
            if (side == 0)
            {
                MetaAimHand.left = hand;
            }
            else
            {
                MetaAimHand.right = hand;
            }
        }

        internal void Update(Frame frame, Transform origin)
        {
            if (hasHead && frame.HasHead)
            {
                // A device without a pose would move the camera to the origin, so a recording without a head has none.
                head = head ?? InputSystem.AddDevice<XRHMD>("Recorded head");
                UpdateHead(frame.Head.ToLocal(origin));
            }
            for (int side = 0; side < 2; side++)
            {
                if (hands[side] != null)
                {
                    UpdateHand(side, frame, origin);
                }
            }
        }

        private void UpdateHead(Pose pose)
        {
            InputEventPtr change;
            using (StateEvent.From(head, out change))
            {
                head.trackingState.WriteValueIntoEvent(PositionAndRotation, change);
                head.isTracked.WriteValueIntoEvent(1f, change);
                head.devicePosition.WriteValueIntoEvent(pose.position, change);
                head.deviceRotation.WriteValueIntoEvent(pose.rotation, change);
                head.centerEyePosition.WriteValueIntoEvent(pose.position, change);
                head.centerEyeRotation.WriteValueIntoEvent(pose.rotation, change);
                InputSystem.QueueEvent(change);
            }
        }

        private void UpdateHand(int side, Frame frame, Transform origin)
        {
            HandFrame hand = frame.Hand((Side)side);
            // Without recorded pinches, the distance of the finger tips decides.
            bool isClosed = pinches[side].Add(PinchDetector.Aperture(hand));
            bool isPinching = hand.IsTracked && (hand.IsPinchUnknown ? isClosed : hand.IsPinching);
            MetaAimFlags flags = MetaAimFlags.None;
            InputPose aim = default(InputPose);
            if (hand.IsTracked && TryAim((Side)side, frame, out aim))
            {
                flags = MetaAimFlags.Computed | MetaAimFlags.Valid;
            }
            flags |= isPinching ? MetaAimFlags.IndexPinching : MetaAimFlags.None;
            Pose pose = flags == MetaAimFlags.None ? Pose.identity : aim.ToLocal(origin);
            hands[side].UpdateHand(hand.IsTracked, flags, pose, isPinching ? 1f : 0f, 0f, 0f, 0f);
        }

        /// <summary>
        /// Finds the ray with which a hand points: from the knuckle of the index finger, away from the shoulder. A recording
        /// has no such ray. Without a head, the rotation of the knuckle gives the direction.
        /// </summary>
        private static bool TryAim(Side side, Frame frame, out InputPose aim)
        {
            HandFrame hand = frame.Hand(side);
            if (!hand.TryGetJoint(HandJoint.IndexKnuckle, out aim) && !hand.TryGetJoint(HandJoint.Wrist, out aim))
            {
                return false;
            }
            if (!frame.HasHead)
            {
                return true;
            }
            Vector3 position = aim.Position();
            float x = side == Side.Left ? -ShoulderSide : ShoulderSide;
            // Only the turn of the head to the left or right moves the shoulders.
            Vector3 forward = frame.Head.Rotation() * Vector3.forward;
            Vector3 flat = new Vector3(forward.x, 0f, forward.z);
            Quaternion turn = flat.sqrMagnitude > 1e-6f ? Quaternion.LookRotation(flat) : Quaternion.identity;
            Vector3 shoulder = frame.Head.Position() + turn * new Vector3(x, -ShoulderBelow, 0f);
            Vector3 direction = position - shoulder;
            if (direction.sqrMagnitude > 1e-6f)
            {
                aim = UnityPoses.From(position, Quaternion.LookRotation(direction));
            }
            return true;
        }
    }
}

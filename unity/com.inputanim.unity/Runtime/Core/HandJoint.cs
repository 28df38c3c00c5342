namespace InputAnim
{
    /// <summary>The side of a hand.</summary>
    public enum Side
    {
        /// <summary>The left hand: first in a file.</summary>
        Left,
        /// <summary>The right hand.</summary>
        Right,
    }

    /// <summary>
    /// A hand joint, in the order of a file (docs/format.md, section 4.3), with the names of MRTK. The joints 1 to 26
    /// have the numbers of <c>XRHandJointID</c> in XR Hands. <see cref="None"/> is an entry of the file and not a joint.
    /// </summary>
    public enum HandJoint
    {
        /// <summary>Entry 0, which is not a joint.</summary>
        None,
        /// <summary>The wrist.</summary>
        Wrist,
        /// <summary>The centre of the palm.</summary>
        Palm,
        /// <summary>The base of the thumb.</summary>
        ThumbMetacarpalJoint,
        /// <summary>The middle of the thumb.</summary>
        ThumbProximalJoint,
        /// <summary>The last knuckle of the thumb.</summary>
        ThumbDistalJoint,
        /// <summary>The tip of the thumb.</summary>
        ThumbTip,
        /// <summary>The base of the index finger, at the wrist.</summary>
        IndexMetacarpal,
        /// <summary>The knuckle of the index finger.</summary>
        IndexKnuckle,
        /// <summary>The middle joint of the index finger.</summary>
        IndexMiddleJoint,
        /// <summary>The last joint of the index finger.</summary>
        IndexDistalJoint,
        /// <summary>The tip of the index finger.</summary>
        IndexTip,
        /// <summary>The base of the middle finger, at the wrist.</summary>
        MiddleMetacarpal,
        /// <summary>The knuckle of the middle finger.</summary>
        MiddleKnuckle,
        /// <summary>The middle joint of the middle finger.</summary>
        MiddleMiddleJoint,
        /// <summary>The last joint of the middle finger.</summary>
        MiddleDistalJoint,
        /// <summary>The tip of the middle finger.</summary>
        MiddleTip,
        /// <summary>The base of the ring finger, at the wrist.</summary>
        RingMetacarpal,
        /// <summary>The knuckle of the ring finger.</summary>
        RingKnuckle,
        /// <summary>The middle joint of the ring finger.</summary>
        RingMiddleJoint,
        /// <summary>The last joint of the ring finger.</summary>
        RingDistalJoint,
        /// <summary>The tip of the ring finger.</summary>
        RingTip,
        /// <summary>The base of the little finger, at the wrist.</summary>
        PinkyMetacarpal,
        /// <summary>The knuckle of the little finger.</summary>
        PinkyKnuckle,
        /// <summary>The middle joint of the little finger.</summary>
        PinkyMiddleJoint,
        /// <summary>The last joint of the little finger.</summary>
        PinkyDistalJoint,
        /// <summary>The tip of the little finger.</summary>
        PinkyTip,
    }

    /// <summary>The order and the names of the 395 curves of a file (docs/format.md, section 3.1).</summary>
    /// <remarks>
    /// A curve has a number: 0 to 6 are the head, 7 to 10 the states, 11 to 199 the left hand, 200 to 388 the right hand,
    /// and 389 to 394 the gaze.
    /// </remarks>
    public static class CurveNumbers
    {
        /// <summary>The number of curves of a file with all streams.</summary>
        public const int Count = 395;
        /// <summary>The number of entries of a hand, with <see cref="HandJoint.None"/>.</summary>
        public const int Joints = 27;
        /// <summary>The number of curves of a pose.</summary>
        public const int Pose = 7;
        /// <summary>The number of curves of a ray.</summary>
        public const int Ray = 6;
        /// <summary>The first curve of the head.</summary>
        public const int Head = 0;
        /// <summary>The first state.</summary>
        public const int States = 7;
        /// <summary>The first curve of the left hand.</summary>
        public const int LeftHand = 11;
        /// <summary>The first curve of the right hand.</summary>
        public const int RightHand = LeftHand + Joints * Pose;
        /// <summary>The first curve of the gaze.</summary>
        public const int Gaze = RightHand + Joints * Pose;

        private static readonly string[] PoseChannels =
        {
            "position.x", "position.y", "position.z", "rotation.x", "rotation.y", "rotation.z", "rotation.w",
        };

        private static readonly string[] RayChannels =
        {
            "origin.x", "origin.y", "origin.z", "direction.x", "direction.y", "direction.z",
        };

        private static readonly string[] StateNames =
        {
            "left.tracked", "right.tracked", "left.pinching", "right.pinching",
        };

        /// <summary>Returns the number of the state that is on while a hand is tracked.</summary>
        public static int Tracked(Side side)
        {
            return States + (int)side;
        }

        /// <summary>Returns the number of the state that is on while a hand pinches.</summary>
        public static int Pinching(Side side)
        {
            return States + 2 + (int)side;
        }

        /// <summary>Returns the number of the first curve of a joint.</summary>
        public static int Of(Side side, HandJoint joint)
        {
            return (side == Side.Left ? LeftHand : RightHand) + (int)joint * Pose;
        }

        /// <summary>Returns true for a curve of a state of a hand.</summary>
        public static bool IsState(int curve)
        {
            return curve >= States && curve < LeftHand;
        }

        /// <summary>Returns the name of a curve, such as <c>left.IndexTip.rotation.w</c>.</summary>
        public static string Name(int curve)
        {
            if (curve < States)
            {
                return "head." + PoseChannels[curve];
            }
            if (curve < LeftHand)
            {
                return StateNames[curve - States];
            }
            if (curve < Gaze)
            {
                int joint = (curve - LeftHand) % (Joints * Pose);
                return PoseName(curve) + "." + PoseChannels[joint % Pose];
            }
            return "gaze." + RayChannels[curve - Gaze];
        }

        /// <summary>Returns the name of the element of a curve, such as <c>head</c> or <c>left.IndexTip</c>.</summary>
        internal static string PoseName(int curve)
        {
            if (curve < States)
            {
                return "head";
            }
            int hand = curve - LeftHand;
            string side = curve < RightHand ? "left" : "right";
            return side + "." + (HandJoint)(hand % (Joints * Pose) / Pose);
        }
    }
}

namespace InputAnim
{
    /// <summary>A position in metres and a rotation, in Unity's axes.</summary>
    public struct InputPose
    {
        /// <summary>The position, x.</summary>
        public float PositionX;
        /// <summary>The position, y.</summary>
        public float PositionY;
        /// <summary>The position, z.</summary>
        public float PositionZ;
        /// <summary>The rotation, x.</summary>
        public float RotationX;
        /// <summary>The rotation, y.</summary>
        public float RotationY;
        /// <summary>The rotation, z.</summary>
        public float RotationZ;
        /// <summary>The rotation, w.</summary>
        public float RotationW;

        /// <summary>Creates a pose from seven numbers: position x, y, z and rotation x, y, z, w.</summary>
        public InputPose(float px, float py, float pz, float rx, float ry, float rz, float rw)
        {
            PositionX = px;
            PositionY = py;
            PositionZ = pz;
            RotationX = rx;
            RotationY = ry;
            RotationZ = rz;
            RotationW = rw;
        }

        /// <summary>The pose at the origin, without rotation.</summary>
        public static InputPose Identity
        {
            get { return new InputPose(0f, 0f, 0f, 0f, 0f, 0f, 1f); }
        }

        /// <summary>Returns one of the seven numbers by its index.</summary>
        internal float Number(int index)
        {
            switch (index)
            {
                case 0: return PositionX;
                case 1: return PositionY;
                case 2: return PositionZ;
                case 3: return RotationX;
                case 4: return RotationY;
                case 5: return RotationZ;
                default: return RotationW;
            }
        }
    }

    /// <summary>An origin in metres and a direction, in Unity's axes.</summary>
    public struct InputRay
    {
        /// <summary>The origin, x.</summary>
        public float OriginX;
        /// <summary>The origin, y.</summary>
        public float OriginY;
        /// <summary>The origin, z.</summary>
        public float OriginZ;
        /// <summary>The direction, x.</summary>
        public float DirectionX;
        /// <summary>The direction, y.</summary>
        public float DirectionY;
        /// <summary>The direction, z.</summary>
        public float DirectionZ;

        /// <summary>Creates a ray from six numbers: origin x, y, z and direction x, y, z.</summary>
        public InputRay(float ox, float oy, float oz, float dx, float dy, float dz)
        {
            OriginX = ox;
            OriginY = oy;
            OriginZ = oz;
            DirectionX = dx;
            DirectionY = dy;
            DirectionZ = dz;
        }

        /// <summary>Returns one of the six numbers by its index.</summary>
        internal float Number(int index)
        {
            switch (index)
            {
                case 0: return OriginX;
                case 1: return OriginY;
                case 2: return OriginZ;
                case 3: return DirectionX;
                case 4: return DirectionY;
                default: return DirectionZ;
            }
        }
    }

    /// <summary>One hand at one instant.</summary>
    public sealed class HandFrame
    {
        private readonly bool[] hasJoint = new bool[CurveNumbers.Joints];
        private readonly InputPose[] joints = new InputPose[CurveNumbers.Joints];

        /// <summary>True while the device tracks the hand.</summary>
        public bool IsTracked;
        /// <summary>True while thumb and index finger touch.</summary>
        public bool IsPinching;
        /// <summary>
        /// True if the source of the hand has no pinches, so that it is unknown whether the fingers touch.
        /// <see cref="IsPinching"/> is then false.
        /// </summary>
        public bool IsPinchUnknown;

        /// <summary>Returns true if the pose of a joint is known.</summary>
        public bool HasJoint(HandJoint joint)
        {
            return hasJoint[(int)joint];
        }

        /// <summary>Returns the pose of a joint. Returns false if it is not known.</summary>
        public bool TryGetJoint(HandJoint joint, out InputPose pose)
        {
            pose = joints[(int)joint];
            return hasJoint[(int)joint];
        }

        /// <summary>Sets the pose of a joint.</summary>
        public void SetJoint(HandJoint joint, InputPose pose)
        {
            joints[(int)joint] = pose;
            hasJoint[(int)joint] = true;
        }

        /// <summary>Makes the pose of a joint unknown.</summary>
        public void ClearJoint(HandJoint joint)
        {
            joints[(int)joint] = default(InputPose);
            hasJoint[(int)joint] = false;
        }

        /// <summary>Makes everything unknown: a hand that is not tracked.</summary>
        public void Clear()
        {
            IsTracked = false;
            IsPinching = false;
            IsPinchUnknown = false;
            for (int joint = 0; joint < CurveNumbers.Joints; joint++)
            {
                ClearJoint((HandJoint)joint);
            }
        }
    }

    /// <summary>One instant of a recording. A frame is filled again for each instant, so that nothing is allocated.</summary>
    public sealed class Frame
    {
        /// <summary>Creates a frame without poses.</summary>
        public Frame()
        {
            Left = new HandFrame();
            Right = new HandFrame();
        }

        /// <summary>The time in seconds.</summary>
        public float Time;
        /// <summary>True if the pose of the head is known.</summary>
        public bool HasHead;
        /// <summary>The pose of the head.</summary>
        public InputPose Head;
        /// <summary>True if the gaze is known.</summary>
        public bool HasGaze;
        /// <summary>The gaze.</summary>
        public InputRay Gaze;

        /// <summary>The left hand.</summary>
        public HandFrame Left { get; private set; }

        /// <summary>The right hand.</summary>
        public HandFrame Right { get; private set; }

        /// <summary>Returns the left or the right hand.</summary>
        public HandFrame Hand(Side side)
        {
            return side == Side.Left ? Left : Right;
        }

        /// <summary>Makes everything unknown.</summary>
        public void Clear()
        {
            Time = 0f;
            HasHead = false;
            Head = default(InputPose);
            HasGaze = false;
            Gaze = default(InputRay);
            Left.Clear();
            Right.Clear();
        }
    }
}

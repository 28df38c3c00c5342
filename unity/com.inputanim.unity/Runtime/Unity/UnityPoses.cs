using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>Converts poses of recordings to poses of Unity and back. The axes are the same.</summary>
    public static class UnityPoses
    {
        /// <summary>Returns the position of a pose.</summary>
        public static Vector3 Position(this InputPose pose)
        {
            return new Vector3(pose.PositionX, pose.PositionY, pose.PositionZ);
        }

        /// <summary>Returns the rotation of a pose.</summary>
        public static Quaternion Rotation(this InputPose pose)
        {
            return new Quaternion(pose.RotationX, pose.RotationY, pose.RotationZ, pose.RotationW);
        }

        /// <summary>Returns the pose as a pose of Unity.</summary>
        public static Pose ToPose(this InputPose pose)
        {
            return new Pose(pose.Position(), pose.Rotation());
        }

        /// <summary>Returns the pose relative to an origin; without an origin, the pose itself, to the last bit.</summary>
        public static Pose ToLocal(this InputPose pose, Transform origin)
        {
            if (origin == null)
            {
                return pose.ToPose();
            }
            Vector3 position = origin.InverseTransformPoint(pose.Position());
            return new Pose(position, Quaternion.Inverse(origin.rotation) * pose.Rotation());
        }

        /// <summary>Returns the pose in world space of a pose relative to an origin.</summary>
        public static InputPose ToWorld(Pose pose, Transform origin)
        {
            if (origin == null)
            {
                return From(pose.position, pose.rotation);
            }
            return From(origin.TransformPoint(pose.position), origin.rotation * pose.rotation);
        }

        /// <summary>Returns the pose of a position and a rotation.</summary>
        public static InputPose From(Vector3 position, Quaternion rotation)
        {
            return new InputPose(
                position.x, position.y, position.z, rotation.x, rotation.y, rotation.z, rotation.w);
        }

        /// <summary>Returns the ray of an origin and a direction.</summary>
        public static InputRay ToRay(Vector3 origin, Vector3 direction)
        {
            return new InputRay(origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
        }
    }
}

using System;
using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>A pose that an animation clip moves.</summary>
    [Serializable]
    public struct AnimatedPose
    {
        /// <summary>The position in metres.</summary>
        public Vector3 position;
        /// <summary>The rotation. Its components are interpolated one by one, so that it may be shorter than 1.</summary>
        public Quaternion rotation;
    }

    /// <summary>A ray that an animation clip moves.</summary>
    [Serializable]
    public struct AnimatedRay
    {
        /// <summary>The origin in metres.</summary>
        public Vector3 origin;
        /// <summary>The direction.</summary>
        public Vector3 direction;
    }

    /// <summary>A hand that an animation clip moves. The names of the fields are the names of properties in clips.</summary>
    [Serializable]
    public struct AnimatedHand
    {
        /// <summary>True while the hand is tracked.</summary>
        public bool isTracked;
        /// <summary>True while the hand pinches.</summary>
        public bool isPinching;
        /// <summary>The entry None, which is not a joint.</summary>
        public AnimatedPose jointNone;
        /// <summary>The wrist.</summary>
        public AnimatedPose jointWrist;
        /// <summary>The palm.</summary>
        public AnimatedPose jointPalm;
        /// <summary>The base of the thumb.</summary>
        public AnimatedPose jointThumbMetacarpalJoint;
        /// <summary>The middle of the thumb.</summary>
        public AnimatedPose jointThumbProximalJoint;
        /// <summary>The last knuckle of the thumb.</summary>
        public AnimatedPose jointThumbDistalJoint;
        /// <summary>The tip of the thumb.</summary>
        public AnimatedPose jointThumbTip;
        /// <summary>The base of the index finger.</summary>
        public AnimatedPose jointIndexMetacarpal;
        /// <summary>The knuckle of the index finger.</summary>
        public AnimatedPose jointIndexKnuckle;
        /// <summary>The middle joint of the index finger.</summary>
        public AnimatedPose jointIndexMiddleJoint;
        /// <summary>The last joint of the index finger.</summary>
        public AnimatedPose jointIndexDistalJoint;
        /// <summary>The tip of the index finger.</summary>
        public AnimatedPose jointIndexTip;
        /// <summary>The base of the middle finger.</summary>
        public AnimatedPose jointMiddleMetacarpal;
        /// <summary>The knuckle of the middle finger.</summary>
        public AnimatedPose jointMiddleKnuckle;
        /// <summary>The middle joint of the middle finger.</summary>
        public AnimatedPose jointMiddleMiddleJoint;
        /// <summary>The last joint of the middle finger.</summary>
        public AnimatedPose jointMiddleDistalJoint;
        /// <summary>The tip of the middle finger.</summary>
        public AnimatedPose jointMiddleTip;
        /// <summary>The base of the ring finger.</summary>
        public AnimatedPose jointRingMetacarpal;
        /// <summary>The knuckle of the ring finger.</summary>
        public AnimatedPose jointRingKnuckle;
        /// <summary>The middle joint of the ring finger.</summary>
        public AnimatedPose jointRingMiddleJoint;
        /// <summary>The last joint of the ring finger.</summary>
        public AnimatedPose jointRingDistalJoint;
        /// <summary>The tip of the ring finger.</summary>
        public AnimatedPose jointRingTip;
        /// <summary>The base of the little finger.</summary>
        public AnimatedPose jointPinkyMetacarpal;
        /// <summary>The knuckle of the little finger.</summary>
        public AnimatedPose jointPinkyKnuckle;
        /// <summary>The middle joint of the little finger.</summary>
        public AnimatedPose jointPinkyMiddleJoint;
        /// <summary>The last joint of the little finger.</summary>
        public AnimatedPose jointPinkyDistalJoint;
        /// <summary>The tip of the little finger.</summary>
        public AnimatedPose jointPinkyTip;
    }

    /// <summary>
    /// The component that the animation clips of recordings animate, for example on a Timeline. Scripts read its fields.
    /// </summary>
    [AddComponentMenu("Input Recording/Input Animation Target")]
    public sealed class InputAnimationTarget : MonoBehaviour
    {
        /// <summary>The head, which MRTK names camera.</summary>
        public AnimatedPose cameraPose;
        /// <summary>The left hand.</summary>
        public AnimatedHand leftHand;
        /// <summary>The right hand.</summary>
        public AnimatedHand rightHand;
        /// <summary>The gaze.</summary>
        public AnimatedRay gaze;

        /// <summary>Is called by the events of a clip. Other components receive it with a method of the same name.</summary>
        public event Action<string> MarkerReached;

        /// <summary>Receives the markers of a clip.</summary>
        public void OnInputMarker(string marker)
        {
            Action<string> handlers = MarkerReached;
            if (handlers != null)
            {
                handlers(marker);
            }
        }
    }
}

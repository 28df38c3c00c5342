using System;

namespace InputAnim
{
    /// <summary>
    /// Gives a hand the joints that its source did not record. MRTK3 treats a hand as not tracked if a single joint has no
    /// pose.
    /// </summary>
    public static class HandCompletion
    {
        private const int ThumbBase = (int)HandJoint.ThumbMetacarpalJoint;
        private const int IndexBase = (int)HandJoint.IndexMetacarpal;

        /// <summary>
        /// Fills the missing joints of a tracked hand. A palm is placed between the base and the knuckle of the middle
        /// finger. Any other joint gets the pose of the nearest known joint of its finger, or of the wrist. Returns the number
        /// of filled joints; −1 if the hand has no joint at all, so that it cannot be filled.
        /// </summary>
        public static int Fill(HandFrame hand)
        {
            int filled = 0;
            int known = FirstKnown(hand);
            if (known < 0)
            {
                return -1;
            }
            InputPose pose;
            if (!hand.TryGetJoint(HandJoint.Wrist, out pose))
            {
                bool hasPalm = hand.TryGetJoint(HandJoint.Palm, out pose);
                hand.TryGetJoint(hasPalm ? HandJoint.Palm : (HandJoint)known, out pose);
                hand.SetJoint(HandJoint.Wrist, pose);
                filled++;
            }
            for (int joint = ThumbBase; joint <= (int)HandJoint.PinkyTip; joint++)
            {
                if (!hand.HasJoint((HandJoint)joint))
                {
                    hand.TryGetJoint(Nearest(hand, joint), out pose);
                    hand.SetJoint((HandJoint)joint, pose);
                    filled++;
                }
            }
            if (!hand.HasJoint(HandJoint.Palm))
            {
                hand.SetJoint(HandJoint.Palm, PalmOf(hand));
                filled++;
            }
            return filled;
        }

        private static int FirstKnown(HandFrame hand)
        {
            for (int joint = (int)HandJoint.Wrist; joint <= (int)HandJoint.PinkyTip; joint++)
            {
                if (hand.HasJoint((HandJoint)joint))
                {
                    return joint;
                }
            }
            return -1;
        }

        /// <summary>Returns the nearest known joint of the finger of a joint, towards the wrist first; else the wrist.</summary>
        private static HandJoint Nearest(HandFrame hand, int joint)
        {
            int first = joint < IndexBase ? ThumbBase : IndexBase + (joint - IndexBase) / 5 * 5;
            int last = joint < IndexBase ? IndexBase - 1 : first + 4;
            for (int distance = 1; distance < 5; distance++)
            {
                if (joint - distance >= first && hand.HasJoint((HandJoint)(joint - distance)))
                {
                    return (HandJoint)(joint - distance);
                }
                if (joint + distance <= last && hand.HasJoint((HandJoint)(joint + distance)))
                {
                    return (HandJoint)(joint + distance);
                }
            }
            return HandJoint.Wrist;
        }

        private static InputPose PalmOf(HandFrame hand)
        {
            InputPose palm, knuckle;
            hand.TryGetJoint(HandJoint.MiddleMetacarpal, out palm);
            hand.TryGetJoint(HandJoint.MiddleKnuckle, out knuckle);
            palm.PositionX = (float)((float)(palm.PositionX + knuckle.PositionX) / 2f);
            palm.PositionY = (float)((float)(palm.PositionY + knuckle.PositionY) / 2f);
            palm.PositionZ = (float)((float)(palm.PositionZ + knuckle.PositionZ) / 2f);
            return palm;
        }
    }
}

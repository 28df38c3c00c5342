using System;

namespace InputAnim
{
    /// <summary>
    /// Finds pinches from the distance of the tips of thumb and index finger, with two thresholds. The program
    /// <c>inputanim</c> has the same definition and the same defaults.
    /// </summary>
    public sealed class PinchDetector
    {
        /// <summary>The distance in metres at or below which a pinch begins.</summary>
        public double Close = 0.03;
        /// <summary>The distance in metres above which a pinch ends.</summary>
        public double Open = 0.04;

        /// <summary>True while the tips are together.</summary>
        public bool IsClosed { get; private set; }

        /// <summary>Returns the distance of the tips of a hand in metres; NaN if one of them is not known.</summary>
        public static double Aperture(HandFrame hand)
        {
            InputPose thumb, index;
            bool isKnown = hand.TryGetJoint(HandJoint.ThumbTip, out thumb);
            isKnown &= hand.TryGetJoint(HandJoint.IndexTip, out index);
            if (!isKnown)
            {
                return double.NaN;
            }
            double x = (double)thumb.PositionX - index.PositionX;
            double y = (double)thumb.PositionY - index.PositionY;
            double z = (double)thumb.PositionZ - index.PositionZ;
            return Math.Sqrt(x * x + y * y + z * z);
        }

        /// <summary>Takes the next distance in metres, and returns true while the tips are together.</summary>
        public bool Add(double aperture)
        {
            // A distance that is not known ends a pinch: both comparisons with NaN are false.
            IsClosed = aperture <= Close || IsClosed && aperture <= Open;
            return IsClosed;
        }
    }
}

using System.Collections.Generic;

namespace InputAnim.Editor
{
    /// <summary>The lines of a picture of the hands, as a user sees them who looks along the forward axis.</summary>
    internal static class HandDrawing
    {
        /// <summary>A line of a picture, from 0, 0 at the left and top to 1, 1.</summary>
        internal struct Line
        {
            internal float FromX;
            internal float FromY;
            internal float ToX;
            internal float ToY;
            internal Side Side;
        }

        /// <summary>The width and the height of the picture in metres, around the middle of what was recorded.</summary>
        internal struct Bounds
        {
            internal float CenterX;
            internal float CenterY;
            internal float Size;
        }

        /// <summary>Returns the bounds of both hands over a recording, from some of its frames.</summary>
        internal static Bounds BoundsOf(Sampler sampler)
        {
            const int Samples = 60;
            float left = float.MaxValue;
            float right = float.MinValue;
            float bottom = float.MaxValue;
            float top = float.MinValue;
            SamplerCursor cursor = new SamplerCursor();
            Frame frame = new Frame();
            for (int sample = 0; sample <= Samples; sample++)
            {
                sampler.Read(sampler.Duration * sample / Samples, cursor, frame);
                for (int side = 0; side < 2; side++)
                {
                    for (int joint = (int)HandJoint.Wrist; joint <= (int)HandJoint.PinkyTip; joint++)
                    {
                        InputPose pose;
                        if (frame.Hand((Side)side).TryGetJoint((HandJoint)joint, out pose))
                        {
                            left = System.Math.Min(left, pose.PositionX);
                            right = System.Math.Max(right, pose.PositionX);
                            bottom = System.Math.Min(bottom, pose.PositionY);
                            top = System.Math.Max(top, pose.PositionY);
                        }
                    }
                }
            }
            Bounds bounds = default(Bounds);
            bool isEmpty = !(left <= right);
            bounds.CenterX = isEmpty ? 0f : (left + right) / 2f;
            bounds.CenterY = isEmpty ? 0f : (bottom + top) / 2f;
            bounds.Size = isEmpty ? 1f : 1.1f * System.Math.Max(System.Math.Max(right - left, top - bottom), 0.1f);
            return bounds;
        }

        /// <summary>Adds the bones of both hands: x to the right, y up.</summary>
        internal static void AddLines(Frame frame, Bounds bounds, List<Line> lines)
        {
            for (int side = 0; side < 2; side++)
            {
                HandFrame hand = frame.Hand((Side)side);
                for (int joint = (int)HandJoint.ThumbMetacarpalJoint; joint <= (int)HandJoint.PinkyTip; joint++)
                {
                    InputPose from, to;
                    if (hand.TryGetJoint(ParentOf((HandJoint)joint), out from) && hand.TryGetJoint((HandJoint)joint, out to))
                    {
                        Line line = default(Line);
                        line.FromX = (from.PositionX - bounds.CenterX) / bounds.Size + 0.5f;
                        line.FromY = 0.5f - (from.PositionY - bounds.CenterY) / bounds.Size;
                        line.ToX = (to.PositionX - bounds.CenterX) / bounds.Size + 0.5f;
                        line.ToY = 0.5f - (to.PositionY - bounds.CenterY) / bounds.Size;
                        line.Side = (Side)side;
                        lines.Add(line);
                    }
                }
            }
        }

        /// <summary>Returns the joint before a joint: the wrist for the first joint of a finger.</summary>
        internal static HandJoint ParentOf(HandJoint joint)
        {
            int number = (int)joint;
            bool isFirst = joint == HandJoint.ThumbMetacarpalJoint
                || number >= (int)HandJoint.IndexMetacarpal && (number - (int)HandJoint.IndexMetacarpal) % 5 == 0;
            return isFirst ? HandJoint.Wrist : (HandJoint)(number - 1);
        }
    }
}

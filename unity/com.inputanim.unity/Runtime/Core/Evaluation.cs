using System;

namespace InputAnim
{
    /// <summary>The value of a curve between two keys (docs/evaluation.md, sections 2 to 4).</summary>
    /// <remarks>
    /// Every result of an operation on floats is cast to <c>float</c>. The runtime may compute in double precision
    /// otherwise, and the results would differ in their last bits.
    /// </remarks>
    internal static class Evaluation
    {
        /// <summary>The weight with which MRTK makes a segment hold its left value.</summary>
        private const float HoldingWeight = 1e6f;
        private const int InSide = 1;
        private const int OutSide = 2;

        /// <summary>The position of a time in a curve.</summary>
        internal enum Place
        {
            First,
            Last,
            Inside,
            NotANumber,
        }

        /// <summary>Returns the position of a time in the interval from a start to an end: 0 to 1.</summary>
        internal static float Fraction(float start, float end, float time)
        {
            return (float)((float)(time - start) / (float)(end - start));
        }

        /// <summary>Interpolates linearly. At 0 it returns a itself: the sum would lose the sign of −0.</summary>
        internal static float Lerp(float a, float b, float x)
        {
            return x == 0f ? a : (float)(a + (float)((float)(b - a) * x));
        }

        /// <summary>Returns the value of the segment between two full keys at a time in seconds.</summary>
        internal static float Between(ref CurveKey left, ref CurveKey right, float time)
        {
            // An infinite tangent makes a step before weights are considered.
            if (float.IsPositiveInfinity(left.OutTangent) || float.IsPositiveInfinity(right.InTangent))
            {
                return left.Value;
            }
            bool isOut = (left.WeightedMode & OutSide) != 0;
            bool isIn = (right.WeightedMode & InSide) != 0;
            if (!isOut && !isIn)
            {
                return Hermite(ref left, ref right, time);
            }
            if (isOut && isIn && right.InWeight == 0f)
            {
                // Keys of MRTK 1.0. With these weights, the Bezier curve is exactly this line.
                if (left.OutWeight == 0f)
                {
                    return Lerp(left.Value, right.Value, Fraction(left.Time, right.Time, time));
                }
                if (left.OutWeight == HoldingWeight && left.OutTangent == 0f && right.InTangent == 0f)
                {
                    return left.Value;
                }
            }
            return Bezier.Between(ref left, isOut, ref right, isIn, time);
        }

        /// <summary>Evaluates a segment with unweighted tangents, in Unity's order of operations.</summary>
        private static float Hermite(ref CurveKey left, ref CurveKey right, float time)
        {
            float length = (float)(right.Time - left.Time);
            float inverse = (float)(1f / length);
            float square = (float)(inverse * inverse);
            float leaving = (float)(left.OutTangent * length);
            float arriving = (float)(right.InTangent * length);
            float rise = (float)(right.Value - left.Value);
            float quadratic = (float)((float)(rise + rise) + rise);
            quadratic = (float)((float)((float)(quadratic - leaving) - leaving) - arriving);
            quadratic = (float)(quadratic * square);
            float cubic = (float)((float)((float)(leaving + arriving) - rise) - rise);
            cubic = (float)((float)(cubic * square) * inverse);
            float u = (float)(time - left.Time);
            float value = (float)((float)(u * cubic) + quadratic);
            value = (float)((float)(u * value) + left.OutTangent);
            return (float)((float)(u * value) + left.Value);
        }

        /// <summary>
        /// Maps a time by the wrap modes of a curve with two or more keys, and changes it to a time inside the keys.
        /// </summary>
        internal static Place Resolve(int pre, int post, float first, float last, ref float time)
        {
            if (time > first && time < last)
            {
                return Place.Inside;
            }
            if (time >= last)
            {
                return After(post, first, last, ref time);
            }
            return time < first ? Before(pre, first, last, ref time) : Inside(first, last, time);
        }

        private static Place Inside(float first, float last, float time)
        {
            return time <= first ? Place.First : time >= last ? Place.Last
                : float.IsNaN(time) ? Place.NotANumber : Place.Inside;
        }

        private static Place After(int mode, float first, float last, ref float time)
        {
            if (WrapModes.Holds(mode))
            {
                return Place.Last;
            }
            if (last == first)
            {
                return mode == WrapModes.PingPong || mode == WrapModes.Default ? Place.Last : Place.First;
            }
            return Wrapped(mode, first, last, ref time);
        }

        private static Place Before(int mode, float first, float last, ref float time)
        {
            if (WrapModes.Holds(mode))
            {
                return Place.First;
            }
            if (last == first)
            {
                // Unity treats Default and Loop differently only in this case.
                return mode == WrapModes.PingPong || mode == WrapModes.Default ? Place.Last : Place.NotANumber;
            }
            return Wrapped(mode, first, last, ref time);
        }

        /// <summary>Maps a time into the keys in double precision, so that only the result is rounded.</summary>
        private static Place Wrapped(int mode, float first, float last, ref float time)
        {
            double start = first;
            double length = (double)last - start;
            double offset = (double)time - start;
            // Unity evaluates Default as Loop, and probably undefined numbers too.
            offset = mode == WrapModes.PingPong
                ? length - Math.Abs(Repeat(offset, 2.0 * length) - length)
                : Repeat(offset, length);
            time = (float)(offset + start);
            return Inside(first, last, time);
        }

        private static double Repeat(double time, double length)
        {
            double offset = time - Math.Floor(time / length) * length;
            // NaN must stay NaN, so Min and Max are not used.
            return offset < 0.0 ? 0.0 : offset > length ? length : offset;
        }
    }

    /// <summary>A segment with weighted tangents: a cubic Bezier curve over time (docs/evaluation.md, section 4).</summary>
    /// <remarks>
    /// Newton's method finds the parameter u of a time in double precision, between the turning points of the polynomial;
    /// a step that would leave the bracket becomes a bisection. If the curve reaches a time more than once, the greatest u
    /// counts, as in Unity.
    /// </remarks>
    internal static class Bezier
    {
        /// <summary>The weight of a side that is not weighted: with it a Bezier segment is a Hermite segment.</summary>
        private const double DefaultWeight = 1.0 / 3.0;
        private const double Tolerance = 1e-10;
        private const int MaxSteps = 80;

        private struct Cubic
        {
            internal double A;
            internal double B;
            internal double C;
            internal double D;

            internal double At(double u)
            {
                return ((A * u + B) * u + C) * u + D;
            }

            internal double Slope(double u)
            {
                return (3.0 * A * u + 2.0 * B) * u + C;
            }
        }

        internal static float Between(ref CurveKey left, bool isOut, ref CurveKey right, bool isIn, float time)
        {
            double start = left.Time;
            double length = (double)right.Time - start;
            double outWeight = isOut ? left.OutWeight : DefaultWeight;
            double inWeight = isIn ? right.InWeight : DefaultWeight;
            double x = ((double)time - start) / length;
            double u;
            if (!TryFind(outWeight, inWeight, x, out u))
            {
                return float.NaN;
            }
            double from = left.Value;
            double to = right.Value;
            double afterFrom = from + outWeight * (double)left.OutTangent * length;
            double beforeTo = to - inWeight * (double)right.InTangent * length;
            double v = 1.0 - u;
            double near = v * v * (v * from + 3.0 * u * afterFrom);
            double far = u * u * (3.0 * v * beforeTo + u * to);
            return (float)(near + far);
        }

        /// <summary>
        /// Finds the greatest u in 0 to 1 at which the polynomial with the control points 0, out weight, 1 − in weight and
        /// 1 has a value. Returns false if a number is not finite.
        /// </summary>
        private static bool TryFind(double outWeight, double inWeight, double x, out double u)
        {
            Cubic cubic = default(Cubic);
            cubic.A = 3.0 * (outWeight + inWeight) - 2.0;
            cubic.B = 3.0 * (1.0 - inWeight) - 6.0 * outWeight;
            cubic.C = 3.0 * outWeight;
            cubic.D = -x;
            u = 0.0;
            if (!(IsFinite(cubic.A) && IsFinite(cubic.B) && IsFinite(cubic.C) && IsFinite(x)))
            {
                return false;
            }
            // With both weights in 0 to 1, time never decreases along the curve, and there is only one root.
            if (outWeight >= 0.0 && outWeight <= 1.0 && inWeight >= 0.0 && inWeight <= 1.0)
            {
                u = RootBetween(ref cubic, 0.0, 1.0);
                return true;
            }
            double high = 1.0;
            double greater, smaller;
            int count = TurningPoints(ref cubic, out greater, out smaller);
            for (int index = 0; index < count; index++)
            {
                double low = index == 0 ? greater : smaller;
                if (cubic.At(low) <= 0.0)
                {
                    u = RootBetween(ref cubic, low, high);
                    return true;
                }
                high = low;
            }
            u = RootBetween(ref cubic, 0.0, high);
            return true;
        }

        private static bool IsFinite(double number)
        {
            return !double.IsNaN(number) && !double.IsInfinity(number);
        }

        /// <summary>Finds the u between 0 and 1 at which the slope is zero, the greater first. Returns their number.</summary>
        private static int TurningPoints(ref Cubic cubic, out double greater, out double smaller)
        {
            greater = 0.0;
            smaller = 0.0;
            double a = 3.0 * cubic.A;
            double halfB = cubic.B;
            double c = cubic.C;
            double discriminant = halfB * halfB - a * c;
            if (discriminant <= 0.0 || double.IsNaN(discriminant))
            {
                return 0;
            }
            // Computes the root of greater magnitude, then the other from their product, which avoids cancellation.
            double root = Math.Sqrt(discriminant);
            bool isNegative = BitConverter.DoubleToInt64Bits(halfB) < 0;
            double sum = -halfB - (isNegative ? -root : root);
            double first = sum / a;
            double second = c / sum;
            bool hasFirst = first > 0.0 && first < 1.0;
            bool hasSecond = second > 0.0 && second < 1.0;
            if (hasFirst && hasSecond)
            {
                greater = first < second ? second : first;
                smaller = first < second ? first : second;
                return 2;
            }
            greater = hasFirst ? first : second;
            return hasFirst || hasSecond ? 1 : 0;
        }

        /// <summary>Returns a root between low, where the value is at most 0, and high, where it is at least 0.</summary>
        private static double RootBetween(ref Cubic cubic, double low, double high)
        {
            if (cubic.At(high) <= 0.0)
            {
                return high;
            }
            // The start: with weights of 1/3, u equals x.
            double u = -cubic.D;
            u = u < low ? low : u > high ? high : u;
            for (int step = 0; step < MaxSteps; step++)
            {
                double value = cubic.At(u);
                if (value < 0.0)
                {
                    low = u;
                }
                else
                {
                    high = u;
                }
                double newton = u - value / cubic.Slope(u);
                // The comparison also rejects NaN and infinity, which follow from a slope of 0.
                double next = newton >= low && newton <= high ? newton : low + (high - low) * 0.5;
                double moved = Math.Abs(next - u);
                u = next;
                if (moved <= Tolerance * u)
                {
                    break;
                }
            }
            return u;
        }
    }

    /// <summary>Normalisation as frames have it (docs/evaluation.md, section 5).</summary>
    internal static class Normalisation
    {
        /// <summary>The maximum deviation of a squared length from 1 that rounding alone can cause.</summary>
        private const float Rounding = 4f * 1.1920929e-7f;
        /// <summary>The length up to which Unity returns a direction of zeros.</summary>
        private const double Shortest = 1e-5;

        /// <summary>Normalises the four numbers of a rotation. A length of 0 becomes the identity.</summary>
        internal static void Rotation(float[] row, int at)
        {
            float x = row[at];
            float y = row[at + 1];
            float z = row[at + 2];
            float w = row[at + 3];
            float square = (float)((float)(x * x) + (float)(y * y));
            square = (float)((float)(square + (float)(z * z)) + (float)(w * w));
            // Outside this range, squares underflow or overflow. The negated test also covers NaN.
            if (!(square >= 1e-30f && square < 1e30f))
            {
                Extreme(row, at);
                return;
            }
            if (Math.Abs((float)(square - 1f)) <= Rounding)
            {
                return;
            }
            float scale = (float)(1f / (float)Math.Sqrt(square));
            row[at] = (float)(x * scale);
            row[at + 1] = (float)(y * scale);
            row[at + 2] = (float)(z * scale);
            row[at + 3] = (float)(w * scale);
        }

        private static void Extreme(float[] row, int at)
        {
            double square = 0.0;
            for (int index = at; index < at + 4; index++)
            {
                square += (double)row[index] * (double)row[index];
            }
            if (square == 0.0)
            {
                row[at] = row[at + 1] = row[at + 2] = 0f;
                row[at + 3] = 1f;
                return;
            }
            double length = Math.Sqrt(square);
            for (int index = at; index < at + 4; index++)
            {
                row[index] = (float)((double)row[index] / length);
            }
        }

        /// <summary>Normalises the three numbers of a direction. One that is nearly 0 becomes 0.</summary>
        internal static void Direction(float[] row, int at)
        {
            double x = row[at];
            double y = row[at + 1];
            double z = row[at + 2];
            double square = x * x + y * y + z * z;
            if (Math.Abs(square - 1.0) <= (double)Rounding)
            {
                return;
            }
            double length = Math.Sqrt(square);
            if (length <= Shortest)
            {
                row[at] = row[at + 1] = row[at + 2] = 0f;
                return;
            }
            row[at] = (float)(x / length);
            row[at + 1] = (float)(y / length);
            row[at + 2] = (float)(z / length);
        }
    }
}

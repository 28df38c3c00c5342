using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>A time range in seconds.</summary>
    public struct TimeRange
    {
        /// <summary>The start in seconds.</summary>
        public float Start;
        /// <summary>The end in seconds.</summary>
        public float End;

        /// <summary>Creates a range from two times in seconds.</summary>
        public TimeRange(float start, float end)
        {
            Start = start;
            End = end;
        }

        /// <summary>Returns the ranges in order, joined where they overlap or touch.</summary>
        internal static List<TimeRange> Union(List<TimeRange> ranges)
        {
            List<TimeRange> sorted = ranges.FindAll(range => range.Start <= range.End);
            sorted.Sort((a, b) => a.Start.CompareTo(b.Start));
            List<TimeRange> union = new List<TimeRange>();
            foreach (TimeRange range in sorted)
            {
                int last = union.Count - 1;
                if (last >= 0 && range.Start <= union[last].End)
                {
                    union[last] = new TimeRange(union[last].Start, Math.Max(union[last].End, range.End));
                }
                else
                {
                    union.Add(range);
                }
            }
            return union;
        }
    }

    /// <summary>Damage of a recording that is well formed.</summary>
    public sealed class Finding
    {
        internal Finding(string code, string title, long count, string detail, List<int> curves, List<TimeRange> ranges)
        {
            Code = code;
            Title = title;
            Count = count;
            Detail = detail;
            Curves = curves;
            Ranges = ranges;
        }

        /// <summary>The code of the program <c>inputanim</c>: D1, D2, D3 or D4 (docs/damage.md).</summary>
        public string Code { get; private set; }

        /// <summary>The description of the code, in one line.</summary>
        public string Title { get; private set; }

        /// <summary>The number of rotations, streams or pairs of keys.</summary>
        public long Count { get; private set; }

        /// <summary>The details: how many, where and when.</summary>
        public string Detail { get; private set; }

        /// <summary>The numbers of the affected curves; empty if complete streams are affected.</summary>
        public List<int> Curves { get; private set; }

        /// <summary>The times of the finding, in order.</summary>
        public List<TimeRange> Ranges { get; private set; }

        /// <summary>The effect on playback.</summary>
        public string Effect
        {
            get { return Doctor.Effect(Code); }
        }

        /// <summary>Returns the command of the program <c>inputanim</c> that helps, for a file at a path.</summary>
        public string Command(string path)
        {
            return Code == "D3" ? Commands.RepairAndTrim(path) : Commands.Repair(path);
        }

        /// <summary>Returns the code, the title and the details.</summary>
        public override string ToString()
        {
            return Code + " " + Title + ": " + Detail;
        }
    }

    /// <summary>
    /// Finds the damage that changes playback in silence: lost w curves (D1, D2), lost ends (D3) and sign flips (D4). The
    /// repair stays in the program <c>inputanim</c>, whose command a finding names.
    /// </summary>
    public static class Doctor
    {
        private const double LengthTolerance = 0.01;
        private const double SavedTolerance = 1e-4;
        private const float MinTail = 0.001f;

        private const string LostTitle =
            "the w curve of rotations was not saved (MRTK 2.6.0 to 2.7.2): rotations play back wrong";
        private const string CopyTitle =
            "the w curve of rotations contains a key of z (MRTK 2.6.0 to 2.7.2): rotations play back wrong";
        private const string TailTitle = "a stream ends before the recording: its last pose is held";
        private const string FlipTitle =
            "sign flips: neighbouring rotation keys have opposite signs, and interpolation by component passes through zero";

        internal static string Effect(string code)
        {
            switch (code)
            {
                case "D1":
                    return "Rotations play back wrong after the first key: w keeps its first value while x, y and z change. "
                        + "Positions are correct.";
                case "D2":
                    return "Rotations play back wrong after the first key: w is interpolated from its first value to a value "
                        + "of z. Positions are correct.";
                case "D3":
                    return "The last pose of the stream is held until the end, while other streams continue.";
                default:
                    return "MRTK and other programs that interpolate the four components separately show a fast spin "
                        + "between such keys. At the keys the rotation is correct.";
            }
        }

        /// <summary>Returns the damage of a recording, in the order of the codes.</summary>
        public static List<Finding> Examine(Recording recording)
        {
            Builder lost = new Builder();
            Builder copies = new Builder();
            Builder flips = new Builder();
            Dictionary<int, string> damaged = LostRotations(recording);
            float end;
            bool hasEnd = TryGetEnd(recording, 0, CurveNumbers.Count, out end);
            foreach (int pose in Poses(recording))
            {
                int x = pose + 3;
                string code;
                if (damaged.TryGetValue(x, out code))
                {
                    float first = recording[x].Time(0);
                    Builder builder = code == "D1" ? lost : copies;
                    builder.Add(x + 3, 1, new TimeRange(first, hasEnd ? end : first));
                }
                else
                {
                    AddFlips(recording, x, flips);
                }
            }
            List<Finding> findings = new List<Finding>();
            lost.Finish("D1", LostTitle, "rotation", "rotations", findings);
            copies.Finish("D2", CopyTitle, "rotation", "rotations", findings);
            if (recording.Layout == Layout.Mrtk11 && hasEnd)
            {
                AddTails(recording, end, findings);
            }
            flips.Finish("D4", FlipTitle, "pair of keys", "pairs of keys", findings);
            return findings;
        }

        /// <summary>Returns the ranges in which a state is on. The first value also holds before its key.</summary>
        public static List<TimeRange> RangesOn(Recording recording, int state)
        {
            List<TimeRange> ranges = new List<TimeRange>();
            Curve curve = recording[state];
            float start, end;
            if (curve == null || !TryGetRange(recording, 0, CurveNumbers.Count, out start, out end))
            {
                return ranges;
            }
            List<KeyValuePair<float, int>> keys = new List<KeyValuePair<float, int>>();
            for (int index = 0; index < curve.Count; index++)
            {
                if (Bits.IsFinite(curve.Time(index)))
                {
                    keys.Add(new KeyValuePair<float, int>(curve.Time(index), index));
                }
            }
            keys.Sort((a, b) =>
            {
                int byTime = a.Key.CompareTo(b.Key);
                return byTime != 0 ? byTime : a.Value.CompareTo(b.Value);
            });
            bool isOpen = false;
            float open = 0f;
            for (int index = 0; index < keys.Count; index++)
            {
                float time = index == 0 ? start : keys[index].Key;
                bool isOn = curve.Value(keys[index].Value) > 0.5f;
                if (isOn && !isOpen)
                {
                    open = time;
                }
                else if (!isOn && isOpen && time > open)
                {
                    ranges.Add(new TimeRange(open, time));
                }
                isOpen = isOn;
            }
            if (isOpen && end > open)
            {
                ranges.Add(new TimeRange(open, end));
            }
            return ranges;
        }

        /// <summary>Returns the first curve of the head and of each joint.</summary>
        private static IEnumerable<int> Poses(Recording recording)
        {
            if (recording[CurveNumbers.Head] != null)
            {
                yield return CurveNumbers.Head;
            }
            for (int joint = CurveNumbers.LeftHand; joint < CurveNumbers.Gaze; joint += CurveNumbers.Pose)
            {
                if (recording[joint] != null)
                {
                    yield return joint;
                }
            }
        }

        /// <summary>
        /// Returns the rotations whose w was lost, by the curve of their x, each with D1 or D2. The signature counts only if
        /// at least one rotation plays back wrong: a rotation that does not change can correctly have one key in w.
        /// </summary>
        private static Dictionary<int, string> LostRotations(Recording recording)
        {
            Dictionary<int, string> damaged = new Dictionary<int, string>();
            // Only MRTK 2.6.0 to 2.7.2 lose w, and they write this layout.
            if (recording.Layout != Layout.Mrtk11)
            {
                return damaged;
            }
            bool isWrong = false;
            foreach (int pose in Poses(recording))
            {
                int x = pose + 3;
                string code = DamageOf(recording, x);
                if (code == null)
                {
                    continue;
                }
                damaged.Add(x, code);
                Curve w = recording[x + 3];
                for (int index = 0; index < recording[x].Count && !isWrong; index++)
                {
                    // Playback holds the last key of w.
                    double length = Length(recording, x, index, Math.Min(index, w.Count - 1));
                    isWrong = !(Math.Abs(length - 1.0) <= SavedTolerance);
                }
            }
            if (!isWrong)
            {
                damaged.Clear();
            }
            return damaged;
        }

        private static string DamageOf(Recording recording, int x)
        {
            Curve curve = recording[x];
            Curve z = recording[x + 2];
            Curve w = recording[x + 3];
            int keys = curve.Count;
            bool isShared = curve.SharesTimes(recording[x + 1]) && curve.SharesTimes(z);
            // With one key in x, y and z too, nothing is missing.
            if (keys < 2 || w.Count > 2 || !isShared)
            {
                return null;
            }
            if (w.Count == 1)
            {
                return "D1";
            }
            bool isCopy = w.Count == 2 && w.TimeBits(1) == z.TimeBits(keys - 1) && w.ValueBits(1) == z.ValueBits(keys - 1);
            if (!isCopy)
            {
                return null;
            }
            // If x, y and z have two keys too, the counts do not show the damage, but the length does.
            bool wasUnit = IsUnit(Length(recording, x, 0, 0)) && !IsUnit(Length(recording, x, 1, 1));
            return keys > 2 || wasUnit ? "D2" : null;
        }

        private static bool IsUnit(double length)
        {
            return Math.Abs(length - 1.0) <= LengthTolerance;
        }

        private static double Length(Recording recording, int x, int index, int indexOfW)
        {
            double sum = 0.0;
            for (int part = 0; part < 4; part++)
            {
                double value = recording[x + part].Value(part == 3 ? indexOfW : index);
                sum += value * value;
            }
            return Math.Sqrt(sum);
        }

        private static void AddFlips(Recording recording, int x, Builder flips)
        {
            Curve first = recording[x];
            for (int part = 1; part < 4; part++)
            {
                if (!first.SharesTimes(recording[x + part]))
                {
                    return;
                }
            }
            for (int index = 1; index < first.Count; index++)
            {
                double dot = 0.0;
                for (int part = 0; part < 4; part++)
                {
                    Curve curve = recording[x + part];
                    dot += (double)curve.Value(index) * (double)curve.Value(index - 1);
                }
                if (dot < 0.0)
                {
                    flips.Add(x, 4, new TimeRange(first.Time(index - 1), first.Time(index)));
                }
            }
        }

        private static void AddTails(Recording recording, float end, List<Finding> findings)
        {
            AddTail(recording, "head", CurveNumbers.Head, CurveNumbers.States, end, findings);
            for (int side = 0; side < 2; side++)
            {
                bool isTracked = false;
                foreach (TimeRange range in RangesOn(recording, CurveNumbers.Tracked((Side)side)))
                {
                    isTracked |= range.Start <= end && end <= range.End;
                }
                if (isTracked)
                {
                    int hand = CurveNumbers.Of((Side)side, HandJoint.None);
                    string name = side == 0 ? "left.joints" : "right.joints";
                    AddTail(recording, name, hand, hand + CurveNumbers.Joints * CurveNumbers.Pose, end, findings);
                }
            }
            AddTail(recording, "gaze", CurveNumbers.Gaze, CurveNumbers.Count, end, findings);
        }

        private static void AddTail(
            Recording recording, string name, int from, int to, float end, List<Finding> findings)
        {
            float start;
            if (!TryGetEnd(recording, from, to, out start))
            {
                return;
            }
            float seconds = (float)(end - start);
            if (!(seconds > MinTail))
            {
                return;
            }
            string detail = name + " stands still for at least the last " + Text.Seconds(seconds) + " s, from "
                + Text.Seconds(start) + " s on";
            List<TimeRange> ranges = new List<TimeRange> { new TimeRange(start, end) };
            findings.Add(new Finding("D3", TailTitle, 1, detail, new List<int>(), ranges));
        }

        private static bool TryGetEnd(Recording recording, int from, int to, out float end)
        {
            float start;
            return TryGetRange(recording, from, to, out start, out end);
        }

        /// <summary>Finds the range of the finite key times of some curves. Returns false if there are none.</summary>
        private static bool TryGetRange(Recording recording, int from, int to, out float start, out float end)
        {
            start = 0f;
            end = 0f;
            bool isFound = false;
            for (int number = from; number < to; number++)
            {
                float first, last;
                if (recording[number] == null || !TryGetFinite(recording[number], out first, out last))
                {
                    continue;
                }
                start = isFound ? Math.Min(start, first) : first;
                end = isFound ? Math.Max(end, last) : last;
                isFound = true;
            }
            return isFound;
        }

        private static bool TryGetFinite(Curve curve, out float start, out float end)
        {
            if (curve.TryGetRange(out start, out end) && Bits.IsFinite(start) && Bits.IsFinite(end))
            {
                return true;
            }
            bool isFound = false;
            for (int index = 0; index < curve.Count; index++)
            {
                float time = curve.Time(index);
                if (Bits.IsFinite(time))
                {
                    start = isFound ? Math.Min(start, time) : time;
                    end = isFound ? Math.Max(end, time) : time;
                    isFound = true;
                }
            }
            return isFound;
        }

        /// <summary>Collects the occurrences of one code.</summary>
        private sealed class Builder
        {
            private long count;
            private int places;
            private readonly List<int> curves = new List<int>();
            private List<TimeRange> ranges = new List<TimeRange>();
            private int merged;

            /// <summary>Adds an occurrence in neighbouring curves of one place.</summary>
            internal void Add(int curve, int width, TimeRange range)
            {
                count++;
                if (curves.Count == 0 || curves[curves.Count - 1] != curve + width - 1)
                {
                    places++;
                    for (int offset = 0; offset < width; offset++)
                    {
                        curves.Add(curve + offset);
                    }
                }
                if (!Bits.IsFinite(range.Start) || !Bits.IsFinite(range.End))
                {
                    return;
                }
                ranges.Add(range);
                // The curves of a hand have the same occurrences. Merging now and then keeps the list short.
                if (ranges.Count > 2 * merged + 64)
                {
                    ranges = TimeRange.Union(ranges);
                    merged = ranges.Count;
                }
            }

            internal void Finish(string code, string title, string one, string many, List<Finding> findings)
            {
                if (curves.Count == 0)
                {
                    return;
                }
                string first = CurveNumbers.Name(curves[0]);
                bool isVector = curves.Count > places;
                if (isVector)
                {
                    first = first.Substring(0, first.LastIndexOf('.'));
                }
                string place = places == 1 ? "in " + first
                    : count == places ? "the first in " + first
                    : "in " + places + (isVector ? " places" : " curves") + ", the first " + first;
                List<TimeRange> union = TimeRange.Union(ranges);
                string when = "";
                if (union.Count > 0)
                {
                    float start = union[0].Start;
                    float end = union[union.Count - 1].End;
                    when = start < end
                        ? ", from " + Text.Seconds(start) + " s to " + Text.Seconds(end) + " s"
                        : ", at " + Text.Seconds(start) + " s";
                }
                string detail = count + " " + (count == 1 ? one : many) + ", " + place + when;
                findings.Add(new Finding(code, title, count, detail, curves, union));
            }
        }
    }
}

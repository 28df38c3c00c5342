using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>Converts rows to curves.</summary>
    internal static class RecordingBuilder
    {
        /// <summary>The shortest pause in seconds, and as a multiple of the median interval.</summary>
        private const float MinPause = 0.5f;
        private const float MinIntervals = 10f;

        private const int Head = 0;
        private const int Gaze = Contents.Gaze;

        /// <summary>Returns the recording of the rows from a position on. The origin is the time that becomes 0.</summary>
        internal static Recording Build(RecorderRows rows, RecorderRows.Position first, Layout layout, double origin)
        {
            int[] keys = new int[Contents.Poses + 1];
            bool[] isShown = new bool[2];
            List<float> times = new List<float>();
            for (RecorderRows.Position at = first; rows.Has(at); at = rows.Next(at))
            {
                int[] words = rows.Words(at);
                ulong contents = RecorderRows.ContentsAt(words, at.Offset);
                times.Add(Bits.Single(words[at.Offset]));
                for (int slot = 0; slot <= Gaze; slot++)
                {
                    keys[slot] += Contents.Has(contents, slot) ? 1 : 0;
                }
                for (int side = 0; side < 2; side++)
                {
                    isShown[side] |= Contents.Has(contents, Contents.Tracked + side);
                }
            }
            Streams streams = Streams.Hands | (keys[Head] > 0 ? Streams.Head : 0) | (keys[Gaze] > 0 ? Streams.Gaze : 0);
            Recording recording = new Recording(layout, streams);
            Reserve(recording, keys);
            Gaps gaps = new Gaps(keys, isShown, Pauses(times));
            Fill(recording, rows, first, origin, gaps);
            gaps.Finish();
            gaps.HoldIn(recording);
            return recording;
        }

        private static void Reserve(Recording recording, int[] keys)
        {
            for (int slot = 0; slot < Contents.Poses; slot++)
            {
                int curve = Contents.CurveOf(slot);
                for (int part = 0; keys[slot] > 0 && part < CurveNumbers.Pose; part++)
                {
                    recording[curve + part].Reserve(keys[slot]);
                }
            }
            for (int part = 0; recording[CurveNumbers.Gaze] != null && part < CurveNumbers.Ray; part++)
            {
                recording[CurveNumbers.Gaze + part].Reserve(keys[Gaze]);
            }
        }

        private static void Fill(
            Recording recording, RecorderRows rows, RecorderRows.Position first, double origin, Gaps gaps)
        {
            bool?[] states = new bool?[4];
            float start = 0f;
            float last = 0f;
            bool isFirst = true;
            bool hasKey = true;
            for (RecorderRows.Position at = first; rows.Has(at); at = rows.Next(at))
            {
                int[] words = rows.Words(at);
                ulong contents = RecorderRows.ContentsAt(words, at.Offset);
                float rowTime = Bits.Single(words[at.Offset]);
                // Subtracted in double precision, so that the time is rounded only once.
                last = (float)((double)rowTime - origin);
                start = isFirst ? last : start;
                isFirst = false;
                AddNumbers(recording, words, at.Offset, contents, last);
                gaps.Add(recording, last, rowTime, contents);
                hasKey = (contents & (Contents.AllPoses | 1UL << Gaze)) != 0;
                for (int side = 0; side < 2; side++)
                {
                    bool isTracked = Contents.Has(contents, Contents.Tracked + side);
                    hasKey |= AddState(recording, CurveNumbers.Tracked((Side)side), ref states[side], isTracked, last);
                    if (Contents.Has(contents, Contents.PinchUnknown + side))
                    {
                        continue;
                    }
                    bool isPinching = Contents.Has(contents, Contents.Pinching + side);
                    int pinching = CurveNumbers.Pinching((Side)side);
                    // Playback holds the first value before its key, and nobody saw a pinch there.
                    if (states[2 + side] == null && isPinching && start < last)
                    {
                        recording[pinching].Add(start, 0f);
                    }
                    hasKey |= AddState(recording, pinching, ref states[2 + side], isPinching, last);
                }
            }
            if (hasKey)
            {
                return;
            }
            // A key at the last row makes the recording as long as its frames.
            for (int side = 0; side < 2; side++)
            {
                recording[CurveNumbers.Tracked((Side)side)].Add(last, states[side] == true ? 1f : 0f);
                if (states[2 + side] != null)
                {
                    recording[CurveNumbers.Pinching((Side)side)].Add(last, states[2 + side] == true ? 1f : 0f);
                }
            }
        }

        private static void AddNumbers(Recording recording, int[] words, int offset, ulong contents, float time)
        {
            int number = offset + RecorderRows.HeadWords;
            for (int slot = 0; slot < Contents.Poses; slot++)
            {
                if (!Contents.Has(contents, slot))
                {
                    continue;
                }
                int curve = Contents.CurveOf(slot);
                for (int part = 0; part < CurveNumbers.Pose; part++)
                {
                    recording[curve + part].Add(time, Bits.Single(words[number]));
                    number++;
                }
            }
            for (int part = 0; Contents.Has(contents, Gaze) && part < CurveNumbers.Ray; part++)
            {
                recording[CurveNumbers.Gaze + part].Add(time, Bits.Single(words[number]));
                number++;
            }
        }

        private static bool AddState(Recording recording, int curve, ref bool? state, bool isOn, float time)
        {
            if (state == isOn)
            {
                return false;
            }
            recording[curve].Add(time, isOn ? 1f : 0f);
            state = isOn;
            return true;
        }

        /// <summary>
        /// Returns the pauses between times: more than half a second, and more than ten times the median interval.
        /// </summary>
        private static List<TimeRange> Pauses(List<float> times)
        {
            List<TimeRange> pauses = new List<TimeRange>();
            float[] intervals = new float[Math.Max(times.Count - 1, 0)];
            bool canBe = false;
            for (int index = 0; index < intervals.Length; index++)
            {
                intervals[index] = (float)(times[index + 1] - times[index]);
                canBe |= intervals[index] > MinPause;
            }
            // Most sources have no pause, and need no median.
            if (!canBe)
            {
                return pauses;
            }
            float[] sorted = (float[])intervals.Clone();
            Array.Sort(sorted);
            float limit = Math.Max((float)(MinIntervals * sorted[sorted.Length / 2]), MinPause);
            for (int index = 0; index < intervals.Length; index++)
            {
                if (intervals[index] > limit)
                {
                    pauses.Add(new TimeRange(times[index], times[index + 1]));
                }
            }
            return pauses;
        }
    }

    /// <summary>
    /// The gaps of poses: from the last frame that has a pose to the next one, and in pauses. A file cannot state them, so the
    /// last value is held there.
    /// </summary>
    internal sealed class Gaps
    {
        private readonly List<TimeRange>[] ofPoses = new List<TimeRange>[Contents.Poses + 1];
        private readonly List<TimeRange>[] ofHands = { new List<TimeRange>(), new List<TimeRange>() };
        private readonly bool[] isShown;
        private readonly List<TimeRange> pauses;
        private readonly ulong recorded;
        private readonly float[] starts = new float[Contents.Poses + 1];
        private int nextPause;
        private ulong open;
        private float last = float.NegativeInfinity;

        internal Gaps(int[] keys, bool[] shownHands, List<TimeRange> recordedPauses)
        {
            isShown = shownHands;
            pauses = recordedPauses;
            for (int slot = 0; slot < keys.Length; slot++)
            {
                ofPoses[slot] = new List<TimeRange>();
                recorded |= keys[slot] > 0 ? 1UL << slot : 0UL;
            }
        }

        /// <summary>Adds a row whose keys are in the recording already.</summary>
        internal void Add(Recording recording, float time, float rowTime, ulong contents)
        {
            if (nextPause < pauses.Count && pauses[nextPause].End == rowTime)
            {
                nextPause++;
                AddPause(new TimeRange(last, time));
            }
            last = time;
            ulong present = contents & (Contents.AllPoses | 1UL << Contents.Gaze);
            ulong missing = Contents.Expected(contents) & recorded & ~present;
            ulong opening = missing & ~open;
            ulong closing = present & open;
            if ((opening | closing) == 0)
            {
                return;
            }
            for (int slot = 0; slot <= Contents.Gaze; slot++)
            {
                if (Contents.Has(opening, slot))
                {
                    Curve curve = recording[slot == Contents.Gaze ? CurveNumbers.Gaze : Contents.CurveOf(slot)];
                    bool hasKey = curve != null && curve.Count > 0;
                    starts[slot] = hasKey ? curve.Time(curve.Count - 1) : float.NegativeInfinity;
                }
                if (Contents.Has(closing, slot))
                {
                    AddGap(ofPoses[slot], new TimeRange(starts[slot], time));
                }
            }
            open = (open | opening) & ~closing;
        }

        private void AddPause(TimeRange pause)
        {
            if (Contents.Has(recorded, 0))
            {
                AddGap(ofPoses[0], pause);
            }
            if (Contents.Has(recorded, Contents.Gaze))
            {
                AddGap(ofPoses[Contents.Gaze], pause);
            }
            for (int side = 0; side < 2; side++)
            {
                if (isShown[side])
                {
                    AddGap(ofHands[side], pause);
                }
            }
        }

        /// <summary>Ends the gaps that are open: they last until the end.</summary>
        internal void Finish()
        {
            for (int slot = 0; slot <= Contents.Gaze; slot++)
            {
                if (Contents.Has(open, slot))
                {
                    AddGap(ofPoses[slot], new TimeRange(starts[slot], float.PositiveInfinity));
                }
            }
        }

        /// <summary>Adds a gap to a list without overlaps. Gaps that only touch stay separate.</summary>
        private static void AddGap(List<TimeRange> gaps, TimeRange gap)
        {
            // 0 has one form, so that equal gaps are equal.
            gap = new TimeRange(gap.Start + 0f, gap.End + 0f);
            if (!(gap.Start < gap.End))
            {
                return;
            }
            int first = 0;
            while (first < gaps.Count && gaps[first].End <= gap.Start)
            {
                first++;
            }
            int after = first;
            while (after < gaps.Count && gaps[after].Start < gap.End)
            {
                gap.Start = Math.Min(gap.Start, gaps[after].Start);
                gap.End = Math.Max(gap.End, gaps[after].End);
                after++;
            }
            gaps.RemoveRange(first, after - first);
            gaps.Insert(first, gap);
        }

        /// <summary>Makes the curves of a recording hold their values in the gaps.</summary>
        internal void HoldIn(Recording recording)
        {
            for (int side = 0; side < 2; side++)
            {
                if (ofHands[side].Count > 0)
                {
                    SwitchOff(recording[CurveNumbers.Tracked((Side)side)], ofHands[side]);
                    SwitchOff(recording[CurveNumbers.Pinching((Side)side)], ofHands[side]);
                }
            }
            for (int slot = 0; slot <= Contents.Gaze; slot++)
            {
                List<TimeRange> gaps = ofPoses[slot];
                bool isJoint = slot > 0 && slot < Contents.Gaze;
                foreach (TimeRange gap in ofHands[isJoint ? (slot - 1) / CurveNumbers.Joints : 0])
                {
                    if (isJoint)
                    {
                        AddGap(gaps, gap);
                    }
                }
                int start = slot == Contents.Gaze ? CurveNumbers.Gaze : Contents.CurveOf(slot);
                int count = slot == Contents.Gaze ? CurveNumbers.Ray : CurveNumbers.Pose;
                for (int part = 0; gaps.Count > 0 && part < count; part++)
                {
                    Curve curve = recording[start + part];
                    if (curve != null && curve.Count > 0)
                    {
                        Hold(curve, gaps);
                    }
                }
            }
        }

        /// <summary>Makes a linear curve hold its value in each gap.</summary>
        private static void Hold(Curve curve, List<TimeRange> gaps)
        {
            float first = curve.Time(0);
            float end = curve.Time(curve.Count - 1);
            List<KeyValuePair<float, float>> keys = new List<KeyValuePair<float, float>>();
            float from = float.NegativeInfinity;
            foreach (TimeRange gap in gaps)
            {
                TimeRange inside = new TimeRange(
                    float.IsInfinity(gap.Start) ? first : gap.Start, float.IsInfinity(gap.End) ? end : gap.End);
                if (!(inside.Start < inside.End))
                {
                    continue;
                }
                AddBetween(curve, from, inside.Start, keys);
                // The jump is not made of two keys at one time, because programs differ in which of them they use.
                float before = Bits.NextDown(inside.End);
                KeyValuePair<float, float> held = keys[keys.Count - 1];
                if (held.Key < before)
                {
                    keys.Add(new KeyValuePair<float, float>(before, held.Value));
                }
                from = inside.End;
            }
            if (float.IsNegativeInfinity(from))
            {
                return;
            }
            AddBetween(curve, from, float.PositiveInfinity, keys);
            TimeRange firstGap = gaps[0];
            TimeRange lastGap = gaps[gaps.Count - 1];
            float start = float.IsNegativeInfinity(firstGap.Start) ? firstGap.End : float.NegativeInfinity;
            float stop = float.IsPositiveInfinity(lastGap.End) ? lastGap.Start : float.PositiveInfinity;
            curve.Clear();
            curve.Reserve(keys.Count);
            foreach (KeyValuePair<float, float> key in keys)
            {
                if (key.Key >= start && key.Key <= stop)
                {
                    curve.Add(key.Key, key.Value);
                }
            }
        }

        /// <summary>Copies the keys of a linear curve from one time to another, with a key at each of these bounds.</summary>
        private static void AddBetween(Curve curve, float from, float until, List<KeyValuePair<float, float>> keys)
        {
            bool hasFrom = !float.IsInfinity(from);
            bool hasUntil = !float.IsInfinity(until);
            int count = keys.Count;
            if (hasFrom)
            {
                keys.Add(new KeyValuePair<float, float>(from, ValueAt(curve, from)));
            }
            for (int index = 0; index < curve.Count; index++)
            {
                float time = curve.Time(index);
                if ((!hasFrom || time > from) && time <= until)
                {
                    keys.Add(new KeyValuePair<float, float>(time, curve.Value(index)));
                }
            }
            bool needsEnd = hasUntil && (keys.Count == count || keys[keys.Count - 1].Key < until);
            if (needsEnd)
            {
                keys.Add(new KeyValuePair<float, float>(until, ValueAt(curve, until)));
            }
        }

        private static float ValueAt(Curve curve, float time)
        {
            int right = 0;
            while (right < curve.Count && curve.Time(right) <= time)
            {
                right++;
            }
            if (right == 0)
            {
                return curve.Value(0);
            }
            bool isKey = right == curve.Count || !(curve.Time(right - 1) < time);
            return isKey ? curve.Value(right - 1)
                : Evaluation.Lerp(
                    curve.Value(right - 1),
                    curve.Value(right),
                    Evaluation.Fraction(curve.Time(right - 1), curve.Time(right), time));
        }

        /// <summary>Switches a state off in gaps, between their bounds.</summary>
        private static void SwitchOff(Curve state, List<TimeRange> gaps)
        {
            if (state.Count == 0)
            {
                return;
            }
            List<KeyValuePair<float, float>> keys = new List<KeyValuePair<float, float>>();
            for (int index = 0; index < state.Count; index++)
            {
                float time = state.Time(index);
                bool isInGap = gaps.Exists(gap => gap.Start < time && time < gap.End);
                if (!isInGap)
                {
                    keys.Add(new KeyValuePair<float, float>(time, state.Value(index)));
                }
            }
            List<KeyValuePair<float, float>> all = new List<KeyValuePair<float, float>>(keys);
            foreach (TimeRange gap in gaps)
            {
                all.Add(new KeyValuePair<float, float>(Bits.NextUp(gap.Start), 0f));
                if (!keys.Exists(key => key.Key == gap.End))
                {
                    all.Add(new KeyValuePair<float, float>(gap.End, StateAt(state, gap.End)));
                }
            }
            // The sort must keep the order of equal times.
            KeyValuePair<float, float>[] sorted = all.ToArray();
            int[] order = new int[sorted.Length];
            for (int index = 0; index < order.Length; index++)
            {
                order[index] = index;
            }
            Array.Sort(order, (a, b) =>
            {
                int byTime = sorted[a].Key.CompareTo(sorted[b].Key);
                return byTime != 0 ? byTime : a.CompareTo(b);
            });
            state.Clear();
            foreach (int index in order)
            {
                state.Add(sorted[index].Key, sorted[index].Value);
            }
        }

        private static float StateAt(Curve state, float time)
        {
            float value = state.Value(0);
            for (int index = 0; index < state.Count && state.Time(index) <= time; index++)
            {
                value = state.Value(index);
            }
            return value > 0.5f ? 1f : 0f;
        }
    }
}

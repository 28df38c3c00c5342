using System;

namespace InputAnim
{
    /// <summary>Curves of one section that share their key times and wrap modes.</summary>
    internal sealed class Track
    {
        /// <summary>The key times, sorted. There is at least one.</summary>
        internal float[] Times;
        /// <summary>The places of the linear curves in a row.</summary>
        internal int[] Slots;
        /// <summary>The values of the linear curves, key by key.</summary>
        internal float[] Values;
        /// <summary>The places of the curves with tangents in a row.</summary>
        internal int[] CurvedSlots;
        /// <summary>The keys of the curves with tangents, sorted by time.</summary>
        internal CurveKey[][] CurvedKeys;
        internal int PreWrap;
        internal int PostWrap;

        /// <summary>Writes the values of the curves at a time to a row. The segment is a hint for the search.</summary>
        internal void Write(float time, bool isClamped, ref int segment, float[] row)
        {
            int last = Times.Length - 1;
            // A curve with one key has its value at all times, NaN included, whatever its wrap modes.
            if (last == 0)
            {
                WriteKey(0, row);
                return;
            }
            int pre = isClamped ? WrapModes.ClampForever : PreWrap;
            int post = isClamped ? WrapModes.ClampForever : PostWrap;
            switch (Evaluation.Resolve(pre, post, Times[0], Times[last], ref time))
            {
                case Evaluation.Place.First:
                    WriteKey(0, row);
                    break;
                case Evaluation.Place.Last:
                    WriteKey(last, row);
                    break;
                case Evaluation.Place.Inside:
                    segment = Search.Segment(Times, time, segment);
                    WriteBetween(segment, time, row);
                    break;
                default:
                    WriteNaN(row);
                    break;
            }
        }

        private void WriteKey(int key, float[] row)
        {
            int from = key * Slots.Length;
            for (int lane = 0; lane < Slots.Length; lane++)
            {
                row[Slots[lane]] = Values[from + lane];
            }
            for (int lane = 0; lane < CurvedSlots.Length; lane++)
            {
                row[CurvedSlots[lane]] = CurvedKeys[lane][key].Value;
            }
        }

        private void WriteBetween(int left, float time, float[] row)
        {
            float x = Evaluation.Fraction(Times[left], Times[left + 1], time);
            int from = left * Slots.Length;
            int to = from + Slots.Length;
            for (int lane = 0; lane < Slots.Length; lane++)
            {
                row[Slots[lane]] = Evaluation.Lerp(Values[from + lane], Values[to + lane], x);
            }
            for (int lane = 0; lane < CurvedSlots.Length; lane++)
            {
                CurveKey[] keys = CurvedKeys[lane];
                row[CurvedSlots[lane]] = Evaluation.Between(ref keys[left], ref keys[left + 1], time);
            }
        }

        private void WriteNaN(float[] row)
        {
            foreach (int slot in Slots)
            {
                row[slot] = float.NaN;
            }
            foreach (int slot in CurvedSlots)
            {
                row[slot] = float.NaN;
            }
        }
    }

    /// <summary>A state over time, prepared for evaluation.</summary>
    internal sealed class StateTrack
    {
        /// <summary>The key times, sorted.</summary>
        internal float[] Times;
        internal float[] Values;
        internal int PreWrap;
        internal int PostWrap;

        /// <summary>Returns true if the state is on at a time. The segment is a hint for the search.</summary>
        internal bool At(float time, bool isClamped, ref int segment)
        {
            int last = Times.Length - 1;
            if (last < 0)
            {
                return false;
            }
            if (last == 0)
            {
                return Values[0] > 0.5f;
            }
            int pre = isClamped ? WrapModes.ClampForever : PreWrap;
            int post = isClamped ? WrapModes.ClampForever : PostWrap;
            switch (Evaluation.Resolve(pre, post, Times[0], Times[last], ref time))
            {
                case Evaluation.Place.First:
                    return Values[0] > 0.5f;
                case Evaluation.Place.Last:
                    return Values[last] > 0.5f;
                case Evaluation.Place.Inside:
                    segment = Search.Segment(Times, time, segment);
                    return Values[segment] > 0.5f;
                default:
                    return false;
            }
        }
    }

    internal static class Search
    {
        /// <summary>
        /// Returns the index of the last time at or before a time, which must be between the first and the last one. The
        /// guess and its neighbours are tried first.
        /// </summary>
        internal static int Segment(float[] times, float time, int guess)
        {
            if (Holds(times, guess, time))
            {
                return guess;
            }
            if (Holds(times, guess + 1, time))
            {
                return guess + 1;
            }
            if (Holds(times, guess - 1, time))
            {
                return guess - 1;
            }
            return CountAtOrBefore(times, time) - 1;
        }

        private static bool Holds(float[] times, int left, float time)
        {
            return left >= 0 && left + 1 < times.Length && times[left] <= time && time < times[left + 1];
        }

        /// <summary>Returns the number of sorted times that are at or before a time.</summary>
        internal static int CountAtOrBefore(float[] times, float time)
        {
            int low = 0;
            int high = times.Length;
            while (low < high)
            {
                int middle = low + (high - low) / 2;
                if (times[middle] <= time)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }
            return low;
        }
    }

    /// <summary>Converts curves to tracks.</summary>
    internal static class Tracks
    {
        /// <summary>The number of last tracks that a curve may join.</summary>
        private const int Candidates = 3;

        private sealed class Draft
        {
            internal Curve First;
            internal int[] Order;
            internal float[] Times;
            internal readonly System.Collections.Generic.List<int> Linear = new System.Collections.Generic.List<int>();
            internal readonly System.Collections.Generic.List<int> Curved = new System.Collections.Generic.List<int>();
        }

        /// <summary>Converts the curves from one number to another, exclusive.</summary>
        /// <exception cref="RecordingFormatException">The time of a key is NaN.</exception>
        internal static Track[] Of(Recording recording, int from, int to)
        {
            var drafts = new System.Collections.Generic.List<Draft>();
            for (int number = from; number < to; number++)
            {
                Curve curve = recording[number];
                if (curve == null || curve.Count == 0)
                {
                    continue;
                }
                Draft draft = DraftFor(drafts, number, curve);
                (IsLinear(curve) ? draft.Linear : draft.Curved).Add(number);
            }
            Track[] tracks = new Track[drafts.Count];
            for (int index = 0; index < tracks.Length; index++)
            {
                tracks[index] = Finish(recording, drafts[index]);
            }
            return tracks;
        }

        /// <summary>Converts the curve of a state.</summary>
        /// <exception cref="RecordingFormatException">The time of a key is NaN.</exception>
        internal static StateTrack State(Recording recording, int number)
        {
            Curve curve = recording[number] ?? new Curve(KeyForm.Boolean);
            int[] order = Order(number, curve);
            StateTrack track = new StateTrack();
            track.Times = new float[curve.Count];
            track.Values = new float[curve.Count];
            track.PreWrap = curve.PreWrap;
            track.PostWrap = curve.PostWrap;
            for (int key = 0; key < curve.Count; key++)
            {
                int index = order == null ? key : order[key];
                track.Times[key] = curve.Time(index);
                track.Values[key] = curve.Value(index);
            }
            return track;
        }

        private static bool IsLinear(Curve curve)
        {
            // A curve of one key has its value everywhere.
            for (int index = 0; curve.Count > 1 && index < curve.Count; index++)
            {
                if (!curve.IsLinear(index))
                {
                    return false;
                }
            }
            return true;
        }

        private static Draft DraftFor(System.Collections.Generic.List<Draft> drafts, int number, Curve curve)
        {
            for (int index = drafts.Count - 1; index >= 0 && index >= drafts.Count - Candidates; index--)
            {
                Draft other = drafts[index];
                bool isSame = other.First.PreWrap == curve.PreWrap && other.First.PostWrap == curve.PostWrap
                    && other.Order == null && other.First.SharesTimes(curve);
                if (isSame)
                {
                    return other;
                }
            }
            Draft draft = new Draft();
            draft.First = curve;
            draft.Order = Order(number, curve);
            draft.Times = new float[curve.Count];
            for (int key = 0; key < curve.Count; key++)
            {
                draft.Times[key] = curve.Time(draft.Order == null ? key : draft.Order[key]);
            }
            drafts.Add(draft);
            return draft;
        }

        /// <summary>
        /// Returns the indices of the keys sorted by time; keys with equal times keep their order. Returns null if the keys
        /// are sorted.
        /// </summary>
        private static int[] Order(int number, Curve curve)
        {
            bool isSorted = curve.Count == 0 || !float.IsNaN(curve.Time(0));
            for (int index = 1; index < curve.Count && isSorted; index++)
            {
                isSorted = curve.Time(index - 1) <= curve.Time(index);
            }
            if (isSorted)
            {
                return null;
            }
            float[] times = new float[curve.Count];
            int[] order = new int[curve.Count];
            for (int index = 0; index < order.Length; index++)
            {
                times[index] = curve.Time(index);
                order[index] = index;
                if (float.IsNaN(times[index]))
                {
                    string message = "cannot evaluate " + CurveNumbers.Name(number) + ": the time of key " + index
                        + " is not a number";
                    throw new RecordingFormatException("unplayable", null, 0, message, null, 0);
                }
            }
            Array.Sort(order, (a, b) =>
            {
                int byTime = times[a].CompareTo(times[b]);
                return byTime != 0 ? byTime : a.CompareTo(b);
            });
            return order;
        }

        private static Track Finish(Recording recording, Draft draft)
        {
            Track track = new Track();
            track.Times = draft.Times;
            track.PreWrap = draft.First.PreWrap;
            track.PostWrap = draft.First.PostWrap;
            int width = draft.Linear.Count;
            int keys = draft.Times.Length;
            track.Slots = new int[width];
            track.Values = new float[keys * width];
            for (int lane = 0; lane < width; lane++)
            {
                Curve curve = recording[draft.Linear[lane]];
                track.Slots[lane] = Sampler.SlotOf(draft.Linear[lane]);
                for (int key = 0; key < keys; key++)
                {
                    track.Values[key * width + lane] = curve.Value(draft.Order == null ? key : draft.Order[key]);
                }
            }
            track.CurvedSlots = new int[draft.Curved.Count];
            track.CurvedKeys = new CurveKey[draft.Curved.Count][];
            for (int lane = 0; lane < draft.Curved.Count; lane++)
            {
                Curve curve = recording[draft.Curved[lane]];
                track.CurvedSlots[lane] = Sampler.SlotOf(draft.Curved[lane]);
                track.CurvedKeys[lane] = new CurveKey[keys];
                for (int key = 0; key < keys; key++)
                {
                    track.CurvedKeys[lane][key] = curve[draft.Order == null ? key : draft.Order[key]];
                }
            }
            return track;
        }
    }
}

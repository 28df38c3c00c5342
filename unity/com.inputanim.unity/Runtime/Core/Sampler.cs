using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>
    /// The position of a reader of a <see cref="Sampler"/>, and its working memory. A cursor may be used with any sampler
    /// and at any time, but by one thread at a time.
    /// </summary>
    public sealed class SamplerCursor
    {
        internal readonly float[] Row = new float[Sampler.Channels];
        internal readonly int[] States = new int[4];
        internal int[] Segments = new int[0];
    }

    /// <summary>A recording prepared for evaluation: fills a <see cref="Frame"/> at any time.</summary>
    /// <remarks>
    /// The numbers are equal to the numbers of the program <c>inputanim</c>, bit for bit (docs/evaluation.md). A sampler does
    /// not change after its creation, and many threads may use it at once.
    /// </remarks>
    public sealed class Sampler
    {
        /// <summary>The number of float curves.</summary>
        internal const int Channels = CurveNumbers.Count - 4;

        private const int Sections = 4;
        private static readonly int[] Starts =
        {
            CurveNumbers.Head, CurveNumbers.LeftHand, CurveNumbers.RightHand, CurveNumbers.Gaze, CurveNumbers.Count,
        };

        private readonly Track[][] tracks = new Track[Sections][];
        private readonly int[][] poses = new int[Sections][];
        private readonly int[][] empty = new int[Sections][];
        private readonly bool[] isRecorded = new bool[Sections];
        private readonly bool[] hasJoint = new bool[2 * CurveNumbers.Joints];
        private readonly StateTrack[] states = new StateTrack[4];
        private readonly bool[] lacksPinches = new bool[2];
        private readonly Marker[] markers;
        private readonly int trackCount;

        /// <summary>Prepares a recording for evaluation. This reads and copies every key.</summary>
        /// <exception cref="RecordingFormatException">The time of a key is NaN.</exception>
        public Sampler(Recording recording)
        {
            for (int section = 0; section < Sections; section++)
            {
                // The states are between the head and the hands.
                int end = section == 0 ? CurveNumbers.States : Starts[section + 1];
                tracks[section] = Tracks.Of(recording, Starts[section], end);
                trackCount += tracks[section].Length;
                FindRecorded(recording, section, Starts[section], end);
            }
            for (int side = 0; side < 2; side++)
            {
                states[2 * side] = Tracks.State(recording, CurveNumbers.Tracked((Side)side));
                states[2 * side + 1] = Tracks.State(recording, CurveNumbers.Pinching((Side)side));
                bool hasOthers = states[2 * side].Times.Length > 0 || isRecorded[1 + side];
                lacksPinches[side] = states[2 * side + 1].Times.Length == 0 && hasOthers;
            }
            markers = Sorted(recording.Markers);
            Duration = recording.Duration;
        }

        /// <summary>
        /// True returns rotations as MRTK evaluates them: each component on its own, not normalised. Directions of the gaze
        /// stay normalised.
        /// </summary>
        public bool HasRawRotations { get; set; }

        /// <summary>True holds the first and the last value of every curve, and ignores wrap modes.</summary>
        public bool HasClampedEnds { get; set; }

        /// <summary>True returns joints also while their hand is not tracked. They are interpolated then.</summary>
        public bool HasUntrackedJoints { get; set; }

        /// <summary>The latest key time in seconds, which is how long MRTK plays the recording; 0 without keys.</summary>
        public float Duration { get; private set; }

        /// <summary>True if the head has a key.</summary>
        public bool HasHead
        {
            get { return isRecorded[0]; }
        }

        /// <summary>True if the gaze has a key.</summary>
        public bool HasGaze
        {
            get { return isRecorded[3]; }
        }

        /// <summary>The markers, sorted by time. Markers at NaN, which playback never reaches, are last.</summary>
        public IList<Marker> Markers
        {
            get { return Array.AsReadOnly(markers); }
        }

        internal Marker[] MarkerArray
        {
            get { return markers; }
        }

        /// <summary>Returns true if a joint has a key.</summary>
        public bool HasJoint(Side side, HandJoint joint)
        {
            return hasJoint[(int)side * CurveNumbers.Joints + (int)joint];
        }

        /// <summary>Returns true if a hand is recorded without its pinches.</summary>
        public bool LacksPinches(Side side)
        {
            return lacksPinches[(int)side];
        }

        /// <summary>The state left tracked, left pinching, right tracked, right pinching.</summary>
        internal StateTrack State(int index)
        {
            return states[index];
        }

        internal bool StateAt(int index, float time, SamplerCursor cursor)
        {
            return states[index].At(time, HasClampedEnds, ref cursor.States[index]);
        }

        /// <summary>Evaluates the frame at a time in seconds, and replaces all contents of the frame.</summary>
        /// <remarks>Nothing is allocated after the first call with a cursor.</remarks>
        public void Read(float time, SamplerCursor cursor, Frame frame)
        {
            if (cursor.Segments.Length != trackCount)
            {
                cursor.Segments = new int[trackCount];
            }
            float[] row = cursor.Row;
            frame.Time = time;
            int segment = 0;
            for (int section = 0; section < Sections; section++)
            {
                bool isHand = section == 1 || section == 2;
                HandFrame hand = isHand ? frame.Hand((Side)(section - 1)) : null;
                bool isShown = true;
                if (isHand)
                {
                    int state = 2 * (section - 1);
                    hand.IsTracked = StateAt(state, time, cursor);
                    hand.IsPinching = StateAt(state + 1, time, cursor);
                    hand.IsPinchUnknown = lacksPinches[section - 1];
                    isShown = hand.IsTracked || HasUntrackedJoints;
                }
                if (isShown)
                {
                    Fill(section, time, cursor, segment);
                }
                segment += tracks[section].Length;
                if (isHand)
                {
                    int joint = (section - 1) * CurveNumbers.Joints;
                    int slot = SlotOf(Starts[section]);
                    for (int index = 0; index < CurveNumbers.Joints; index++)
                    {
                        if (isShown && hasJoint[joint + index])
                        {
                            hand.SetJoint((HandJoint)index, PoseAt(row, slot + index * CurveNumbers.Pose));
                        }
                        else
                        {
                            hand.ClearJoint((HandJoint)index);
                        }
                    }
                }
            }
            frame.HasHead = isRecorded[0];
            frame.Head = isRecorded[0] ? PoseAt(row, 0) : default(InputPose);
            frame.HasGaze = isRecorded[3];
            int gaze = SlotOf(CurveNumbers.Gaze);
            frame.Gaze = isRecorded[3]
                ? new InputRay(row[gaze], row[gaze + 1], row[gaze + 2], row[gaze + 3], row[gaze + 4], row[gaze + 5])
                : default(InputRay);
        }

        /// <summary>Returns the times at a rate in Hz from a start on, up to an end. Errors do not accumulate.</summary>
        public static IEnumerable<float> TimesAt(float start, float end, double rate)
        {
            if (!Bits.IsFinite(start) || !Bits.IsFinite(end) || !(rate > 0.0))
            {
                yield break;
            }
            double length = (double)end - (double)start + 0.5 / rate;
            for (long step = 0; step / rate <= length; step++)
            {
                float time = (float)((double)start + step / rate);
                if (time > end)
                {
                    yield break;
                }
                yield return time;
            }
        }

        /// <summary>Returns the place of a float curve in a row.</summary>
        internal static int SlotOf(int curve)
        {
            return curve < CurveNumbers.States ? curve : curve - 4;
        }

        private void Fill(int section, float time, SamplerCursor cursor, int segment)
        {
            float[] row = cursor.Row;
            // Another sampler may have used the cursor and written these slots.
            foreach (int slot in empty[section])
            {
                row[slot] = 0f;
            }
            Track[] own = tracks[section];
            for (int index = 0; index < own.Length; index++)
            {
                own[index].Write(time, HasClampedEnds, ref cursor.Segments[segment + index], row);
            }
            if (!HasRawRotations)
            {
                foreach (int start in poses[section])
                {
                    Normalisation.Rotation(row, start + 3);
                }
            }
            if (section == 3 && own.Length > 0)
            {
                Normalisation.Direction(row, SlotOf(CurveNumbers.Gaze) + 3);
            }
        }

        private void FindRecorded(Recording recording, int section, int from, int to)
        {
            List<int> starts = new List<int>();
            List<int> without = new List<int>();
            int size = section == 3 ? CurveNumbers.Ray : CurveNumbers.Pose;
            for (int start = from; start < to; start += size)
            {
                if (!recording.HasKeys(start, start + size))
                {
                    continue;
                }
                isRecorded[section] = true;
                if (section == 1 || section == 2)
                {
                    hasJoint[(section - 1) * CurveNumbers.Joints + (start - from) / size] = true;
                }
                if (section != 3)
                {
                    starts.Add(SlotOf(start));
                }
                for (int curve = start; curve < start + size; curve++)
                {
                    if (recording[curve].Count == 0)
                    {
                        without.Add(SlotOf(curve));
                    }
                }
            }
            poses[section] = starts.ToArray();
            empty[section] = without.ToArray();
        }

        private static InputPose PoseAt(float[] row, int at)
        {
            return new InputPose(
                row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4], row[at + 5], row[at + 6]);
        }

        private static Marker[] Sorted(List<Marker> markers)
        {
            int[] order = new int[markers.Count];
            for (int index = 0; index < order.Length; index++)
            {
                order[index] = index;
            }
            Array.Sort(order, (a, b) =>
            {
                float first = markers[a].Time;
                float second = markers[b].Time;
                bool hasNaN = float.IsNaN(first) || float.IsNaN(second);
                int byTime = hasNaN ? float.IsNaN(first).CompareTo(float.IsNaN(second)) : first.CompareTo(second);
                return byTime != 0 ? byTime : a.CompareTo(b);
            });
            Marker[] sorted = new Marker[order.Length];
            for (int index = 0; index < order.Length; index++)
            {
                sorted[index] = markers[order[index]];
            }
            return sorted;
        }
    }
}

using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>The options of a <see cref="Recorder"/>.</summary>
    public sealed class RecorderOptions
    {
        /// <summary>The layout of the recording.</summary>
        public Layout Layout = Layout.Mrtk11;
        /// <summary>The length of the rolling buffer in seconds; 0 keeps all frames.</summary>
        public float KeepLast;
        /// <summary>The maximum number of frames per second; 0 records all.</summary>
        public double MaxRate;
        /// <summary>True moves the first frame of the recording to 0; false keeps times as given.</summary>
        public bool FromZero;

        /// <summary>Returns the defaults of MRTK's recorder: the last 30 s, at most 60 frames per second, from 0 on.</summary>
        public static RecorderOptions Mrtk()
        {
            return new RecorderOptions { KeepLast = 30f, MaxRate = 60.0, FromZero = true };
        }

        internal RecorderOptions Copy()
        {
            return (RecorderOptions)MemberwiseClone();
        }
    }

    /// <summary>Makes a recording from frames, optionally with a rolling buffer.</summary>
    /// <remarks>
    /// A pose gets a key in every frame that has it; joints only while their hand is tracked, as MRTK records them. The
    /// numbers of a frame are stored to the last bit, except for the signs of rotations: q and −q are the same rotation, and
    /// the recorder stores the one in the hemisphere of the joint's last rotation. Where a frame lacks a pose that other
    /// frames have, and in pauses, the last pose is held, because a file cannot state that a value is unknown. A full
    /// rolling buffer does not allocate. A recorder is used by one thread at a time.
    /// </remarks>
    public sealed class Recorder
    {
        private readonly RecorderOptions options;
        private readonly RecorderRows rows;
        private readonly int[] row = new int[RecorderRows.MaxWords];
        /// <summary>The last rotation of each pose.</summary>
        private readonly float[] rotations = new float[4 * Contents.Poses];
        /// <summary>The rotations of the present frame; they become the last ones once the frame is valid.</summary>
        private readonly float[] next = new float[4 * Contents.Poses];
        private readonly List<Marker> markers = new List<Marker>();
        private RecorderClock clock;
        private RateCap cap;
        /// <summary>The poses that had a rotation, one bit each.</summary>
        private ulong seen;
        private ulong states;
        private bool hasStates;
        private bool isPaused;
        private bool hasDroppedRows;

        /// <summary>Creates a recorder.</summary>
        /// <exception cref="ArgumentOutOfRangeException">
        /// The length of the rolling buffer or the maximum rate is negative or not finite.
        /// </exception>
        public Recorder(RecorderOptions recorderOptions)
            : this(recorderOptions, new RecorderRows(), new RecorderClock(recorderOptions.FromZero))
        {
        }

        private Recorder(RecorderOptions recorderOptions, RecorderRows recorderRows, RecorderClock recorderClock)
        {
            options = recorderOptions.Copy();
            if (!(options.KeepLast >= 0f) || float.IsInfinity(options.KeepLast))
            {
                throw new ArgumentOutOfRangeException(
                    "recorderOptions",
                    "invalid length of the rolling buffer: " + Text.Number(options.KeepLast)
                        + " s (must be finite and at least 0)");
            }
            if (!(options.MaxRate >= 0.0) || double.IsInfinity(options.MaxRate))
            {
                throw new ArgumentOutOfRangeException(
                    "recorderOptions", "invalid maximum rate: " + options.MaxRate + " Hz (must be finite and at least 0)");
            }
            rows = recorderRows;
            clock = recorderClock;
            cap = new RateCap(Math.Max(options.MaxRate, 1e-9));
        }

        /// <summary>The number of frames that a snapshot would contain.</summary>
        public int FrameCount
        {
            get { return rows.Count; }
        }

        /// <summary>The time from the first to the last frame of a snapshot, in seconds.</summary>
        public float Seconds
        {
            get { return rows.Count == 0 ? 0f : (float)(clock.Now - rows.FirstTime); }
        }

        /// <summary>True while the recorder is paused.</summary>
        public bool IsPaused
        {
            get { return isPaused; }
        }

        /// <summary>Records one frame. Returns false if it drops the frame: while paused, and above the maximum rate.</summary>
        /// <exception cref="ArgumentException">The frame is not valid: see <see cref="TryAdd"/>.</exception>
        public bool Add(Frame frame)
        {
            bool isRecorded;
            string error = TryAdd(frame, out isRecorded);
            if (error != null)
            {
                throw new ArgumentException(error, "frame");
            }
            return isRecorded;
        }

        /// <summary>
        /// Records one frame, and returns null. Returns an error if the time is not finite or not after the last frame, a
        /// number is not finite, or a rotation is 0. The recorder is then as it was before.
        /// </summary>
        public string TryAdd(Frame frame, out bool isRecorded)
        {
            isRecorded = false;
            if (isPaused)
            {
                return null;
            }
            RecorderClock.Tick tick;
            string error = clock.Convert(frame.Time, out tick);
            if (error != null)
            {
                return error;
            }
            ulong contents = StatesOf(frame);
            // A frame that changes a state is recorded at any rate, so that states change at their exact times.
            bool isWanted = options.MaxRate == 0.0 || cap.IsDue(frame.Time) || tick.IsFirstOfStretch || !hasStates
                || states != contents >> Contents.Tracked;
            if (!isWanted)
            {
                return null;
            }
            int length = Encode(frame, tick.Time, ref contents);
            if (length < 0)
            {
                return FrameFaults.First(frame);
            }
            rows.Add(row, length);
            clock.Accept(ref tick);
            states = contents >> Contents.Tracked;
            hasStates = true;
            if (options.MaxRate > 0.0)
            {
                cap.Count(frame.Time, tick.IsFirstOfStretch);
            }
            if (options.KeepLast > 0f)
            {
                DropBefore((double)tick.Time - (double)options.KeepLast);
            }
            isRecorded = true;
            return null;
        }

        /// <summary>Adds a marker at a time of the frames' clock, in seconds.</summary>
        /// <exception cref="ArgumentException">The time is not finite.</exception>
        public void Mark(float time, string name)
        {
            if (!Bits.IsFinite(time))
            {
                throw new ArgumentException(RecorderErrors.TimeNotFinite(time), "time");
            }
            markers.Add(new Marker(time, name));
        }

        /// <summary>Drops frames until <see cref="Resume"/>, and removes the time until then from the recording.</summary>
        public void Pause()
        {
            isPaused = true;
            clock.Pause();
        }

        /// <summary>Ends a pause.</summary>
        public void Resume()
        {
            isPaused = false;
        }

        /// <summary>Drops all frames and markers, and ends a pause.</summary>
        public void Discard()
        {
            rows.Clear();
            markers.Clear();
            clock = new RecorderClock(options.FromZero);
            cap = new RateCap(Math.Max(options.MaxRate, 1e-9));
            seen = 0;
            hasStates = false;
            isPaused = false;
            hasDroppedRows = false;
        }

        /// <summary>
        /// Copies the recorder, so that another thread can make the recording while this one continues. This takes about a
        /// millisecond for half a minute of two hands.
        /// </summary>
        public Recorder Copy()
        {
            Recorder copy = new Recorder(options, rows.Copy(), clock.Copy());
            copy.markers.AddRange(markers);
            copy.cap = cap;
            copy.seen = seen;
            copy.states = states;
            copy.hasStates = hasStates;
            copy.isPaused = isPaused;
            copy.hasDroppedRows = hasDroppedRows;
            Array.Copy(rotations, copy.rotations, rotations.Length);
            return copy;
        }

        /// <summary>Returns the recording of all frames that the recorder has kept, without stopping.</summary>
        public Recording Snapshot()
        {
            return SnapshotFrom(double.NegativeInfinity);
        }

        /// <summary>
        /// Returns the recording of the last seconds, without stopping. It begins with the last frame that is at least that
        /// old, if any.
        /// </summary>
        public Recording SnapshotLast(float seconds)
        {
            return SnapshotFrom((double)clock.Now - (double)Math.Max(seconds, 0f));
        }

        private Recording SnapshotFrom(double time)
        {
            int older = 0;
            RecorderRows.Position position = rows.First();
            while (rows.Has(position) && (double)Bits.Single(rows.Words(position)[position.Offset]) <= time)
            {
                older++;
                position = rows.Next(position);
            }
            // The last row at or before the time stays, so that the recording covers the requested time.
            int skipped = Math.Max(older - 1, 0);
            RecorderRows.Position first = rows.First();
            for (int index = 0; index < skipped; index++)
            {
                first = rows.Next(first);
            }
            double origin = options.FromZero && rows.Has(first) ? Bits.Single(rows.Words(first)[first.Offset]) : 0.0;
            Recording recording = RecordingBuilder.Build(rows, first, options.Layout, origin);
            bool isCut = hasDroppedRows || skipped > 0;
            foreach (Marker marker in markers)
            {
                float at = clock.ToRecording(marker.Time);
                bool isKept = !isCut || !rows.Has(first) || at >= Bits.Single(rows.Words(first)[first.Offset]);
                if (isKept)
                {
                    recording.Markers.Add(new Marker((float)((double)at - origin), marker.Name));
                }
            }
            return recording;
        }

        private void DropBefore(double time)
        {
            if (!rows.DropBefore(time))
            {
                return;
            }
            hasDroppedRows = true;
            float first = rows.FirstTime;
            clock.Forget(first);
            for (int index = markers.Count - 1; index >= 0; index--)
            {
                if (!(clock.ToRecording(markers[index].Time) >= first))
                {
                    markers.RemoveAt(index);
                }
            }
        }

        private static ulong StatesOf(Frame frame)
        {
            ulong contents = frame.HasGaze ? 1UL << Contents.Gaze : 0UL;
            for (int side = 0; side < 2; side++)
            {
                HandFrame hand = frame.Hand((Side)side);
                contents |= hand.IsTracked ? 1UL << (Contents.Tracked + side) : 0UL;
                if (hand.IsPinchUnknown)
                {
                    contents |= 1UL << (Contents.PinchUnknown + side);
                }
                else if (hand.IsPinching)
                {
                    contents |= 1UL << (Contents.Pinching + side);
                }
            }
            return contents;
        }

        /// <summary>Writes a frame to the row, and returns the number of words; −1 if a number is not valid.</summary>
        private int Encode(Frame frame, float time, ref ulong contents)
        {
            int at = RecorderRows.HeadWords;
            if (frame.HasHead && !AddPose(0, ref frame.Head, ref contents, ref at))
            {
                return -1;
            }
            for (int side = 0; side < 2; side++)
            {
                HandFrame hand = frame.Hand((Side)side);
                for (int joint = 0; hand.IsTracked && joint < CurveNumbers.Joints; joint++)
                {
                    InputPose pose;
                    int slot = 1 + CurveNumbers.Joints * side + joint;
                    if (hand.TryGetJoint((HandJoint)joint, out pose) && !AddPose(slot, ref pose, ref contents, ref at))
                    {
                        return -1;
                    }
                }
            }
            for (int part = 0; frame.HasGaze && part < CurveNumbers.Ray; part++)
            {
                float number = frame.Gaze.Number(part);
                if (!Bits.IsFinite(number))
                {
                    return -1;
                }
                row[at] = Bits.Of(number);
                at++;
            }
            row[0] = Bits.Of(time);
            row[1] = (int)contents;
            row[2] = (int)(contents >> 32);
            // The rotations advance only now, so that a refused frame does not change the last rotations.
            for (ulong rest = contents & Contents.AllPoses; rest != 0; rest &= rest - 1)
            {
                int slot = TrailingZeros(rest);
                Array.Copy(next, 4 * slot, rotations, 4 * slot, 4);
            }
            seen |= contents & Contents.AllPoses;
            return at;
        }

        private bool AddPose(int slot, ref InputPose pose, ref ulong contents, ref int at)
        {
            for (int part = 0; part < CurveNumbers.Pose; part++)
            {
                float number = pose.Number(part);
                if (!Bits.IsFinite(number))
                {
                    return false;
                }
                row[at + part] = Bits.Of(number);
                if (part >= 3)
                {
                    next[4 * slot + part - 3] = number;
                }
            }
            int rotation = 4 * slot;
            bool isZero = next[rotation] == 0f && next[rotation + 1] == 0f && next[rotation + 2] == 0f
                && next[rotation + 3] == 0f;
            if (isZero && !FrameFaults.IsNone(slot))
            {
                return false;
            }
            if (Contents.Has(seen, slot) && Dot(rotation) < 0.0)
            {
                for (int part = 0; part < 4; part++)
                {
                    next[rotation + part] = -next[rotation + part];
                    row[at + 3 + part] = Bits.Of(next[rotation + part]);
                }
            }
            contents |= 1UL << slot;
            at += CurveNumbers.Pose;
            return true;
        }

        private double Dot(int rotation)
        {
            double dot = 0.0;
            for (int part = rotation; part < rotation + 4; part++)
            {
                dot += (double)next[part] * (double)rotations[part];
            }
            return dot;
        }

        private static int TrailingZeros(ulong bits)
        {
            int zeros = 0;
            while ((bits & 1) == 0)
            {
                bits >>= 1;
                zeros++;
            }
            return zeros;
        }
    }

    /// <summary>Finds the first invalid number of a frame.</summary>
    internal static class FrameFaults
    {
        /// <summary>Returns true for the entry None, to which simulated hands of Unity's editor give no rotation.</summary>
        internal static bool IsNone(int slot)
        {
            return slot == 1 || slot == 1 + CurveNumbers.Joints;
        }

        /// <summary>Returns an error for the first number that is not finite, or the first rotation that is 0.</summary>
        internal static string First(Frame frame)
        {
            string fault = frame.HasHead ? Of(0, ref frame.Head, frame.Time) : null;
            for (int side = 0; side < 2; side++)
            {
                HandFrame hand = frame.Hand((Side)side);
                for (int joint = 0; fault == null && hand.IsTracked && joint < CurveNumbers.Joints; joint++)
                {
                    InputPose pose;
                    if (hand.TryGetJoint((HandJoint)joint, out pose))
                    {
                        fault = Of(1 + CurveNumbers.Joints * side + joint, ref pose, frame.Time);
                    }
                }
            }
            for (int part = 0; fault == null && frame.HasGaze && part < CurveNumbers.Ray; part++)
            {
                fault = NotFinite(CurveNumbers.Gaze + part, frame.Gaze.Number(part), frame.Time);
            }
            return fault;
        }

        private static string Of(int slot, ref InputPose pose, float time)
        {
            int curve = Contents.CurveOf(slot);
            for (int part = 0; part < CurveNumbers.Pose; part++)
            {
                string fault = NotFinite(curve + part, pose.Number(part), time);
                if (fault != null)
                {
                    return fault;
                }
            }
            bool isZero = pose.RotationX == 0f && pose.RotationY == 0f && pose.RotationZ == 0f && pose.RotationW == 0f;
            return isZero && !IsNone(slot)
                ? CurveNumbers.Name(curve + 6) + " at " + Text.Number(time)
                    + " s: expected a rotation, found x, y, z and w all 0"
                : null;
        }

        private static string NotFinite(int curve, float value, float time)
        {
            return Bits.IsFinite(value) ? null
                : CurveNumbers.Name(curve) + " at " + Text.Number(time) + " s: expected a finite number, found "
                    + Text.Number(value);
        }
    }
}

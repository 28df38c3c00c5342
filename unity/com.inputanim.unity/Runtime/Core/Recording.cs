using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>The streams of a recording.</summary>
    [Flags]
    public enum Streams
    {
        /// <summary>No stream.</summary>
        None = 0,
        /// <summary>The head, which MRTK names camera.</summary>
        Head = 1,
        /// <summary>Both hands with their states.</summary>
        Hands = 2,
        /// <summary>The gaze.</summary>
        Gaze = 4,
        /// <summary>All streams.</summary>
        All = Head | Hands | Gaze,
    }

    /// <summary>
    /// A recording: the curves of a head, two hands and a gaze, and markers. Positions are in metres and in Unity's world
    /// space; rotations are quaternions x, y, z, w.
    /// </summary>
    public sealed class Recording
    {
        private readonly Curve[] curves = new Curve[CurveNumbers.Count];
        private readonly byte[] flagBytes = new byte[3];

        /// <summary>Creates a recording with streams whose curves have no keys.</summary>
        public Recording(Layout layout, Streams streams)
        {
            Layout = layout;
            Markers = new List<Marker>();
            if (!layout.HasFlags())
            {
                // Version 1.0 has no flags, so that a head and hands are always present.
                streams |= Streams.Head | Streams.Hands;
            }
            if ((streams & Streams.Head) != 0)
            {
                Fill(CurveNumbers.Head, CurveNumbers.States);
            }
            if ((streams & Streams.Hands) != 0)
            {
                Fill(CurveNumbers.States, CurveNumbers.Gaze);
            }
            if ((streams & Streams.Gaze) != 0)
            {
                Fill(CurveNumbers.Gaze, CurveNumbers.Count);
            }
        }

        internal Recording(Layout layout, Curve[] read, byte[] flags)
        {
            Layout = layout;
            Markers = new List<Marker>();
            Array.Copy(read, curves, curves.Length);
            Array.Copy(flags, flagBytes, flagBytes.Length);
        }

        /// <summary>The layout of the file.</summary>
        public Layout Layout { get; internal set; }

        /// <summary>The markers, in the order of the file.</summary>
        public List<Marker> Markers { get; private set; }

        /// <summary>The streams that the recording has, even if they have no keys.</summary>
        public Streams Streams
        {
            get
            {
                Streams streams = curves[CurveNumbers.Head] == null ? Streams.None : Streams.Head;
                streams |= curves[CurveNumbers.States] == null ? Streams.None : Streams.Hands;
                return streams | (curves[CurveNumbers.Gaze] == null ? Streams.None : Streams.Gaze);
            }
        }

        /// <summary>Returns a curve by its number in <see cref="CurveNumbers"/>; null if its stream is absent.</summary>
        public Curve this[int curve]
        {
            get { return curves[curve]; }
        }

        /// <summary>The number of keys of all curves.</summary>
        public long KeyCount
        {
            get
            {
                long keys = 0;
                foreach (Curve curve in curves)
                {
                    keys += curve == null ? 0 : curve.Count;
                }
                return keys;
            }
        }

        /// <summary>
        /// The latest time of the last key of a curve in seconds, which is how long MRTK plays the recording; 0 without keys.
        /// </summary>
        public float Duration
        {
            get
            {
                float start, end;
                return TryGetTimeRange(out start, out end) ? Math.Max(end, 0f) : 0f;
            }
        }

        /// <summary>Finds the time range from the first to the last key in seconds. Returns false without keys.</summary>
        public bool TryGetTimeRange(out float start, out float end)
        {
            start = 0f;
            end = 0f;
            bool isFound = false;
            foreach (Curve curve in curves)
            {
                float first, last;
                if (curve == null || !curve.TryGetRange(out first, out last))
                {
                    continue;
                }
                start = isFound ? Math.Min(start, first) : first;
                end = isFound ? Math.Max(end, last) : last;
                isFound = true;
            }
            return isFound;
        }

        /// <summary>Returns true if any of the curves from one number to another, exclusive, has a key.</summary>
        internal bool HasKeys(int from, int to)
        {
            for (int curve = from; curve < to; curve++)
            {
                if (curves[curve] != null && curves[curve].Count > 0)
                {
                    return true;
                }
            }
            return false;
        }

        /// <summary>The flag bytes of a file of version 1.1: 0 for an absent stream, else the byte that was read, or 1.</summary>
        internal byte[] FlagBytes()
        {
            byte[] bytes = new byte[3];
            for (int flag = 0; flag < 3; flag++)
            {
                bool isPresent = ((int)Streams >> flag & 1) == 1;
                bytes[flag] = isPresent ? Math.Max(flagBytes[flag], (byte)1) : (byte)0;
            }
            return bytes;
        }

        private void Fill(int from, int to)
        {
            for (int curve = from; curve < to; curve++)
            {
                curves[curve] = new Curve(CurveNumbers.IsState(curve) ? KeyForm.Boolean : Layout.Form());
            }
        }
    }
}

using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>Maps times of frames to times of the recording, without pauses.</summary>
    /// <remarks>
    /// The difference of the two is constant between pauses. The first frame after a pause follows the last frame before it
    /// by the interval of the last two recorded frames, or by less if it came sooner.
    /// </remarks>
    internal sealed class RecorderClock
    {
        private const double DefaultInterval = 1.0 / 60.0;

        /// <summary>Frames without a pause between them.</summary>
        private struct Stretch
        {
            internal float First;
            internal float Last;
            /// <summary>The difference between frame time and recording time, in seconds.</summary>
            internal double Offset;

            internal float ToRecording(float time)
            {
                return (float)((double)time - Offset);
            }
        }

        /// <summary>A frame time that the clock accepts.</summary>
        internal struct Tick
        {
            /// <summary>The time in the recording.</summary>
            internal float Time;
            internal bool IsFirstOfStretch;
            internal float First;
            internal float Last;
            internal double Offset;
            internal double Interval;
        }

        private readonly bool fromZero;
        private readonly List<Stretch> stretches = new List<Stretch>();
        private double interval = DefaultInterval;
        private bool isPaused;

        internal RecorderClock(bool startsAtZero)
        {
            fromZero = startsAtZero;
        }

        internal RecorderClock Copy()
        {
            RecorderClock copy = new RecorderClock(fromZero);
            copy.stretches.AddRange(stretches);
            copy.interval = interval;
            copy.isPaused = isPaused;
            return copy;
        }

        /// <summary>Converts the time of a new frame. The frame counts once it is accepted. Returns an error, or null.</summary>
        internal string Convert(float time, out Tick tick)
        {
            tick = default(Tick);
            if (!Bits.IsFinite(time))
            {
                return RecorderErrors.TimeNotFinite(time);
            }
            if (stretches.Count == 0)
            {
                // The first frame defines the origin.
                SetFirst(ref tick, time, fromZero ? time : 0.0, interval);
                return null;
            }
            Stretch current = stretches[stretches.Count - 1];
            if (time <= current.Last)
            {
                return RecorderErrors.TimeNotAfter(time, current.Last);
            }
            double gap = (double)time - (double)current.Last;
            float previous = current.ToRecording(current.Last);
            if (isPaused && gap > interval)
            {
                // An interval below the resolution of single precision becomes the smallest step of time.
                double end = (double)current.Last - current.Offset;
                double next = Math.Max(end + interval, Bits.NextUp(previous));
                SetFirst(ref tick, time, (double)time - next, interval);
            }
            else
            {
                tick.Time = current.ToRecording(time);
                tick.First = current.First;
                tick.Last = time;
                tick.Offset = current.Offset;
                tick.Interval = gap;
            }
            if (!Bits.IsFinite(tick.Time))
            {
                return RecorderErrors.TimeNotFinite(tick.Time);
            }
            // Different frame times can be rounded to the same time of the recording.
            return tick.Time <= previous ? RecorderErrors.TimeNotAfter(tick.Time, previous) : null;
        }

        private static void SetFirst(ref Tick tick, float time, double offset, double interval)
        {
            tick.First = time;
            tick.Last = time;
            tick.Offset = offset;
            tick.Interval = interval;
            tick.IsFirstOfStretch = true;
            tick.Time = (float)((double)time - offset);
        }

        /// <summary>Makes the frame of a tick the last frame of the recording, and ends a pause.</summary>
        internal void Accept(ref Tick tick)
        {
            isPaused = false;
            interval = tick.Interval;
            Stretch stretch = default(Stretch);
            stretch.First = tick.First;
            stretch.Last = tick.Last;
            stretch.Offset = tick.Offset;
            if (stretches.Count > 0 && !tick.IsFirstOfStretch)
            {
                stretches[stretches.Count - 1] = stretch;
            }
            else
            {
                stretches.Add(stretch);
            }
        }

        internal void Pause()
        {
            isPaused = true;
        }

        /// <summary>
        /// Converts a time of the caller's clock. A time within a pause becomes the time of the last frame before the pause.
        /// </summary>
        internal float ToRecording(float time)
        {
            if (stretches.Count == 0)
            {
                return time;
            }
            int started = 0;
            while (started < stretches.Count && stretches[started].First <= time)
            {
                started++;
            }
            Stretch stretch = stretches[Math.Max(started - 1, 0)];
            bool hasEnded = started < stretches.Count || isPaused;
            return stretch.ToRecording(hasEnded ? Math.Min(time, stretch.Last) : time);
        }

        /// <summary>Returns the time of the last accepted frame in seconds of the recording; 0 before the first one.</summary>
        internal float Now
        {
            get
            {
                if (stretches.Count == 0)
                {
                    return 0f;
                }
                Stretch last = stretches[stretches.Count - 1];
                return last.ToRecording(last.Last);
            }
        }

        /// <summary>Forgets the pauses that end at or before a time of the recording in seconds.</summary>
        internal void Forget(float before)
        {
            // The stretch that contains the time is still needed, so the next one decides.
            while (stretches.Count > 1 && stretches[1].ToRecording(stretches[1].First) <= before)
            {
                stretches.RemoveAt(0);
            }
        }
    }

    /// <summary>Selects frames so that their rate stays below a maximum.</summary>
    /// <remarks>
    /// The next frame is due one interval after the time at which the recorded frame was due. A frame may come 3/8 of an
    /// interval early: enough for an unsteady source at exactly the maximum rate, and less than half an interval, which is
    /// how early every other frame of a source of twice the rate comes.
    /// </remarks>
    internal struct RateCap
    {
        private const double Early = 3.0 / 8.0;
        private double interval;
        private double due;

        internal RateCap(double rate)
        {
            interval = 1.0 / rate;
            due = double.NegativeInfinity;
        }

        internal bool IsDue(float time)
        {
            return (double)time >= due - Early * interval;
        }

        internal void Count(float time, bool restarts)
        {
            if (restarts)
            {
                due = double.NegativeInfinity;
            }
            if (!IsDue(time))
            {
                return;
            }
            double next = due + interval;
            // Keeps any two frames at least half an interval apart. A gap restarts the count.
            due = time < next ? Math.Max(next, time + (0.5 + Early) * interval) : time + interval;
        }
    }

    internal static class RecorderErrors
    {
        internal static string TimeNotFinite(float time)
        {
            return "expected a finite time, found " + Text.Number(time) + " s";
        }

        internal static string TimeNotAfter(float time, float previous)
        {
            return "expected a time after " + Text.Number(previous) + " s (the last frame), found " + Text.Number(time)
                + " s";
        }
    }
}

using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>The action of a player at the end of its range, or at its start when playing backwards.</summary>
    public enum EndAction
    {
        /// <summary>Pauses at the end.</summary>
        Hold,
        /// <summary>Stops and returns to the start, as MRTK's player does.</summary>
        Rewind,
        /// <summary>Continues at the other end.</summary>
        Loop,
    }

    /// <summary>The state of a player.</summary>
    public enum PlaybackState
    {
        /// <summary>Stopped at the start.</summary>
        Stopped,
        /// <summary>Playing.</summary>
        Playing,
        /// <summary>Paused.</summary>
        Paused,
    }

    /// <summary>The kind of a <see cref="Transition"/>.</summary>
    public enum TransitionKind
    {
        /// <summary>The device started to track a hand.</summary>
        TrackingGained,
        /// <summary>The device stopped tracking a hand.</summary>
        TrackingLost,
        /// <summary>Thumb and index finger touched.</summary>
        PinchDown,
        /// <summary>Thumb and index finger parted.</summary>
        PinchUp,
        /// <summary>Playback reached a marker.</summary>
        Marker,
    }

    /// <summary>A change during playback: a hand is found or lost, a pinch starts or ends, or a marker is reached.</summary>
    public struct Transition
    {
        /// <summary>The time in seconds of the recording.</summary>
        public float Time;
        /// <summary>The kind.</summary>
        public TransitionKind Kind;
        /// <summary>The hand; has no meaning for a marker.</summary>
        public Side Side;
        /// <summary>The name of the marker; null for a hand.</summary>
        public string Name;
    }

    /// <summary>Plays a recording against any clock, and reports transitions (docs/evaluation.md, section 6).</summary>
    /// <remarks>
    /// A state that repeats by its wrap modes outside of its keys is reported at the next key, marker or end of a step. MRTK
    /// writes no such states.
    /// </remarks>
    public sealed class Player
    {
        private struct Leg
        {
            internal float From;
            internal float To;
            /// <summary>True if the markers at the start are not reported yet.</summary>
            internal bool IsUnvisited;

            internal Leg(float from, double to, bool isUnvisited)
            {
                From = from;
                To = (float)to;
                IsUnvisited = isUnvisited;
            }
        }

        private const int MaxLoops = 1000;

        private readonly SamplerCursor cursor = new SamplerCursor();
        private readonly Frame frame = new Frame();
        /// <summary>The times of markers and of changes of states, sorted, without NaN.</summary>
        private readonly float[] stops;
        private readonly bool[] reported = new bool[4];
        private double position;
        private double rate = 1.0;
        private bool isUnvisited = true;

        /// <summary>Creates a player that is stopped at 0 and plays until the duration.</summary>
        public Player(Sampler sampler)
        {
            Sampler = sampler;
            // A range must be finite, but a damaged file can have a key at infinity.
            Range = new TimeRange(0f, Math.Min(sampler.Duration, float.MaxValue));
            stops = Stops(sampler);
        }

        /// <summary>The sampler that evaluates the recording.</summary>
        public Sampler Sampler { get; private set; }

        /// <summary>The time range that is played, in seconds.</summary>
        public TimeRange Range { get; private set; }

        /// <summary>The action at the end of the range.</summary>
        public EndAction Ending { get; set; }

        /// <summary>The state.</summary>
        public PlaybackState State { get; private set; }

        /// <summary>The time in seconds of the recording.</summary>
        public float Time
        {
            get { return (float)position; }
        }

        /// <summary>The speed: 1 is the speed of the recording, and a negative number plays backwards.</summary>
        public double Rate
        {
            get { return rate; }
            set
            {
                if (double.IsNaN(value) || double.IsInfinity(value))
                {
                    throw new ArgumentOutOfRangeException("value", "expected a finite rate, found " + value);
                }
                rate = value;
            }
        }

        /// <summary>Starts or continues playback. At the end of the range it starts again.</summary>
        public void Play()
        {
            if (State == PlaybackState.Playing)
            {
                return;
            }
            State = PlaybackState.Playing;
            if (Range.Start < Range.End)
            {
                if (rate > 0.0 && position >= Range.End)
                {
                    Jump(Range.Start);
                }
                else if (rate < 0.0 && position <= Range.Start)
                {
                    Jump(Range.End);
                }
            }
        }

        /// <summary>Pauses playback.</summary>
        public void Pause()
        {
            State = State == PlaybackState.Playing ? PlaybackState.Paused : State;
        }

        /// <summary>Stops playback, and returns to the start of the range.</summary>
        public void Stop()
        {
            State = PlaybackState.Stopped;
            Jump(Range.Start);
        }

        /// <summary>Moves to a time in seconds, limited to the range. A stopped player is then paused.</summary>
        public void Seek(float time)
        {
            if (float.IsNaN(time))
            {
                return;
            }
            State = State == PlaybackState.Stopped ? PlaybackState.Paused : State;
            Jump(Math.Min(Math.Max(time, Range.Start), Range.End));
        }

        /// <summary>Sets the range to play. A range with a bound that is not finite, or a reversed one, changes nothing.</summary>
        public void SetRange(float start, float end)
        {
            if (!Bits.IsFinite((float)(end - start)) || !(start <= end))
            {
                return;
            }
            Range = new TimeRange(start, end);
            if (State == PlaybackState.Stopped)
            {
                Stop();
            }
            else if (Time < start || Time > end)
            {
                Jump(Math.Min(Math.Max(Time, start), end));
            }
        }

        /// <summary>Returns the frame at the present time. The next call changes the same frame.</summary>
        public Frame Frame()
        {
            Sampler.Read(Time, cursor, frame);
            return frame;
        }

        /// <summary>
        /// Moves by seconds of the clock, and appends the transitions on the way to a list. A player that is not playing
        /// does not move, and reports the states at its time.
        /// </summary>
        public void Advance(float seconds, List<Transition> transitions)
        {
            double distance = (double)seconds * rate;
            bool isMoving = State == PlaybackState.Playing && !double.IsNaN(distance) && !double.IsInfinity(distance);
            if (isMoving)
            {
                Travel(distance, transitions);
            }
            else
            {
                Walk(new Leg(Time, Time, false), transitions);
            }
        }

        private void Jump(double time)
        {
            position = time;
            isUnvisited = true;
        }

        private void Travel(double distance, List<Transition> transitions)
        {
            double start = Range.Start;
            double end = Range.End;
            double length = end - start;
            bool isForward = distance >= 0.0;
            distance = Math.Abs(distance);
            double near = isForward ? end : start;
            double far = isForward ? start : end;
            double ahead = Math.Abs(near - position);
            float from = Time;
            bool wasUnvisited = isUnvisited;
            isUnvisited = false;
            double sign = isForward ? 1.0 : -1.0;
            bool isLoop = Ending == EndAction.Loop;
            // A step may end exactly at the end of the range. A forward loop is the exception: there it is at the start again.
            bool endsThere = distance == ahead && isLoop && !isForward && start < end;
            if (distance == 0.0 || distance < ahead || endsThere)
            {
                position += sign * distance;
                Walk(new Leg(from, position, wasUnvisited), transitions);
                return;
            }
            Leg first = new Leg(from, near, wasUnvisited);
            double beyond = distance - ahead;
            if (length <= 0.0 || !isLoop)
            {
                Walk(first, transitions);
                Finish(near, transitions);
                return;
            }
            // Full loops, and a remainder of up to one loop, which ends at an end of the range.
            double count = Math.Max(Math.Ceiling(beyond / length) - 1.0, 0.0);
            double rest = Math.Min(Math.Max(beyond - count * length, 0.0), length);
            if (isForward && rest == length)
            {
                count += 1.0;
                rest = 0.0;
            }
            position = far + sign * rest;
            Walk(first, transitions);
            // Each pass begins with a jump to the other end, which reaches the markers there.
            for (int loop = 0; loop < Math.Min(count, MaxLoops); loop++)
            {
                Walk(new Leg((float)far, near, true), transitions);
            }
            Walk(new Leg((float)far, position, true), transitions);
        }

        private void Finish(double end, List<Transition> transitions)
        {
            switch (Ending)
            {
                case EndAction.Rewind:
                    Stop();
                    // Playback has stopped, so it does not reach markers at the start.
                    Walk(new Leg(Range.Start, Range.Start, false), transitions);
                    break;
                case EndAction.Hold:
                    State = PlaybackState.Paused;
                    position = end;
                    break;
                default:
                    // The range has length 0, so there is no other end.
                    position = end;
                    break;
            }
        }

        /// <summary>Reports the transitions on a movement without a jump.</summary>
        private void Walk(Leg leg, List<Transition> transitions)
        {
            bool isBackward = leg.To < leg.From;
            float time = leg.From;
            bool isReached = leg.IsUnvisited;
            while (true)
            {
                ReportStates(time, time, transitions);
                if (isReached)
                {
                    ReportMarkers(time, transitions);
                }
                if (time == leg.To)
                {
                    return;
                }
                float next = NextStop(time, leg.To, isBackward);
                // No state changes between the two times. A state can end directly after a time when playing backwards.
                ReportStates((float)(((double)time + (double)next) / 2.0), time, transitions);
                time = next;
                isReached = true;
            }
        }

        private float NextStop(float time, float end, bool isBackward)
        {
            int after = Search.CountAtOrBefore(stops, time);
            if (!isBackward)
            {
                return after < stops.Length ? Math.Min(stops[after], end) : end;
            }
            int before = after - 1;
            while (before >= 0 && stops[before] >= time)
            {
                before--;
            }
            return before >= 0 ? Math.Max(stops[before], end) : end;
        }

        private void ReportMarkers(float time, List<Transition> transitions)
        {
            Marker[] markers = Sampler.MarkerArray;
            int low = 0;
            int high = markers.Length;
            while (low < high)
            {
                int middle = low + (high - low) / 2;
                // NaN is last.
                if (markers[middle].Time < time)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }
            for (int index = low; index < markers.Length && markers[index].Time == time; index++)
            {
                Transition transition = default(Transition);
                transition.Time = time;
                transition.Kind = TransitionKind.Marker;
                transition.Name = markers[index].Name;
                transitions.Add(transition);
            }
        }

        /// <summary>Reports the states at a time that differ from the reported ones.</summary>
        private void ReportStates(float at, float time, List<Transition> transitions)
        {
            for (int side = 0; side < 2; side++)
            {
                bool isTracked = Sampler.StateAt(2 * side, at, cursor);
                bool isPinching = Sampler.StateAt(2 * side + 1, at, cursor);
                // A hand is found before it pinches, and stops pinching before it is lost.
                if (isTracked && !reported[2 * side])
                {
                    Report(TransitionKind.TrackingGained, (Side)side, time, transitions);
                }
                if (isPinching != reported[2 * side + 1])
                {
                    TransitionKind kind = isPinching ? TransitionKind.PinchDown : TransitionKind.PinchUp;
                    Report(kind, (Side)side, time, transitions);
                }
                if (!isTracked && reported[2 * side])
                {
                    Report(TransitionKind.TrackingLost, (Side)side, time, transitions);
                }
                reported[2 * side] = isTracked;
                reported[2 * side + 1] = isPinching;
            }
        }

        private static void Report(TransitionKind kind, Side side, float time, List<Transition> transitions)
        {
            Transition transition = default(Transition);
            transition.Time = time;
            transition.Kind = kind;
            transition.Side = side;
            transitions.Add(transition);
        }

        private static float[] Stops(Sampler sampler)
        {
            List<float> times = new List<float>();
            foreach (Marker marker in sampler.MarkerArray)
            {
                if (!float.IsNaN(marker.Time))
                {
                    times.Add(marker.Time);
                }
            }
            for (int state = 0; state < 4; state++)
            {
                StateTrack track = sampler.State(state);
                for (int key = 1; key < track.Times.Length; key++)
                {
                    if (track.Values[key] > 0.5f != track.Values[key - 1] > 0.5f)
                    {
                        times.Add(track.Times[key]);
                    }
                }
            }
            times.Sort();
            return times.ToArray();
        }
    }
}

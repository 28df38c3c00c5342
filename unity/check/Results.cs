using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace InputAnim.Check
{
    /// <summary>An FNV-1a hash of 64 bits, as the Rust programs compute it.</summary>
    internal sealed class Hash
    {
        internal ulong Value = 0xcbf29ce484222325;

        internal void Add(byte[] bytes)
        {
            for (int index = 0; index < bytes.Length; index++)
            {
                Add(bytes[index]);
            }
        }

        internal void Add(byte number)
        {
            Value = (Value ^ number) * 0x100000001b3;
        }

        internal void Add(bool isOn)
        {
            Add(isOn ? (byte)1 : (byte)0);
        }

        internal void Add(string text)
        {
            Add(Encoding.UTF8.GetBytes(text));
        }

        internal void Add(float number)
        {
            // NaNs of different platforms differ in their bits; nothing else may.
            uint bits = float.IsNaN(number) ? uint.MaxValue : (uint)Bits.Of(number);
            ulong value = Value;
            value = (value ^ (bits & 0xff)) * 0x100000001b3;
            value = (value ^ (bits >> 8 & 0xff)) * 0x100000001b3;
            value = (value ^ (bits >> 16 & 0xff)) * 0x100000001b3;
            Value = (value ^ bits >> 24) * 0x100000001b3;
        }
    }

    /// <summary>
    /// The results for one file. The module <c>results</c> of the example <c>unity_cases</c> computes the same in Rust, in
    /// the same order.
    /// </summary>
    internal static class Results
    {
        internal static long Numbers;

        private static readonly float[] Special =
        {
            float.NaN, float.PositiveInfinity, float.NegativeInfinity, 1e30f,
        };

        private static readonly Frame SharedFrame = new Frame();
        private static readonly SamplerCursor SharedCursor = new SamplerCursor();

        internal static string Findings(Recording recording)
        {
            StringBuilder lines = new StringBuilder();
            foreach (Finding finding in Doctor.Examine(recording))
            {
                lines.Append(finding).Append('\n');
            }
            return lines.ToString();
        }

        internal static ulong Layouts(Recording recording)
        {
            Hash hash = new Hash();
            foreach (Layout layout in Enum.GetValues(typeof(Layout)))
            {
                using (MemoryStream output = new MemoryStream())
                {
                    RecordingWriter.WriteLossy(recording, output, layout);
                    hash.Add(output.ToArray());
                }
                foreach (string loss in RecordingWriter.Losses(recording, layout))
                {
                    hash.Add(loss);
                }
            }
            return hash.Value;
        }

        internal static ulong Frames(Sampler sampler, bool isFull)
        {
            Hash hash = new Hash();
            float end = Math.Min(sampler.Duration, isFull ? 100f : 5f) + 1f;
            for (int mode = 0; mode < (isFull ? 3 : 2); mode++)
            {
                sampler.HasRawRotations = mode == 1;
                sampler.HasUntrackedJoints = mode == 1;
                sampler.HasClampedEnds = mode == 2;
                foreach (float time in Sampler.TimesAt(-1f, end, isFull ? 47.0 : 3.0))
                {
                    // The frame and the cursor are shared by all recordings, so that old values would be found.
                    sampler.Read(time, SharedCursor, SharedFrame);
                    Add(SharedFrame, hash);
                }
                foreach (float time in Special)
                {
                    sampler.Read(time, SharedCursor, SharedFrame);
                    Add(SharedFrame, hash);
                }
            }
            sampler.HasClampedEnds = false;
            sampler.HasRawRotations = false;
            sampler.HasUntrackedJoints = false;
            return hash.Value;
        }

        private static void Add(Frame frame, Hash hash)
        {
            hash.Add(frame.Time);
            hash.Add(frame.HasHead);
            if (frame.HasHead)
            {
                Add(ref frame.Head, hash);
            }
            for (int side = 0; side < 2; side++)
            {
                HandFrame hand = frame.Hand((Side)side);
                hash.Add(hand.IsTracked);
                hash.Add(hand.IsPinching);
                hash.Add(hand.IsPinchUnknown);
                for (int joint = 0; joint < CurveNumbers.Joints; joint++)
                {
                    InputPose pose;
                    bool isKnown = hand.TryGetJoint((HandJoint)joint, out pose);
                    hash.Add(isKnown);
                    if (isKnown)
                    {
                        Add(ref pose, hash);
                    }
                }
            }
            hash.Add(frame.HasGaze);
            for (int part = 0; frame.HasGaze && part < CurveNumbers.Ray; part++)
            {
                Numbers++;
                hash.Add(frame.Gaze.Number(part));
            }
        }

        private static void Add(ref InputPose pose, Hash hash)
        {
            for (int part = 0; part < CurveNumbers.Pose; part++)
            {
                Numbers++;
                hash.Add(pose.Number(part));
            }
        }

        internal static ulong Recorders(Sampler sampler, Layout layout)
        {
            Hash hash = new Hash();
            Record(sampler, new Recorder(new RecorderOptions { Layout = layout }), hash);
            RecorderOptions rolling = RecorderOptions.Mrtk();
            rolling.Layout = layout;
            rolling.KeepLast = 2f;
            rolling.MaxRate = 30.0;
            Record(sampler, new Recorder(rolling), hash);
            return hash.Value;
        }

        private static void Record(Sampler sampler, Recorder recorder, Hash hash)
        {
            int number = -1;
            foreach (float time in Sampler.TimesAt(-0.5f, Math.Min(sampler.Duration, 12f) + 0.5f, 61.0))
            {
                number++;
                switch (number)
                {
                    case 100:
                        recorder.Mark(time, "mark");
                        hash.Add(true);
                        break;
                    case 120:
                        recorder.Pause();
                        break;
                    case 150:
                        recorder.Resume();
                        break;
                }
                if (number >= 40 && number < 80)
                {
                    continue;
                }
                sampler.Read(time, SharedCursor, SharedFrame);
                if (IsIn(number, 50, 10))
                {
                    SharedFrame.HasHead = false;
                }
                if (IsIn(number, 60, 20))
                {
                    SharedFrame.Left.ClearJoint(HandJoint.Palm);
                    SharedFrame.Right.ClearJoint(HandJoint.IndexTip);
                }
                if (IsIn(number, 97, 5))
                {
                    SharedFrame.HasGaze = false;
                }
                bool isRecorded;
                string error = recorder.TryAdd(SharedFrame, out isRecorded);
                if (error == null)
                {
                    hash.Add(isRecorded);
                }
                else
                {
                    hash.Add(error);
                }
            }
            foreach (Recording recording in new[] { recorder.SnapshotLast(1f), recorder.Copy().Snapshot() })
            {
                using (MemoryStream output = new MemoryStream())
                {
                    RecordingWriter.WriteLossy(recording, output, recording.Layout);
                    hash.Add(output.ToArray());
                }
            }
        }

        private static bool IsIn(int number, int period, int from)
        {
            return number % period >= from && number % period < from + 5;
        }

        /// <summary>Returns true if the states hold their values outside of their keys. The player reports others later.</summary>
        internal static bool HasPlainStates(Recording recording)
        {
            bool isPlain = recording.Duration > 0.01f;
            for (int state = CurveNumbers.States; state < CurveNumbers.LeftHand; state++)
            {
                Curve curve = recording[state];
                isPlain &= curve == null || WrapModes.Holds(curve.PreWrap) && WrapModes.Holds(curve.PostWrap);
            }
            return isPlain;
        }

        internal static ulong Playback(Sampler sampler)
        {
            Hash hash = new Hash();
            List<Transition> transitions = new List<Transition>();
            Player player = new Player(sampler);
            player.Play();
            player.Advance(player.Range.End, transitions);
            Add(transitions, hash);
            Play(sampler, EndAction.Loop, 1.75, 0.31f, hash);
            Play(sampler, EndAction.Loop, -1.25, 0.2f, hash);
            Play(sampler, EndAction.Rewind, 1.0, 0.4f, hash);
            Play(sampler, EndAction.Hold, -3.0, 0.1f, hash);
            return hash.Value;
        }

        private static void Play(Sampler sampler, EndAction ending, double rate, float step, Hash hash)
        {
            List<Transition> transitions = new List<Transition>();
            Player player = new Player(sampler);
            player.Ending = ending;
            player.Rate = rate;
            player.Seek(1f);
            player.Play();
            for (int number = 0; number < 20; number++)
            {
                player.Advance(step, transitions);
                Add(transitions, hash);
                hash.Add(player.Time);
            }
        }

        private static void Add(List<Transition> transitions, Hash hash)
        {
            foreach (Transition transition in transitions)
            {
                hash.Add(transition.Time);
                hash.Add(NameOf(transition.Kind));
                if (transition.Kind == TransitionKind.Marker)
                {
                    hash.Add(transition.Name);
                }
                else
                {
                    hash.Add((byte)transition.Side);
                }
            }
            transitions.Clear();
        }

        private static string NameOf(TransitionKind kind)
        {
            switch (kind)
            {
                case TransitionKind.TrackingGained: return "found";
                case TransitionKind.TrackingLost: return "lost";
                case TransitionKind.PinchDown: return "pinch_down";
                case TransitionKind.PinchUp: return "pinch_up";
                default: return "marker";
            }
        }
    }
}

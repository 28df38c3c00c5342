using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace InputAnim
{
    /// <summary>Writes recordings in any of the six layouts. It may be called on any thread.</summary>
    public static class RecordingWriter
    {
        private static readonly byte[] Magic = { 0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a };

        /// <summary>
        /// Returns the bytes of a recording in its own layout. A recording that was read and not changed gives the same
        /// bytes again.
        /// </summary>
        /// <exception cref="InvalidOperationException">The layout cannot store all of the recording.</exception>
        public static byte[] ToBytes(Recording recording)
        {
            return ToBytes(recording, recording.Layout);
        }

        /// <summary>Returns the bytes of a recording in a layout.</summary>
        /// <exception cref="InvalidOperationException">The layout cannot store all of the recording.</exception>
        public static byte[] ToBytes(Recording recording, Layout layout)
        {
            using (MemoryStream output = new MemoryStream())
            {
                Write(recording, output, layout);
                return output.ToArray();
            }
        }

        /// <summary>Writes a recording in a layout.</summary>
        /// <exception cref="InvalidOperationException">
        /// The layout cannot store all of the recording. Nothing is written then.
        /// </exception>
        public static void Write(Recording recording, Stream output, Layout layout)
        {
            List<string> losses = Losses(recording, layout);
            if (losses.Count > 0)
            {
                throw new InvalidOperationException(
                    "the layout " + layout.Name() + " cannot store " + string.Join(", and ", losses.ToArray()));
            }
            WriteLossy(recording, output, layout);
        }

        /// <summary>Writes a recording in a layout, and drops what the layout cannot store: see <see cref="Losses"/>.</summary>
        public static void WriteLossy(Recording recording, Stream output, Layout layout)
        {
            output.Write(Magic, 0, Magic.Length);
            WriteInt32(output, 1);
            WriteInt32(output, layout.HasFlags() ? 1 : 0);
            if (layout.HasFlags())
            {
                output.Write(recording.FlagBytes(), 0, 3);
            }
            Curve empty = new Curve(KeyForm.Simple);
            int end = layout.HasFlags() ? CurveNumbers.Count : CurveNumbers.Gaze;
            for (int number = 0; number < end; number++)
            {
                Curve curve = recording[number];
                // Version 1.0 has no flags: its readers expect the curves of the head and of the hands.
                if (curve != null || !layout.HasFlags())
                {
                    KeyForm form = CurveNumbers.IsState(number) ? KeyForm.Boolean : layout.Form();
                    WriteCurve(output, curve ?? empty, form);
                }
            }
            if (layout.HasMarkers())
            {
                WriteMarkers(output, recording.Markers);
            }
        }

        /// <summary>Returns the content of a recording that a layout cannot store (docs/format.md, section 7).</summary>
        public static List<string> Losses(Recording recording, Layout layout)
        {
            List<string> losses = new List<string>();
            if (layout.Form() == KeyForm.Simple)
            {
                AddTangents(recording, losses);
            }
            int markers = recording.Markers.Count;
            if (!layout.HasMarkers() && markers > 0)
            {
                losses.Add(Text.Count(markers, "marker"));
            }
            if (layout.HasFlags())
            {
                return losses;
            }
            Streams streams = recording.Streams;
            if ((streams & Streams.Gaze) != 0)
            {
                long keys = 0;
                for (int number = CurveNumbers.Gaze; number < CurveNumbers.Count; number++)
                {
                    keys += recording[number].Count;
                }
                losses.Add("the gaze stream (" + Text.Count(keys, "key") + ")");
            }
            if ((streams & Streams.Head) == 0)
            {
                losses.Add("the flag that says there is no head (it becomes empty curves)");
            }
            if ((streams & Streams.Hands) == 0)
            {
                losses.Add("the flag that says there are no hands (they become empty curves)");
            }
            byte[] flags = recording.FlagBytes();
            if (flags[0] > 1 || flags[1] > 1 || flags[2] > 1)
            {
                losses.Add("the unusual flag bytes [" + flags[0] + ", " + flags[1] + ", " + flags[2] + "]");
            }
            return losses;
        }

        private static void AddTangents(Recording recording, List<string> losses)
        {
            long keys = 0;
            long curves = 0;
            for (int number = 0; number < CurveNumbers.Count; number++)
            {
                Curve curve = recording[number];
                long own = 0;
                for (int index = 0; curve != null && curve.Form == KeyForm.Full && index < curve.Count; index++)
                {
                    own += curve.IsLinear(index) ? 0 : 1;
                }
                keys += own;
                curves += own > 0 ? 1 : 0;
            }
            if (keys > 0)
            {
                losses.Add(
                    "the tangents, weights or weighted modes of " + Text.Count(keys, "key") + " in "
                    + Text.Count(curves, "curve"));
            }
        }

        private static void WriteCurve(Stream output, Curve curve, KeyForm form)
        {
            WriteInt32(output, curve.PreWrap);
            WriteInt32(output, curve.PostWrap);
            WriteInt32(output, curve.Count);
            curve.Write(output, form);
        }

        private static void WriteMarkers(Stream output, List<Marker> markers)
        {
            WriteInt32(output, markers.Count);
            foreach (Marker marker in markers)
            {
                byte[] name = Encoding.UTF8.GetBytes(marker.Name);
                WriteInt32(output, marker.TimeBits);
                uint rest = (uint)name.Length;
                while (rest >= 0x80)
                {
                    output.WriteByte((byte)(rest | 0x80));
                    rest >>= 7;
                }
                output.WriteByte((byte)rest);
                output.Write(name, 0, name.Length);
            }
        }

        private static void WriteInt32(Stream output, int value)
        {
            output.WriteByte((byte)value);
            output.WriteByte((byte)(value >> 8));
            output.WriteByte((byte)(value >> 16));
            output.WriteByte((byte)(value >> 24));
        }
    }
}

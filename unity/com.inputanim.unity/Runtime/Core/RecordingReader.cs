using System;
using System.Collections.Generic;
using System.Text;

namespace InputAnim
{
    /// <summary>Reads recordings of all six layouts. It may be called on any thread.</summary>
    /// <remarks>
    /// The version in the header leaves two or four candidate layouts. The one that ends exactly at the end of the file is
    /// the layout (docs/format.md, section 3.3). The reader copies no keys: curves share the bytes of the file.
    /// </remarks>
    public static class RecordingReader
    {
        private static readonly byte[] Magic = { 0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a };

        /// <summary>Reads a well-formed recording. The bytes must not change afterwards.</summary>
        /// <exception cref="RecordingFormatException">
        /// The bytes are not exactly one recording in one of the six layouts, or exceed a limit.
        /// </exception>
        public static Recording Read(byte[] bytes)
        {
            return Read(bytes, new Limits());
        }

        /// <summary>Reads a well-formed recording within limits. The bytes must not change afterwards.</summary>
        /// <exception cref="RecordingFormatException">
        /// The bytes are not exactly one recording in one of the six layouts, or exceed a limit.
        /// </exception>
        public static Recording Read(byte[] bytes, Limits limits)
        {
            if (bytes == null)
            {
                throw new ArgumentNullException("bytes");
            }
            if (bytes.Length == 0)
            {
                throw OfFile("empty", "the file is empty (0 bytes)");
            }
            if (bytes.Length > limits.MaxBytes)
            {
                string limit = Text.Bytes(limits.MaxBytes);
                throw OfFile("too-many-bytes", "expected at most " + limit + " (the limit), found more");
            }
            if (ForeignFiles.IsText(bytes))
            {
                throw OfFile(
                    "text-dialect",
                    "a text recording of the \"4D holographic tutorials\" family, not an MRTK input animation");
            }
            if (ForeignFiles.IsSession(bytes))
            {
                throw OfFile("session", "expected a recording, found a session file");
            }
            bool hasFlags = ReadHeader(bytes);
            if (!hasFlags)
            {
                Streams streams = Streams.Head | Streams.Hands;
                return Candidate.Read(bytes, 16, streams, Layout.Mrtk10, limits).WithoutZeros().Finish(new byte[3]);
            }
            if (bytes.Length < 19)
            {
                throw Short("flags", 16, 3, bytes.Length - 16);
            }
            byte[] flags = { bytes[16], bytes[17], bytes[18] };
            return ReadWithFlags(bytes, flags, limits);
        }

        private static Recording ReadWithFlags(byte[] bytes, byte[] flags, Limits limits)
        {
            Streams streams = (flags[0] != 0 ? Streams.Head : 0) | (flags[1] != 0 ? Streams.Hands : 0)
                | (flags[2] != 0 ? Streams.Gaze : 0);
            const int Start = 19;
            Candidate simple = Candidate.Read(bytes, Start, streams, Layout.Mrtk11, limits);
            // MRTK's own layout comes first: if it fits without doubt, the second reading is not needed.
            if (simple.IsExact && simple.Implausibility == 0 && simple.List != null)
            {
                return simple.Finish(flags);
            }
            Candidate full = Candidate.Read(bytes, Start, streams, Layout.Documented11, limits);
            if (simple.IsExact && full.IsExact)
            {
                int difference = full.Implausibility - simple.Implausibility;
                bool isFull = difference < 0 || difference == 0 && full.Preference < simple.Preference;
                return (isFull ? full : simple).Finish(flags);
            }
            if (simple.IsExact || full.IsExact)
            {
                return (simple.IsExact ? simple : full).Finish(flags);
            }
            // This check comes after both forms of keys have failed, so that a valid recording is never taken for a foreign
            // file.
            if (simple.Body.Stop == null
                && ForeignFiles.IsTenCurveDialect(bytes, Start, streams, simple.Body.IntactCurves))
            {
                throw OfFile(
                    "ten-curve-dialect",
                    "a recording of the \"4D holographic tutorials\" family, not an MRTK input animation: it has ten curves "
                        + "for each pose, with scale, and named objects");
            }
            // With equal progress, MRTK's own form of keys counts.
            Candidate best = full.CompareProgress(simple) > 0 ? full : simple;
            return best.WithoutZeros().Finish(flags);
        }

        /// <summary>Reads the magic number and the version. Returns true for version 1.1, which has flags.</summary>
        private static bool ReadHeader(byte[] bytes)
        {
            int start = Math.Min(bytes.Length, Magic.Length);
            for (int index = 0; index < start; index++)
            {
                if (bytes[index] == Magic[index])
                {
                    continue;
                }
                StringBuilder found = new StringBuilder();
                for (int at = 0; at < start; at++)
                {
                    found.Append(' ').Append(bytes[at].ToString("x2"));
                }
                throw OfFile(
                    "not-input-animation", "not an input animation file: the file begins with" + found);
            }
            if (bytes.Length < 16)
            {
                throw Short("header", 0, 16, bytes.Length);
            }
            int major = Bits.Int32(bytes, 8);
            int minor = Bits.Int32(bytes, 12);
            if (major == 1 && (minor == 0 || minor == 1))
            {
                return minor == 1;
            }
            string version = major + "." + minor;
            if (major > 1 || major == 1 && minor > 1)
            {
                throw new RecordingFormatException(
                    "newer-version", "header", 8, "expected version 1.0 or 1.1, found the newer " + version, null, 0);
            }
            throw new RecordingFormatException(
                "unknown-version",
                "header",
                8,
                "expected version 1.0 or 1.1, found " + version + ", which no MRTK release writes",
                null,
                0);
        }

        private static RecordingFormatException OfFile(string kind, string message)
        {
            return new RecordingFormatException(kind, null, 0, message, null, 0);
        }

        private static RecordingFormatException Short(string part, int offset, long needed, long remaining)
        {
            Stop stop = Stop.EndOfFile(part, offset, needed, remaining);
            return new RecordingFormatException(stop.Kind, stop.Part, stop.Offset, stop.Message, null, 0);
        }
    }

    /// <summary>The place at which the reading of a candidate stopped, and the reason.</summary>
    internal sealed class Stop
    {
        internal string Kind;
        internal string Part;
        internal long Offset;
        internal string Message;

        internal Stop(string kind, string part, long offset, string message)
        {
            Kind = kind;
            Part = part;
            Offset = offset;
            Message = message;
        }

        internal static Stop EndOfFile(string part, long offset, long needed, long remaining)
        {
            string message = "expected " + Text.Bytes(needed) + " more, found the end of the file after " + remaining;
            return new Stop("end-of-file", part, offset, message);
        }

        internal static Stop Negative(string part, long offset, int count)
        {
            return new Stop("negative-count", part, offset, "expected a count of 0 or more, found " + count);
        }
    }

    /// <summary>The intact curves at the start of a file.</summary>
    internal sealed class Body
    {
        private const int HeaderSize = 12;

        internal readonly Curve[] Curves = new Curve[CurveNumbers.Count];
        internal int IntactCurves;
        /// <summary>The number of intact curves before the first one with a wrap mode that Unity does not define.</summary>
        internal int PlausibleCurves;
        internal int End;
        internal Stop Stop;

        internal Body(byte[] bytes, int start, Streams streams, KeyForm form, Limits limits)
        {
            int offset = start;
            long keysLeft = limits.MaxKeys;
            End = start;
            for (int number = 0; number < CurveNumbers.Count && Stop == null; number++)
            {
                if (!IsIn(streams, number))
                {
                    continue;
                }
                KeyForm own = CurveNumbers.IsState(number) ? KeyForm.Boolean : form;
                Curve curve = Read(bytes, ref offset, number, own, ref keysLeft, limits);
                if (curve == null)
                {
                    break;
                }
                Curves[number] = curve;
                bool isPlausible = WrapModes.IsKnown(curve.PreWrap) && WrapModes.IsKnown(curve.PostWrap);
                if (PlausibleCurves == IntactCurves && isPlausible)
                {
                    PlausibleCurves++;
                }
                IntactCurves++;
                End = offset;
            }
        }

        internal static bool IsIn(Streams streams, int curve)
        {
            Streams stream = curve < CurveNumbers.States ? Streams.Head
                : curve < CurveNumbers.Gaze ? Streams.Hands : Streams.Gaze;
            return (streams & stream) != 0;
        }

        private Curve Read(byte[] bytes, ref int offset, int number, KeyForm form, ref long keysLeft, Limits limits)
        {
            int remaining = bytes.Length - offset;
            if (remaining < HeaderSize)
            {
                Stop = Stop.EndOfFile(CurveNumbers.Name(number), offset, HeaderSize, remaining);
                return null;
            }
            int preWrap = Bits.Int32(bytes, offset);
            int postWrap = Bits.Int32(bytes, offset + 4);
            int count = Bits.Int32(bytes, offset + 8);
            if (count < 0)
            {
                Stop = Stop.Negative(CurveNumbers.Name(number), offset, count);
                return null;
            }
            long needed = (long)count * form.Size();
            remaining -= HeaderSize;
            if (needed > remaining)
            {
                string message = "expected " + count + " " + form.Name() + " keys (" + Text.Bytes(needed) + "), found "
                    + Text.Bytes(remaining) + " to the end of the file";
                Stop = new Stop("keys-beyond-end", CurveNumbers.Name(number), offset, message);
                return null;
            }
            Curve curve = new Curve(form, preWrap, postWrap, bytes, offset + HeaderSize, count);
            // This check comes after the check against the remaining bytes, so that a damaged count is reported as damage.
            if (count > keysLeft)
            {
                string message = "expected at most " + limits.MaxKeys + " keys (the limit), found more";
                Stop = new Stop("too-many-keys", CurveNumbers.Name(number), offset, message);
                return null;
            }
            keysLeft -= count;
            offset += HeaderSize + (int)needed;
            return curve;
        }
    }

    /// <summary>The intact markers at the start of a list.</summary>
    internal sealed class MarkerList
    {
        private const int MinMarker = 5;

        internal readonly List<Marker> Markers = new List<Marker>();
        internal int End;
        internal Stop Stop;
        /// <summary>The first name that .NET reads and that violates the specification.</summary>
        internal Stop Flaw;

        private readonly byte[] bytes;
        private int offset;

        internal MarkerList(byte[] file, int start, Limits limits)
        {
            bytes = file;
            offset = start;
            End = start;
            Stop = Fill(limits);
        }

        internal bool IsExact
        {
            get { return Stop == null && End == bytes.Length; }
        }

        private int Remaining
        {
            get { return bytes.Length - offset; }
        }

        private Stop Fill(Limits limits)
        {
            const string Part = "marker list";
            if (Remaining < 4)
            {
                return Stop.EndOfFile(Part, offset, 4, Remaining);
            }
            int count = Bits.Int32(bytes, offset);
            offset += 4;
            if (count < 0)
            {
                return Stop.Negative(Part, End, count);
            }
            int most = Remaining / MinMarker;
            if (Math.Min(count, most) > limits.MaxMarkers)
            {
                string message = "expected at most " + limits.MaxMarkers + " markers (the limit), found more";
                return new Stop("too-many-markers", Part, End, message);
            }
            Stop beyondEnd = null;
            if (count > most)
            {
                // The count is the cause; an unreadable marker only follows from it.
                string message = "expected " + count + " markers (at least 5 bytes each), found " + Text.Bytes(Remaining)
                    + " to the end of the file";
                beyondEnd = new Stop("markers-beyond-end", Part, End, message);
            }
            End = offset;
            for (int index = 0; index < count; index++)
            {
                Stop stop = ReadMarker(index);
                if (stop != null)
                {
                    return beyondEnd ?? stop;
                }
                End = offset;
            }
            return null;
        }

        private Stop ReadMarker(int index)
        {
            string part = "marker " + index;
            if (Remaining < 4)
            {
                return Stop.EndOfFile(part, offset, MinMarker, Remaining);
            }
            int time = Bits.Int32(bytes, offset);
            offset += 4;
            int start = offset;
            int length;
            bool isOverlong;
            Stop stop = ReadLength(part, out length, out isOverlong);
            if (stop != null)
            {
                return stop;
            }
            if (isOverlong)
            {
                Note(new Stop("name-length", part, start, LengthMessage));
            }
            if (Remaining < length)
            {
                return Stop.EndOfFile(part, offset, length, Remaining);
            }
            if (!Text.IsUtf8(bytes, offset, length))
            {
                Note(new Stop("name-not-utf8", part, start, "expected a name in UTF-8, found other bytes"));
            }
            string name = Encoding.UTF8.GetString(bytes, offset, length);
            offset += length;
            Markers.Add(new Marker(time, name));
            return null;
        }

        private const string LengthMessage =
            "expected a name length in the shortest form, with at most 31 bits, found another form";

        /// <summary>Reads the length of a string as .NET does: at most five groups of seven bits, low bits first.</summary>
        private Stop ReadLength(string part, out int length, out bool isOverlong)
        {
            int start = offset;
            ulong value = 0;
            length = 0;
            isOverlong = false;
            for (int group = 0; group < 5; group++)
            {
                if (Remaining < 1)
                {
                    return Stop.EndOfFile(part, offset, 1, Remaining);
                }
                byte next = bytes[offset];
                offset++;
                value |= (ulong)(next & 0x7f) << 7 * group;
                if ((next & 0x80) != 0)
                {
                    continue;
                }
                if (value > int.MaxValue)
                {
                    break;
                }
                length = (int)value;
                // A last group of 0 adds nothing to the value, so a shorter form exists.
                isOverlong = next == 0 && group > 0;
                return null;
            }
            return new Stop("name-length", part, start, LengthMessage);
        }

        private void Note(Stop flaw)
        {
            Flaw = Flaw ?? flaw;
        }
    }

    /// <summary>The bytes read with one form of keys.</summary>
    internal sealed class Candidate
    {
        internal Body Body;
        /// <summary>The bytes after the last curve as a marker list; null when a curve is damaged or no bytes follow.</summary>
        internal MarkerList List;

        private byte[] bytes;
        private Layout readAs;

        internal static Candidate Read(byte[] bytes, int start, Streams streams, Layout layout, Limits limits)
        {
            Candidate candidate = new Candidate();
            candidate.bytes = bytes;
            candidate.readAs = layout;
            candidate.Body = new Body(bytes, start, streams, layout.Form(), limits);
            if (candidate.Body.Stop == null && candidate.Body.End < bytes.Length)
            {
                candidate.List = new MarkerList(bytes, candidate.Body.End, limits);
            }
            return candidate;
        }

        internal bool IsExact
        {
            get { return List != null ? List.IsExact : Body.Stop == null && Body.End == bytes.Length; }
        }

        /// <summary>The evidence against a candidate that fits exactly: 2 for marker names, and 1 for wrap modes.</summary>
        internal int Implausibility
        {
            get
            {
                int names = List != null && List.Flaw != null ? 2 : 0;
                return names + (Body.PlausibleCurves < Body.IntactCurves ? 1 : 0);
            }
        }

        /// <summary>The rank of the layout among equally good candidates; lower wins.</summary>
        internal int Preference
        {
            get
            {
                switch (Layout)
                {
                    case Layout.Mrtk10:
                    case Layout.Mrtk11: return 0;
                    case Layout.Documented10:
                    case Layout.Documented11: return 1;
                    case Layout.SimpleWithoutMarkers11: return 2;
                    default: return 3;
                }
            }
        }

        internal Layout Layout
        {
            get
            {
                bool endsAfterCurves = Body.Stop == null && List == null;
                if (readAs == Layout.Mrtk10 && endsAfterCurves)
                {
                    return Layout.Documented10;
                }
                if (readAs == Layout.Mrtk11 && endsAfterCurves)
                {
                    return Layout.SimpleWithoutMarkers11;
                }
                // With full keys in version 1.1, where lists are rare, bytes after the curves count as a list only if at
                // least one marker is intact.
                bool hasList = List != null && (List.Stop == null || List.Markers.Count > 0);
                return readAs == Layout.Documented11 && hasList ? Layout.FullWithMarkers11 : readAs;
            }
        }

        /// <summary>Compares how much of the file is valid; larger is more (docs/format.md, section 3.3).</summary>
        internal int CompareProgress(Candidate other)
        {
            int plausible = Body.PlausibleCurves.CompareTo(other.Body.PlausibleCurves);
            if (plausible != 0)
            {
                return plausible;
            }
            int intact = Body.IntactCurves.CompareTo(other.Body.IntactCurves);
            return intact != 0 ? intact : Body.End.CompareTo(other.Body.End);
        }

        private Stop Stop
        {
            get
            {
                if (Body.Stop != null)
                {
                    return Body.Stop;
                }
                if (List == null)
                {
                    return null;
                }
                if (!Layout.HasMarkers())
                {
                    return Trailing(Body.End);
                }
                return List.Stop ?? (List.IsExact ? null : Trailing(List.End));
            }
        }

        private Stop Trailing(int offset)
        {
            string message = "expected the end of the file, found " + Text.Bytes(bytes.Length - offset) + " more";
            return new Stop("trailing-bytes", RecordingFormatException.EndPart, offset, message);
        }

        /// <summary>
        /// If bytes follow the last curve, drops the curves at the end whose headers are all zeros. A file system that lost
        /// the end of a save leaves zeros, which look like curves without keys.
        /// </summary>
        internal Candidate WithoutZeros()
        {
            Stop stop = Stop;
            if (stop == null || stop.Kind != "trailing-bytes")
            {
                return this;
            }
            int zeros = 0;
            int first = -1;
            for (int number = CurveNumbers.Count - 1; number >= 0; number--)
            {
                Curve curve = Body.Curves[number];
                if (curve == null)
                {
                    continue;
                }
                if (curve.Count > 0 || curve.PreWrap != 0 || curve.PostWrap != 0)
                {
                    break;
                }
                zeros++;
                first = number;
            }
            int intact = Body.IntactCurves - zeros;
            if (intact == 0 || zeros == 0)
            {
                return this;
            }
            Body.IntactCurves = intact;
            Body.End -= 12 * zeros;
            long remaining = bytes.Length - Body.End;
            string message = "expected a curve, found zeros, and " + Text.Bytes(remaining) + " to the end of the file";
            Body.Stop = new Stop("zeros", CurveNumbers.Name(first), Body.End, message);
            List = null;
            return this;
        }

        /// <summary>Returns the recording, or throws the error of the candidate.</summary>
        internal Recording Finish(byte[] flags)
        {
            Stop stop = Stop ?? (List == null ? null : List.Flaw);
            if (stop != null)
            {
                throw new RecordingFormatException(
                    stop.Kind, stop.Part, stop.Offset, stop.Message, Layout, Body.IntactCurves);
            }
            Recording recording = new Recording(Layout, Body.Curves, flags);
            if (List != null)
            {
                recording.Markers.AddRange(List.Markers);
            }
            return recording;
        }
    }

    /// <summary>Detects files of related formats (docs/format.md, section 3.5).</summary>
    internal static class ForeignFiles
    {
        private const string TextMagic = "7678548776933278406";
        private static readonly byte[] SessionMagic = { 0x89, 0x49, 0x41, 0x53, 0x45, 0x53, 0x1a, 0x0a };
        private static readonly byte[] BlockMagic = { 0x42, 0x4c, 0xcb, 0xff };

        internal static bool IsText(byte[] bytes)
        {
            int start = 0;
            // A byte order mark can precede the text.
            if (StartsWith(bytes, 0, new byte[] { 0xef, 0xbb, 0xbf }))
            {
                start = 3;
            }
            while (start < bytes.Length && IsSpace(bytes[start]))
            {
                start++;
            }
            return StartsWith(bytes, start, Encoding.ASCII.GetBytes(TextMagic));
        }

        private static bool IsSpace(byte letter)
        {
            return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f';
        }

        internal static bool IsSession(byte[] bytes)
        {
            // A session with a damaged file header is recognised by its first block.
            return StartsWith(bytes, 0, SessionMagic) || StartsWith(bytes, 24, BlockMagic) && IsSealed(bytes, 24);
        }

        /// <summary>Returns true if the 24 bytes of a header end with the CRC-32 of the others.</summary>
        private static bool IsSealed(byte[] bytes, int offset)
        {
            if (bytes.Length - offset < 24)
            {
                return false;
            }
            uint crc = uint.MaxValue;
            for (int index = 0; index < 20; index++)
            {
                crc ^= bytes[offset + index];
                for (int bit = 0; bit < 8; bit++)
                {
                    crc = (crc & 1) == 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
                }
            }
            return (int)~crc == Bits.Int32(bytes, offset + 20);
        }

        internal static bool IsTenCurveDialect(byte[] bytes, int start, Streams streams, int curves)
        {
            int all = (streams & Streams.Head) != 0 ? 10 : 0;
            all += (streams & Streams.Hands) != 0 ? 4 + 2 * 27 * 10 : 0;
            all += (streams & Streams.Gaze) != 0 ? 10 : 0;
            int enough = Math.Min(all, curves + 3);
            if (enough <= curves)
            {
                return false;
            }
            long offset = start;
            for (int curve = 0; curve < enough; curve++)
            {
                if (offset + 12 > bytes.Length)
                {
                    return false;
                }
                for (int field = 0; field < 8; field += 4)
                {
                    int mode = Bits.Int32(bytes, (int)offset + field);
                    if (mode == WrapModes.Default || !WrapModes.IsKnown(mode))
                    {
                        return false;
                    }
                }
                int keys = Bits.Int32(bytes, (int)offset + 8);
                offset += 12 + 8L * keys;
                if (keys < 0 || offset > bytes.Length)
                {
                    return false;
                }
            }
            return true;
        }

        private static bool StartsWith(byte[] bytes, int offset, byte[] start)
        {
            if (bytes.Length - offset < start.Length)
            {
                return false;
            }
            for (int index = 0; index < start.Length; index++)
            {
                if (bytes[offset + index] != start[index])
                {
                    return false;
                }
            }
            return true;
        }
    }
}

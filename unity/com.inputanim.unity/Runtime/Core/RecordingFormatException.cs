using System;

namespace InputAnim
{
    /// <summary>
    /// Bytes that are not a well-formed recording. The message says where the problem is, what was expected and what was
    /// found.
    /// </summary>
    public sealed class RecordingFormatException : FormatException
    {
        internal RecordingFormatException(string kind, string part, long offset, string message, Layout? layout, int intactCurves)
            : base(Text(part, offset, message, layout))
        {
            Kind = kind;
            Part = part;
            Offset = offset;
            Layout = layout;
            IntactCurves = intactCurves;
        }

        /// <summary>A name of this kind of error, such as <c>keys-beyond-end</c>.</summary>
        public string Kind { get; private set; }

        /// <summary>The part of the file, such as <c>left.IndexTip.rotation.w</c>; null for the complete file.</summary>
        public string Part { get; private set; }

        /// <summary>The byte offset from the start of the file.</summary>
        public long Offset { get; private set; }

        /// <summary>The most likely layout; null if the header could not be read.</summary>
        public Layout? Layout { get; private set; }

        /// <summary>The number of intact curves before the error.</summary>
        public int IntactCurves { get; private set; }

        /// <summary>Returns advice for a file at a path, with the command that helps if there is one.</summary>
        public string Advice(string path)
        {
            switch (Kind)
            {
                case "empty":
                    return "MRTK leaves an empty file when nothing was recorded; nothing can be recovered";
                case "not-input-animation":
                    return "check that this is the right file; recordings of MRTK builds before July 2019 have no header and "
                        + "cannot be read";
                case "text-dialect":
                case "ten-curve-dialect":
                    return "open it in the application that recorded it; this format shares only the magic number";
                case "newer-version":
                    return "a newer release of inputanim may read it";
                case "unknown-version":
                    return "the header is probably damaged";
                case "too-many-bytes":
                case "too-many-keys":
                case "too-many-markers":
                    return "raise the limits if you trust the file";
                case "session":
                    return "`" + Commands.Recover(path) + "` converts it to a recording";
            }
            bool isCurve = Part != "marker list" && Part != null && !Part.StartsWith("marker ", StringComparison.Ordinal)
                && Part != EndPart;
            if (Layout == null || isCurve && IntactCurves == 0)
            {
                return "no curve is intact before this byte: nothing can be recovered";
            }
            string kept = IntactCurves == 0 ? "data"
                : IntactCurves == 1 ? "1 intact curve" : IntactCurves + " intact curves";
            return "`" + Commands.Recover(path) + "` keeps the " + kept + " before this byte";
        }

        internal const string EndPart = "after the last part,";

        private static string Text(string part, long offset, string message, Layout? layout)
        {
            string text = part == null ? message : part + " at byte " + offset + ": " + message;
            return layout == null ? text : text + " (read as " + layout.Value.Name() + ")";
        }
    }

    /// <summary>The commands of the program <c>inputanim</c> that help against damage.</summary>
    public static class Commands
    {
        /// <summary>Returns the command that repairs a file.</summary>
        public static string Repair(string path)
        {
            return Of("repair", path, "repaired");
        }

        /// <summary>Returns the command that repairs a file and cuts off its end without motion.</summary>
        public static string RepairAndTrim(string path)
        {
            return Of("repair --trim-frozen", path, "repaired-trimmed");
        }

        /// <summary>Returns the command that keeps the intact parts of a file.</summary>
        public static string Recover(string path)
        {
            return Of("recover", path, "recovered");
        }

        private static string Of(string verb, string path, string suffix)
        {
            string name = System.IO.Path.GetFileNameWithoutExtension(path) + "-" + suffix + ".bin";
            return "inputanim " + verb + " " + Quoted(path) + " -o " + Quoted(name);
        }

        private static string Quoted(string path)
        {
            foreach (char letter in path)
            {
                bool isPlain = char.IsLetterOrDigit(letter) || "/\\._-:~+".IndexOf(letter) >= 0;
                if (!isPlain)
                {
                    return "\"" + path + "\"";
                }
            }
            return path;
        }
    }
}

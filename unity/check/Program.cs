using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Text;

namespace InputAnim.Check
{
    /// <summary>
    /// Compares the C# code of the package with the results of the Rust library: <c>cargo xtask unity</c> runs it under Mono.
    /// </summary>
    internal static class Program
    {
        private static readonly List<string> Failures = new List<string>();

        private static int Main(string[] arguments)
        {
            if (arguments.Length < 2)
            {
                Console.Error.WriteLine("usage: check CASES OUTPUT-FOLDER [VECTORS]");
                return 2;
            }
            Stopwatch watch = Stopwatch.StartNew();
            Dictionary<string, byte[]> files = CompareCases(arguments[0]);
            try
            {
                WriteCommands(files, arguments[1]);
                Allocations.Check(RecordingReader.Read(files["two-hands.bin"]), Failures);
                Glue.Check(files, arguments[1], Failures);
            }
            catch (Exception error)
            {
                Failures.Add(error.ToString());
            }
            if (arguments.Length > 2)
            {
                Vectors.Check(arguments[2], Failures);
            }
            foreach (string failure in Failures)
            {
                Console.Error.WriteLine(failure);
            }
            Console.WriteLine("{0} failures, {1:0.0} s", Failures.Count, watch.Elapsed.TotalSeconds);
            return Failures.Count == 0 ? 0 : 1;
        }

        /// <summary>Compares all cases, and returns the files among them by their names.</summary>
        private static Dictionary<string, byte[]> CompareCases(string path)
        {
            Dictionary<string, byte[]> byName = new Dictionary<string, byte[]>();
            int files = 0;
            int mutants = 0;
            int wellFormed = 0;
            foreach (Case next in Cases.Read(path))
            {
                files += next.IsFile ? 1 : 0;
                if (next.IsFile)
                {
                    byName[next.Name] = next.Bytes;
                }
                mutants += next.IsFile ? 0 : 1;
                wellFormed += next.Error.Length == 0 ? 1 : 0;
                try
                {
                    Compare(next);
                }
                catch (Exception error)
                {
                    Failures.Add(next.Name + ": " + error);
                }
                if (Failures.Count > 20)
                {
                    break;
                }
            }
            Console.WriteLine(
                "{0} files and {1} mutants, {2} of them well formed: same errors, findings, frames ({3} numbers), layouts, "
                    + "recordings and transitions",
                files,
                mutants,
                wellFormed,
                Results.Numbers);
            return byName;
        }

        /// <summary>Writes damaged files, and the commands that the package names for them.</summary>
        private static void WriteCommands(Dictionary<string, byte[]> files, string folder)
        {
            StringBuilder commands = new StringBuilder();
            foreach (KeyValuePair<string, byte[]> file in files)
            {
                // The inputs of the fuzz targets have other damage too.
                if (!file.Key.EndsWith(".bin", StringComparison.Ordinal))
                {
                    continue;
                }
                try
                {
                    foreach (Finding finding in Doctor.Examine(RecordingReader.Read(file.Value)))
                    {
                        commands.Append(file.Key).Append('\t').Append(finding.Command(file.Key)).Append('\n');
                        File.WriteAllBytes(Path.Combine(folder, file.Key), file.Value);
                    }
                }
                catch (RecordingFormatException)
                {
                    // Not a recording, such as a session.
                }
            }
            File.WriteAllText(Path.Combine(folder, "commands.txt"), commands.ToString());
        }

        private static void Compare(Case next)
        {
            Recording recording;
            try
            {
                recording = RecordingReader.Read(next.Bytes);
            }
            catch (RecordingFormatException error)
            {
                Expect(next, "error", next.Error, error.Message);
                return;
            }
            Expect(next, "error", next.Error, "");
            ExpectBytes(next, next.Bytes, RecordingWriter.ToBytes(recording));
            Expect(next, "findings", next.Findings, Results.Findings(recording));
            Expect(next, "layouts", next.Digests[1], Results.Layouts(recording));
            Sampler sampler;
            try
            {
                sampler = new Sampler(recording);
            }
            catch (RecordingFormatException error)
            {
                Expect(next, "error of the sampler", next.Unplayable, error.Message);
                return;
            }
            Expect(next, "error of the sampler", next.Unplayable, "");
            Expect(next, "frames", next.Digests[0], Results.Frames(sampler, next.IsFile));
            if (next.IsFile)
            {
                Expect(next, "recorder", next.Digests[2], Results.Recorders(sampler, recording.Layout));
            }
            if (Results.HasPlainStates(recording))
            {
                Expect(next, "player", next.Digests[3], Results.Playback(sampler));
            }
        }

        private static void Expect(Case next, string what, object expected, object found)
        {
            if (!expected.Equals(found))
            {
                Failures.Add(next.Name + ": " + what + "\n  expected " + expected + "\n  found    " + found);
            }
        }

        private static void ExpectBytes(Case next, byte[] expected, byte[] found)
        {
            bool isEqual = expected.Length == found.Length;
            for (int index = 0; isEqual && index < expected.Length; index++)
            {
                isEqual = expected[index] == found[index];
            }
            if (!isEqual)
            {
                Failures.Add(next.Name + ": the rewritten file differs");
            }
        }
    }
}

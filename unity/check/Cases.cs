using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace InputAnim.Check
{
    /// <summary>A file with the results that it must give.</summary>
    internal sealed class Case
    {
        internal string Name;
        internal byte[] Bytes;
        /// <summary>True for a file from outside: it gets all checks. False for a mutant.</summary>
        internal bool IsFile;
        /// <summary>The error of the reader; empty if the file is well formed.</summary>
        internal string Error;
        internal string Findings;
        /// <summary>The error of the sampler; empty if the recording can be played.</summary>
        internal string Unplayable;
        /// <summary>Checksums of the frames, the layouts, the recorder and the player.</summary>
        internal readonly ulong[] Digests = new ulong[4];
    }

    /// <summary>Reads the file that the example <c>unity_cases</c> of the crate testkit writes.</summary>
    internal static class Cases
    {
        internal static IEnumerable<Case> Read(string path)
        {
            List<byte[]> files = new List<byte[]>();
            using (BinaryReader input = new BinaryReader(File.OpenRead(path)))
            {
                while (input.BaseStream.Position < input.BaseStream.Length)
                {
                    yield return Next(input, files);
                }
            }
        }

        private static Case Next(BinaryReader input, List<byte[]> files)
        {
            Case next = new Case();
            next.IsFile = input.ReadByte() == 0;
            next.Name = ReadText(input);
            if (next.IsFile)
            {
                next.Bytes = ReadBytes(input);
                files.Add(next.Bytes);
            }
            else
            {
                next.Bytes = ReadMutant(input, files);
            }
            next.Error = ReadText(input);
            if (next.Error.Length == 0)
            {
                next.Findings = ReadText(input);
                next.Unplayable = ReadText(input);
                for (int index = 0; index < next.Digests.Length; index++)
                {
                    next.Digests[index] = input.ReadUInt64();
                }
            }
            return next;
        }

        /// <summary>Reads a mutant: the start and the end of its base, with other bytes between them.</summary>
        private static byte[] ReadMutant(BinaryReader input, List<byte[]> files)
        {
            byte[] file = files[input.ReadInt32()];
            int prefix = input.ReadInt32();
            int suffix = input.ReadInt32();
            byte[] middle = ReadBytes(input);
            byte[] bytes = new byte[prefix + middle.Length + suffix];
            Buffer.BlockCopy(file, 0, bytes, 0, prefix);
            Buffer.BlockCopy(middle, 0, bytes, prefix, middle.Length);
            Buffer.BlockCopy(file, file.Length - suffix, bytes, bytes.Length - suffix, suffix);
            return bytes;
        }

        private static string ReadText(BinaryReader input)
        {
            return Encoding.UTF8.GetString(ReadBytes(input));
        }

        private static byte[] ReadBytes(BinaryReader input)
        {
            return input.ReadBytes(input.ReadInt32());
        }
    }
}

using System.Runtime.InteropServices;

namespace InputAnim
{
    /// <summary>Reads and writes numbers as bytes in little-endian order.</summary>
    /// <remarks>
    /// Numbers of a file are kept as integers until they are used. A processor that loads a number in double precision
    /// changes the bits of some NaNs, and a rewritten file would differ.
    /// </remarks>
    internal static class Bits
    {
        [StructLayout(LayoutKind.Explicit)]
        private struct Word
        {
            [FieldOffset(0)]
            internal int Integer;
            [FieldOffset(0)]
            internal float Number;
        }

        internal static int Int32(byte[] bytes, int offset)
        {
            return bytes[offset] | bytes[offset + 1] << 8 | bytes[offset + 2] << 16 | bytes[offset + 3] << 24;
        }

        internal static float Single(byte[] bytes, int offset)
        {
            return Single(Int32(bytes, offset));
        }

        internal static float Single(int bits)
        {
            Word word = default(Word);
            word.Integer = bits;
            return word.Number;
        }

        internal static int Of(float number)
        {
            Word word = default(Word);
            word.Number = number;
            return word.Integer;
        }

        internal static void Write(byte[] bytes, int offset, int value)
        {
            bytes[offset] = (byte)value;
            bytes[offset + 1] = (byte)(value >> 8);
            bytes[offset + 2] = (byte)(value >> 16);
            bytes[offset + 3] = (byte)(value >> 24);
        }

        /// <summary>Returns the next greater number.</summary>
        internal static float NextUp(float number)
        {
            int bits = Of(number);
            if (float.IsNaN(number) || float.IsPositiveInfinity(number))
            {
                return number;
            }
            if ((bits & 0x7fffffff) == 0)
            {
                return Single(1);
            }
            return Single(bits > 0 ? bits + 1 : bits - 1);
        }

        /// <summary>Returns the next smaller number.</summary>
        internal static float NextDown(float number)
        {
            return -NextUp(-number);
        }

        internal static bool IsFinite(float number)
        {
            return (Of(number) & 0x7f800000) != 0x7f800000;
        }
    }
}

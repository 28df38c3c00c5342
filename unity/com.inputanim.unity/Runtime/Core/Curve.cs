using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>The numbers of Unity's wrap modes (docs/format.md, section 4.1). A file can contain any number.</summary>
    public static class WrapModes
    {
        /// <summary>Unity's default; curves evaluate it as <see cref="Loop"/>.</summary>
        public const int Default = 0;
        /// <summary>Holds the values at both ends.</summary>
        public const int Once = 1;
        /// <summary>Repeats the curve.</summary>
        public const int Loop = 2;
        /// <summary>Repeats the curve, every second time backwards.</summary>
        public const int PingPong = 4;
        /// <summary>Holds the values at both ends. MRTK writes only this number.</summary>
        public const int ClampForever = 8;

        /// <summary>Returns true if Unity defines the number.</summary>
        public static bool IsKnown(int mode)
        {
            return mode == Default || Holds(mode) || mode == Loop || mode == PingPong;
        }

        internal static bool Holds(int mode)
        {
            return mode == Once || mode == ClampForever;
        }
    }

    /// <summary>A key of a curve with all of its fields (docs/format.md, section 1.5).</summary>
    public struct CurveKey
    {
        /// <summary>The time in seconds.</summary>
        public float Time;
        /// <summary>The value.</summary>
        public float Value;
        /// <summary>The slope before the key, in value per second.</summary>
        public float InTangent;
        /// <summary>The slope after the key, in value per second.</summary>
        public float OutTangent;
        /// <summary>The fraction of the previous segment on which the in tangent acts.</summary>
        public float InWeight;
        /// <summary>The fraction of the next segment on which the out tangent acts.</summary>
        public float OutWeight;
        /// <summary>The sides whose weight is used: 0 neither, 1 in, 2 out, 3 both.</summary>
        public int WeightedMode;

        /// <summary>Returns a key as MRTK writes it. The segment between two such keys is exactly linear.</summary>
        public static CurveKey Linear(float time, float value)
        {
            CurveKey key = default(CurveKey);
            key.Time = time;
            key.Value = value;
            key.WeightedMode = 3;
            return key;
        }
    }

    /// <summary>
    /// The keys of one curve, as the bytes of a file, and its wrap modes. Curves that were read and not changed share the
    /// bytes of their file, and are written with the same bytes.
    /// </summary>
    public sealed class Curve
    {
        private static readonly byte[] Nothing = new byte[0];

        private byte[] bytes;
        private int start;
        private int count;
        private bool isShared;

        /// <summary>Creates a curve without keys, with the wrap modes that MRTK writes.</summary>
        public Curve(KeyForm form)
        {
            Form = form;
            bytes = Nothing;
            PreWrap = WrapModes.ClampForever;
            PostWrap = WrapModes.ClampForever;
        }

        internal Curve(KeyForm form, int preWrap, int postWrap, byte[] file, int offset, int keys)
        {
            Form = form;
            PreWrap = preWrap;
            PostWrap = postWrap;
            bytes = file;
            start = offset;
            count = keys;
            isShared = true;
        }

        /// <summary>The form of the keys.</summary>
        public KeyForm Form { get; private set; }

        /// <summary>The wrap mode before the first key.</summary>
        public int PreWrap { get; set; }

        /// <summary>The wrap mode at and after the last key.</summary>
        public int PostWrap { get; set; }

        /// <summary>The number of keys.</summary>
        public int Count
        {
            get { return count; }
        }

        /// <summary>Returns the time of a key in seconds.</summary>
        public float Time(int index)
        {
            return Bits.Single(TimeBits(index));
        }

        /// <summary>Returns the value of a key. The state of a boolean key is on above 0.5.</summary>
        public float Value(int index)
        {
            return Bits.Single(ValueBits(index));
        }

        internal int TimeBits(int index)
        {
            return Bits.Int32(bytes, Offset(index));
        }

        internal int ValueBits(int index)
        {
            return Bits.Int32(bytes, Offset(index) + 4);
        }

        /// <summary>Returns a key with all fields. A simple key is returned as the full key with the same meaning.</summary>
        public CurveKey this[int index]
        {
            get
            {
                int offset = Offset(index);
                if (Form != KeyForm.Full)
                {
                    return CurveKey.Linear(Bits.Single(bytes, offset), Bits.Single(bytes, offset + 4));
                }
                CurveKey key = default(CurveKey);
                key.Time = Bits.Single(bytes, offset);
                key.Value = Bits.Single(bytes, offset + 4);
                key.InTangent = Bits.Single(bytes, offset + 8);
                key.OutTangent = Bits.Single(bytes, offset + 12);
                key.InWeight = Bits.Single(bytes, offset + 16);
                key.OutWeight = Bits.Single(bytes, offset + 20);
                key.WeightedMode = Bits.Int32(bytes, offset + 24);
                return key;
            }
        }

        /// <summary>Appends a key that is interpolated linearly, or the key of a state.</summary>
        public void Add(float time, float value)
        {
            Add(CurveKey.Linear(time, value));
        }

        /// <summary>
        /// Appends a key. A curve of another form than <see cref="KeyForm.Full"/> stores only its time and its value.
        /// </summary>
        public void Add(CurveKey key)
        {
            Reserve(count + 1);
            int offset = Offset(count);
            count++;
            Bits.Write(bytes, offset, Bits.Of(key.Time));
            Bits.Write(bytes, offset + 4, Bits.Of(key.Value));
            if (Form == KeyForm.Full)
            {
                Bits.Write(bytes, offset + 8, Bits.Of(key.InTangent));
                Bits.Write(bytes, offset + 12, Bits.Of(key.OutTangent));
                Bits.Write(bytes, offset + 16, Bits.Of(key.InWeight));
                Bits.Write(bytes, offset + 20, Bits.Of(key.OutWeight));
                Bits.Write(bytes, offset + 24, key.WeightedMode);
            }
        }

        /// <summary>Removes all keys.</summary>
        public void Clear()
        {
            bytes = Nothing;
            start = 0;
            count = 0;
            isShared = false;
        }

        /// <summary>Makes room for keys, so that the curve does not move while it grows.</summary>
        internal void Reserve(int keys)
        {
            int size = Form.Size();
            if (!isShared && (long)keys * size <= bytes.Length)
            {
                return;
            }
            long length = Math.Max((long)keys, isShared ? 0 : 2L * count) * size;
            // An array has at most 2 GiB.
            byte[] larger = new byte[Math.Max((long)keys * size, Math.Min(length, int.MaxValue / 2))];
            Buffer.BlockCopy(bytes, start, larger, 0, count * size);
            bytes = larger;
            start = 0;
            isShared = false;
        }

        /// <summary>
        /// Returns true if tangents, weights and mode of a key have the bits of a key that MRTK writes. Only such a key can
        /// become a simple key without loss.
        /// </summary>
        public bool IsLinear(int index)
        {
            if (Form != KeyForm.Full)
            {
                return true;
            }
            int offset = Offset(index);
            int other = 0;
            for (int field = 8; field < 24; field += 4)
            {
                other |= Bits.Int32(bytes, offset + field);
            }
            return other == 0 && Bits.Int32(bytes, offset + 24) == 3;
        }

        /// <summary>Finds the earliest and the latest time of the first and the last key. Returns false without a time.</summary>
        internal bool TryGetRange(out float from, out float to)
        {
            from = 0f;
            to = 0f;
            if (count == 0)
            {
                return false;
            }
            float first = Time(0);
            float last = Time(count - 1);
            if (Bits.IsFinite(first) && Bits.IsFinite(last))
            {
                from = Math.Min(first, last);
                to = Math.Max(first, last);
                return true;
            }
            bool isFound = false;
            for (int index = 0; index < count; index++)
            {
                float time = Time(index);
                if (float.IsNaN(time))
                {
                    continue;
                }
                from = isFound ? Math.Min(from, time) : time;
                to = isFound ? Math.Max(to, time) : time;
                isFound = true;
            }
            return isFound;
        }

        /// <summary>Copies the keys in a form to an output.</summary>
        internal void Write(System.IO.Stream output, KeyForm form)
        {
            if (form == Form)
            {
                output.Write(bytes, start, count * Form.Size());
                return;
            }
            byte[] key = new byte[form.Size()];
            if (form == KeyForm.Full)
            {
                Bits.Write(key, 24, 3);
            }
            for (int index = 0; index < count; index++)
            {
                Buffer.BlockCopy(bytes, Offset(index), key, 0, 8);
                output.Write(key, 0, key.Length);
            }
        }

        /// <summary>Returns true if two curves have the same number of keys, and their key times have equal bits.</summary>
        internal bool SharesTimes(Curve other)
        {
            if (count != other.count)
            {
                return false;
            }
            for (int index = 0; index < count; index++)
            {
                if (TimeBits(index) != other.TimeBits(index))
                {
                    return false;
                }
            }
            return true;
        }

        private int Offset(int index)
        {
            return start + index * Form.Size();
        }
    }

    /// <summary>A named point in time.</summary>
    public sealed class Marker
    {
        private readonly int timeBits;

        /// <summary>Creates a marker at a time in seconds.</summary>
        public Marker(float time, string name)
        {
            if (name == null)
            {
                throw new ArgumentNullException("name");
            }
            timeBits = Bits.Of(time);
            Name = name;
        }

        internal Marker(int time, string name)
        {
            timeBits = time;
            Name = name;
        }

        /// <summary>The time in seconds.</summary>
        public float Time
        {
            get { return Bits.Single(timeBits); }
        }

        /// <summary>The name; may be empty.</summary>
        public string Name { get; private set; }

        internal int TimeBits
        {
            get { return timeBits; }
        }
    }
}

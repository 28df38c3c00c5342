using System;
using System.Collections.Generic;

namespace InputAnim
{
    /// <summary>
    /// The poses, rays and states of a frame, one bit each: 0 to 54 the poses, 55 the gaze, 56 and 57 tracked, 58 and 59
    /// pinching, 62 and 63 unknown pinches.
    /// </summary>
    /// <remarks>The poses have slots: 0 the head, 1 to 27 the left hand's joints, 28 to 54 the right hand's.</remarks>
    internal static class Contents
    {
        internal const int Poses = 1 + 2 * CurveNumbers.Joints;
        internal const int Gaze = Poses;
        internal const int Tracked = Gaze + 1;
        internal const int Pinching = Tracked + 2;
        internal const int PinchUnknown = Pinching + 4;
        internal const ulong AllPoses = (1UL << Poses) - 1;

        internal static bool Has(ulong contents, int bit)
        {
            return (contents >> bit & 1) == 1;
        }

        internal static ulong Joints(int side)
        {
            return ((1UL << CurveNumbers.Joints) - 1) << (1 + CurveNumbers.Joints * side);
        }

        /// <summary>Returns the bits of the head, the gaze and the joints of tracked hands.</summary>
        internal static ulong Expected(ulong contents)
        {
            ulong bits = 1UL | 1UL << Gaze;
            for (int side = 0; side < 2; side++)
            {
                bits |= Has(contents, Tracked + side) ? Joints(side) : 0UL;
            }
            return bits;
        }

        internal static int CountPoses(ulong contents)
        {
            int count = 0;
            for (ulong rest = contents & AllPoses; rest != 0; rest &= rest - 1)
            {
                count++;
            }
            return count;
        }

        /// <summary>Returns the first curve of the pose in a slot.</summary>
        internal static int CurveOf(int slot)
        {
            int side = (slot - 1) / CurveNumbers.Joints;
            return slot == 0 ? CurveNumbers.Head
                : CurveNumbers.Of((Side)side, (HandJoint)((slot - 1) % CurveNumbers.Joints));
        }
    }

    /// <summary>A queue of rows, which are recorded frames as words, in blocks of memory that never move.</summary>
    /// <remarks>
    /// A row has its time, its contents in two words, seven numbers for each pose and six for the gaze. Emptied blocks are
    /// used again, so that a full rolling buffer does not allocate.
    /// </remarks>
    internal sealed class RecorderRows
    {
        internal const int HeadWords = 3;
        internal const int MaxWords = HeadWords + Contents.Poses * CurveNumbers.Pose + CurveNumbers.Ray;
        /// <summary>The number of words of a block (256 KiB): 166 frames of two hands with head and gaze.</summary>
        private const int BlockWords = 1 << 16;

        private sealed class Block
        {
            internal readonly int[] Words = new int[BlockWords];
            internal int Start;
            internal int End;
            internal int Rows;
        }

        private readonly List<Block> blocks = new List<Block>();
        private readonly Stack<Block> spare = new Stack<Block>();

        /// <summary>The number of rows.</summary>
        internal int Count
        {
            get
            {
                int rows = 0;
                for (int index = 0; index < blocks.Count; index++)
                {
                    rows += blocks[index].Rows;
                }
                return rows;
            }
        }

        /// <summary>The time of the first row in seconds; 0 without rows.</summary>
        internal float FirstTime
        {
            get
            {
                Position position = First();
                return Has(position) ? Bits.Single(Words(position)[position.Offset]) : 0f;
            }
        }

        /// <summary>The position of a row.</summary>
        internal struct Position
        {
            internal int Block;
            internal int Offset;
        }

        internal Position First()
        {
            Position position = default(Position);
            position.Offset = blocks.Count > 0 ? blocks[0].Start : 0;
            return position;
        }

        internal bool Has(Position position)
        {
            return position.Block < blocks.Count && position.Offset < blocks[position.Block].End;
        }

        internal int[] Words(Position position)
        {
            return blocks[position.Block].Words;
        }

        internal Position Next(Position position)
        {
            position.Offset += Length(Words(position), position.Offset);
            if (position.Offset >= blocks[position.Block].End && position.Block + 1 < blocks.Count)
            {
                position.Block++;
                position.Offset = blocks[position.Block].Start;
            }
            return position;
        }

        internal static ulong ContentsAt(int[] words, int offset)
        {
            return (ulong)(uint)words[offset + 2] << 32 | (uint)words[offset + 1];
        }

        internal static int Length(int[] words, int offset)
        {
            return Length(ContentsAt(words, offset));
        }

        internal static int Length(ulong contents)
        {
            int gaze = Contents.Has(contents, Contents.Gaze) ? CurveNumbers.Ray : 0;
            return HeadWords + Contents.CountPoses(contents) * CurveNumbers.Pose + gaze;
        }

        /// <summary>Appends a row of some words.</summary>
        internal void Add(int[] row, int length)
        {
            Block last = blocks.Count > 0 ? blocks[blocks.Count - 1] : null;
            if (last == null || BlockWords - last.End < length)
            {
                last = spare.Count > 0 ? spare.Pop() : new Block();
                last.Start = last.End = last.Rows = 0;
                blocks.Add(last);
            }
            Buffer.BlockCopy(row, 0, last.Words, last.End * 4, length * 4);
            last.End += length;
            last.Rows++;
        }

        /// <summary>Removes all rows at or before a time, except the last of them. Returns true if it removed any.</summary>
        internal bool DropBefore(double time)
        {
            bool hasRemoved = false;
            while (true)
            {
                Position first = First();
                if (!Has(first))
                {
                    return hasRemoved;
                }
                Position second = Next(first);
                if (!Has(second) || (double)Bits.Single(Words(second)[second.Offset]) > time)
                {
                    return hasRemoved;
                }
                RemoveFirst();
                hasRemoved = true;
            }
        }

        private void RemoveFirst()
        {
            Block front = blocks[0];
            front.Start += Length(front.Words, front.Start);
            front.Rows--;
            if (front.Rows == 0 && blocks.Count > 1)
            {
                spare.Push(front);
                blocks.RemoveAt(0);
            }
        }

        internal void Clear()
        {
            for (int index = 0; index < blocks.Count; index++)
            {
                spare.Push(blocks[index]);
            }
            blocks.Clear();
        }

        /// <summary>Copies the rows. This takes about a millisecond for half a minute of two hands.</summary>
        internal RecorderRows Copy()
        {
            RecorderRows copy = new RecorderRows();
            foreach (Block block in blocks)
            {
                Block other = new Block();
                int length = block.End - block.Start;
                Buffer.BlockCopy(block.Words, block.Start * 4, other.Words, 0, length * 4);
                other.End = length;
                other.Rows = block.Rows;
                copy.blocks.Add(other);
            }
            return copy;
        }
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace InputAnim.Check
{
    /// <summary>Evaluates curves whose values public tests assert against Unity's engine.</summary>
    internal static class Vectors
    {
        internal static void Check(string path, List<string> failures)
        {
            int vectors = 0;
            int equal = 0;
            foreach (object entry in (List<object>)new Json(File.ReadAllText(path)).Read())
            {
                Dictionary<string, object> vector = (Dictionary<string, object>)entry;
                vectors++;
                float expected = Number(vector["expected"]);
                float found = Evaluate(vector);
                float tolerance = Number(vector["tolerance"]);
                bool isSame = float.IsNaN(expected) ? float.IsNaN(found) : Bits.Of(expected) == Bits.Of(found);
                equal += isSame ? 1 : 0;
                // Weighted segments are more exact than the engine.
                bool isNear = Math.Abs((double)expected - found) <= tolerance;
                if (!isSame && !isNear)
                {
                    failures.Add("vector " + vectors + ": expected " + expected + ", found " + found);
                }
            }
            Console.WriteLine("{0} vectors of Unity's engine, {1} of them equal to the last bit", vectors, equal);
        }

        private static float Evaluate(Dictionary<string, object> vector)
        {
            Recording recording = new Recording(Layout.FullWithMarkers11, Streams.Head);
            Curve curve = recording[0];
            curve.PreWrap = (int)Number(vector["pre"]);
            curve.PostWrap = (int)Number(vector["post"]);
            foreach (object entry in (List<object>)vector["keys"])
            {
                Dictionary<string, object> fields = (Dictionary<string, object>)entry;
                CurveKey key = default(CurveKey);
                key.Time = Number(fields["time"]);
                key.Value = Number(fields["value"]);
                key.InTangent = Number(fields["inTangent"]);
                key.OutTangent = Number(fields["outTangent"]);
                key.InWeight = Number(fields["inWeight"]);
                key.OutWeight = Number(fields["outWeight"]);
                key.WeightedMode = (int)Number(fields["weightedMode"]);
                curve.Add(key);
            }
            Frame frame = new Frame();
            new Sampler(recording).Read(Number(vector["time"]), new SamplerCursor(), frame);
            return frame.HasHead ? frame.Head.PositionX : 0f;
        }

        private static float Number(object value)
        {
            if (value is double)
            {
                return (float)(double)value;
            }
            switch ((string)value)
            {
                case "NaN": return float.NaN;
                case "Infinity": return float.PositiveInfinity;
                case "-Infinity": return float.NegativeInfinity;
                default: throw new FormatException("expected a number, found " + value);
            }
        }
    }

    /// <summary>Reads JSON as lists, dictionaries, strings and numbers.</summary>
    internal sealed class Json
    {
        private readonly string text;
        private int at;

        internal Json(string json)
        {
            text = json;
        }

        internal object Read()
        {
            Skip();
            switch (text[at])
            {
                case '[': return ReadList();
                case '{': return ReadObject();
                case '"': return ReadString();
                default: return ReadNumber();
            }
        }

        private List<object> ReadList()
        {
            List<object> list = new List<object>();
            at++;
            for (Skip(); text[at] != ']'; Skip())
            {
                list.Add(Read());
                Skip();
                at += text[at] == ',' ? 1 : 0;
            }
            at++;
            return list;
        }

        private Dictionary<string, object> ReadObject()
        {
            Dictionary<string, object> members = new Dictionary<string, object>();
            at++;
            for (Skip(); text[at] != '}'; Skip())
            {
                string name = ReadString();
                Skip();
                // The colon.
                at++;
                members[name] = Read();
                Skip();
                at += text[at] == ',' ? 1 : 0;
            }
            at++;
            return members;
        }

        private string ReadString()
        {
            int end = text.IndexOf('"', at + 1);
            string value = text.Substring(at + 1, end - at - 1);
            at = end + 1;
            return value;
        }

        private object ReadNumber()
        {
            int start = at;
            while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0)
            {
                at++;
            }
            return double.Parse(text.Substring(start, at - start), CultureInfo.InvariantCulture);
        }

        private void Skip()
        {
            while (char.IsWhiteSpace(text[at]))
            {
                at++;
            }
        }
    }
}

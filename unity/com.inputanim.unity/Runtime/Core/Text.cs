using System;
using System.Globalization;

namespace InputAnim
{
    /// <summary>Numbers as texts, the same on every machine.</summary>
    internal static class Text
    {
        internal static string Bytes(long count)
        {
            return count == 1 ? "1 byte" : count + " bytes";
        }

        internal static string Count(long count, string thing)
        {
            return count == 1 ? "1 " + thing : count + " " + thing + "s";
        }

        /// <summary>Returns a time with three digits after the point, rounded to even.</summary>
        internal static string Seconds(float seconds)
        {
            if (!Bits.IsFinite(seconds))
            {
                return Number(seconds);
            }
            string sign = Bits.Of(seconds) < 0 ? "-" : "";
            if (Math.Abs(seconds) >= 1 << 24)
            {
                return sign + Whole(Math.Abs(seconds)) + ".000";
            }
            // The product of a float and 1000 is exact in double precision.
            long rounded = (long)Math.Round(Math.Abs(seconds * 1000.0), MidpointRounding.ToEven);
            return sign + rounded / 1000 + "." + (rounded % 1000).ToString("000", CultureInfo.InvariantCulture);
        }

        /// <summary>Returns all digits of a number that is so large that it is whole.</summary>
        private static string Whole(float number)
        {
            int bits = Bits.Of(number);
            int exponent = (bits >> 23) - 150;
            string digits = (bits & 0x7fffff | 0x800000).ToString(CultureInfo.InvariantCulture);
            for (int step = 0; step < exponent; step++)
            {
                digits = Doubled(digits);
            }
            return digits;
        }

        private static string Doubled(string digits)
        {
            char[] doubled = new char[digits.Length + 1];
            int carry = 0;
            for (int index = digits.Length - 1; index >= 0; index--)
            {
                int digit = 2 * (digits[index] - '0') + carry;
                doubled[index + 1] = (char)('0' + digit % 10);
                carry = digit / 10;
            }
            doubled[0] = (char)('0' + carry);
            return new string(doubled, carry == 0 ? 1 : 0, doubled.Length - (carry == 0 ? 1 : 0));
        }

        /// <summary>Returns the shortest text from which the same number is read.</summary>
        internal static string Number(float number)
        {
            if (!Bits.IsFinite(number))
            {
                return float.IsNaN(number) ? "NaN" : number < 0f ? "-inf" : "inf";
            }
            string text = "0";
            for (int digits = 1; digits <= 9; digits++)
            {
                // Mono rounds the texts of single precision twice.
                text = ((double)number).ToString("E" + (digits - 1), CultureInfo.InvariantCulture);
                if (float.Parse(text, CultureInfo.InvariantCulture) == number)
                {
                    break;
                }
            }
            return Plain(text, Bits.Of(number) < 0);
        }

        /// <summary>Converts a number such as 1.5E+003 to a text without an exponent.</summary>
        private static string Plain(string text, bool isNegative)
        {
            int e = text.IndexOf('E');
            int exponent = int.Parse(text.Substring(e + 1), CultureInfo.InvariantCulture);
            string digits = text.Substring(0, e).Replace("-", "").Replace(".", "");
            digits = exponent < 0 ? new string('0', -exponent) + digits : digits;
            int point = Math.Max(exponent, 0) + 1;
            digits = digits.Length < point ? digits.PadRight(point, '0') : digits;
            string fraction = digits.Substring(point).TrimEnd('0');
            string whole = digits.Substring(0, point);
            return (isNegative ? "-" : "") + (fraction.Length == 0 ? whole : whole + "." + fraction);
        }

        /// <summary>Returns true if bytes are valid UTF-8: shortest forms, no surrogates, at most U+10FFFF.</summary>
        internal static bool IsUtf8(byte[] bytes, int start, int length)
        {
            int end = start + length;
            int at = start;
            while (at < end)
            {
                byte first = bytes[at];
                at++;
                if (first < 0x80)
                {
                    continue;
                }
                int more = first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2
                    : first >= 0xf0 && first < 0xf5 ? 3 : 0;
                if (more == 0 || end - at < more)
                {
                    return false;
                }
                // The second byte decides whether the form is the shortest one, and whether the number is valid.
                int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
                int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
                for (int index = 0; index < more; index++)
                {
                    byte next = bytes[at];
                    at++;
                    if (next < low || next > high)
                    {
                        return false;
                    }
                    low = 0x80;
                    high = 0xbf;
                }
            }
            return true;
        }
    }
}

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

namespace Mitt
{
    /// <summary>A number of JSON, with all its digits.</summary>
    public struct JsonNumber
    {
        private readonly string text;

        internal JsonNumber(string text)
        {
            this.text = text;
        }

        /// <summary>Returns the number.</summary>
        /// <exception cref="FormatException">It is no integer.</exception>
        public long ToInt64() => long.Parse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);

        /// <summary>Returns the nearest number.</summary>
        public double ToDouble() => double.Parse(text, CultureInfo.InvariantCulture);

        /// <summary>Returns the digits.</summary>
        public override string ToString() => text ?? "0";
    }

    /// <summary>
    /// Reads and writes JSON, for programs without a library for it. Objects are dictionaries, arrays are lists, numbers are
    /// <see cref="JsonNumber"/>; and there are strings, booleans and null.
    /// </summary>
    public sealed class Json
    {
        private const int MaxDepth = 256;
        private static readonly Regex Number = new Regex(@"\G-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9.eE+-])");
        private static readonly Regex Hexadecimal = new Regex(@"\G[0-9a-fA-F]{4}");
        private readonly string text;
        private int at;

        private Json(string text)
        {
            this.text = text;
        }

        /// <summary>Reads a JSON text.</summary>
        /// <exception cref="FormatException">It is not JSON; the message has the position.</exception>
        public static object Parse(string text)
        {
            var json = new Json(text);
            object value = json.Value(0);
            json.Space();
            if (json.at < text.Length)
            {
                throw json.Wrong("the end");
            }
            return value;
        }

        /// <summary>Writes a value: dictionaries, lists, strings, numbers, booleans and null.</summary>
        /// <exception cref="ArgumentException">A value is of another type, or a number that JSON lacks.</exception>
        public static string Write(object value)
        {
            var written = new StringBuilder();
            Write(value, written);
            return written.ToString();
        }

        private object Value(int depth)
        {
            if (depth > MaxDepth)
            {
                throw new FormatException($"JSON is nested deeper than {MaxDepth} at {at}");
            }
            Space();
            switch (at < text.Length ? text[at] : '\0')
            {
                case '{': return Object(depth);
                case '[': return Array(depth);
                case '"': return String();
                case 't': return Word("true", true);
                case 'f': return Word("false", false);
                case 'n': return Word("null", null);
                default:
                    Match number = Number.Match(text, at);
                    if (!number.Success)
                    {
                        throw Wrong("a value");
                    }
                    at += number.Length;
                    return new JsonNumber(number.Value);
            }
        }

        private Dictionary<string, object> Object(int depth)
        {
            var fields = new Dictionary<string, object>();
            at++;
            Space();
            if (Is('}'))
            {
                return fields;
            }
            do
            {
                Space();
                if (at >= text.Length || text[at] != '"')
                {
                    throw Wrong("a key");
                }
                string key = String();
                Space();
                if (!Is(':'))
                {
                    throw Wrong("`:`");
                }
                fields[key] = Value(depth + 1);
                Space();
            }
            while (Is(','));
            return Is('}') ? fields : throw Wrong("`,` or `}`");
        }

        private List<object> Array(int depth)
        {
            var items = new List<object>();
            at++;
            Space();
            if (Is(']'))
            {
                return items;
            }
            do
            {
                items.Add(Value(depth + 1));
                Space();
            }
            while (Is(','));
            return Is(']') ? items : throw Wrong("`,` or `]`");
        }

        private string String()
        {
            var read = new StringBuilder();
            for (at++; at < text.Length; at++)
            {
                char next = text[at];
                if (next == '"')
                {
                    at++;
                    return read.ToString();
                }
                if (next < ' ')
                {
                    throw Wrong("an escaped character");
                }
                read.Append(next == '\\' ? Escaped() : next);
            }
            throw Wrong("`\"`");
        }

        /// <summary>Reads an escape, up to its last character.</summary>
        private char Escaped()
        {
            at++;
            char kind = at < text.Length ? text[at] : '\0';
            int simple = "\"\\/bfnrt".IndexOf(kind);
            if (simple >= 0)
            {
                return "\"\\/\b\f\n\r\t"[simple];
            }
            if (kind != 'u')
            {
                throw Wrong("an escape");
            }
            at++;
            Match digits = Hexadecimal.Match(text, Math.Min(at, text.Length));
            if (!digits.Success)
            {
                throw Wrong("four hexadecimal digits");
            }
            at += 3;
            return (char)int.Parse(digits.Value, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                throw Wrong("a value");
            }
            at += word.Length;
            return value;
        }

        private bool Is(char expected)
        {
            bool there = at < text.Length && text[at] == expected;
            at += there ? 1 : 0;
            return there;
        }

        private void Space()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0)
            {
                at++;
            }
        }

        private FormatException Wrong(string expected)
        {
            string found = at < text.Length ? $"`{text[at]}`" : "the end";
            return new FormatException($"expected {expected} at {at} of the JSON text, got {found}");
        }

        private static void Write(object value, StringBuilder written)
        {
            if (value == null)
            {
                written.Append("null");
            }
            else if (value is bool truth)
            {
                written.Append(truth ? "true" : "false");
            }
            else if (value is string text)
            {
                Quote(text, written);
            }
            else if (value is double number)
            {
                if (double.IsNaN(number) || double.IsInfinity(number))
                {
                    throw new ArgumentException($"JSON has no number {number}");
                }
                written.Append(number.ToString("R", CultureInfo.InvariantCulture));
            }
            else if (value is int || value is long || value is decimal || value is JsonNumber)
            {
                written.Append(string.Format(CultureInfo.InvariantCulture, "{0}", value));
            }
            else if (value is IDictionary<string, object> fields)
            {
                Join('{', '}', fields, field =>
                {
                    Quote(field.Key, written);
                    written.Append(':');
                    Write(field.Value, written);
                }, written);
            }
            else if (value is IEnumerable items)
            {
                Join('[', ']', items.Cast<object>(), item => Write(item, written), written);
            }
            else
            {
                throw new ArgumentException($"cannot write a {value.GetType()} as JSON");
            }
        }

        private static void Join<T>(char begin, char end, IEnumerable<T> items, Action<T> write, StringBuilder written)
        {
            written.Append(begin);
            bool first = true;
            foreach (T item in items)
            {
                if (!first)
                {
                    written.Append(',');
                }
                first = false;
                write(item);
            }
            written.Append(end);
        }

        private static void Quote(string text, StringBuilder written)
        {
            written.Append('"');
            foreach (char next in text)
            {
                if (next == '"' || next == '\\')
                {
                    written.Append('\\').Append(next);
                }
                else if (next < ' ')
                {
                    written.Append("\\u").Append(((int)next).ToString("x4", CultureInfo.InvariantCulture));
                }
                else
                {
                    written.Append(next);
                }
            }
            written.Append('"');
        }
    }
}

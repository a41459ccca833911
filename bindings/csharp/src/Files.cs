using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Mitt
{
    /// <summary>Functions that need no session. All threads may call them.</summary>
    public static class Files
    {
        /// <summary>The version of the library, such as <c>0.1.0</c>.</summary>
        public static string LibraryVersion => Marshal.PtrToStringAnsi(Loader.Functions.Version());

        /// <summary>Makes a file from Markdown. The same parameters make the same bytes.</summary>
        /// <param name="format"><c>pdf</c>, <c>docx</c>, <c>html</c>, <c>pptx</c> or <c>xlsx</c>.</param>
        /// <param name="markdown">The text.</param>
        /// <param name="options">A JSON object: see <c>mitt_render</c>.</param>
        /// <param name="token">Ends the call.</param>
        public static byte[] Render(
            string format, string markdown, string options = null, CancellationToken token = default(CancellationToken))
        {
            byte[] kind = Calls.Utf8(format), text = Calls.Utf8(markdown), given = Calls.Utf8(options);
            return Calls.Bytes(token, (Functions mitt, ulong cancel, out NativeBytes result, out NativeBytes error) => mitt.Render(
                kind, Calls.Length(kind), text, Calls.Length(text), given, Calls.Length(given), cancel, out result, IntPtr.Zero,
                out error));
        }

        /// <summary>Fills a template: a Word file or a workbook with marks such as <c>{{name}}</c>.</summary>
        /// <param name="template">The file.</param>
        /// <param name="values">A JSON object.</param>
        /// <param name="options">A JSON object: see <c>mitt_fill</c>.</param>
        /// <param name="token">Ends the call.</param>
        public static byte[] Fill(
            byte[] template, string values, string options = null, CancellationToken token = default(CancellationToken))
        {
            byte[] filled = Calls.Utf8(values), given = Calls.Utf8(options);
            return Calls.Bytes(token, (Functions mitt, ulong cancel, out NativeBytes result, out NativeBytes error) => mitt.Fill(
                template, Calls.Length(template), filled, Calls.Length(filled), given, Calls.Length(given), cancel, out result, IntPtr.Zero,
                out error));
        }
    }

    /// <summary>A document of a session.</summary>
    public sealed class Document
    {
        internal Document(string json)
        {
            var fields = (Dictionary<string, object>)Mitt.Json.Parse(json);
            Name = (string)fields["name"];
            MediaType = (string)fields["media_type"];
            Characters = ((JsonNumber)fields["characters"]).ToInt64();
            Json = json;
        }

        /// <summary>The name by which calls refer to it.</summary>
        public string Name { get; }

        /// <summary>What its content is.</summary>
        public string MediaType { get; }

        /// <summary>Length of its text, in characters.</summary>
        public long Characters { get; }

        /// <summary>All that is known of it, with its tables and warnings.</summary>
        public string Json { get; }
    }

    /// <summary>A file that a tool delivered. <see cref="Session.Bytes"/> returns its content.</summary>
    public sealed class Artifact
    {
        internal Artifact(Dictionary<string, object> fields)
        {
            Name = (string)fields["name"];
            MediaType = (string)fields["media_type"];
            Size = ((JsonNumber)fields["size"]).ToInt64();
            Sha256 = (string)fields["sha256"];
            Json = Mitt.Json.Write(fields);
        }

        /// <summary>The name of the file.</summary>
        public string Name { get; }

        /// <summary>What its content is.</summary>
        public string MediaType { get; }

        /// <summary>Number of its bytes.</summary>
        public long Size { get; }

        /// <summary>Hash of its bytes, in hexadecimal digits.</summary>
        public string Sha256 { get; }

        /// <summary>All that is known of it, with its pages or sheets, and warnings.</summary>
        public string Json { get; }
    }
}

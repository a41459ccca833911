using System;
using System.Collections.Generic;
using System.Linq;

namespace Mitt
{
    /// <summary>An error of Mitt: a code, a place and a hint. Its message is the whole error, for people and models.</summary>
    public sealed class MittException : Exception
    {
        private readonly Dictionary<string, object> fields;

        internal MittException(string json, string report) : this(json, (Dictionary<string, object>)Json.Parse(json), report)
        {
        }

        private MittException(string json, Dictionary<string, object> fields, string report) : base((string)fields["text"])
        {
            this.fields = fields;
            ErrorJson = json;
            Report = report;
        }

        /// <summary>The code of mitt.h, such as 2.</summary>
        public int Code => (int)((JsonNumber)fields["code"]).ToInt64();

        /// <summary>The name of the code, such as <c>arguments</c>.</summary>
        public string Kind => (string)fields["kind"];

        /// <summary>Where the error is, such as <c>options.limits</c> or <c>/keys/0/column</c>; null if only the message says it.</summary>
        public string Place => Field("place") as string;

        /// <summary>Advice; null if there is none.</summary>
        public string Hint => Field("hint") as string;

        /// <summary>Further problems, one line each.</summary>
        public IReadOnlyList<string> Details => ((List<object>)fields["details"]).Cast<string>().ToList();

        /// <summary>True if the same call may succeed later.</summary>
        public bool IsRetryable => true.Equals(Field("retryable"));

        /// <summary>The error as JSON, with all its fields.</summary>
        public string ErrorJson { get; }

        /// <summary>The report of the call that failed, as JSON; null if it did not begin.</summary>
        public string Report { get; }

        private object Field(string name) => fields.TryGetValue(name, out object value) ? value : null;
    }

    /// <summary>An error of a tool that the caller of the tool sees. Any other exception is an error, too.</summary>
    public sealed class ToolException : Exception
    {
        /// <summary>Makes an error with its message.</summary>
        public ToolException(string message) : base(message)
        {
        }

        /// <summary><c>arguments</c>, <c>input</c>, <c>denied</c> or <c>plugin</c>, which is the default.</summary>
        public string Kind { get; set; }

        /// <summary>Advice, such as <c>ask for tea</c>.</summary>
        public string Hint { get; set; }

        /// <summary>True if the same call may succeed later.</summary>
        public bool IsRetryable { get; set; }
    }
}

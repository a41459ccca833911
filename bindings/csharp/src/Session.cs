using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Mitt
{
    /// <summary>
    /// A session: documents, delivered files and a journal of their own. All threads may use it at once. Options, arguments and reports are
    /// JSON. Each method waits for the end of its call and throws a <see cref="MittException"/> if that failed, an
    /// <see cref="OperationCanceledException"/> if the token ended it, and an <see cref="ObjectDisposedException"/> after
    /// <see cref="Dispose"/>.
    /// </summary>
    public sealed class Session : IDisposable
    {
        private readonly Handle handle;

        internal Session(Handle handle)
        {
            this.handle = handle;
        }

        /// <summary>Reads a file and adds it. The options are those of <c>mitt_session_add_document</c>.</summary>
        public Document AddDocument(
            string name, byte[] data, string options = null, CancellationToken token = default(CancellationToken))
        {
            byte[] named = Calls.Utf8(name), given = Calls.Utf8(options);
            return new Document(Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.AddDocument(session, named, Calls.Length(named), data, Calls.Length(data), given, Calls.Length(given), cancel,
                    out result, out error)));
        }

        /// <summary>Calls a tool and returns the report. The options are those of <c>mitt_session_call</c>.</summary>
        public string Call(string tool, string arguments, string options = null, CancellationToken token = default(CancellationToken))
        {
            byte[] named = Calls.Utf8(tool), passed = Calls.Utf8(arguments), given = Calls.Utf8(options);
            return Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.Call(session, named, Calls.Length(named), passed, Calls.Length(passed), given, Calls.Length(given), cancel, out result,
                    out error));
        }

        /// <summary>Runs a script and returns the report. The options are those of <c>mitt_session_script</c>.</summary>
        public string Script(string language, string source, string options = null, CancellationToken token = default(CancellationToken))
        {
            byte[] named = Calls.Utf8(language), text = Calls.Utf8(source), given = Calls.Utf8(options);
            return Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.Script(session, named, Calls.Length(named), text, Calls.Length(text), given, Calls.Length(given), cancel, out result,
                    out error));
        }

        /// <summary>Continues a call that waits for a decision, such as <c>{"decision": "approve"}</c>, and returns its report.</summary>
        public string Resume(string id, string decision, CancellationToken token = default(CancellationToken))
        {
            byte[] named = Calls.Utf8(id), given = Calls.Utf8(decision);
            return Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.Resume(session, named, Calls.Length(named), given, Calls.Length(given), cancel, out result, out error));
        }

        /// <summary>Lets a model follow an instruction and returns the report. The options are those of <c>mitt_agent_run</c>.</summary>
        public string Run(string instruction, Model model, string options = null, CancellationToken token = default(CancellationToken))
        {
            if (model == null)
            {
                throw new ArgumentNullException(nameof(model));
            }
            byte[] text = Calls.Utf8(instruction), given = Calls.Utf8(options);
            return Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.AgentRun(session, text, Calls.Length(text), given, Calls.Length(given), Callbacks.Answer, Callbacks.Keep(model),
                    Callbacks.Free, cancel, out result, out error));
        }

        /// <summary>Returns the tools of the session with the JSON Schemas of their parameters.</summary>
        public string Tools(CancellationToken token = default(CancellationToken)) =>
            Text(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.Tools(session, cancel, out result, out error));

        /// <summary>Returns what the session holds.</summary>
        public string State() =>
            Text(CancellationToken.None, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                mitt.State(session, out result, out error));

        /// <summary>Returns the delivered files, in the order of their first delivery.</summary>
        public IReadOnlyList<Artifact> Artifacts()
        {
            string json = Text(CancellationToken.None,
                (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                    mitt.Artifacts(session, out result, out error));
            return ((List<object>)Json.Parse(json)).Select(file => new Artifact((Dictionary<string, object>)file)).ToList();
        }

        /// <summary>Returns the bytes of a delivered file.</summary>
        public byte[] Bytes(string artifact)
        {
            byte[] named = Calls.Utf8(artifact);
            return Data(CancellationToken.None,
                (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                    mitt.Artifact(session, named, Calls.Length(named), out result, out error));
        }

        /// <summary>Adds a table. <paramref name="stream"/> is a structure of Arrow's C stream interface, which Mitt releases.</summary>
        public void AddTable(string name, IntPtr stream, CancellationToken token = default(CancellationToken))
        {
            byte[] named = Calls.Utf8(name);
            Data(token, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
            {
                result = default(NativeBytes);
                return mitt.AddTable(session, named, Calls.Length(named), stream, cancel, out error);
            });
        }

        /// <summary>Writes a table to a structure of Arrow's C stream interface, which the program releases.</summary>
        public void Table(string reference, IntPtr stream)
        {
            byte[] named = Calls.Utf8(reference);
            Data(CancellationToken.None, (Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error) =>
            {
                result = default(NativeBytes);
                return mitt.Table(session, named, Calls.Length(named), stream, out error);
            });
        }

        /// <summary>Closes the session, when the calls that have begun have ended. Does nothing the second time.</summary>
        public void Dispose() => handle.Dispose();

        private delegate int Giving(Functions mitt, ulong session, ulong cancel, out NativeBytes result, out NativeBytes error);

        private string Text(CancellationToken token, Giving function) => Calls.Text(Data(token, function));

        private byte[] Data(CancellationToken token, Giving function) =>
            handle.With(session => Calls.Bytes(token, (Functions mitt, ulong cancel, out NativeBytes result, out NativeBytes error) =>
                function(mitt, session, cancel, out result, out error)));
    }
}

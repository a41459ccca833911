using System;

namespace Mitt
{
    /// <summary>A host: engine, skills, limits and threads. Make one for each process. All threads may use it at once.</summary>
    public sealed class Host : IDisposable
    {
        private readonly Handle handle;

        /// <summary>Makes a host.</summary>
        /// <param name="options">A JSON object with <c>cache</c>, <c>threads</c>, <c>skills</c> and others of <c>mitt_host_new</c>.</param>
        /// <exception cref="MittException">The options are wrong, or a skill cannot be loaded.</exception>
        /// <exception cref="DllNotFoundException">The library is not there, or of another version.</exception>
        public Host(string options = null)
        {
            byte[] given = Calls.Utf8(options);
            handle = new Handle(Calls.Handle((Functions mitt, out ulong result, out NativeBytes error) =>
                mitt.HostNew(given, Calls.Length(given), out result, out error)));
        }

        /// <summary>Adds a tool, for sessions that are opened after that.</summary>
        /// <param name="definition">A JSON object with <c>name</c>, <c>description</c>, <c>parameters</c> and others of
        /// <c>mitt_host_add_tool</c>.</param>
        /// <param name="tool">The function.</param>
        /// <exception cref="MittException">The definition is wrong, or there is a tool of this name.</exception>
        public void AddTool(string definition, Tool tool)
        {
            if (tool == null)
            {
                throw new ArgumentNullException(nameof(tool));
            }
            byte[] given = Calls.Utf8(definition);
            handle.With(host => Calls.Handle((Functions mitt, out ulong result, out NativeBytes error) =>
            {
                result = 0;
                return mitt.HostAddTool(
                    host, given, Calls.Length(given), Callbacks.Answer, Callbacks.Keep(tool), Callbacks.Free, out error);
            }));
        }

        /// <summary>Opens a session.</summary>
        /// <param name="options">A JSON object with <c>tenant</c>, <c>folder</c> and others of <c>mitt_session_new</c>.</param>
        /// <param name="events">Receives each step.</param>
        /// <exception cref="MittException">The options are wrong.</exception>
        public Session Session(string options = null, Events events = null)
        {
            byte[] given = Calls.Utf8(options);
            return new Session(new Handle(handle.With(host => Calls.Handle((Functions mitt, out ulong result, out NativeBytes error) =>
                events == null
                    ? mitt.SessionNew(host, given, Calls.Length(given), null, IntPtr.Zero, null, out result, out error)
                    : mitt.SessionNew(host, given, Calls.Length(given), Callbacks.Receive, Callbacks.Keep(events), Callbacks.Free,
                        out result, out error)))));
        }

        /// <summary>Frees the host. Sessions keep what they need of it. Does nothing the second time.</summary>
        public void Dispose() => handle.Dispose();
    }
}

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Mitt
{
    /// <summary>
    /// A function of the program that models, scripts and plugins call. It gets a JSON object, which was checked against the schema, and
    /// returns JSON. It runs on threads of Mitt, by several at once. A <see cref="ToolException"/> can name a kind and a hint.
    /// </summary>
    public delegate string Tool(string arguments);

    /// <summary>
    /// A chat model. It gets the body of a chat completion of OpenAI's interface, and returns the body of its response, or only the
    /// message. It runs on threads of Mitt.
    /// </summary>
    public delegate string Model(string request);

    /// <summary>
    /// Receives the events of a session as JSON, on threads of Mitt and by several at once. It must return quickly, and calls of functions
    /// that wait fail in it. An exception of it is lost.
    /// </summary>
    public delegate void Events(string json);

    /// <summary>Functions of the program that the library calls. It gives each back when it does not need it any more.</summary>
    internal static class Callbacks
    {
        // The runtime frees the code of a callback with its delegate; these stay.
        internal static readonly Answering Answer = OnAnswer;
        internal static readonly Receiving Receive = OnEvent;
        internal static readonly Freeing Free = OnFree;

        private static int kept;

        /// <summary>How many functions the library may still call.</summary>
        internal static int Kept => Volatile.Read(ref kept);

        /// <summary>Returns a number for a function, as a pointer that the library passes on.</summary>
        internal static IntPtr Keep(object function)
        {
            Interlocked.Increment(ref kept);
            return GCHandle.ToIntPtr(GCHandle.Alloc(function));
        }

        private static int OnAnswer(IntPtr userData, IntPtr request, ulong length, ulong reply)
        {
            // No exception may leave a callback.
            byte[] answer;
            int code = 0;
            try
            {
                object function = GCHandle.FromIntPtr(userData).Target;
                string text = Text(request, length);
                // No answer is an error, which the library reports.
                answer = Calls.Utf8(function is Tool tool ? tool(text) : ((Model)function)(text));
            }
            catch (Exception error)
            {
                answer = Calls.Utf8(Described(error));
                code = 1;
                Stay(error);
            }
            if (answer == null)
            {
                return code;
            }
            int set = Loader.Functions.ReplySet(reply, answer, Calls.Length(answer));
            return set == 0 ? code : set;
        }

        /// <summary>Ends the abort of a thread: otherwise the runtime throws it again after it was caught.</summary>
        private static void Stay(Exception error)
        {
            if (error is ThreadAbortException)
            {
                Thread.ResetAbort();
            }
        }

        private static string Described(Exception error)
        {
            try
            {
                return Fields(error);
            }
            catch (Exception)
            {
                // The error is a class of the program, whose message may throw.
                return Json.Write(new Dictionary<string, object> { { "message", error.GetType().FullName } });
            }
        }

        private static string Fields(Exception error)
        {
            var json = new Dictionary<string, object>();
            if (error is ToolException refusal)
            {
                json["message"] = refusal.Message;
                json["retryable"] = refusal.IsRetryable;
                if (refusal.Kind != null)
                {
                    json["kind"] = refusal.Kind;
                }
                if (refusal.Hint != null)
                {
                    json["hint"] = refusal.Hint;
                }
            }
            else
            {
                json["message"] = error.GetType().FullName + ": " + error.Message;
            }
            return Json.Write(json);
        }

        private static void OnEvent(IntPtr userData, IntPtr json, ulong length)
        {
            try
            {
                ((Events)GCHandle.FromIntPtr(userData).Target)(Text(json, length));
            }
            catch (Exception error)
            {
                // Nobody waits for an answer, and no exception may leave a callback.
                Stay(error);
            }
        }

        private static void OnFree(IntPtr userData)
        {
            GCHandle.FromIntPtr(userData).Free();
            Interlocked.Decrement(ref kept);
        }

        private static string Text(IntPtr data, ulong length)
        {
            var bytes = new byte[length];
            if (bytes.Length > 0)
            {
                Marshal.Copy(data, bytes, 0, bytes.Length);
            }
            return Calls.Text(bytes);
        }
    }
}

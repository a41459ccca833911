using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Mitt
{
    /// <summary>A handle of a host, a session or a flag. It is freed once, at the latest by the garbage collector.</summary>
    internal sealed class Handle : SafeHandle
    {
        internal Handle(ulong number) : base(IntPtr.Zero, true)
        {
            SetHandle(new IntPtr(unchecked((long)number)));
        }

        /// <summary>True after Dispose. The base class closes only when no thread uses the handle, which may be never.</summary>
        private volatile bool disposed;

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override void Dispose(bool disposing)
        {
            disposed = true;
            base.Dispose(disposing);
        }

        protected override bool ReleaseHandle() => Loader.Functions.HandleFree(unchecked((ulong)handle.ToInt64())) == 0;

        /// <summary>Calls a function with the number, which stays valid until the function returns.</summary>
        /// <exception cref="ObjectDisposedException">The handle was freed.</exception>
        internal T With<T>(Func<ulong, T> function)
        {
            if (disposed)
            {
                throw new ObjectDisposedException(null);
            }
            bool added = false;
            try
            {
                DangerousAddRef(ref added);
                return function(unchecked((ulong)handle.ToInt64()));
            }
            finally
            {
                if (added)
                {
                    DangerousRelease();
                }
            }
        }
    }

    /// <summary>How a function of the library is called: its results, its error as an exception, a token that ends it.</summary>
    internal static class Calls
    {
        private const int Cancelled = 14;

        internal delegate int Giving(Functions mitt, ulong cancel, out NativeBytes result, out NativeBytes error);

        internal delegate int Making(Functions mitt, out ulong result, out NativeBytes error);

        /// <summary>Returns the UTF-8 bytes of a text; null stands for no text.</summary>
        internal static byte[] Utf8(string text) => text == null ? null : Encoding.UTF8.GetBytes(text);

        internal static ulong Length(byte[] bytes) => bytes == null ? 0 : (ulong)bytes.LongLength;

        internal static string Text(byte[] bytes) => Encoding.UTF8.GetString(bytes);

        /// <summary>Returns the handle that a function gave.</summary>
        internal static ulong Handle(Making function)
        {
            Functions mitt = Loader.Functions;
            int code = function(mitt, out ulong result, out NativeBytes error);
            Check(mitt, code, ref error, null);
            return result;
        }

        /// <summary>Returns the bytes that a function gave. If it failed, its result is the report of the exception.</summary>
        internal static byte[] Bytes(CancellationToken token, Giving function)
        {
            Functions mitt = Loader.Functions;
            if (!token.CanBeCanceled)
            {
                return Bytes(mitt, 0, function);
            }
            ulong made = Handle((Functions it, out ulong result, out NativeBytes error) => it.CancelNew(out result, out error));
            using (var flag = new Handle(made))
            {
                try
                {
                    return flag.With(cancel =>
                    {
                        using (token.Register(() => mitt.CancelSet(cancel)))
                        {
                            return Bytes(mitt, cancel, function);
                        }
                    });
                }
                catch (MittException error) when (error.Code == Cancelled && token.IsCancellationRequested)
                {
                    throw new OperationCanceledException(error.Message, error, token);
                }
            }
        }

        private static byte[] Bytes(Functions mitt, ulong cancel, Giving function)
        {
            int code = function(mitt, cancel, out NativeBytes native, out NativeBytes error);
            byte[] result = Taken(mitt, ref native);
            Check(mitt, code, ref error, result);
            return result;
        }

        /// <summary>Copies bytes of the library and frees them.</summary>
        private static byte[] Taken(Functions mitt, ref NativeBytes bytes)
        {
            try
            {
                var copied = new byte[bytes.Length];
                if (copied.Length > 0)
                {
                    Marshal.Copy(bytes.Data, copied, 0, copied.Length);
                }
                return copied;
            }
            finally
            {
                mitt.BytesFree(ref bytes);
            }
        }

        private static void Check(Functions mitt, int code, ref NativeBytes error, byte[] report)
        {
            if (code == 0)
            {
                return;
            }
            string json = Text(Taken(mitt, ref error));
            if (json.Length == 0)
            {
                // There are too many live handles and buffers for one more.
                string kind = Marshal.PtrToStringAnsi(mitt.CodeName(code));
                json = Json.Write(new Dictionary<string, object>
                {
                    { "code", code }, { "kind", kind }, { "message", kind }, { "text", kind }, { "details", new List<object>() },
                });
            }
            throw new MittException(json, report == null || report.Length == 0 ? null : Text(report));
        }
    }
}

using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Mitt
{
    /// <summary>
    /// Finds the library: the file that the environment variable MITT_LIBRARY names, then one next to the program, then the search of the
    /// system. It calls <c>dlopen</c> itself, because attributes cannot name a file that is only known when the program runs.
    /// </summary>
    internal static class Loader
    {
        /// <summary>The version of mitt.h that <see cref="Functions"/> was written for.</summary>
        private const uint Expected = 1;
        private const string Name = "libmitt.so";
        private const int Now = 2;

        private static readonly object Lock = new object();
        private static volatile Functions loaded;

        /// <summary>Returns the functions of the library. The first call loads it; one after a failure tries again.</summary>
        /// <exception cref="DllNotFoundException">There is no library, or one of another version.</exception>
        internal static Functions Functions
        {
            get
            {
                if (loaded == null)
                {
                    lock (Lock)
                    {
                        loaded = loaded ?? Load();
                    }
                }
                return loaded;
            }
        }

        private static Functions Load()
        {
            if (IntPtr.Size != 8)
            {
                throw new DllNotFoundException("Mitt needs a process of 64 bits");
            }
            string place = Place();
            IntPtr library = DlOpen(place, Now);
            if (library == IntPtr.Zero)
            {
                string why = Marshal.PtrToStringAnsi(DlError());
                throw new DllNotFoundException($"cannot load `{place}`: {why}; set MITT_LIBRARY to the path of {Name}");
            }
            // The version comes first: a library of another one may lack functions.
            uint version = Find<AbiVersion>(library, "mitt_abi_version")();
            if (version != Expected)
            {
                throw new DllNotFoundException(
                    $"expected version {Expected} of the interface, got {version} in `{place}`; "
                    + "use the library that belongs to this binding");
            }
            return new Functions(library);
        }

        private static string Place()
        {
            string named = Environment.GetEnvironmentVariable("MITT_LIBRARY");
            if (!string.IsNullOrEmpty(named))
            {
                // A name without a folder would be searched for; the variable names a file.
                return Path.GetFullPath(named);
            }
            string beside = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, Name);
            return File.Exists(beside) ? beside : Name;
        }

        internal static T Find<T>(IntPtr library, string name)
        {
            IntPtr function = DlSym(library, name);
            if (function == IntPtr.Zero)
            {
                throw new DllNotFoundException($"there is no function {name} in the library; use the one that belongs to this binding");
            }
            return Marshal.GetDelegateForFunctionPointer<T>(function);
        }

        [DllImport("libdl.so.2", EntryPoint = "dlopen")]
        private static extern IntPtr DlOpen(string path, int flags);

        [DllImport("libdl.so.2", EntryPoint = "dlsym")]
        private static extern IntPtr DlSym(IntPtr library, string name);

        [DllImport("libdl.so.2", EntryPoint = "dlerror")]
        private static extern IntPtr DlError();
    }
}

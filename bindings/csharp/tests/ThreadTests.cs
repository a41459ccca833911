using System;
using System.Reflection;
using System.Threading;
using Mitt;

/// <summary>Cancellation, many threads, and faults that the runtime handles by signals, as the library does.</summary>
internal static class ThreadTests
{
    private const string Endless = "while True:\n    pass";
    private const int Threads = 16;

    internal static void Add(MittTests.Tests tests, Host host)
    {
        tests.Add("a_token_ends_a_call", () => Cancel(host));
        tests.Add("a_call_with_a_limit_of_time_ends", () => Time(host));
        tests.Add("many_threads_use_one_session_and_their_own", () => Many(host));
        tests.Add("many_calls_are_cancelled_at_once", () => ManyCancelled(host));
        tests.Add("a_session_is_disposed_while_threads_use_it", () => Disposing(host));
        tests.Add("functions_are_given_back", GivenBack);
        tests.Add("faults_of_the_runtime_stay_exceptions", Faults);
    }

    private static void Cancel(Host host)
    {
        using (Session session = host.Session())
        using (var source = new CancellationTokenSource(300))
        {
            var error = Check.Fails<OperationCanceledException>(() => session.Script("python-lite", Endless, null, source.Token));
            Check.Equal(source.Token, error.CancellationToken);
            Check.Equal("cancelled", ((MittException)error.InnerException).Kind);
            // Before a call begins, too.
            Check.Fails<OperationCanceledException>(() => session.Script("python-lite", "1", null, source.Token));
            Check.Fails<OperationCanceledException>(() => Files.Render("pdf", "# T", null, source.Token));
            Check.Contains(session.Script("python-lite", "1"), "\"ok\":true");
        }
    }

    private static void Time(Host host)
    {
        using (Session session = host.Session())
        using (var source = new CancellationTokenSource())
        {
            var error = Check.Fails("limit", "time", () => session.Script("python-lite", Endless, "{\"timeout_ms\": 200}", source.Token));
            Check.Equal("time", Check.At(error.ErrorJson, "limit", "name"));
        }
    }

    private static void Many(Host host)
    {
        int calls = 0;
        using (Session shared = host.Session())
        {
            All(number =>
            {
                using (Session own = host.Session($"{{\"tenant\": \"t{number}\"}}"))
                {
                    for (int turn = 0; turn < 50; turn++)
                    {
                        Session session = turn % 2 == 0 ? shared : own;
                        Check.Contains(WhenFree(() => session.Call("shop__price", MittTests.Tea)), "450");
                        Check.Fails("input", "no such article", () => WhenFree(() => session.Call("shop__price", MittTests.Rice)));
                        Interlocked.Increment(ref calls);
                    }
                }
            });
        }
        Check.Equal(Threads * 50, calls);
    }

    private static void ManyCancelled(Host host)
    {
        using (var source = new CancellationTokenSource(300))
        {
            All(number =>
            {
                using (Session session = host.Session())
                {
                    Check.Fails<OperationCanceledException>(() => session.Script("python-lite", Endless, null, source.Token));
                }
            });
        }
    }

    private static void Disposing(Host host)
    {
        Session session = host.Session();
        int refused = 0;
        All(number =>
        {
            try
            {
                while (true)
                {
                    WhenFree(() => session.Call("shop__price", MittTests.Tea));
                    session.Dispose();
                }
            }
            catch (ObjectDisposedException)
            {
                Interlocked.Increment(ref refused);
            }
        });
        Check.Equal(Threads, refused);
    }

    private static void GivenBack()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Thread.Sleep(100);
        int before = Kept();
        var host = new Host(MittTests.Bare);
        host.AddTool(MittTests.Price, MittTests.PriceOf);
        Session session = host.Session(null, json => { });
        Check.Equal(before + 2, Kept());
        session.Run("Hello", request => "{\"content\": \"hello\"}");
        Check.Fails("load", "shop__price", () => host.AddTool(MittTests.Price, MittTests.PriceOf));
        Check.Fails("invalid-json", "options", () => host.Session("[]", json => { }));
        Check.Fails("invalid-json", "options", () => session.Run("Hello", request => "{}", "[]"));
        Check.Becomes(() => Kept() == before + 2);
        session.Dispose();
        host.Dispose();
        Check.Becomes(() => Kept() == before);
    }

    /// <summary>Returns how many functions the binding keeps for the library.</summary>
    internal static int Kept() => (int)typeof(Host).Assembly.GetType("Mitt.Callbacks")
        .GetProperty("Kept", BindingFlags.Static | BindingFlags.NonPublic).GetValue(null, null);

    /// <summary>The runtime finds null references by signals, of which the library handles some.</summary>
    private static void Faults()
    {
        string[] texts = { "text", null };
        int faults = 0;
        for (int round = 0; round < 100000; round++)
        {
            try
            {
                Check.Equal(4, texts[round % 1000 == 0 ? 1 : 0].Length);
            }
            catch (NullReferenceException)
            {
                faults++;
            }
        }
        Check.Equal(100, faults);
    }

    /// <summary>Runs work on many threads at once, and fails as the first of them.</summary>
    private static void All(Action<int> work)
    {
        var threads = new Thread[Threads];
        Exception failed = null;
        for (int number = 0; number < Threads; number++)
        {
            int own = number;
            threads[number] = new Thread(() =>
            {
                try
                {
                    work(own);
                }
                catch (Exception error)
                {
                    Interlocked.CompareExchange(ref failed, error, null);
                }
            });
            threads[number].Start();
        }
        foreach (Thread thread in threads)
        {
            Check.That(thread.Join(TimeSpan.FromMinutes(2)), "a deadlock");
        }
        Check.That(failed == null, failed);
    }

    /// <summary>Calls again while the host is busy, as its error says.</summary>
    private static string WhenFree(Func<string> call)
    {
        while (true)
        {
            try
            {
                return call();
            }
            catch (MittException error) when (error.Kind == "busy")
            {
                Thread.Sleep(int.Parse(Check.Text(error.ErrorJson, "retry_after_ms")));
            }
        }
    }
}

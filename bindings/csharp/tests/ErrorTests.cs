using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Mitt;

/// <summary>Errors: code, place, hint and report; objects that were disposed; JSON that is none.</summary>
internal static class ErrorTests
{
    internal static void Add(MittTests.Tests tests, Host host)
    {
        tests.Add("an_error_has_code_place_hint_and_details", () => Places(host));
        tests.Add("a_call_that_failed_has_a_report", () => Reports(host));
        tests.Add("wrong_options_are_refused_with_their_place", () => Options(host));
        tests.Add("a_second_dispose_does_nothing", SecondDispose);
        tests.Add("a_disposed_object_is_an_error_and_no_crash", UseAfterDispose);
        tests.Add("a_forgotten_session_is_freed_by_the_collector", () => Forgotten(host));
        tests.Add("too_many_handles_are_an_error", TooMany);
        tests.Add("json_is_read_and_written", ReadJson);
        tests.Add("wrong_json_is_refused_with_its_position", WrongJson);
    }

    private static void Places(Host host)
    {
        using (Session session = host.Session())
        {
            var error = Check.Fails("arguments", "did you mean `article`", () => session.Call("shop__price", "{\"artikle\": \"tea\"}"));
            Check.Equal(2, error.Code);
            Check.Equal("/artikle", error.Place);
            Check.That(error.Details.Count > 0 && !error.IsRetryable, error.ErrorJson);
            Check.Contains(Check.Fails("unknown-tool", "shop__prize", () => session.Call("shop__prize", "{}")).Hint, "shop__price");
            Check.Equal("tool", Check.Fails("null-pointer", "tool", () => session.Call(null, "{}")).Place);
            Check.Equal("ask for tea", Check.Fails("input", "no such article", () => session.Call("shop__price", MittTests.Rice)).Hint);
            Check.Fails("input", "none.pdf", () => session.Bytes("none.pdf"));
            Check.Fails("load", "cobol", () => session.Script("cobol", "1"));
        }
    }

    private static void Reports(Host host)
    {
        using (Session session = host.Session())
        {
            var error = Check.Fails("plugin", "division", () => session.Script("python-lite", "print('before')\n1 / 0"));
            Check.Equal(false, Check.At(error.Report, "ok"));
            Check.Contains(error.Report, "before");
            error = Check.Fails("invalid-json", "options", () => session.Call("shop__price", "{}", "[]"));
            Check.Equal(null, error.Report);
        }
    }

    private static void Options(Host host)
    {
        var error = Check.Fails("arguments", "fule", () => new Host("{\"limits\": {\"call\": {\"fule\": 1}}}"));
        Check.Equal("options.limits.call", error.Place);
        Check.Fails("load", "folder", () => new Host("{\"skills\": [\"/no/such/folder\"]}"));
        Check.Fails("invalid-json", "options", () => host.Session("{"));
        Check.Equal("definition.name", Check.Fails("arguments", "shop__price", () => host.AddTool("{\"name\": \"shop\"}", it => it)).Place);
        Check.Fails("load", "shop__price", () => host.AddTool(MittTests.Price, it => it));
        Check.Fails<ArgumentNullException>(() => host.AddTool(MittTests.Price, null));
        using (Session session = host.Session())
        {
            Check.Fails<ArgumentNullException>(() => session.Run("Hello", null));
        }
    }

    private static void SecondDispose()
    {
        var host = new Host(MittTests.Bare);
        Session session = host.Session();
        foreach (IDisposable each in new IDisposable[] { host, host, session, session })
        {
            each.Dispose();
        }
    }

    private static void UseAfterDispose()
    {
        var host = new Host(MittTests.Bare);
        host.AddTool(MittTests.Price, MittTests.PriceOf);
        Session session = host.Session();
        host.Dispose();
        Check.Fails<ObjectDisposedException>(() => host.Session());
        Check.Fails<ObjectDisposedException>(() => host.AddTool(MittTests.Price, MittTests.PriceOf));
        // The session keeps its host.
        Check.Contains(session.Call("shop__price", MittTests.Tea), "450");
        session.Dispose();
        Check.Fails<ObjectDisposedException>(() => session.State());
        Check.Fails<ObjectDisposedException>(() => session.Run("Hello", request => "{}"));
    }

    private static void Forgotten(Host host)
    {
        int before = ThreadTests.Kept();
        for (int made = 0; made < 20; made++)
        {
            host.Session(null, json => { });
        }
        Check.Becomes(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            // The collector may take the last one for used, because its address is still in a register.
            return ThreadTests.Kept() <= before + 1;
        });
    }

    /// <summary>Makes handles until there are too many, by the binding's own functions.</summary>
    private static void TooMany()
    {
        const BindingFlags all = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        Assembly binding = typeof(Host).Assembly;
        object functions = binding.GetType("Mitt.Loader").GetProperty("Functions", all).GetValue(null, null);
        var make = (Delegate)functions.GetType().GetField("CancelNew", all).GetValue(functions);
        var free = (Delegate)functions.GetType().GetField("HandleFree", all).GetValue(functions);
        object nothing = Activator.CreateInstance(binding.GetType("Mitt.NativeBytes"));
        MethodInfo call = make.GetType().GetMethod("Invoke"), end = free.GetType().GetMethod("Invoke");
        var flags = new List<object>();
        try
        {
            while (flags.Count <= 1 << 20)
            {
                object[] places = { 0UL, nothing };
                if ((int)call.Invoke(make, places) != 0)
                {
                    break;
                }
                flags.Add(places[0]);
            }
            Check.That(flags.Count <= 1 << 20, flags.Count);
            // Not even the text of the error has a place.
            Check.Equal(5, Check.Fails("limit", "limit", () => new Host(MittTests.Bare)).Code);
            Check.Equal(null, Check.Fails("invalid-json", "invalid-json", () => new Host("{")).Place);
        }
        finally
        {
            flags.ForEach(flag => end.Invoke(free, new[] { flag }));
        }
    }

    private static void ReadJson()
    {
        string text = "{\"a\":[1,-2.50,1E+3,true,false,null,\"\\\"\\\\\\u0001é😀\"],\"b\":{},\"c\":[]}";
        Check.Equal(text, Json.Write(Json.Parse(text)));
        Check.Equal("/\b\f\n\r\t\u00e9", Json.Parse(" \"\\/\\b\\f\\n\\r\\t\\u00e9\" "));
        Check.Equal("1.10000000000000000000001", Json.Parse("1.10000000000000000000001").ToString());
        Check.Equal(-2.5, ((JsonNumber)Json.Parse("-2.5")).ToDouble());
        Check.Equal("[1,2.5,3,\"a\"]", Json.Write(new object[] { 1, 2.5, 3m, "a" }));
        Check.Fails<ArgumentException>(() => Json.Write(double.NaN));
        Check.Fails<ArgumentException>(() => Json.Write(new object()));
    }

    private static void WrongJson()
    {
        string[] wrong =
        {
            "", "{", "[1", "[1,]", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "01", "1.", "-", "+1", "tru", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u",
            "\"\n\"", "1 2", "nul", string.Concat(Enumerable.Repeat("[", 300)),
        };
        foreach (string text in wrong)
        {
            Check.Contains(Check.Fails<FormatException>(() => Json.Parse(text)).Message, " at ");
        }
    }
}

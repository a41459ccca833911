using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading;
using Mitt;

/// <summary>
/// Runs the tests of the binding: <c>MittTests.exe FOLDER CACHE OUT</c>. FOLDER has the two reports and the script of the README, CACHE
/// compiled skills, and OUT gets the files. With <c>find</c> as its only argument it loads the library and prints the version.
/// </summary>
internal static class MittTests
{
    internal const string Price =
        "{\"name\": \"shop__price\", \"description\": \"Price of an article.\", \"read_only\": true, \"parameters\": "
        + "{\"type\": \"object\", \"properties\": {\"article\": {\"type\": \"string\"}}, \"required\": [\"article\"]}}";
    internal const string Sell =
        "{\"name\": \"shop__sell\", \"description\": \"Sells an article.\", \"destructive\": true, \"parameters\": {\"type\": \"object\", "
        + "\"properties\": {\"article\": {\"type\": \"string\"}}, \"required\": [\"article\"]}}";
    internal const string Tea = "{\"article\": \"tea\"}";
    internal const string Rice = "{\"article\": \"rice\"}";
    /// <summary>A null that the compiler does not see.</summary>
    private static readonly string nothing = null;

    internal const string Bare = "{\"bundled\": false, \"cache\": false}";

    internal sealed class Tests : List<KeyValuePair<string, Action>>
    {
        internal void Add(string name, Action test) => Add(new KeyValuePair<string, Action>(name, test));
    }

    private static int Main(string[] arguments)
    {
        if (arguments.Length == 1 && arguments[0] == "find")
        {
            try
            {
                Console.WriteLine(Files.LibraryVersion);
                return 0;
            }
            catch (DllNotFoundException error)
            {
                Console.WriteLine(error.Message);
                return 1;
            }
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        var options = new Dictionary<string, object> { { "cache", arguments[1] }, { "threads", 2 } };
        using (var host = new Host(Json.Write(options)))
        {
            host.AddTool(Price, PriceOf);
            host.AddTool(Sell, article => "\"sold\"");
            var tests = new Tests { { "the_story_of_the_readme", () => Story(host, arguments[0], arguments[2]) } };
            ErrorTests.Add(tests, host);
            CallbackTests.Add(tests, host);
            ThreadTests.Add(tests, host);
            FileTests.Add(tests, host);
            int failed = 0;
            foreach (var test in tests)
            {
                failed += Passes(test.Key, test.Value) ? 0 : 1;
            }
            Console.WriteLine($"{tests.Count - failed} passed, {failed} failed");
            return failed == 0 ? 0 : 1;
        }
    }

    private static bool Passes(string name, Action test)
    {
        try
        {
            test();
            Console.WriteLine("ok " + name);
            return true;
        }
        catch (Exception error)
        {
            Console.WriteLine($"FAILED {name}\n{error}");
            return false;
        }
    }

    /// <summary>A tool: the price of an article.</summary>
    internal static string PriceOf(string arguments)
    {
        switch (Check.Text(arguments, "article"))
        {
            case "tea": return "{\"cents\": 450, \"exact\": 1.10000000000000000000001}";
            case "nothing": return null;
            case "text": return "no JSON";
            case "fault": throw new InvalidOperationException("the shelf fell");
            case "null": return nothing.Trim();
            case "silent": throw new Silent();
            case "abort":
                Thread.CurrentThread.Abort();
                return "1";
            case "later": throw new ToolException("closed") { IsRetryable = true };
            default: throw new ToolException("there is no such article") { Kind = "input", Hint = "ask for tea" };
        }
    }

    /// <summary>An error without a text.</summary>
    private sealed class Silent : Exception
    {
        public override string Message => throw new InvalidOperationException("there is no text");
    }

    private static void Story(Host host, string folder, string output)
    {
        using (Session session = host.Session("{\"tenant\": \"acme\"}"))
        {
            foreach (string name in new[] { "2024年经营报告.xlsx", "2025年经营报告.docx" })
            {
                Document document = session.AddDocument(name, File.ReadAllBytes(Path.Combine(folder, name)));
                Check.Equal(name, document.Name);
                Check.That(document.Characters > 100, document.Characters);
                Check.Contains(document.Json, "\"tables\":[{");
            }
            string report = session.Script("python-lite", File.ReadAllText(Path.Combine(folder, "script.py")));
            Check.Equal(true, Check.At(report, "ok"));
            Check.Contains(report, "完成");

            var files = session.Artifacts();
            Check.Equal(2, files.Count);
            string[] names = { "2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf" };
            string[] begins = { "PK", "%PDF-" };
            for (int index = 0; index < 2; index++)
            {
                Check.Equal(names[index], files[index].Name);
                byte[] bytes = session.Bytes(names[index]);
                Check.Equal(files[index].Size, bytes.LongLength);
                Check.Equal(begins[index], Encoding.ASCII.GetString(bytes, 0, begins[index].Length));
                File.WriteAllBytes(Path.Combine(output, names[index]), bytes);
            }
            Check.Equal("acme", Check.At(session.State(), "tenant"));
            // The growth that the script found stands in the workbook, which another session reads.
            using (Session reader = host.Session())
            {
                string text = Check.Text(reader.AddDocument(names[0], session.Bytes(names[0]), "{\"text\": true}").Json, "text");
                Check.Contains(text, "173410");
            }
        }
    }
}

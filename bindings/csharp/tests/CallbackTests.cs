using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using Mitt;

/// <summary>Tools, models and receivers of events that are functions of the program.</summary>
internal static class CallbackTests
{
    private const string ToolCall =
        "{\"choices\": [{\"message\": {\"content\": null, \"tool_calls\": [{\"id\": \"1\", \"type\": \"function\", \"function\": "
        + "{\"name\": \"shop__price\", \"arguments\": \"{\\\"article\\\": \\\"tea\\\"}\"}}]}}], "
        + "\"usage\": {\"prompt_tokens\": 10, \"completion_tokens\": 3}}";

    internal static void Add(MittTests.Tests tests, Host host)
    {
        tests.Add("a_tool_is_a_function_of_the_program", () => Tool(host));
        tests.Add("errors_of_a_tool_reach_the_caller", () => ToolErrors(host));
        tests.Add("a_model_is_a_function_of_the_program", () => Model(host));
        tests.Add("errors_of_a_model_reach_the_caller", () => ModelErrors(host));
        tests.Add("events_are_received", () => Events(host));
        tests.Add("a_destructive_tool_waits_for_a_decision", () => Approval(host));
        tests.Add("a_tool_calls_tools", Nested);
    }

    private static void Tool(Host host)
    {
        using (Session session = host.Session())
        {
            string report = session.Call("shop__price", MittTests.Tea);
            Check.Equal("450", Check.Text(report, "result", "cents"));
            Check.Equal("1.10000000000000000000001", Check.Text(report, "result", "exact"));
            Check.Contains(session.Tools(), "\"shop__price\"");
            string source = "import shop\nshop.price(article=name)['cents'] * 2";
            Check.Contains(session.Script("python-lite", source, "{\"inputs\": {\"name\": \"tea\"}}"), "900");
        }
    }

    private static void ToolErrors(Host host)
    {
        using (Session session = host.Session())
        {
            Check.Fails("plugin", "gave no answer", () => session.Call("shop__price", "{\"article\": \"nothing\"}"));
            Check.Fails("plugin", "not JSON", () => session.Call("shop__price", "{\"article\": \"text\"}"));
            Check.Fails("plugin", "InvalidOperationException: the shelf", () => session.Call("shop__price", "{\"article\": \"fault\"}"));
            Check.Fails("plugin", "NullReferenceException", () => session.Call("shop__price", "{\"article\": \"null\"}"));
            // .NET does not abort threads, which is an exception, too.
            Check.Fails("plugin", "System.", () => session.Call("shop__price", "{\"article\": \"abort\"}"));
            Check.Fails("plugin", "MittTests+Silent", () => session.Call("shop__price", "{\"article\": \"silent\"}"));
            Check.That(Check.Fails("plugin", "closed", () => session.Call("shop__price", "{\"article\": \"later\"}")).IsRetryable, "final");
        }
    }

    private static void Model(Host host)
    {
        int turns = 0;
        using (Session session = host.Session())
        {
            string report = session.Run("What does tea cost?", request =>
            {
                int turn = Interlocked.Increment(ref turns);
                Check.Contains(request, turn == 1 ? "What does tea cost?" : "450");
                Check.Equal("mine", Check.At(request, "model"));
                return turn == 1 ? ToolCall : "{\"content\": \"4.50\"}";
            }, "{\"tools\": \"all\", \"model\": \"mine\"}");
            Check.Equal("4.50", Check.At(report, "text"));
            Check.Equal("2", Check.Text(report, "turns"));
            Check.Equal("10", Check.Text(report, "usage", "input"));
            Check.Equal("shop__price", Check.At(report, "calls", 0, "tool"));
        }
    }

    private static void ModelErrors(Host host)
    {
        using (Session session = host.Session())
        {
            Check.Fails("model", "the service is down", () => session.Run("And rice?", request =>
            {
                throw new ToolException("the service is down");
            }));
            var error = Check.Fails("arguments", "did you mean `turns`",
                () => session.Run("And rice?", request => "{}", "{\"limits\": {\"turn\": 1}}"));
            Check.Equal("options.limits", error.Place);
            Check.Fails("limit", "turns", () => session.Run("On and on", request => ToolCall, "{\"limits\": {\"turns\": 2}}"));
        }
    }

    private static void Events(Host host)
    {
        var names = new ConcurrentQueue<string>();
        var refused = new ConcurrentQueue<string>();
        Session itself = null;
        using (Session session = host.Session(null, json =>
        {
            names.Enqueue(Check.Text(json, "event"));
            try
            {
                itself?.Call("shop__price", MittTests.Tea);
            }
            catch (MittException error)
            {
                refused.Enqueue(error.Kind);
                throw;
            }
        }))
        {
            session.Call("shop__price", MittTests.Tea);
            Check.That(names.Contains("call_started") && names.Contains("call_finished"), string.Join(" ", names));
            itself = session;
            // What a receiver throws does not reach the call.
            session.Call("shop__price", MittTests.Tea);
            Check.That(refused.Any() && refused.All(kind => kind == "reentered"), string.Join(" ", refused));
        }
    }

    private static void Approval(Host host)
    {
        using (Session session = host.Session())
        {
            var error = Check.Fails("paused", "shop__sell", () => session.Script("python-lite", "import shop\nshop.sell(article='tea')"));
            string id = Check.Text(error.Report, "approval", "id");
            Check.Equal(id, Check.At(session.State(), "pending", 0, "id"));
            Check.Fails("arguments", "decision", () => session.Resume(id, "{\"decision\": \"perhaps\"}"));
            Check.Contains(session.Resume(id, "{\"decision\": \"approve\"}"), "sold");
            Check.Fails("arguments", id, () => session.Resume(id, "{\"decision\": \"approve\"}"));
        }
    }

    /// <summary>A tool may call functions that wait.</summary>
    private static void Nested()
    {
        using (var host = new Host("{\"bundled\": false, \"cache\": false, \"threads\": 1}"))
        {
            host.AddTool(MittTests.Price, MittTests.PriceOf);
            Session inner = null;
            host.AddTool(MittTests.Price.Replace("price", "twice"), arguments =>
                (2 * int.Parse(Check.Text(inner.Call("shop__price", arguments), "result", "cents"))).ToString());
            using (Session session = host.Session())
            using (inner = host.Session())
            {
                Check.Equal("900", Check.Text(session.Call("shop__twice", MittTests.Tea), "result"));
            }
        }
    }
}

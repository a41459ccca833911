import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import mitt.Host;
import mitt.MittException;
import mitt.Session;
import mitt.ToolException;

/** Tools, models and receivers of events that are functions of the program. */
final class CallbackTests {
    private static final String CALL = """
            {"choices": [{"message": {"content": null, "tool_calls": [{"id": "1", "type": "function", "function":
             {"name": "shop__price", "arguments": "{\\"article\\": \\"tea\\"}"}}]}}],
             "usage": {"prompt_tokens": 10, "completion_tokens": 3}}""";

    private CallbackTests() {}

    static void add(Map<String, Check.Code> tests, Host host) {
        tests.put("a_tool_is_a_function_of_the_program", () -> tool(host));
        tests.put("a_script_calls_a_tool", () -> script(host));
        tests.put("errors_of_a_tool_reach_the_caller", () -> toolErrors(host));
        tests.put("a_model_is_a_function_of_the_program", () -> model(host));
        tests.put("errors_of_a_model_reach_the_caller", () -> modelErrors(host));
        tests.put("events_are_received", () -> events(host));
        tests.put("an_exception_of_a_receiver_goes_to_the_handler_of_threads", () -> receiverErrors(host));
        tests.put("a_destructive_tool_waits_for_a_decision", () -> approval(host));
        tests.put("a_tool_calls_tools", CallbackTests::nested);
    }

    private static void tool(Host host) {
        try (Session session = host.session()) {
            String report = session.call("shop__price", "{\"article\": \"tea\"}");
            Check.equal("450", Check.string(report, "result", "cents"));
            Check.equal("1.10000000000000000000001", Check.string(report, "result", "exact"));
            Check.contains(session.tools(), "\"shop__price\"");
        }
    }

    private static void script(Host host) {
        try (Session session = host.session()) {
            String source = "import shop\nshop.price(article=name)['cents'] * 2";
            Check.contains(session.script("python-lite", source, "{\"inputs\": {\"name\": \"tea\"}}", null), "900");
        }
    }

    private static void toolErrors(Host host) {
        try (Session session = host.session()) {
            Check.fails("plugin", "gave no answer", () -> session.call("shop__price", "{\"article\": \"nothing\"}"));
            Check.fails("plugin", "not JSON", () -> session.call("shop__price", "{\"article\": \"text\"}"));
            Check.fails("plugin", "IllegalStateException: the shelf fell", () -> session.call("shop__price", "{\"article\": \"fault\"}"));
            Check.fails("plugin", "StackOverflowError", () -> session.call("shop__price", "{\"article\": \"deep\"}"));
            Check.fails("plugin", "MittTests$Silent", () -> session.call("shop__price", "{\"article\": \"silent\"}"));
            Check.that(Check.fails("plugin", "closed", () -> session.call("shop__price", "{\"article\": \"later\"}")).isRetryable(), "");
        }
    }

    private static void model(Host host) {
        AtomicInteger turns = new AtomicInteger();
        try (Session session = host.session()) {
            String report = session.run("What does tea cost?", request -> {
                int turn = turns.getAndIncrement();
                Check.contains(request, turn == 0 ? "What does tea cost?" : "450");
                Check.equal("mine", Check.at(request, "model"));
                return turn == 0 ? CALL : "{\"content\": \"4.50\"}";
            }, "{\"tools\": \"all\", \"model\": \"mine\"}", null);
            Check.equal("4.50", Check.at(report, "text"));
            Check.equal("2", Check.string(report, "turns"));
            Check.equal("10", Check.string(report, "usage", "input"));
            Check.equal("shop__price", Check.at(report, "calls", 0, "tool"));
        }
    }

    private static void modelErrors(Host host) {
        try (Session session = host.session()) {
            Check.fails("model", "the service is down", () -> session.run("And rice?", request -> {
                throw new ToolException("the service is down");
            }));
            var error = Check.fails("arguments", "did you mean `turns`",
                    () -> session.run("And rice?", request -> "{}", "{\"limits\": {\"turn\": 1}}", null));
            Check.equal("options.limits", error.place());
            Check.fails("limit", "turns", () -> session.run("On and on", request -> CALL, "{\"limits\": {\"turns\": 2}}", null));
        }
    }

    private static void events(Host host) throws InterruptedException {
        ConcurrentLinkedQueue<String> names = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> refused = new ConcurrentLinkedQueue<>();
        Session[] itself = new Session[1];
        try (Session session = host.session(null, event -> {
            names.add(Check.string(event, "event"));
            if (itself[0] != null) {
                try {
                    itself[0].call("shop__price", "{\"article\": \"tea\"}");
                } catch (MittException error) {
                    refused.add(error.kind());
                }
            }
        })) {
            session.call("shop__price", "{\"article\": \"tea\"}");
            Check.that(names.containsAll(List.of("call_started", "call_finished")), names);
            itself[0] = session;
            session.call("shop__price", "{\"article\": \"tea\"}");
            Check.that(!refused.isEmpty() && refused.stream().allMatch("reentered"::equals), refused);
        }
    }

    private static void receiverErrors(Host host) {
        ConcurrentLinkedQueue<Throwable> seen = new ConcurrentLinkedQueue<>();
        var before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> seen.add(error));
        try (Session session = host.session(null, event -> {
            throw new IllegalStateException("the receiver fell");
        })) {
            Check.contains(session.call("shop__price", "{\"article\": \"tea\"}"), "450");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        Check.that(!seen.isEmpty(), "no exception");
        Check.equal("the receiver fell", seen.peek().getMessage());
    }

    private static void approval(Host host) {
        try (Session session = host.session()) {
            String source = "import shop\nshop.sell(article='tea')";
            var error = Check.fails("paused", "shop__sell", () -> session.script("python-lite", source));
            String id = Check.string(error.report(), "approval", "id");
            Check.equal(id, Check.at(session.state(), "pending", 0, "id"));
            Check.fails("arguments", "decision", () -> session.resume(id, "{\"decision\": \"perhaps\"}", null));
            Check.contains(session.resume(id, "{\"decision\": \"approve\"}", null), "sold");
            Check.fails("arguments", id, () -> session.resume(id, "{\"decision\": \"approve\"}", null));
        }
    }

    /** A tool may call functions that wait. */
    private static void nested() {
        try (Host host = new Host("{\"bundled\": false, \"cache\": false, \"threads\": 1}")) {
            host.addTool(MittTests.PRICE, MittTests::price);
            Session[] inner = new Session[1];
            host.addTool(MittTests.PRICE.replace("price", "twice"), arguments -> {
                String report = inner[0].call("shop__price", arguments);
                return "" + 2 * Integer.parseInt(Check.string(report, "result", "cents"));
            });
            try (Session session = host.session(); Session other = host.session()) {
                inner[0] = other;
                Check.equal("900", Check.string(session.call("shop__twice", "{\"article\": \"tea\"}"), "result"));
            }
        }
    }
}

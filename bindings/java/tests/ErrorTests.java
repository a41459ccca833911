import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mitt.Cancel;
import mitt.Host;
import mitt.Json;
import mitt.MittException;
import mitt.Session;

/** Errors: code, place, hint and report; handles that were closed; JSON that is none. */
final class ErrorTests {
    private ErrorTests() {}

    static void add(Map<String, Check.Code> tests, Host host) {
        tests.put("an_error_has_code_place_hint_and_details", () -> places(host));
        tests.put("a_call_that_failed_has_a_report", () -> reports(host));
        tests.put("wrong_options_are_refused_with_their_place", () -> options(host));
        tests.put("an_exception_survives_serialization", () -> serialization(host));
        tests.put("a_second_close_does_nothing", ErrorTests::secondClose);
        tests.put("a_closed_object_is_an_error_and_no_crash", ErrorTests::useAfterClose);
        tests.put("too_many_handles_are_an_error", ErrorTests::tooMany);
        tests.put("json_is_read_and_written", ErrorTests::json);
        tests.put("wrong_json_is_refused_with_its_position", ErrorTests::wrongJson);
    }

    private static void places(Host host) {
        try (Session session = host.session()) {
            var error = Check.fails("arguments", "did you mean `article`", () -> session.call("shop__price", "{\"artikle\": \"tea\"}"));
            Check.equal(2, error.code());
            Check.equal("/artikle", error.place());
            Check.that(!error.details().isEmpty() && !error.isRetryable(), error.json());
            error = Check.fails("unknown-tool", "shop__prize", () -> session.call("shop__prize", "{}"));
            Check.contains(error.hint(), "shop__price");
            error = Check.fails("null-pointer", "tool", () -> session.call(null, "{}"));
            Check.equal("tool", error.place());
            error = Check.fails("input", "ask for tea", () -> session.call("shop__price", "{\"article\": \"rice\"}"));
            Check.equal("ask for tea", error.hint());
            Check.fails("input", "none.pdf", () -> session.bytes("none.pdf"));
            Check.fails("load", "cobol", () -> session.script("cobol", "1"));
        }
    }

    private static void reports(Host host) {
        try (Session session = host.session()) {
            var error = Check.fails("plugin", "division", () -> session.script("python-lite", "print('before')\n1 / 0"));
            Check.equal(false, Check.at(error.report(), "ok"));
            Check.contains(error.report(), "before");
            error = Check.fails("unknown-tool", "shop__prize", () -> session.call("shop__prize", "{}"));
            Check.equal("unknown-tool", Check.at(error.report(), "error", "kind"));
            // A wrong parameter is no call.
            error = Check.fails("invalid-json", "options", () -> session.call("shop__price", "{}", "[]", null));
            Check.equal(null, error.report());
        }
    }

    private static void options(Host host) {
        var error = Check.fails("arguments", "fule", () -> new Host("{\"limits\": {\"call\": {\"fule\": 1}}}"));
        Check.equal("options.limits.call", error.place());
        Check.fails("load", "folder", () -> new Host("{\"skills\": [\"/no/such/folder\"]}"));
        Check.fails("invalid-json", "options", () -> host.session("{", null));
        error = Check.fails("arguments", "shop__price", () -> host.addTool("{\"name\": \"shop\"}", it -> it));
        Check.equal("definition.name", error.place());
        Check.fails("load", "shop__price", () -> host.addTool(MittTests.PRICE, it -> it));
        Check.fails(NullPointerException.class, () -> host.addTool(MittTests.PRICE, null));
    }

    private static void serialization(Host host) throws Exception {
        var error = Check.fails("invalid-json", "options", () -> host.session("{", null));
        var bytes = new java.io.ByteArrayOutputStream();
        try (var out = new java.io.ObjectOutputStream(bytes)) {
            out.writeObject(error);
        }
        try (var in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray()))) {
            MittException read = (MittException) in.readObject();
            Check.equal(error.getMessage(), read.getMessage());
            Check.equal("options", read.place());
        }
    }

    private static void secondClose() {
        Host host = new Host("{\"bundled\": false, \"cache\": false}");
        Session session = host.session();
        Cancel cancel = new Cancel();
        for (AutoCloseable each : new AutoCloseable[] {host, host, session, session, cancel, cancel}) {
            try {
                each.close();
            } catch (Exception error) {
                throw new AssertionError(error);
            }
        }
        cancel.set();
    }

    private static void useAfterClose() {
        Host host = new Host("{\"bundled\": false, \"cache\": false}");
        host.addTool(MittTests.PRICE, MittTests::price);
        Session session = host.session();
        host.close();
        Check.fails("invalid-handle", "the host was freed", host::session);
        // The session keeps its host.
        Check.contains(session.call("shop__price", "{\"article\": \"tea\"}"), "450");
        Cancel cancel = new Cancel();
        cancel.close();
        Check.fails("invalid-handle", "the cancel was freed", () -> session.call("shop__price", "{\"article\": \"tea\"}", null, cancel));
        session.close();
        Check.fails("invalid-handle", "the session was freed", session::state);
        Check.fails("invalid-handle", "the session was freed", () -> session.run("Hello", request -> "{}"));
    }

    private static void tooMany() {
        List<Cancel> flags = new ArrayList<>();
        try {
            var error = Check.fails("limit", "limit", () -> {
                for (int made = 0; made <= 1 << 20; made++) {
                    flags.add(new Cancel());
                }
            });
            Check.equal(5, error.code());
        } finally {
            flags.forEach(Cancel::close);
        }
        new Cancel().close();
    }

    private static void json() {
        String text = "{\"a\":[1,-2.50,1E+3,true,false,null,\"\\\"\\\\\\u0001é😀\"],\"b\":{},\"c\":[]}";
        Check.equal(text, Json.write(Json.parse(text)));
        Check.equal("\"/\b\f\n\r\t\u00e9\"", "\"" + Json.parse(" \"\\/\\b\\f\\n\\r\\t\\u00e9\" ") + "\"");
        Check.equal("1.10000000000000000000001", String.valueOf(Json.parse("1.10000000000000000000001")));
        Check.fails(IllegalArgumentException.class, () -> Json.write(Double.NaN));
        Check.fails(IllegalArgumentException.class, () -> Json.write(new Object()));
    }

    private static void wrongJson() {
        String[] wrong = {"", "{", "[1", "[1,]", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "01", "1.", "-", "+1", "tru", "\"a", "\"\\x\"",
            "\"\\u12\"", "\"\n\"", "1 2", "nul", "[".repeat(300), "1e9999999999"};
        for (String text : wrong) {
            var error = Check.fails(IllegalArgumentException.class, () -> Json.parse(text));
            Check.contains(error.getMessage(), " at ");
        }
    }
}

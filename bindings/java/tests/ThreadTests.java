import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import mitt.Cancel;
import mitt.Host;
import mitt.MittException;
import mitt.Session;

/** Cancellation, many threads, and faults that the virtual machine handles by signals, as the library does. */
final class ThreadTests {
    private static final String ENDLESS = "while True:\n    pass";
    private static final int THREADS = 16;

    private ThreadTests() {}

    static void add(Map<String, Check.Code> tests, Host host) {
        tests.put("a_call_is_cancelled_from_another_thread", () -> cancel(host));
        tests.put("a_call_with_a_limit_of_time_ends", () -> time(host));
        tests.put("many_threads_use_one_session_and_their_own", () -> many(host));
        tests.put("many_calls_are_cancelled_at_once", () -> manyCancelled(host));
        tests.put("a_session_is_closed_while_threads_use_it", () -> closing(host));
        tests.put("functions_are_given_back", ThreadTests::givenBack);
        tests.put("faults_of_the_virtual_machine_stay_exceptions", ThreadTests::faults);
    }

    private static void cancel(Host host) throws Exception {
        try (Session session = host.session(); Cancel cancel = new Cancel()) {
            Thread other = new Thread(() -> {
                sleep(300);
                cancel.set();
            });
            other.start();
            var error = Check.fails("cancelled", "cancelled", () -> session.script("python-lite", ENDLESS, null, cancel));
            Check.equal(14, error.code());
            Check.equal(null, error.report());
            other.join();
            // A flag stays set.
            Check.fails("cancelled", "cancelled", () -> session.script("python-lite", "1", null, cancel));
            Check.contains(session.script("python-lite", "1"), "\"ok\":true");
        }
    }

    private static void time(Host host) {
        try (Session session = host.session()) {
            var error = Check.fails("limit", "time", () -> session.script("python-lite", ENDLESS, "{\"timeout_ms\": 200}", null));
            Check.equal("time", Check.at(error.json(), "limit", "name"));
        }
    }

    private static void many(Host host) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (Session shared = host.session()) {
            all(number -> {
                try (Session own = host.session("{\"tenant\": \"t" + number + "\"}", null)) {
                    for (int turn = 0; turn < 50; turn++) {
                        Session session = turn % 2 == 0 ? shared : own;
                        Check.contains(whenFree(() -> session.call("shop__price", "{\"article\": \"tea\"}")), "450");
                        Check.fails("input", "ask for tea", () -> whenFree(() -> session.call("shop__price", "{\"article\": \"rice\"}")));
                        calls.incrementAndGet();
                    }
                }
            });
        }
        Check.equal(THREADS * 50, calls.get());
    }

    private static void manyCancelled(Host host) throws Exception {
        try (Cancel cancel = new Cancel()) {
            Thread other = new Thread(() -> {
                sleep(300);
                cancel.set();
            });
            other.start();
            all(number -> {
                try (Session session = host.session()) {
                    Check.fails("cancelled", "cancelled", () -> session.script("python-lite", ENDLESS, null, cancel));
                }
            });
            other.join();
        }
    }

    private static void closing(Host host) throws Exception {
        Session session = host.session();
        AtomicInteger refused = new AtomicInteger();
        all(number -> {
            try {
                while (true) {
                    whenFree(() -> session.call("shop__price", "{\"article\": \"tea\"}"));
                    session.close();
                }
            } catch (MittException error) {
                Check.equal("invalid-handle", error.kind());
                refused.incrementAndGet();
            }
        });
        Check.equal(THREADS, refused.get());
    }

    private static void givenBack() throws Exception {
        int before = kept();
        Host host = new Host("{\"bundled\": false, \"cache\": false}");
        host.addTool(MittTests.PRICE, MittTests::price);
        Session session = host.session(null, event -> { });
        Check.equal(before + 2, kept());
        session.run("Hello", request -> "{\"content\": \"hello\"}");
        Check.fails("load", "shop__price", () -> host.addTool(MittTests.PRICE, MittTests::price));
        Check.fails("invalid-json", "options", () -> host.session("[]", event -> { }));
        Check.fails("invalid-json", "options", () -> session.run("Hello", request -> "{}", "[]", null));
        Check.becomes(() -> kept() == before + 2);
        session.close();
        Check.fails("invalid-handle", "freed", () -> session.run("Hello", request -> "{}"));
        host.close();
        Check.fails("invalid-handle", "freed", () -> host.addTool(MittTests.PRICE, MittTests::price));
        Check.becomes(() -> kept() == before);
    }

    /** Returns how many functions the binding keeps for the library. */
    private static int kept() {
        try {
            var method = Class.forName("mitt.Callbacks").getDeclaredMethod("kept");
            method.setAccessible(true);
            return (int) method.invoke(null);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }

    /** The virtual machine finds null pointers and full stacks by signals, of which the library handles some. */
    private static void faults() {
        String[] texts = {"text", null};
        for (int round = 0; round < 200_000; round++) {
            String text = texts[round % 1000 == 0 ? 1 : 0];
            try {
                Check.equal(4, text.length());
                Check.that(text != null, "null");
            } catch (NullPointerException error) {
                Check.equal(null, text);
            }
        }
        Check.fails(StackOverflowError.class, () -> endless(1));
    }

    private static int endless(int depth) {
        return endless(depth + 1) + 1;
    }

    private interface Work {
        void run(int number) throws Exception;
    }

    /** Runs work on many threads at once, and fails as the first of them. */
    private static void all(Work work) throws Exception {
        var threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int number = 0; number < THREADS; number++) {
                int own = number;
                running.add(threads.submit(() -> {
                    work.run(own);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(120, TimeUnit.SECONDS);
            }
        } catch (ExecutionException error) {
            throw new AssertionError(error.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Call {
        String run();
    }

    /** Calls again while the host is busy, as its error says. */
    private static String whenFree(Call call) {
        while (true) {
            try {
                return call.run();
            } catch (MittException error) {
                if (!error.kind().equals("busy")) {
                    throw error;
                }
                sleep(Long.parseLong(Check.string(error.json(), "retry_after_ms")));
            }
        }
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException error) {
            throw new AssertionError(error);
        }
    }
}

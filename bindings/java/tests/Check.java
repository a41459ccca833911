import java.util.Map;
import mitt.Json;
import mitt.MittException;

/** What the tests say of values: a failed check is an error with its place. */
final class Check {
    private Check() {}

    interface Code {
        void run() throws Exception;
    }

    static void that(boolean holds, Object got) {
        if (!holds) {
            throw new AssertionError("got " + got);
        }
    }

    static void equal(Object expected, Object got) {
        that(expected == null ? got == null : expected.equals(got), "expected " + expected + ", got " + got);
    }

    static void contains(String text, String part) {
        that(text != null && text.contains(part), "expected `" + part + "` in: " + text);
    }

    /** Runs code that must fail, and returns its error, whose kind and text are checked. */
    static MittException fails(String kind, String part, Code code) {
        MittException error = fails(MittException.class, code);
        equal(kind, error.kind());
        contains(error.getMessage(), part);
        return error;
    }

    static <E extends Throwable> E fails(Class<E> type, Code code) {
        try {
            code.run();
        } catch (Throwable error) {
            if (type.isInstance(error)) {
                return type.cast(error);
            }
            throw new AssertionError("expected " + type.getName() + ", got " + error, error);
        }
        throw new AssertionError("expected " + type.getName() + ", got no error");
    }

    /** Returns a value of a JSON text, by keys and indexes. */
    static Object at(String json, Object... path) {
        Object value = Json.parse(json);
        for (Object step : path) {
            value = step instanceof Integer index ? ((java.util.List<?>) value).get(index) : ((Map<?, ?>) value).get(step);
        }
        return value;
    }

    static String string(String json, Object... path) {
        return String.valueOf(at(json, path));
    }

    /** Waits until something holds, at most ten seconds. */
    static void becomes(java.util.function.BooleanSupplier holds) throws InterruptedException {
        for (int tries = 0; tries < 500 && !holds.getAsBoolean(); tries++) {
            Thread.sleep(20);
        }
        that(holds.getAsBoolean(), "something that does not become true");
    }
}

package mitt;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** How a function of the library is called: places for its results, and its error as an exception. */
final class Calls {
    /** Size of {@code mitt_bytes}: a pointer, a length and a handle. */
    private static final long BYTES_SIZE = 24;

    private Calls() {}

    /** A function that gives a handle. */
    interface Making {
        int call(Functions mitt, Pointer result, Pointer error);
    }

    /** A function that gives bytes and a second result, such as a report. Some use only the first. */
    interface Giving {
        int call(Functions mitt, Pointer result, Pointer report, Pointer error);
    }

    /** Returns the UTF-8 bytes of a text; {@code null} stands for no text. */
    static byte[] text(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static long length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the handle that a function gave. */
    static long handle(Making function) {
        Functions mitt = Loader.functions();
        try (Memory places = places()) {
            Pointer error = places.share(BYTES_SIZE);
            int code = function.call(mitt, places, error);
            check(mitt, code, error, null);
            return places.getLong(0);
        }
    }

    /** Calls a function that gives nothing. */
    static void nothing(Making function) {
        handle(function);
    }

    /** Returns the bytes that a function gave. If it failed, its result is the report of the exception. */
    static byte[] bytes(Giving function) {
        Functions mitt = Loader.functions();
        try (Memory places = places()) {
            Pointer report = places.share(BYTES_SIZE, BYTES_SIZE);
            Pointer error = places.share(2 * BYTES_SIZE);
            int code = function.call(mitt, places, report, error);
            byte[] result = taken(mitt, places);
            taken(mitt, report);
            check(mitt, code, error, result);
            return result;
        }
    }

    private static Memory places() {
        Memory places = new Memory(3 * BYTES_SIZE);
        places.clear();
        return places;
    }

    /** Copies bytes of the library and frees them. */
    private static byte[] taken(Functions mitt, Pointer bytes) {
        Pointer data = bytes.getPointer(0);
        long length = bytes.getLong(8);
        try {
            if (length > Integer.MAX_VALUE - 8) {
                throw new OutOfMemoryError("a result of " + length + " bytes does not fit into an array");
            }
            return data == null ? new byte[0] : data.getByteArray(0, (int) length);
        } finally {
            mitt.mitt_bytes_free(bytes);
        }
    }

    private static void check(Functions mitt, int code, Pointer error, byte[] report) {
        if (code == 0) {
            return;
        }
        String json = text(taken(mitt, error));
        if (json.isEmpty()) {
            // There are too many live handles and buffers for one more.
            json = Json.write(bare(code, mitt.mitt_code_name(code)));
        }
        throw new MittException(json, report == null || report.length == 0 ? null : text(report));
    }

    /** Returns the fields of an error of which only the code is known. */
    private static Map<String, Object> bare(int code, String kind) {
        return Map.of("code", code, "kind", kind, "message", kind, "text", kind, "details", List.of(), "retryable", false);
    }
}

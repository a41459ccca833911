package mitt;

import com.sun.jna.CallbackThreadInitializer;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Functions of the program that the library calls. The library gets a number for each instead of an address, and gives it back
 * when it does not need the function any more.
 */
final class Callbacks {
    private static final Map<Long, Object> FUNCTIONS = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    // JNA frees the code of a callback with its object; these objects stay.
    static final Functions.Answering ANSWER = Callbacks::answer;
    static final Functions.Receiving RECEIVE = Callbacks::receive;
    static final Functions.Freeing FREE = userData -> FUNCTIONS.remove(Pointer.nativeValue(userData));

    static {
        // Threads of the library stay attached to the virtual machine, and do not keep it from ending.
        var threads = new CallbackThreadInitializer(true, false, "mitt");
        Native.setCallbackThreadInitializer(ANSWER, threads);
        Native.setCallbackThreadInitializer(RECEIVE, threads);
        Native.setCallbackThreadInitializer(FREE, threads);
    }

    private Callbacks() {}

    /** Returns the number of a function, as a pointer that the library passes on. */
    static Pointer keep(Object function) {
        long number = LAST.incrementAndGet();
        FUNCTIONS.put(number, function);
        return new Pointer(number);
    }

    /** Returns how many functions the library may still call. */
    static int kept() {
        return FUNCTIONS.size();
    }

    private static int answer(Pointer userData, Pointer request, long length, long reply) {
        int code;
        byte[] answer;
        try {
            String text = text(request, length);
            Object function = FUNCTIONS.get(Pointer.nativeValue(userData));
            String given = function instanceof Tool tool ? tool.call(text) : ((Model) function).answer(text);
            // No answer is an error, which the library reports.
            answer = Calls.text(given);
            code = 0;
        } catch (Throwable error) {
            // An exception must not leave a callback.
            answer = Calls.text(described(error));
            code = 1;
        }
        if (answer == null) {
            return code;
        }
        int set = Loader.functions().mitt_reply_set(reply, answer, answer.length);
        return set == 0 ? code : set;
    }

    private static String described(Throwable error) {
        try {
            return fields(error);
        } catch (Throwable second) {
            // The error is a class of the program, whose methods may throw.
            return Json.write(Map.of("message", error.getClass().getName()));
        }
    }

    private static String fields(Throwable error) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (error instanceof ToolException refusal) {
            json.put("message", String.valueOf(refusal.getMessage()));
            json.put("kind", refusal.kind());
            json.put("hint", refusal.hint());
            json.put("retryable", refusal.isRetryable());
            json.values().removeIf(value -> value == null);
        } else {
            json.put("message", String.valueOf(error.toString()));
        }
        return Json.write(json);
    }

    private static void receive(Pointer userData, Pointer event, long length) {
        try {
            ((Events) FUNCTIONS.get(Pointer.nativeValue(userData))).on(text(event, length));
        } catch (Throwable error) {
            // Nobody waits for an answer; the thread's handler is where a program looks for such errors.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
    }

    private static String text(Pointer data, long length) {
        return length == 0 ? "" : Calls.text(data.getByteArray(0, Math.toIntExact(length)));
    }
}

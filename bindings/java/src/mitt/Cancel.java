package mitt;

import java.util.concurrent.atomic.AtomicBoolean;

/** A flag that ends the calls to which it was given. One flag may serve several calls, of several threads. */
public final class Cancel implements AutoCloseable {
    final long handle = Calls.handle((mitt, result, error) -> mitt.mitt_cancel_new(result, error));
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Ends the calls: they throw a {@link MittException} of the kind {@code cancelled}. Does nothing after {@link #close}. */
    public void set() {
        Loader.functions().mitt_cancel_set(handle);
    }

    /** Frees the flag. Calls that have begun keep it. Does nothing the second time. */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            Loader.functions().mitt_handle_free(handle);
        }
    }

    static long of(Cancel cancel) {
        return cancel == null ? 0 : cancel.handle;
    }
}

package mitt;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A host: engine, skills, limits and threads. Make one for each process. All threads may use it at once. */
public final class Host implements AutoCloseable {
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Makes a host with default options. */
    public Host() {
        this(null);
    }

    /**
     * Makes a host.
     *
     * @param options a JSON object with {@code cache}, {@code threads}, {@code skills}, {@code limits} and others of
     *     {@code mitt_host_new}; or {@code null}
     * @throws MittException the options are wrong, or a skill cannot be loaded
     * @throws UnsatisfiedLinkError the library is not there
     */
    public Host(String options) {
        byte[] given = Calls.text(options);
        handle = Calls.handle((mitt, result, error) -> mitt.mitt_host_new(given, Calls.length(given), result, error));
    }

    /**
     * Adds a tool, for sessions that are opened after that.
     *
     * @param definition a JSON object: {@code name} such as {@code shop__price}, {@code description}, {@code parameters} (a JSON Schema)
     *     and others of {@code mitt_host_add_tool}
     * @throws MittException the definition is wrong, or there is a tool of this name
     */
    public void addTool(String definition, Tool tool) {
        byte[] given = Calls.text(definition);
        var kept = Callbacks.keep(Objects.requireNonNull(tool, "tool"));
        Calls.nothing((mitt, result, error) -> mitt.mitt_host_add_tool(handle, given, Calls.length(given), Callbacks.ANSWER, kept,
                Callbacks.FREE, error));
    }

    /** Opens a session with default options. */
    public Session session() {
        return session(null, null);
    }

    /**
     * Opens a session.
     *
     * @param options a JSON object with {@code tenant}, {@code folder} and others of {@code mitt_session_new}; or {@code null}
     * @param events receives each step; or {@code null}
     * @throws MittException the options are wrong
     */
    public Session session(String options, Events events) {
        byte[] given = Calls.text(options);
        var kept = events == null ? null : Callbacks.keep(events);
        var receive = events == null ? null : Callbacks.RECEIVE;
        var free = events == null ? null : Callbacks.FREE;
        return new Session(Calls.handle((mitt, result, error) -> mitt.mitt_session_new(handle, given, Calls.length(given), receive, kept,
                free, result, error)));
    }

    /** Frees the host. Sessions keep what they need of it. Does nothing the second time. */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            Loader.functions().mitt_handle_free(handle);
        }
    }
}

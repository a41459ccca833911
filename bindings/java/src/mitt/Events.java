package mitt;

/** Receives the events of a session, on threads of Mitt and by several at once. */
@FunctionalInterface
public interface Events {
    /** Receives an event as JSON. It must return quickly, and calls of functions that wait fail in it. */
    void on(String event);
}

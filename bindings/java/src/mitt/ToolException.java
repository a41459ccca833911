package mitt;

/** An error of a tool that the caller of the tool sees: what was wrong, and what to do. Any other exception is an error, too. */
public final class ToolException extends Exception {
    private static final long serialVersionUID = 1;
    private String kind;
    private String hint;
    private boolean retryable;

    public ToolException(String message) {
        super(message);
    }

    /** Sets the kind: {@code arguments}, {@code input}, {@code denied} or {@code plugin}, which is the default. */
    public ToolException kind(String kind) {
        this.kind = kind;
        return this;
    }

    /** Adds advice, such as {@code ask for tea}. */
    public ToolException hint(String hint) {
        this.hint = hint;
        return this;
    }

    /** Says that the same call may succeed later. */
    public ToolException retryable() {
        this.retryable = true;
        return this;
    }

    String kind() {
        return kind;
    }

    String hint() {
        return hint;
    }

    boolean isRetryable() {
        return retryable;
    }
}

package mitt;

import java.util.List;
import java.util.Map;

/** An error of Mitt: a code, a place and a hint. Its message is the whole error, for people and models. */
public final class MittException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String json;
    private final String report;
    private transient Map<?, ?> fields;

    MittException(String json, String report) {
        super(String.valueOf(((Map<?, ?>) Json.parse(json)).get("text")));
        this.json = json;
        this.report = report;
    }

    /** Returns the code of {@code mitt.h}, such as 2. */
    public int code() {
        return ((Number) field("code")).intValue();
    }

    /** Returns the name of the code, such as {@code arguments} or {@code cancelled}. */
    public String kind() {
        return (String) field("kind");
    }

    /** Returns where the error is, such as {@code options.limits} or {@code /keys/0/column}; {@code null} if only the message says it. */
    public String place() {
        return (String) field("place");
    }

    /** Returns advice; {@code null} if there is none. */
    public String hint() {
        return (String) field("hint");
    }

    /** Returns further problems, one line each. */
    public List<String> details() {
        return ((List<?>) field("details")).stream().map(String::valueOf).toList();
    }

    /** {@code true} if the same call may succeed later. */
    public boolean isRetryable() {
        return Boolean.TRUE.equals(field("retryable"));
    }

    /** Returns the error as JSON, with all its fields. */
    public String json() {
        return json;
    }

    /** Returns the report of the call that failed, as JSON; {@code null} if it did not begin. */
    public String report() {
        return report;
    }

    private Object field(String name) {
        if (fields == null) {
            fields = (Map<?, ?>) Json.parse(json);
        }
        return fields.get(name);
    }
}

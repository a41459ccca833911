package mitt;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON, for programs without a library for it. Objects are a {@link Map}, arrays a {@link List}, numbers a
 * {@link BigDecimal}, which keeps all digits; and there are strings, booleans and {@code null}.
 */
public final class Json {
    /** Deepest nesting that is read. */
    private static final int MAX_DEPTH = 256;
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Reads a JSON text.
     *
     * @throws IllegalArgumentException it is not JSON; the message has the position
     */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) {
            throw json.wrong("the end");
        }
        return value;
    }

    /**
     * Writes a value: maps, iterables, strings, numbers, booleans and {@code null}.
     *
     * @throws IllegalArgumentException a value is of another type, or a number that JSON lacks
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("JSON is nested deeper than " + MAX_DEPTH + " at " + at);
        }
        space();
        char next = at < text.length() ? text.charAt(at) : '\0';
        return switch (next) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        space();
        if (is('}')) {
            return fields;
        }
        do {
            space();
            if (at >= text.length() || text.charAt(at) != '"') {
                throw wrong("a key");
            }
            String key = string();
            space();
            if (!is(':')) {
                throw wrong("`:`");
            }
            fields.put(key, value(depth + 1));
            space();
        } while (is(','));
        if (!is('}')) {
            throw wrong("`,` or `}`");
        }
        return fields;
    }

    private List<Object> array(int depth) {
        List<Object> items = new ArrayList<>();
        at++;
        space();
        if (is(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
            space();
        } while (is(','));
        if (!is(']')) {
            throw wrong("`,` or `]`");
        }
        return items;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (at < text.length()) {
            char next = text.charAt(at++);
            if (next == '"') {
                return out.toString();
            } else if (next < ' ') {
                at--;
                throw wrong("an escaped character");
            } else if (next == '\\') {
                out.append(escaped());
            } else {
                out.append(next);
            }
        }
        throw wrong("`\"`");
    }

    private char escaped() {
        char kind = at < text.length() ? text.charAt(at) : '\0';
        at++;
        switch (kind) {
            case '"', '\\', '/':
                return kind;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                if (at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
                    at += 4;
                    return (char) Integer.parseInt(text.substring(at - 4, at), 16);
                }
                throw wrong("four hexadecimal digits");
            default:
                at--;
                throw wrong("an escape");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private BigDecimal number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,9})?")) {
            at = start;
            throw wrong("a value");
        }
        return new BigDecimal(digits);
    }

    private boolean is(char expected) {
        boolean there = at < text.length() && text.charAt(at) == expected;
        at += there ? 1 : 0;
        return there;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException wrong(String expected) {
        String found = at < text.length() ? "`" + text.charAt(at) + "`" : "the end";
        return new IllegalArgumentException("expected " + expected + " at " + at + " of the JSON text, got " + found);
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number number) {
            if (number instanceof Double || number instanceof Float) {
                if (!Double.isFinite(number.doubleValue())) {
                    throw new IllegalArgumentException("JSON has no number " + number);
                }
            }
            out.append(number);
        } else if (value instanceof String string) {
            quote(string, out);
        } else if (value instanceof Map<?, ?> fields) {
            String before = "{";
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                out.append(before);
                quote((String) field.getKey(), out);
                out.append(':');
                write(field.getValue(), out);
                before = ",";
            }
            out.append(fields.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> items) {
            out.append('[');
            String before = "";
            for (Object item : items) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(']');
        } else {
            throw new IllegalArgumentException("cannot write a " + value.getClass().getName() + " as JSON");
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < string.length(); index++) {
            char next = string.charAt(index);
            if (next == '"' || next == '\\') {
                out.append('\\').append(next);
            } else if (next < ' ') {
                out.append(String.format("\\u%04x", (int) next));
            } else {
                out.append(next);
            }
        }
        out.append('"');
    }
}

package mitt;

/** Functions that need no session. They may be called from all threads. */
public final class Mitt {
    private Mitt() {}

    /** Returns the version of the library, such as {@code 0.1.0}. */
    public static String version() {
        return Loader.functions().mitt_version();
    }

    /** Makes a file from Markdown with default options: see {@link #render(String, String, String, Cancel)}. */
    public static byte[] render(String format, String markdown) {
        return render(format, markdown, null, null);
    }

    /**
     * Makes a file from Markdown. The same parameters make the same bytes.
     *
     * @param format {@code pdf}, {@code docx}, {@code html}, {@code pptx} or {@code xlsx}
     * @param options a JSON object with {@code title}, {@code author}, {@code theme} and others of {@code mitt_render}; or {@code null}
     * @param cancel ends the call; or {@code null}
     */
    public static byte[] render(String format, String markdown, String options, Cancel cancel) {
        byte[] kind = Calls.text(format);
        byte[] text = Calls.text(markdown);
        byte[] given = Calls.text(options);
        return Calls.bytes((mitt, result, report, error) -> mitt.mitt_render(kind, Calls.length(kind), text, Calls.length(text), given,
                Calls.length(given), Cancel.of(cancel), result, report, error));
    }

    /** Fills a template with values with default options: see {@link #fill(byte[], String, String, Cancel)}. */
    public static byte[] fill(byte[] template, String values) {
        return fill(template, values, null, null);
    }

    /**
     * Fills a template: a Word file or a workbook with marks such as <code>{{name}}</code>.
     *
     * @param values a JSON object
     * @param options a JSON object with {@code content} and others of {@code mitt_fill}; or {@code null}
     * @param cancel ends the call; or {@code null}
     */
    public static byte[] fill(byte[] template, String values, String options, Cancel cancel) {
        byte[] filled = Calls.text(values);
        byte[] given = Calls.text(options);
        return Calls.bytes((mitt, result, report, error) -> mitt.mitt_fill(template, Calls.length(template), filled, Calls.length(filled),
                given, Calls.length(given), Cancel.of(cancel), result, report, error));
    }
}

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import mitt.Cancel;
import mitt.Host;
import mitt.Mitt;
import mitt.Session;

/** Files without a session, and tables by Arrow's C stream interface. */
final class FileTests {
    private static final String MARKDOWN = "# 报告\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n";
    /** Size of {@code ArrowArrayStream}: five pointers; the fourth is {@code release}. */
    private static final int STREAM_SIZE = 40;
    private static final int RELEASE = 24;

    private FileTests() {}

    static void add(Map<String, Check.Code> tests, Host host) {
        tests.put("markdown_becomes_five_formats", FileTests::render);
        tests.put("a_template_is_filled", FileTests::fill);
        tests.put("a_table_goes_from_one_session_to_another", () -> tables(host));
    }

    private static void render() {
        Map<String, String> begins = Map.of("pdf", "%PDF-", "docx", "PK", "pptx", "PK", "xlsx", "PK", "html", "<");
        begins.forEach((format, begin) -> {
            byte[] made = Mitt.render(format, MARKDOWN, "{\"title\": \"T\"}", null);
            Check.equal(begin, new String(made, 0, begin.length(), StandardCharsets.US_ASCII));
            Check.that(Arrays.equals(made, Mitt.render(format, MARKDOWN, "{\"title\": \"T\"}", null)), format);
        });
        Check.equal("format", Check.fails("arguments", "odt", () -> Mitt.render("odt", MARKDOWN)).place());
        try (Cancel cancel = new Cancel()) {
            cancel.set();
            Check.fails("cancelled", "cancelled", () -> Mitt.render("pdf", MARKDOWN, null, cancel));
        }
    }

    private static void fill() {
        byte[] template = Mitt.render("docx", "Dear {{name}}!");
        byte[] made = Mitt.fill(template, "{\"name\": \"Ada\"}");
        Check.that(made.length > 1000 && made[0] == 'P', made.length);
        Check.fails("arguments", "name", () -> Mitt.fill(template, "{}"));
        Check.equal("template", Check.fails("input", "template", () -> Mitt.fill(new byte[] {1, 2, 3}, "{}")).place());
    }

    private static void tables(Host host) {
        byte[] csv = "city,people\nBonn,330\nUlm,130\n".getBytes(StandardCharsets.UTF_8);
        try (Session from = host.session(); Session to = host.session(); Memory stream = new Memory(STREAM_SIZE)) {
            stream.clear();
            long address = Pointer.nativeValue(stream);
            from.addDocument("cities.csv", csv);
            from.table("cities.csv", address);
            Check.that(stream.getPointer(RELEASE) != null, "a released stream");
            to.addTable("cities", address, null);
            Check.equal(null, stream.getPointer(RELEASE));
            String query = "{\"sql\": \"SELECT sum(people) AS n FROM cities\"}";
            Check.contains(to.call("sql_tool__query", query), "460");
            Check.fails("input", "released", () -> to.addTable("cities", address, null));
            Check.equal("stream", Check.fails("null-pointer", "stream", () -> to.addTable("cities", 0, null)).place());
            Check.fails("input", "cities", () -> to.table("towns", address));
        }
    }
}

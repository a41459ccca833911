import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import mitt.Host;
import mitt.Json;
import mitt.Mitt;
import mitt.Session;
import mitt.ToolException;

/**
 * Runs the tests of the binding: {@code MittTests FOLDER CACHE OUT}. FOLDER has the two reports and the script of the README, CACHE
 * compiled skills, and OUT gets the files. With {@code find} as its only argument it loads the library and prints the version.
 */
public final class MittTests {
    static final String PRICE = """
            {"name": "shop__price", "description": "Price of an article.", "read_only": true, "parameters":
             {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]}}""";
    static final String SELL = """
            {"name": "shop__sell", "description": "Sells an article.", "destructive": true, "parameters":
             {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]}}""";

    private MittTests() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 1 && arguments[0].equals("find")) {
            System.out.println(Mitt.version());
            return;
        }
        Map<String, Check.Code> tests = new LinkedHashMap<>();
        try (Host host = new Host(Json.write(Map.of("cache", arguments[1], "threads", 2)))) {
            host.addTool(PRICE, MittTests::price);
            host.addTool(SELL, article -> "\"sold\"");
            tests.put("the_story_of_the_readme", () -> story(host, Path.of(arguments[0]), Path.of(arguments[2])));
            ErrorTests.add(tests, host);
            CallbackTests.add(tests, host);
            ThreadTests.add(tests, host);
            FileTests.add(tests, host);
            int failed = 0;
            for (var test : tests.entrySet()) {
                failed += passes(test.getKey(), test.getValue()) ? 0 : 1;
            }
            System.out.println((tests.size() - failed) + " passed, " + failed + " failed");
            System.exit(failed == 0 ? 0 : 1);
        }
    }

    private static boolean passes(String name, Check.Code test) {
        try {
            test.run();
            System.out.println("ok " + name);
            return true;
        } catch (Throwable error) {
            System.out.println("FAILED " + name);
            error.printStackTrace(System.out);
            return false;
        }
    }

    /** A tool: the price of an article. */
    static String price(String arguments) throws ToolException {
        return switch (Check.string(arguments, "article")) {
            case "tea" -> "{\"cents\": 450, \"exact\": 1.10000000000000000000001}";
            case "nothing" -> null;
            case "text" -> "no JSON";
            case "fault" -> throw new IllegalStateException("the shelf fell");
            case "deep" -> price(arguments);
            case "silent" -> throw new Silent();
            case "later" -> throw new ToolException("closed").retryable();
            default -> throw new ToolException("there is no such article").kind("input").hint("ask for tea");
        };
    }

    /** An error without a text. */
    private static final class Silent extends IllegalStateException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("there is no text");
        }
    }

    private static void story(Host host, Path folder, Path out) throws Exception {
        try (Session session = host.session("{\"tenant\": \"acme\"}", null)) {
            for (String name : new String[] {"2024年经营报告.xlsx", "2025年经营报告.docx"}) {
                var document = session.addDocument(name, Files.readAllBytes(folder.resolve(name)));
                Check.equal(name, document.name());
                Check.that(document.characters() > 100, document);
                Check.contains(document.json(), "\"tables\":[{");
            }
            String report = session.script("python-lite", Files.readString(folder.resolve("script.py")));
            Check.equal(true, Check.at(report, "ok"));
            Check.contains(report, "完成");

            var files = session.artifacts();
            Check.equal(2, files.size());
            String[] names = {"2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"};
            String[] begins = {"PK", "%PDF-"};
            for (int index = 0; index < 2; index++) {
                Check.equal(names[index], files.get(index).name());
                byte[] bytes = session.bytes(names[index]);
                Check.equal(files.get(index).size(), (long) bytes.length);
                Check.equal(begins[index], new String(bytes, 0, begins[index].length()));
                Files.write(out.resolve(names[index]), bytes);
            }
            Check.equal("acme", Check.at(session.state(), "tenant"));
            // The growth that the script found stands in the workbook, which another session reads.
            try (Session reader = host.session()) {
                String text = Check.string(reader.addDocument(names[0], session.bytes(names[0]), "{\"text\": true}", null).json(), "text");
                Check.contains(text, "173410");
            }
        }
    }
}

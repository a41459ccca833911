package mitt;

import com.sun.jna.Pointer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A session: documents, delivered files and a journal of their own. All threads may use it at once. Options, arguments and reports
 * are JSON; {@code null} stands for no options, and for no flag.
 *
 * <p>Each method throws a {@link MittException} if it fails. The methods wait for the end of their call; an interrupt of the thread
 * does not end one, a {@link Cancel} does.
 */
public final class Session implements AutoCloseable {
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    Session(long handle) {
        this.handle = handle;
    }

    /** Reads a file and adds it to the documents. */
    public Document addDocument(String name, byte[] data) {
        return addDocument(name, data, null, null);
    }

    /** Reads a file and adds it to the documents. {@code options} has {@code password} and others of {@code mitt_session_add_document}. */
    public Document addDocument(String name, byte[] data, String options, Cancel cancel) {
        byte[] called = Calls.text(name);
        byte[] given = Calls.text(options);
        return Document.of(Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_add_document(handle, called,
                Calls.length(called), data, Calls.length(data), given, Calls.length(given), Cancel.of(cancel), result, error))));
    }

    /** Calls a tool and returns the report of the call. */
    public String call(String tool, String arguments) {
        return call(tool, arguments, null, null);
    }

    /** Calls a tool and returns the report of the call. {@code options} has {@code timeout_ms} and others of {@code mitt_session_call}. */
    public String call(String tool, String arguments, String options, Cancel cancel) {
        byte[] named = Calls.text(tool);
        byte[] passed = Calls.text(arguments);
        byte[] given = Calls.text(options);
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_call(handle, named, Calls.length(named), passed,
                Calls.length(passed), given, Calls.length(given), Cancel.of(cancel), result, error)));
    }

    /** Runs a script and returns the report of the call. */
    public String script(String language, String source) {
        return script(language, source, null, null);
    }

    /** Runs a script and returns the report of the call. {@code options} has {@code inputs} and others of {@code mitt_session_script}. */
    public String script(String language, String source, String options, Cancel cancel) {
        byte[] named = Calls.text(language);
        byte[] text = Calls.text(source);
        byte[] given = Calls.text(options);
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_script(handle, named, Calls.length(named), text,
                Calls.length(text), given, Calls.length(given), Cancel.of(cancel), result, error)));
    }

    /** Continues a call that waits for a decision, such as {@code {"decision": "approve"}}, and returns its report. */
    public String resume(String id, String decision, Cancel cancel) {
        byte[] named = Calls.text(id);
        byte[] given = Calls.text(decision);
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_resume(handle, named, Calls.length(named), given,
                Calls.length(given), Cancel.of(cancel), result, error)));
    }

    /** Lets a model follow an instruction with the documents and tools of the session, and returns the report. */
    public String run(String instruction, Model model) {
        return run(instruction, model, null, null);
    }

    /** Lets a model follow an instruction. {@code options} has {@code limits} and others of {@code mitt_agent_run}. */
    public String run(String instruction, Model model, String options, Cancel cancel) {
        byte[] text = Calls.text(instruction);
        byte[] given = Calls.text(options);
        Pointer kept = Callbacks.keep(Objects.requireNonNull(model, "model"));
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_agent_run(handle, text, Calls.length(text), given,
                Calls.length(given), Callbacks.ANSWER, kept, Callbacks.FREE, Cancel.of(cancel), result, error)));
    }

    /** Returns the tools of the session with the JSON Schemas of their parameters. */
    public String tools() {
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_tools(handle, 0, result, error)));
    }

    /** Returns what the session holds. */
    public String state() {
        return Calls.text(Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_state(handle, result, error)));
    }

    /** Returns the delivered files, in the order of their first delivery. */
    public List<Artifact> artifacts() {
        byte[] json = Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_artifacts(handle, result, error));
        List<?> files = (List<?>) Json.parse(Calls.text(json));
        return files.stream().map(file -> Artifact.of((Map<?, ?>) file)).toList();
    }

    /** Returns the bytes of a delivered file. */
    public byte[] bytes(String artifact) {
        byte[] named = Calls.text(artifact);
        return Calls.bytes((mitt, result, report, error) -> mitt.mitt_session_artifact(handle, named, Calls.length(named), result, error));
    }

    /** Adds a table. {@code stream} is the address of a structure of Arrow's C stream interface, which Mitt releases. */
    public void addTable(String name, long stream, Cancel cancel) {
        byte[] named = Calls.text(name);
        Calls.nothing((mitt, result, error) -> mitt.mitt_session_add_table(handle, named, Calls.length(named), new Pointer(stream),
                Cancel.of(cancel), error));
    }

    /** Writes a table of the session to the structure of Arrow's C stream interface at an address. The program releases it. */
    public void table(String reference, long stream) {
        byte[] named = Calls.text(reference);
        Calls.nothing((mitt, result, error) -> mitt.mitt_session_table(handle, named, Calls.length(named), new Pointer(stream), error));
    }

    /** Closes the session. Calls that have begun end normally. Does nothing the second time. */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            Loader.functions().mitt_handle_free(handle);
        }
    }
}

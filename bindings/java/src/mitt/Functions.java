package mitt;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Pointer;

/** The functions of {@code mitt.h}, as JNA calls them. A handle and a {@code size_t} are a {@code long}. */
interface Functions extends Library {
    /** A tool or a model of the program. */
    interface Answering extends Callback {
        int invoke(Pointer userData, Pointer request, long length, long reply);
    }

    /** What receives events. */
    interface Receiving extends Callback {
        void invoke(Pointer userData, Pointer event, long length);
    }

    /** What is called when a pointer of the program is not in use any more. */
    interface Freeing extends Callback {
        void invoke(Pointer userData);
    }

    int mitt_abi_version();

    String mitt_version();

    String mitt_code_name(int code);

    int mitt_handle_free(long handle);

    int mitt_bytes_free(Pointer bytes);

    int mitt_reply_set(long reply, byte[] data, long length);

    int mitt_cancel_new(Pointer result, Pointer error);

    int mitt_cancel_set(long cancel);

    int mitt_host_new(byte[] options, long optionsLength, Pointer result, Pointer error);

    int mitt_host_add_tool(long host, byte[] definition, long definitionLength, Answering tool, Pointer userData, Freeing free,
                           Pointer error);

    int mitt_session_new(long host, byte[] options, long optionsLength, Receiving events, Pointer userData, Freeing free,
                         Pointer result, Pointer error);

    int mitt_session_add_document(long session, byte[] name, long nameLength, byte[] data, long dataLength, byte[] options,
                                  long optionsLength, long cancel, Pointer result, Pointer error);

    int mitt_session_add_table(long session, byte[] name, long nameLength, Pointer stream, long cancel, Pointer error);

    int mitt_session_table(long session, byte[] reference, long referenceLength, Pointer stream, Pointer error);

    int mitt_session_state(long session, Pointer result, Pointer error);

    int mitt_session_call(long session, byte[] tool, long toolLength, byte[] arguments, long argumentsLength, byte[] options,
                          long optionsLength, long cancel, Pointer result, Pointer error);

    int mitt_session_script(long session, byte[] language, long languageLength, byte[] source, long sourceLength, byte[] options,
                            long optionsLength, long cancel, Pointer result, Pointer error);

    int mitt_session_resume(long session, byte[] id, long idLength, byte[] decision, long decisionLength, long cancel,
                            Pointer result, Pointer error);

    int mitt_session_tools(long session, long cancel, Pointer result, Pointer error);

    int mitt_session_artifacts(long session, Pointer result, Pointer error);

    int mitt_session_artifact(long session, byte[] name, long nameLength, Pointer result, Pointer error);

    int mitt_agent_run(long session, byte[] instruction, long instructionLength, byte[] options, long optionsLength, Answering model,
                       Pointer userData, Freeing free, long cancel, Pointer result, Pointer error);

    int mitt_render(byte[] format, long formatLength, byte[] markdown, long markdownLength, byte[] options, long optionsLength,
                    long cancel, Pointer result, Pointer report, Pointer error);

    int mitt_fill(byte[] data, long dataLength, byte[] values, long valuesLength, byte[] options, long optionsLength, long cancel,
                  Pointer result, Pointer report, Pointer error);
}

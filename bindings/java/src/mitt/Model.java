package mitt;

/** A chat model. It runs on threads of Mitt. */
@FunctionalInterface
public interface Model {
    /**
     * Answers one turn. {@code request} is the body of a chat completion of OpenAI's interface. Returns the body of its response, or
     * only the message, as JSON.
     *
     * @throws Exception the model failed
     */
    String answer(String request) throws Exception;
}

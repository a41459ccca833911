package mitt;

/** A function of the program that models, scripts and plugins call. It runs on threads of Mitt, by several at once. */
@FunctionalInterface
public interface Tool {
    /**
     * Returns the result as JSON. {@code arguments} is a JSON object, which was checked against the schema of the tool.
     *
     * @throws Exception the call failed; a {@link ToolException} can name a kind and a hint
     */
    String call(String arguments) throws Exception;
}

package mitt;

import java.util.Map;

/**
 * A document of a session.
 *
 * @param name the name by which calls refer to it
 * @param mediaType what its content is
 * @param characters length of its text, in characters
 * @param json all that is known of it, with its tables and warnings
 */
public record Document(String name, String mediaType, long characters, String json) {
    static Document of(String json) {
        Map<?, ?> fields = (Map<?, ?>) Json.parse(json);
        return new Document((String) fields.get("name"), (String) fields.get("media_type"),
                ((Number) fields.get("characters")).longValue(), json);
    }
}

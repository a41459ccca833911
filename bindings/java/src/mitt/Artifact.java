package mitt;

import java.util.Map;

/**
 * A file that a tool delivered. {@link Session#bytes} returns its content.
 *
 * @param name the name of the file
 * @param mediaType what its content is
 * @param size number of its bytes
 * @param sha256 hash of its bytes, in hexadecimal digits
 * @param json all that is known of it, with its pages or sheets, and warnings
 */
public record Artifact(String name, String mediaType, long size, String sha256, String json) {
    static Artifact of(Map<?, ?> fields) {
        return new Artifact((String) fields.get("name"), (String) fields.get("media_type"), ((Number) fields.get("size")).longValue(),
                (String) fields.get("sha256"), Json.write(fields));
    }
}

package mitt;

import com.sun.jna.Native;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Finds the library: the file that the environment variable {@code MITT_LIBRARY} names, then one next to the class files or the
 * jar of this package, then the search of JNA and of the system.
 */
final class Loader {
    /** The version of {@code mitt.h} that {@link Functions} was written for. */
    private static final int ABI_VERSION = 1;
    private static Functions loaded;

    private Loader() {}

    /**
     * Returns the functions of the library. The first call loads it.
     *
     * @throws UnsatisfiedLinkError there is no library, or one of another version; the next call tries again
     */
    static synchronized Functions functions() {
        if (loaded == null) {
            loaded = load();
        }
        return loaded;
    }

    private static Functions load() {
        if (Native.SIZE_T_SIZE != 8 || Native.POINTER_SIZE != 8) {
            throw new UnsatisfiedLinkError("Mitt needs a process of 64 bits");
        }
        String place = place();
        Functions functions;
        try {
            // JNA would take text of C in the encoding of the system; all texts of Mitt are UTF-8.
            functions = Native.load(place, Functions.class, Map.of(com.sun.jna.Library.OPTION_STRING_ENCODING, "UTF-8"));
        } catch (UnsatisfiedLinkError error) {
            throw new UnsatisfiedLinkError("cannot load `" + place + "`: " + error.getMessage().strip()
                    + "; set MITT_LIBRARY to the path of " + System.mapLibraryName("mitt"));
        }
        int version = functions.mitt_abi_version();
        if (version != ABI_VERSION) {
            throw new UnsatisfiedLinkError("expected version " + ABI_VERSION + " of the interface, got " + version + " in `" + place
                    + "`; use the library that belongs to this binding");
        }
        return functions;
    }

    private static String place() {
        String named = System.getenv("MITT_LIBRARY");
        if (named != null && !named.isEmpty()) {
            // A name without a folder would be searched for; the variable names a file.
            return Path.of(named).toAbsolutePath().toString();
        }
        Path beside = beside();
        return beside != null && Files.isRegularFile(beside) ? beside.toString() : "mitt";
    }

    /** Returns the path of the library next to the classes or the jar; {@code null} if that is not a place of files. */
    private static Path beside() {
        try {
            var source = Loader.class.getProtectionDomain().getCodeSource();
            if (source == null || source.getLocation() == null) {
                return null;
            }
            Path classes = Path.of(source.getLocation().toURI());
            Path folder = Files.isDirectory(classes) ? classes : classes.getParent();
            return folder.resolve(System.mapLibraryName("mitt")).toAbsolutePath();
        } catch (URISyntaxException | RuntimeException error) {
            // Class loaders of containers name places that are not files.
            return null;
        }
    }
}

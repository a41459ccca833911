#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct functions mitt;

static char *message(const char *first, const char *second) {
    size_t length = strlen(first) + strlen(second) + 1;
    char *joined = malloc(length);
    if (joined != NULL) {
        snprintf(joined, length, "%s%s", first, second);
    }
    return joined;
}

/* Sets a function of `mitt`, or ends `library_load` with a message. */
#define FIND(name) \
    do { \
        *(void **)&mitt.name = dlsym(library, "mitt_" #name); \
        if (mitt.name == NULL) { \
            dlclose(library); \
            return message("there is no function mitt_", #name); \
        } \
    } while (0)

char *library_load(const char *path, uint32_t expected) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        return message(why == NULL ? "dlopen failed" : why, "");
    }
    /* The version comes first: a library of another one may lack functions. */
    FIND(abi_version);
    uint32_t version = mitt.abi_version();
    if (version != expected) {
        char text[160];
        snprintf(text, sizeof text, "expected version %u of the interface, got %u; use the library that belongs to this package",
                 (unsigned)expected, (unsigned)version);
        dlclose(library);
        return message(text, "");
    }
    FIND(version);
    FIND(code_name);
    FIND(handle_free);
    FIND(bytes_free);
    FIND(reply_set);
    FIND(cancel_new);
    FIND(cancel_set);
    FIND(host_new);
    FIND(host_add_tool);
    FIND(session_new);
    FIND(session_add_document);
    FIND(session_add_table);
    FIND(session_table);
    FIND(session_state);
    FIND(session_call);
    FIND(session_script);
    FIND(session_resume);
    FIND(session_tools);
    FIND(session_artifacts);
    FIND(session_artifact);
    FIND(agent_run);
    FIND(render);
    FIND(fill);
    return NULL;
}

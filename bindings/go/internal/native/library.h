/* The functions of mitt.h that are used here, found when the program runs. testdata/header.c compares them with mitt.h. */
#ifndef MITT_GO_LIBRARY_H
#define MITT_GO_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#ifndef MITT_H
typedef int32_t mitt_code;
typedef struct {
    const uint8_t *data;
    size_t len;
    uint64_t buffer;
} mitt_bytes;
typedef int32_t (*mitt_callback)(void *user_data, const uint8_t *request, size_t request_len, uint64_t reply);
typedef void (*mitt_free_callback)(void *user_data);
typedef void (*mitt_event_callback)(void *user_data, const uint8_t *event, size_t event_len);
#endif

struct ArrowArrayStream;

/* A text or bytes as two parameters. */
#define BYTES(name) const uint8_t *name, size_t name##_len

struct functions {
    uint32_t (*abi_version)(void);
    const char *(*version)(void);
    const char *(*code_name)(int32_t);
    mitt_code (*handle_free)(uint64_t);
    mitt_code (*bytes_free)(mitt_bytes *);
    mitt_code (*reply_set)(uint64_t, BYTES(data));
    mitt_code (*cancel_new)(uint64_t *, mitt_bytes *);
    mitt_code (*cancel_set)(uint64_t);
    mitt_code (*host_new)(BYTES(options), uint64_t *, mitt_bytes *);
    mitt_code (*host_add_tool)(uint64_t, BYTES(definition), mitt_callback, void *, mitt_free_callback, mitt_bytes *);
    mitt_code (*session_new)(uint64_t, BYTES(options), mitt_event_callback, void *, mitt_free_callback, uint64_t *, mitt_bytes *);
    mitt_code (*session_add_document)(uint64_t, BYTES(name), BYTES(data), BYTES(options), uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_add_table)(uint64_t, BYTES(name), struct ArrowArrayStream *, uint64_t, mitt_bytes *);
    mitt_code (*session_table)(uint64_t, BYTES(reference), struct ArrowArrayStream *, mitt_bytes *);
    mitt_code (*session_state)(uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_call)(uint64_t, BYTES(tool), BYTES(arguments), BYTES(options), uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_script)(uint64_t, BYTES(language), BYTES(source), BYTES(options), uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_resume)(uint64_t, BYTES(id), BYTES(decision), uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_tools)(uint64_t, uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_artifacts)(uint64_t, mitt_bytes *, mitt_bytes *);
    mitt_code (*session_artifact)(uint64_t, BYTES(name), mitt_bytes *, mitt_bytes *);
    mitt_code (*agent_run)(uint64_t, BYTES(instruction), BYTES(options), mitt_callback, void *, mitt_free_callback, uint64_t, mitt_bytes *,
                           mitt_bytes *);
    mitt_code (*render)(BYTES(format), BYTES(markdown), BYTES(options), uint64_t, mitt_bytes *, mitt_bytes *, mitt_bytes *);
    mitt_code (*fill)(BYTES(data), BYTES(values), BYTES(options), uint64_t, mitt_bytes *, mitt_bytes *, mitt_bytes *);
};

/* Loads a library. Returns a message if that fails, which the caller frees; otherwise null. A library that stays is one whose
 * version is the expected one. */
char *library_load(const char *path, uint32_t expected);

/* The functions of the library that was loaded. */
extern struct functions mitt;

#endif

/*
 * Mitt's C interface. This file is made from the sources by cbindgen; do not edit it.
 *
 * Texts. All texts are UTF-8, passed as a pointer and a length in bytes; they need no NUL and may contain one. A null pointer with
 * the length 0 stands for no text: options are the defaults then. Most options and results are JSON. Times are milliseconds
 * (`_ms`) or microseconds (`_us`), sizes are bytes.
 *
 * Results. A function returns a `mitt_code`, 0 for success. Results go to the places that the last parameters point to, each of which
 * is set to nothing first. `mitt_bytes` belong to the caller, who frees them with `mitt_bytes_free`.
 *
 * Errors. `error` may be null. Otherwise it gets JSON if the code is not 0, which the caller frees:
 * `{"code", "kind", "message", "place", "details", "hint", "text", "retryable"}`, and where they apply `retry_after_ms`, `limit`
 * (`{"name", "limit", "used"}`), `problem` and `answer`. `place` is a parameter, an option such as `options.limits.call.fuel`, a JSON pointer into
 * arguments, or a file; null if only the message says it. `hint` is advice, or null. `text` is all of it for people and models. The codes
 * for wrong parameters are `MITT_INVALID_HANDLE`, `MITT_NULL_POINTER`, `MITT_INVALID_UTF8`, `MITT_INVALID_JSON`, `MITT_ARGUMENTS`, `MITT_FORKED`
 * and `MITT_REENTERED`; every function may return `MITT_INTERNAL`, and `MITT_LIMIT` if there are more than 1048576 live handles and buffers.
 *
 * Handles. A handle is a number. One that was freed, or was never given out, is an error and never a crash. All functions may be called from
 * any thread, and by several threads at once with the same handle. A call that has begun keeps what it uses, so a handle may be freed
 * meanwhile.
 *
 * Callbacks. They are called from threads of Mitt, by several at once. `user_data` is passed on as it is; `free` says that it is not used any
 * more.
 *
 * fork. A child has none of the threads: a host of its parent, and its sessions, return `MITT_FORKED`. Free them there, and make a host anew.
 * Do not call `fork` while another thread is in a function of Mitt.
 */

#ifndef MITT_H
#define MITT_H

#include <stddef.h>
#include <stdint.h>

/* Arrow's C data interface and C stream interface, as https://arrow.apache.org/docs/format/CDataInterface.html has them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/**
 * Version of this interface. It grows by one when a function, a structure or a field of JSON changes its meaning or
 * goes; what is only added does not change it.
 */
#define MITT_ABI_VERSION 1

/**
 * Result of a function: 0 for success, otherwise the class of the error.
 */
enum mitt_code
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The function did what its description says.
     */
    MITT_OK = 0,
    /**
     * No tool has this name; the hints name the nearest ones.
     */
    MITT_UNKNOWN_TOOL = 1,
    /**
     * Arguments of a call do not fit the interface of the tool, or options have unknown keys or values of a wrong type.
     */
    MITT_ARGUMENTS = 2,
    /**
     * A capability or an action was not granted.
     */
    MITT_DENIED = 3,
    /**
     * A rule about content found something that must not leave.
     */
    MITT_BLOCKED = 4,
    /**
     * A limit was reached: `limit` of the error has its name, its value and what was used.
     */
    MITT_LIMIT = 5,
    /**
     * A plugin crashed.
     */
    MITT_TRAP = 6,
    /**
     * A plugin, a script or a tool of the caller reported an error of its own.
     */
    MITT_PLUGIN = 7,
    /**
     * A document, a file or a name from the caller is missing, damaged or of an unsupported type.
     */
    MITT_INPUT = 8,
    /**
     * A skill or a component cannot be loaded.
     */
    MITT_LOAD = 9,
    /**
     * The model failed.
     */
    MITT_MODEL = 10,
    /**
     * This build lacks the feature.
     */
    MITT_DISABLED = 11,
    /**
     * The call waits for a decision: `mitt_session_resume` continues it.
     */
    MITT_PAUSED = 12,
    /**
     * Too many calls run or wait; `retry_after_ms` of the error says when a place may be free.
     */
    MITT_BUSY = 13,
    /**
     * The cancel handle was set.
     */
    MITT_CANCELLED = 14,
    /**
     * The file system or the host itself failed.
     */
    MITT_HOST = 15,
    /**
     * A fault in Mitt itself, such as a panic. Please report it.
     */
    MITT_INTERNAL = 16,
    /**
     * The handle was never given out, was freed, or is one of another kind.
     */
    MITT_INVALID_HANDLE = 32,
    /**
     * A pointer is null that must not be.
     */
    MITT_NULL_POINTER = 33,
    /**
     * A text is not UTF-8.
     */
    MITT_INVALID_UTF8 = 34,
    /**
     * A text is not JSON, or not an object.
     */
    MITT_INVALID_JSON = 35,
    /**
     * The host was made by the parent of this process, before `fork`.
     */
    MITT_FORKED = 36,
    /**
     * A callback for events called a function that waits.
     */
    MITT_REENTERED = 37,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mitt_code mitt_code;
#else
typedef int32_t mitt_code;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A handle of any kind. 0 is none. Handles may be used from every thread, and by several at once.
 */
typedef uint64_t mitt_handle;

/**
 * The place for the answer of a callback. It is valid until the callback returns.
 */
typedef mitt_handle mitt_reply;

/**
 * A flag that ends the calls to which it was given. It may be set from any thread.
 */
typedef mitt_handle mitt_cancel;

/**
 * Bytes that Mitt gives to the caller, who frees them with `mitt_bytes_free`. They stay where they are, and do not
 * change, until then. Text and JSON are UTF-8 and have no NUL at the end.
 */
typedef struct {
    /**
     * The first byte; null if there are no bytes.
     */
    const uint8_t *data;
    /**
     * Number of bytes.
     */
    size_t len;
    /**
     * Identifies the buffer; 0 if there is none. It is not for the caller.
     */
    mitt_handle buffer;
} mitt_bytes;

/**
 * A host: engine, skills, limits and threads. Make one for each process.
 */
typedef mitt_handle mitt_host;

/**
 * A function of the caller that answers a request: a tool or a model.
 *
 * It gets `request_len` bytes of JSON, which are valid until it returns, and gives its answer with `mitt_reply_set`. It
 * returns 0 if the answer is the result. Any other number makes the answer an error: a text, or `{"message": "...",
 * "hint": "...", "kind": "input", "retryable": false}`, where only the message is needed; `kind` may be `arguments`,
 * `input`, `denied` or `plugin`.
 *
 * It is called from threads of Mitt, by several at once, and may call functions of Mitt. It may still run after the call
 * that waited for it was cancelled or reached its limit of time; its answer is ignored then. It must not be left by an
 * exception or `longjmp`.
 */
typedef int32_t (*mitt_callback)(void *user_data,
                                 const uint8_t *request,
                                 size_t request_len,
                                 mitt_reply reply);

/**
 * A function of the caller that is called once, from any thread, when Mitt will not use `user_data` any more.
 */
typedef void (*mitt_free_callback)(void *user_data);

/**
 * A function of the caller that receives events, one JSON object each, which is valid until it returns.
 *
 * It is called from any thread, also the one of the caller, by several at once. It must return quickly, because the work
 * waits for it, and must not call functions that wait: they return `MITT_REENTERED`.
 */
typedef void (*mitt_event_callback)(void *user_data,
                                    const uint8_t *event,
                                    size_t event_len);

/**
 * A session: the unit of isolation, with documents, files and a journal. It keeps its host alive.
 */
typedef mitt_handle mitt_session;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sets the answer of a callback: a copy of `len` bytes. A second answer replaces the first one. At most 16 MiB.
 *
 * May be called from the thread that runs the callback, or from another one while that runs. Returns
 * `MITT_INVALID_HANDLE` once the callback has returned, `MITT_LIMIT` if there are too many bytes, and
 * `MITT_NULL_POINTER` if `data` is null and `len` is not 0.
 *
 * The caller promises: `data` is null, or `len` bytes from it on can be read.
 */
mitt_code mitt_reply_set(mitt_reply reply,
                         const uint8_t *data,
                         size_t len);

/**
 * Returns the version of this interface. A program compares it with `MITT_ABI_VERSION` of the header that it was
 * compiled with, and stops if they differ.
 */
uint32_t mitt_abi_version(void);

/**
 * Returns the version of Mitt, such as `0.1.0`, with a NUL at the end. The text is static and is not freed.
 */
const char *mitt_version(void);

/**
 * Returns the name of a code, such as `invalid-handle`, with a NUL at the end; `unknown` for other numbers. The text is
 * static and is not freed.
 */
const char *mitt_code_name(int32_t code);

/**
 * Frees a handle of a host, a session or a flag. The object ends with its last use: a session keeps its host alive, and
 * a call that runs keeps its session and its flag. Buffers are freed with `mitt_bytes_free` instead.
 *
 * A session that ends is closed: its documents, variables and files in memory are gone. May be called from any thread,
 * also in a callback.
 *
 * Returns `MITT_INVALID_HANDLE` if the handle was freed already, or was never given out.
 */
mitt_code mitt_handle_free(mitt_handle handle);

/**
 * Makes a flag that ends the calls to which it is given. One flag may serve several calls.
 *
 * Returns `MITT_NULL_POINTER` or `MITT_LIMIT`.
 *
 * The caller promises: `result` and `error` are null or can be written.
 */
mitt_code mitt_cancel_new(mitt_cancel *result,
                          mitt_bytes *error);

/**
 * Sets a flag. The calls to which it was given end soon with `MITT_CANCELLED`, and so does each later one. Work of the
 * sandbox stops where it is; a callback that runs is not interrupted. A flag stays set.
 *
 * May be called from any thread, also while other threads wait for the calls, and in a callback.
 *
 * Returns `MITT_INVALID_HANDLE`.
 */
mitt_code mitt_cancel_set(mitt_cancel cancel);

/**
 * Frees the bytes of a result and sets `*bytes` to no bytes. Does nothing if there are none. May be called from any
 * thread.
 *
 * Returns `MITT_INVALID_HANDLE` if the bytes were freed already, for example through a copy of the structure, and
 * `MITT_NULL_POINTER` if `bytes` is null.
 *
 * The caller promises: `bytes` is null or points to a structure that can be read and written.
 */
mitt_code mitt_bytes_free(mitt_bytes *bytes);

/**
 * Makes a host with threads of its own. Make one for each process, and again in a child after `fork`: a host of the
 * parent returns `MITT_FORKED` there.
 *
 * `options` is a JSON object or empty. All keys are optional:
 *
 * - `bundled`: the skills of the library are there. Default true.
 * - `skills`: folders of further skills. `components`: files of WebAssembly components, which become skills.
 * - `replace_skills`: names of bundled skills that others may replace. `trust`: a file of approvals.
 * - `cache`: the folder for compiled skills, or false for none. Default: `MITT_CACHE_DIR`, or `mitt` in the cache folder
 *   of the user.
 * - `threads`: threads that run calls, 1 to 256. Default: as many as there are processors.
 * - `script_engine`: the engine for scripts of its language, such as `python-lite`.
 * - `worker`: the path of the program `mitt` of the same version, which compiles and typesets in processes that can be
 *   killed. `worker_required`: such work fails if the program cannot be started; by default it is done in this process.
 * - `full_journals`: journals keep messages with the values of callers. Default false.
 * - `rules`: `[{"name": "words.txt", "text": "..."}]`, rules about content for all sessions: one word per line, or YAML
 *   if the name ends in `.yaml`. `tenant_rules`: `[{"tenant": "acme", "rules": [...]}]`.
 * - `limits`: objects `call`, `session`, `concurrency`, `memory` and `blocking`, whose keys are the fields of the
 *   structures of the library's documentation, with `_ms` behind those that are times: `{"call": {"time_ms": 5000},
 *   "memory": {"host": 1073741824}}`.
 *
 * Returns `MITT_ARGUMENTS`, `MITT_INVALID_JSON`, `MITT_INPUT` or `MITT_LOAD` if the options are wrong, and `MITT_HOST`
 * if threads cannot be started.
 *
 * The caller promises: `options` is null, or `options_len` bytes from it on can be read. `result` and `error` are null or can be written.
 */
mitt_code mitt_host_new(const uint8_t *options,
                        size_t options_len,
                        mitt_host *result,
                        mitt_bytes *error);

/**
 * Adds a function of the caller as a tool, for sessions that are opened after that. Calls of it are checked, limited,
 * reported and recorded like those of skills, and scripts and plugins can make them.
 *
 * `definition` is a JSON object: `name`, such as `shop__price`, two words or groups of words joined by `__`;
 * `description`, for models; `parameters`, the JSON Schema of an object; and, if they differ from the defaults, `title`,
 * `read_only`, `idempotent`, `destructive` (false) and `timeout_ms` (30000). The callback gets the arguments as a JSON
 * object and answers with JSON.
 *
 * `free`, if it is not null, is called once when the host and all its sessions have ended, or at once if the tool is
 * refused.
 *
 * Returns `MITT_ARGUMENTS` or `MITT_INVALID_JSON` if the definition is wrong, `MITT_LOAD` if there is a tool of this
 * name or the name is not one of a tool, `MITT_INVALID_HANDLE`, and `MITT_NULL_POINTER` if there is no callback.
 *
 * The caller promises: `definition` is null, or `definition_len` bytes from it on can be read. `callback` may be called from any thread with
 * `user_data` until `free` was called. `error` is null or can be written.
 */
mitt_code mitt_host_add_tool(mitt_host host,
                             const uint8_t *definition,
                             size_t definition_len,
                             mitt_callback callback,
                             void *user_data,
                             mitt_free_callback free,
                             mitt_bytes *error);

/**
 * Opens a session: the unit of isolation. It keeps its host alive. Several threads may use it at once.
 *
 * `options` is a JSON object or empty. All keys are optional:
 *
 * - `tenant`: who owns the session; tenants have their own limits and rules. Default `local`.
 * - `folder`: where files and the journal go; without it they stay in memory. `opens_folder_later`: it is made with the
 *   first file.
 * - `time_ms`: wall clock for all calls of the session.
 * - `keeps_sources`: Office files are kept, so that tools can edit them or fill them as templates. Default false.
 * - `rules`: rules about content for this session, as for a host. No set weakens another one.
 * - `destructive`: what is done about calls of tools that are marked so: `pause`, `approve` or `deny`. Default: scripts
 *   pause, other calls are made.
 * - `assignment`: the key that assigns the session to variants of skills.
 *
 * `events`, if it is not null, receives every step as a JSON object whose `event` is `call_started`, `call_finished`,
 * `attempt_ended`, `output` (of a script), `log` (of a plugin), `delivered`, `document_started`, `document_ready`,
 * `rows`, `compiling`, `compiled`, `turn`, `model_text` or another name. `free`, if it is not null, is called once when
 * the session has ended, or at once if it is refused or `events` is null.
 *
 * Returns `MITT_ARGUMENTS`, `MITT_INVALID_JSON` or `MITT_INPUT` if the options are wrong, `MITT_HOST` if the folder
 * cannot be made, `MITT_INVALID_HANDLE`, and `MITT_FORKED`.
 *
 * The caller promises: `options` is null, or `options_len` bytes from it on can be read. `events` may be called from any thread with
 * `user_data` until `free` was called. `result` and `error` are null or can be written.
 */
mitt_code mitt_session_new(mitt_host host,
                           const uint8_t *options,
                           size_t options_len,
                           mitt_event_callback events,
                           void *user_data,
                           mitt_free_callback free,
                           mitt_session *result,
                           mitt_bytes *error);

/**
 * Reads a file and adds it to the documents of a session: PDF, Office files, web pages, mails, tables, texts and others.
 * The bytes are copied.
 *
 * `name` is the name of the file; its content, not the ending, says what it is. `options` is a JSON object or empty:
 * `password`; `is_path`, the name is a path such as `2024/sales.csv`; `keeps_unread`, a damaged file that tools can edit
 * is kept; `without_text`, the text of a file that only tools use is not read; `text`, the result has the text.
 *
 * `result`, if it is not null, gets `{"name", "media_type", "title", "size", "sha256", "characters", "tables",
 * "warnings"}` and, if it was asked for, `text`, which is Markdown, and `places`: where each page, slide, sheet or chapter
 * begins in it, as `{"offset", "label"}` in characters.
 *
 * Returns `MITT_INPUT` if the file cannot be read (`problem` of the error names why), `MITT_LIMIT`, `MITT_BLOCKED`,
 * `MITT_CANCELLED`, and the codes for wrong parameters.
 *
 * The caller promises: `name`, `data` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error` are
 * null or can be written.
 */
mitt_code mitt_session_add_document(mitt_session session,
                                    const uint8_t *name,
                                    size_t name_len,
                                    const uint8_t *data,
                                    size_t data_len,
                                    const uint8_t *options,
                                    size_t options_len,
                                    mitt_cancel cancel,
                                    mitt_bytes *result,
                                    mitt_bytes *error);

/**
 * Adds a table to the documents of a session, under a name such as `sales`, by which calls refer to it: `{"$ref":
 * "sales"}`.
 *
 * `stream` is one of Arrow's C stream interface, of which all batches are read. Mitt takes it over and releases it, also
 * if the function fails. Each buffer is checked and copied once into the session, which is charged for it.
 *
 * What the table does not keep, such as the time zone of a column, is in `warnings` of its document in the state of the
 * session.
 *
 * Returns `MITT_INPUT` if the stream is released, reports an error, breaks Arrow's rules, or has a column of a type that
 * a table cannot hold (the error names it), `MITT_LIMIT`, `MITT_CANCELLED`, and the codes for wrong parameters.
 *
 * The caller promises: `name` is null, or `name_len` bytes from it on can be read. `stream` is null, or points to a stream that is valid or
 * released. `error` is null or can be written.
 */
mitt_code mitt_session_add_table(mitt_session session,
                                 const uint8_t *name,
                                 size_t name_len,
                                 struct ArrowArrayStream *stream,
                                 mitt_cancel cancel,
                                 mitt_bytes *error);

/**
 * Returns a table of a session as a stream of Arrow's C stream interface, with one batch. `reference` names it as in a
 * call: `sales.csv`, `book.xlsx#Sheet2`, `t:3`.
 *
 * The caller owns the stream and releases it by its own `release`. Each buffer was copied once; the stream lives on
 * without the session. It may be read from any thread, by one at a time.
 *
 * A column of several types is one of texts; its field has the metadata `mitt:column-type` = `mixed`.
 *
 * Returns `MITT_INPUT` if there is no such table (the error lists those that exist), and the codes for wrong parameters.
 * `stream` is a released one then.
 *
 * The caller promises: `reference` is null, or `reference_len` bytes from it on can be read. `stream` is null or can be written, and holds no
 * stream. `error` is null or can be written.
 */
mitt_code mitt_session_table(mitt_session session,
                             const uint8_t *reference,
                             size_t reference_len,
                             struct ArrowArrayStream *stream,
                             mitt_bytes *error);

/**
 * Returns what a session holds: `{"tenant", "documents", "tables", "artifacts", "pending", "handles", "memory"}`.
 * `tables` are the names for `mitt_session_table`, `pending` the calls that wait for `mitt_session_resume`.
 *
 * Returns the codes for wrong parameters.
 *
 * The caller promises: `result` and `error` are null or can be written.
 */
mitt_code mitt_session_state(mitt_session session,
                             mitt_bytes *result,
                             mitt_bytes *error);

/**
 * Calls a tool, such as `table_tool__sort`, and waits for its end.
 *
 * `arguments` is a JSON object, which is checked against the interface of the tool before anything runs; the error names
 * all mistakes at once. `options` is a JSON object or empty: `timeout_ms`, which can only lower the limit of the tool;
 * `created_ms`, the time that delivered files state; `tables`, how tables in the result are shown: `whole` (default),
 * `model` (as models see them), or `{"cells": 400, "first_rows": 10}`, by reference if they are larger.
 *
 * `result`, if it is not null, gets the report of the call, **also if the call failed**: `{"result", "ok", "error",
 * "call", "tool", "name", "attempts", "usage", "printed", "artifacts", "approval"}`. Numbers of `result` have all their
 * digits. `usage` is `{"fuel", "peak_memory_bytes", "duration_us"}`. There is no report if a parameter is wrong or the
 * call was cancelled.
 *
 * Returns the code of the error of the call: `MITT_UNKNOWN_TOOL`, `MITT_ARGUMENTS`, `MITT_DENIED`, `MITT_BLOCKED`,
 * `MITT_LIMIT`, `MITT_TRAP`, `MITT_PLUGIN`, `MITT_PAUSED`, `MITT_BUSY`, `MITT_CANCELLED` or another one.
 *
 * The caller promises: `tool`, `arguments` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error`
 * are null or can be written.
 */
mitt_code mitt_session_call(mitt_session session,
                            const uint8_t *tool,
                            size_t tool_len,
                            const uint8_t *arguments,
                            size_t arguments_len,
                            const uint8_t *options,
                            size_t options_len,
                            mitt_cancel cancel,
                            mitt_bytes *result,
                            mitt_bytes *error);

/**
 * Runs a script and waits for its end. `language` is a language, such as `python`, or the name of an engine, such as
 * `python-lite`.
 *
 * `options` is a JSON object or empty: those of `mitt_session_call`, `inputs` (an object whose keys become variables of
 * the script) and `arguments` (an array of texts, `sys.argv[1:]`).
 *
 * `result`, if it is not null, gets the report of the call, as for `mitt_session_call`; the `result` in it has `stdout`,
 * `stderr` and the value of the script. If the script itself fails, the function returns the code of its error, and
 * there is a report.
 *
 * Returns `MITT_LOAD` if nothing runs scripts of the language, otherwise as `mitt_session_call`.
 *
 * The caller promises: `language`, `source` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error`
 * are null or can be written.
 */
mitt_code mitt_session_script(mitt_session session,
                              const uint8_t *language,
                              size_t language_len,
                              const uint8_t *source,
                              size_t source_len,
                              const uint8_t *options,
                              size_t options_len,
                              mitt_cancel cancel,
                              mitt_bytes *result,
                              mitt_bytes *error);

/**
 * Continues a call that waits for a decision, and waits for its end. `id` is the one of `approval` in the report of the
 * call, or of `pending` in the state of the session.
 *
 * `decision` is a JSON object: `{"decision": "approve"}` or `{"decision": "deny", "reason": "..."}`, with the options of
 * `mitt_session_call`. An approval is of one tool, one version and one hash of arguments, and counts once.
 *
 * `result` and the returned code are those of `mitt_session_call`.
 *
 * The caller promises: `id` and `decision` are null, or as many bytes as their lengths say can be read. `result` and `error` are null or can
 * be written.
 */
mitt_code mitt_session_resume(mitt_session session,
                              const uint8_t *id,
                              size_t id_len,
                              const uint8_t *decision,
                              size_t decision_len,
                              mitt_cancel cancel,
                              mitt_bytes *result,
                              mitt_bytes *error);

/**
 * Returns the tools of a session: `{"tools": [{"name", "skill", "title", "description", "parameters", "result",
 * "read_only", "idempotent", "destructive"}], "problems": [...]}`. `parameters` and `result` are JSON Schemas.
 * `problems` are the errors of skills that cannot be loaded.
 *
 * Loads all skills, which compiles those that are not in the cache. Returns `MITT_CANCELLED` and the codes for wrong
 * parameters.
 *
 * The caller promises: `result` and `error` are null or can be written.
 */
mitt_code mitt_session_tools(mitt_session session,
                             mitt_cancel cancel,
                             mitt_bytes *result,
                             mitt_bytes *error);

/**
 * Returns the delivered files of a session, in the order of their first delivery: an array of
 * `{"name", "media_type", "size", "sha256", "pages", "sheets", "warnings"}`.
 *
 * Returns the codes for wrong parameters.
 *
 * The caller promises: `result` and `error` are null or can be written.
 */
mitt_code mitt_session_artifacts(mitt_session session,
                                 mitt_bytes *result,
                                 mitt_bytes *error);

/**
 * Returns the bytes of a delivered file.
 *
 * Returns `MITT_INPUT` if there is no file of this name, `MITT_HOST` if it was removed from the folder of the session,
 * and the codes for wrong parameters.
 *
 * The caller promises: `name` is null, or `name_len` bytes from it on can be read. `result` and `error` are null or can be written.
 */
mitt_code mitt_session_artifact(mitt_session session,
                                const uint8_t *name,
                                size_t name_len,
                                mitt_bytes *result,
                                mitt_bytes *error);

/**
 * Lets a model of the caller follow an instruction with the documents and tools of a session, and waits for its end.
 *
 * `model` is called once for each turn. Its request is the body of a chat completion of OpenAI's interface, and its
 * answer is either the body of the response or only the message, so that a program can send the one and return the other
 * as they are: `{"content": "...", "tool_calls": [{"id": "1", "function": {"name": "...", "arguments": "{...}"}}]}`.
 * Each call has an `id` of its own. `free`, if it is not null, is called once when the model is not needed any more, at
 * the latest soon after the function has returned.
 *
 * `options` is a JSON object or empty: `model`, the name in requests (default `callback`); `tools`, how tools are shown:
 * `script` (default), `catalogue` or `all`; `instructions`, which precede everything else; `earlier`, the messages
 * before, as `[{"role": "user", "content": "..."}]`; `output_schema`, a JSON Schema that the answer must follow; `limits`,
 * an object with `turns`, `calls`, `tokens`, `time_ms`, `wrong_turns`, `script_repairs`, `context_characters` and
 * `context_tokens`.
 *
 * `result`, if it is not null, gets `{"calls": [...], "output", "text", "turns", "delivered", "missing", "usage"}`. `calls`
 * are reports as from `mitt_session_call`, `output` is the value of the answer if the options have `output_schema`, and
 * otherwise null; `delivered` are the names of files for `mitt_session_artifact`, `missing` the kinds of files that were
 * asked for and are not there.
 *
 * Returns `MITT_MODEL` if the model failed, or never gave an answer that follows `output_schema` (`answer` of the error
 * is what it said instead), `MITT_LIMIT` (files that were delivered before stay), `MITT_CANCELLED`, and the codes for
 * wrong parameters. A call that fails is no error here: the model sees it.
 *
 * The caller promises: `instruction` and `options` are null, or as many bytes as their lengths say can be read. `model` may be called from
 * any thread with `user_data` until `free` was called. `result` and `error` are null or can be written.
 */
mitt_code mitt_agent_run(mitt_session session,
                         const uint8_t *instruction,
                         size_t instruction_len,
                         const uint8_t *options,
                         size_t options_len,
                         mitt_callback model,
                         void *user_data,
                         mitt_free_callback free,
                         mitt_cancel cancel,
                         mitt_bytes *result,
                         mitt_bytes *error);

/**
 * Makes a file from Markdown, without a host: `format` is `pdf`, `docx`, `html`, `pptx` or `xlsx` (the tables of the
 * text). The same parameters make the same bytes. Nothing is fetched, and no file is read; pictures need a session and
 * its tools.
 *
 * `options` is a JSON object or empty: `title`, `author`, `language` (a BCP 47 tag), `paper` (`a4` or `letter`),
 * `contents` (a table of contents), `theme` (the TOML text of a theme) and `created_ms` (milliseconds since 1970, as the
 * file states them).
 *
 * `report`, if it is not null, gets `{"warnings": [...]}`, with `pages` for PDF, `slides` for PPTX and `sheets` for
 * XLSX.
 *
 * May be called from several threads at once. Returns `MITT_ARGUMENTS` if the text or the options are wrong,
 * `MITT_DISABLED` if this build lacks the format, `MITT_CANCELLED`, and the codes for wrong parameters.
 *
 * The caller promises: `format`, `markdown` and `options` are null, or as many bytes as their lengths say can be read. `result`, `report` and
 * `error` are null or can be written.
 */
mitt_code mitt_render(const uint8_t *format,
                      size_t format_len,
                      const uint8_t *markdown,
                      size_t markdown_len,
                      const uint8_t *options,
                      size_t options_len,
                      mitt_cancel cancel,
                      mitt_bytes *result,
                      mitt_bytes *report,
                      mitt_bytes *error);

/**
 * Fills a template with values, without a host: a Word file or a workbook with marks such as `{{name}}`. Everything else
 * of the template stays as it is.
 *
 * `values` is a JSON object; a date is `{"$date": "2026-01-31"}`. `options` is a JSON object or empty: `content`,
 * Markdown for `{{content}}` of a Word file; `as_xlsx`, the result is an `.xlsx` whatever the template is; `created_ms`.
 *
 * `report`, if it is not null, gets `{"warnings": [...]}`.
 *
 * May be called from several threads at once. Returns `MITT_ARGUMENTS` if values are missing (all of them are named) or
 * do not fit, `MITT_INPUT` if the template is neither a Word file nor a workbook or is broken, `MITT_DISABLED`,
 * `MITT_CANCELLED`, and the codes for wrong parameters.
 *
 * The caller promises: `data`, `values` and `options` are null, or as many bytes as their lengths say can be read. `result`, `report` and
 * `error` are null or can be written.
 */
mitt_code mitt_fill(const uint8_t *data,
                    size_t data_len,
                    const uint8_t *values,
                    size_t values_len,
                    const uint8_t *options,
                    size_t options_len,
                    mitt_cancel cancel,
                    mitt_bytes *result,
                    mitt_bytes *report,
                    mitt_bytes *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MITT_H */

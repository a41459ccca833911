/*
 * The story of the README in C: two reports come in, a script compares them, a workbook and a PDF go out. Then a tool and a model that are
 * functions of this program, files without a session, tables of Arrow, cancellation, a fork, and what must be an error and not a crash.
 *
 * Usage: story FOLDER CACHE OUT. FOLDER has the two reports and the script, CACHE compiled skills, and OUT gets the files.
 */
#define _POSIX_C_SOURCE 200809L

#include "mitt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A text as two parameters. */
#define TEXT(text) (const uint8_t *)(text), strlen(text)
#define NO_TEXT NULL, 0

/* Ends the program with the place of a condition that does not hold. */
#define CHECK(condition) check((condition), #condition, __LINE__)

static mitt_bytes error;

static void check(bool holds, const char *condition, int line) {
    if (holds) {
        return;
    }
    fprintf(stderr, "story.c:%d: %s does not hold\n", line, condition);
    if (error.data != NULL) {
        fprintf(stderr, "error: %.*s\n", (int)error.len, (const char *)error.data);
    }
    exit(1);
}

/* Whether bytes have a text in them. */
static bool has(mitt_bytes bytes, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= bytes.len; at++) {
        if (memcmp(bytes.data + at, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Checks the code and a part of the error, and frees the error. */
#define FAILS(call, code, part) \
    do { \
        mitt_code failed = (call); \
        check(failed == (code), #call, __LINE__); \
        check(has(error, part), part, __LINE__); \
        CHECK(mitt_bytes_free(&error) == MITT_OK); \
    } while (0)

static mitt_bytes file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *opened = fopen(path, "rb");
    CHECK(opened != NULL);
    CHECK(fseek(opened, 0, SEEK_END) == 0);
    long size = ftell(opened);
    CHECK(size >= 0);
    rewind(opened);
    uint8_t *data = malloc((size_t)size + 1);
    CHECK(data != NULL);
    CHECK(fread(data, 1, (size_t)size, opened) == (size_t)size);
    fclose(opened);
    mitt_bytes bytes = {data, (size_t)size, 0};
    return bytes;
}

static void forget(mitt_bytes bytes) {
    free((void *)(uintptr_t)bytes.data);
}

static void save(const char *folder, const char *name, mitt_bytes bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *opened = fopen(path, "wb");
    CHECK(opened != NULL);
    CHECK(fwrite(bytes.data, 1, bytes.len, opened) == bytes.len);
    CHECK(fclose(opened) == 0);
}

/* What the callbacks of this program counted. */
struct counts {
    atomic_int events;
    atomic_int freed;
    atomic_int turns;
    atomic_int reentered;
    mitt_session session;
    mitt_reply last_reply;
};

static void count_free(void *user_data) {
    struct counts *counts = user_data;
    atomic_fetch_add(&counts->freed, 1);
}

static void on_event(void *user_data, const uint8_t *event, size_t length) {
    struct counts *counts = user_data;
    if (length > 0 && event[0] == '{' && event[length - 1] == '}') {
        atomic_fetch_add(&counts->events, 1);
    }
    /* A callback for events must not wait for a call. */
    if (counts->session != 0) {
        mitt_code code = mitt_session_call(counts->session, TEXT("shop__price"), NO_TEXT, NO_TEXT, 0, NULL, NULL);
        if (code == MITT_REENTERED) {
            atomic_fetch_add(&counts->reentered, 1);
        }
    }
}

/* A tool: the price of an article. */
static int32_t price(void *user_data, const uint8_t *request, size_t length, mitt_reply reply) {
    struct counts *counts = user_data;
    mitt_bytes arguments = {request, length, 0};
    counts->last_reply = reply;
    if (has(arguments, "\"tea\"")) {
        return mitt_reply_set(reply, TEXT("{\"cents\": 450, \"exact\": 1.10000000000000000000001}"));
    }
    if (has(arguments, "\"nothing\"")) {
        return 0;
    }
    if (has(arguments, "\"text\"")) {
        mitt_reply_set(reply, TEXT("no JSON"));
        return 0;
    }
    mitt_reply_set(reply, TEXT("{\"message\": \"there is no such article\", \"kind\": \"input\", \"hint\": \"ask for tea\"}"));
    return 1;
}

/* A model: calls the tool, then says what came of it. */
static int32_t model(void *user_data, const uint8_t *request, size_t length, mitt_reply reply) {
    struct counts *counts = user_data;
    mitt_bytes body = {request, length, 0};
    int turn = atomic_fetch_add(&counts->turns, 1);
    if (turn == 0) {
        if (!has(body, "What does tea cost?")) {
            return 2;
        }
        return mitt_reply_set(
            reply,
            TEXT("{\"choices\": [{\"message\": {\"content\": null, \"tool_calls\": [{\"id\": \"1\", \"type\": \"function\", \"function\": "
                 "{\"name\": \"shop__price\", \"arguments\": \"{\\\"article\\\": \\\"tea\\\"}\"}}]}}], "
                 "\"usage\": {\"prompt_tokens\": 10, \"completion_tokens\": 3}}"));
    }
    if (turn == 1) {
        return has(body, "450") ? mitt_reply_set(reply, TEXT("{\"content\": \"4.50\"}")) : 3;
    }
    mitt_reply_set(reply, TEXT("the service is down"));
    return 1;
}

static void wait_ms(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void *set_later(void *user_data) {
    mitt_cancel *cancel = user_data;
    wait_ms(400);
    CHECK(mitt_cancel_set(*cancel) == MITT_OK);
    return NULL;
}

/* Callbacks may end on a thread of Mitt shortly after the last handle was freed. */
static bool becomes(atomic_int *counted, int expected) {
    for (int tries = 0; tries < 500 && atomic_load(counted) != expected; tries++) {
        wait_ms(20);
    }
    return atomic_load(counted) == expected;
}

static void the_story(mitt_session session, const char *folder, const char *out) {
    const char *names[2] = {"2024年经营报告.xlsx", "2025年经营报告.docx"};
    for (int index = 0; index < 2; index++) {
        mitt_bytes report = file(folder, names[index]);
        mitt_bytes document;
        CHECK(mitt_session_add_document(session, TEXT(names[index]), report.data, report.len, NO_TEXT, 0, &document, &error) == MITT_OK);
        CHECK(has(document, names[index]) && has(document, "\"tables\":[{"));
        CHECK(mitt_bytes_free(&document) == MITT_OK);
        forget(report);
    }
    mitt_bytes script = file(folder, "script.py");
    mitt_bytes report;
    CHECK(mitt_session_script(session, TEXT("python-lite"), script.data, script.len, NO_TEXT, 0, &report, &error) == MITT_OK);
    CHECK(has(report, "完成") && has(report, "\"ok\":true"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    forget(script);

    mitt_bytes list;
    CHECK(mitt_session_artifacts(session, &list, &error) == MITT_OK);
    const char *files[2] = {"2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"};
    const char *begins[2] = {"PK", "%PDF-"};
    for (int index = 0; index < 2; index++) {
        CHECK(has(list, files[index]));
        mitt_bytes bytes;
        CHECK(mitt_session_artifact(session, TEXT(files[index]), &bytes, &error) == MITT_OK);
        CHECK(bytes.len > 1000 && memcmp(bytes.data, begins[index], strlen(begins[index])) == 0);
        save(out, files[index], bytes);
        CHECK(mitt_bytes_free(&bytes) == MITT_OK);
    }
    CHECK(mitt_bytes_free(&list) == MITT_OK);
    FAILS(mitt_session_artifact(session, TEXT("none.pdf"), &list, &error), MITT_INPUT, "none.pdf");

    mitt_bytes state;
    CHECK(mitt_session_state(session, &state, &error) == MITT_OK);
    CHECK(has(state, "\"tenant\":\"acme\"") && has(state, "2024年经营报告.xlsx"));
    CHECK(mitt_bytes_free(&state) == MITT_OK);
    printf("story: a workbook and a PDF\n");
}

static void the_tool(mitt_session session) {
    mitt_bytes report;
    CHECK(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"tea\"}"), NO_TEXT, 0, &report, &error) == MITT_OK);
    CHECK(has(report, "1.10000000000000000000001"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    /* An error of the tool: the report is there, too. */
    FAILS(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"rice\"}"), NO_TEXT, 0, &report, &error), MITT_INPUT,
          "\"hint\":\"ask for tea\"");
    CHECK(has(report, "\"ok\":false") && has(report, "there is no such article"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    FAILS(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"nothing\"}"), NO_TEXT, 0, NULL, &error), MITT_PLUGIN,
          "gave no answer");
    FAILS(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"text\"}"), NO_TEXT, 0, NULL, &error), MITT_PLUGIN,
          "not JSON");
    FAILS(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"artikle\": \"tea\"}"), NO_TEXT, 0, NULL, &error), MITT_ARGUMENTS,
          "did you mean `article`");
    FAILS(mitt_session_call(session, TEXT("shop__prize"), NO_TEXT, NO_TEXT, 0, NULL, &error), MITT_UNKNOWN_TOOL, "shop__price");
    /* A script calls it like any other. */
    CHECK(mitt_session_script(session, TEXT("python-lite"), TEXT("import shop\nshop.price(article=name)['cents'] * 2"),
                              TEXT("{\"inputs\": {\"name\": \"tea\"}}"), 0, &report, &error) == MITT_OK);
    CHECK(has(report, "900"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    FAILS(mitt_session_script(session, TEXT("python-lite"), TEXT("1 / 0"), NO_TEXT, 0, &report, &error), MITT_PLUGIN, "division");
    CHECK(has(report, "\"ok\":false"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    FAILS(mitt_session_script(session, TEXT("cobol"), TEXT("1"), NO_TEXT, 0, &report, &error), MITT_LOAD, "cobol");
    CHECK(report.data == NULL && report.buffer == 0);
    printf("tool: a function of this program\n");
}

static void the_model(mitt_session session, struct counts *counts) {
    mitt_bytes report;
    CHECK(mitt_agent_run(session, TEXT("What does tea cost?"), 
                         TEXT("{\"tools\": \"all\", \"model\": \"mine\", \"output_schema\": {\"type\": \"number\"}}"), model, counts,
                         count_free, 0, &report, &error) == MITT_OK);
    CHECK(has(report, "\"text\":\"4.50\"") && has(report, "\"output\":4.5") && has(report, "\"turns\":2") && has(report, "\"input\":10"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    FAILS(mitt_agent_run(session, TEXT("And rice?"), NO_TEXT, model, counts, count_free, 0, &report, &error), MITT_MODEL,
          "the service is down");
    FAILS(mitt_agent_run(session, TEXT("And rice?"), NO_TEXT, NULL, counts, count_free, 0, &report, &error), MITT_NULL_POINTER,
          "\"place\":\"model\"");
    FAILS(mitt_agent_run(session, TEXT("And rice?"), TEXT("{\"limits\": {\"turn\": 1}}"), model, counts, count_free, 0, &report, &error),
          MITT_ARGUMENTS, "did you mean `turns`");
    FAILS(mitt_agent_run(session, TEXT("And rice?"), TEXT("{\"output_schema\": {\"if\": {}}}"), model, counts, count_free, 0, &report, &error),
          MITT_ARGUMENTS, "\"place\":\"options.output_schema\"");
    printf("model: a function of this program\n");
}

static void files_without_a_session(void) {
    const char *formats[5] = {"pdf", "docx", "pptx", "xlsx", "html"};
    const char *begins[5] = {"%PDF-", "PK", "PK", "PK", "<"};
    const char *markdown = "# 报告\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n";
    for (int index = 0; index < 5; index++) {
        mitt_bytes made, report;
        CHECK(mitt_render(TEXT(formats[index]), TEXT(markdown), TEXT("{\"title\": \"T\"}"), 0, &made, &report, &error) == MITT_OK);
        CHECK(made.len > 100 && memcmp(made.data, begins[index], strlen(begins[index])) == 0);
        CHECK(has(report, "\"warnings\":["));
        CHECK(mitt_bytes_free(&made) == MITT_OK && mitt_bytes_free(&report) == MITT_OK);
    }
    mitt_bytes made, template;
    FAILS(mitt_render(TEXT("odt"), TEXT(markdown), NO_TEXT, 0, &made, NULL, &error), MITT_ARGUMENTS, "\"place\":\"format\"");
    FAILS(mitt_render(TEXT("pdf"), TEXT(markdown), TEXT("{\"theme\": \"base = 1\"}"), 0, &made, NULL, &error), MITT_INPUT, "theme:1");

    CHECK(mitt_render(TEXT("docx"), TEXT("Dear {{name}}!"), NO_TEXT, 0, &template, NULL, &error) == MITT_OK);
    CHECK(mitt_fill(template.data, template.len, TEXT("{\"name\": \"Ada\"}"), NO_TEXT, 0, &made, NULL, &error) == MITT_OK);
    CHECK(made.len > 1000 && memcmp(made.data, "PK", 2) == 0);
    CHECK(mitt_bytes_free(&made) == MITT_OK);
    FAILS(mitt_fill(template.data, template.len, TEXT("{}"), NO_TEXT, 0, &made, NULL, &error), MITT_ARGUMENTS, "name");
    FAILS(mitt_fill(TEXT("no template"), TEXT("{}"), NO_TEXT, 0, &made, NULL, &error), MITT_INPUT, "\"place\":\"template\"");
    CHECK(mitt_bytes_free(&template) == MITT_OK);

    mitt_cancel cancel;
    CHECK(mitt_cancel_new(&cancel, &error) == MITT_OK && mitt_cancel_set(cancel) == MITT_OK);
    FAILS(mitt_render(TEXT("pdf"), TEXT(markdown), NO_TEXT, cancel, &made, NULL, &error), MITT_CANCELLED, "cancelled");
    CHECK(mitt_handle_free(cancel) == MITT_OK);
    printf("files: five formats, a template\n");
}

static void tables(mitt_host host, mitt_session session) {
    const char *csv = "city,people\nBonn,330\nUlm,130\n";
    CHECK(mitt_session_add_document(session, TEXT("cities.csv"), TEXT(csv), NO_TEXT, 0, NULL, &error) == MITT_OK);
    struct ArrowArrayStream stream;
    CHECK(mitt_session_table(session, TEXT("cities.csv"), &stream, &error) == MITT_OK);
    struct ArrowSchema schema;
    CHECK(stream.get_schema(&stream, &schema) == 0);
    CHECK(schema.n_children == 2 && strcmp(schema.children[1]->name, "people") == 0 && strcmp(schema.children[1]->format, "l") == 0);
    schema.release(&schema);
    struct ArrowArray array;
    CHECK(stream.get_next(&stream, &array) == 0);
    CHECK(array.length == 2 && ((const int64_t *)array.children[1]->buffers[1])[0] == 330);
    array.release(&array);
    CHECK(stream.get_next(&stream, &array) == 0 && array.release == NULL);
    stream.release(&stream);

    /* From one session into another one. */
    mitt_session other;
    CHECK(mitt_session_new(host, NO_TEXT, NULL, NULL, NULL, &other, &error) == MITT_OK);
    CHECK(mitt_session_table(session, TEXT("cities.csv"), &stream, &error) == MITT_OK);
    CHECK(mitt_session_add_table(other, TEXT("cities"), &stream, 0, &error) == MITT_OK);
    CHECK(stream.release == NULL);
    mitt_bytes report;
    CHECK(mitt_session_call(other, TEXT("sql_tool__query"), TEXT("{\"sql\": \"SELECT sum(people) AS n FROM cities\"}"), NO_TEXT, 0, &report,
                            &error) == MITT_OK);
    CHECK(has(report, "460"));
    CHECK(mitt_bytes_free(&report) == MITT_OK);
    FAILS(mitt_session_add_table(other, TEXT("cities"), &stream, 0, &error), MITT_INPUT, "released");
    FAILS(mitt_session_add_table(other, TEXT("cities"), NULL, 0, &error), MITT_NULL_POINTER, "\"place\":\"stream\"");
    FAILS(mitt_session_table(other, TEXT("towns"), &stream, &error), MITT_INPUT, "cities");
    CHECK(stream.release == NULL);
    CHECK(mitt_handle_free(other) == MITT_OK);
    printf("tables: by Arrow's stream interface\n");
}

static void cancellation(mitt_session session) {
    mitt_cancel cancel;
    CHECK(mitt_cancel_new(&cancel, &error) == MITT_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, set_later, &cancel) == 0);
    mitt_bytes report;
    FAILS(mitt_session_script(session, TEXT("python-lite"), TEXT("while True:\n    pass"), NO_TEXT, cancel, &report, &error), MITT_CANCELLED,
          "\"kind\":\"cancelled\"");
    CHECK(report.data == NULL);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(mitt_handle_free(cancel) == MITT_OK);
    CHECK(mitt_cancel_set(cancel) == MITT_INVALID_HANDLE);
    FAILS(mitt_session_script(session, TEXT("python-lite"), TEXT("while True:\n    pass"), TEXT("{\"timeout_ms\": 200}"), 0, NULL, &error),
          MITT_LIMIT, "\"name\":\"time\"");
    printf("cancellation: from another thread\n");
}

static void wrong_parameters(mitt_host host, mitt_session session) {
    mitt_bytes result;
    const uint8_t wrong[3] = {'a', 0xff, 0};
    FAILS(mitt_session_call(session, NULL, 3, NO_TEXT, NO_TEXT, 0, &result, &error), MITT_NULL_POINTER, "\"place\":\"tool\"");
    FAILS(mitt_session_call(session, NULL, 0, NO_TEXT, NO_TEXT, 0, &result, &error), MITT_NULL_POINTER, "\"place\":\"tool\"");
    FAILS(mitt_session_call(session, wrong, 2, NO_TEXT, NO_TEXT, 0, &result, &error), MITT_INVALID_UTF8, "another byte at 1");
    FAILS(mitt_session_call(session, wrong, (size_t)-1, NO_TEXT, NO_TEXT, 0, &result, &error), MITT_ARGUMENTS, "\"place\":\"tool\"");
    FAILS(mitt_session_call(session, TEXT("shop__price"), NO_TEXT, TEXT("[]"), 0, &result, &error), MITT_INVALID_JSON, "\"place\":\"options\"");
    FAILS(mitt_session_call(session, TEXT("shop__price"), NO_TEXT, TEXT("{\"timeout\": 1}"), 0, &result, &error), MITT_ARGUMENTS,
          "did you mean `timeout_ms`");
    FAILS(mitt_session_artifacts(session, NULL, &error), MITT_NULL_POINTER, "\"place\":\"result\"");
    mitt_host made;
    FAILS(mitt_host_new(TEXT("{\"limits\": {\"call\": {\"fule\": 1}}}"), &made, &error), MITT_ARGUMENTS, "\"place\":\"options.limits.call\"");
    CHECK(made == 0);
    FAILS(mitt_host_new(TEXT("{\"skills\": [\"/no/such/folder\"]}"), &made, &error), MITT_LOAD, "folder");
    FAILS(mitt_host_add_tool(host, TEXT("{\"name\": \"shop\"}"), price, NULL, NULL, &error), MITT_ARGUMENTS, "\"place\":\"definition.name\"");
    FAILS(mitt_host_add_tool(host, TEXT("{\"name\": \"shop__price\"}"), price, NULL, NULL, &error), MITT_LOAD, "shop__price");
    /* Without a place for the error, the code is all there is. */
    CHECK(mitt_session_call(session, NULL, 0, NO_TEXT, NO_TEXT, 0, NULL, NULL) == MITT_NULL_POINTER);
    CHECK(strcmp(mitt_code_name(MITT_NULL_POINTER), "null-pointer") == 0 && strcmp(mitt_code_name(-5), "unknown") == 0);
    printf("wrong parameters: errors\n");
}

static void wrong_handles(mitt_host host, mitt_session session, const struct counts *counts) {
    mitt_bytes result;
    FAILS(mitt_session_artifacts(0, &result, &error), MITT_INVALID_HANDLE, "expected a session, got 0");
    FAILS(mitt_session_artifacts(host, &result, &error), MITT_INVALID_HANDLE, "expected a session, got a host");
    FAILS(mitt_session_artifacts(12345678901234567u, &result, &error), MITT_INVALID_HANDLE, "no handle");
    FAILS(mitt_session_call(session, TEXT("shop__price"), NO_TEXT, NO_TEXT, host, &result, &error), MITT_INVALID_HANDLE,
          "expected a cancel, got a host");
    CHECK(mitt_reply_set(counts->last_reply, TEXT("too late")) == MITT_INVALID_HANDLE);
    CHECK(mitt_handle_free(0) == MITT_INVALID_HANDLE && mitt_handle_free(UINT64_MAX) == MITT_INVALID_HANDLE);

    /* A buffer is freed once, also by a copy. */
    CHECK(mitt_session_artifacts(session, &result, &error) == MITT_OK);
    mitt_bytes copy = result;
    CHECK(mitt_handle_free(result.buffer) == MITT_INVALID_HANDLE);
    CHECK(mitt_bytes_free(&result) == MITT_OK && result.data == NULL);
    CHECK(mitt_bytes_free(&result) == MITT_OK);
    CHECK(mitt_bytes_free(&copy) == MITT_INVALID_HANDLE && copy.data == NULL);
    CHECK(mitt_bytes_free(NULL) == MITT_NULL_POINTER);

    /* A session is freed once. */
    mitt_session other;
    CHECK(mitt_session_new(host, NO_TEXT, NULL, NULL, NULL, &other, &error) == MITT_OK);
    CHECK(mitt_handle_free(other) == MITT_OK && mitt_handle_free(other) == MITT_INVALID_HANDLE);
    FAILS(mitt_session_artifacts(other, &result, &error), MITT_INVALID_HANDLE, "the session was freed");
    printf("wrong handles: errors\n");
}

static void a_fork(mitt_host host, mitt_session session) {
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        FAILS(mitt_session_call(session, TEXT("shop__price"), NO_TEXT, NO_TEXT, 0, NULL, &error), MITT_FORKED, "fork");
        CHECK(mitt_handle_free(session) == MITT_OK && mitt_handle_free(host) == MITT_OK);
        mitt_host own;
        CHECK(mitt_host_new(TEXT("{\"bundled\": false, \"cache\": false}"), &own, &error) == MITT_OK);
        CHECK(mitt_handle_free(own) == MITT_OK);
        _exit(7);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    printf("fork: an error in the child\n");
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    CHECK(mitt_abi_version() == MITT_ABI_VERSION);
    printf("mitt %s\n", mitt_version());

    char options[8192];
    snprintf(options, sizeof options, "{\"cache\": \"%s\", \"threads\": 2}", arguments[2]);
    mitt_host host;
    CHECK(mitt_host_new(TEXT(options), &host, &error) == MITT_OK);
    static struct counts counts;
    const char *definition = "{\"name\": \"shop__price\", \"description\": \"Price of an article.\", \"read_only\": true, \"parameters\": "
                             "{\"type\": \"object\", \"properties\": {\"article\": {\"type\": \"string\"}}, \"required\": [\"article\"]}}";
    CHECK(mitt_host_add_tool(host, TEXT(definition), price, &counts, count_free, &error) == MITT_OK);
    mitt_session session;
    CHECK(mitt_session_new(host, TEXT("{\"tenant\": \"acme\"}"), on_event, &counts, count_free, &session, &error) == MITT_OK);

    the_story(session, arguments[1], arguments[3]);
    CHECK(atomic_load(&counts.events) > 10);
    the_tool(session);
    counts.session = session;
    CHECK(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"tea\"}"), NO_TEXT, 0, NULL, &error) == MITT_OK);
    CHECK(atomic_load(&counts.reentered) >= 2);
    counts.session = 0;
    the_model(session, &counts);
    files_without_a_session();
    tables(host, session);
    cancellation(session);
    wrong_parameters(host, session);
    wrong_handles(host, session, &counts);
    a_fork(host, session);

    /* Five models, whose functions were given back. */
    CHECK(becomes(&counts.freed, 5));
    /* The session keeps its host. */
    CHECK(mitt_handle_free(host) == MITT_OK && mitt_handle_free(host) == MITT_INVALID_HANDLE);
    CHECK(mitt_session_call(session, TEXT("shop__price"), TEXT("{\"article\": \"tea\"}"), NO_TEXT, 0, NULL, &error) == MITT_OK);
    CHECK(mitt_handle_free(session) == MITT_OK);
    CHECK(becomes(&counts.freed, 7));
    printf("all done\n");
    return 0;
}

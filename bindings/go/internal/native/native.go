// Package native calls the functions of mitt.h. It is all of the module that needs cgo: what it exports are Go functions over bytes and
// handles, so that another way to call C can take its place. It knows no JSON.
package native

/*
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "library.h"

int32_t mittGoAnswer(void *, uint8_t *, size_t, uint64_t);
void mittGoReceive(void *, uint8_t *, size_t);
void mittGoFree(void *);

static int32_t answer(void *user_data, const uint8_t *request, size_t length, uint64_t reply) {
    return mittGoAnswer(user_data, (uint8_t *)request, length, reply);
}
static void receive(void *user_data, const uint8_t *event, size_t length) {
    mittGoReceive(user_data, (uint8_t *)event, length);
}

// A function pointer cannot be called from Go. Numbers of Go functions become pointers here, because Go must not hold such pointers.
static const char *version(void) { return mitt.version(); }
static const char *code_name(int32_t code) { return mitt.code_name(code); }
static mitt_code handle_free(uint64_t handle) { return mitt.handle_free(handle); }
static mitt_code bytes_free(mitt_bytes *bytes) { return mitt.bytes_free(bytes); }
static mitt_code reply_set(uint64_t reply, BYTES(data)) { return mitt.reply_set(reply, data, data_len); }
static mitt_code cancel_new(uint64_t *result, mitt_bytes *error) { return mitt.cancel_new(result, error); }
static mitt_code cancel_set(uint64_t cancel) { return mitt.cancel_set(cancel); }
static mitt_code host_new(BYTES(options), uint64_t *result, mitt_bytes *error) {
    return mitt.host_new(options, options_len, result, error);
}
static mitt_code host_add_tool(uint64_t host, BYTES(definition), uintptr_t tool, mitt_bytes *error) {
    return mitt.host_add_tool(host, definition, definition_len, answer, (void *)tool, mittGoFree, error);
}
static mitt_code session_new(uint64_t host, BYTES(options), uintptr_t events, uint64_t *result, mitt_bytes *error) {
    return mitt.session_new(host, options, options_len, events == 0 ? NULL : receive, (void *)events, events == 0 ? NULL : mittGoFree,
                            result, error);
}
static mitt_code add_document(uint64_t session, BYTES(name), BYTES(data), BYTES(options), uint64_t cancel, mitt_bytes *result,
                              mitt_bytes *error) {
    return mitt.session_add_document(session, name, name_len, data, data_len, options, options_len, cancel, result, error);
}
static mitt_code add_table(uint64_t session, BYTES(name), void *stream, uint64_t cancel, mitt_bytes *error) {
    return mitt.session_add_table(session, name, name_len, stream, cancel, error);
}
static mitt_code table(uint64_t session, BYTES(reference), void *stream, mitt_bytes *error) {
    return mitt.session_table(session, reference, reference_len, stream, error);
}
static mitt_code state(uint64_t session, mitt_bytes *result, mitt_bytes *error) { return mitt.session_state(session, result, error); }
static mitt_code call(uint64_t session, BYTES(tool), BYTES(arguments), BYTES(options), uint64_t cancel, mitt_bytes *result,
                      mitt_bytes *error) {
    return mitt.session_call(session, tool, tool_len, arguments, arguments_len, options, options_len, cancel, result, error);
}
static mitt_code script(uint64_t session, BYTES(language), BYTES(source), BYTES(options), uint64_t cancel, mitt_bytes *result,
                        mitt_bytes *error) {
    return mitt.session_script(session, language, language_len, source, source_len, options, options_len, cancel, result, error);
}
static mitt_code resume(uint64_t session, BYTES(id), BYTES(decision), uint64_t cancel, mitt_bytes *result, mitt_bytes *error) {
    return mitt.session_resume(session, id, id_len, decision, decision_len, cancel, result, error);
}
static mitt_code tools(uint64_t session, uint64_t cancel, mitt_bytes *result, mitt_bytes *error) {
    return mitt.session_tools(session, cancel, result, error);
}
static mitt_code artifacts(uint64_t session, mitt_bytes *result, mitt_bytes *error) {
    return mitt.session_artifacts(session, result, error);
}
static mitt_code artifact(uint64_t session, BYTES(name), mitt_bytes *result, mitt_bytes *error) {
    return mitt.session_artifact(session, name, name_len, result, error);
}
static mitt_code agent_run(uint64_t session, BYTES(instruction), BYTES(options), uintptr_t model, uint64_t cancel, mitt_bytes *result,
                           mitt_bytes *error) {
    return mitt.agent_run(session, instruction, instruction_len, options, options_len, answer, (void *)model, mittGoFree, cancel, result,
                          error);
}
static mitt_code render(BYTES(format), BYTES(markdown), BYTES(options), uint64_t cancel, mitt_bytes *result, mitt_bytes *error) {
    return mitt.render(format, format_len, markdown, markdown_len, options, options_len, cancel, result, NULL, error);
}
static mitt_code fill(BYTES(data), BYTES(values), BYTES(options), uint64_t cancel, mitt_bytes *result, mitt_bytes *error) {
    return mitt.fill(data, data_len, values, values_len, options, options_len, cancel, result, NULL, error);
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// AbiVersion is the version of mitt.h for which this package was written.
const AbiVersion = 1

// Outcome is what a function gave: its code, its result, and its error as JSON. A result may be there although the code is not 0.
type Outcome struct {
	Code   int32
	Handle uint64
	Result []byte
	Error  []byte
}

// Load loads the library at a path, or one of this name that the system finds.
func Load(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	message := C.library_load(name, AbiVersion)
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New(C.GoString(message))
}

// Version returns the version of Mitt.
func Version() string { return C.GoString(C.version()) }

// CodeName returns the name of a code.
func CodeName(code int32) string { return C.GoString(C.code_name(C.int32_t(code))) }

// HandleFree frees a handle.
func HandleFree(handle uint64) int32 { return int32(C.handle_free(C.uint64_t(handle))) }

// CancelSet sets a flag.
func CancelSet(cancel uint64) int32 { return int32(C.cancel_set(C.uint64_t(cancel))) }

// CancelNew makes a flag.
func CancelNew() Outcome {
	var places places
	return places.take(C.cancel_new(&places.handle, &places.err))
}

// HostNew makes a host.
func HostNew(options []byte) Outcome {
	var places places
	return places.take(C.host_new(data(options), size(options), &places.handle, &places.err))
}

// HostAddTool adds a tool.
func HostAddTool(host uint64, definition []byte, tool Answer) Outcome {
	var places places
	return places.take(C.host_add_tool(C.uint64_t(host), data(definition), size(definition), keep(tool), &places.err))
}

// SessionNew opens a session. No events are reported if `events` is nil.
func SessionNew(host uint64, options []byte, events Receive) Outcome {
	var places places
	var kept C.uintptr_t
	if events != nil {
		kept = keep(events)
	}
	return places.take(C.session_new(C.uint64_t(host), data(options), size(options), kept, &places.handle, &places.err))
}

// AddDocument adds a document to a session.
func AddDocument(session uint64, name, content, options []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.add_document(C.uint64_t(session), data(name), size(name), data(content), size(content), data(options), size(options),
		C.uint64_t(cancel), &places.result, &places.err))
}

// AddTable adds the table of a stream to a session.
func AddTable(session uint64, name []byte, stream unsafe.Pointer, cancel uint64) Outcome {
	var places places
	return places.take(C.add_table(C.uint64_t(session), data(name), size(name), stream, C.uint64_t(cancel), &places.err))
}

// Table gives a table of a session as a stream.
func Table(session uint64, reference []byte, stream unsafe.Pointer) Outcome {
	var places places
	return places.take(C.table(C.uint64_t(session), data(reference), size(reference), stream, &places.err))
}

// State describes a session.
func State(session uint64) Outcome {
	var places places
	return places.take(C.state(C.uint64_t(session), &places.result, &places.err))
}

// Call calls a tool.
func Call(session uint64, tool, arguments, options []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.call(C.uint64_t(session), data(tool), size(tool), data(arguments), size(arguments), data(options), size(options),
		C.uint64_t(cancel), &places.result, &places.err))
}

// Script runs a script.
func Script(session uint64, language, source, options []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.script(C.uint64_t(session), data(language), size(language), data(source), size(source), data(options), size(options),
		C.uint64_t(cancel), &places.result, &places.err))
}

// Resume continues a call that waits for a decision.
func Resume(session uint64, id, decision []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.resume(C.uint64_t(session), data(id), size(id), data(decision), size(decision), C.uint64_t(cancel), &places.result,
		&places.err))
}

// Tools describes the tools of a session.
func Tools(session, cancel uint64) Outcome {
	var places places
	return places.take(C.tools(C.uint64_t(session), C.uint64_t(cancel), &places.result, &places.err))
}

// Artifacts lists the delivered files of a session.
func Artifacts(session uint64) Outcome {
	var places places
	return places.take(C.artifacts(C.uint64_t(session), &places.result, &places.err))
}

// Artifact gives the bytes of a delivered file.
func Artifact(session uint64, name []byte) Outcome {
	var places places
	return places.take(C.artifact(C.uint64_t(session), data(name), size(name), &places.result, &places.err))
}

// AgentRun lets a model follow an instruction.
func AgentRun(session uint64, instruction, options []byte, model Answer, cancel uint64) Outcome {
	var places places
	return places.take(C.agent_run(C.uint64_t(session), data(instruction), size(instruction), data(options), size(options), keep(model),
		C.uint64_t(cancel), &places.result, &places.err))
}

// Render makes a file from Markdown.
func Render(format, markdown, options []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.render(data(format), size(format), data(markdown), size(markdown), data(options), size(options), C.uint64_t(cancel),
		&places.result, &places.err))
}

// Fill fills a template.
func Fill(template, values, options []byte, cancel uint64) Outcome {
	var places places
	return places.take(C.fill(data(template), size(template), data(values), size(values), data(options), size(options), C.uint64_t(cancel),
		&places.result, &places.err))
}

// places are where a function puts what it gives.
type places struct {
	handle C.uint64_t
	result C.mitt_bytes
	err    C.mitt_bytes
}

// take copies what the function gave, and frees it.
func (places *places) take(code C.mitt_code) Outcome {
	return Outcome{int32(code), uint64(places.handle), taken(&places.result), taken(&places.err)}
}

func taken(bytes *C.mitt_bytes) []byte {
	copied := append([]byte{}, unsafe.Slice((*byte)(bytes.data), int(bytes.len))...)
	C.bytes_free(bytes)
	return copied
}

// data returns where bytes begin. No bytes are a null pointer only if the slice is nil.
func data(bytes []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(bytes)) }

func size(bytes []byte) C.size_t { return C.size_t(len(bytes)) }

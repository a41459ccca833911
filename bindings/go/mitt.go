// Package mitt runs Mitt in the process of a program: documents, sandboxed tools, scripts, files and agents.
//
// All methods may be called from all goroutines, also at once with the same Host or Session. A call holds a thread of the system while it
// waits. A context ends its call, and stops the sandbox where it is.
package mitt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"mitt/internal/native"
)

// Tool is a function of the program that models, scripts and plugins call. arguments is a JSON object, which was checked against the
// schema; the result is written as JSON. It runs on threads of Mitt, by several at once. A ToolError can name a kind and a hint.
type Tool func(arguments json.RawMessage) (result any, err error)

// Model is a chat model. request is the body of a chat completion of OpenAI's interface; the answer is the body of its response, or only
// the message, and is written as JSON.
type Model func(request json.RawMessage) (response any, err error)

// Events receives the events of a session, by several threads at once. It must return quickly, and calls of functions that wait fail in it
// with the code Reentered.
type Events func(event json.RawMessage)

// Host holds engine, skills, limits and threads. Make one for each process.
type Host struct {
	handle uint64
	closed atomic.Bool
}

// Version returns the version of the library.
func Version() (string, error) {
	if err := load(); err != nil {
		return "", err
	}
	return native.Version(), nil
}

// NewHost makes a host. The options are those of mitt_host_new, such as "cache", "threads", "skills" and "limits".
func NewHost(options Options) (*Host, error) {
	given, err := write("options", options)
	if err != nil {
		return nil, err
	}
	outcome, err := outcomeOf(func() native.Outcome { return native.HostNew(given) })
	if err != nil {
		return nil, err
	}
	return &Host{handle: outcome.Handle}, nil
}

// AddTool adds a tool, for sessions that are opened after that. The definition is that of mitt_host_add_tool: "name", such as
// "shop__price", "description", "parameters" (a JSON Schema) and others.
func (h *Host) AddTool(definition Options, tool Tool) error {
	given, err := write("definition", definition)
	if err != nil {
		return err
	}
	if tool == nil {
		return nothing("tool")
	}
	_, err = outcomeOf(func() native.Outcome { return native.HostAddTool(h.handle, given, answering(tool)) })
	return err
}

// Session opens a session. The options are those of mitt_session_new, such as "tenant" and "folder". events may be nil.
func (h *Host) Session(options Options, events Events) (*Session, error) {
	given, err := write("options", options)
	if err != nil {
		return nil, err
	}
	var receive native.Receive
	if events != nil {
		receive = func(event []byte) { events(event) }
	}
	outcome, err := outcomeOf(func() native.Outcome { return native.SessionNew(h.handle, given, receive) })
	if err != nil {
		return nil, err
	}
	return &Session{handle: outcome.Handle}, nil
}

// Close frees the host. Sessions keep what they need of it. It does nothing the second time.
func (h *Host) Close() error { return closeOnce(&h.closed, h.handle) }

// Render makes a file from Markdown. format is "pdf", "docx", "html", "pptx" or "xlsx"; the options are those of mitt_render.
func Render(ctx context.Context, format, markdown string, options Options) ([]byte, error) {
	return bytesOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.Render(text(format), text(markdown), given, cancel)
	})
}

// Fill fills a template, a Word file or a workbook with marks such as {{name}}. The options are those of mitt_fill.
func Fill(ctx context.Context, template []byte, values any, options Options) ([]byte, error) {
	filled, err := write("values", values)
	if err != nil {
		return nil, err
	}
	return bytesOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.Fill(template, filled, given, cancel)
	})
}

// answering makes a function of the library's out of a tool or a model. A panic becomes an error, and so does runtime.Goexit, which FailNow
// of a test calls: on a thread of Mitt that would end the program, so the function runs in a goroutine of its own.
func answering[F ~func(json.RawMessage) (any, error)](function F) native.Answer {
	return func(request []byte) ([]byte, int32) {
		answer, code := []byte(nil), int32(-1)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() {
				if panicked := recover(); panicked != nil {
					answer, code = described(fmt.Errorf("panic: %v", panicked)), 1
				} else if code < 0 {
					answer, code = described(errors.New("the function ended its goroutine (runtime.Goexit)")), 1
				}
			}()
			answer, code = answerOf(function(request))
		}()
		<-ended
		return answer, code
	}
}

// answerOf returns the answer of a tool or a model as JSON, and 0 if it is no error.
func answerOf(result any, err error) ([]byte, int32) {
	if err != nil {
		return described(err), 1
	}
	answer, err := json.Marshal(result)
	if err != nil {
		return described(fmt.Errorf("the result is not JSON: %w", err)), 1
	}
	return answer, 0
}

// closeOnce frees a handle the first time. A zero value has none.
func closeOnce(closed *atomic.Bool, handle uint64) error {
	if handle != 0 && !closed.Swap(true) {
		native.HandleFree(handle)
	}
	return nil
}

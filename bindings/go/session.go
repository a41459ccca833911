package mitt

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"unsafe"

	"mitt/internal/native"
)

// Session holds documents, delivered files and a journal of its own.
type Session struct {
	handle uint64
	closed atomic.Bool
}

// AddDocument reads a file and adds it. The options are those of mitt_session_add_document, such as "password" and "text".
func (s *Session) AddDocument(ctx context.Context, name string, data []byte, options Options) (*Document, error) {
	result, err := bytesOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.AddDocument(s.handle, text(name), data, given, cancel)
	})
	if err != nil {
		return nil, err
	}
	document := &Document{}
	return document, json.Unmarshal(result, document)
}

// Call calls a tool. arguments becomes a JSON object; nil has none. The options are those of mitt_session_call, such as "timeout_ms".
func (s *Session) Call(ctx context.Context, tool string, arguments any, options Options) (*Report, error) {
	passed, err := write("arguments", arguments)
	if err != nil {
		return nil, err
	}
	return reportOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.Call(s.handle, text(tool), passed, given, cancel)
	})
}

// Script runs a script. language is a language or an engine, such as "python-lite". The options are those of mitt_session_script, such as
// "inputs".
func (s *Session) Script(ctx context.Context, language, source string, options Options) (*Report, error) {
	return reportOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.Script(s.handle, text(language), text(source), given, cancel)
	})
}

// Resume continues a call that waits for a decision, such as {"decision": "approve"}. id is that of Report.Approval.
func (s *Session) Resume(ctx context.Context, id string, decision Options) (*Report, error) {
	return reportOf(ctx, decision, func(given []byte, cancel uint64) native.Outcome {
		return native.Resume(s.handle, text(id), given, cancel)
	})
}

// Run lets a model follow an instruction with the documents and tools of the session. The options are those of mitt_agent_run, such as
// "limits".
func (s *Session) Run(ctx context.Context, instruction string, model Model, options Options) (*RunReport, error) {
	if model == nil {
		return nil, nothing("model")
	}
	result, err := bytesOf(ctx, options, func(given []byte, cancel uint64) native.Outcome {
		return native.AgentRun(s.handle, text(instruction), given, answering(model), cancel)
	})
	if err != nil {
		return nil, err
	}
	report := &RunReport{}
	return report, json.Unmarshal(result, report)
}

// Tools returns the tools of the session with the JSON Schemas of their parameters, as mitt_session_tools describes them.
func (s *Session) Tools(ctx context.Context) (json.RawMessage, error) {
	return bytesOf(ctx, nil, func(_ []byte, cancel uint64) native.Outcome { return native.Tools(s.handle, cancel) })
}

// State returns what the session holds, as mitt_session_state describes it.
func (s *Session) State() (json.RawMessage, error) {
	outcome, err := outcomeOf(func() native.Outcome { return native.State(s.handle) })
	return outcome.Result, err
}

// Artifacts returns the delivered files, in the order of their first delivery.
func (s *Session) Artifacts() ([]Artifact, error) {
	outcome, err := outcomeOf(func() native.Outcome { return native.Artifacts(s.handle) })
	if err != nil {
		return nil, err
	}
	var files []Artifact
	return files, json.Unmarshal(outcome.Result, &files)
}

// Bytes returns the bytes of a delivered file.
func (s *Session) Bytes(artifact string) ([]byte, error) {
	outcome, err := outcomeOf(func() native.Outcome { return native.Artifact(s.handle, text(artifact)) })
	return outcome.Result, err
}

// AddTable adds a table. stream points to a structure of Arrow's C stream interface in memory of C, which Mitt releases.
func (s *Session) AddTable(ctx context.Context, name string, stream unsafe.Pointer) error {
	_, err := bytesOf(ctx, nil, func(_ []byte, cancel uint64) native.Outcome {
		return native.AddTable(s.handle, text(name), stream, cancel)
	})
	return err
}

// Table writes a table to a structure of Arrow's C stream interface, which the program releases.
func (s *Session) Table(reference string, stream unsafe.Pointer) error {
	_, err := outcomeOf(func() native.Outcome { return native.Table(s.handle, text(reference), stream) })
	return err
}

// Close closes the session. Calls that have begun end normally. It does nothing the second time.
func (s *Session) Close() error { return closeOnce(&s.closed, s.handle) }

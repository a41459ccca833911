package mitt

import (
	"encoding/json"
	"time"

	"mitt/internal/native"
)

// Code is the class of an error.
type Code int32

// The codes of mitt.h.
const (
	UnknownTool   Code = 1
	Arguments     Code = 2
	Denied        Code = 3
	Blocked       Code = 4
	LimitReached  Code = 5
	Trap          Code = 6
	Plugin        Code = 7
	Input         Code = 8
	Load          Code = 9
	ModelFailed   Code = 10
	Disabled      Code = 11
	Paused        Code = 12
	Busy          Code = 13
	Cancelled     Code = 14
	HostFailed    Code = 15
	Internal      Code = 16
	InvalidHandle Code = 32
	NullPointer   Code = 33
	InvalidUTF8   Code = 34
	InvalidJSON   Code = 35
	Forked        Code = 36
	Reentered     Code = 37
)

// Error is an error of Mitt. A call that was ended by its context wraps the error of the context, so that
// errors.Is(err, context.Canceled) holds.
type Error struct {
	Code    Code     `json:"code"`
	Kind    string   `json:"kind"`    // the name of the code, such as "arguments"
	Message string   `json:"message"` // the problem, without details and hint
	Place   string   `json:"place"`   // such as "options.limits" or "/keys/0/column"; "" if only the message says it
	Details []string `json:"details"` // further problems, one line each
	Hint    string   `json:"hint"`    // advice; "" if there is none
	Text    string   `json:"text"`    // all of it, for people and models
	// Retryable is true if the same call may succeed later.
	Retryable bool `json:"retryable"`
	// RetryAfterMs says when a busy host may have a place; 0 if it is not busy.
	RetryAfterMs int64 `json:"retry_after_ms"`
	// Limit is the limit that was reached; nil if it was none.
	Limit *Limit `json:"limit"`
	// Answer is what a model said that never gave an answer that follows "output_schema"; "" for another error.
	Answer string `json:"answer"`
	// Report is what the call did before it failed; nil if it did not begin.
	Report *Report `json:"-"`
	cause  error
}

// Limit is a limit that was reached.
type Limit struct {
	Name  string `json:"name"`
	Limit uint64 `json:"limit"`
	Used  uint64 `json:"used"`
}

// Error returns the whole error, for people and models.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the error of the context that ended the call; nil if none did.
func (e *Error) Unwrap() error { return e.cause }

// RetryAfter returns when a busy host may have a place.
func (e *Error) RetryAfter() time.Duration { return time.Duration(e.RetryAfterMs) * time.Millisecond }

// failed returns the error of an outcome; nil if there is none.
func failed(outcome native.Outcome, cause error) error {
	if outcome.Code == 0 {
		return nil
	}
	read := &Error{}
	if err := json.Unmarshal(outcome.Error, read); err != nil {
		// There are too many live handles and buffers for the error itself.
		name := native.CodeName(outcome.Code)
		read = &Error{Code: Code(outcome.Code), Kind: name, Message: name, Text: name}
	}
	if read.Code == Cancelled {
		read.cause = cause
	}
	if len(outcome.Result) > 0 {
		report := &Report{}
		if json.Unmarshal(outcome.Result, report) == nil {
			read.Report = report
		}
	}
	return read
}

// ToolError is an error of a tool that the caller of the tool sees. Any other error of a tool is reported with its text.
type ToolError struct {
	Message string `json:"message"`
	// Kind is "arguments", "input", "denied" or "plugin", which is the default.
	Kind string `json:"kind,omitempty"`
	// Hint is advice, such as "ask for tea".
	Hint string `json:"hint,omitempty"`
	// Retryable says that the same call may succeed later.
	Retryable bool `json:"retryable,omitempty"`
}

// Error returns the message.
func (e *ToolError) Error() string { return e.Message }

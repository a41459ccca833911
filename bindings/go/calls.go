package mitt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"mitt/internal/native"
)

// function calls a function of the library with its options and a flag.
type function func(options []byte, cancel uint64) native.Outcome

// outcomeOf calls a function that no context ends. A zero value of a handle may come before the first host, so the library is loaded here,
// too.
func outcomeOf(call func() native.Outcome) (native.Outcome, error) {
	if err := load(); err != nil {
		return native.Outcome{}, err
	}
	outcome := call()
	return outcome, failed(outcome, nil)
}

// bytesOf calls a function that gives bytes. ctx ends it.
func bytesOf(ctx context.Context, options any, call function) ([]byte, error) {
	if err := load(); err != nil {
		return nil, err
	}
	given, err := write("options", options)
	if err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		outcome := call(given, 0)
		return outcome.Result, failed(outcome, nil)
	}
	made := native.CancelNew()
	if err := failed(made, nil); err != nil {
		return nil, err
	}
	defer native.HandleFree(made.Handle)
	if ctx.Err() != nil {
		native.CancelSet(made.Handle)
	} else {
		// A flag that was freed meanwhile is not an error here.
		stop := context.AfterFunc(ctx, func() { native.CancelSet(made.Handle) })
		defer stop()
	}
	outcome := call(given, made.Handle)
	return outcome.Result, failed(outcome, ctx.Err())
}

// reportOf calls a function that gives a report.
func reportOf(ctx context.Context, options any, call function) (*Report, error) {
	result, err := bytesOf(ctx, options, call)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	return report, json.Unmarshal(result, report)
}

// write returns a value as JSON. nil and nil maps are no text, which stands for the defaults.
func write(place string, value any) ([]byte, error) {
	if raw, is := value.(json.RawMessage); is {
		return raw, nil
	}
	if value == nil || reflect.ValueOf(value).Kind() == reflect.Map && reflect.ValueOf(value).IsNil() {
		return nil, nil
	}
	written, err := json.Marshal(value)
	if err != nil {
		text := place + ": " + err.Error()
		return nil, &Error{Code: InvalidJSON, Kind: "invalid-json", Message: err.Error(), Place: place, Text: text, cause: err}
	}
	return written, nil
}

// nothing returns the error of a function that is nil.
func nothing(place string) error {
	message := "expected a function, got nil"
	return &Error{Code: NullPointer, Kind: "null-pointer", Message: message, Place: place, Text: place + ": " + message}
}

// described returns the JSON of an error of a tool or a model.
func described(err error) []byte {
	var named *ToolError
	// A pointer to no error is an error, too, whose methods may panic.
	if !errors.As(err, &named) || named == nil {
		named = &ToolError{Message: fmt.Sprint(err)}
	}
	written, _ := json.Marshal(named) // texts and a flag always become JSON
	return written
}

// text returns the bytes of a text, of which none is there and not missing.
func text(text string) []byte { return append([]byte{}, text...) }

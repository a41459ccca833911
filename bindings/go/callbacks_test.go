package mitt

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// call is the response of a model that calls a tool.
var call = json.RawMessage(`{"choices": [{"message": {"content": null, "tool_calls": [{"id": "1", "type": "function", "function":
	{"name": "shop__price", "arguments": "{\"article\": \"tea\"}"}}]}}], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}`)

func TestToolIsAFunctionOfTheProgram(t *testing.T) {
	session := open(t)
	report, err := session.Call(background, "shop__price", tea, nil)
	no(t, err)
	contains(t, report.Result, "1.10000000000000000000001")
	report, err = session.Call(background, "shop__price", Options{"article": "nothing"}, nil)
	no(t, err)
	equal(t, "null", string(report.Result))
	tools, err := session.Tools(background)
	no(t, err)
	contains(t, tools, `"shop__price"`)
	report, err = session.Script(background, "python-lite", "import shop\nshop.price(article=name)['cents'] * 2",
		Options{"inputs": Options{"name": "tea"}})
	no(t, err)
	contains(t, report.Result, "900")
}

func TestErrorsOfAToolReachTheCaller(t *testing.T) {
	session := open(t)
	for article, part := range map[string]string{
		"fault": "the shelf fell", "panic": "panic: runtime error: invalid memory address", "text": "the result is not JSON",
		"exit": "runtime.Goexit", "nil": "<nil>", "silent": "there is no text",
	} {
		_, err := session.Call(background, "shop__price", Options{"article": article}, nil)
		fails(t, err, Plugin, part)
	}
	_, err := session.Call(background, "shop__price", Options{"article": "later"}, nil)
	equal(t, true, fails(t, err, Plugin, "closed").Retryable)
}

func TestModelIsAFunctionOfTheProgram(t *testing.T) {
	var turns atomic.Int32
	model := func(request json.RawMessage) (any, error) {
		if turns.Add(1) == 1 {
			if !strings.Contains(string(request), "What does tea cost?") {
				return nil, errors.New("there is no question")
			}
			return call, nil
		}
		if !strings.Contains(string(request), "450") {
			return nil, errors.New("there is no price")
		}
		return Options{"content": "4.50"}, nil
	}
	report, err := open(t).Run(background, "What does tea cost?", model, Options{"tools": "all", "model": "mine"})
	no(t, err)
	equal(t, "4.50", report.Text)
	equal(t, 2, report.Turns)
	equal(t, 10, report.Usage.Input)
	equal(t, "shop__price", report.Calls[0].Tool)
	contains(t, report.Calls[0].JSON, `"cents":450,"exact":1.10000000000000000000001`)
}

func TestErrorsOfAModelReachTheCaller(t *testing.T) {
	session := open(t)
	_, err := session.Run(background, "And rice?", func(json.RawMessage) (any, error) { return nil, errors.New("the service is down") }, nil)
	fails(t, err, ModelFailed, "the service is down")
	again := func(json.RawMessage) (any, error) { return call, nil }
	_, err = session.Run(background, "And rice?", again, Options{"limits": Options{"turn": 1}})
	equal(t, "options.limits", fails(t, err, Arguments, "did you mean `turns`").Place)
	_, err = session.Run(background, "On and on", again, Options{"limits": Options{"turns": 2}})
	fails(t, err, LimitReached, "turns")
}

func TestEventsAreReceived(t *testing.T) {
	var lock sync.Mutex
	var names []string
	var refused []Code
	var session *Session
	var calls atomic.Bool
	session, err := host.Session(nil, func(event json.RawMessage) {
		var named struct{ Event string }
		_ = json.Unmarshal(event, &named)
		var wrong *Error
		if calls.Load() {
			_, err := session.Call(background, "shop__price", tea, nil)
			errors.As(err, &wrong)
		}
		lock.Lock()
		defer lock.Unlock()
		names = append(names, named.Event)
		if wrong != nil {
			refused = append(refused, wrong.Code)
		}
	})
	no(t, err)
	defer session.Close()
	_, err = session.Call(background, "shop__price", tea, nil)
	no(t, err)
	calls.Store(true)
	_, err = session.Call(background, "shop__price", tea, nil)
	no(t, err)
	lock.Lock()
	defer lock.Unlock()
	contains(t, strings.Join(names, " "), "call_started")
	contains(t, strings.Join(names, " "), "call_finished")
	if len(refused) == 0 || refused[0] != Reentered {
		t.Fatalf("got %v", refused)
	}
}

// panicInEvents is the program of the test below.
func panicInEvents() {
	own, err := NewHost(bare)
	if err == nil {
		err = own.AddTool(price, priceOf)
	}
	if err != nil {
		return
	}
	session, err := own.Session(nil, func(json.RawMessage) { panic("the receiver fell") })
	if err == nil {
		_, _ = session.Call(background, "shop__price", tea, nil)
	}
}

func TestPanicOfAReceiverEndsTheProgram(t *testing.T) {
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "MITT_TEST_PANIC=1")
	printed, err := program.CombinedOutput()
	if err == nil {
		t.Fatal("expected an exit code")
	}
	contains(t, printed, "panic: the receiver fell")
}

func TestDestructiveToolWaitsForADecision(t *testing.T) {
	session := open(t)
	_, err := session.Script(background, "python-lite", "import shop\nshop.sell(article='tea')", nil)
	id := fails(t, err, Paused, "shop__sell").Report.Approval.ID
	state, err := session.State()
	no(t, err)
	contains(t, state, id)
	_, err = session.Resume(background, id, Options{"decision": "perhaps"})
	fails(t, err, Arguments, "decision")
	report, err := session.Resume(background, id, Options{"decision": "approve"})
	no(t, err)
	contains(t, report.Result, "sold")
	_, err = session.Resume(background, id, Options{"decision": "approve"})
	fails(t, err, Arguments, id)
}

// A tool may call functions that wait.
func TestToolCallsTools(t *testing.T) {
	own, err := NewHost(Options{"bundled": false, "cache": false, "threads": 1})
	no(t, err)
	defer own.Close()
	no(t, own.AddTool(price, priceOf))
	inner, err := own.Session(nil, nil)
	no(t, err)
	defer inner.Close()
	twice := Options{"name": "shop__twice", "parameters": article}
	no(t, own.AddTool(twice, func(arguments json.RawMessage) (any, error) {
		report, err := inner.Call(background, "shop__price", arguments, nil)
		if err != nil {
			return nil, err
		}
		var price struct{ Cents int }
		err = json.Unmarshal(report.Result, &price)
		return 2 * price.Cents, err
	}))
	session, err := own.Session(nil, nil)
	no(t, err)
	defer session.Close()
	report, err := session.Call(background, "shop__twice", tea, nil)
	no(t, err)
	equal(t, "900", string(report.Result))
}

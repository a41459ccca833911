package mitt

import (
	"encoding/json"
	"testing"
	"unsafe"

	"mitt/internal/native"
)

func TestErrorsHaveCodePlaceHintAndDetails(t *testing.T) {
	session := open(t)
	_, err := session.Call(background, "shop__price", Options{"artikle": "tea"}, nil)
	wrong := fails(t, err, Arguments, "did you mean `article`")
	equal(t, "/artikle", wrong.Place)
	equal(t, "arguments", wrong.Kind)
	if len(wrong.Details) == 0 || wrong.Retryable {
		t.Fatalf("got %+v", wrong)
	}
	_, err = session.Call(background, "shop__prize", nil, nil)
	contains(t, fails(t, err, UnknownTool, "shop__prize").Hint, "shop__price")
	_, err = session.Call(background, "shop__price", rice, nil)
	equal(t, "ask for tea", fails(t, err, Input, "no such article").Hint)
	_, err = session.Call(background, "shop__price", make(chan int), nil)
	equal(t, "arguments", fails(t, err, InvalidJSON, "chan").Place)
	_, err = session.Call(background, "a\xff", tea, nil)
	equal(t, "tool", fails(t, err, InvalidUTF8, "byte at 1").Place)
	_, err = session.Bytes("none.pdf")
	fails(t, err, Input, "none.pdf")
	_, err = session.Script(background, "cobol", "1", nil)
	fails(t, err, Load, "cobol")
}

func TestFailedCallHasReport(t *testing.T) {
	session := open(t)
	_, err := session.Script(background, "python-lite", "print('before')\n1 / 0", nil)
	failed := fails(t, err, Plugin, "division")
	equal(t, false, failed.Report.OK)
	contains(t, failed.Report.JSON, "before")
	_, err = session.Call(background, "shop__price", tea, Options{"timeout": 1})
	wrong := fails(t, err, Arguments, "did you mean `timeout_ms`")
	if wrong.Report != nil {
		t.Fatalf("got %+v", wrong.Report)
	}
}

func TestWrongOptionsAreRefusedWithTheirPlace(t *testing.T) {
	_, err := NewHost(Options{"limits": Options{"call": Options{"fule": 1}}})
	equal(t, "options.limits.call", fails(t, err, Arguments, "fule").Place)
	_, err = NewHost(Options{"skills": []string{"/no/such/folder"}})
	fails(t, err, Load, "folder")
	_, err = NewHost(Options{"skills": func() {}})
	equal(t, "options", fails(t, err, InvalidJSON, "func").Place)
	_, err = host.Session(Options{"tenants": "acme"}, nil)
	fails(t, err, Arguments, "did you mean `tenant`")
	equal(t, "definition.name", fails(t, host.AddTool(Options{"name": "shop"}, priceOf), Arguments, "shop__price").Place)
	fails(t, host.AddTool(price, priceOf), Load, "shop__price")
	equal(t, "tool", fails(t, host.AddTool(price, nil), NullPointer, "function").Place)
	_, err = open(t).Run(background, "Hello", nil, nil)
	equal(t, "model", fails(t, err, NullPointer, "function").Place)
}

func TestSecondCloseDoesNothing(t *testing.T) {
	own, err := NewHost(bare)
	no(t, err)
	session, err := own.Session(nil, nil)
	no(t, err)
	for range []int{1, 2} {
		no(t, own.Close())
		no(t, session.Close())
	}
}

func TestClosedObjectIsAnErrorAndNoCrash(t *testing.T) {
	own, err := NewHost(bare)
	no(t, err)
	no(t, own.AddTool(price, priceOf))
	session, err := own.Session(nil, nil)
	no(t, err)
	no(t, own.Close())
	_, err = own.Session(nil, nil)
	fails(t, err, InvalidHandle, "the host was freed")
	fails(t, own.AddTool(price, priceOf), InvalidHandle, "the host was freed")
	// The session keeps its host.
	_, err = session.Call(background, "shop__price", tea, nil)
	no(t, err)
	no(t, session.Close())
	_, err = session.State()
	fails(t, err, InvalidHandle, "the session was freed")
	_, err = session.Artifacts()
	fails(t, err, InvalidHandle, "the session was freed")
	_, err = session.Run(background, "Hello", func(json.RawMessage) (any, error) { return nil, nil }, nil)
	fails(t, err, InvalidHandle, "the session was freed")
}

func TestZeroValueIsAnErrorAndNoCrash(t *testing.T) {
	_, err := (&Host{}).Session(nil, nil)
	fails(t, err, InvalidHandle, "expected a host, got 0")
	_, err = (&Session{}).Call(background, "shop__price", tea, nil)
	fails(t, err, InvalidHandle, "expected a session, got 0")
	no(t, (&Host{}).Close())
	no(t, (&Session{}).Close())
}

func TestTooManyHandlesAreAnError(t *testing.T) {
	var flags []uint64
	defer func() {
		for _, flag := range flags {
			native.HandleFree(flag)
		}
	}()
	for made := 0; made <= 1<<20; made++ {
		outcome := native.CancelNew()
		if outcome.Code != 0 {
			// Not even the text of the error has a place.
			equal(t, "limit", fails(t, failed(outcome, nil), LimitReached, "limit").Kind)
			return
		}
		flags = append(flags, outcome.Handle)
	}
	t.Fatal("expected a limit")
}

// A structure of Arrow's C stream interface: five pointers, of which the fourth is `release`.
type stream [5]uintptr

func TestTableGoesFromOneSessionToAnother(t *testing.T) {
	from, to := open(t), open(t)
	_, err := from.AddDocument(background, "cities.csv", []byte("city,people\nBonn,330\nUlm,130\n"), nil)
	no(t, err)
	var table stream
	no(t, from.Table("cities.csv", unsafe.Pointer(&table)))
	no(t, to.AddTable(background, "cities", unsafe.Pointer(&table)))
	equal(t, 0, table[3])
	report, err := to.Call(background, "sql_tool__query", Options{"sql": "SELECT sum(people) AS n FROM cities"}, nil)
	no(t, err)
	contains(t, report.Result, "460")
	fails(t, to.AddTable(background, "cities", unsafe.Pointer(&table)), Input, "released")
	equal(t, "stream", fails(t, to.AddTable(background, "cities", nil), NullPointer, "stream").Place)
	fails(t, to.Table("towns", unsafe.Pointer(&table)), Input, "cities")
}

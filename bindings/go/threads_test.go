package mitt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mitt/internal/native"
)

const (
	endless = "while True:\n    pass"
	threads = 16
)

func TestContextEndsACall(t *testing.T) {
	session := open(t)
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(300*time.Millisecond, cancel)
	_, err := session.Script(ctx, "python-lite", endless, nil)
	ended := fails(t, err, Cancelled, "cancelled")
	if !errors.Is(err, context.Canceled) || ended.Report != nil {
		t.Fatalf("got %v, %v", errors.Unwrap(err), ended.Report)
	}
	// Before a call begins, too.
	_, err = session.Script(ctx, "python-lite", "1", nil)
	fails(t, err, Cancelled, "cancelled")
	_, err = Render(ctx, "pdf", "# T", nil)
	fails(t, err, Cancelled, "cancelled")
	report, err := session.Script(background, "python-lite", "1", nil)
	no(t, err)
	equal(t, true, report.OK)
}

func TestDeadlineEndsACall(t *testing.T) {
	ctx, cancel := context.WithTimeout(background, 200*time.Millisecond)
	defer cancel()
	_, err := open(t).Script(ctx, "python-lite", endless, nil)
	fails(t, err, Cancelled, "cancelled")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", errors.Unwrap(err))
	}
}

func TestLimitOfTimeEndsACall(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	_, err := open(t).Script(ctx, "python-lite", endless, Options{"timeout_ms": 200})
	equal(t, "time", fails(t, err, LimitReached, "time").Limit.Name)
	if errors.Unwrap(err) != nil {
		t.Fatalf("got %v", errors.Unwrap(err))
	}
}

func TestManyGoroutinesUseOneSessionAndTheirOwn(t *testing.T) {
	shared := open(t)
	var calls atomic.Int32
	all(t, func(number int) error {
		own, err := host.Session(Options{"tenant": fmt.Sprint("t", number)}, nil)
		if err != nil {
			return err
		}
		defer own.Close()
		for turn := 0; turn < 50; turn++ {
			session := []*Session{shared, own}[turn%2]
			if _, err := whenFree(session, background, tea); err != nil {
				return err
			}
			var wrong *Error
			if _, err := whenFree(session, background, rice); !errors.As(err, &wrong) || wrong.Code != Input {
				return fmt.Errorf("expected an error of the tool, got %v", err)
			}
			calls.Add(1)
		}
		return nil
	})
	equal(t, threads*50, calls.Load())
}

func TestManyCallsAreCancelledAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(300*time.Millisecond, cancel)
	all(t, func(int) error {
		session, err := host.Session(nil, nil)
		if err != nil {
			return err
		}
		defer session.Close()
		if _, err = session.Script(ctx, "python-lite", endless, nil); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("expected the error of the context, got %v", err)
		}
		return nil
	})
}

func TestSessionIsClosedWhileGoroutinesUseIt(t *testing.T) {
	session := open(t)
	all(t, func(int) error {
		for {
			_, err := whenFree(session, background, tea)
			var wrong *Error
			if errors.As(err, &wrong) && wrong.Code == InvalidHandle {
				return nil
			}
			if err != nil {
				return err
			}
			session.Close()
		}
	})
}

func TestFunctionsAreGivenBack(t *testing.T) {
	becomes := func(expected int64) {
		t.Helper()
		for tries := 0; tries < 500 && native.Kept() != expected; tries++ {
			time.Sleep(20 * time.Millisecond)
		}
		equal(t, expected, native.Kept())
	}
	time.Sleep(100 * time.Millisecond)
	before := native.Kept()
	own, err := NewHost(bare)
	no(t, err)
	no(t, own.AddTool(price, priceOf))
	session, err := own.Session(nil, func(json.RawMessage) {})
	no(t, err)
	equal(t, before+2, native.Kept())
	_, err = session.Run(background, "Hello", func(json.RawMessage) (any, error) { return Options{"content": "hello"}, nil }, nil)
	no(t, err)
	fails(t, own.AddTool(price, priceOf), Load, "shop__price")
	_, err = own.Session(Options{"tenants": 1}, func(json.RawMessage) {})
	fails(t, err, Arguments, "tenant")
	becomes(before + 2)
	session.Close()
	own.Close()
	fails(t, own.AddTool(price, priceOf), InvalidHandle, "freed")
	becomes(before)
}

// Go finds nil pointers by signals, of which the library handles some. Its scheduler uses others to interrupt goroutines.
func TestFaultsOfGoStayPanics(t *testing.T) {
	fault := func() (panicked any) {
		defer func() { panicked = recover() }()
		var missing *struct{ field [4096]int }
		return missing.field[runtime.NumCPU()]
	}
	for round := 0; round < 1000; round++ {
		if err, is := fault().(runtime.Error); !is {
			t.Fatalf("got %v", err)
		}
	}
	var wait sync.WaitGroup
	session := open(t)
	for goroutine := 0; goroutine < 4; goroutine++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for sum := 0; sum < 500_000_000; sum++ { // is interrupted by a signal, while calls run
			}
		}()
	}
	_, err := session.Script(background, "python-lite", "sum(range(100000))", nil)
	no(t, err)
	wait.Wait()
}

// all runs work on many goroutines at once, and fails as the first of them.
func all(t *testing.T, work func(number int) error) {
	t.Helper()
	ended := make(chan error, threads)
	for number := 0; number < threads; number++ {
		go func(number int) {
			runtime.LockOSThread() // a thread of the system for each
			ended <- work(number)
		}(number)
	}
	for number := 0; number < threads; number++ {
		select {
		case err := <-ended:
			no(t, err)
		case <-time.After(2 * time.Minute):
			t.Fatal("a deadlock")
		}
	}
}

// whenFree calls again while the host is busy, as its error says.
func whenFree(session *Session, ctx context.Context, arguments Options) (*Report, error) {
	for {
		report, err := session.Call(ctx, "shop__price", arguments, nil)
		var busy *Error
		if !errors.As(err, &busy) || busy.Code != Busy {
			return report, err
		}
		time.Sleep(busy.RetryAfter())
	}
}

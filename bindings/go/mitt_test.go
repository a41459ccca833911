package mitt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var (
	background = context.Background()
	host       *Host
	price      = Options{"name": "shop__price", "description": "Price of an article.", "read_only": true, "parameters": article}
	sell       = Options{"name": "shop__sell", "description": "Sells an article.", "destructive": true, "parameters": article}
	article    = Options{"type": "object", "properties": Options{"article": Options{"type": "string"}}, "required": []string{"article"}}
	tea        = Options{"article": "tea"}
	rice       = Options{"article": "rice"}
	bare       = Options{"bundled": false, "cache": false}
)

// TestMain makes the host of the tests. With MITT_TEST_FIND, it only loads the library and prints the version;
// with MITT_TEST_PANIC, a receiver of events panics.
func TestMain(m *testing.M) {
	if os.Getenv("MITT_TEST_FIND") != "" {
		version, err := Version()
		fmt.Println(version, err)
		return
	}
	if os.Getenv("MITT_TEST_PANIC") != "" {
		panicInEvents()
		return
	}
	var err error
	host, err = NewHost(Options{"threads": 2})
	for _, add := range []func() error{
		func() error { return host.AddTool(price, priceOf) },
		func() error { return host.AddTool(sell, func(json.RawMessage) (any, error) { return "sold", nil }) },
	} {
		if err == nil {
			err = add()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// priceOf is a tool: the price of an article.
func priceOf(arguments json.RawMessage) (any, error) {
	var asked struct{ Article string }
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return nil, err
	}
	switch asked.Article {
	case "tea":
		return json.RawMessage(`{"cents": 450, "exact": 1.10000000000000000000001}`), nil
	case "nothing":
		return nil, nil
	case "text":
		return json.RawMessage("no JSON"), nil
	case "fault":
		return nil, errors.New("the shelf fell")
	case "panic":
		var shelf *struct{ articles int }
		return shelf.articles, nil
	case "exit":
		runtime.Goexit()
	case "nil":
		var none *ToolError
		return nil, none
	case "silent":
		return nil, silent{}
	case "later":
		return nil, &ToolError{Message: "closed", Retryable: true}
	}
	return nil, fmt.Errorf("wrapped: %w", &ToolError{Message: "there is no such article", Kind: "input", Hint: "ask for tea"})
}

// silent is an error without a text.
type silent struct{}

func (silent) Error() string { panic("there is no text") }

func open(t *testing.T) *Session {
	t.Helper()
	session, err := host.Session(nil, nil)
	no(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

func no(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contains[T ~string | ~[]byte](t *testing.T, text T, part string) {
	t.Helper()
	if !strings.Contains(string(text), part) {
		t.Fatalf("expected `%s` in: %s", part, text)
	}
}

func equal[T comparable](t *testing.T, expected, got T) {
	t.Helper()
	if expected != got {
		t.Fatalf("expected %v, got %v", expected, got)
	}
}

// fails checks code and text of an error of Mitt, and returns it.
func fails(t *testing.T, err error, code Code, part string) *Error {
	t.Helper()
	var named *Error
	if !errors.As(err, &named) {
		t.Fatalf("expected an error of Mitt, got %v", err)
	}
	if named.Code != code {
		t.Fatalf("expected code %d, got %d: %v", code, named.Code, err)
	}
	contains(t, named.Error(), part)
	return named
}

func TestStoryOfTheReadme(t *testing.T) {
	session, err := host.Session(Options{"tenant": "acme"}, nil)
	no(t, err)
	defer session.Close()
	folder := filepath.Join("..", "..", "examples", "yoy")
	for _, name := range []string{"2024年经营报告.xlsx", "2025年经营报告.docx"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		no(t, err)
		document, err := session.AddDocument(background, name, data, nil)
		no(t, err)
		equal(t, name, document.Name)
		if len(document.Tables) == 0 || document.Characters < 100 {
			t.Fatalf("got %+v", document)
		}
	}
	script, err := os.ReadFile(filepath.Join(folder, "script.py"))
	no(t, err)
	report, err := session.Script(background, "python-lite", string(script), nil)
	no(t, err)
	equal(t, true, report.OK)
	contains(t, report.Result, "完成")
	equal(t, 2, len(report.Artifacts))

	files, err := session.Artifacts()
	no(t, err)
	equal(t, 2, len(files))
	names := []string{"2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"}
	for index, begin := range []string{"PK", "%PDF-"} {
		equal(t, names[index], files[index].Name)
		data, err := session.Bytes(names[index])
		no(t, err)
		equal(t, files[index].Size, uint64(len(data)))
		equal(t, begin, string(data[:len(begin)]))
		no(t, os.WriteFile(filepath.Join(t.TempDir(), names[index]), data, 0o600))
	}
	state, err := session.State()
	no(t, err)
	contains(t, state, `"tenant":"acme"`)
	// The growth that the script found stands in the workbook, which another session reads.
	workbook, err := session.Bytes(names[0])
	no(t, err)
	read, err := open(t).AddDocument(background, names[0], workbook, Options{"text": true})
	no(t, err)
	contains(t, read.Text, "173410")
}

func TestMarkdownBecomesFiveFormats(t *testing.T) {
	markdown := "# 报告\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n"
	for format, begin := range map[string]string{"pdf": "%PDF-", "docx": "PK", "pptx": "PK", "xlsx": "PK", "html": "<"} {
		made, err := Render(background, format, markdown, Options{"title": "T"})
		no(t, err)
		equal(t, begin, string(made[:len(begin)]))
	}
	_, err := Render(background, "odt", markdown, nil)
	equal(t, "format", fails(t, err, Arguments, "odt").Place)
}

func TestTemplateIsFilled(t *testing.T) {
	template, err := Render(background, "docx", "Dear {{name}}!", nil)
	no(t, err)
	made, err := Fill(background, template, Options{"name": "Ada"}, nil)
	no(t, err)
	equal(t, "PK", string(made[:2]))
	_, err = Fill(background, template, Options{}, nil)
	fails(t, err, Arguments, "name")
	_, err = Fill(background, []byte{1, 2, 3}, Options{}, nil)
	equal(t, "template", fails(t, err, Input, "template").Place)
	_, err = Fill(background, template, make(chan int), nil)
	equal(t, "values", fails(t, err, InvalidJSON, "chan").Place)
}

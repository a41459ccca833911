package mitt

import "encoding/json"

// Options are a JSON object. nil stands for the defaults.
type Options map[string]any

// Document is a document of a session.
type Document struct {
	Name       string          `json:"name"`
	MediaType  string          `json:"media_type"`
	Title      string          `json:"title"`
	Size       uint64          `json:"size"`
	SHA256     string          `json:"sha256"`
	Characters uint64          `json:"characters"`
	Tables     []DocumentTable `json:"tables"`
	Warnings   []string        `json:"warnings"`
	// Text is Markdown, if the option "text" asked for it.
	Text string `json:"text"`
}

// DocumentTable is a table of a document.
type DocumentTable struct {
	Name    string   `json:"name"`
	Place   string   `json:"place"`
	Rows    uint64   `json:"rows"`
	Columns []string `json:"columns"`
}

// Artifact is a file that a tool delivered. Session.Bytes returns its content.
type Artifact struct {
	Name      string   `json:"name"`
	MediaType string   `json:"media_type"`
	Size      uint64   `json:"size"`
	SHA256    string   `json:"sha256"`
	Pages     uint64   `json:"pages"`
	Warnings  []string `json:"warnings"`
}

// Usage is what a call used.
type Usage struct {
	Fuel            uint64 `json:"fuel"`
	PeakMemoryBytes uint64 `json:"peak_memory_bytes"`
	DurationUs      uint64 `json:"duration_us"`
}

// Report is what a call did.
type Report struct {
	// Result is JSON, whose numbers have all their digits; "null" if the call failed.
	Result    json.RawMessage `json:"result"`
	OK        bool            `json:"ok"`
	Tool      string          `json:"tool"`
	Attempts  uint64          `json:"attempts"`
	Usage     Usage           `json:"usage"`
	Artifacts []Artifact      `json:"artifacts"`
	// Approval is the decision for which the call waits; nil if it waits for none.
	Approval *Approval `json:"approval"`
	// JSON is the whole report.
	JSON json.RawMessage `json:"-"`
}

// UnmarshalJSON reads a report and keeps its text.
func (r *Report) UnmarshalJSON(text []byte) error {
	type plain Report // without this method
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	r.JSON = append(json.RawMessage{}, text...)
	return nil
}

// Approval is a call that waits for a decision: see Session.Resume.
type Approval struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Version   string          `json:"version"`
	Arguments json.RawMessage `json:"arguments"`
}

// RunReport is what came of an instruction.
type RunReport struct {
	Calls     []Report        `json:"calls"`
	Text      string          `json:"text"`
	Output    json.RawMessage `json:"output"` // the value of the answer, if the options have "output_schema"; otherwise null
	Turns     uint64          `json:"turns"`
	Delivered []string        `json:"delivered"` // names of files, for Session.Bytes
	Missing   []string        `json:"missing"`   // kinds of files that were asked for and are not there
	Usage     TokenUsage      `json:"usage"`
}

// TokenUsage is what a model used, in tokens.
type TokenUsage struct {
	Input     uint64 `json:"input"`
	Cached    uint64 `json:"cached"`
	Output    uint64 `json:"output"`
	Reasoning uint64 `json:"reasoning"`
}

// Package cloud is where the providers of the tests keep what they make: one JSON file for each thing, in a directory that
// the provider's configuration names. A test can read it, change it, and take things away.
package cloud

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Cloud is a directory.
type Cloud struct{ Directory string }

// ID makes the id of a new thing. Equal things have equal ids, so that two runs make the same.
func ID(kind string, parts ...string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + strings.Join(parts, "\x00")))
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// Digest shows that a value arrived, where the value itself must not be kept.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

func (c Cloud) file(kind, id string) string {
	return filepath.Join(c.Directory, kind, strings.ReplaceAll(id, "/", "%2F")+".json")
}

// Put makes or changes a thing.
func (c Cloud) Put(kind, id string, properties map[string]any) error {
	if c.Directory == "" {
		return errors.New("the provider has no directory")
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(properties); err != nil {
		return err
	}
	file := c.file(kind, id)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// Limit writes down how long a step on a thing may take, which a thing that is removed cannot show: for tests that have made a
// place for it.
func (c Cloud) Limit(kind, step, id string, allowed *string) error {
	if _, err := os.Stat(filepath.Join(c.Directory, "limits")); err != nil {
		return nil
	}
	return c.Put("limits", kind+"-"+step, map[string]any{id: allowed})
}

// Get answers nil for what is not there.
func (c Cloud) Get(kind, id string) (map[string]any, error) {
	text, err := os.ReadFile(c.file(kind, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	properties := map[string]any{}
	return properties, decoder.Decode(&properties)
}

// Remove does not mind if there is nothing to remove.
func (c Cloud) Remove(kind, id string) error {
	if err := os.Remove(c.file(kind, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List answers the ids of a kind, in order.
func (c Cloud) List(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(c.Directory, kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, entry := range entries {
		ids = append(ids, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return ids, err
}

// WaitFor returns when a file is there. It fails when nobody waits for the answer any more.
func WaitFor(file string, given <-chan struct{}) error {
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-given:
			return errors.New("nobody waits for the answer")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// cloud is what exists, as the sum of the lines of one file.
type cloud struct{ path string }

// line is one change. A line that is not complete (a kill while it was written) never happened.
type line struct {
	Op         string `json:"op"`
	ID         string `json:"id"`
	URN        string `json:"urn"`
	Value      string `json:"value,omitempty"`
	ReplaceKey string `json:"replaceKey,omitempty"`
	// AtMs is the wall clock in milliseconds, from which a test tells how old a lost change is.
	AtMs int64 `json:"atMs"`
}

// append writes the line with one write and flushes it. O_APPEND makes writers of several processes take turns.
func (c cloud) append(made line) error {
	made.AtMs = time.Now().UnixMilli()
	encoded, err := json.Marshal(made)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(c.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = file.Write(append(encoded, '\n')); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// find replays the file for one id and answers its last line, if it exists.
func (c cloud) find(id string) (line, bool, error) {
	file, err := os.Open(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return line{}, false, nil
	}
	if err != nil {
		return line{}, false, err
	}
	defer file.Close()
	var last line
	exists := false
	for lines := bufio.NewScanner(file); ; {
		if !lines.Scan() {
			return last, exists, lines.Err()
		}
		var read line
		if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
			return line{}, false, fmt.Errorf("a line of %s cannot be read: %w", c.path, err)
		}
		if read.ID == id {
			last, exists = read, read.Op != "delete"
		}
	}
}

// bare takes a secret's wrapping off.
func bare(value resource.PropertyValue) resource.PropertyValue {
	for value.IsSecret() {
		value = value.SecretValue().Element
	}
	return value
}

func text(properties resource.PropertyMap, key resource.PropertyKey) string {
	if value := bare(properties[key]); value.IsString() {
		return value.StringValue()
	}
	return ""
}

// like keeps a value secret that was secret before.
func like(old resource.PropertyValue, value string) resource.PropertyValue {
	if old.IsSecret() {
		return resource.MakeSecret(resource.NewProperty(value))
	}
	return resource.NewProperty(value)
}

func delay(properties resource.PropertyMap) time.Duration {
	if value := bare(properties["delayMs"]); value.IsNumber() {
		return time.Duration(value.NumberValue()) * time.Millisecond
	}
	return 0
}

func pause(ctx context.Context, how time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(how):
		return nil
	}
}

// noteFirstCall leaves the time of the first call for a resource in a file, where a benchmark asks for it.
func noteFirstCall() {
	if path := os.Getenv("ORACLE_FIRST_CALL"); path != "" {
		if err := os.WriteFile(path, fmt.Append(nil, time.Now().UnixMicro()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

package cloud

import (
	"encoding/json"
	"fmt"
	"sort"
)

// Record is what both versions of Terraform's old SDK hand to a provider.
type Record interface {
	Id() string
	SetId(string)
	Get(string) any
	Set(string, any) error
}

// Save keeps a record's properties, under a new id when it has none.
func (c Cloud) Save(kind string, record Record, names []string) error {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = flat(record.Get(name))
	}
	if record.Id() == "" {
		text, err := json.Marshal(properties)
		if err != nil {
			return err
		}
		record.SetId(ID(kind, string(text)))
	}
	return c.Put(kind, record.Id(), properties)
}

// Load reads a record's properties; one that is gone loses its id.
func (c Cloud) Load(kind string, record Record, names []string) error {
	properties, err := c.Get(kind, record.Id())
	if err != nil {
		return err
	}
	if properties == nil {
		record.SetId("")
		return nil
	}
	for _, name := range names {
		if err := record.Set(name, numbers(properties[name])); err != nil {
			return fmt.Errorf("%s of %s %s: %w", name, kind, record.Id(), err)
		}
	}
	return nil
}

// flat turns sets into lists. A set's own order says nothing, so they are in order of text.
func flat(value any) any {
	switch value := value.(type) {
	case interface{ List() []any }:
		items := flat(value.List()).([]any)
		sort.SliceStable(items, func(i, j int) bool { return fmt.Sprint(items[i]) < fmt.Sprint(items[j]) })
		return items
	case []any:
		items := make([]any, len(value))
		for index, item := range value {
			items[index] = flat(item)
		}
		return items
	case map[string]any:
		fields := map[string]any{}
		for name, field := range value {
			fields[name] = flat(field)
		}
		return fields
	default:
		return value
	}
}

// numbers turns the numbers of a JSON file into those that the old SDK takes.
func numbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return int(whole)
		}
		broken, _ := value.Float64()
		return broken
	case []any:
		for index, item := range value {
			value[index] = numbers(item)
		}
	case map[string]any:
		for name, field := range value {
			value[name] = numbers(field)
		}
	}
	return value
}

package values

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Complete puts a value in the place of every unknown one. It depends on the seed and the place only.
func Complete(declared tftypes.Type, value tftypes.Value, seed string) (tftypes.Value, error) {
	if value.IsNull() {
		return value, nil
	}
	if value.IsKnown() {
		return inside(declared, value, seed)
	}
	sum := sha256.Sum256([]byte(seed))
	switch declared := declared.(type) {
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		for name, kind := range declared.AttributeTypes {
			field, err := Complete(kind, tftypes.NewValue(kind, tftypes.UnknownValue), seed+"."+name)
			if err != nil {
				return value, err
			}
			fields[name] = field
		}
		return tftypes.NewValue(declared, fields), nil
	case tftypes.Map:
		item, err := Complete(declared.ElementType, tftypes.NewValue(declared.ElementType, tftypes.UnknownValue), seed+".made")
		return tftypes.NewValue(declared, map[string]tftypes.Value{"made": item}), err
	case tftypes.List:
		item, err := Complete(declared.ElementType, tftypes.NewValue(declared.ElementType, tftypes.UnknownValue), seed+".0")
		return tftypes.NewValue(declared, []tftypes.Value{item}), err
	case tftypes.Set:
		item, err := Complete(declared.ElementType, tftypes.NewValue(declared.ElementType, tftypes.UnknownValue), seed+".0")
		return tftypes.NewValue(declared, []tftypes.Value{item}), err
	}
	switch {
	case declared.Is(tftypes.Number):
		return tftypes.NewValue(declared, int64(sum[0])), nil
	case declared.Is(tftypes.Bool):
		return tftypes.NewValue(declared, sum[0]%2 == 0), nil
	default:
		return tftypes.NewValue(tftypes.String, "made-"+hex.EncodeToString(sum[:4])), nil
	}
}

func inside(declared tftypes.Type, value tftypes.Value, seed string) (tftypes.Value, error) {
	each := func(kind func(string) tftypes.Type) (tftypes.Value, error) {
		fields := map[string]tftypes.Value{}
		if err := value.As(&fields); err != nil {
			return value, err
		}
		for name, field := range fields {
			completed, err := Complete(kind(name), field, seed+"."+name)
			if err != nil {
				return value, err
			}
			fields[name] = completed
		}
		return tftypes.NewValue(value.Type(), fields), nil
	}
	items := func(element tftypes.Type) (tftypes.Value, error) {
		var items []tftypes.Value
		if err := value.As(&items); err != nil {
			return value, err
		}
		// The elements of a set come in no order, and two that are to be told apart need different values.
		sort.SliceStable(items, func(i, j int) bool { return items[i].String() < items[j].String() })
		for index, item := range items {
			completed, err := Complete(element, item, fmt.Sprintf("%s.%d", seed, index))
			if err != nil {
				return value, err
			}
			items[index] = completed
		}
		return tftypes.NewValue(value.Type(), items), nil
	}
	switch declared := declared.(type) {
	case tftypes.Object:
		return each(func(name string) tftypes.Type { return declared.AttributeTypes[name] })
	case tftypes.Map:
		return each(func(string) tftypes.Type { return declared.ElementType })
	case tftypes.Set:
		return items(declared.ElementType)
	case tftypes.List:
		var elements []tftypes.Value
		if err := value.As(&elements); err != nil {
			return value, err
		}
		for index, item := range elements {
			completed, err := Complete(declared.ElementType, item, fmt.Sprintf("%s.%d", seed, index))
			if err != nil {
				return value, err
			}
			elements[index] = completed
		}
		return tftypes.NewValue(value.Type(), elements), nil
	}
	return value, nil
}

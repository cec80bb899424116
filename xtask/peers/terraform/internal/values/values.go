// Package values turns Terraform's values into JSON for the cloud, and back.
package values

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// precision is that of numbers in Terraform.
const precision = 512

// ToJSON needs the declared type because a value of dynamic type has another one of its own.
func ToJSON(declared tftypes.Type, value tftypes.Value) (any, error) {
	if value.IsNull() {
		return nil, nil
	}
	if !value.IsKnown() {
		return nil, fmt.Errorf("an unknown value cannot be kept")
	}
	switch declared := declared.(type) {
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		if err := value.As(&fields); err != nil {
			return nil, err
		}
		result := map[string]any{}
		// In order, because the first mistake is the one that is told.
		for _, name := range slices.Sorted(maps.Keys(declared.AttributeTypes)) {
			field, err := ToJSON(declared.AttributeTypes[name], fields[name])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			result[name] = field
		}
		return result, nil
	case tftypes.Map:
		fields := map[string]tftypes.Value{}
		if err := value.As(&fields); err != nil {
			return nil, err
		}
		result := map[string]any{}
		for name, field := range fields {
			converted, err := ToJSON(declared.ElementType, field)
			if err != nil {
				return nil, err
			}
			result[name] = converted
		}
		return result, nil
	case tftypes.List:
		return list(func(int) tftypes.Type { return declared.ElementType }, value)
	case tftypes.Set:
		items, err := list(func(int) tftypes.Type { return declared.ElementType }, value)
		sort.SliceStable(items, func(i, j int) bool { return fmt.Sprint(items[i]) < fmt.Sprint(items[j]) })
		return items, err
	case tftypes.Tuple:
		return list(func(index int) tftypes.Type { return declared.ElementTypes[index] }, value)
	}
	switch {
	case declared.Is(tftypes.DynamicPseudoType):
		//nolint:staticcheck // the only way to keep a type
		kind, err := value.Type().MarshalJSON()
		if err != nil {
			return nil, err
		}
		inner, err := ToJSON(value.Type(), value)
		return map[string]any{"type": json.RawMessage(kind), "value": inner}, err
	case declared.Is(tftypes.Number):
		number := new(big.Float)
		err := value.As(&number)
		return json.Number(number.Text('g', -1)), err
	case declared.Is(tftypes.Bool):
		var flag bool
		err := value.As(&flag)
		return flag, err
	default:
		var text string
		err := value.As(&text)
		return text, err
	}
}

func list(kind func(int) tftypes.Type, value tftypes.Value) ([]any, error) {
	var items []tftypes.Value
	if err := value.As(&items); err != nil {
		return nil, err
	}
	result := []any{}
	for index, item := range items {
		converted, err := ToJSON(kind(index), item)
		if err != nil {
			return nil, err
		}
		result = append(result, converted)
	}
	return result, nil
}

// FromJSON reads what ToJSON wrote, or what a test put into its place. What is missing is null.
func FromJSON(declared tftypes.Type, raw any) (tftypes.Value, error) {
	if raw == nil {
		return tftypes.NewValue(declared, nil), nil
	}
	odd := fmt.Errorf("%v is not of type %s", raw, declared)
	switch declared := declared.(type) {
	case tftypes.Object:
		fields, ok := raw.(map[string]any)
		if !ok {
			return tftypes.Value{}, odd
		}
		result := map[string]tftypes.Value{}
		for _, name := range slices.Sorted(maps.Keys(declared.AttributeTypes)) {
			field, err := FromJSON(declared.AttributeTypes[name], fields[name])
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
			result[name] = field
		}
		return tftypes.NewValue(declared, result), nil
	case tftypes.Map:
		fields, ok := raw.(map[string]any)
		if !ok {
			return tftypes.Value{}, odd
		}
		result := map[string]tftypes.Value{}
		for name, field := range fields {
			converted, err := FromJSON(declared.ElementType, field)
			if err != nil {
				return tftypes.Value{}, err
			}
			result[name] = converted
		}
		return tftypes.NewValue(declared, result), nil
	case tftypes.List:
		return collection(declared, func(int) tftypes.Type { return declared.ElementType }, raw)
	case tftypes.Set:
		return collection(declared, func(int) tftypes.Type { return declared.ElementType }, raw)
	case tftypes.Tuple:
		return collection(declared, func(index int) tftypes.Type { return declared.ElementTypes[index] }, raw)
	}
	switch {
	case declared.Is(tftypes.DynamicPseudoType):
		fields, ok := raw.(map[string]any)
		if !ok {
			return tftypes.Value{}, odd
		}
		text, err := json.Marshal(fields["type"])
		if err != nil {
			return tftypes.Value{}, err
		}
		kind, err := tftypes.ParseJSONType(text) //nolint:staticcheck // the only way to read a type
		if err != nil {
			return tftypes.Value{}, err
		}
		return FromJSON(kind, fields["value"])
	case declared.Is(tftypes.Number):
		number, _, err := big.ParseFloat(fmt.Sprint(raw), 10, precision, big.ToNearestEven)
		return tftypes.NewValue(declared, number), err
	default:
		if err := tftypes.ValidateValue(declared, raw); err != nil {
			return tftypes.Value{}, err
		}
		return tftypes.NewValue(declared, raw), nil
	}
}

func collection(declared tftypes.Type, kind func(int) tftypes.Type, raw any) (tftypes.Value, error) {
	items, ok := raw.([]any)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("%v is not of type %s", raw, declared)
	}
	result := []tftypes.Value{}
	for index, item := range items {
		converted, err := FromJSON(kind(index), item)
		if err != nil {
			return tftypes.Value{}, err
		}
		result = append(result, converted)
	}
	return tftypes.NewValue(declared, result), nil
}

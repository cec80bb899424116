// The oracle of the kill tests: a provider whose cloud is one append-only file.
//
// Every change is a line of the file, flushed to the disk before the engine hears of it, so the file is the
// truth about what exists, whoever dies when. A resource is made with a fresh id each time: what an engine
// forgets is found by its id. Drift is made by appending a line by hand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/blang/semver"
	"github.com/gofrs/uuid"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/resource/provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const (
	thing = "oracle:index:Thing"
	echo  = "oracle:index:echo"
)

var version = semver.Version{Major: 1}

type oracle struct {
	plugin.UnimplementedProvider
	mu    sync.Mutex
	cloud cloud
	first sync.Once
}

func (o *oracle) Close() error                             { return nil }
func (o *oracle) SignalCancellation(context.Context) error { return nil }

func (o *oracle) GetPluginInfo(context.Context) (plugin.PluginInfo, error) {
	return plugin.PluginInfo{Version: &version}, nil
}

func (o *oracle) GetSchema(context.Context, plugin.GetSchemaRequest) (plugin.GetSchemaResponse, error) {
	text, err := schemaText()
	return plugin.GetSchemaResponse{Schema: text}, err
}

func (o *oracle) CheckConfig(_ context.Context, r plugin.CheckConfigRequest) (plugin.CheckConfigResponse, error) {
	return plugin.CheckConfigResponse{Properties: r.News}, nil
}

func (o *oracle) DiffConfig(context.Context, plugin.DiffConfigRequest) (plugin.DiffConfigResponse, error) {
	return plugin.DiffResult{Changes: plugin.DiffNone}, nil
}

func (o *oracle) Configure(_ context.Context, r plugin.ConfigureRequest) (plugin.ConfigureResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cloud = cloud{path: os.Getenv("ORACLE_LOG")}
	if log, ok := r.Inputs["log"]; ok && log.IsString() {
		o.cloud.path = log.StringValue()
	}
	if o.cloud.path == "" {
		return plugin.ConfigureResponse{}, errors.New("the oracle needs a log file: set ORACLE_LOG or oracle:log")
	}
	return plugin.ConfigureResponse{}, nil
}

func (o *oracle) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	o.first.Do(noteFirstCall)
	var failures []plugin.CheckFailure
	refuse := func(key resource.PropertyKey, reason string) {
		failures = append(failures, plugin.CheckFailure{Property: key, Reason: reason})
	}
	if _, ok := r.News["value"]; !ok {
		refuse("value", "value is required")
	}
	for key, value := range r.News {
		if value.ContainsUnknowns() {
			continue
		}
		switch plain := bare(value); key {
		case "delayMs":
			if !plain.IsNumber() {
				refuse(key, "must be a number of milliseconds")
			}
		case "value", "replaceKey":
			if !plain.IsString() {
				refuse(key, "must be a string")
			}
		case "failOn":
			if !plain.IsString() || (plain.StringValue() != "create" && plain.StringValue() != "update" &&
				plain.StringValue() != "delete") {
				refuse(key, "must be create, update or delete")
			}
		default:
			refuse(key, "there is no such property")
		}
	}
	return plugin.CheckResponse{Properties: r.News, Failures: failures}, nil
}

// Diff compares the new inputs with the state, which is where drift that a refresh found shows up.
func (o *oracle) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	result := plugin.DiffResult{Changes: plugin.DiffNone, DetailedDiff: map[string]plugin.PropertyDiff{}}
	for _, key := range []resource.PropertyKey{"value", "replaceKey", "delayMs", "failOn"} {
		if r.OldOutputs[key].DeepEquals(r.NewInputs[key]) {
			continue
		}
		kind := plugin.DiffUpdate
		if key == "replaceKey" {
			kind = plugin.DiffUpdateReplace
			result.ReplaceKeys = append(result.ReplaceKeys, key)
		}
		result.Changes = plugin.DiffSome
		result.ChangedKeys = append(result.ChangedKeys, key)
		result.DetailedDiff[string(key)] = plugin.PropertyDiff{Kind: kind, InputDiff: true}
	}
	return result, nil
}

func (o *oracle) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	if r.Preview {
		return plugin.CreateResponse{Properties: r.Properties, Status: resource.StatusOK}, nil
	}
	fresh, err := uuid.NewV4()
	if err != nil {
		return plugin.CreateResponse{Status: resource.StatusUnknown}, err
	}
	made := line{Op: "create", ID: fresh.String(), URN: string(r.URN), Value: text(r.Properties, "value"),
		ReplaceKey: text(r.Properties, "replaceKey")}
	if err := o.change(ctx, r.Properties, made); err != nil {
		return plugin.CreateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.CreateResponse{ID: resource.ID(made.ID), Properties: r.Properties, Status: resource.StatusOK}, nil
}

func (o *oracle) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	if r.Preview {
		return plugin.UpdateResponse{Properties: r.NewInputs, Status: resource.StatusOK}, nil
	}
	made := line{Op: "update", ID: string(r.ID), URN: string(r.URN), Value: text(r.NewInputs, "value"),
		ReplaceKey: text(r.NewInputs, "replaceKey")}
	if err := o.change(ctx, r.NewInputs, made); err != nil {
		return plugin.UpdateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.UpdateResponse{Properties: r.NewInputs, Status: resource.StatusOK}, nil
}

// Delete succeeds when there is nothing to delete: an engine that died after the last delete asks again.
func (o *oracle) Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	_, exists, err := o.cloud.find(string(r.ID))
	if err != nil {
		return plugin.DeleteResponse{Status: resource.StatusUnknown}, err
	}
	if exists {
		err = o.change(ctx, r.Inputs, line{Op: "delete", ID: string(r.ID), URN: string(r.URN)})
	}
	if err != nil {
		return plugin.DeleteResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.DeleteResponse{Status: resource.StatusOK}, nil
}

func (o *oracle) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	if err := pause(ctx, delay(r.State)/2); err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	found, exists, err := o.cloud.find(string(r.ID))
	if err != nil {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, err
	}
	if !exists {
		return plugin.ReadResponse{Status: resource.StatusOK}, nil
	}
	inputs, outputs := r.Inputs.Copy(), r.State.Copy()
	for _, properties := range []resource.PropertyMap{inputs, outputs} {
		properties["value"] = like(properties["value"], found.Value)
		if found.ReplaceKey != "" {
			properties["replaceKey"] = like(properties["replaceKey"], found.ReplaceKey)
		}
	}
	result := plugin.ReadResult{ID: r.ID, Inputs: inputs, Outputs: outputs}
	return plugin.ReadResponse{ReadResult: result, Status: resource.StatusOK}, nil
}

func (o *oracle) Invoke(_ context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	if string(r.Tok) != echo {
		return plugin.InvokeResponse{}, fmt.Errorf("unknown function %s", r.Tok)
	}
	return plugin.InvokeResponse{Properties: r.Args}, nil
}

// change spends half of the asked-for delay before the change and half after it: a kill in the first half must
// leave nothing behind, a kill in the second half leaves a change that the engine never heard of.
func (o *oracle) change(ctx context.Context, properties resource.PropertyMap, made line) error {
	if text(properties, "failOn") == made.Op {
		return fmt.Errorf("the oracle was told to fail on %s", made.Op)
	}
	half := delay(properties) / 2
	if err := pause(ctx, half); err != nil {
		return err
	}
	if err := o.cloud.append(made); err != nil {
		return err
	}
	// The change is made: the wait that follows cannot be cut short by a cancelled call without lying about it.
	time.Sleep(half)
	return nil
}

func main() {
	err := provider.Main("oracle", func(*provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		return plugin.NewProviderServer(&oracle{}), nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

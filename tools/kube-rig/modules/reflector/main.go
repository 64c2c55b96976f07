// Command reflector fills the caches of client-go from an API server and reports the time and the memory.
//
// Benchmarks compare other clients with it. It does the same as a Go scheduler at its start: a shared informer
// factory, protobuf, no rate limit, no managed fields of pods. It prints one JSON line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var contentTypes = map[string]string{
	"protobuf": "application/vnd.kubernetes.protobuf",
	"json":     "application/json",
}

type options struct {
	kubeconfig  string
	contentType string
	resources   []string
	expect      int
	timeout     time.Duration
	hold        bool
}

// report is the line on stdout. Memory is in bytes, time in seconds.
type report struct {
	ContentType    string         `json:"content_type"`
	Objects        int            `json:"objects"`
	ByResource     map[string]int `json:"by_resource"`
	ManagedFields  int            `json:"objects_with_managed_fields"`
	SyncSeconds    float64        `json:"sync_seconds"`
	PeakRSSBytes   int64          `json:"peak_rss_bytes"`
	RSSBytes       int64          `json:"rss_bytes"`
	HeapInUseBytes uint64         `json:"heap_in_use_bytes"`
	UserCPUSeconds float64        `json:"user_cpu_seconds"`
	SysCPUSeconds  float64        `json:"sys_cpu_seconds"`
}

func main() {
	opts, err := parseOptions(os.Args[1:])
	if err != nil {
		if err == flag.ErrHelp {
			os.Exit(0)
		}
		fmt.Fprintf(os.Stderr, "reflector: %v\n", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, opts); err != nil {
		fmt.Fprintf(os.Stderr, "reflector: %v\n", err)
		os.Exit(1)
	}
}

func parseOptions(args []string) (options, error) {
	var opts options
	var resources string
	flags := flag.NewFlagSet("reflector", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the API server to read")
	flags.StringVar(&opts.contentType, "content-type", "protobuf", "protobuf or json")
	flags.StringVar(&resources, "resource", "pods,nodes", "what to cache: pods, nodes or pods,nodes")
	flags.IntVar(&opts.expect, "expect", 0, "also wait until the caches hold at least this many objects")
	flags.DurationVar(&opts.timeout, "timeout", 5*time.Minute, "give up when the caches are not filled by then")
	flags.BoolVar(&opts.hold, "hold", false, "after the report keep watching until stdin closes")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if opts.kubeconfig == "" {
		return opts, fmt.Errorf("no --kubeconfig given and KUBECONFIG is not set")
	}
	if _, known := contentTypes[opts.contentType]; !known {
		return opts, fmt.Errorf("--content-type %q is neither protobuf nor json", opts.contentType)
	}
	for _, resource := range strings.Split(resources, ",") {
		if resource != "pods" && resource != "nodes" {
			return opts, fmt.Errorf("--resource %q is neither pods nor nodes", resource)
		}
		opts.resources = append(opts.resources, resource)
	}
	return opts, nil
}

func run(ctx context.Context, opts options) error {
	config, err := clientcmd.BuildConfigFromFlags("", opts.kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read kubeconfig %s: %w", opts.kubeconfig, err)
	}
	useContentType(config, opts.contentType)
	config.QPS = -1 // no client-side rate limit: the benchmark measures decoding, not waiting

	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}

	filling, cancel := context.WithTimeout(ctx, opts.timeout)
	defer cancel()
	begin := time.Now()
	factory := informers.NewSharedInformerFactory(clientset, 0)
	caches := make(map[string]cache.SharedIndexInformer)
	for _, resource := range opts.resources {
		informer, err := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: resource})
		if err != nil {
			return err
		}
		caches[resource] = informer.Informer()
	}
	if pods, cached := caches["pods"]; cached {
		if err := pods.SetTransform(dropManagedFields); err != nil {
			return err
		}
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	factory.Start(watching.Done())
	if err := waitUntilFilled(filling, caches, opts.expect); err != nil {
		return err
	}

	result, err := measure(time.Since(begin))
	if err != nil {
		return err
	}
	result.ContentType = opts.contentType
	result.ByResource = count(caches)
	result.ManagedFields = countManagedFields(caches)
	for _, n := range result.ByResource {
		result.Objects += n
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		return err
	}
	if opts.hold {
		waitForClosedStdin(ctx)
	}
	return nil
}

// dropManagedFields is the transform that kube-scheduler uses for its pod informer only (pkg/scheduler, newPodInformer).
func dropManagedFields(object interface{}) (interface{}, error) {
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func countManagedFields(caches map[string]cache.SharedIndexInformer) int {
	sum := 0
	for _, informer := range caches {
		for _, object := range informer.GetStore().List() {
			if accessor, err := meta.Accessor(object); err == nil && len(accessor.GetManagedFields()) > 0 {
				sum++
			}
		}
	}
	return sum
}

func useContentType(config *rest.Config, name string) {
	config.ContentType = contentTypes[name]
	config.AcceptContentTypes = contentTypes[name]
	if name == "protobuf" {
		// As in the Kubernetes components: JSON for resources without protobuf.
		config.AcceptContentTypes += "," + contentTypes["json"]
	}
}

// waitUntilFilled polls every millisecond. WaitForCacheSync of client-go polls every 100 ms, which would be most of
// the measured time on a small cluster.
func waitUntilFilled(ctx context.Context, caches map[string]cache.SharedIndexInformer, expect int) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		synced := true
		for _, informer := range caches {
			synced = synced && informer.HasSynced()
		}
		if synced && total(caches) >= expect {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the caches were not filled in time: %d objects so far, %d expected", total(caches), expect)
		case <-tick.C:
		}
	}
}

func total(caches map[string]cache.SharedIndexInformer) int {
	sum := 0
	for _, n := range count(caches) {
		sum += n
	}
	return sum
}

func count(caches map[string]cache.SharedIndexInformer) map[string]int {
	counts := make(map[string]int)
	for resource, informer := range caches {
		counts[resource] = len(informer.GetStore().ListKeys())
	}
	return counts
}

func measure(elapsed time.Duration) (report, error) {
	result := report{SyncSeconds: elapsed.Seconds()}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return result, err
	}
	result.UserCPUSeconds = time.Duration(usage.Utime.Nano()).Seconds()
	result.SysCPUSeconds = time.Duration(usage.Stime.Nano()).Seconds()

	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return result, err
	}
	for _, line := range strings.Split(string(status), "\n") {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			result.PeakRSSBytes = kib * 1024
		}
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			result.RSSBytes = kib * 1024
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	result.HeapInUseBytes = memory.HeapInuse
	return result, nil
}

func waitForClosedStdin(ctx context.Context) {
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // the reason for the end of stdin does not matter
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

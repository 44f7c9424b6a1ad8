//go:build fdb

package apple

/*
#cgo LDFLAGS: -lfdb_c
#define FDB_API_VERSION 730
#include <foundationdb/fdb_c.h>
#include <stdlib.h>
#include <string.h>

// A page in one block: lengths as 32-bit integers of the machine, each before its bytes. The structs are packed, so that Go cannot name
// their fields; one block is one copy.
typedef struct {
	uint8_t* data;
	size_t length;
	int count, more, error;
} page;

static uint8_t* put(uint8_t* at, const uint8_t* bytes, int n) {
	memcpy(at, &n, 4);
	if (n > 0) memcpy(at + 4, bytes, n);
	return at + 4 + n;
}

static size_t pairs_size(const FDBKeyValue* kv, int n) {
	size_t size = 0;
	for (int i = 0; i < n; i++) size += 8 + (size_t)kv[i].key_length + (size_t)kv[i].value_length;
	return size;
}

static uint8_t* put_pairs(uint8_t* at, const FDBKeyValue* kv, int n) {
	for (int i = 0; i < n; i++) at = put(put(at, kv[i].key, kv[i].key_length), kv[i].value, kv[i].value_length);
	return at;
}

static page page_of(FDBFuture* f) {
	page p = {0};
	const FDBKeyValue* kv;
	if ((p.error = fdb_future_get_keyvalue_array(f, &kv, &p.count, &p.more))) return p;
	p.length = pairs_size(kv, p.count);
	p.data = malloc(p.length + 1);
	put_pairs(p.data, kv, p.count);
	return p;
}

static page mapped_page_of(FDBFuture* f) {
	page p = {0};
	const FDBMappedKeyValue* rows;
	if ((p.error = fdb_future_get_mappedkeyvalue_array(f, &rows, &p.count, &p.more))) return p;
	for (int i = 0; i < p.count; i++) {
		const FDBMappedKeyValue* r = &rows[i];
		p.length += 20 + (size_t)r->key.key_length + (size_t)r->value.key_length + (size_t)r->getRange.begin.key.key_length +
		            (size_t)r->getRange.end.key.key_length + pairs_size(r->getRange.data, r->getRange.m_size);
	}
	uint8_t* at = p.data = malloc(p.length + 1);
	for (int i = 0; i < p.count; i++) {
		const FDBMappedKeyValue* r = &rows[i];
		at = put(at, r->key.key, r->key.key_length);
		at = put(at, r->value.key, r->value.key_length);
		at = put(at, r->getRange.begin.key.key, r->getRange.begin.key.key_length);
		at = put(at, r->getRange.end.key.key, r->getRange.end.key.key_length);
		memcpy(at, &r->getRange.m_size, 4);
		at = put_pairs(at + 4, r->getRange.data, r->getRange.m_size);
	}
	return p;
}

static size_t size_of_mapped(void) { return sizeof(FDBMappedKeyValue); }
static size_t size_of_result(void) { return sizeof(FDBGetRangeReqAndResult); }
static size_t size_of_pair(void) { return sizeof(FDBKeyValue); }
*/
import "C"

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	binding "github.com/apple/foundationdb/bindings/go/src/fdb"

	"github.com/phaselock/phaselock/fdb"
)

// checkLayout holds what is assumed of the binding's transaction, and of the C structs, to what they are: a transaction is a pointer to a
// struct whose first field is the C transaction.
func checkLayout() error {
	t := reflect.TypeFor[binding.Transaction]()
	if t.Kind() != reflect.Struct || t.NumField() != 1 || t.Field(0).Type.Kind() != reflect.Pointer {
		return fmt.Errorf("fdb.Transaction of the binding is %v, not one pointer: pages cannot be read through it", t)
	}
	inner := t.Field(0).Type.Elem()
	if inner.Kind() != reflect.Struct || inner.NumField() < 1 || inner.Field(0).Name != "ptr" || inner.Field(0).Offset != 0 || inner.Field(0).Type.Kind() != reflect.Pointer {
		return fmt.Errorf("the binding's transaction does not begin with the C transaction: pages cannot be read through it")
	}
	for name, size := range map[string][2]C.size_t{
		"FDBMappedKeyValue": {C.size_of_mapped(), 112}, "FDBGetRangeReqAndResult": {C.size_of_result(), 56}, "FDBKeyValue": {C.size_of_pair(), 24},
	} {
		if size[0] != size[1] {
			return fmt.Errorf("%s has %d bytes, want %d: the header is of another version", name, size[0], size[1])
		}
	}
	return nil
}

// handle is the C transaction of a transaction of the binding, which must be kept alive while it is used.
func handle(tr *binding.Transaction) *C.FDBTransaction {
	inner := *(*unsafe.Pointer)(unsafe.Pointer(tr))
	return *(**C.FDBTransaction)(inner)
}

// version is the client library's version, "7.3.63"; "double" is the double's.
func version() string {
	v, _, _ := strings.Cut(C.GoString(C.fdb_get_client_version()), ",")
	return v
}

// native is a future of the C interface whose result is a page.
type native[T any] struct {
	tr     binding.Transaction // kept alive
	f      *C.FDBFuture
	decode func(data []byte, count int, more bool) (T, error)
	mapped bool

	once  sync.Once
	done  chan struct{}
	value T
	err   error
}

func newNative[T any](tr binding.Transaction, f *C.FDBFuture, mapped bool, decode func([]byte, int, bool) (T, error)) *native[T] {
	n := &native[T]{tr: tr, f: f, mapped: mapped, decode: decode, done: make(chan struct{})}
	runtime.SetFinalizer(n, func(n *native[T]) { C.fdb_future_destroy(n.f) })
	return n
}

// Wait blocks until the page is here, or the context ends.
func (n *native[T]) Wait(ctx context.Context) (T, error) {
	n.once.Do(func() {
		if C.fdb_future_is_ready(n.f) != 0 {
			n.finish()
			return
		}
		go func() {
			C.fdb_future_block_until_ready(n.f)
			n.finish()
		}()
	})
	select {
	case <-n.done:
		return n.value, n.err
	default:
	}
	select {
	case <-n.done:
		return n.value, n.err
	case <-ctx.Done():
		C.fdb_future_cancel(n.f)
		<-n.done
		var none T
		return none, ctx.Err()
	}
}

func (n *native[T]) finish() {
	defer close(n.done)
	defer runtime.KeepAlive(n.tr)
	var p C.page
	if n.mapped {
		p = C.mapped_page_of(n.f)
	} else {
		p = C.page_of(n.f)
	}
	if p.error != 0 {
		n.err = fdb.Error{Code: int(p.error)}
		return
	}
	defer C.free(unsafe.Pointer(p.data))
	n.value, n.err = n.decode(unsafe.Slice((*byte)(p.data), int(p.length)), int(p.count), p.more != 0)
}

// block is a page as C has laid it out; what is taken is copied out of one copy.
type block struct{ rest []byte }

func (b *block) bytes() []byte {
	n := int(binary.NativeEndian.Uint32(b.rest))
	out := b.rest[4 : 4+n : 4+n]
	b.rest = b.rest[4+n:]
	return out
}

func (b *block) pairs(n int) []fdb.KeyValue {
	out := make([]fdb.KeyValue, n)
	for i := range out {
		out[i].Key = b.bytes()
		out[i].Value = b.bytes()
	}
	return out
}

func decodePage(data []byte, count int, more bool) (fdb.Page, error) {
	b := block{append([]byte(nil), data...)}
	return fdb.Page{Pairs: b.pairs(count), More: more}, nil
}

func decodeMapped(data []byte, count int, more bool) (fdb.MappedPage, error) {
	b := block{append([]byte(nil), data...)}
	page := fdb.MappedPage{Rows: make([]fdb.MappedRow, count), More: more}
	for i := range page.Rows {
		r := &page.Rows[i]
		r.Key, r.Value, r.Begin, r.End = b.bytes(), b.bytes(), b.bytes(), b.bytes()
		n := int(binary.NativeEndian.Uint32(b.rest))
		b.rest = b.rest[4:]
		r.Pairs = b.pairs(n)
	}
	return page, nil
}

func pointer(b []byte) *C.uint8_t {
	if len(b) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&b[0]))
}

func flag(b bool) C.fdb_bool_t {
	if b {
		return 1
	}
	return 0
}

func getRange(tr binding.Transaction, r fdb.Range) fdb.Future[fdb.Page] {
	f := C.fdb_transaction_get_range(handle(&tr),
		pointer(r.Begin.Key), C.int(len(r.Begin.Key)), flag(r.Begin.OrEqual), C.int(r.Begin.Offset),
		pointer(r.End.Key), C.int(len(r.End.Key)), flag(r.End.OrEqual), C.int(r.End.Offset),
		C.int(r.Limit), 0, C.FDBStreamingMode(r.Mode), C.int(r.Iteration), flag(r.Snapshot), flag(r.Reverse))
	runtime.KeepAlive(tr)
	return newNative(tr, f, false, decodePage)
}

func getMappedRange(tr binding.Transaction, r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	f := C.fdb_transaction_get_mapped_range(handle(&tr),
		pointer(r.Begin.Key), C.int(len(r.Begin.Key)), flag(r.Begin.OrEqual), C.int(r.Begin.Offset),
		pointer(r.End.Key), C.int(len(r.End.Key)), flag(r.End.OrEqual), C.int(r.End.Offset),
		pointer(mapper), C.int(len(mapper)),
		C.int(r.Limit), 0, C.FDBStreamingMode(r.Mode), C.int(r.Iteration), flag(r.Snapshot), flag(r.Reverse))
	runtime.KeepAlive(tr)
	return newNative(tr, f, true, decodeMapped)
}

// setOption sets an option by its number, which the binding has no call for.
func setOption(tr binding.Transaction, o fdb.Option) error {
	defer runtime.KeepAlive(tr)
	if code := C.fdb_transaction_set_option(handle(&tr), C.FDBTransactionOption(o.Code), pointer(o.Param), C.int(len(o.Param))); code != 0 {
		return fdb.Error{Code: int(code)}
	}
	return nil
}

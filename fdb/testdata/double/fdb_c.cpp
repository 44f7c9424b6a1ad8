// The double's side of the C interface: futures, the network thread, and one function for each that is called.
#include "foundationdb/fdb_c.h"

#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <queue>
#include <thread>

#include "transaction.h"

using namespace fdb_double;

#define EXPORT extern "C" __attribute__((visibility("default")))

struct FDB_future {
	std::mutex mu;
	std::condition_variable changed;
	int references = 1; // of its owner, and of the network thread while it has not completed it
	bool ready = false;
	int error = 0;
	FDBCallback callback = nullptr;
	void* parameter = nullptr;

	int64_t number = 0;
	bool present = false, more = false;
	std::string text;
	std::vector<std::string> texts;
	std::vector<const char*> c_texts;
	Page page;
	std::vector<FDBKeyValue> pairs;
	MappedPage mapped;
	std::vector<std::vector<FDBKeyValue>> mapped_pairs;
	std::vector<FDBMappedKeyValue> rows;
};

struct FDB_database {
	std::shared_ptr<Store> store;
};

struct FDB_transaction {
	explicit FDB_transaction(std::shared_ptr<Store> s) : t(std::move(s)) {}
	Transaction t;
};

namespace {

void drop(FDBFuture* f) {
	bool last;
	{
		std::lock_guard<std::mutex> lock(f->mu);
		last = --f->references == 0;
	}
	if (last) delete f;
}

void complete(FDBFuture* f, int error) {
	FDBCallback callback;
	void* parameter;
	{
		std::lock_guard<std::mutex> lock(f->mu);
		if (f->ready) return;
		f->ready = true;
		if (error) f->error = error;
		callback = f->callback;
		parameter = f->parameter;
		f->callback = nullptr;
	}
	f->changed.notify_all();
	if (callback) callback(f, parameter);
}

// The network thread completes futures when their time has come.
struct Network {
	struct Item {
		std::chrono::steady_clock::time_point at;
		FDBFuture* f;
		bool operator<(const Item& o) const { return at > o.at; }
	};
	std::mutex mu;
	std::condition_variable changed;
	std::priority_queue<Item> queue;
	bool stopped = false;

	void run() {
		std::unique_lock<std::mutex> lock(mu);
		while (!stopped) {
			if (queue.empty()) {
				changed.wait(lock);
				continue;
			}
			auto at = queue.top().at;
			if (at > std::chrono::steady_clock::now()) {
				changed.wait_until(lock, at);
				continue;
			}
			FDBFuture* f = queue.top().f;
			queue.pop();
			lock.unlock();
			complete(f, 0);
			drop(f);
			lock.lock();
		}
	}
};

// Never destroyed: its thread waits on it until the process is gone.
Network& network = *new Network;

long latency() {
	static const long us = [] {
		const char* text = std::getenv("FDB_DOUBLE_LATENCY_US");
		return text ? std::atol(text) : 0;
	}();
	return us;
}

// A future of what f does now, which is seen when the latency has passed.
template <typename F>
FDBFuture* future(F f) {
	auto* out = new FDBFuture;
	try {
		f(out);
	} catch (const Failure& e) {
		out->error = e.code;
	}
	if (latency() == 0) {
		out->ready = true;
		return out;
	}
	out->references++;
	{
		std::lock_guard<std::mutex> lock(network.mu);
		network.queue.push({std::chrono::steady_clock::now() + std::chrono::microseconds(latency()), out});
	}
	network.changed.notify_all();
	return out;
}

template <typename F>
fdb_error_t guarded(F f) {
	try {
		f();
		return 0;
	} catch (const Failure& e) {
		return e.code;
	}
}

std::string bytes(const uint8_t* p, int n) { return std::string(reinterpret_cast<const char*>(p), p ? n : 0); }
const uint8_t* raw(const std::string& s) { return reinterpret_cast<const uint8_t*>(s.data()); }

// Gives the error of a future that has one, or is not ready.
template <typename F>
fdb_error_t result(FDBFuture* f, F give) {
	std::lock_guard<std::mutex> lock(f->mu);
	if (!f->ready) return 2002; // future_not_set
	if (f->error) return f->error;
	give();
	return 0;
}

FDBFuture* unsupported() {
	return future([](FDBFuture*) { throw Failure{kUnsupported}; });
}

} // namespace

EXPORT const char* fdb_get_error(fdb_error_t) { return "error of the double"; }
EXPORT const char* fdb_get_client_version(void) { return "double,0,0"; }
EXPORT int fdb_get_max_api_version(void) { return 730; }
EXPORT fdb_error_t fdb_select_api_version_impl(int runtime, int header) { return header > 730 || runtime > header ? 2203 : 0; }
EXPORT fdb_error_t fdb_network_set_option(FDBNetworkOption, const uint8_t*, int) { return 0; }
EXPORT fdb_error_t fdb_setup_network(void) { return 0; }
EXPORT fdb_error_t fdb_run_network(void) {
	network.run();
	return 0;
}
EXPORT fdb_error_t fdb_stop_network(void) {
	{
		std::lock_guard<std::mutex> lock(network.mu);
		network.stopped = true;
	}
	network.changed.notify_all();
	return 0;
}

EXPORT void fdb_future_cancel(FDBFuture* f) { complete(f, kOperationCancelled); }
EXPORT void fdb_future_release_memory(FDBFuture*) {}
EXPORT void fdb_future_destroy(FDBFuture* f) {
	complete(f, kOperationCancelled);
	drop(f);
}
EXPORT fdb_error_t fdb_future_block_until_ready(FDBFuture* f) {
	std::unique_lock<std::mutex> lock(f->mu);
	f->changed.wait(lock, [f] { return f->ready; });
	return 0;
}
EXPORT fdb_bool_t fdb_future_is_ready(FDBFuture* f) {
	std::lock_guard<std::mutex> lock(f->mu);
	return f->ready;
}
EXPORT fdb_error_t fdb_future_set_callback(FDBFuture* f, FDBCallback callback, void* parameter) {
	{
		std::lock_guard<std::mutex> lock(f->mu);
		if (!f->ready) {
			f->callback = callback;
			f->parameter = parameter;
			return 0;
		}
	}
	callback(f, parameter);
	return 0;
}
EXPORT fdb_error_t fdb_future_get_error(FDBFuture* f) {
	return result(f, [] {});
}
EXPORT fdb_error_t fdb_future_get_int64(FDBFuture* f, int64_t* out) {
	return result(f, [&] { *out = f->number; });
}
EXPORT fdb_error_t fdb_future_get_key(FDBFuture* f, const uint8_t** out, int* length) {
	return result(f, [&] {
		*out = raw(f->text);
		*length = static_cast<int>(f->text.size());
	});
}
EXPORT fdb_error_t fdb_future_get_value(FDBFuture* f, fdb_bool_t* present, const uint8_t** out, int* length) {
	return result(f, [&] {
		*present = f->present;
		*out = raw(f->text);
		*length = static_cast<int>(f->text.size());
	});
}
static FDBKeyValue pair_of(const Pair& p) {
	return {raw(p.key), static_cast<int>(p.key.size()), raw(p.value), static_cast<int>(p.value.size())};
}
EXPORT fdb_error_t fdb_future_get_keyvalue_array(FDBFuture* f, const FDBKeyValue** out, int* count, fdb_bool_t* more) {
	return result(f, [&] {
		f->pairs.clear();
		for (const auto& p : f->page.pairs) f->pairs.push_back(pair_of(p));
		*out = f->pairs.data();
		*count = static_cast<int>(f->pairs.size());
		*more = f->page.more;
	});
}
EXPORT fdb_error_t fdb_future_get_mappedkeyvalue_array(FDBFuture* f, const FDBMappedKeyValue** out, int* count, fdb_bool_t* more) {
	return result(f, [&] {
		f->rows.clear();
		f->mapped_pairs.clear();
		for (const auto& r : f->mapped.rows) {
			f->mapped_pairs.emplace_back();
			for (const auto& p : r.pairs) f->mapped_pairs.back().push_back(pair_of(p));
		}
		for (size_t i = 0; i < f->mapped.rows.size(); i++) {
			const auto& r = f->mapped.rows[i];
			FDBMappedKeyValue kv;
			std::memset(&kv, 0, sizeof kv);
			kv.key = {raw(r.key), static_cast<int>(r.key.size())};
			kv.value = {raw(r.value), static_cast<int>(r.value.size())};
			kv.getRange.begin.key = {raw(r.begin), static_cast<int>(r.begin.size())};
			kv.getRange.end.key = {raw(r.end), static_cast<int>(r.end.size())};
			kv.getRange.data = f->mapped_pairs[i].data();
			kv.getRange.m_size = kv.getRange.m_capacity = static_cast<int>(f->mapped_pairs[i].size());
			f->rows.push_back(kv);
		}
		*out = f->rows.data();
		*count = static_cast<int>(f->rows.size());
		*more = f->mapped.more;
	});
}
EXPORT fdb_error_t fdb_future_get_key_array(FDBFuture* f, const FDBKey** out, int* count) {
	return result(f, [&] {
		*out = nullptr;
		*count = 0;
	});
}
EXPORT fdb_error_t fdb_future_get_string_array(FDBFuture* f, const char*** out, int* count) {
	return result(f, [&] {
		f->c_texts.clear();
		for (const auto& s : f->texts) f->c_texts.push_back(s.c_str());
		*out = f->c_texts.data();
		*count = static_cast<int>(f->c_texts.size());
	});
}

EXPORT fdb_error_t fdb_create_database(const char*, FDBDatabase** out) {
	static const auto& store = *new std::shared_ptr<Store>(std::make_shared<Store>()); // every connection is to one cluster
	*out = new FDBDatabase{store};
	return 0;
}
EXPORT fdb_error_t fdb_create_database_from_connection_string(const char* text, FDBDatabase** out) { return fdb_create_database(text, out); }
EXPORT void fdb_database_destroy(FDBDatabase* d) { delete d; }
EXPORT fdb_error_t fdb_database_set_option(FDBDatabase*, FDBDatabaseOption, const uint8_t*, int) { return 0; }
EXPORT fdb_error_t fdb_database_open_tenant(FDBDatabase*, const uint8_t*, int, FDBTenant**) { return kUnsupported; }
EXPORT fdb_error_t fdb_database_create_transaction(FDBDatabase* d, FDBTransaction** out) {
	*out = new FDBTransaction(d->store);
	return 0;
}
EXPORT FDBFuture* fdb_database_reboot_worker(FDBDatabase*, const uint8_t*, int, fdb_bool_t, int) { return unsupported(); }
EXPORT FDBFuture* fdb_database_get_client_status(FDBDatabase*) { return unsupported(); }
EXPORT fdb_error_t fdb_tenant_create_transaction(FDBTenant*, FDBTransaction**) { return kUnsupported; }
EXPORT void fdb_tenant_destroy(FDBTenant*) {}

EXPORT void fdb_transaction_destroy(FDBTransaction* t) { delete t; }
EXPORT void fdb_transaction_cancel(FDBTransaction* t) { t->t.cancel(); }
EXPORT void fdb_transaction_reset(FDBTransaction* t) { t->t.reset(); }
EXPORT fdb_error_t fdb_transaction_set_option(FDBTransaction* t, FDBTransactionOption o, const uint8_t*, int n) { return t->t.set_option(o, n); }
EXPORT void fdb_transaction_set_read_version(FDBTransaction* t, int64_t v) { t->t.set_read_version(v); }
EXPORT FDBFuture* fdb_transaction_get_read_version(FDBTransaction* t) {
	return future([&](FDBFuture* f) { f->number = t->t.read_version(); });
}
EXPORT FDBFuture* fdb_transaction_get(FDBTransaction* t, const uint8_t* key, int n, fdb_bool_t snapshot) {
	return future([&](FDBFuture* f) { f->present = t->t.get(bytes(key, n), snapshot, &f->text); });
}
EXPORT FDBFuture* fdb_transaction_get_key(FDBTransaction* t, const uint8_t* key, int n, fdb_bool_t or_equal, int offset, fdb_bool_t snapshot) {
	return future([&](FDBFuture* f) { f->text = t->t.get_key({bytes(key, n), or_equal != 0, offset}, snapshot); });
}
EXPORT FDBFuture* fdb_transaction_get_addresses_for_key(FDBTransaction* t, const uint8_t* key, int n) {
	return future([&](FDBFuture* f) { f->texts = t->t.addresses(bytes(key, n)); });
}
static Range range_of(const uint8_t* b, int bn, fdb_bool_t be, int bo, const uint8_t* e, int en, fdb_bool_t ee, int eo, int limit, int mode, int iteration,
                      fdb_bool_t snapshot, fdb_bool_t reverse) {
	return {{bytes(b, bn), be != 0, bo}, {bytes(e, en), ee != 0, eo}, limit, mode, iteration, snapshot != 0, reverse != 0};
}
EXPORT FDBFuture* fdb_transaction_get_range(FDBTransaction* t, const uint8_t* b, int bn, fdb_bool_t be, int bo, const uint8_t* e, int en, fdb_bool_t ee,
                                            int eo, int limit, int, FDBStreamingMode mode, int iteration, fdb_bool_t snapshot, fdb_bool_t reverse) {
	return future([&](FDBFuture* f) { f->page = t->t.get_range(range_of(b, bn, be, bo, e, en, ee, eo, limit, mode, iteration, snapshot, reverse)); });
}
EXPORT FDBFuture* fdb_transaction_get_mapped_range(FDBTransaction* t, const uint8_t* b, int bn, fdb_bool_t be, int bo, const uint8_t* e, int en,
                                                   fdb_bool_t ee, int eo, const uint8_t* mapper, int mn, int limit, int, FDBStreamingMode mode,
                                                   int iteration, fdb_bool_t snapshot, fdb_bool_t reverse) {
	return future([&](FDBFuture* f) {
		f->mapped = t->t.get_mapped_range(range_of(b, bn, be, bo, e, en, ee, eo, limit, mode, iteration, snapshot, reverse), bytes(mapper, mn));
	});
}
EXPORT FDBFuture* fdb_transaction_get_estimated_range_size_bytes(FDBTransaction*, const uint8_t*, int, const uint8_t*, int) { return unsupported(); }
EXPORT FDBFuture* fdb_transaction_get_range_split_points(FDBTransaction*, const uint8_t*, int, const uint8_t*, int, int64_t) { return unsupported(); }
EXPORT void fdb_transaction_set(FDBTransaction* t, const uint8_t* k, int kn, const uint8_t* v, int vn) { t->t.write(Op::kSet, bytes(k, kn), bytes(v, vn)); }
EXPORT void fdb_transaction_atomic_op(FDBTransaction* t, const uint8_t* k, int kn, const uint8_t* p, int pn, FDBMutationType type) {
	if (type == 2) t->t.write(Op::kAdd, bytes(k, kn), bytes(p, pn));
	else t->t.refuse(kUnsupported);
}
EXPORT void fdb_transaction_clear(FDBTransaction* t, const uint8_t* k, int kn) { t->t.write(Op::kClear, bytes(k, kn), ""); }
EXPORT void fdb_transaction_clear_range(FDBTransaction* t, const uint8_t* b, int bn, const uint8_t* e, int en) {
	t->t.write(Op::kClearRange, bytes(b, bn), bytes(e, en));
}
EXPORT FDBFuture* fdb_transaction_watch(FDBTransaction*, const uint8_t*, int) { return unsupported(); }
EXPORT FDBFuture* fdb_transaction_commit(FDBTransaction* t) {
	return future([&](FDBFuture*) { t->t.commit(); });
}
EXPORT fdb_error_t fdb_transaction_get_committed_version(FDBTransaction* t, int64_t* out) {
	return guarded([&] { *out = t->t.committed_version(); });
}
EXPORT FDBFuture* fdb_transaction_get_approximate_size(FDBTransaction*) { return unsupported(); }
EXPORT FDBFuture* fdb_transaction_get_versionstamp(FDBTransaction*) { return unsupported(); }
EXPORT FDBFuture* fdb_transaction_on_error(FDBTransaction* t, fdb_error_t code) {
	return future([&](FDBFuture*) { t->t.on_error(code); });
}
EXPORT fdb_error_t fdb_transaction_add_conflict_range(FDBTransaction* t, const uint8_t* b, int bn, const uint8_t* e, int en, FDBConflictRangeType type) {
	return guarded([&] { t->t.add_conflict(bytes(b, bn), bytes(e, en), type == 1); });
}

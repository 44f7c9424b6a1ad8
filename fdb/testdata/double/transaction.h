// A transaction of the double.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "foundationdb/fdb_c.h"
#include "mapper.h"
#include "store.h"

namespace fdb_double {

struct Selector {
	std::string key;
	bool or_equal;
	int offset;
};

struct Pair {
	std::string key, value;
};

struct Range {
	Selector begin, end;
	int limit;
	FDBStreamingMode mode;
	int iteration;
	bool snapshot, reverse;
	int budget() const; // bytes that end a page; 0 is no bound
};

struct Page {
	std::vector<Pair> pairs;
	bool more = false;
};

struct MappedRow {
	std::string key, value, begin, end;
	std::vector<Pair> pairs;
};

struct MappedPage {
	std::vector<MappedRow> rows;
	bool more = false;
};

class Transaction {
public:
	explicit Transaction(std::shared_ptr<Store> store) : store_(std::move(store)) {}

	void reset();
	void cancel();
	int set_option(int option, int value_length);
	void set_read_version(int64_t version);
	int64_t read_version();
	bool get(const std::string& key, bool snapshot, std::string* value);
	std::string get_key(const Selector& s, bool snapshot);
	Page get_range(const Range& r);
	MappedPage get_mapped_range(const Range& r, const std::string& mapper);
	void write(Op op, const std::string& key, const std::string& param);
	void add_conflict(const std::string& begin, const std::string& end, bool write);
	void commit();
	int64_t committed_version();
	void on_error(int code);
	std::vector<std::string> addresses(const std::string& key);
	void refuse(int code) { std::lock_guard<std::mutex> lock(mu_); state_.failed = code; }

private:
	// What a reset forgets.
	struct State {
		int failed = 0; // what comes after gives it
		int64_t version = 0;
		std::shared_ptr<const Data> base;
		std::shared_ptr<Data> own;
		size_t applied = 0;
		std::vector<Mutation> mutations;
		std::vector<Span> reads, writes, covered;
		size_t size = 0;
		int64_t committed = -1;
		bool no_own = false, no_own_snapshot = false, read_system = false, write_system = false, next_unseen = false;
	};
	std::string read_end() const { return state_.read_system ? "\xff\xff" : "\xff"; }
	std::string write_end() const { return state_.write_system ? "\xff\xff" : "\xff"; }
	const Data& view(bool snapshot);
	void take();
	void has_read(Span s);
	Span open(const Range& r, const Data** data, int* budget);

	std::shared_ptr<Store> store_;
	std::mutex mu_;
	State state_;
};

} // namespace fdb_double

// The store behind the double: snapshots by version, and conflicts of ranges.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fdb_double {

enum Code {
	kTooOld = 1007, kFuture = 1009, kNotCommitted = 1020, kUnknownResult = 1021, kCancelled = 1025, kOperationCancelled = 1101,
	kInvalidOperation = 2000, kOutside = 2004, kInverted = 2005, kOptionValue = 2006, kOption = 2007, kVersionSet = 2010, kVersionInvalid = 2011,
	kRangeLimits = 2012, kUsedDuringCommit = 2017, kBadIndex = 2030, kBadRange = 2032, kHasMore = 2033, kReadsOwn = 2039, kKeyNotTuple = 2041,
	kValueNotTuple = 2042, kMapperNotTuple = 2043, kTooLarge = 2101, kKeyTooLarge = 2102, kValueTooLarge = 2103, kUnsupported = 2108,
	kNoLimit = 2210,
};

// Thrown where the C interface gives a number.
struct Failure {
	int code;
};

struct Span {
	std::string begin, end;
	bool meets(const Span& o) const { return begin < o.end && o.begin < end; }
};

inline Span point(const std::string& key) { return {key, key + std::string(1, '\0')}; }

using Data = std::map<std::string, std::shared_ptr<const std::string>>;

enum class Op { kSet, kClear, kClearRange, kAdd };

struct Mutation {
	Op op;
	std::string key, param;
	bool unseen; // it makes no write conflict
	Span span() const { return op == Op::kClearRange ? Span{key, param} : point(key); }
	void apply(Data& d) const;
};

constexpr int64_t kWindow = 5'000'000; // versions of five seconds
constexpr int64_t kFirst = 200 * kWindow;

class Store {
public:
	Store();
	int64_t now() const;
	int64_t read_version();
	// The data at a version that was given out before.
	std::shared_ptr<const Data> at(int64_t version);
	int64_t commit(int64_t version, const std::vector<Span>& reads, const std::vector<Mutation>& mutations, const std::vector<Span>& writes);
	std::string status() const;
	std::vector<std::string> team(const std::string& key) const;

private:
	struct Commit {
		int64_t version;
		std::vector<Span> writes;
		std::shared_ptr<const Data> before;
	};
	mutable std::mutex mu_;
	std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
	int64_t version_ = kFirst;
	std::shared_ptr<const Data> data_ = std::make_shared<Data>();
	std::deque<Commit> log_;
	std::vector<std::string> splits_; // where shards start, "" first
};

} // namespace fdb_double

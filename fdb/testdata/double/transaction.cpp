#include "transaction.h"

#include <algorithm>
#include <cstdlib>

namespace fdb_double {

namespace {

constexpr int kReply = 80'000, kRow = 24;

std::string resolve(const Data& d, const Selector& s, const std::string& end) {
	int left = s.offset;
	if (left > 0) {
		for (auto i = d.lower_bound(s.key); i != d.end() && i->first < end; ++i) {
			if (s.or_equal && i->first == s.key) continue;
			if (--left == 0) return i->first;
		}
		return end;
	}
	for (auto i = d.upper_bound(s.key); i != d.begin();) {
		--i;
		if (i->first >= end || (!s.or_equal && i->first == s.key)) continue;
		if (left == 0) return i->first;
		left++;
	}
	return "";
}

// What a selector's resolution depends on.
Span selected(const Selector& s, const std::string& key, const std::string& end) {
	std::string from = s.key;
	if (s.or_equal) from += '\0';
	if (s.offset <= 0) return {key, from};
	return {from, std::min(key + std::string(1, '\0'), end)};
}

std::string bound(const Data& d, const Selector& s, const std::string& end) {
	if (s.offset != 1) return resolve(d, s, end);
	return s.or_equal ? std::min(s.key + std::string(1, '\0'), end) : s.key;
}

Page rows(const Data& d, const Span& bounds, int limit, int budget, bool reverse) {
	Page page;
	if (bounds.begin >= bounds.end) return page;
#ifdef MUTANT_REVERSE
	reverse = false;
#endif
#ifdef MUTANT_LIMIT
	limit = 0;
#endif
	int size = 0;
	auto take = [&](Data::const_iterator i) {
		page.pairs.push_back({i->first, *i->second});
		size += kRow + static_cast<int>(i->first.size() + i->second->size());
		page.more = (limit > 0 && static_cast<int>(page.pairs.size()) == limit) || (budget > 0 && size >= budget);
		return !page.more;
	};
	auto first = d.lower_bound(bounds.begin), last = d.lower_bound(bounds.end);
	if (reverse) {
		while (last != first && take(--last)) {
		}
	} else {
		while (first != last && take(first)) ++first;
	}
	return page;
}

// The keys that a page depends on.
std::vector<Span> extent(const Range& r, Span bounds, const std::string* last, bool more, const std::string& end) {
	std::vector<Span> out;
	if (r.begin.offset != 1 && !(more && r.reverse)) out.push_back(selected(r.begin, bounds.begin, end));
	if (r.end.offset != 1 && !(more && !r.reverse)) out.push_back(selected(r.end, bounds.end, end));
	if (more && r.reverse) bounds.begin = *last;
	else if (more) bounds.end = *last + std::string(1, '\0');
	out.push_back(bounds);
	return out;
}

// Fails commits after they were made: FDB_DOUBLE_COMMIT_ERROR=1021/3 is every third.
void injected() {
	static const char* text = std::getenv("FDB_DOUBLE_COMMIT_ERROR");
	static int count = 0;
	static std::mutex mu;
	if (text == nullptr) return;
	const char* slash = std::strchr(text, '/');
	if (slash == nullptr) return;
	std::lock_guard<std::mutex> lock(mu);
	if (++count % std::max(1, std::atoi(slash + 1)) == 0) throw Failure{std::atoi(text)};
}

} // namespace

int Range::budget() const {
	static const int modes[] = {0, 256, 1000, 4096, kReply};
	static const int growing[] = {4096, 6144, 9216, 13'824, 20'736, 31'104, 46'656, 69'984, kReply};
	if (limit < 0) throw Failure{kRangeLimits};
	if (mode == 0 && limit == 0) throw Failure{kNoLimit};
	if (mode == -2) return kReply;
	if (mode == -1) {
		if (iteration < 1) throw Failure{kInvalidOperation};
		return growing[std::min(iteration, 9) - 1];
	}
	if (mode < 0 || mode > 4) throw Failure{kInvalidOperation};
	return modes[mode];
}

void Transaction::reset() {
	std::lock_guard<std::mutex> lock(mu_);
	state_ = State();
}

void Transaction::cancel() { refuse(kCancelled); }

int Transaction::set_option(int option, int value_length) {
	std::lock_guard<std::mutex> lock(mu_);
	switch (option) {
	case 51: // read_your_writes_disable
		if (!state_.mutations.empty() || state_.base) return kInvalidOperation;
		state_.no_own = true;
		break;
	case 601: state_.no_own_snapshot = true; break;
	case 302: state_.read_system = true; break;
	case 301: state_.read_system = state_.write_system = true; break;
	case 30: state_.next_unseen = true; break;
	case 500: case 501: case 502: break; // timeout, retry limit, max retry delay: nothing waits here
	case 23: case 201: case 700: case 702: break; // ports in addresses, priority, locks
	default: return kOption;
	}
	return option >= 500 && option <= 502 ? 0 : value_length > 0 ? kOptionValue : 0;
}

void Transaction::set_read_version(int64_t version) {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) return;
	if (version <= 0) state_.failed = kVersionInvalid;
	else if (state_.version) state_.failed = kVersionSet;
	else state_.version = version;
}

void Transaction::take() {
	if (state_.base) return;
	if (!state_.version) state_.version = store_->read_version();
	state_.base = store_->at(state_.version);
}

int64_t Transaction::read_version() {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) throw Failure{state_.failed};
	if (!state_.version) take();
	return state_.version;
}

const Data& Transaction::view(bool snapshot) {
	if (state_.failed) throw Failure{state_.failed};
	take();
	if (store_->now() - state_.version > kWindow) throw Failure{kTooOld};
#ifdef MUTANT_OWN_WRITES
	return *state_.base;
#endif
	if (state_.mutations.empty() || state_.no_own || (snapshot && state_.no_own_snapshot)) return *state_.base;
	if (!state_.own) state_.own = std::make_shared<Data>(*state_.base);
	for (; state_.applied < state_.mutations.size(); state_.applied++) state_.mutations[state_.applied].apply(*state_.own);
	return *state_.own;
}

// Notes what was read, but for what the transaction's own writes decide.
void Transaction::has_read(Span s) {
	std::vector<Span> left{s};
	for (const auto& c : state_.covered) {
		std::vector<Span> next;
		for (const auto& l : left) {
			if (!l.meets(c)) {
				next.push_back(l);
				continue;
			}
			if (l.begin < c.begin) next.push_back({l.begin, c.begin});
			if (c.end < l.end) next.push_back({c.end, l.end});
		}
		left = next;
	}
	for (auto& l : left)
		if (l.begin < l.end) state_.reads.push_back(l);
}

bool Transaction::get(const std::string& key, bool snapshot, std::string* value) {
	std::lock_guard<std::mutex> lock(mu_);
	const Data& d = view(snapshot);
	if (key == std::string("\xff\xff/status/json")) {
		*value = store_->status();
		return true;
	}
	if (key >= read_end()) throw Failure{kOutside};
	if (!snapshot) has_read(point(key));
	auto found = d.find(key);
	if (found == d.end()) return false;
	*value = *found->second;
	return true;
}

std::string Transaction::get_key(const Selector& s, bool snapshot) {
	std::lock_guard<std::mutex> lock(mu_);
	const Data& d = view(snapshot);
	if (s.key > read_end()) throw Failure{kOutside};
	std::string key = resolve(d, s, read_end());
	if (!snapshot) has_read(selected(s, key, read_end()));
	return key;
}

Span Transaction::open(const Range& r, const Data** data, int* budget) {
	*data = &view(r.snapshot);
	*budget = r.budget();
	if (r.begin.key > read_end() || r.end.key > read_end()) throw Failure{kOutside};
	return {bound(**data, r.begin, read_end()), bound(**data, r.end, read_end())};
}

Page Transaction::get_range(const Range& r) {
	std::lock_guard<std::mutex> lock(mu_);
	const Data* d;
	int budget;
	const Span bounds = open(r, &d, &budget);
	Page page = rows(*d, bounds, r.limit, budget, r.reverse);
	if (!r.snapshot) {
#ifdef MUTANT_PHANTOM
		for (const auto& p : page.pairs) has_read(point(p.key));
#else
		for (auto& s : extent(r, bounds, page.pairs.empty() ? nullptr : &page.pairs.back().key, page.more, read_end())) has_read(s);
#endif
	}
	return page;
}

MappedPage Transaction::get_mapped_range(const Range& r, const std::string& packed) {
	std::lock_guard<std::mutex> lock(mu_);
	if (!state_.failed && (r.snapshot || state_.no_own)) throw Failure{kUnsupported};
	const Data* d;
	int budget;
	const Span bounds = open(r, &d, &budget);
	const Mapper mapper(packed);
	const int reply = budget == 0 ? kReply : budget;
	MappedPage page;
	std::vector<Span> read;
	Span rest = bounds;
	for (int left = r.limit;;) {
		// One request: rows of the index within a fifth of the bytes, looked up ten by ten until the bytes are enough.
		Page index = rows(*d, rest, left, std::max(1, reply / 5), r.reverse);
		size_t done = 0;
		for (int bytes = reply; done < index.pairs.size() && bytes > 0;) {
			for (size_t end = std::min(done + 10, index.pairs.size()); done < end; done++) {
				MappedRow row{index.pairs[done].key, index.pairs[done].value, "", "", {}};
				row.begin = mapper.apply(row.key, row.value);
				row.end = mapper.scan ? strinc(row.begin) : row.begin + std::string(1, '\0');
				read.push_back({row.begin, row.end});
				Page found = rows(*d, read.back(), 2000, 10'000'000, false);
				if (found.more) throw Failure{kHasMore};
				row.pairs = found.pairs;
				bytes -= kRow + static_cast<int>(row.key.size() + row.value.size());
				for (const auto& p : row.pairs) bytes -= kRow + static_cast<int>(p.key.size() + p.value.size());
				page.rows.push_back(row);
			}
		}
		page.more = index.more || done < index.pairs.size();
		left -= static_cast<int>(done);
		if (!page.more || budget > 0 || left == 0) break;
		if (r.reverse) rest.end = page.rows.back().key;
		else rest.begin = page.rows.back().key + std::string(1, '\0');
	}
	for (auto& s : extent(r, bounds, page.rows.empty() ? nullptr : &page.rows.back().key, page.more, read_end())) read.push_back(s);
	for (const auto& m : state_.mutations)
		for (const auto& s : read)
			if (m.span().meets(s)) throw Failure{kReadsOwn};
	for (auto& s : read) has_read(s);
	if (!mapper.scan)
		for (size_t i = 1; i + 1 < page.rows.size(); i++) page.rows[i].key = page.rows[i].value = "";
	return page;
}

void Transaction::write(Op op, const std::string& key, const std::string& param) {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) return;
	const std::string end = write_end();
	if (op == Op::kClearRange) {
		if (key > end || param > end) state_.failed = kOutside;
		else if (key > param) state_.failed = kInverted;
	} else if (key >= end) state_.failed = kOutside;
	else if (op != Op::kClear && key.size() > 10'000) state_.failed = kKeyTooLarge;
	else if (param.size() > 100'000) state_.failed = kValueTooLarge;
	if (state_.failed) return;
	state_.mutations.push_back({op, key, param, state_.next_unseen});
	state_.next_unseen = false;
	state_.size += key.size() + param.size();
	if (!state_.no_own && op != Op::kAdd) state_.covered.push_back(state_.mutations.back().span());
}

void Transaction::add_conflict(const std::string& begin, const std::string& end, bool write) {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) throw Failure{state_.failed};
	if (begin > read_end() || end > read_end()) throw Failure{kOutside};
	if (begin > end) throw Failure{kInverted};
	if (write) state_.writes.push_back({begin, end});
	else has_read({begin, end});
}

void Transaction::commit() {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) throw Failure{state_.failed};
	std::vector<Span> writes = state_.writes;
	size_t size = state_.size;
	for (const auto& m : state_.mutations) {
		if (m.unseen) continue;
		writes.push_back(m.span());
		size += writes.back().begin.size() + writes.back().end.size();
	}
	if (state_.mutations.empty() && writes.empty()) {
		state_.failed = kUsedDuringCommit;
		return;
	}
	if (size > 10'000'000) throw Failure{kTooLarge};
	if (!state_.reads.empty() && !state_.version) take();
	state_.failed = kUsedDuringCommit;
	state_.committed = store_->commit(state_.version, state_.reads, state_.mutations, writes);
	injected();
}

int64_t Transaction::committed_version() {
	std::lock_guard<std::mutex> lock(mu_);
	return state_.committed;
}

void Transaction::on_error(int code) {
	switch (code) {
	case 1007: case 1009: case 1020: case 1021: case 1037: case 1039: case 1213: break;
	default: throw Failure{code};
	}
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed == kCancelled) throw Failure{kCancelled};
	state_ = State();
}

std::vector<std::string> Transaction::addresses(const std::string& key) {
	std::lock_guard<std::mutex> lock(mu_);
	if (state_.failed) throw Failure{state_.failed};
	return store_->team(key);
}

} // namespace fdb_double

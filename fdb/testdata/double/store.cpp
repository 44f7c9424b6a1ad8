#include "store.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fdb_double {

void Mutation::apply(Data& d) const {
	switch (op) {
	case Op::kSet:
		d[key] = std::make_shared<const std::string>(param);
		break;
	case Op::kClear:
		d.erase(key);
		break;
	case Op::kClearRange:
		d.erase(d.lower_bound(key), d.lower_bound(param));
		break;
	case Op::kAdd: {
		// Little-endian, the old value cut or extended to the length of the new.
		std::string sum = param;
		auto old = d.find(key);
		int carry = 0;
		for (size_t i = 0; i < sum.size(); i++) {
			int n = static_cast<unsigned char>(sum[i]) + carry;
			if (old != d.end() && i < old->second->size()) n += static_cast<unsigned char>((*old->second)[i]);
			sum[i] = static_cast<char>(n);
			carry = n >> 8;
		}
		d[key] = std::make_shared<const std::string>(sum);
	}
	}
}

Store::Store() : splits_{""} {
	if (const char* text = std::getenv("FDB_DOUBLE_SPLITS")) {
		std::stringstream in(text);
		for (std::string s; std::getline(in, s, ',');)
			if (!s.empty()) splits_.push_back(s);
	}
	std::sort(splits_.begin(), splits_.end());
	splits_.erase(std::unique(splits_.begin(), splits_.end()), splits_.end());
	auto first = std::make_shared<Data>();
	for (const auto& s : splits_) (*first)["\xff/keyServers/" + s] = std::make_shared<const std::string>("");
	data_ = first;
}

int64_t Store::now() const {
	auto passed = std::chrono::steady_clock::now() - start_;
	return kFirst + std::chrono::duration_cast<std::chrono::microseconds>(passed).count();
}

int64_t Store::read_version() {
	std::lock_guard<std::mutex> lock(mu_);
	return version_ = std::max(version_, now());
}

std::shared_ptr<const Data> Store::at(int64_t version) {
	std::lock_guard<std::mutex> lock(mu_);
	const int64_t t = now();
	if (version > std::max(version_, t)) throw Failure{kFuture};
	if (t - version > kWindow) throw Failure{kTooOld};
	version_ = std::max(version_, version);
	for (const auto& c : log_)
		if (c.version > version) return c.before;
	return data_;
}

int64_t Store::commit(int64_t version, const std::vector<Span>& reads, const std::vector<Mutation>& mutations, const std::vector<Span>& writes) {
	std::lock_guard<std::mutex> lock(mu_);
	const int64_t t = now();
	while (!log_.empty() && log_.front().version < t - kWindow) log_.pop_front();
	if (!reads.empty()) {
		if (t - version > kWindow) throw Failure{kTooOld};
		for (const auto& c : log_) {
			if (c.version <= version) continue;
			for (const auto& w : c.writes)
				for (const auto& r : reads)
					if (r.meets(w)) throw Failure{kNotCommitted};
		}
	}
	version_ = std::max(version_ + 1, t);
	auto next = std::make_shared<Data>(*data_);
	for (const auto& m : mutations) m.apply(*next);
	log_.push_back({version_, writes, data_});
	data_ = next;
	return version_;
}

std::vector<std::string> Store::team(const std::string& key) const {
	auto shard = std::upper_bound(splits_.begin(), splits_.end(), key) - splits_.begin();
	return {"127.0.0.1:" + std::to_string(4499 + shard)};
}

std::string Store::status() const {
	if (const char* file = std::getenv("FDB_DOUBLE_STATUS")) {
		std::ifstream in(file);
		std::stringstream text;
		text << in.rdbuf();
		return text.str();
	}
	return R"({"client":{"database_status":{"available":true,"healthy":true}},"cluster":{"generation":1,"recovery_state":{"name":"fully_recovered"},)"
	       R"("configuration":{"redundancy_mode":"single","storage_engine":"double"},"qos":{"worst_queue_bytes_log_server":0,)"
	       R"("worst_queue_bytes_storage_server":0,"performance_limited_by":{"name":"workload"}},"data":{"moving_data":{"in_flight_bytes":0,)"
	       R"("in_queue_bytes":0}},"machines":{"a":{"excluded":false}},"processes":{"a":{"version":"double","roles":[{"role":"storage"},{"role":"log"}]}}}})";
}

} // namespace fdb_double

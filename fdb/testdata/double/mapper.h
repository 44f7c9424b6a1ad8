// What a mapped range makes of the rows of an index.
#pragma once

#include <string>
#include <vector>

#include "store.h"

namespace fdb_double {

// The encodings of a tuple's elements. Anything that is no tuple is a Failure with this code.
std::vector<std::string> elements(const std::string& packed, int code);

class Mapper {
public:
	explicit Mapper(const std::string& packed);
	std::string apply(const std::string& key, const std::string& value) const;
	bool scan = false; // {...}: all keys that start with the one made

private:
	struct Part {
		std::string literal;
		char of = 0; // 'K', 'V', or 0 for a literal
		int index = -1;
	};
	std::vector<Part> parts_;
};

// The first key that does not start with this one.
std::string strinc(std::string key);

} // namespace fdb_double

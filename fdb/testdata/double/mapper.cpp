#include "mapper.h"

namespace fdb_double {

namespace {

// The end of a nul-terminated element, in which 00 ff stands for 00; npos where it does not end.
size_t text_end(const std::string& s, size_t at) {
	for (; at < s.size(); at++) {
		if (s[at] != '\0') continue;
		if (at + 1 < s.size() && s[at + 1] == '\xff') {
			at++;
			continue;
		}
		return at + 1;
	}
	return std::string::npos;
}

// The end of the element that begins at a place.
size_t element_end(const std::string& s, size_t at, bool nested) {
	const int code = static_cast<unsigned char>(s[at]);
	size_t end = std::string::npos;
	if (code == 0x00) end = nested && at + 1 < s.size() && s[at + 1] == '\xff' ? at + 2 : at + 1;
	else if (code == 0x01 || code == 0x02) end = text_end(s, at + 1);
	else if (code == 0x05) {
		size_t inner = at + 1;
		for (;;) {
			if (inner >= s.size()) return std::string::npos;
			if (s[inner] == '\0' && !(inner + 1 < s.size() && s[inner + 1] == '\xff')) return inner + 1;
			inner = element_end(s, inner, true);
			if (inner == std::string::npos) return inner;
		}
	} else if (code >= 0x0c && code <= 0x1c) end = at + 1 + (code < 0x14 ? 0x14 - code : code - 0x14);
	else if (code == 0x20) end = at + 5;
	else if (code == 0x21) end = at + 9;
	else if (code == 0x26 || code == 0x27) end = at + 1;
	else if (code == 0x30) end = at + 17;
	else if (code == 0x33) end = at + 13;
	else if (code == 0x0b && at + 1 < s.size()) end = at + 2 + (static_cast<unsigned char>(s[at + 1]) ^ 0xff);
	else if (code == 0x1d && at + 1 < s.size()) end = at + 2 + static_cast<unsigned char>(s[at + 1]);
	return end == std::string::npos || end > s.size() ? std::string::npos : end;
}

// The text of an element of bytes or characters.
std::string text_of(const std::string& e) {
	std::string out;
	for (size_t i = 1; i + 1 < e.size(); i++) {
		out += e[i];
		if (e[i] == '\0') i++; // the ff after it
	}
	return out;
}

std::string packed_as(char type, const std::string& text) {
	std::string out(1, type);
	for (char c : text) {
		out += c;
		if (c == '\0') out += '\xff';
	}
	return out + '\0';
}

std::string without_double_braces(const std::string& s) {
#ifdef MUTANT_ESCAPE
	return s;
#else
	std::string out;
	for (size_t i = 0; i < s.size(); i++) {
		out += s[i];
		if ((s[i] == '{' || s[i] == '}') && i + 1 < s.size() && s[i + 1] == s[i]) i++;
	}
	return out;
#endif
}

bool refers(const std::string& s) {
	return s.size() > 5 && (s.compare(0, 3, "{K[") == 0 || s.compare(0, 3, "{V[") == 0) && s.compare(s.size() - 2, 2, "]}") == 0;
}

} // namespace

std::vector<std::string> elements(const std::string& packed, int code) {
	std::vector<std::string> out;
	for (size_t at = 0; at < packed.size();) {
		size_t end = element_end(packed, at, false);
		if (end == std::string::npos) throw Failure{code};
		out.push_back(packed.substr(at, end - at));
		at = end;
	}
	return out;
}

Mapper::Mapper(const std::string& packed) {
	auto all = elements(packed, kMapperNotTuple);
	for (size_t i = 0; i < all.size(); i++) {
		Part p;
		p.literal = all[i];
		if (all[i][0] != 0x01 && all[i][0] != 0x02) {
			parts_.push_back(p);
			continue;
		}
		const std::string text = text_of(all[i]), plain = without_double_braces(text);
		if (plain != text) {
			p.literal = packed_as(all[i][0], plain);
		} else if (text == "{...}") {
			if (i + 1 != all.size()) throw Failure{kBadRange};
			scan = true;
			continue;
		} else if (refers(text)) {
			p.of = text[1];
			const std::string number = text.substr(3, text.size() - 5);
			if (number.find_first_not_of("0123456789") == std::string::npos && number.size() < 9) p.index = std::stoi(number);
		}
		parts_.push_back(p);
	}
}

std::string Mapper::apply(const std::string& key, const std::string& value) const {
	std::string out;
	for (const auto& p : parts_) {
		if (p.of == 0) {
			out += p.literal;
			continue;
		}
		auto from = p.of == 'K' ? elements(key, kKeyNotTuple) : elements(value, kValueNotTuple);
		if (p.index < 0 || p.index >= static_cast<int>(from.size())) throw Failure{kBadIndex};
		out += from[p.index];
	}
	return out;
}

std::string strinc(std::string key) {
	while (!key.empty() && key.back() == '\xff') key.pop_back();
	if (key.empty()) throw Failure{kBadRange};
	key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
	return key;
}

} // namespace fdb_double

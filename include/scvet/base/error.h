// Errors that a person reads. Thrown at boundaries with the facts as fields; caught once, in cli/main.cpp.
// A message says what was expected, what was found, where, and what to do.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace scvet {

// The facts of an error, for programs that read it (--log-json). Empty fields are unknown.
struct ErrorFacts {
  std::string file = {};
  std::string field = {};  // column, HDF5 object, flag
  std::int64_t row = -1;   // 0-based
  std::string gene = {};
  std::string reason = {};  // stable word for scripts, e.g. "truncated"
};

class Error : public std::runtime_error {
 public:
  Error(const std::string& message, ErrorFacts facts, int exit_code)
      : std::runtime_error(message), facts_(std::move(facts)), exit_code_(exit_code) {}
  const ErrorFacts& facts() const { return facts_; }
  int exit_code() const { return exit_code_; }

 private:
  ErrorFacts facts_;
  int exit_code_;
};

// Wrong flags or column names: exit 2.
struct UsageError : Error {
  explicit UsageError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 2) {}
};
// A file that is missing, broken, or does not hold what the command needs: exit 3.
struct DataError : Error {
  explicit DataError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 3) {}
};
// A locked trial was changed: exit 4.
struct LockError : Error {
  explicit LockError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 4) {}
};
// A checkpoint or network that cannot be used: exit 5.
struct ModelError : Error {
  explicit ModelError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 5) {}
};
// Memory, disk, a missing plugin: exit 6.
struct ResourceError : Error {
  explicit ResourceError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 6) {}
};
// A fault of scvet itself: exit 70.
struct InternalError : Error {
  explicit InternalError(const std::string& message, ErrorFacts facts = {}) : Error(message, std::move(facts), 70) {}
};
// Not a fault: the run ended well and found what --fail-on asks about. Exit 1.
struct Finding : Error {
  explicit Finding(const std::string& message) : Error(message, {}, 1) {}
};
// The user pressed Ctrl-C: exit 130.
struct Interrupted : Error {
  Interrupted() : Error("interrupted", {}, 130) {}
};

}  // namespace scvet

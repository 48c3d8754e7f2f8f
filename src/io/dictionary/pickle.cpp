#include "dictionary/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "scvet/base/error.h"

namespace scvet::io {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMostValues = 2'000'000;  // 80 bytes each; real dictionaries have some 100,000
constexpr std::size_t kMostStack = 1'000'000, kMostMarks = 1000, kMostMemo = kMostValues;
constexpr std::size_t kMostName = 200;  // of a module or a global
constexpr PickleRef kUnset = 0xFFFFFFFFu;

// Opcodes that are not read, by their names in the format's own documentation (pickletools.py).
constexpr std::array<std::pair<unsigned char, const char*>, 40> kRefused{{
    {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'F', "FLOAT"},
    {'I', "INT"},
    {'L', "LONG"},
    {'P', "PERSID"},
    {'Q', "BINPERSID"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {']', "EMPTY_LIST"},
    {'a', "APPEND"},
    {'d', "DICT"},
    {'e', "APPENDS"},
    {'g', "GET"},
    {'i', "INST"},
    {'l', "LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x8b, "LONG4"},
    {0x8d, "BINUNICODE8"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
}};

std::string opcode_name(unsigned char opcode) {
  for (const auto& [code, name] : kRefused)
    if (code == opcode && name) return fmt::format("opcode {} (0x{:02x})", name, opcode);
  return fmt::format("byte 0x{:02x}, which is no opcode", opcode);
}

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const std::string& file, const PicklePolicy& policy)
      : bytes_(bytes), file_(file), policy_(policy) {}

  PickleTree run() {
    start();
    while (step()) {
    }
    if (at_ != bytes_.size()) fail(fmt::format("{} bytes follow the end of the pickle", bytes_.size() - at_));
    return std::move(tree_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw DataError(
        fmt::format("{}: pickle, byte {}: {}", file_, opcode_at_, why),
        {.file = file_, .field = "pickle", .row = static_cast<std::int64_t>(opcode_at_), .reason = "pickle"});
  }

  // `n` bytes, claimed lengths included, exist before anything is made of them.
  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size() - at_)
      fail(
          fmt::format("{} bytes are claimed and {} are left: the file is cut short or broken", n, bytes_.size() - at_));
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return text;
  }
  // Little-endian.
  std::uint64_t number(int n_bytes) {
    std::uint64_t value = 0;
    const std::string_view text = take(static_cast<std::uint64_t>(n_bytes));
    for (int at = 0; at < n_bytes; ++at)
      value |= std::uint64_t{static_cast<unsigned char>(text[static_cast<std::size_t>(at)])} << (8 * at);
    return value;
  }
  std::string line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                std::min(bytes_.size() - at_, kMostName + 1));
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) fail("a name without an end");
    return std::string(take(end + 1).substr(0, end));
  }

  PickleRef make(PickleValue value) {
    if (tree_.values.size() >= kMostValues) fail(fmt::format("more than {} values", kMostValues));
    tree_.values.push_back(std::move(value));
    return static_cast<PickleRef>(tree_.values.size() - 1);
  }
  void push(PickleRef value) {
    if (stack_.size() >= kMostStack) fail(fmt::format("more than {} values wait on the stack", kMostStack));
    stack_.push_back(value);
  }
  void push(PickleValue value) { push(make(std::move(value))); }
  // Values above the last mark only, as the format has it.
  PickleRef pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("a value is missing from the stack");
    const PickleRef value = stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleRef top() {
    const PickleRef value = pop();
    stack_.push_back(value);
    return value;
  }
  std::vector<PickleRef> pop_to_mark() {
    if (marks_.empty()) fail("no mark on the stack");
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleRef> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return items;
  }
  PickleValue& expect(PickleRef at, Kind kind, const char* what) {
    if (tree_.values[at].kind != kind) fail(what);
    return tree_.values[at];
  }

  void start() {
    if (bytes_.size() < 2 || static_cast<unsigned char>(bytes_[0]) != 0x80)
      fail("no PROTO: protocols 2 to 5 are read (write it again with protocol=4)");
    at_ = 1;
    tree_.protocol = static_cast<int>(number(1));
    if (tree_.protocol < 2 || tree_.protocol > 5) fail(fmt::format("protocol {}: 2 to 5 are read", tree_.protocol));
  }

  void put(std::uint64_t index) {
    if (index >= kMostMemo) fail(fmt::format("memo {}: at most {} are kept", index, kMostMemo));
    if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1, kUnset);
    memo_[static_cast<std::size_t>(index)] = top();
  }
  void get(std::uint64_t index) {
    if (index >= memo_.size() || memo_[static_cast<std::size_t>(index)] == kUnset)
      fail(fmt::format("memo {} was never written", index));
    push(memo_[static_cast<std::size_t>(index)]);
  }

  // Two's complement of any length; up to 64 bits are kept.
  std::int64_t long_integer() {
    const std::uint64_t n = number(1);
    if (n > 8) fail(fmt::format("an integer of {} bytes; up to 8 can be read", n));
    if (n == 0) return 0;
    const std::uint64_t bits = number(static_cast<int>(n));
    const int shift = static_cast<int>(64 - 8 * n);
    return static_cast<std::int64_t>(bits << shift) >> shift;
  }

  void tuple(std::vector<PickleRef> items) { push({.kind = Kind::kTuple, .items = std::move(items)}); }
  void tuple_of(std::size_t n) {
    std::vector<PickleRef> items(n);
    for (std::size_t at = n; at-- > 0;) items[at] = pop();
    tuple(std::move(items));
  }
  void set_items(const std::vector<PickleRef>& items) {
    if (items.size() % 2 != 0) fail("a key without a value");
    std::vector<PickleRef>& all = expect(top(), Kind::kDict, "items are set in something that is no dict").items;
    all.insert(all.end(), items.begin(), items.end());
  }

  void global(const std::string& module, const std::string& name) {
    if (module.size() > kMostName || name.size() > kMostName) fail("a global with an endless name");
    if (!policy_.allows(module, name))
      fail(fmt::format("it names the global '{} {}', which is not allowed; nothing was run", printable(module),
                       printable(name)));
    push({.kind = Kind::kGlobal, .text = module + " " + name});
  }
  static std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return text;
  }
  void stack_global() {
    const PickleRef name = pop(), module = pop();
    const std::string text = expect(name, Kind::kText, "the name of a global is no text").text;
    global(expect(module, Kind::kText, "the module of a global is no text").text, text);
  }
  void reduce() {
    const PickleRef arguments = pop(), callable = pop();
    expect(arguments, Kind::kTuple, "a call whose arguments are no tuple");
    expect(callable, Kind::kGlobal, "a call of something that is no global");
    try {
      push(policy_.call(tree_, callable, arguments));
    } catch (const PickleRefusal& refusal) {
      fail(refusal.what());
    }
  }
  void build() {
    const PickleRef state = pop(), object = top();
    expect(object, Kind::kObject, "a state for something that is no object");
    try {
      policy_.build(tree_, object, state);
    } catch (const PickleRefusal& refusal) {
      fail(refusal.what());
    }
  }

  void mark() {
    if (marks_.size() >= kMostMarks) fail(fmt::format("more than {} open marks", kMostMarks));
    marks_.push_back(stack_.size());
  }
  void stop() {
    tree_.root = pop();
    if (!stack_.empty() || !marks_.empty()) fail("the end comes before everything was used");
  }

  void text(Kind kind, int length_bytes) {
    const std::uint64_t n = number(length_bytes);
    push({.kind = kind, .text = std::string(take(n))});
  }
  void boolean(bool value) { push({.kind = Kind::kBoolean, .integer = value}); }
  void integer(std::int64_t value) { push({.kind = Kind::kInteger, .integer = value}); }
  void big_endian_real() {
    std::uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
    push({.kind = Kind::kReal, .real = std::bit_cast<double>(bits)});
  }
  void frame() {
    const std::uint64_t n = number(8);
    if (n > bytes_.size() - at_)
      fail(fmt::format("a frame of {} bytes where {} are left: the file is cut short or broken", n,
                       bytes_.size() - at_));
  }

  bool step();

  std::span<const std::byte> bytes_;
  const std::string& file_;
  const PicklePolicy& policy_;
  std::size_t at_ = 0, opcode_at_ = 0;
  PickleTree tree_;
  std::vector<PickleRef> stack_, memo_;
  std::vector<std::size_t> marks_;  // heights of the stack
};

// One opcode; false after STOP.
bool Machine::step() {
  opcode_at_ = at_;
  const auto opcode = static_cast<unsigned char>(number(1));
  switch (opcode) {
    case '.':
      stop();
      return false;
    case 0x95:
      frame();
      break;
    case '(':
      mark();
      break;
    case 0x94:
      put(memo_.size());
      break;
    case 'q':
      put(number(1));
      break;
    case 'r':
      put(number(4));
      break;
    case 'h':
      get(number(1));
      break;
    case 'j':
      get(number(4));
      break;
    case 'N':
      push(PickleValue{});
      break;
    case 0x88:
      boolean(true);
      break;
    case 0x89:
      boolean(false);
      break;
    case 'J':
      integer(static_cast<std::int32_t>(number(4)));
      break;
    case 'K':
      integer(static_cast<std::int64_t>(number(1)));
      break;
    case 'M':
      integer(static_cast<std::int64_t>(number(2)));
      break;
    case 0x8a:
      integer(long_integer());
      break;
    case 'G':
      big_endian_real();
      break;
    case 0x8c:
      text(Kind::kText, 1);
      break;
    case 'X':
      text(Kind::kText, 4);
      break;
    case 'C':
      text(Kind::kBytes, 1);
      break;
    case 'B':
      text(Kind::kBytes, 4);
      break;
    case ')':
      tuple({});
      break;
    case 0x85:
      tuple_of(1);
      break;
    case 0x86:
      tuple_of(2);
      break;
    case 0x87:
      tuple_of(3);
      break;
    case 't':
      tuple(pop_to_mark());
      break;
    case '}':
      push({.kind = Kind::kDict});
      break;
    case 'u':
      set_items(pop_to_mark());
      break;
    case 's': {
      const PickleRef value = pop(), key = pop();
      set_items({key, value});
      break;
    }
    case 'c': {
      const std::string module = line();
      global(module, line());
      break;
    }
    case 0x93:
      stack_global();
      break;
    case 'R':
      reduce();
      break;
    case 'b':
      build();
      break;
    default:
      fail(opcode_name(opcode) + ": dictionaries need none of it");
  }
  return true;
}

}  // namespace

PickleTree read_pickle(std::span<const std::byte> bytes, const std::string& file, const PicklePolicy& policy) {
  if (bytes.size() > kMostPickleBytes)
    throw DataError(fmt::format("{}: a pickle of {} bytes; up to {} are read", file, bytes.size(), kMostPickleBytes),
                    {.file = file, .field = "pickle", .reason = "too_large"});
  return Machine(bytes, file, policy).run();
}

}  // namespace scvet::io

#include "store/store.h"

#include "store/convert.h"

namespace scvet::io::store {

const Member* ElementType::find(const std::string& member) const {
  for (const Member& candidate : members)
    if (candidate.name == member) return &candidate;
  return nullptr;
}

DataError Object::error(const std::string& what, const std::string& reason, std::int64_t row) const {
  return DataError(file() + ": " + name() + ": " + what,
                   {.file = file(), .field = name(), .row = row, .reason = reason});
}

void Dataset::read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const {
  std::vector<std::int64_t> wide(out.size());
  read_rows(first, count, wide);
  for (std::size_t at = 0; at < wide.size(); ++at) out[at] = convert_one<std::int64_t, std::uint32_t>(wide[at]);
}

bool Group::has(const std::string& member) const {
  const LinkKind found = kind(member);
  return found == LinkKind::kGroup || found == LinkKind::kDataset;
}

std::string describe(LinkKind kind) {
  switch (kind) {
    case LinkKind::kMissing:
      return "nothing of that name";
    case LinkKind::kGroup:
      return "a group";
    case LinkKind::kDataset:
      return "a data set";
    case LinkKind::kType:
      return "a named datatype";
    case LinkKind::kExternal:
      return "a link into another file, which is never followed";
    case LinkKind::kBroken:
      return "an object that cannot be opened";
  }
  return "";
}

}  // namespace scvet::io::store

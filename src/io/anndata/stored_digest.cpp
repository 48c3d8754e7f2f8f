// The bytes of data sets as they lie in the file, digested: the proof that a copy is one.
#include <algorithm>

#include "hdf5/hdf5_file.h"
#include "scvet/base/digest.h"
#include "scvet/base/progress.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;
using hdf5::Handle;
using hdf5::LinkKind;

void add_text(Sha256& digest, const std::string& text) {
  digest.update(text);
  digest.update(std::string_view("\0", 1));
}

void add_numbers(Sha256& digest, const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t number : numbers) add_text(digest, std::to_string(number));
  add_text(digest, "");
}

void add_filters(Sha256& digest, hid_t creation_list) {
  const int count = H5Pget_nfilters(creation_list);
  for (int at = 0; at < count; ++at) {
    unsigned flags = 0, config = 0, values[32] = {};
    std::size_t n_values = 32;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation_list, static_cast<unsigned>(at), &flags, &n_values, values, 0, nullptr, &config);
    std::vector<std::int64_t> facts = {filter, static_cast<std::int64_t>(flags)};
    facts.insert(facts.end(), values, values + std::min<std::size_t>(n_values, 32));
    add_numbers(digest, facts);
  }
}

// Every place of the grid, in row-major order; the library's own list by number takes quadratic time.
void add_chunks(Sha256& digest, const Dataset& set) {
  const std::size_t rank = set.chunk().size();
  std::vector<hsize_t> offset(rank, 0);
  std::vector<std::byte> bytes;
  for (bool more = set.size() > 0; more;) {
    throw_if_stopped();
    hsize_t size = 0;
    // A chunk that was never written has none.
    if (H5Dget_chunk_storage_size(set.id(), offset.data(), &size) < 0) size = 0;
    hdf5::take_error();
    std::uint32_t skipped = 0;
    bytes.resize(size);
    if (size > 0 && H5Dread_chunk(set.id(), H5P_DEFAULT, offset.data(), &skipped, bytes.data()) < 0)
      throw set.error("a chunk cannot be read: " + hdf5::take_error().text, "unreadable");
    add_numbers(digest, {static_cast<std::int64_t>(size), skipped});
    digest.update(bytes);
    std::size_t axis = rank;
    for (more = false; axis-- > 0;) {
      offset[axis] += static_cast<hsize_t>(set.chunk()[axis]);
      if ((more = offset[axis] < static_cast<hsize_t>(set.shape()[axis]))) break;
      offset[axis] = 0;
    }
  }
}

// One piece of the file, row block by row block.
void add_piece(Sha256& digest, const Dataset& set, hid_t type) {
  constexpr std::int64_t kBlockBytes = 1 << 24;
  const auto element = static_cast<std::int64_t>(H5Tget_size(type));
  const std::int64_t row_bytes = std::max<std::int64_t>(set.row_size() * element, 1);
  const std::int64_t step = std::max<std::int64_t>(kBlockBytes / row_bytes, 1);
  std::vector<hsize_t> start(set.shape().size(), 0), count(set.shape().begin(), set.shape().end());
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < set.rows() && !count.empty(); first += step) {
    throw_if_stopped();
    start[0] = static_cast<hsize_t>(first);
    count[0] = static_cast<hsize_t>(std::min(step, set.rows() - first));
    bytes.resize(static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(row_bytes));
    const Handle from(H5Dget_space(set.id()));
    const Handle to(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    if (H5Dread(set.id(), type, to.get(), from.get(), H5P_DEFAULT, bytes.data()) < 0)
      throw set.error("cannot be read: " + hdf5::take_error().text, "unreadable");
    digest.update(bytes);
  }
}

void add_dataset(Sha256& digest, const Dataset& set) {
  const Handle type(H5Dget_type(set.id())), list(H5Dget_create_plist(set.id()));
  std::size_t size = 0;
  H5Tencode(type.get(), nullptr, &size);
  std::vector<std::byte> encoded(size);
  H5Tencode(type.get(), encoded.data(), &size);
  digest.update(encoded);
  add_numbers(digest, set.shape());
  add_numbers(digest, set.chunk());
  add_filters(digest, list.get());
  if (set.type().kind == hdf5::ElementType::Kind::kText) {
    for (const std::string& text : set.read_texts()) add_text(digest, text);
  } else if (!set.chunk().empty()) {
    add_chunks(digest, set);
  } else {
    add_piece(digest, set, type.get());
  }
}

}  // namespace

std::string stored_digest(const std::string& path, const std::string& object) {
  const Group root = hdf5::open_file(path);
  Sha256 digest;
  if (root.kind(object) != LinkKind::kGroup) {
    add_dataset(digest, root.dataset(object));
    return digest.finish();
  }
  const Group group = root.group(object);
  for (const std::string& member : group.members()) {
    if (group.kind(member) != LinkKind::kDataset) continue;
    add_text(digest, member);
    add_dataset(digest, group.dataset(member));
  }
  return digest.finish();
}

}  // namespace scvet::io

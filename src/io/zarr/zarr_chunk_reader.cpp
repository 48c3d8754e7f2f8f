#include "zarr/zarr_chunk_reader.h"

namespace scvet::io::zarr {
namespace {

constexpr std::size_t kMostEntries = 1 << 20;  // of shards' indexes, kept at a time

}  // namespace

std::string ChunkReader::key(const std::vector<std::int64_t>& place) const {
  std::string text = array_.key_prefix;
  for (const std::int64_t at : place) {
    if (!text.empty()) text += array_.separator;
    text += std::to_string(at);
  }
  return join_key(path_, text.empty() ? "0" : text);
}

std::shared_ptr<const Chunk> ChunkReader::read(const std::vector<std::int64_t>& place) const {
  if (!array_.shard.empty()) return read_from_shard(place);
  auto bytes = keys_->read(key(place), most_stored(array_));
  if (!bytes) return nullptr;
  return std::make_shared<const Chunk>(decode_chunk(array_, std::move(*bytes)));
}

ChunkReader::Index ChunkReader::index_of(const std::string& key) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = indexes_.find(key); found != indexes_.end()) return found->second;
  }
  Index index;
  if (const auto size = keys_->size(key)) {
    const std::uint64_t bytes = index_bytes(array_);
    if (bytes > *size) throw CodecError("its shard is cut short: it has no room for its index");
    index = std::make_shared<const std::vector<ShardEntry>>(
        decode_index(array_, keys_->read_range(key, array_.index_at_start ? 0 : *size - bytes, bytes)));
  }
  const std::lock_guard lock(mutex_);
  if (n_entries_ > kMostEntries) {
    indexes_.clear();
    n_entries_ = 0;
  }
  n_entries_ += index ? index->size() : 1;
  indexes_[key] = index;
  return index;
}

std::shared_ptr<const Chunk> ChunkReader::read_from_shard(const std::vector<std::int64_t>& place) const {
  std::vector<std::int64_t> shard(place.size());
  std::size_t inner = 0;
  for (std::size_t dim = 0; dim < place.size(); ++dim) {
    const std::int64_t across = array_.shard[dim] / array_.chunk[dim];
    shard[dim] = place[dim] / across;
    inner = inner * static_cast<std::size_t>(across) + static_cast<std::size_t>(place[dim] % across);
  }
  const std::string name = key(shard);
  const Index index = index_of(name);
  if (!index) return nullptr;
  const ShardEntry entry = (*index)[inner];
  if (entry.offset == kAbsent && entry.bytes == kAbsent) return nullptr;
  if (entry.bytes > most_stored(array_))
    throw CodecError("its shard says that it takes " + std::to_string(entry.bytes) + " bytes, which cannot be");
  return std::make_shared<const Chunk>(decode_chunk(array_, keys_->read_range(name, entry.offset, entry.bytes)));
}

}  // namespace scvet::io::zarr

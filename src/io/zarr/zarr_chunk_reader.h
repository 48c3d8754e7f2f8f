// Chunks of an array by their place in its grid, from files of their own or out of shards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "zarr/zarr_chunk.h"
#include "zarr/zarr_keys.h"

namespace scvet::io::zarr {

class ChunkReader {
 public:
  ChunkReader(std::shared_ptr<const Keys> keys, std::string path, const ArrayMetadata& array)
      : keys_(std::move(keys)), path_(std::move(path)), array_(array) {}

  // Null for a chunk that was never written: its values are the fill value. CodecError or DataError otherwise.
  // Several threads may call at once.
  std::shared_ptr<const Chunk> read(const std::vector<std::int64_t>& place) const;

 private:
  using Index = std::shared_ptr<const std::vector<ShardEntry>>;
  std::string key(const std::vector<std::int64_t>& place) const;
  std::shared_ptr<const Chunk> read_from_shard(const std::vector<std::int64_t>& place) const;
  Index index_of(const std::string& key) const;

  std::shared_ptr<const Keys> keys_;
  std::string path_;
  const ArrayMetadata& array_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Index> indexes_;  // null: no such shard
  mutable std::size_t n_entries_ = 0;
};

}  // namespace scvet::io::zarr

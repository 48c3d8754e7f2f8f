// Arrays of a zarr store: rows gathered from chunks, several decoded at a time.
#include <algorithm>
#include <cmath>

#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "store/convert.h"
#include "zarr/zarr_chunk_reader.h"
#include "zarr/zarr_object.h"

namespace scvet::io::zarr {
namespace {

using Kind = store::ElementType::Kind;
using Place = std::vector<std::int64_t>;

// How many values may be claimed without a byte for them: chunks that hold the fill value alone are not written.
constexpr double kBelievedNumbers = 1 << 24, kBelievedTexts = 1 << 21, kBelievedChunks = 1 << 18;
constexpr std::size_t kMostKept = 512u << 20;  // decoded chunks that the next rows need too

// The chunks that rows [first, first + count) touch, numbered in the order of the grid.
struct Region {
  Place begin, across;  // of the grid, and how many chunks each way
  std::int64_t n_chunks = 1;

  Region(const ArrayMetadata& array, std::int64_t first, std::int64_t count) {
    for (std::size_t dim = 0; dim < array.shape.size(); ++dim) {
      const std::int64_t from = dim == 0 ? first : 0, to = dim == 0 ? first + count : array.shape[dim];
      begin.push_back(from / array.chunk[dim]);
      across.push_back(to > from ? (to - 1) / array.chunk[dim] + 1 - begin[dim] : 0);
      n_chunks *= across[dim];
    }
  }
  // Chunks that share their rows: the last n_abreast() are those of the last rows.
  std::int64_t n_abreast() const { return across.empty() || n_chunks == 0 ? n_chunks : n_chunks / across[0]; }
  Place place(std::int64_t number) const {
    Place at = begin;
    for (std::size_t dim = at.size(); dim-- > 0; number /= across[dim]) at[dim] += number % across[dim];
    return at;
  }
};

// A stretch of values that lie together in a chunk and in the rows asked for.
struct Run {
  std::int64_t from = 0, to = 0, count = 0;
};

class ZarrDataset : public Described<store::Dataset> {
 public:
  ZarrDataset(std::shared_ptr<const Store> opened, const std::string& path, const std::shared_ptr<const Node>& node)
      : Described(opened, path, node, layout_of(node->array)),
        array_(node_->array),
        reader_(opened->keys(), path, array_) {}

  std::vector<double> read_reals(const std::string& member) const override { return read_all<double>(member); }
  std::vector<std::int64_t> read_integers(const std::string& member) const override {
    return read_all<std::int64_t>(member);
  }
  std::vector<std::string> read_texts(const std::string& member) const override;
  std::vector<double> read_array_field(const std::string& member) const override { refuse_field(member); }
  void read_rows(std::int64_t first, std::int64_t count, std::span<double> out) const override {
    read_numbers(first, count, out);
  }
  void read_rows(std::int64_t first, std::int64_t count, std::span<float> out) const override {
    read_numbers(first, count, out);
  }
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::int64_t> out) const override {
    read_numbers(first, count, out);
  }
  void read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const override {
    read_numbers(first, count, out);
  }
  void check_claim(std::size_t bytes_each) const override;

 private:
  static Layout layout_of(const ArrayMetadata& array) {
    Layout layout{array.type, array.shape, array.chunk, 1, 1, false};
    for (std::size_t dim = 0; dim < array.shape.size(); ++dim) {
      layout.size *= array.shape[dim];
      if (dim > 0) layout.row_size *= array.shape[dim];
    }
    return layout;
  }

  [[noreturn]] void refuse_field(const std::string& member) const {
    throw error("has no field '" + member + "': records are not read from zarr", "missing");
  }
  void check_decodable() const {
    if (!array_.unsupported.empty()) throw error(array_.unsupported, "missing_filter");
  }
  void expect_numbers() const {
    if (!type().is_number())
      throw error(
          std::string("expected numbers, found ") + (type().kind == Kind::kText ? "text" : "another type of data"),
          "wrong_type");
  }

  template <typename T>
  std::vector<T> read_all(const std::string& member) const {
    if (!member.empty()) refuse_field(member);
    expect_numbers();
    check_claim(sizeof(T));
    std::vector<T> values(static_cast<std::size_t>(size()));
    read_numbers<T>(0, rows(), values);
    return values;
  }
  template <typename T>
  void read_numbers(std::int64_t first, std::int64_t count, std::span<T> out) const;
  template <typename T>
  void copy_numbers(const Chunk* chunk, const Place& place, std::int64_t first, std::int64_t count, T* out) const;

  // visit(place, chunk) for all that the rows touch, several at a time; chunks that the next rows need are kept.
  template <typename Visit>
  void each_chunk(std::int64_t first, std::int64_t count, Visit visit) const;
  std::shared_ptr<const Chunk> load(const Place& place) const;
  template <typename Visit>
  void each_run(const Place& place, std::int64_t first, std::int64_t count, Visit visit) const;

  const ArrayMetadata& array_;
  ChunkReader reader_;
  mutable std::map<Place, std::shared_ptr<const Chunk>> kept_;
};

void ZarrDataset::check_claim(std::size_t bytes_each) const {
  check_decodable();
  double n_chunks = 1;
  for (std::size_t dim = 0; dim < array_.shape.size(); ++dim)
    n_chunks *= std::ceil(static_cast<double>(array_.shape[dim]) / static_cast<double>(array_.chunk[dim]));
  const double claimed = static_cast<double>(size()) * static_cast<double>(bytes_each);
  const double believed =
      static_cast<double>(bytes_each) * (type().kind == Kind::kText ? kBelievedTexts : kBelievedNumbers);
  if (claimed <= believed && n_chunks <= kBelievedChunks) return;
  double expansion = 8;  // a narrow type is widened to at most 8 bytes
  for (const ByteCodec& codec : array_.coding.codecs)
    if (!codec.is_crc32c) expansion *= static_cast<double>(most_expansion(codec.codec));
  const std::uint64_t stored = store_->keys()->stored_below(path_);
  if (claimed > believed + expansion * static_cast<double>(stored) ||
      n_chunks > kBelievedChunks + static_cast<double>(stored))
    throw error("it claims " + format_count(size()) + " values but stores only " +
                    format_count(static_cast<std::int64_t>(stored)) + " bytes: its metadata are broken",
                "damaged");
}

std::shared_ptr<const Chunk> ZarrDataset::load(const Place& place) const {
  if (const auto found = kept_.find(place); found != kept_.end()) return found->second;
  try {
    return reader_.read(place);
  } catch (const CodecError& fault) {
    std::vector<std::string> numbers;
    for (const std::int64_t at : place) numbers.push_back(std::to_string(at));
    throw error("chunk (" + join(numbers, ", ") + ") cannot be decoded: " + fault.what() +
                    "; the store is damaged: copy it again",
                "damaged", place.empty() ? -1 : place[0] * array_.chunk[0]);
  }
}

template <typename Visit>
void ZarrDataset::each_chunk(std::int64_t first, std::int64_t count, Visit visit) const {
  check_decodable();
  if (size() == 0) return;
  const Region region(array_, first, count);
  const std::int64_t end = first + count, early = region.n_chunks - region.n_abreast();
  // The last chunks reach beyond the rows asked for: whoever reads on needs them again.
  const bool cut = !array_.shape.empty() && end < array_.shape[0] && end % array_.chunk[0] != 0;
  std::vector<std::shared_ptr<const Chunk>> last(cut ? static_cast<std::size_t>(region.n_abreast()) : 0);
  const auto work = [&](std::int64_t number) {
    const Place place = region.place(number);
    const std::shared_ptr<const Chunk> chunk = load(place);
    if (cut && number >= early) last[static_cast<std::size_t>(number - early)] = chunk;
    visit(place, chunk.get());
  };
  if (region.n_chunks == 1)
    work(0);
  else
    parallel_for(region.n_chunks, [&](std::int64_t number, int) { work(number); });
  kept_.clear();
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < last.size(); ++at) {
    if (!last[at]) continue;
    bytes += last[at]->bytes();
    if (bytes > kMostKept) break;
    kept_[region.place(early + static_cast<std::int64_t>(at))] = last[at];
  }
}

// Runs of a chunk within rows [first, first + count); positions count from the chunk's and the rows' start.
template <typename Visit>
void ZarrDataset::each_run(const Place& place, std::int64_t first, std::int64_t count, Visit visit) const {
  const std::size_t n_dims = place.size();
  if (n_dims == 0) return visit(Run{0, 0, 1});
  Place begin(n_dims), end(n_dims);
  for (std::size_t dim = 0; dim < n_dims; ++dim) {
    begin[dim] = place[dim] * array_.chunk[dim];
    end[dim] = std::min(begin[dim] + array_.chunk[dim], array_.shape[dim]);
  }
  begin[0] = std::max(begin[0], first);
  end[0] = std::min(end[0], first + count);
  Place at = begin;
  const std::size_t inner = n_dims - 1;
  while (true) {
    Run run{0, 0, end[inner] - begin[inner]};
    for (std::size_t dim = 0; dim < n_dims; ++dim) {
      run.from = run.from * array_.chunk[dim] + (at[dim] - place[dim] * array_.chunk[dim]);
      run.to = run.to * array_.shape[dim] + (at[dim] - (dim == 0 ? first : 0));
    }
    visit(run);
    std::size_t dim = inner;
    while (dim > 0 && ++at[dim - 1] == end[dim - 1]) {
      at[dim - 1] = begin[dim - 1];
      --dim;
    }
    if (dim == 0) return;
  }
}

// As chunks are held in memory: float16 is widened, booleans are 0 and 1.
NumberType number_type(const store::ElementType& type) {
  if (type.kind == Kind::kReal) return type.bytes == 8 ? NumberType::kFloat64 : NumberType::kFloat32;
  switch (type.bytes) {
    case 1:
      return type.is_signed ? NumberType::kInt8 : NumberType::kUint8;
    case 2:
      return type.is_signed ? NumberType::kInt16 : NumberType::kUint16;
    case 4:
      return type.is_signed ? NumberType::kInt32 : NumberType::kUint32;
    default:
      return type.is_signed ? NumberType::kInt64 : NumberType::kUint64;
  }
}

template <typename T>
void ZarrDataset::copy_numbers(const Chunk* chunk, const Place& place, std::int64_t first, std::int64_t count,
                               T* out) const {
  const NumberType number = number_type(type());
  const auto refuse = [&](std::int64_t position) {
    throw error("expected whole numbers, found another", "wrong_type",
                first + position / std::max<std::int64_t>(row_size(), 1));
  };
  T fill{};
  if (!chunk && convert(number, array_.fill.data(), 1, &fill) >= 0) refuse(0);
  each_run(place, first, count, [&](const Run& run) {
    if (!chunk) {
      std::fill_n(out + run.to, run.count, fill);
      return;
    }
    const std::byte* from = chunk->numbers.data() + static_cast<std::size_t>(run.from) * array_.width();
    const std::int64_t bad = convert(number, from, run.count, out + run.to);
    if (bad >= 0) refuse(run.to + bad);
  });
}

template <typename T>
void ZarrDataset::read_numbers(std::int64_t first, std::int64_t count, std::span<T> out) const {
  expect_numbers();
  std::int64_t needed = 0;
  if (first < 0 || count < 0 || first > rows() || count > rows() - first ||
      __builtin_mul_overflow(count, row_size(), &needed) || static_cast<std::uint64_t>(needed) != out.size())
    throw InternalError("rows " + std::to_string(first) + " + " + std::to_string(count) + " asked of " + name() +
                        ", which has " + std::to_string(rows()));
  if (needed == 0) return;
  each_chunk(first, count,
             [&](const Place& place, const Chunk* chunk) { copy_numbers(chunk, place, first, count, out.data()); });
}

std::vector<std::string> ZarrDataset::read_texts(const std::string& member) const {
  if (!member.empty()) refuse_field(member);
  if (type().kind != Kind::kText)
    throw error(
        "expected text, found " + (type().is_number() ? "numbers (" + type().dtype + ")" : "another type of data"),
        "wrong_type");
  check_claim(sizeof(std::string));
  std::vector<std::string> texts(static_cast<std::size_t>(size()), array_.fill_text);
  each_chunk(0, rows(), [&](const Place& place, const Chunk* chunk) {
    if (!chunk) return;
    each_run(place, 0, rows(),
             [&](const Run& run) { std::copy_n(chunk->texts.begin() + run.from, run.count, texts.begin() + run.to); });
  });
  return texts;
}

}  // namespace

store::DatasetPtr open_array(const std::shared_ptr<const Store>& store, const std::string& path) {
  const auto node = store->node(path);
  if (!node || !node->fault.empty() || !node->is_array) return nullptr;
  return std::make_unique<ZarrDataset>(store, path, node);
}

}  // namespace scvet::io::zarr

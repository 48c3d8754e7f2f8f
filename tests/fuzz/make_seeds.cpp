// make_seeds FOLDER: a small valid input of every kind for each fuzz target, in FOLDER/<target>/.
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "scvet/base/files.h"
#include "scvet/sketch/corpus_writer.h"
#include "seeds.h"
#include "temporary_file.h"
#include "unit/io/zip_builder.h"
#include "zip/zip_file.h"

namespace scvet {
namespace {
namespace fs = std::filesystem;

std::string gzipped(const std::string& text) {
  const fuzz::TemporaryFolder folder;
  const std::string path = folder.path() + "/x.gz";
  gzFile file = gzopen(path.c_str(), "wb9");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path);
}

void text_seeds(const std::string& folder) {
  const std::string tsv = "cell\tpc_1\tpc_2\tkind\nAAAC-1\t0.5\t-1e3\tB\nAAAG-1\tNA\t2\t\"T, \"\"CD4\"\"\"\n";
  const std::string csv = "# made by hand\n\"\",a,b\nx,1,2\ny,3,nan\n";
  write_file(folder + "/fuzz_text_table/tsv", tsv);
  write_file(folder + "/fuzz_text_table/csv", csv);
  write_file(folder + "/fuzz_text_table/gz", gzipped(tsv));
  write_file(folder + "/fuzz_text_table/numbers", "1 2 3\n4 5 6\n");
  const std::string genes = "# source: by hand\nENSG00000141510.2\tTP53\thuman\nENSMUSG00000059552\tTrp53\tmouse\n";
  write_file(folder + "/fuzz_name_table/plain", genes);
  write_file(folder + "/fuzz_name_table/gz", gzipped(genes));
  const std::string features = "ENSG1\tA\tGene Expression\nENSG2\tB\tGene Expression\n",
                    barcodes = "AAAC-1\nAAAG-1\nAAAT-1\n";
  const std::string integers = "%%MatrixMarket matrix coordinate integer general\n%\n2 3 3\n1 1 5\n2 1 1\n2 3 7\n";
  const std::string reals = "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 0.5\n";
  write_file(folder + "/fuzz_tenx_mtx/integers", fuzz::join_parts({integers, features, barcodes}));
  write_file(folder + "/fuzz_tenx_mtx/reals", fuzz::join_parts({reals, features, barcodes}));
  write_file(folder + "/fuzz_tenx_mtx/old", fuzz::join_parts({integers, "ENSG1\tA\nENSG2\tB\n", barcodes}));
}

// The keys of a store and their bytes, see fuzz_zarr; and the archive itself.
void zarr_seeds(const std::string& folder) {
  for (const char* name : {"v2", "v3"}) {
    const std::string path = std::string(SCVET_TEST_DATA) + "/zarr_tiny/" + name + ".zarr.zip";
    const io::ZipFile zip(path);
    std::vector<std::string> parts;
    for (const auto& [key, member] : zip.members()) {
      const std::vector<std::byte> bytes = zip.read(member, 1 << 20);
      parts.push_back(key + "\n" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    write_file(folder + "/fuzz_zarr/" + name, fuzz::join_parts(parts));
    write_file(folder + "/fuzz_zip/" + name, read_file(path));
  }
}

void zip_seeds(const std::string& folder) {
  for (const bool zip64 : {false, true}) {
    io::ZipBuilder zip;
    zip.zip64 = zip64;
    zip.comment = "a comment";
    zip.add("__MACOSX/._t.tsv", "x");
    zip.add("t.tsv", "cell\tscore\na\t1.5\nb\t2\n", !zip64);
    zip.write(folder + "/fuzz_zip/" + (zip64 ? "zip64" : "deflated"));
  }
}

// Pickles by hand, as Python writes them: protocol 4 with numpy scalars of V1, protocol 2 with plain numbers of V2.
struct SeedPickle {
  bool old = false;
  std::string body = "}", dtype = {};
  std::string text(const std::string& value) const {
    const std::string size(1, static_cast<char>(value.size()));
    return (old ? "X" + size + std::string(3, '\0') : "\x8c" + size) + value;
  }
  void add(const std::string& key, const std::string& value) { body += text(key) + value + "s"; }
  // An int16 or float64 scalar; the dtype is written once and remembered.
  std::string scalar(const std::string& code, const std::string& bytes) {
    std::string value = "cnumpy.core.multiarray\nscalar\n";
    value += dtype.empty() ? "cnumpy\ndtype\n" + text(code) + "\x89\x88\x87R(K\x03" + text("<") +
                                 "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + std::string(1, '\0') + "tbq\x01"
                           : "h\x01";
    dtype = code;
    return value + "C" + std::string(1, static_cast<char>(bytes.size())) + bytes + "\x86R";
  }
  std::string done() const { return (old ? "\x80\x02" : "\x80\x04") + body + "."; }
};

void pickle_seeds(const std::string& folder) {
  const std::vector<std::string> genes = {"ENSG00000000003", "ENSG00000000005", "ENSG00000000419.2"};
  SeedPickle tokens, medians, tokens2{.old = true}, medians2{.old = true}, map{.old = true};
  char token = 0;
  for (const char* special : {"<pad>", "<mask>"}) tokens.add(special, std::string("K") + token++);
  for (const std::string& gene : genes) {
    tokens.add(gene, tokens.scalar("i2", std::string{token++, '\0'}));
    medians.add(gene, medians.scalar("f8", std::string("\0\0\0\0\0\0\x04\x40", 8)));
  }
  token = 0;
  for (const char* special : {"<pad>", "<mask>", "<cls>", "<eos>"}) tokens2.add(special, std::string("K") + token++);
  for (const std::string& gene : genes) {
    tokens2.add(gene, std::string("K") + token++);
    medians2.add(gene, std::string("G\x40\x04\0\0\0\0\0\0", 9));
  }
  map.add("ENSG00000999999", map.text(genes[0]));
  write_file(folder + "/fuzz_pickle/v1", fuzz::join_parts({tokens.done(), medians.done(), ""}));
  write_file(folder + "/fuzz_pickle/v2", fuzz::join_parts({tokens2.done(), medians2.done(), map.done()}));
}

// A store of two sources, one without counts; whole (its last byte is even) and to be sealed (odd), see fuzz_corpus.
void corpus_seeds(const std::string& folder) {
  const fuzz::TemporaryFolder scratch;
  const std::string path = scratch.path() + "/seed.corpus";
  const auto writer = sketch::CorpusWriter::create(path, {}, {"seed", "1", "2024-01", {}, {}, {}, {}});
  const GenePanel panel({{"ENSG00000000003", "TSPAN6"}, {"ENSG00000000005", "TNMD"}, {"", "ACTB"}, {"", "LYZ"}},
                        "human");
  for (const bool counts : {true, false}) {
    sketch::CorpusSource source;
    source.file = counts ? "a.h5ad" : "b.h5ad";
    source.sha256 = counts ? "aa" : "bb";
    source.format = "h5ad";
    source.matrix = "X";
    source.has_counts = counts;
    writer->begin_source(source, panel);
    RankedCells cells;
    cells.offsets = {0, 2, 2, 5};
    cells.tokens = {1, 0, 3, 0, 2};
    cells.values = {300, 2, 7, 5, 1};
    writer->add(cells, {{"c1", "c2", "c3"}, {"d1", "", "d2"}, {"s1", "s1", ""}});
    writer->end_source({"a note"}, {5, 0, 0});
  }
  writer->finish();
  const std::string bytes = read_file(path);
  make_folders(folder + "/fuzz_corpus");
  write_file(folder + "/fuzz_corpus/whole", bytes + std::string(1, '\0'));
  write_file(folder + "/fuzz_corpus/sealed", bytes + "\1");
}

// Real files that are small enough to mutate well.
void real_seeds(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(SCVET_REAL_DIR, error)) {
    if (!entry.is_regular_file() || entry.file_size() > 72000) continue;
    const std::string name = entry.path().filename().string(), bytes = read_file(entry.path().string());
    if (name.ends_with(".h5ad"))
      for (const char* target : {"/fuzz_h5ad/", "/fuzz_h5ad_copy/"}) write_file(folder + target + name, bytes);
    if (name.ends_with(".loom")) write_file(folder + "/fuzz_loom/" + name, bytes);
    if (name.ends_with(".h5")) write_file(folder + "/fuzz_tenx_h5/" + name, bytes);
    if (name.ends_with(".tsv.gz") || name.ends_with(".csv")) write_file(folder + "/fuzz_text_table/" + name, bytes);
  }
}

// The small files of every layout that the unit tests read.
void arrow_seeds(const std::string& folder) {
  for (const char* source : {"token_layouts", "token_lists", "count_lists"})
    for (const auto& entry : fs::directory_iterator(fs::path(SCVET_TEST_DATA) / source)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".json")) continue;
      write_file(folder + "/fuzz_arrow/" + source + "_" + name, read_file(entry.path().string()));
    }
}

// Files whose chunks went through filters, and odd 10x files, that the unit tests read.
void chunk_seeds(const std::string& folder) {
  const fs::path data = SCVET_TEST_DATA;
  for (const auto& entry : fs::directory_iterator(data / "chunked_h5ad"))
    write_file(folder + "/fuzz_h5ad/chunked_" + entry.path().stem().string(), read_file(entry.path().string()));
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tenx_") && name.ends_with(".h5"))
      write_file(folder + "/fuzz_tenx_h5/" + name, read_file(entry.path().string()));
  }
}

// As fuzz_codecs takes them: codec, room, block.
void codec_seeds(const std::string& folder) {
  std::ifstream file(fs::path(SCVET_TEST_DATA) / "codecs.txt");
  for (std::string name, hex; file >> name >> hex;) {
    const int codec = name == "zlib" ? 0 : name.starts_with("gzip") ? 1 : name == "zstd" ? 2 : name == "lz4" ? 4 : 7;
    std::string bytes = {static_cast<char>(codec), 64};
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
      bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    write_file(folder + "/fuzz_codecs/" + name, bytes);
  }
  // Two blocks of 4 bytes, one of them stored; literals of lz4 and lzf; bit planes.
  const auto seed = [&](const char* name, std::string bytes) { write_file(folder + "/fuzz_codecs/" + name, bytes); };
  seed("lz4_block", std::string("\x03\x40\x40"
                                "abcd",
                                7));
  seed("lz4_hdf5", std::string("\x05\x40"
                               "\0\0\0\0\0\0\0\x08"
                               "\0\0\0\x04"
                               "\0\0\0\x04"
                               "abcd"
                               "\0\0\0\x05"
                               "\x40"
                               "efgh",
                               31));
  seed("lzf", std::string("\x06\x40\x03"
                          "abcd",
                          7));
  seed("bitshuffle", std::string("\x38\x08", 2) + std::string(64, 'x'));
  seed("shuffle", std::string("\x3c\x08", 2) + std::string(64, 'x'));
}

void make(const std::string& folder) {
  for (const char* target : {"fuzz_h5ad", "fuzz_h5ad_copy", "fuzz_tenx_h5", "fuzz_loom", "fuzz_arrow", "fuzz_h5mu",
                             "fuzz_zarr", "fuzz_zip", "fuzz_pickle", "fuzz_codecs"})
    make_folders(folder + "/" + target);
  hdf5_seeds(folder);
  zarr_seeds(folder);
  zip_seeds(folder);
  chunk_seeds(folder);
  codec_seeds(folder);
  text_seeds(folder);
  pickle_seeds(folder);
  corpus_seeds(folder);
  arrow_seeds(folder);
  real_seeds(folder);
}

}  // namespace
}  // namespace scvet

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return 2;
  }
  try {
    scvet::make(argv[1]);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}

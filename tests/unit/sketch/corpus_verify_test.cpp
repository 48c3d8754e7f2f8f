#include <gmock/gmock.h>

#include <numeric>

#include "corpus_fixture.h"
#include "corpus_layout.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::sketch {
namespace {

using namespace corpus_fixture;
using testing::HasSubstr;

// What a test of damage expects: the section that is named.
std::string found_fault(const std::string& file) {
  try {
    const auto faults = Corpus::open(file)->verify();
    return faults.empty() ? "" : faults[0].section;
  } catch (const DataError& error) {
    return error.facts().field;
  }
}

TEST_F(CorpusStore, OneFlippedBitAnywhereIsFoundAndItsSectionNamed) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const auto corpus = Corpus::open(path("c.corpus"));
  const SegmentLayout layout = layout_of({300, 0, 0, 0, 500, true});
  const std::string file = path("bad.corpus");
  const auto flip = [&](std::size_t at) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    put_file(file, bytes);
    return found_fault(file);
  };
  EXPECT_EQ(flip(30), "header");
  EXPECT_EQ(flip(sound.size() - 5), "table of contents");
  EXPECT_EQ(flip(kContentStart + 10), "panel 0");
  const std::size_t segment = aligned(kContentStart + first_panel_.to_text().size());
  EXPECT_EQ(flip(segment + 5), "segment 0 offsets");
  EXPECT_EQ(flip(segment + layout.offset[kTokens] + 2), "segment 0 tokens");
  // Any byte at all that is not padding.
  std::int64_t unseen = 0, tried = 0;
  for (std::size_t at = 0; at < sound.size(); at += 1 + sound.size() / 40, ++tried) unseen += flip(at).empty();
  EXPECT_GT(tried, 35);
  EXPECT_LT(unseen, 5);  // the gap after the header, and padding
}

TEST_F(CorpusStore, TruncatedStoreSaysBothSizes) {
  const std::string sound = read_file(two_panels("c.corpus"));
  write_file(path("cut.corpus"), sound.substr(0, sound.size() - 100));
  try {
    Corpus::open(path("cut.corpus"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(sound.size() - 100)));
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(sound.size())));
  }
}

TEST_F(CorpusStore, ForeignAndNewerFilesAreNamedAsSuch) {
  write_file(path("x.corpus"), std::string(10000, 'x'));
  try {
    Corpus::open(path("x.corpus"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "not_a_corpus");
  }
  write_file(path("empty.corpus"), "");
  EXPECT_THROW(Corpus::open(path("empty.corpus")), DataError);
  EXPECT_THROW(Corpus::open(path("missing.corpus")), DataError);
}

// Reads everything there is to read.
void read_all(const std::string& file) {
  const auto corpus = Corpus::open(file);
  std::vector<std::uint32_t> tokens, counts;
  CellSet cell;
  for (std::int64_t row = 0; row < corpus->n_cells(); ++row) {
    corpus->read_cell(row, tokens, counts);
    (void)corpus->origin(row);
    (void)corpus->hashes(row);
    (void)corpus->sketch(row);
  }
  for (int panel = 0; panel < static_cast<int>(corpus->panels().size()); ++panel) {
    TokenMap map;
    map.to_universe.assign(corpus->panels()[static_cast<std::size_t>(panel)].size(), 0);
    std::iota(map.to_universe.begin(), map.to_universe.end(), 0);
    const auto view = corpus->view(panel, map, static_cast<std::uint32_t>(map.to_universe.size()));
    for (std::int64_t row = 0; row < view->n_cells(); ++row) {
      view->read_tokens(row, cell.tokens);
      view->read(row, cell);
    }
    view->forget(0, view->n_cells());
    (void)corpus->detection(panel);
  }
}

// Hostile content comes with checksums that fit, so reading may not lean on them.
TEST_F(CorpusStore, ReadingDamagedCellsThrowsInsteadOfReadingOutside) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const std::size_t first = aligned(kContentStart + first_panel_.to_text().size());
  const std::string file = path("bad.corpus");
  Stream random(9);
  std::int64_t refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string bytes = sound;
    for (int flip = 0; flip < 50; ++flip) bytes[first + random.below(100000)] = static_cast<char>(random.next());
    put_file(file, bytes);
    try {
      read_all(file);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 12);
}

TEST_F(CorpusStore, HostileTableOfContentsIsRefusedOrReadWithinBounds) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const std::string file = path("bad.corpus");
  Header header;
  std::uint32_t major = 0;
  ASSERT_EQ(read_header(std::as_bytes(std::span(sound)), header, major), SlotState::kValid);
  const std::string toc = sound.substr(header.toc_offset, header.toc_length);
  Stream random(11);
  std::int64_t refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string changed = toc;
    for (std::uint64_t flip = 0, n = 1 + random.below(3); flip < n; ++flip) {
      std::size_t at = random.below(changed.size());
      if (trial % 3) {  // digits only: the JSON stays well formed
        while (!std::isdigit(static_cast<unsigned char>(changed[at]))) at = random.below(changed.size());
        changed[at] = static_cast<char>('0' + random.below(10));
      } else {
        changed[at] = static_cast<char>(random.next());
      }
    }
    Header forged = header;
    forged.toc_sha256 = digest_bytes(sha256(changed));
    std::string bytes = sound;
    bytes.replace(header.toc_offset, header.toc_length, changed);
    const auto slot = write_header(forged);
    bytes.replace(0, kHeaderBytes, std::string(reinterpret_cast<const char*>(slot.data()), kHeaderBytes));
    put_file(file, bytes);
    try {
      read_all(file);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace scvet::sketch

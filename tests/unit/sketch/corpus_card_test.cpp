#include <gmock/gmock.h>

#include "scvet/base/error.h"
#include "scvet/sketch/corpus.h"

namespace scvet::sketch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CorpusCard, UnstatedFieldsSaySoAndUnknownKeysAreKept) {
  const CorpusCard card =
      CorpusCard::parse(R"({"name": "G", "sources": "GEO", "licence": "CC0", "version": null})", "card");
  EXPECT_EQ(card.name, "G");
  EXPECT_THAT(card.sources, ElementsAre("GEO"));
  EXPECT_THAT(card.to_json(), HasSubstr("\"cutoff\":\"not stated\""));
  EXPECT_THAT(card.to_json(), HasSubstr("\"licence\":\"CC0\""));
  EXPECT_EQ(CorpusCard::parse(card.to_json(), "card").cutoff, "");
  EXPECT_THROW(CorpusCard::parse(R"({"cutoff": "June"})", "card"), DataError);
  EXPECT_THROW(CorpusCard::parse("[]", "card"), DataError);
  EXPECT_THROW(CorpusCard::parse(R"({"name": 3})", "card"), DataError);
}

}  // namespace
}  // namespace scvet::sketch

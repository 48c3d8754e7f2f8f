// Promises of the whole table of engines.
#include <gtest/gtest.h>

#include <string>

#include "contracts/engine_contract.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {
namespace {

class Engines : public ::testing::TestWithParam<const EngineRecord*> {};
INSTANTIATE_TEST_SUITE_P(Table, Engines, ::testing::ValuesIn(engines().begin(), engines().end()),
                         [](const auto& engine) { return std::string(engine.param->name); });

TEST_P(Engines, KeepsTheContractOfEngines) { testing::check_engine_contract(*GetParam()); }

TEST_P(Engines, RecordSaysWhatCanBeTrueTogether) {
  const EngineRecord& engine = *GetParam();
  EXPECT_GT(std::string(engine.summary).size(), 20u);
  if (engine.exact_jaccard) {
    EXPECT_TRUE(engine.counts_genes && engine.all_compared);
  }
}

}  // namespace
}  // namespace scvet::sketch

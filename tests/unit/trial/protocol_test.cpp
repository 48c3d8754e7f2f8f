#include "scvet/trial/protocol.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::trial {
namespace {

using Json = nlohmann::json;

TEST(Protocol, DefaultsGiveTheBytesOfTheWorkedExample) {
  const std::string file = std::string(SCVET_REFERENCE_DIR) + "/trial/lock/locked/protocol.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  EXPECT_EQ(protocol_json({}), read_file(file));
  EXPECT_EQ(parse_protocol(read_file(file), file), Protocol{});
}

TEST(Protocol, TheHashIsThatOfTheBytes) {
  EXPECT_EQ(protocol_hash({}), "2cf65b4db986f579409ba8ec683915bdd6f372cde568483a49bc8429cf9cdccc");
}

// Every constant that a file may change: it is read back, changes the hash, and a changed rule is CUSTOM.
TEST(Protocol, EachChangedConstantIsReadBackAndChangesTheHash) {
  struct Case {
    const char *pointer, *value;
    bool rule;
  };
  const Case cases[] = {{"/cascade/gb_mean", "\">=0.0125\"", true},
                        {"/cascade/invalid_abs_sm", "\"<0.021\"", true},
                        {"/cascade/mb_mean", "\">=0.019\"", true},
                        {"/cascade/mb_seed", "\">=0.019\"", true},
                        {"/cascade/mb_seeds", "3", true},
                        {"/cascade/mg_mean", "\">=0.04\"", true},
                        {"/cascade/mg_seed", "\">=0.04\"", true},
                        {"/cascade/mg_seeds", "5", true},
                        {"/seeds", "[1,2,3,4,5,6]", true},
                        {"/seeds", "[1,2,3,4,5]", false},
                        {"/baseline", "\"mlp_residual\"", false},
                        {"/min_cells", "25", false},
                        {"/cv_folds", "4", false},
                        {"/alpha_grid", "[\"1e-2\",\"0.5\",\"30\"]", false},
                        {"/split_fractions", "[\"0.60\",\"0.20\",\"0.20\"]", false},
                        {"/gaussian_offset", "778", false},
                        {"/shuffle_offset", "1000", false},
                        {"/bootstrap/B", "1000", false},
                        {"/bootstrap/seed", "7", false},
                        {"/mlp/hidden", "[64,32]", false},
                        {"/mlp/dropout", "\"0.25\"", false},
                        {"/mlp/lr", "\"0.0005\"", false},
                        {"/mlp/weight_decay", "\"1e-5\"", false},
                        {"/mlp/batch", "32", false},
                        {"/mlp/epochs", "10", false}};
  for (const Case& one : cases) {
    Json record = Json::parse(protocol_json({}));
    record[Json::json_pointer(one.pointer)] = Json::parse(one.value);
    const Protocol changed = parse_protocol(record.dump(2), "my.json");
    EXPECT_NE(changed, Protocol{}) << one.pointer;
    EXPECT_NE(protocol_hash(changed), protocol_hash({})) << one.pointer;
    EXPECT_EQ(is_default_rule(changed), !one.rule) << one.pointer;
    EXPECT_EQ(parse_protocol(protocol_json(changed), "again"), changed) << one.pointer;
  }
  EXPECT_TRUE(is_default_rule({}));
}

TEST(Protocol, AnotherOrderOfTheCascadeIsCustom) {
  Protocol protocol;
  std::swap(protocol.cascade.order[0], protocol.cascade.order[1]);
  EXPECT_FALSE(is_default_rule(protocol));
  EXPECT_EQ(parse_protocol(protocol_json(protocol), "x"), protocol);
}

TEST(Protocol, WhatCannotBeFollowedIsRefusedByName) {
  const std::pair<const char*, const char*> cases[] = {{"/schema", "\"2\""},
                                                       {"/p_values_used", "true"},
                                                       {"/features", "\"raw\""},
                                                       {"/test_openings_per_arm", "2"},
                                                       {"/summary_std_ddof", "0"},
                                                       {"/seeds", "[1,2,3,4]"},
                                                       {"/seeds", "[1,2,3,4,4]"},
                                                       {"/seeds", "[1,2,3,4,4294967000]"},
                                                       {"/alpha_grid", "[\"1\",\"0.1\"]"},
                                                       {"/alpha_grid", "[]"},
                                                       {"/alpha_grid", "[1,2]"},
                                                       {"/split_fractions", "[\"0.7\",\"0.2\",\"0.2\"]"},
                                                       {"/cascade/mb_mean", "\">0.020\""},
                                                       {"/cascade/mb_mean", "\"0.020\""},
                                                       {"/cascade/partial", "\">=0\""},
                                                       {"/cascade/order", "[\"INVALID\"]"},
                                                       {"/cascade/mb_seeds", "\"4\""},
                                                       {"/mlp/optimizer", "\"sgd\""},
                                                       {"/mlp/hidden", "[256]"},
                                                       {"/baseline", "\"lasso\""},
                                                       {"/min_cells", "0"},
                                                       {"/cascade/mb_mean", "\">=nan\""},
                                                       {"/mlp/dropout", "\"1\""},
                                                       {"/bootstrap/B", "0"}};
  for (const auto& [pointer, value] : cases) {
    Json record = Json::parse(protocol_json({}));
    record[Json::json_pointer(pointer)] = Json::parse(value);
    try {
      parse_protocol(record.dump(), "my.json");
      FAIL() << pointer << " " << value;
    } catch (const UsageError& error) {
      const std::string key = std::string(pointer).substr(std::string(pointer).rfind('/') + 1);
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("my.json"), std::string::npos) << error.what();
    }
  }
}

TEST(Protocol, UnknownMissingAndRepeatedKeysAreRefused) {
  const Json record = Json::parse(protocol_json({}));
  for (const auto& item : record.items()) {
    Json without = record;
    without.erase(item.key());
    EXPECT_THROW(parse_protocol(without.dump(), "x"), UsageError) << item.key();
  }
  for (const char* pointer : {"/extra", "/mlp/extra", "/cascade/extra", "/bootstrap/extra"}) {
    Json more = record;
    more[Json::json_pointer(pointer)] = 1;
    EXPECT_THROW(parse_protocol(more.dump(), "x"), UsageError) << pointer;
  }
  std::string twice = protocol_json({});
  twice.insert(1, "\"min_cells\":10,");
  EXPECT_THROW(parse_protocol(twice, "x"), UsageError);
}

}  // namespace
}  // namespace scvet::trial

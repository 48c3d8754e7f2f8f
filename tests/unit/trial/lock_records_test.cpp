// The files of the worked example are read into their structs and written again, byte for byte.
#include "scvet/trial/lock_records.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "canonical_json.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/trial/ledger.h"
#include "scvet/trial/lock_tables.h"
#include "scvet/trial/mirror.h"
#include "scvet/trial/protocol.h"

namespace scvet::trial {
namespace {

const std::string kLock = std::string(SCVET_REFERENCE_DIR) + "/trial/lock";
bool has_reference() { return std::filesystem::exists(kLock); }
std::string locked(const std::string& name) { return read_file(kLock + "/locked/" + name); }

struct RoundTrip {
  const char* file;
  std::function<std::string(std::string_view, const std::string&)> again;
};
const RoundTrip kFiles[] = {
    {"protocol.json", [](auto text, auto& where) { return protocol_json(parse_protocol(text, where)); }},
    {"data.json", [](auto text, auto& where) { return data_json(parse_data(text, where)); }},
    {"manifest.json", [](auto text, auto& where) { return manifest_json(parse_manifest(text, where)); }},
    {"rows.tsv", [](auto text, auto& where) { return rows_tsv(parse_rows(text, where)); }},
    {"split.tsv", [](auto text, auto& where) { return split_tsv(parse_split(text, where)); }},
    {"labels.trainval.tsv", [](auto text, auto& where) { return labels_tsv(parse_labels(text, where)); }},
    {"labels.test.tsv", [](auto text, auto& where) { return labels_tsv(parse_labels(text, where)); }},
    {"fixed.tsv", [](auto text, auto& where) { return fixed_tsv(parse_fixed(text, where)); }},
    {"arms/demo/arm.json", [](auto text, auto& where) { return arm_json(parse_arm(text, where)); }},
    {"arms/demo/sanity.json", [](auto text, auto& where) { return sanity_json(parse_sanity(text, where)); }},
    {"arms/demo/predictions.tsv",
     [](auto text, auto& where) { return predictions_tsv(parse_predictions(text, where)); }},
    {"arms/demo/metrics.json", [](auto text, auto& where) { return metrics_json(parse_metrics(text, where)); }},
    {"arms/demo/outcome.json", [](auto text, auto& where) { return outcome_json(parse_outcome(text, where)); }},
    {"arms/demo/test.opened", [](auto text, auto& where) { return opened_json(parse_opened(text, where)); }},
};

TEST(LockRecords, EveryReferenceFileIsWrittenAgainByteForByte) {
  if (!has_reference()) GTEST_SKIP() << kLock << " is not there";
  for (const RoundTrip& file : kFiles) {
    const std::string text = locked(file.file);
    EXPECT_EQ(file.again(text, file.file), text) << file.file;
  }
}

TEST(LockRecords, TheReferenceLedgerIsWrittenAgainByteForByte) {
  if (!has_reference()) GTEST_SKIP() << kLock << " is not there";
  const std::string text = locked("ledger.jsonl"), id = sha256(locked("manifest.json"));
  const Ledger ledger = read_ledger(text, id, "ledger.jsonl");
  ASSERT_TRUE(ledger.problems.empty()) << ledger.problems[0].message;
  std::string again;
  for (const LedgerEvent& event : ledger.events) again += ledger_line(event);
  EXPECT_EQ(again, text);
  EXPECT_EQ(std::to_string(ledger.count()) + " " + ledger.head() + "\n", locked("ledger.head"));
  EXPECT_EQ(ledger.lock, id);
  ASSERT_EQ(ledger.arm_order, std::vector<std::string>{"demo"});
  EXPECT_EQ(ledger.arms.at("demo").state, ArmState::kTestDone);
  EXPECT_EQ(ledger.arms.at("demo").category, "PARTIAL_EXTERNAL_REPLICATION");
}

// A byte that is dropped, doubled or changed is never read as if nothing had happened: the reader refuses, or what it
// read is written as other bytes than those of the reference.
TEST(LockRecords, NoChangedByteIsReadAsTheOriginal) {
  if (!has_reference()) GTEST_SKIP() << kLock << " is not there";
  for (const RoundTrip& file : kFiles) {
    const std::string text = locked(file.file);
    for (std::size_t at = 0; at < text.size(); at += 1 + text.size() / 60) {
      std::string dropped = text, doubled = text, changed = text;
      dropped.erase(at, 1);
      doubled.insert(at, 1, text[at]);
      changed[at] = changed[at] == '1' ? '2' : '1';
      for (const std::string& other : {dropped, doubled, changed}) {
        if (other == text) continue;
        try {
          EXPECT_NE(file.again(other, file.file), text) << file.file << " at byte " << at;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(file.file), std::string::npos) << error.what();
        }
      }
    }
  }
}

TEST(CanonicalJson, EscapesAreThoseOfTheReference) {
  EXPECT_EQ(canonical(Json("\u00e4\"\\/\n\t\u0001\u007f")), "\"\u00e4\\\"\\\\/\\n\\t\\u0001\x7f\"\n");
  EXPECT_EQ(canonical(Json("\b\f\r\x1f")), "\"\\b\\f\\r\\u001f\"\n");
  EXPECT_EQ(canonical(Json{{"b", 1}, {"a", nullptr}, {"\u00e4", true}, {"Z", "x"}}),
            "{\"Z\":\"x\",\"a\":null,\"b\":1,\"\u00e4\":true}\n");
}

TEST(CanonicalJson, RealNumbersRepeatedKeysAndBrokenTextAreRefused) {
  EXPECT_THROW(canonical(Json{{"a", 0.5}}), InternalError);
  EXPECT_THROW(canonical(Json("\xff")), DataError);
  EXPECT_THROW(read_json("{\"a\":0.5}", "x"), DataError);
  EXPECT_THROW(read_json("{\"a\":1e3}", "x"), DataError);
  EXPECT_THROW(read_json("{\"a\":1,\"a\":1}", "x"), DataError);
  EXPECT_THROW(read_json("{\"b\":{\"a\":1,\"a\":2}}", "x"), DataError);
  EXPECT_NO_THROW(read_json("{\"b\":{\"a\":1},\"c\":{\"a\":2}}", "x"));
  EXPECT_THROW(read_json("{\"a\":1} {", "x"), DataError);
  EXPECT_THROW(read_json("", "x"), DataError);
  EXPECT_THROW(read_canonical("{\"a\":1}", "x"), DataError);     // no final newline
  EXPECT_THROW(read_canonical("{\"a\": 1}\n", "x"), DataError);  // a blank
  EXPECT_THROW(read_canonical("{\"b\":1,\"a\":1}\n", "x"), DataError);
  EXPECT_NO_THROW(read_canonical("{\"a\":1,\"b\":1}\n", "x"));
}

TEST(LockTables, NamesThatWouldBreakATableAreRefused) {
  for (const char* name : {"a\tb", "a\nb", "a\rb"}) {
    EXPECT_THROW(labels_tsv({{name, 1.0}}), DataError);
    EXPECT_THROW(rows_tsv({{name, "g", 1, 1, true, ""}}), DataError);
    EXPECT_THROW(split_tsv({{"r", name, "train", 0}}), DataError);
  }
  EXPECT_THROW(labels_tsv({{"r", std::numeric_limits<double>::quiet_NaN()}}), InternalError);
}

TEST(LockTables, RealsKeepEveryBit) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.125}) {
    const auto back = parse_labels(labels_tsv({{"r", value}}), "x");
    EXPECT_EQ(std::signbit(back[0].y), std::signbit(value));
    EXPECT_EQ(back[0].y, value);
  }
  EXPECT_THROW(parse_labels("row_id\ty\nr\t0.10\n", "x"), DataError);  // another spelling of the same number
}

TEST(ArmRecords, AnIncompleteExtractionRecordNamesWhatIsMissing) {
  Json record = Json::parse(extraction_json({}));
  EXPECT_EQ(parse_extraction(record.dump(2), "x"), ExtractionRecord{});
  for (const std::string& key : extraction_keys()) {
    Json without = record;
    without.erase(key);
    try {
      parse_extraction(without.dump(), "x.json");
      FAIL() << key;
    } catch (const LockError& error) {
      EXPECT_EQ(error.facts().reason, "record_incomplete");
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos);
      EXPECT_TRUE(std::string(error.what()).ends_with("(reason=record_incomplete)")) << error.what();
    }
  }
  record["fine_tuned"] = true;
  EXPECT_THROW(parse_extraction(record.dump(), "x"), LockError);
  record["fine_tuned"] = false;
  record["chekpoint"] = "x";
  EXPECT_THROW(parse_extraction(record.dump(), "x"), DataError);
}

TEST(ArmRecords, NamesOfArmsAreNamesOfFolders) {
  for (const char* name : {"demo", "Geneformer-V2-104M", "uce_33", "a.b"}) EXPECT_NO_THROW(check_arm_name(name));
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("-x"), std::string("a b"),
        std::string("\u00e4"), std::string("a\nb"), std::string(65, 'a')})
    EXPECT_THROW(check_arm_name(name), UsageError) << name;
}

TEST(ScoreRecords, AConstantInputIsNullAndNoScoreIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  PartScores part;
  part["MODEL"][1] = {0.5, nan, 0.25};
  const std::string text = metrics_json(part);
  EXPECT_NE(text.find("\"spearman\":null"), std::string::npos);
  EXPECT_TRUE(std::isnan(parse_metrics(text, "x").at("MODEL").at(1).spearman));
  part["MODEL"][1].r2 = nan;
  EXPECT_THROW(metrics_json(part), InternalError);
}

}  // namespace
}  // namespace scvet::trial

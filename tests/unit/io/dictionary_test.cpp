#include "scvet/io/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::io {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::string kAudit = std::string(SCVET_REFERENCE_DIR) + "/audit";

// Writes pickles of protocol 4 by hand.
struct Pickle {
  std::string body = "}";
  Pickle& add(const std::string& key, const std::string& value) {
    body += text(key) + value + "s";
    return *this;
  }
  static std::string text(const std::string& value) {
    return "\x8c" + std::string(1, static_cast<char>(value.size())) + value;
  }
  static std::string integer(int value) { return "K" + std::string(1, static_cast<char>(value)); }
  static std::string real() { return std::string("G\x40\x04\0\0\0\0\0\0", 9); }  // 2.5
  std::string done() const { return "\x80\x04" + body + "."; }
};

std::string gene(int number) {
  const std::string digits = std::to_string(number);
  return "ENSG" + std::string(11 - digits.size(), '0') + digits;
}

Pickle tokens(bool v2, int n_genes = 4) {
  Pickle pickle;
  int next = 0;
  for (const char* name : {"<pad>", "<mask>", "<cls>", "<eos>"})
    if (v2 || next < 2) pickle.add(name, Pickle::integer(next++));
  for (int number = 1; number <= n_genes; ++number) pickle.add(gene(number), Pickle::integer(next++));
  return pickle;
}

Pickle medians(int n_genes = 4) {
  Pickle pickle;
  for (int number = 1; number <= n_genes; ++number) pickle.add(gene(number), Pickle::real());
  return pickle;
}

class Dictionary : public testing::Test {
 protected:
  Dictionary() : folder_(fs::temp_directory_path() / ("scvet_dictionary_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Dictionary() override { fs::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& bytes) const {
    write_file((folder_ / name).string(), bytes);
    return (folder_ / name).string();
  }
  std::string put(const std::string& name, const Pickle& pickle) const { return put(name, pickle.done()); }
  std::string folder() const { return folder_.string(); }
  static std::string refusal(const std::string& path) {
    try {
      load_dictionary(path);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

 private:
  fs::path folder_;
};

TEST_F(Dictionary, AFolderOfV1GivesTokensAndMediansWhateverTheirNames) {
  put("x.pkl", medians());
  put("y.pkl", tokens(false));
  const Vocabulary vocabulary = load_dictionary(folder());
  EXPECT_EQ(vocabulary.name(), "y");
  EXPECT_EQ(vocabulary.kind(), VocabularyKind::kGeneformerV1);
  ASSERT_EQ(vocabulary.genes().size(), 4u);
  EXPECT_EQ(vocabulary.find(gene(1))->token, 2);
  EXPECT_EQ(vocabulary.find(gene(1))->median, 2.5);
  EXPECT_EQ(vocabulary.special_tokens().size(), 2u);
}

TEST_F(Dictionary, AFolderOfV2HasItsCollapseMap) {
  put("token_dictionary_gc95M.pkl", tokens(true));
  put("gene_median_dictionary_gc95M.pkl", medians());
  put("ensembl_mapping_dict_gc95M.pkl", Pickle()
                                            .add(gene(1), Pickle::text(gene(1)))
                                            .add(gene(77), Pickle::text(gene(2)))
                                            .add(gene(88), Pickle::text(gene(99))));
  put("gene_name_id_dict_gc95M.pkl", Pickle().add("TP53", Pickle::text(gene(1))));
  const Vocabulary vocabulary = load_dictionary(folder());
  EXPECT_EQ(vocabulary.kind(), VocabularyKind::kGeneformerV2);
  EXPECT_EQ(vocabulary.default_top_k(), 4094);
  EXPECT_EQ(vocabulary.collapse(), (CollapseMap{{gene(77), gene(2)}}));  // 99 is no gene of the model
}

TEST_F(Dictionary, TwoModelsInOneFolderAreListedAndRefused) {
  put("token_dictionary.pkl", tokens(false));
  put("token_dictionary_gc95M.pkl", tokens(true));
  put("gene_median_dictionary.pkl", medians());
  EXPECT_THAT(
      refusal(folder()),
      AllOf(HasSubstr("2 token dictionaries"), HasSubstr("token_dictionary.pkl: a dictionary of 6 tokens"),
            HasSubstr("token_dictionary_gc95M.pkl: a dictionary of 8 tokens"), HasSubstr("folder of their own")));
}

TEST_F(Dictionary, MediansThatDoNotCoverTheTokensAreCounted) {
  put("t.pkl", tokens(false, 5));
  put("m.pkl", medians(3));
  EXPECT_THAT(refusal(folder()), AllOf(HasSubstr("2 of 5 genes have a token and no median"), HasSubstr(gene(4))));
}

TEST_F(Dictionary, WhatIsMissingIsSaid) {
  EXPECT_THAT(refusal(folder()), HasSubstr("no *.pkl"));
  EXPECT_THAT(refusal(folder() + "/none"), HasSubstr("no such file"));
  put("m.pkl", medians());
  EXPECT_THAT(refusal(folder()), HasSubstr("no token dictionary"));
  const std::string path = put("t.pkl", tokens(false));
  fs::remove(folder() + "/m.pkl");
  EXPECT_THAT(refusal(folder()), HasSubstr("no medians"));
  EXPECT_EQ(load_dictionary(path).find(gene(1))->median, 1);
  EXPECT_THAT(refusal(put("m.pkl", medians())), HasSubstr("a dictionary of 4 medians; a token dictionary is needed"));
  EXPECT_THAT(refusal(put("old.pkl", "(dp0\n.")), HasSubstr("protocols 2 to 5"));
}

TEST_F(Dictionary, AForeignPickleInTheFolderIsPassedOver) {
  put("t.pkl", tokens(false));
  put("m.pkl", medians());
  put("sorted_lengths.pkl", "\x80\x04]\x94.");
  put("counts.pkl", Pickle().add(gene(1), Pickle::integer(3)).add(gene(2), Pickle::integer(3)));
  EXPECT_EQ(load_dictionary(folder()).genes().size(), 4u);
}

TEST_F(Dictionary, TheTextFormIsReadToo) {
  const std::string path = put("v1.tsv", "gene\ttoken\tmedian\n<pad>\t0\n<mask>\t1\nENSG00000000003\t2\t2.5\n");
  EXPECT_EQ(load_dictionary(path).kind(), VocabularyKind::kGeneformerV1);
  EXPECT_EQ(token_vocabulary({.dictionary = path})->size(), 3);
  EXPECT_EQ(token_vocabulary({}), nullptr);
}

TEST_F(Dictionary, RepeatedGenesAndBadNamesAreErrors) {
  EXPECT_THAT(refusal(put("a.pkl", tokens(false).add(gene(1) + ".2", Pickle::integer(9)))), HasSubstr("twice"));
  EXPECT_THAT(refusal(put("b.pkl", tokens(false).add("a\tb", Pickle::integer(9)))), HasSubstr("key 6"));
  EXPECT_THAT(refusal(put("e.pkl", tokens(false).add("# a", Pickle::integer(9)))), HasSubstr("no name of a gene"));
  EXPECT_THAT(refusal(put("c.pkl", Pickle().add("<pad>", Pickle::integer(0)))), HasSubstr("no gene"));
  EXPECT_THAT(refusal(put("d.pkl", tokens(false).add(gene(9), "\x8a\x01\xff"))), HasSubstr("neither"));
}

class PublishedDictionary : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kAudit)) GTEST_SKIP() << "no " << kAudit;
  }
};

TEST_F(PublishedDictionary, TokensAndMediansEqualTheExpectedOnes) {
  const json expected = json::parse(read_file(kAudit + "/dictionary_expected.json"));
  const Vocabulary vocabulary = load_dictionary(kAudit + "/token_dictionary_v1_style.pkl");
  EXPECT_EQ(vocabulary.kind(), VocabularyKind::kGeneformerV1);
  ASSERT_EQ(vocabulary.genes().size() + vocabulary.special_tokens().size(), expected["v1"].size());
  for (const VocabularyGene& gene : vocabulary.genes()) EXPECT_EQ(expected["v1"][gene.gene], gene.token);
  for (const SpecialToken& token : vocabulary.special_tokens()) EXPECT_EQ(expected["v1"][token.name], token.token);

  const fs::path folder = fs::temp_directory_path() / ("scvet_published_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  for (const char* name : {"token_dictionary_v1_style.pkl", "gene_median_v1_style.pkl"})
    fs::copy_file(kAudit + "/" + name, folder / name, fs::copy_options::overwrite_existing);
  const Vocabulary whole = load_dictionary(folder.string());
  fs::remove_all(folder);
  ASSERT_EQ(whole.genes().size(), expected["median"].size());
  for (const VocabularyGene& gene : whole.genes()) EXPECT_EQ(expected["median"][gene.gene], gene.median) << gene.gene;
}

TEST_F(PublishedDictionary, EveryOtherPickleReads) {
  EXPECT_EQ(load_dictionary(kAudit + "/token_dictionary_numpy2_scalars.pkl").genes().size(), 10u);
  const Vocabulary four = load_dictionary(kAudit + "/token_dictionary_v2_style.pkl"),
                   two = load_dictionary(kAudit + "/token_dictionary_v2_style_p2.pkl");
  EXPECT_EQ(four.kind(), VocabularyKind::kGeneformerV2);
  EXPECT_EQ(four.genes().size(), 300u);
  EXPECT_EQ(four.to_text(), two.to_text());
  EXPECT_EQ(read_dictionary_pickle(kAudit + "/token_dictionary_v2_style_p2.pkl").protocol, 2);
  const DictionaryPickle facts = read_dictionary_pickle(kAudit + "/gene_median_v1_style.pkl");
  EXPECT_EQ(facts.kind, DictionaryPickle::Kind::kMedians);
  EXPECT_EQ(facts.n_entries, 300);
}

TEST_F(PublishedDictionary, TheHostileOneIsRefusedByName) {
  try {
    load_dictionary(kAudit + "/hostile.pkl");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("hostile.pkl"), HasSubstr("posix getcwd"), HasSubstr("byte 45")));
  }
}

TEST_F(PublishedDictionary, AFolderOfManyListsThem) {
  try {
    load_dictionary(kAudit);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("4 token dictionaries"));
  }
}

}  // namespace
}  // namespace scvet::io

// obs and var of AnnData files of every age: compound tables (before 0.7), columns with __categories (0.7), typed groups
// (0.8 on).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scvet/data/table.h"
#include "store/store.h"

namespace scvet::io::anndata {

// What to tell a person about a file, in the order found; no line twice.
class Notes {
 public:
  void add(std::string line);
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// The encoding that an object states, empty where it states none.
struct Encoding {
  std::string type, version;
};
Encoding encoding_of(const store::Object& object);
// True when type and version (its first two numbers) are among those that this reader knows.
bool is_known(const Encoding& encoding);
// "encoding 'x' version '9.0.0', which this version of scvet does not know (known: ...)".
std::string describe_unknown(const Encoding& encoding);

// Reads the table `member` of `parent`. A column that cannot be decoded is left out with a note; an index that cannot
// be is a DataError. `uns` (may be null) serves compound tables alone: it
// may hold <column>_categories.
Table read_table(const store::Group& parent, const std::string& member, const store::Group* uns, Notes& notes);

// One column stored as a data set or typed group; throws DataError when its encoding is unknown or broken.
Column read_column(const store::Group& table, const std::string& member);

// Texts of a category table or index: text, numbers or booleans, a list or a single scalar.
std::vector<std::string> read_labels(const store::Dataset& dataset, const std::string& field = {});

// Makes `column` of integer codes categorical. False (column unchanged) when a code does not fit the table.
bool apply_categories(Column& column, std::vector<std::string> categories, bool ordered);

// Keys of uns that served as category tables of compound obs or var.
std::vector<std::string> used_category_keys(const store::Group& root, const store::Group& uns, const Table& obs,
                                            const Table& var);

}  // namespace scvet::io::anndata

#include "scvet/base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/files.h"
#include "scvet/base/text.h"

namespace scvet {
namespace {

std::string talk(const LogOptions& options) {
  set_log_options(options);
  testing::internal::CaptureStderr();
  log_info("an info");
  log_verbose("a detail");
  log_warning("a \"warning\"\nof two lines");
  log_error("an error");
  set_log_options({});
  return testing::internal::GetCapturedStderr();
}

TEST(Log, LevelsChooseWhatIsShown) {
  EXPECT_EQ(talk({LogLevel::kQuiet, false}), "scvet: warning: a \"warning\"\nof two lines\nscvet: error: an error\n");
  EXPECT_EQ(talk({}), "an info\n" + talk({LogLevel::kQuiet, false}));
  EXPECT_EQ(talk({LogLevel::kVerbose, false}), "an info\na detail\n" + talk({LogLevel::kQuiet, false}));
}

TEST(Log, JsonIsOneObjectALine) {
  const auto lines = split(talk({LogLevel::kVerbose, true}), '\n');
  ASSERT_EQ(lines.size(), 5u);
  const std::vector<std::string> levels = {"info", "verbose", "warning", "error"};
  for (std::size_t line = 0; line < 4; ++line) {
    const auto object = nlohmann::json::parse(lines[line]);
    EXPECT_EQ(object.at("level"), levels[line]);
    EXPECT_TRUE(object.contains("time"));
  }
  EXPECT_EQ(nlohmann::json::parse(lines[2]).at("message"), "a \"warning\"\nof two lines");
}

TEST(Log, JsonSurvivesBytesThatAreNotUtf8) {
  set_log_options({LogLevel::kNormal, true});
  testing::internal::CaptureStderr();
  log_error("bad \xff byte");
  set_log_options({});
  EXPECT_NO_THROW(nlohmann::json::parse(testing::internal::GetCapturedStderr()));
}

TEST(Log, TheFileHoldsEveryLevel) {
  const std::string path = testing::TempDir() + "scvet_log_" + std::to_string(getpid());
  open_log_file(path);
  talk({LogLevel::kQuiet, false});
  open_log_file("");
  talk({});
  const std::string text = read_file(path);
  for (const char* line : {"info an info\n", "verbose a detail\n", "error an error\n"}) {
    const auto at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace scvet

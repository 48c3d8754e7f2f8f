#include "scvet/embed/method.h"

#include "scvet/base/error.h"
#include "scvet/base/registry.h"
#include "scvet/base/text.h"

namespace scvet::embed {

const MethodRecord& method(const std::string& name) { return find_variant(methods(), lower(name), "method"); }

std::int64_t integer_parameter(const MethodRecord& record, const MethodInput& input, const char* name) {
  const auto given = input.parameters.find(name);
  std::string text;
  for (const MethodParameter& parameter : record.parameters)
    if (std::string(parameter.name) == name) text = parameter.standard;
  if (given != input.parameters.end()) text = given->second;
  const auto number = parse_integer(text);
  if (!number) throw UsageError("'" + text + "' is no whole number for " + name + " of method " + record.name);
  return *number;
}

}  // namespace scvet::embed

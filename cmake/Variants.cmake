# Writes <output>: the sorted table of the constants that the files of <folder> end with, one `<stem>_<suffix>` a file,
# as `scvet::<space>::<name>()`.
function(write_variant_table output folder space name type header suffix)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(SORT files)
  list(LENGTH files count)
  set(declarations "")
  set(entries "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "extern const ${type} ${stem}_${suffix};\n")
    string(APPEND entries "    &${stem}_${suffix},\n")
  endforeach()
  set(text "// Written by cmake/Variants.cmake from the files of ${folder}.\n#include \"${header}\"\nnamespace scvet::${space} {\n${declarations}\nstatic const ${type}* const kTable[] = {\n${entries}    nullptr};\n\nstd::span<const ${type}* const> ${name}() { return {kTable, ${count}}; }\n}  // namespace scvet::${space}\n")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
endfunction()

# variant_table(<module> <folder> <record type> <header> <suffix>): the table of src/<module>/<folder>/.
# src/sketch/engines/exact.cpp defines `exact_engine`; dropping in a file and rebuilding makes it appear, with no other
# edit. Private helpers of a variant live outside the folder. Call before add_module(<module>).
function(variant_table module folder type header suffix)
  set(output ${PROJECT_BINARY_DIR}/generated/${module}_${folder}.cpp)
  write_variant_table(${output} src/${module}/${folder} ${module} ${folder} ${type} ${header} ${suffix})
  set(SCVET_GENERATED_${module} ${SCVET_GENERATED_${module}} ${output} PARENT_SCOPE)
endfunction()

# The same for cli/commands/*.cpp: each defines `<stem>_command`.
function(variant_table_cli folder)
  write_variant_table(${PROJECT_BINARY_DIR}/generated/cli_commands.cpp cli/${folder} cli commands CommandRecord command.h
                      command)
endfunction()

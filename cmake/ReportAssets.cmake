# Puts the page template and the chart libraries into the program: a generated source whose .incbin lines name the
# files. The libraries come from npm (`./dev setup` runs `npm ci` in report/; report/package-lock.json pins them).
# Without them everything still builds, and pages say that charts were left out. Call before add_module(report).
set(SCVET_NODE_MODULES "" CACHE PATH "Where the chart libraries are, when not in report/node_modules")

set(SCVET_CHART_LIBRARIES
  vega/build/vega.min.js vega-lite/build/vega-lite.min.js vega-embed/build/vega-embed.min.js
  vega/LICENSE vega-lite/LICENSE vega-embed/LICENSE)

function(report_assets)
  set(files "")
  foreach(name page.html page.css page.js)
    list(APPEND files ${PROJECT_SOURCE_DIR}/report/${name})
  endforeach()
  # Globbed so that the next build notices when `npm ci` has put them there.
  set(libraries "")
  foreach(root ${PROJECT_SOURCE_DIR}/report/node_modules ${SCVET_NODE_MODULES})
    if(NOT libraries)
      foreach(library ${SCVET_CHART_LIBRARIES})
        file(GLOB found CONFIGURE_DEPENDS ${root}/${library})
        list(APPEND libraries ${found})
      endforeach()
      list(LENGTH libraries n_found)
      list(LENGTH SCVET_CHART_LIBRARIES n_needed)
      if(NOT n_found EQUAL n_needed)
        set(libraries "")
      endif()
    endif()
  endforeach()
  if(NOT libraries)
    message(WARNING "Report pages are built WITHOUT charts: vega, vega-lite and vega-embed are not in "
                    "${PROJECT_SOURCE_DIR}/report/node_modules. Run ./dev setup (or: npm ci in report/), or pass "
                    "-DSCVET_NODE_MODULES=<folder>.")
  endif()

  set(assembly "")
  set(entries "")
  set(externs "")
  set(number 0)
  foreach(file ${files} ${libraries})
    get_filename_component(name ${file} NAME)
    if(name STREQUAL "LICENSE")
      get_filename_component(folder ${file} DIRECTORY)
      get_filename_component(package ${folder} NAME)
      set(name "${package}.LICENSE")
    endif()
    string(APPEND externs "extern const char scvet_asset_${number}[], scvet_asset_${number}_end[];\n")
    string(APPEND assembly "    \"scvet_asset_${number}: .incbin \\\"${file}\\\"\\nscvet_asset_${number}_end: .byte 0\\n\"\n")
    string(APPEND assembly "    \".global scvet_asset_${number}\\n.global scvet_asset_${number}_end\\n\"\n")
    string(APPEND entries "    {\"${name}\", scvet_asset_${number}, scvet_asset_${number}_end},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(output ${PROJECT_BINARY_DIR}/generated/report_assets.cpp)
  set(text "// Written by cmake/ReportAssets.cmake.\n#include \"assets.h\"\n\nasm(\n    \".pushsection .rodata\\n\"\n${assembly}    \".popsection\\n\");\n\nextern \"C\" {\n${externs}}\n\nnamespace scvet::report {\nstatic const Asset kAssets[] = {\n${entries}};\nstd::span<const Asset> assets() { return kAssets; }\n}  // namespace scvet::report\n")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
  set_property(SOURCE ${output} PROPERTY OBJECT_DEPENDS "${files};${libraries}")
  set(SCVET_GENERATED_report ${output} PARENT_SCOPE)
endfunction()

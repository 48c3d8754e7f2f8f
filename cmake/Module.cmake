# add_module(name IMPORTS other...): one static library from src/<name>/, linked to what it imports.
# Sources whose name ends in _avx2.cpp or _avx512.cpp are SIMD targets of a kernel: only they get the
# instruction set, and base/cpu chooses among them at run time.
function(add_module name)
  cmake_parse_arguments(MODULE "" "" "IMPORTS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${name}/*.S)
  add_library(scvet_${name} STATIC ${sources} ${SCVET_GENERATED_${name}})
  target_include_directories(scvet_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                             PRIVATE ${PROJECT_SOURCE_DIR}/src/${name} ${PROJECT_BINARY_DIR}/generated ${SCVET_INCLUDES_${name}})
  target_link_libraries(scvet_${name} PUBLIC scvet_options fmt::fmt nlohmann_json::nlohmann_json)
  foreach(import ${MODULE_IMPORTS})
    target_link_libraries(scvet_${name} PUBLIC scvet_${import})
  endforeach()
  target_link_libraries(scvet_${name} PRIVATE ${SCVET_LIBS_${name}})
  foreach(source ${sources})
    if(source MATCHES "_avx2\\.cpp$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2;-mpopcnt;-mbmi2")
    elseif(source MATCHES "_avx512\\.cpp$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512bw;-mavx512vl;-mavx512dq;-mpopcnt;-mbmi2;-mprefer-vector-width=512")
    endif()
  endforeach()
endfunction()

# add_plugin(name IMPORTS other...): libscvet_<name>.so from src/<name>/, which the program opens when it is asked for.
# It lies beside the program, with the libraries that it needs. The public headers of what it imports are seen; linked
# are base and data alone, as the rest would bring heavy libraries along.
function(add_plugin name)
  cmake_parse_arguments(MODULE "" "" "IMPORTS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(scvet_${name} MODULE ${sources})
  target_include_directories(scvet_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/${name})
  target_compile_definitions(scvet_${name} PRIVATE SCVET_VERSION="${PROJECT_VERSION}")
  target_link_libraries(scvet_${name} PRIVATE scvet_options scvet_data scvet_base fmt::fmt ${SCVET_LIBS_${name}})
  target_link_options(scvet_${name} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
  set_target_properties(scvet_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "\$ORIGIN" INSTALL_RPATH "\$ORIGIN"
                        BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# One interface target that every module links: language level, warnings, sanitizers.
option(SCVET_WERROR "Warnings are errors" OFF)
set(SCVET_SANITIZE "" CACHE STRING "Value for -fsanitize=")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the root count as relative, so that a second checkout finds the first one's objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(scvet_options INTERFACE)
target_compile_features(scvet_options INTERFACE cxx_std_20)
# -ffp-contract=off: the same bytes on every processor; SIMD kernels are chosen at run time, never by -march.
target_compile_options(scvet_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
# -Wrestrict of g++ 12 fires on `"text" + std::string` (its bug 105651); it has found nothing real here.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(scvet_options INTERFACE -Wno-restrict)
endif()
if(SCVET_WERROR)
  target_compile_options(scvet_options INTERFACE -Werror)
endif()
if(SCVET_SANITIZE)
  target_compile_options(scvet_options INTERFACE -fsanitize=${SCVET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(scvet_options INTERFACE -fsanitize=${SCVET_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Every library the project stands on, and the modules that may see it (scripts/check_includes.py
# enforces the second part). Package names: scripts/packages.txt.
find_package(fmt REQUIRED)            # all
find_package(nlohmann_json REQUIRED)  # all but base
find_package(OpenSSL REQUIRED)        # base: SHA-256
find_package(ZLIB REQUIRED)           # base: gzipped text; io
set(HDF5_PREFER_PARALLEL FALSE)
find_package(HDF5 REQUIRED COMPONENTS C)  # io
find_package(Boost REQUIRED)          # numeric: Boost.Math, headers only
find_package(Eigen3 REQUIRED)         # numeric: headers only
find_package(spectra REQUIRED)        # numeric: headers only
find_package(igraph REQUIRED)         # graph
# Debian's target names the development files of what libigraph.so itself links (arpack, glpk, plfit); a shared library
# brings those along, so nothing here needs them.
set_target_properties(igraph::igraph PROPERTIES INTERFACE_LINK_LIBRARIES "")
find_package(CLI11 REQUIRED)          # cli
if(NOT SCVET_STD_THREADS)
  find_package(OpenMP REQUIRED)       # base: parallel
endif()
find_package(Threads REQUIRED)

find_path(LZF_INCLUDE_DIR lzf.h PATH_SUFFIXES liblzf REQUIRED)
find_library(LZF_LIBRARY lzf REQUIRED)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_path(DEFLATE_INCLUDE_DIR libdeflate.h REQUIRED)
find_library(DEFLATE_LIBRARY deflate REQUIRED)
find_path(LZ4_INCLUDE_DIR lz4.h REQUIRED)
find_library(LZ4_LIBRARY lz4 REQUIRED)
find_path(BLOSC_INCLUDE_DIR blosc.h REQUIRED)
find_library(BLOSC_LIBRARY blosc REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

set(SCVET_LIBS_base OpenSSL::Crypto Threads::Threads ZLIB::ZLIB)
if(NOT SCVET_STD_THREADS)
  list(APPEND SCVET_LIBS_base OpenMP::OpenMP_CXX)
endif()
set(SCVET_LIBS_io ${HDF5_C_LIBRARIES} ZLIB::ZLIB ${LZF_LIBRARY} ${ZSTD_LIBRARY} ${DEFLATE_LIBRARY}
    ${LZ4_LIBRARY} ${BLOSC_LIBRARY})
set(SCVET_INCLUDES_io ${HDF5_C_INCLUDE_DIRS} ${LZF_INCLUDE_DIR} ${ZSTD_INCLUDE_DIR} ${DEFLATE_INCLUDE_DIR}
    ${LZ4_INCLUDE_DIR} ${BLOSC_INCLUDE_DIR})
set(SCVET_LIBS_numeric Boost::headers Eigen3::Eigen)
set(SCVET_LIBS_graph igraph::igraph)
set(SCVET_LIBS_sketch ${ZSTD_LIBRARY})
set(SCVET_INCLUDES_sketch ${XXHASH_INCLUDE_DIR} ${ZSTD_INCLUDE_DIR})

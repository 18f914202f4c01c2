# Warnings, optimisation, sanitizers and the compiler cache, the same for every target.
add_library(stiction_options INTERFACE)
target_compile_options(stiction_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)
# Results must not depend on the compiler's freedom: no contraction, no fast-math.
target_compile_options(stiction_options INTERFACE -ffp-contract=off -fno-math-errno)
# Alignment pinned to SSE width: the Coal wheel is built without AVX and shares Eigen types with us.
target_compile_definitions(stiction_options INTERFACE EIGEN_MAX_ALIGN_BYTES=16 EIGEN_DONT_PARALLELIZE)
if(STICTION_SANITIZE)
  add_compile_options(-fsanitize=${STICTION_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # sees uninitialised members in the standard library's regular expressions once they are instrumented
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${STICTION_SANITIZE})
endif()
find_program(STICTION_CCACHE ccache)
if(STICTION_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STICTION_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # without these ccache takes no source that is compiled with a precompiled header
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${STICTION_CCACHE}")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# One precompiled header (100 to 140 MB) for all targets of a family, made by the first.
function(stiction_precompile family target)
  get_property(owner GLOBAL PROPERTY stiction_${family}_precompiled)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY stiction_${family}_precompiled ${target})
  endif()
endfunction()

# Warnings, optimisation, sanitizers and the compiler cache, the same for every target.
add_library(stiction_options INTERFACE)
target_compile_options(stiction_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
# A compiler that we do not build with, and flags of one's own (-march=native), may warn of what we have not seen.
set(ours OFF)
if(CMAKE_CXX_FLAGS STREQUAL "" AND (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14
                                    OR CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19))
  set(ours ON)
endif()
option(STICTION_WARNINGS_AS_ERRORS "Warnings end the build" ${ours})
if(STICTION_WARNINGS_AS_ERRORS)
  target_compile_options(stiction_options INTERFACE -Werror)
endif()
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

# One precompiled header (100 to 140 MB) for all targets of a family, made by the first. A build of the same flags in another folder may lend its own: then the compiler cache has every source
# that both share.
set(STICTION_PRECOMPILED "" CACHE PATH "Build folder of the same flags whose precompiled headers are taken, if they are there")
function(stiction_precompile family target)
  get_property(owner GLOBAL PROPERTY stiction_${family}_precompiled)
  if(NOT owner)
    file(RELATIVE_PATH folder "${CMAKE_BINARY_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")
    set(lent "${STICTION_PRECOMPILED}/${folder}/CMakeFiles/${target}.dir/cmake_pch.hxx")
    if(STICTION_PRECOMPILED AND EXISTS "${lent}.gch")
      set(owner "${lent}")
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
      set(owner ${target})
    endif()
    set_property(GLOBAL PROPERTY stiction_${family}_precompiled "${owner}")
  elseif(TARGET "${owner}")
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
  if(NOT TARGET "${owner}")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -Winvalid-pch -include "${owner}") # as CMake itself would say it
  endif()
endfunction()

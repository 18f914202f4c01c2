// Assertions for our own bugs. Always on: a wrong index must never become a wrong number.
#pragma once
#include <cstdio>
#include <cstdlib>

#define STICTION_ASSERT(condition)                                                                     \
  do {                                                                                                 \
    if (!(condition)) {                                                                                \
      std::fprintf(stderr, "stiction: internal fault: %s at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                    \
    }                                                                                                  \
  } while (false)

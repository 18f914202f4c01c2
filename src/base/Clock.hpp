// Wall and CPU clocks for the timings of a step.
#pragma once

namespace stiction {

double wallSeconds();       // [s] monotonic
double cpuSeconds();        // [s] of the whole process, all threads
double threadCpuSeconds();  // [s] of the calling thread

}  // namespace stiction

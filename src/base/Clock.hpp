// Wall and CPU clocks for the timings of a step.
#pragma once

namespace stiction {

double wallSeconds();       // [s] monotonic
double cpuSeconds();        // [s] of the whole process, all threads
double threadCpuSeconds();  // [s] of the calling thread

/// Whether a deadline [s] of `wallSeconds` is over; never for infinity, and then the clock is not read.
bool isPast(double deadline);

}  // namespace stiction

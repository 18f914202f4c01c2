// The numbers of a factorisation built left-looking: what finished columns bring to a strip that is being built, supernode by supernode.
#pragma once
#include <span>
#include <vector>

#include "linalg/ColumnSchedule.hpp"
#include "linalg/PanelKernel.hpp"

namespace stiction {

/// One product that finished columns bring to those being built: target (panel k) −= Σ_j A_j B_jᵀ, with A_j the rows of panel j of `a` from its block row k on
/// (`skip` = 1: from the next on), B_j row k of panel j of `b`. All three are whole arrays of panels.
struct PanelProduct {
  int skip;
  const double *a, *b;
  double* target;
};

/// The updates of one strip at a time, supernode by supernode; one for each worker.
class PanelUpdates {
 public:
  void bind(const BlockStructure& structure, const ColumnSchedule& schedule);
  /// The updates that a strip takes from columns before it.
  void subtract(int strip, std::span<const PanelProduct> products);
  /// Those that its column k takes from the columns before k of the same strip, the last one given to subtract().
  void subtractWithin(int k, std::span<const PanelProduct> products);

 private:
  using Update = BlockStructure::Update;
  void group(int strip);
  void apply(std::span<const Update> updates, int end, const PanelProduct& product);

  const BlockStructure* structure_{nullptr};
  const ColumnSchedule* schedule_{nullptr};
  std::vector<int> groups_;  // of the strip's updates: where each begins, and the end
  std::vector<int> place_;   // row of each block in the panel of the strip's first column
  std::vector<Update> within_;
  std::vector<double> product_;
  std::vector<PanelSource> sources_;
  std::vector<RowRun> runs_;
};

/// Rows of the highest panel, up to the next pack.
int highestPanel(const BlockStructure& structure);

}  // namespace stiction

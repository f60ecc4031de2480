"""From a suite to finished runs: plan, work, cost."""

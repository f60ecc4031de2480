"""What Streamlit runs: started by `augbench leaderboard`."""

from __future__ import annotations

from leaderboard.pages import show

show()

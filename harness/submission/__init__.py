"""Are the records of a stranger what they claim to be? They are read as data: nothing of them is executed or rendered.

reading  a file of a bounded size as strict JSON of a bounded depth        runs    a run's record
scores   a score's record, and whether its predictions give its score      folder  files and folders as a whole
packing  the other way round: what of a results folder is handed to others     archive  as one file
"""

from harness.submission.folder import check
from harness.submission.reading import Finding, Refused

__all__ = ["Finding", "Refused", "check"]

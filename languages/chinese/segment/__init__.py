"""Where does a Chinese word end? Learning a model for spacy-pkuseg from treebanks, and guarding what it does."""

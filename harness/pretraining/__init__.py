"""A small encoder from plain text: vocabulary, packed rows, masked-language modelling, a folder that `AutoModel` loads."""

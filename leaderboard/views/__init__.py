"""The pages: one module per page, each with `render()`."""

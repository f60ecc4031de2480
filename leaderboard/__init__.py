"""The leaderboard: browse, compare, understand and trust what lies in results folders.

    app     the pages and their order        views/  one file per page, each with `render()`
    data    results folders as frames        state   what of a view stands in its URL
    style   how things look                  table, columns, grid, exports, board_links  what the first page's table holds

Importing this package loads neither torch nor spaCy. Records are data: nothing in them is executed or shown as HTML.
"""

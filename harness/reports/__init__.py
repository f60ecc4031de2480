"""What do the records say? Tables, comparisons, and the forms they are written in."""

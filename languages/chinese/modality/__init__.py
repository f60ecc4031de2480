"""Which modal fits a Chinese clause, and where in it?"""

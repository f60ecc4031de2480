"""Did we get what the papers printed?"""

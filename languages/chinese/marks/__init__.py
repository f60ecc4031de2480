"""Where may punctuation stand in a Chinese sentence?"""

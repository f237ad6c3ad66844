"""What is told of a failing case: its worst element, values in words, and whether two findings are alike."""

"""Products of matrices and the operations on them; where plain loads and stores find elements."""

"""Known defects of devices and compilers, planted in the reference device of every specification."""

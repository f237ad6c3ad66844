"""What programs and their data can differ in, as data: axes and their classes, written from the specifications alone."""

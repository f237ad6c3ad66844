"""What programs and their data can differ in, as data: axes with classes, written from the specifications alone."""

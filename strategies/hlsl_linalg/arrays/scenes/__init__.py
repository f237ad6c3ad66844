"""Programs made for classes that the covering arrays cannot hold: each is listed once, in one row."""

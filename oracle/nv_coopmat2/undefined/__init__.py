"""What has no defined result: one function per clause."""

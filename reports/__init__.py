"""Reports of a run: HTML, JUnit and Markdown, and the run folder that holds them."""

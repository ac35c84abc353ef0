"""Knowledge as whole documents for people and other programs: Markdown, JSON, drawings."""

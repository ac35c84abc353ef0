"""Knowledge in and out: one module a format of another tool, behind `import` and `export`."""

"""Knowledge as tables: one YAML file and one module of the same name each; a row adds a vendor, and has a source."""

"""IF-THEN rules: extraction from trees, rule lists as models, text format, and checks."""

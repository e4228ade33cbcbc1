"""IF-THEN rules: from trees, as models, as text, and their defects."""

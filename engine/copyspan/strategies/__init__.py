"""Ways to decode an edit from a model. Each sees a model through its protocol alone and yields programs."""

"""The exercises: programs that are built, checked, counted and graded (labs/)."""

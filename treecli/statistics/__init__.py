"""Statistical tests of experiments: two learners on one data set, several learners on several data sets."""

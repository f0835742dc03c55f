"""Regressors: frozen encoder with a head, and scikit-learn baselines, behind one interface."""

"""From runs to tables: smoothing, scores, bootstrap intervals. Statistics only, no drawing."""

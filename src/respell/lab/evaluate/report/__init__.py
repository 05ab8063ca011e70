"""Write the results page of the model from the files in results/model."""

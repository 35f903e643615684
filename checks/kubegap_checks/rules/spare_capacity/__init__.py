"""Whether a failure leaves something to run on, and whether what is free can be used."""

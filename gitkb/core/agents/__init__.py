"""The files of coding agents, edited as text: what of gitkb stands in each, put in and taken out to the byte."""
